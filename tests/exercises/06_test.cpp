#include "check.hpp"
#include "model/operations.hpp"

#include EXERCISE

using namespace glassbox;

Matrix filled(Matrix m, double value, bool (*forbidden)(std::size_t t, std::size_t s)) {
    for (std::size_t t = 0; t < m.rows; ++t)
        for (std::size_t s = 0; s < m.cols; ++s)
            if (forbidden(t, s))
                m(t, s) = value;
    return m;
}

Matrix renormalised(Matrix weights) {
    for (std::size_t t = 0; t < weights.rows; ++t) {
        double sum = 0.0;
        for (const double weight : weights.row(t))
            sum += weight;
        for (double& weight : weights.row(t))
            weight /= sum;
    }
    return weights;
}

bool future(std::size_t t, std::size_t s) {
    return s > t;
}
bool past(std::size_t t, std::size_t s) {
    return s < t;
}
bool beyond_next(std::size_t t, std::size_t s) {
    return s > t + 1;
}

void check() {
    const double infinity = std::numeric_limits<double>::infinity();
    const Axes axes{"t", "s"};
    const auto mine = [](const Matrix& scores) {
        return unless_refused(
            [&] { return causal_weights(scores); }, "are -infinity",
            "Is a row forbidden altogether? A position may always read itself: only s > t is "
            "forbidden.");
    };
    const Matrix scores{{1, -2, 3}, {0, 1, 0}, {1, 0, 2}};
    const Matrix nothing(1, 3, std::numeric_limits<double>::quiet_NaN());
    Matrix nan_above = softmax_rows(scores); // the last row has no future
    for (std::size_t t : {0, 1})
        std::ranges::copy(nothing.row(0), nan_above.row(t).begin());
    expect("the scores 1 -2 3 / 0 1 0 / 1 0 2", mine(scores),
           softmax_rows(filled(scores, -infinity, future)),
           {{filled(scores, -infinity, future),
             "These are the masked scores. softmax_rows turns them into weights."},
            {softmax_rows(scores), "Nothing is masked: every row reads the future."},
            {softmax_rows(filled(scores, -infinity, past)),
             "The mask is the other way round: the past is forbidden, the future may be read."},
            {softmax_rows(filled(scores, -infinity, beyond_next)),
             "Position t reads t + 1 too, one step into the future."},
            {softmax_rows(filled(scores, 0.0, future)),
             "A score of 0 is a score like any other, and takes a share. To forbid is -infinity. "
             "(An int has none: std::numeric_limits<int>::infinity() is 0.)"},
            {nan_above,
             "nan, as from +infinity. Was the sign forgotten, or a score multiplied by -infinity? "
             "0 and "
             "negative scores do not become -infinity so: put it in their place."},
            {transpose(softmax_rows(transpose(filled(scores, -infinity, future)))),
             "These columns sum to 1. Shares are given out along a row: each asker has its own 1."},
            {filled(softmax_rows(scores), 0.0, future),
             "The mask came after the softmax: the future has taken its share before it was "
             "zeroed, and rows do not sum to 1."}},
           axes);

    const Matrix loud{{1, 2, 1000}, {0, 1, 1}, {1, 0, 2}};
    expect("a loud future: the scores 1 2 1000 / 0 1 1 / 1 0 2", mine(loud),
           softmax_rows(filled(loud, -infinity, future)),
           {{renormalised(filled(softmax_rows(loud), 0.0, future)),
             "Masking after the softmax and renormalising equals the right order on paper only: "
             "the future took all the weight of t0, and 0 / 0 is nan."}},
           axes);

    const double huge = std::numeric_limits<double>::max();
    const Matrix low = filled(Matrix(4, 4, -huge), huge, future);
    const std::string like_any_other =
        "A large negative number is a score like any other: here it is not below the real ones, "
        "and the future takes a share. Minus infinity needs no guarantee.";
    expect("4 x 4 scores, in the past as low and in the future as high as a double goes", mine(low),
           softmax_rows(filled(low, -infinity, future)),
           {{softmax_rows(filled(low, -1e9, future)), like_any_other},
            {softmax_rows(filled(low, -huge, future)), like_any_other}},
           axes);
}

int main() {
    return checked(check);
}
