// Heads: against PyTorch, and against multi-head and multi-query attention written out on their
// own.
#include "model/heads.hpp"
#include "model/mask.hpp"
#include "numbers/random.hpp"
#include "proof/causality.hpp"
#include "support.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace glassbox;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double NaN = std::numeric_limits<double>::quiet_NaN();

constexpr Heads multi_head{.count = 4, .groups = 4};
constexpr Heads two_groups{.count = 4, .groups = 2};
constexpr Heads multi_query{.count = 4, .groups = 1};

// Queries, keys and values of the lab: T = 5, C = 8, H = 4.
struct Lab {
    Matrix q, k, v;

    HeadedAttention attend(const Heads& heads, const Mask& mask = {}) const {
        return attend_heads(q, k, v, heads, positions_from(0, q.rows), positions_from(0, k.rows),
                            mask);
    }
};

Matrix reference(const std::string& name) {
    return golden("labs", "heads_" + name);
}

// The matrices that make keys and values are called wk, wk1 and wk2: 4, 1 and 2 groups.
std::string suffix_of(const Heads& heads) {
    return heads.groups == 4 ? "" : std::to_string(heads.groups);
}

Lab lab(const Heads& heads) {
    const Matrix x = reference("x");
    return {matmul(x, reference("wq")), matmul(x, reference("wk" + suffix_of(heads))),
            matmul(x, reference("wv" + suffix_of(heads)))};
}

// Multi-head attention as the libraries write it: cut into an H x T x D block and join again. Not a
// line is shared with heads.hpp or attention.hpp. Causal, with a window; as many keys as queries.
struct HeadBlock {
    std::size_t H, T, D;
    std::vector<double> values;

    HeadBlock(const Matrix& m, std::size_t H_)
        : H(H_), T(m.rows), D(m.cols / H_), values(m.values.size()) {
        for (std::size_t i = 0; i < values.size(); ++i) { // reshape to T x H x D, swap T and H
            const std::size_t t = i / (H * D), h = i / D % H, d = i % D;
            values[(h * T + t) * D + d] = m.values[i];
        }
    }
    double operator()(std::size_t h, std::size_t t, std::size_t d) const {
        return values[(h * T + t) * D + d];
    }
};

std::vector<double> naive_softmax(std::vector<double> scores) {
    const double largest = *std::max_element(scores.begin(), scores.end());
    double sum = 0.0;
    for (double& score : scores) {
        score = std::exp(score - largest);
        sum += score;
    }
    for (double& score : scores)
        score /= sum;
    return scores;
}

Matrix written_out_multi_head(const Matrix& q_, const Matrix& k_, const Matrix& v_, std::size_t H,
                              std::size_t window = 99) {
    const HeadBlock q(q_, H), k(k_, H), v(v_, H);
    Matrix joined(q.T, q.H * q.D);
    for (std::size_t h = 0; h < q.H; ++h)
        for (std::size_t t = 0; t < q.T; ++t) {
            const std::size_t first = t < window ? 0 : t - window + 1;
            std::vector<double> scores;
            for (std::size_t s = first; s <= t; ++s) {
                double sum = 0.0;
                for (std::size_t d = 0; d < q.D; ++d)
                    sum += q(h, t, d) * k(h, s, d);
                scores.push_back(sum / std::sqrt(static_cast<double>(q.D)));
            }
            const std::vector<double> weights = naive_softmax(scores);
            for (std::size_t s = first; s <= t; ++s)
                for (std::size_t d = 0; d < q.D; ++d)
                    joined(t, h * q.D + d) += weights[s - first] * v(h, s, d);
        }
    return joined;
}

// Multi-query attention: one set of keys and values, D wide, and every head asks it.
Matrix written_out_multi_query(const Matrix& q, const Matrix& k, const Matrix& v) {
    const std::size_t D = k.cols;
    Matrix output(q.rows, q.cols);
    for (std::size_t first = 0; first < q.cols; first += D)
        for (std::size_t t = 0; t < q.rows; ++t) {
            std::vector<double> scores;
            for (std::size_t s = 0; s <= t; ++s) {
                double sum = 0.0;
                for (std::size_t d = 0; d < D; ++d)
                    sum += q(t, first + d) * k(s, d);
                scores.push_back(sum / std::sqrt(static_cast<double>(D)));
            }
            const std::vector<double> weights = naive_softmax(scores);
            for (std::size_t d = 0; d < D; ++d)
                for (std::size_t s = 0; s <= t; ++s)
                    output(t, first + d) += weights[s] * v(s, d);
        }
    return output;
}

// Every group's columns as often as heads read it: what a library's "repeat the keys" does.
Matrix repeated(const Matrix& m, std::size_t groups, std::size_t times) {
    const std::size_t D = m.cols / groups;
    Matrix result(m.rows, m.cols * times);
    for (std::size_t r = 0; r < m.rows; ++r)
        for (std::size_t c = 0; c < result.cols; ++c)
            result(r, c) = m(r, c / (D * times) * D + c % D);
    return result;
}

// The columns [first, first + count) of every row, each number replaced by another.
Matrix with_other_columns(Matrix m, std::size_t first, std::size_t count) {
    for (std::size_t r = 0; r < m.rows; ++r)
        for (std::size_t c = first; c < first + count; ++c)
            m(r, c) = 3 - 2 * m(r, c);
    return m;
}

// Which heads' outputs differ in some bit: "..xx" are the last two of four.
std::string moved_heads(const Matrix& before, const Matrix& after, std::size_t D) {
    std::string moved;
    for (std::size_t c = 0; c < before.cols; c += D)
        moved += same_bits(columns_of(before, c, D), columns_of(after, c, D)) ? '.' : 'x';
    return moved;
}

// A layer of self-attention with heads, as a function of its input, for the proof.
Model headed_layer(const Heads& heads, const Mask& mask) {
    return [=](const Matrix& x) {
        const Matrix k = matmul(x, reference("wk" + suffix_of(heads)));
        const Matrix v = matmul(x, reference("wv" + suffix_of(heads)));
        return Lab{matmul(x, reference("wq")), k, v}.attend(heads, mask).output;
    };
}

} // namespace

BOOST_AUTO_TEST_SUITE(heads)

BOOST_AUTO_TEST_CASE(four_two_and_one_group_agree_with_pytorch,
                     *label("mask_removed") * label("mask_one_too_far") * label("scale_left_out") *
                         label("first_columns_taken") * label("groups_dealt_out_in_turn") *
                         label("queries_shared_like_keys") * label("values_of_the_first_group") *
                         label("keys_of_the_first_group") *
                         label("heads_written_over_each_other")) {
    check_close(lab(multi_head).attend(multi_head).output, reference("multi_head"), 1e-12);
    check_close(lab(two_groups).attend(two_groups).output, reference("two_groups"), 1e-12);
    check_close(lab(multi_query).attend(multi_query).output, reference("multi_query"), 1e-12);
}

BOOST_AUTO_TEST_CASE(our_own_stream_for_seed_5_gives_the_lab,
                     *label("mask_removed") * label("mask_one_too_far") * label("scale_left_out") *
                         label("first_columns_taken") * label("groups_dealt_out_in_turn") *
                         label("queries_shared_like_keys") * label("values_of_the_first_group") *
                         label("keys_of_the_first_group") *
                         label("heads_written_over_each_other")) {
    PytorchRandom random(5);
    const Matrix x = random.randn(5, 8);
    const Matrix wq = random.randn(8, 8), wk = random.randn(8, 8), wv = random.randn(8, 8);
    const Matrix wk1 = random.randn(8, 2), wv1 = random.randn(8, 2);
    const Matrix wk2 = random.randn(8, 4), wv2 = random.randn(8, 4);
    const Matrix q = matmul(x, wq);
    const auto output = [&](const Matrix& key, const Matrix& value, const Heads& heads) {
        return Lab{q, matmul(x, key), matmul(x, value)}.attend(heads).output;
    };
    check_close(x, reference("x"), 2e-5);
    check_close(output(wk, wv, multi_head), reference("multi_head"), 2e-5);
    check_close(output(wk1, wv1, multi_query), reference("multi_query"), 2e-5);
    check_close(output(wk2, wv2, two_groups), reference("two_groups"), 2e-5);
}

BOOST_AUTO_TEST_CASE(four_groups_are_multi_head_attention,
                     *label("mask_removed") * label("mask_one_too_far") * label("scale_left_out") *
                         label("maximum_not_subtracted") * label("maximum_starts_at_zero") *
                         label("first_columns_taken") * label("values_of_the_first_group") *
                         label("keys_of_the_first_group")) {
    const Lab four = lab(multi_head);
    BOOST_CHECK(same_bits(four.attend(multi_head).output,
                          written_out_multi_head(four.q, four.k, four.v, 4)));
}

BOOST_AUTO_TEST_CASE(one_group_is_multi_query_attention,
                     *label("mask_removed") * label("mask_one_too_far") * label("scale_left_out") *
                         label("maximum_not_subtracted") * label("maximum_starts_at_zero") *
                         label("first_columns_taken") * label("queries_shared_like_keys") *
                         label("heads_written_over_each_other")) {
    const Lab one = lab(multi_query);
    BOOST_CHECK(
        same_bits(one.attend(multi_query).output, written_out_multi_query(one.q, one.k, one.v)));
}

BOOST_AUTO_TEST_CASE(sharing_keys_is_the_same_as_copying_them,
                     *label("mask_removed") * label("mask_one_too_far") * label("scale_left_out") *
                         label("maximum_not_subtracted") * label("maximum_starts_at_zero") *
                         label("first_columns_taken") * label("groups_dealt_out_in_turn") *
                         label("queries_shared_like_keys") * label("values_of_the_first_group") *
                         label("keys_of_the_first_group") *
                         label("heads_written_over_each_other")) {
    for (const Heads& heads : {multi_head, two_groups, multi_query}) {
        const Lab shared = lab(heads);
        const std::size_t times = heads.count / heads.groups;
        const Lab copied{shared.q, repeated(shared.k, heads.groups, times),
                         repeated(shared.v, heads.groups, times)};
        BOOST_TEST_CONTEXT(heads.groups << " groups") {
            BOOST_CHECK(same_bits(shared.attend(heads).output, copied.attend(multi_head).output));
            BOOST_CHECK(same_bits(shared.attend(heads).output,
                                  written_out_multi_head(copied.q, copied.k, copied.v, 4)));
        }
    }
}

// Six heads in three groups, of an input that has no symmetry to hide behind.
BOOST_AUTO_TEST_CASE(neighbouring_heads_share_a_group,
                     *label("mask_removed") * label("mask_one_too_far") * label("scale_left_out") *
                         label("maximum_not_subtracted") * label("first_columns_taken") *
                         label("groups_dealt_out_in_turn") * label("queries_shared_like_keys") *
                         label("values_of_the_first_group") * label("keys_of_the_first_group") *
                         label("heads_written_over_each_other")) {
    const Heads heads{.count = 6, .groups = 3};
    std::vector<std::size_t> groups;
    for (std::size_t h = 0; h < 6; ++h)
        groups.push_back(heads.group_of(h));
    BOOST_CHECK((groups == std::vector<std::size_t>{0, 0, 1, 1, 2, 2}));
    PytorchRandom random(3);
    const Lab six{random.randn(4, 12), random.randn(4, 6), random.randn(4, 6)};
    BOOST_CHECK(
        same_bits(six.attend(heads).output,
                  written_out_multi_head(six.q, repeated(six.k, 3, 2), repeated(six.v, 3, 2), 6)));
}

BOOST_AUTO_TEST_CASE(one_head_is_attend) {
    const Lab one = lab(multi_head);
    const std::vector<int> positions = positions_from(0, 5);
    for (const Mask& mask : {Mask{}, Mask{.causal = false}, Mask{.causal = true, .window = 2}}) {
        const HeadedAttention headed = one.attend(Heads{}, mask);
        const Attention plain = attend(one.q, one.k, one.v, positions, positions, mask);
        BOOST_CHECK(same_bits(headed.output, plain.output));
        BOOST_REQUIRE_EQUAL(headed.weights.size(), 1U);
        BOOST_CHECK(same_bits(headed.weights[0], plain.weights));
        BOOST_CHECK_EQUAL(headed.scores_read, plain.scores_read);
    }
}

// Lesson 19 by hand: one head finds two keys that fit equally well, two heads find one each.
BOOST_AUTO_TEST_CASE(two_heads_read_two_places_by_hand,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("maximum_not_subtracted") * label("first_columns_taken") *
                         label("values_of_the_first_group") * label("keys_of_the_first_group")) {
    const Matrix q{{0, 0}, {1000, 1000}}, k{{1, 0}, {0, 1}}, v{{10, 100}, {20, 200}};
    const Lab hand{q, k, v};
    BOOST_CHECK(same_bits(hand.attend({1, 1}).output, {{10, 100}, {15, 150}}));
    const HeadedAttention two = hand.attend({2, 2});
    BOOST_CHECK(same_bits(two.output, {{10, 100}, {10, 200}}));
    BOOST_CHECK(same_bits(two.weights[0], {{1, 0}, {1, 0}}));
    BOOST_CHECK(same_bits(two.weights[1], {{1, 0}, {0, 1}}));
}

// D = 4 of 8 channels: the score 2 ln 3 / sqrt(4) is ln 3, so the keys share as 3 to 1.
BOOST_AUTO_TEST_CASE(scores_are_divided_by_the_root_of_the_width_of_a_head,
                     *label("scale_left_out") * label("first_columns_taken") *
                         label("keys_of_the_first_group")) {
    Matrix q(1, 8), k(2, 8);
    q(0, 5) = 2 * std::log(3.0);
    k(0, 5) = 1;
    const HeadedAttention both =
        Lab{q, k, Matrix(2, 8)}.attend({.count = 2, .groups = 2}, {.causal = false});
    check_close(both.weights[0], {{0.5, 0.5}}, 1e-15);
    check_close(both.weights[1], {{0.75, 0.25}}, 1e-15);
}

BOOST_AUTO_TEST_CASE(one_position_hands_every_head_its_groups_value,
                     *label("first_columns_taken") * label("groups_dealt_out_in_turn") *
                         label("values_of_the_first_group") *
                         label("heads_written_over_each_other")) {
    const Lab single{{{1, 2, 3, 4, 5, 6, 7, 8}}, {{9, 9, 9, 9}}, {{10, 20, 30, 40}}};
    const HeadedAttention attention = single.attend(two_groups);
    BOOST_CHECK(same_bits(attention.output, {{10, 20, 10, 20, 30, 40, 30, 40}}));
    for (const Matrix& weights : attention.weights)
        BOOST_CHECK(same_bits(weights, Matrix{{1}}));
}

BOOST_AUTO_TEST_CASE(a_head_may_be_one_channel_wide,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("maximum_not_subtracted") * label("maximum_starts_at_zero") *
                         label("first_columns_taken") * label("queries_shared_like_keys") *
                         label("values_of_the_first_group") * label("keys_of_the_first_group") *
                         label("heads_written_over_each_other")) {
    const Lab four = lab(multi_head);
    const Heads eight{.count = 8, .groups = 8};
    BOOST_CHECK(
        same_bits(four.attend(eight).output, written_out_multi_head(four.q, four.k, four.v, 8)));
    const Lab thin{four.q, columns_of(four.k, 0, 1), columns_of(four.v, 0, 1)};
    BOOST_CHECK(same_bits(thin.attend({.count = 8, .groups = 1}).output,
                          written_out_multi_query(thin.q, thin.k, thin.v)));
}

BOOST_AUTO_TEST_CASE(every_head_has_its_own_weights_and_each_row_sums_to_1,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("first_columns_taken") * label("queries_shared_like_keys")) {
    const HeadedAttention attention = lab(two_groups).attend(two_groups);
    BOOST_REQUIRE_EQUAL(attention.weights.size(), 4U);
    for (const Matrix& weights : attention.weights)
        for (std::size_t t = 0; t < 5; ++t) {
            double sum = 0.0;
            for (std::size_t s = 0; s < 5; ++s) {
                sum += weights(t, s);
                BOOST_TEST(same_bits(weights(t, s), 0.0) == (s > t), "t" << t << " s" << s);
            }
            BOOST_TEST(std::abs(sum - 1) < 1e-15);
        }
    for (std::size_t h = 1; h < 4; ++h)
        BOOST_TEST(max_abs_difference(attention.weights[0], attention.weights[h]) > 0.1);
}

BOOST_AUTO_TEST_CASE(the_scores_of_all_heads_are_counted,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("window_one_too_wide") * label("last_head_counted_alone")) {
    BOOST_CHECK_EQUAL(lab(two_groups).attend(two_groups).scores_read, 4U * 15U);
    const Mask window{.causal = true, .window = 2};
    BOOST_CHECK_EQUAL(lab(two_groups).attend(two_groups, window).scores_read, 4U * 9U);
}

BOOST_AUTO_TEST_CASE(a_window_holds_for_every_head,
                     *label("mask_removed") * label("mask_one_too_far") * label("scale_left_out") *
                         label("maximum_not_subtracted") * label("window_one_too_wide") *
                         label("value_of_the_wrong_key") * label("first_columns_taken") *
                         label("groups_dealt_out_in_turn") * label("queries_shared_like_keys") *
                         label("values_of_the_first_group") * label("keys_of_the_first_group") *
                         label("heads_written_over_each_other")) {
    const Mask window{.causal = true, .window = 2};
    const Lab two = lab(two_groups);
    const HeadedAttention attention = two.attend(two_groups, window);
    BOOST_CHECK(same_bits(
        attention.output,
        written_out_multi_head(two.q, repeated(two.k, 2, 2), repeated(two.v, 2, 2), 4, 2)));
    for (const Matrix& weights : attention.weights)
        for (std::size_t t = 0; t < 5; ++t)
            for (std::size_t s = 0; s < 5; ++s)
                BOOST_TEST(same_bits(weights(t, s), 0.0) == (s > t || t - s >= 2));
}

// Three positions are cached, two are new: the new queries keep their places 3 and 4.
BOOST_AUTO_TEST_CASE(a_cached_chunk_gives_the_bits_of_the_full_run,
                     *label("mask_removed") * label("mask_one_too_far")) {
    for (const Heads& heads : {multi_head, two_groups, multi_query}) {
        const Lab all = lab(heads);
        const HeadedAttention full = all.attend(heads);
        const HeadedAttention chunk =
            attend_heads(rows_of(all.q, 3, 2), all.k, all.v, heads, positions_from(3, 2),
                         positions_from(0, 5), Mask{});
        BOOST_CHECK(same_bits(chunk.output, rows_of(full.output, 3, 2)));
        for (std::size_t h = 0; h < 4; ++h)
            BOOST_CHECK(same_bits(chunk.weights[h], rows_of(full.weights[h], 3, 2)));
        for (std::size_t t = 0; t < 5; ++t) { // token by token
            const HeadedAttention one = attend_heads(
                rows_of(all.q, t, 1), rows_of(all.k, 0, t + 1), rows_of(all.v, 0, t + 1), heads,
                {static_cast<int>(t)}, positions_from(0, t + 1), Mask{});
            BOOST_CHECK(same_bits(one.output.row(0), full.output.row(t)));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_nan_in_the_future_reaches_no_head_of_the_past,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("first_columns_taken") * label("groups_dealt_out_in_turn") *
                         label("values_of_the_first_group") * label("keys_of_the_first_group") *
                         label("heads_written_over_each_other")) {
    const Lab clean = lab(two_groups);
    const Matrix before = clean.attend(two_groups).output;
    for (const double poison : {NaN, infinity, -infinity})
        for (std::size_t s = 1; s < 5; ++s)
            for (std::size_t c = 0; c < 4; ++c) {
                Lab bad = clean;
                bad.k(s, c) = bad.v(s, c) = poison;
                const Matrix after = bad.attend(two_groups).output;
                BOOST_TEST_CONTEXT(poison << " at position " << s << ", column " << c) {
                    BOOST_CHECK(same_bits(rows_of(after, 0, s), rows_of(before, 0, s)));
                    BOOST_TEST(moved_heads(rows_of(before, s, 1), rows_of(after, s, 1), 2) ==
                               (c < 2 ? "xx.." : "..xx"));
                }
            }
}

BOOST_AUTO_TEST_CASE(other_queries_of_one_head_move_that_head_alone,
                     *label("first_columns_taken") * label("queries_shared_like_keys") *
                         label("heads_written_over_each_other")) {
    const Lab two = lab(two_groups);
    const Matrix before = two.attend(two_groups).output;
    const std::vector<std::string> wanted{"x...", ".x..", "..x.", "...x"};
    for (std::size_t h = 0; h < 4; ++h) {
        const Lab other{with_other_columns(two.q, 2 * h, 2), two.k, two.v};
        BOOST_TEST(moved_heads(before, other.attend(two_groups).output, 2) == wanted[h]);
    }
}

BOOST_AUTO_TEST_CASE(other_keys_or_values_of_a_group_move_its_heads_alone,
                     *label("first_columns_taken") * label("groups_dealt_out_in_turn") *
                         label("values_of_the_first_group") * label("keys_of_the_first_group") *
                         label("heads_written_over_each_other")) {
    const Lab two = lab(two_groups);
    const Matrix before = two.attend(two_groups).output;
    for (std::size_t c = 0; c < 4; ++c) {
        const Lab keys{two.q, with_other_columns(two.k, c, 1), two.v};
        const Lab values{two.q, two.k, with_other_columns(two.v, c, 1)};
        const std::string wanted = c < 2 ? "xx.." : "..xx";
        BOOST_TEST(moved_heads(before, keys.attend(two_groups).output, 2) == wanted);
        BOOST_TEST(moved_heads(before, values.attend(two_groups).output, 2) == wanted);
    }
}

BOOST_AUTO_TEST_CASE(a_layer_with_heads_is_causal_whoever_shares_keys,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("proof_forgets_the_position_before")) {
    const Matrix x = reference("x"), replacement(1, 8, 1.5);
    for (const Heads& heads : {multi_head, two_groups, multi_query})
        for (std::size_t position = 0; position < 5; ++position) {
            const Intervention causal =
                intervene(headed_layer(heads, Mask{}), x, position, replacement);
            BOOST_CHECK(!first_move_in_the_past(causal));
            BOOST_CHECK(present_moved(causal));
            const Intervention open =
                intervene(headed_layer(heads, {.causal = false}), x, position, replacement);
            BOOST_CHECK(first_move_in_the_past(open).has_value() == (position > 0));
        }
}

BOOST_AUTO_TEST_CASE(fewer_groups_are_a_smaller_cache,
                     *label("only_keys_cached") * label("every_head_cached") *
                         label("groups_not_checked") * label("heads_not_checked")) {
    BOOST_CHECK_EQUAL(cached_numbers(5, 8, multi_head), 80U);
    BOOST_CHECK_EQUAL(cached_numbers(5, 8, two_groups), 40U);
    BOOST_CHECK_EQUAL(cached_numbers(5, 8, multi_query), 20U);
    BOOST_CHECK_EQUAL(cached_numbers(0, 8, multi_head), 0U);
    for (const Heads& heads : {multi_head, two_groups, multi_query}) {
        const Lab all = lab(heads);
        BOOST_CHECK_EQUAL(cached_numbers(5, 8, heads), all.k.values.size() + all.v.values.size());
    }
    check_message([] { cached_numbers(5, 8, {.count = 3, .groups = 1}); }, {"3 heads"});
    check_message([] { cached_numbers(5, 8, {.count = 4, .groups = 3}); }, {"3 groups"});
}

BOOST_AUTO_TEST_CASE(numbers_of_heads_that_do_not_divide_name_the_nearest_that_do,
                     *label("groups_not_checked") * label("nearest_divisor_not_looked_for") *
                         label("next_divisor_not_looked_for") * label("heads_not_checked")) {
    struct Case {
        std::size_t channels;
        Heads heads;
        std::string message;
    };
    const std::vector<Case> cases{
        {1600, {48, 48}, "Heads: 48 heads do not divide 1600 channels; 40 and 50 do"},
        {8, {3, 1}, "Heads: 3 heads do not divide 8 channels; 2 and 4 do"},
        {8, {7, 1}, "Heads: 7 heads do not divide 8 channels; 4 and 8 do"},
        {7, {2, 1}, "Heads: 2 heads do not divide 7 channels; 1 and 7 do"},
        {8, {9, 1}, "Heads: 9 heads for 8 channels; wanted at most 8"},
        {1, {2, 1}, "Heads: 2 heads for 1 channel; wanted at most 1"},
        {8, {0, 1}, "Heads: 0 heads; wanted at least 1"},
        {8, {4, 3}, "Heads: 3 groups do not divide 4 heads; 2 and 4 do"},
        {64, {32, 12}, "Heads: 12 groups do not divide 32 heads; 8 and 16 do"},
        {8, {4, 8}, "Heads: 8 groups for 4 heads; wanted at most 4"},
        {8, {1, 2}, "Heads: 2 groups for 1 head; wanted at most 1"},
        {8, {4, 0}, "Heads: 0 groups; wanted at least 1"}};
    for (const Case& wrong : cases) {
        const Matrix m(2, wrong.channels);
        const auto attend_it = [&] { Lab{m, m, m}.attend(wrong.heads); };
        BOOST_CHECK_THROW(attend_it(), std::invalid_argument);
        BOOST_CHECK_EQUAL(message_of(attend_it), wrong.message);
    }
}

BOOST_AUTO_TEST_CASE(a_group_is_asked_for_a_head_that_exists,
                     *label("groups_dealt_out_in_turn") * label("groups_not_checked")) {
    BOOST_CHECK_THROW(multi_head.group_of(4), std::out_of_range);
    check_message([] { multi_head.group_of(4); }, {"no head 4 among 4 heads; they count from 0"});
    check_message([] { multi_head.group_of(static_cast<std::size_t>(-1)); },
                  {"no head -1 among 4 heads"});
    check_message([] { Heads{.count = static_cast<std::size_t>(-1)}.width(8); },
                  {"Heads: -1 heads for 8 channels"});
    check_message([] { Heads{4, 0}.group_of(0); }, {"0 groups"});
    check_message([] { Heads{4, 8}.group_of(0); }, {"8 groups for 4 heads"});
}

BOOST_AUTO_TEST_CASE(keys_and_values_of_another_width_say_what_they_fit,
                     *label("wider_keys_accepted") * label("impossible_groups_suggested")) {
    const Matrix q(5, 8), wide(5, 8), narrow(5, 4);
    const auto refused = [](const Lab& wrong, const Heads& heads, const std::string& message) {
        BOOST_CHECK_THROW(wrong.attend(heads), std::invalid_argument);
        BOOST_CHECK_EQUAL(message_of([&] { wrong.attend(heads); }), message);
    };
    refused({q, wide, wide}, two_groups,
            "attend_heads: k has 8 columns, wanted 4, 2 for each of 2 groups; this fits .groups = "
            "4");
    refused({q, narrow, wide}, two_groups,
            "attend_heads: v has 8 columns, wanted 4, 2 for each of 2 groups; this fits .groups = "
            "4");
    refused({q, narrow, narrow}, multi_query,
            "attend_heads: k has 4 columns, wanted 2, 2 for each of 1 group; this fits .groups = "
            "2");
    for (const std::size_t width : {1U, 3U, 6U, 16U}) // no group of four heads, or no whole columns
        check_message(
            [&] {
                Lab{q, Matrix(5, width), narrow}.attend(two_groups);
            },
            {"wanted 4, 2 for each of 2 groups; its weight matrix must have as many"});
}

BOOST_AUTO_TEST_CASE(rows_that_fit_no_position_and_empty_matrices_are_refused) {
    const Matrix q(2, 8), k(3, 4);
    const auto refused = [&](const Matrix& q_, const Matrix& k_, const Matrix& v_,
                             const std::string& message) {
        check_message(
            [&] {
                attend_heads(q_, k_, v_, two_groups, {1, 2}, {0, 1, 2}, Mask{});
            },
            {message});
    };
    refused(Matrix(3, 8), k, k, "attend_heads: q (one row per query position) is 3x8, wanted 2x8");
    refused(q, Matrix(2, 4), k, "attend_heads: k (one row per key position) is 2x4, wanted 3x4");
    refused(q, k, Matrix(4, 4), "attend_heads: v (one row per key position) is 4x4, wanted 3x4");
    refused(Matrix(2, 0), k, k, "attend_heads: q is 2x0, an empty matrix");
    refused(q, Matrix(3, 0), k, "attend_heads: k is 3x0, an empty matrix");
    Matrix gone = k;
    const Matrix taken = std::move(gone);
    refused(q, k, gone, "attend_heads: v is 3x4 with 0 numbers; was it moved from");
}

BOOST_AUTO_TEST_SUITE_END()
