#include "check.hpp"
#include "model/operations.hpp"

#include EXERCISE

using namespace glassbox;

// exp(score - m) / sum, with an m of one's own for each row.
Matrix shares_with(const Matrix& scores, const std::vector<double>& m) {
    Matrix weights(scores.rows, scores.cols);
    for (std::size_t t = 0; t < scores.rows; ++t) {
        double sum = 0.0;
        for (std::size_t s = 0; s < scores.cols; ++s)
            sum += weights(t, s) = std::exp(scores(t, s) - m[t]);
        for (double& weight : weights.row(t))
            weight /= sum;
    }
    return weights;
}

// The right shares, all of them too small by the same small factor: the sum was too large.
void expect_whole_sums(const Matrix& came) {
    for (std::size_t t = 0; t < came.rows; ++t) {
        double sum = 0.0;
        for (std::size_t s = 0; s < came.cols; ++s)
            sum += came(t, s);
        if (!(sum < 1.0 - 1e-14 && sum > 0.999))
            continue;
        throw NotSolved{std::string("the scores 1 2 3 and 0 0 0:\n  Row t") + std::to_string(t) +
                        " sums to " + printed("%.*g", 15, sum) +
                        ", not to 1. Does the sum start at a small number, or was one added to it? "
                        "It starts at 0: with the largest score subtracted it never is 0.\n"};
    }
}

// The sum in an int, which drops the fraction at every step.
Matrix summed_in_an_int(const Matrix& scores, double m) {
    Matrix weights(scores.rows, scores.cols);
    for (std::size_t t = 0; t < scores.rows; ++t) {
        int sum = 0;
        for (std::size_t s = 0; s < scores.cols; ++s)
            sum = static_cast<int>(sum + (weights(t, s) = std::exp(scores(t, s) - m)));
        for (double& weight : weights.row(t))
            weight /= sum;
    }
    return weights;
}

void check() {
    const Axes axes{"t", "s"};
    const double infinity = std::numeric_limits<double>::infinity();
    const Matrix small{{1, 2, 3}, {0, 0, 0}}, shares = softmax_rows(small);
    const Matrix own = shares_of_rows(small);
    if (close(own, shares, 1e-3))
        expect_whole_sums(own);
    expect("the scores 1 2 3 and 0 0 0", own, shares,
           {{transpose(softmax_rows(transpose(small))),
             "These columns sum to 1. Shares are given out along a row: each asker has its own 1."},
            {{{std::exp(-2.0), std::exp(-1.0), 1}, {1, 1, 1}},
             "The exponentials are right, but nothing has divided them by their sum."},
            {{{std::exp(-2.0), std::exp(-1.0), 1}, {1.0 / 3, 1.0 / 3, 1.0 / 3}},
             "An int drops every fraction: the sum is a double."},
            {summed_in_an_int(small, 0.0), "An int drops every fraction: the sum is a double."}},
           axes);

    const Matrix large{{1000, 1001, 1002}, {0, 0, 0}};
    expect("the scores 1000 1001 1002 and 0 0 0", shares_of_rows(large), shares,
           {{shares_with(large, {0, 0}),
             "exp(1000) is infinity: subtract the row's largest score "
             "before the exponential."},
            {shares_with(large, {1002, 1002}),
             "Row t1 got the maximum of row t0: each row subtracts its own largest score."}},
           axes);

    Matrix high(4, 4); // the largest score in each of the four places
    for (std::size_t t = 0; t < 4; ++t)
        high(t, t) = 800.0;
    expect("one score of 800 among zeros, in each of four places", shares_of_rows(high),
           softmax_rows(high),
           {{shares_with(high, {800, 0, 0, 0}),
             "The first score of each row was subtracted: it need not be the largest."},
            {shares_with(high, {0, 0, 0, 800}),
             "The last score of each row was subtracted: it need not be the largest."},
            {shares_with(high, {800, 800, 800, 0}),
             "The search for the maximum leaves out the last score of a row."},
            {shares_with(high, {0, 800, 800, 800}),
             "The search for the maximum leaves out the first score of a row."},
            {shares_with(high, {0, 0, 0, 0}),
             "The smallest score was subtracted: only the row's largest keeps exp from "
             "overflowing."}},
           axes);

    const Matrix low{{-802, -801, -800}, {0, 0, 0}};
    expect("the scores -802 -801 -800 and 0 0 0", shares_of_rows(low), shares,
           {{shares_with(low, {0, 0}),
             "The exponentials of row t0 are all 0, and 0 / 0 is nan: what was subtracted lies far "
             "above its scores. Are they made positive, or does the search for the maximum start "
             "at 0, or at numeric_limits<double>::min(), the smallest positive double? It must "
             "start at -infinity, below every score."}},
           axes);

    const double far = -3e9; // below every int
    const Matrix lower{{-2000, -2001, -2002}, {far, far - 1, far - 2}};
    const std::string undercut =
        "The search for the maximum starts at a number that these scores undercut: 0 / 0 is nan. "
        "It must start at -infinity, and the maximum is a double.";
    expect("the scores -2000 -2001 -2002 and -3000000000 and two below", shares_of_rows(lower),
           softmax_rows(lower),
           {{shares_with(lower, {0, 0}), undercut}, {shares_with(lower, {-2000, 0}), undercut}},
           axes, false, 1e-15 * std::abs(far)); // of m + log(sum) no more digits are left

    const Matrix masked{{1, 2, -infinity}};
    expect(
        "the scores 1 2 -infinity", shares_of_rows(masked), softmax_rows(masked),
        {{Matrix(1, 3, std::numeric_limits<double>::quiet_NaN()),
          "Nothing but nan, as from -infinity minus -infinity. Was the row's mean subtracted, or "
          "another score than the largest?"},
         {{{shares(0, 0) / (shares(0, 0) + shares(0, 1)),
            shares(0, 1) / (shares(0, 0) + shares(0, 1)),
            std::numeric_limits<double>::quiet_NaN()}},
          "Only the share of -infinity failed. Was each score subtracted from the others, or from "
          "itself? -infinity minus -infinity is nan; the row's largest score is safe."}},
        axes);
}

int main() {
    return checked(check);
}
