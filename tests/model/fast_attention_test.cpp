// Attention in tiles: the bits of the three passes written out, and no key that may not be read.
#include "model/attention.hpp"
#include "model/fast_attention.hpp"
#include "numbers/random.hpp"
#include "support.hpp"

#include <limits>
#include <random>

using namespace glassbox;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct Inputs {
    Matrix q, k, v;
};

Inputs drawn(NumpyRandom& random, std::size_t T, std::size_t S, std::size_t D, std::size_t W) {
    return {random.normal(0, 1, T, D), random.normal(0, 1, S, D), random.normal(0, 1, S, W)};
}

// What T queries may read of S keys: the last query stands at the last key.
std::vector<KeyRange> ranges_of(std::size_t T, std::size_t S, const Mask& mask) {
    const int first = static_cast<int>(S - T);
    return readable_ranges(positions_from(first, T), positions_from(0, S), mask);
}

// The results are written over numbers that must not be seen again.
Attention fast(const Inputs& in, const std::vector<KeyRange>& ranges) {
    Attention result{Matrix(in.q.rows, in.v.cols, -777.0), Matrix(in.q.rows, in.k.rows)};
    attend_fast({{in.q.values.data(), in.q.cols},
                 {in.k.values.data(), in.k.cols},
                 {in.v.values.data(), in.v.cols},
                 {result.output.values.data(), in.v.cols},
                 {result.weights.values.data(), in.k.rows},
                 in.q.cols,
                 in.v.cols},
                ranges);
    return result;
}

// The three passes, key by key.
Attention plain(const Inputs& in, const std::vector<KeyRange>& ranges) {
    Attention result{Matrix(in.q.rows, in.v.cols), Matrix(in.q.rows, in.k.rows)};
    for (std::size_t t = 0; t < in.q.rows; ++t) {
        const auto [first, last] = ranges[t];
        std::vector<double> scores;
        for (std::size_t s = first; s < last; ++s)
            scores.push_back(dot(in.q.row(t), in.k.row(s)) /
                             std::sqrt(static_cast<double>(in.q.cols)));
        const std::vector<double> weights = softmax(scores);
        for (std::size_t s = first; s < last; ++s) {
            result.weights(t, s) = weights[s - first];
            for (std::size_t c = 0; c < in.v.cols; ++c)
                result.output(t, c) += weights[s - first] * in.v(s, c);
        }
    }
    return result;
}

bool agree(const Inputs& in, const std::vector<KeyRange>& ranges) {
    const Attention a = fast(in, ranges), b = plain(in, ranges);
    return same_bits(a.output, b.output) && same_bits(a.weights, b.weights);
}

} // namespace

BOOST_AUTO_TEST_SUITE(fast_attention)

BOOST_AUTO_TEST_CASE(tiles_give_the_bits_of_the_three_passes,
                     *label("maximum_not_subtracted") * label("maximum_starts_at_zero") *
                         label("fast_terms_reversed") * label("fast_eight_dots_of_one_row") *
                         label("range_begins_too_late") * label("fast_shared_keys_too_many") *
                         label("fast_shared_keys_of_the_future") *
                         label("fast_scale_left_out_of_tiles") * label("fast_values_out_of_order") *
                         label("fast_last_queries_forgotten")) {
    NumpyRandom random(4);
    for (const std::size_t T : {1U, 2U, 7U, 8U, 9U, 15U, 16U, 17U, 40U})
        for (const std::size_t cached : {0U, 1U, 8U, 13U})
            for (const int window : {Mask::no_window, 1, 3, 8, 9, 20})
                for (const std::size_t D : {1U, 7U, 8U, 12U}) {
                    const std::size_t S = T + cached;
                    const Inputs in = drawn(random, T, S, D, D + 1);
                    BOOST_REQUIRE_MESSAGE(
                        agree(in, ranges_of(T, S, {.causal = true, .window = window})),
                        T << " queries, " << S << " keys, window " << window << ", width " << D);
                }
}

BOOST_AUTO_TEST_CASE(tiles_without_a_mask_give_the_bits_of_the_three_passes,
                     *label("maximum_not_subtracted") * label("fast_terms_reversed") *
                         label("fast_eight_dots_of_one_row") * label("fast_shared_keys_too_many") *
                         label("fast_scale_left_out_of_tiles") * label("fast_values_out_of_order") *
                         label("fast_last_queries_forgotten")) {
    NumpyRandom random(5);
    for (const std::size_t T : {1U, 8U, 21U})
        for (const int window : {Mask::no_window, 4}) {
            const Inputs in = drawn(random, T, T, 8, 16);
            BOOST_CHECK(agree(in, ranges_of(T, T, {.causal = false, .window = window})));
        }
}

BOOST_AUTO_TEST_CASE(a_nan_in_a_forbidden_key_or_value_reaches_no_tile,
                     *label("fast_eight_dots_of_one_row") * label("range_begins_too_late") *
                         label("fast_shared_keys_too_many") *
                         label("fast_shared_keys_of_the_future") *
                         label("fast_values_out_of_order") * label("fast_last_queries_forgotten")) {
    NumpyRandom random(6);
    for (const int window : {Mask::no_window, 6, 17})
        for (const auto& [T, S] : {std::pair{5U, 5U}, {21U, 21U}, {32U, 32U}, {16U, 30U}}) {
            const Inputs in = drawn(random, T, S, 9, 10);
            const std::vector<KeyRange> ranges =
                ranges_of(T, S, {.causal = true, .window = window});
            const Attention before = fast(in, ranges);
            for (std::size_t s = 0; s < S; ++s)
                for (const bool key : {true, false}) {
                    Inputs damaged = in;
                    std::ranges::fill((key ? damaged.k : damaged.v).row(s), not_a_number);
                    const Attention after = fast(damaged, ranges);
                    for (std::size_t t = 0; t < T; ++t)
                        if (ranges[t].first <= s && s < ranges[t].last) // and who may read it does
                            BOOST_CHECK(std::isnan(after.output(t, 0)));
                        else
                            BOOST_CHECK(same_bits(after.output.row(t), before.output.row(t)) &&
                                        same_bits(after.weights.row(t), before.weights.row(t)));
                }
        }
}

BOOST_AUTO_TEST_CASE(infinite_and_absent_scores_are_shared_out_as_softmax_does,
                     *label("maximum_not_subtracted") * label("fast_absent_scores_shared")) {
    for (const std::size_t count : {1U, 3U, 8U, 19U})
        for (const double odd : {infinity, -infinity, not_a_number, 1e300}) {
            std::vector<double> scores(count, 0.5);
            scores[count / 2] = odd;
            if (count == 1 && odd == -infinity) {
                check_message([&] { softmax_in_place(scores); },
                              {"softmax: all 1 scores are -infinity"});
                continue;
            }
            const std::vector<double> expected = softmax(scores);
            softmax_in_place(scores);
            for (std::size_t s = 0; s < count; ++s)
                BOOST_CHECK(same_bits(scores[s], expected[s]) ||
                            (std::isnan(scores[s]) && std::isnan(expected[s])));
        }
    std::vector<double> nothing_known(9, not_a_number);
    softmax_in_place(nothing_known);
    BOOST_CHECK(std::ranges::all_of(nothing_known, [](double x) { return std::isnan(x); }));
}

BOOST_AUTO_TEST_CASE(nothing_is_left_of_an_earlier_head,
                     *label("range_begins_too_late") * label("fast_shared_keys_of_the_future")) {
    NumpyRandom random(8);
    const Inputs in = drawn(random, 20, 20, 8, 8);
    const std::vector<KeyRange> ranges = ranges_of(20, 20, Mask{});
    const Attention first = fast(in, ranges);
    fast({Matrix(40, 24, not_a_number), Matrix(40, 24, not_a_number), Matrix(40, 24, not_a_number)},
         ranges_of(40, 40, Mask{}));
    BOOST_CHECK(same_bits(fast(in, ranges).output, first.output));
}

BOOST_AUTO_TEST_CASE(ranges_are_what_the_mask_allows, *label("range_begins_too_late")) {
    for (const bool causal : {true, false})
        for (const int window : {1, 3, Mask::no_window})
            for (const int first : {2, 5}) {
                const Mask mask{.causal = causal, .window = window};
                const std::vector<int> queries = positions_from(first, 6),
                                       keys{2, 3, 4, 5, 6, 7, 8, 9, 10};
                const std::vector<KeyRange> ranges = readable_ranges(queries, keys, mask);
                std::size_t count = 0;
                for (std::size_t t = 0; t < 6; ++t) {
                    const std::vector<std::size_t> wanted = readable_keys(queries[t], keys, mask);
                    BOOST_TEST(ranges[t].first == wanted.front());
                    BOOST_TEST(ranges[t].last == wanted.back() + 1);
                    count += wanted.size();
                }
                BOOST_TEST(keys_in(ranges) == count);
            }
}

BOOST_AUTO_TEST_CASE(positions_with_gaps_have_no_ranges_and_are_read_all_the_same,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("value_of_the_wrong_key")) {
    BOOST_TEST(readable_ranges({0, 2}, {0, 1, 2}, Mask{}).empty());
    BOOST_TEST(readable_ranges({5}, {3, 4, 4}, Mask{}).empty());
    BOOST_TEST(readable_ranges({5, 4}, {4, 5}, Mask{}).empty());
    check_message(
        [] {
            readable_ranges({4}, {5, 6}, Mask{});
        },
        {"attend: the query at position 4 may read none of the 2 keys"});
    const Matrix v{{1}, {2}, {4}};
    const Attention odd = attend(Matrix(2, 1), Matrix(3, 1), v, {3, 1}, {3, 0, 1}, Mask{});
    BOOST_CHECK(same_bits(odd.weights.row(1), std::vector{0.0, 0.5, 0.5}));
    BOOST_CHECK(same_bits(odd.output(1, 0), 3.0));
}

BOOST_AUTO_TEST_SUITE_END()
