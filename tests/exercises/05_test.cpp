#include "check.hpp"
#include "model/attention.hpp"

#include EXERCISE

using namespace glassbox;

// Attention under a rule of one's own for who may read whom; the scores are divided by `scale`.
Matrix attend_where(const Matrix& q, const Matrix& k, const Matrix& v, double scale,
                    bool (*may_read)(std::size_t t, std::size_t s)) {
    Matrix output(q.rows, v.cols);
    for (std::size_t t = 0; t < q.rows; ++t) {
        std::vector<double> scores;
        for (std::size_t s = 0; s < k.rows; ++s)
            scores.push_back(may_read(t, s) ? dot(q.row(t), k.row(s)) / scale
                                            : -std::numeric_limits<double>::infinity());
        const std::vector<double> weights = softmax(scores);
        for (std::size_t s = 0; s < k.rows; ++s)
            for (std::size_t c = 0; c < v.cols; ++c)
                output(t, c) += weights[s] * v(s, c);
    }
    return output;
}

bool right(std::size_t t, std::size_t s) {
    return s <= t;
}
bool other_way_round(std::size_t t, std::size_t s) {
    return s >= t;
}
bool everything(std::size_t, std::size_t) {
    return true;
}
bool one_ahead(std::size_t t, std::size_t s) {
    return s <= t + 1;
}
bool itself(std::size_t t, std::size_t s) {
    return s == t;
}

void check() {
    const Matrix zero(3, 4), one_each{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const Matrix keys{{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}};
    const auto with = [&](auto rule) { return attend_where(zero, zero, one_each, 1.0, rule); };
    expect("q = 0, so all scores are 0; v(s) is 1 in channel s, so the output shows the "
           "weights",
           unless_refused([&] { return attend_by_hand(zero, keys, one_each); },
                          "softmax: all 0 scores",
                          "Has some position no key to read? It may always read itself: s <= t "
                          "includes s = t."),
           with(right),
           {{with(other_way_round),
             "The mask is the other way round: position t reads the present "
             "and the future. It may read s <= t."},
            {with(everything), "There is no mask: t0 reads the future too. It may read s <= t."},
            {with(one_ahead), "Position t reads t + 1 too, one step into the future."},
            {{{1, 0, 0}, {0, 0, 0}, {0, 0, 0}},
             "Only channel 0 has been written, and only with the position's own value."},
            {{{1, 0, 0}, {0, 0.5, 0}, {0, 0, 1.0 / 3.0}},
             "Only the last term of each sum has arrived: the terms must be added up (+=)."},
            {with(itself),
             "These are the position's own values. It may read all s <= t: are other scores "
             "computed, and is v(s, c) added, not v(t, c)?"},
            {Matrix(3, 3),
             "Nothing but zeros: is output ever written? Or were the scores, which are 0 here, "
             "taken for weights? softmax comes between."},
            {{{1, 0, 0}, {1, 1, 0}, {1, 1, 1}},
             "These weights do not sum to 1: softmax divides by the sum of the exponentials."},
            {with(right) * 0.5,
             "The weights were divided by sqrt(D), and do not sum to 1: it is the scores that are, "
             "before the softmax."},
            {with(right) * 2.0, "These are keys in place of values: weights[s] * v(s, c)."}},
           {"t", "s"});

    const Matrix q{{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}};
    const Matrix k{{1, 0, 1, 0}, {2, 1, 0, 0}, {3, 1, 2, 0}};
    const Matrix v{{2, 4}, {6, 8}, {10, 12}};
    expect("q, k and v of lesson 06 (D = 4)", attend_by_hand(q, k, v),
           attend_where(q, k, v, 2.0, right),
           {{attend_where(q, k, v, 1.0, right), "The scores were not divided by sqrt(D)."},
            {attend_where(k, q, v, 2.0, right),
             "Queries and keys have changed places: the score is q(t) . k(s)."},
            {attend_where(q, k, v, std::sqrt(2.0), right),
             "The scores were divided by the root of v's width. D is the width of q and k."},
            {attend_where(q, k, v, 4.0, right), "The scores were divided by D, not by sqrt(D)."},
            {attend_where(zero, zero, v, 1.0, right),
             "All keys get equal weights: do the scores come from q and k?"}});

    const Matrix fractions{{0.3, -1.2}, {1.7, 0.4}, {-0.6, 0.9}};
    const Matrix asked{{1.1, 0.8}, {-0.7, 1.9}, {0.5, 1.6}}, wide{{1, 2, 3}, {4, 0, 1}, {2, 5, 7}};
    const auto with_scores = [&](double (*change)(double)) {
        Matrix output(3, 3);
        for (std::size_t t = 0; t < 3; ++t) {
            std::vector<double> scores;
            for (std::size_t s = 0; s <= t; ++s)
                scores.push_back(change(dot(asked.row(t), fractions.row(s)) / std::sqrt(2.0)));
            const std::vector<double> weights = softmax(scores);
            for (std::size_t s = 0; s <= t; ++s)
                for (std::size_t c = 0; c < 3; ++c)
                    output(t, c) += weights[s] * wide(s, c);
        }
        return output;
    };
    expect("q and k of fractions (D = 2), v 1 2 3 / 4 0 1 / 2 5 7",
           attend_by_hand(asked, fractions, wide), with_scores([](double score) { return score; }),
           {{with_scores([](double score) { return std::trunc(score); }),
             "An int drops every fraction: scores are doubles."},
            {attend_where(asked, fractions, wide, std::sqrt(3.0), right),
             "The scores were divided by the root of v's width. D is the width of q and k."}});

    Matrix hidden_k = k, hidden_v = v; // whoever reads a nan shows it, even with a weight of 0
    for (Matrix* m : {&hidden_k, &hidden_v})
        std::ranges::fill(m->row(2), std::numeric_limits<double>::quiet_NaN());
    const std::vector<int> positions = positions_from(0, 3);
    expect("the same with nan in the last key and value, which t0 and t1 may not read",
           attend_by_hand(q, hidden_k, hidden_v),
           attend(q, hidden_k, hidden_v, positions, positions, Mask{.causal = true}).output,
           {{Matrix(3, 2, std::numeric_limits<double>::quiet_NaN()),
             "t0 and t1 have read their future: a weight of 0 is a look too, since 0 * nan is nan. "
             "Both loops over s end at s = t; a vector of t + 1 weights has none behind that."}});
}

int main() {
    return checked(check);
}
