// Attention: by hand, against the reference, and against the matrix form, which shares no loop.
#include "model/attention.hpp"
#include "support.hpp"

using namespace glassbox;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double NaN = std::numeric_limits<double>::quiet_NaN();

Matrix reference(const std::string& name) {
    return golden("operations", "attention_" + name);
}

// Every position of q asks, every position of k may be read, both counted from 0.
Attention attend_all(const Matrix& q, const Matrix& k, const Matrix& v, const Mask& mask) {
    return attend(q, k, v, positions_from(0, q.rows), positions_from(0, k.rows), mask);
}

Attention attend_golden(const Mask& mask) {
    return attend_all(reference("q"), reference("k"), reference("v"), mask);
}

void check_golden(const Attention& attention, const std::string& name) {
    check_close(attention.output, reference(name + "_out"), 1e-12);
    check_close(attention.weights, reference(name + "_weights"), 1e-12);
}

} // namespace

BOOST_AUTO_TEST_SUITE(attention)

BOOST_AUTO_TEST_CASE(unmasked_attention_agrees_with_the_reference, *label("scale_left_out")) {
    check_golden(attend_golden({.causal = false}), "unmasked");
}

BOOST_AUTO_TEST_CASE(causal_attention_agrees_with_the_reference,
                     *label("mask_removed") * label("mask_one_too_far") * label("scale_left_out")) {
    check_golden(attend_golden({.causal = true}), "causal");
}

BOOST_AUTO_TEST_CASE(windowed_attention_agrees_with_the_reference,
                     *label("window_one_too_wide") * label("value_of_the_wrong_key") *
                         label("mask_removed") * label("mask_one_too_far") *
                         label("scale_left_out")) {
    check_golden(attend_golden({.causal = true, .window = 4}), "window4");
}

// Lesson 05: all scores are 0, so every key that may be read gets the same share.
BOOST_AUTO_TEST_CASE(two_equal_keys_by_hand, *label("mask_removed") * label("mask_one_too_far")) {
    const Attention causal = attend_all({{0, 0}, {0, 0}}, Matrix(2, 2), {{2, 4}, {6, 8}}, Mask{});
    BOOST_CHECK(same_bits(causal.weights, {{1, 0}, {0.5, 0.5}}));
    BOOST_CHECK(same_bits(causal.output, {{2, 4}, {4, 6}}));
}

BOOST_AUTO_TEST_CASE(two_equal_keys_without_a_mask_by_hand) {
    const Attention open =
        attend_all(Matrix(2, 2), Matrix(2, 2), {{2, 4}, {6, 8}}, {.causal = false});
    BOOST_CHECK(same_bits(open.weights, {{0.5, 0.5}, {0.5, 0.5}}));
    BOOST_CHECK(same_bits(open.output, {{4, 6}, {4, 6}}));
}

// D = 4: the score 2 ln 3 / sqrt(4) is ln 3, so the keys share as 3 to 1.
BOOST_AUTO_TEST_CASE(scores_are_divided_by_the_root_of_the_width, *label("scale_left_out")) {
    const Matrix q{{0, 2 * std::log(3.0), 0, 0}}, k{{0, 1, 0, 0}, {1, 0, 1, 1}};
    const Attention mixed = attend_all(q, k, {{4}, {8}}, {.causal = false});
    check_close(mixed.weights, {{0.75, 0.25}}, 1e-15);
    check_close(mixed.output, {{5}}, 1e-15);
}

BOOST_AUTO_TEST_CASE(a_window_of_one_hands_every_position_its_own_value,
                     *label("window_one_too_wide") * label("value_of_the_wrong_key") *
                         label("mask_removed") * label("mask_one_too_far")) {
    const Matrix v{{1, 2}, {3, 4}, {5, 6}};
    BOOST_CHECK(same_bits(attend_all(v, v, v, {.causal = true, .window = 1}).output, v));
}

BOOST_AUTO_TEST_CASE(one_key_gets_all_the_weight) {
    const Attention attention = attend_all({{3, -1}}, {{2, 5}}, {{0.1, -7, 1e300}}, Mask{});
    BOOST_CHECK(same_bits(attention.weights, Matrix{{1}}));
    BOOST_CHECK(same_bits(attention.output, {{0.1, -7, 1e300}}));
}

BOOST_AUTO_TEST_CASE(large_scores_stay_finite, *label("maximum_not_subtracted")) {
    const Matrix huge(2, 2, 10000);
    const Attention attention = attend_all(huge, huge, {{2, 4}, {6, 8}}, {.causal = false});
    BOOST_CHECK(same_bits(attention.weights, {{0.5, 0.5}, {0.5, 0.5}}));
    BOOST_CHECK(same_bits(attention.output, {{4, 6}, {4, 6}}));
}

BOOST_AUTO_TEST_CASE(a_weight_is_exactly_zero_where_nothing_was_read,
                     *label("window_one_too_wide") * label("mask_removed") *
                         label("mask_one_too_far")) {
    const Matrix weights = attend_golden({.causal = true, .window = 4}).weights;
    for (std::size_t t = 0; t < weights.rows; ++t)
        for (std::size_t s = 0; s < weights.cols; ++s) {
            const bool readable = s <= t && t - s < 4;
            BOOST_TEST(same_bits(weights(t, s), 0.0) != readable, "t" << t << " s" << s);
        }
}

// Fill the forbidden scores with -infinity, softmax the rows, multiply by the values.
BOOST_AUTO_TEST_CASE(the_matrix_form_has_the_same_bits,
                     *label("mask_removed") * label("mask_one_too_far") * label("scale_left_out")) {
    const Matrix q = reference("q"), k = reference("k"), v = reference("v");
    Matrix scores = matmul(q, transpose(k));
    for (std::size_t t = 0; t < scores.rows; ++t)
        for (std::size_t s = 0; s < scores.cols; ++s)
            scores(t, s) = s > t ? -infinity : scores(t, s) / std::sqrt(6.0);
    const Matrix weights = softmax_rows(scores);
    const Attention loop = attend_all(q, k, v, Mask{});
    BOOST_CHECK(same_bits(loop.weights, weights));
    BOOST_CHECK(same_bits(loop.output, matmul(weights, v)));
}

BOOST_AUTO_TEST_CASE(a_nan_that_may_not_be_read_never_reaches_the_output,
                     *label("mask_removed") * label("mask_one_too_far")) {
    const Matrix q = reference("q"), k = reference("k"), v = reference("v");
    const Attention clean = attend_all(q, k, v, Mask{});
    for (const double poison : {NaN, infinity, -infinity})
        for (std::size_t s = 1; s < k.rows; ++s) {
            Matrix bad_k = k, bad_v = v;
            bad_k(s, 2) = bad_v(s, 3) = poison;
            const Attention attention = attend_all(q, bad_k, bad_v, Mask{});
            BOOST_TEST_CONTEXT(poison << " in key and value " << s) {
                BOOST_CHECK(
                    same_bits(rows_of(attention.output, 0, s), rows_of(clean.output, 0, s)));
                BOOST_CHECK(
                    same_bits(rows_of(attention.weights, 0, s), rows_of(clean.weights, 0, s)));
                BOOST_CHECK(!same_bits(attention.output.row(s), clean.output.row(s)));
            }
        }
}

// Five positions are known, three are new: the new queries keep their places 5, 6 and 7.
BOOST_AUTO_TEST_CASE(late_queries_give_the_bits_of_the_full_run) {
    const Matrix q = rows_of(reference("q"), 0, 8), k = rows_of(reference("k"), 0, 8),
                 v = rows_of(reference("v"), 0, 8);
    const Attention full = attend_all(q, k, v, Mask{});
    const Attention late =
        attend(rows_of(q, 5, 3), k, v, positions_from(5, 3), positions_from(0, 8), Mask{});
    BOOST_CHECK(same_bits(late.output, rows_of(full.output, 5, 3)));
    BOOST_CHECK(same_bits(late.weights, rows_of(full.weights, 5, 3)));
}

BOOST_AUTO_TEST_CASE(late_queries_numbered_from_zero_go_wrong, *label("mask_removed")) {
    const Matrix q = reference("q"), k = reference("k"), v = reference("v");
    const Attention full = attend_all(q, k, v, Mask{});
    const Attention wrong =
        attend(rows_of(q, 5, 3), k, v, positions_from(0, 3), positions_from(0, 11), Mask{});
    BOOST_TEST(max_abs_difference(wrong.output, rows_of(full.output, 5, 3)) > 0.1);
}

BOOST_AUTO_TEST_CASE(a_query_that_may_read_nothing_is_refused, *label("mask_removed")) {
    const Matrix q(1, 2), kv(3, 2);
    check_message(
        [&] {
            attend(q, kv, kv, {9}, {0, 1, 2}, {.window = 4});
        }, // all too old
        {"attend: the query at position 9 may read none of the 3 keys"});
    check_message(
        [&] {
            attend(q, kv, kv, {4}, {6, 7, 8}, Mask{});
        }, // all in the future
        {"attend: the query at position 4 may read none of the 3 keys", "at least one"});
}

BOOST_AUTO_TEST_CASE(shapes_that_do_not_fit_are_refused) {
    const Matrix q(2, 4), k(3, 4), v(3, 5);
    const auto refused = [](const Matrix& q_, const Matrix& k_, const Matrix& v_,
                            const std::string& message) {
        check_message([&] { attend(q_, k_, v_, {0, 1}, {0, 1, 2}, Mask{}); }, {message});
    };
    refused(Matrix(1, 4), k, v, "attend: q (one row per query position) is 1x4, wanted 2x4");
    refused(q, Matrix(2, 4), v, "attend: k (one row per key position) is 2x4, wanted 3x4");
    refused(q, Matrix(3, 6), v, "attend: k (one row per key position) is 3x6, wanted 3x4");
    refused(q, k, Matrix(4, 5), "attend: v (one row per key position) is 4x5, wanted 3x5");
    refused(Matrix(2, 0), Matrix(3, 0), v, "attend: q is 2x0, an empty matrix");
    refused(q, k, Matrix(3, 0), "attend: v is 3x0, an empty matrix");
    const Attention fits = attend(q, k, v, {0, 1}, {0, 1, 2}, Mask{});
    BOOST_TEST(shape_text(fits.output) == "2x5");
    BOOST_TEST(shape_text(fits.weights) == "2x3");
}

BOOST_AUTO_TEST_SUITE_END()
