// The operations that treat every row alone: by hand, and against PyTorch's and NumPy's numbers.
#include "model/mask.hpp"
#include "model/operations.hpp"
#include "numbers/random.hpp"
#include "support.hpp"

using namespace glassbox;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double NaN = std::numeric_limits<double>::quiet_NaN();

const std::vector<int> places{2, 5, 9, 14, 20};

Matrix reference(const std::string& name) {
    return golden("operations", name);
}

Matrix plain_norm(const Matrix& x, double epsilon = 1e-5) {
    return layer_norm(x, Matrix(1, x.cols, 1.0), Matrix(1, x.cols, 0.0), epsilon);
}

} // namespace

BOOST_AUTO_TEST_SUITE(operations)

BOOST_AUTO_TEST_CASE(softmax_agrees_with_the_reference) {
    check_close(softmax_rows(reference("softmax_in")), reference("softmax_out"), 1e-12);
}

BOOST_AUTO_TEST_CASE(a_score_of_minus_infinity_gets_exactly_nothing) {
    const Matrix scores = reference("softmax_masked_in");
    const Matrix weights = softmax_rows(scores);
    check_close(weights, reference("softmax_masked_out"), 1e-12);
    for (std::size_t i = 0; i < scores.values.size(); ++i)
        BOOST_CHECK(same_bits(weights.values[i], 0.0) == (scores.values[i] == -infinity));
}

BOOST_AUTO_TEST_CASE(softmax_of_huge_scores_agrees_with_the_reference,
                     *label("maximum_not_subtracted")) {
    check_close(softmax_rows(reference("softmax_large_in")), reference("softmax_large_out"), 1e-12);
}

BOOST_AUTO_TEST_CASE(softmax_shares_one_by_hand) {
    BOOST_CHECK(same_bits(softmax_rows({{5, 5}, {-2, -2}}), {{0.5, 0.5}, {0.5, 0.5}}));
    check_close(softmax_rows({{0, std::log(3.0)}}), {{0.25, 0.75}}, 1e-15); // 1 and 3, out of 4
}

BOOST_AUTO_TEST_CASE(a_single_key_gets_exactly_one,
                     *label("maximum_starts_at_zero") * label("maximum_not_subtracted")) {
    BOOST_CHECK(same_bits(softmax_rows({{0.3}, {1e5}, {-1e5}, {0}}), Matrix(4, 1, 1.0)));
}

BOOST_AUTO_TEST_CASE(adding_a_constant_to_a_row_changes_no_bit,
                     *label("maximum_starts_at_zero") * label("maximum_not_subtracted")) {
    const Matrix weights = softmax_rows({{1, 2, 4}, {1001, 1002, 1004}, {-1e5, -99999, -99997}});
    BOOST_CHECK(same_bits(weights.row(1), weights.row(0)));
    BOOST_CHECK(same_bits(weights.row(2), weights.row(0)));
}

BOOST_AUTO_TEST_CASE(softmax_over_nothing_is_refused) {
    check_message([] { softmax({}); }, {"softmax: all 0 scores are -infinity"});
    const Matrix scores{{0, 1}, {-infinity, -infinity}};
    check_message([&] { softmax_rows(scores); },
                  {"softmax_rows: row 1: ", "all 2 scores are -infinity", "wanted at least one"});
    check_message([] { softmax_rows(Matrix(0, 3)); }, {"softmax_rows: scores is 0x3", "empty"});
}

BOOST_AUTO_TEST_CASE(a_nan_or_plus_infinity_spoils_its_own_row_alone) {
    const Matrix weights =
        softmax_rows({{0, NaN, 1}, {0, 0, -infinity}, {0, infinity, 1}, {-infinity, NaN, NaN}});
    for (const std::size_t row : {0U, 2U, 3U})
        for (const double weight : weights.row(row))
            BOOST_CHECK(std::isnan(weight));
    BOOST_CHECK(same_bits(rows_of(weights, 1, 1), {{0.5, 0.5, 0}}));
}

BOOST_AUTO_TEST_CASE(gelu_agrees_with_the_reference, *label("tanh_gelu")) {
    check_close(gelu(reference("gelu_in")), reference("gelu_out"), 1e-12);
}

BOOST_AUTO_TEST_CASE(gelu_tanh_agrees_with_the_reference) {
    check_close(gelu_tanh(reference("gelu_in")), reference("gelu_tanh_out"), 1e-12);
}

// Phi from a table of the normal distribution: Phi(1) = 0.8413447460685429 and so on.
BOOST_AUTO_TEST_CASE(gelu_is_x_times_the_share_of_normal_numbers_below_x, *label("tanh_gelu")) {
    check_close(gelu(Matrix{{0.5, 1, -1, 2}}),
                {{0.5 * 0.6914624612740131, 0.8413447460685429, -0.1586552539314571,
                  2 * 0.9772498680518208}},
                1e-15);
}

BOOST_AUTO_TEST_CASE(the_two_forms_of_gelu_differ_but_by_less_than_a_thousandth,
                     *label("tanh_gelu")) {
    const Matrix x{{-3, -2, -1, -0.5, 0.5, 1, 2, 3}};
    const double difference = max_abs_difference(gelu(x), gelu_tanh(x));
    BOOST_TEST(difference > 1e-4);
    BOOST_TEST(difference < 1e-3);
}

BOOST_AUTO_TEST_CASE(gelu_is_exact_at_its_edges) {
    const double smallest = std::numeric_limits<double>::denorm_min();
    for (const auto function : {+[](double x) { return gelu(x); }, &gelu_tanh}) {
        BOOST_CHECK(same_bits(function(40.0), 40.0));
        BOOST_CHECK(same_bits(function(-40.0), -0.0));
        BOOST_CHECK(same_bits(function(0.0), 0.0));
        BOOST_CHECK(same_bits(function(-0.0), -0.0));
        for (const double x : {4 * smallest, -2 * smallest, 6e-310, -1e-308})
            BOOST_CHECK(same_bits(function(x), x / 2));
        BOOST_CHECK(same_bits(function(infinity), infinity));
        BOOST_CHECK(std::isnan(function(-infinity)));
        BOOST_CHECK(std::isnan(function(NaN)));
    }
}

BOOST_AUTO_TEST_CASE(tanh_of_half_the_logarithm_of_three_is_one_half) {
    const double x = std::log(3.0) / 2; // (3 - 1) / (3 + 1)
    check_close(tanh(Matrix{{x}, {-x}, {0.25}}), {{0.5}, {-0.5}, {0.24491866240370913}}, 1e-15);
    BOOST_CHECK(same_bits(tanh(Matrix{{-0.0, 40, -infinity}}), {{-0.0, 1, -1}}));
    BOOST_CHECK(std::isnan(tanh(Matrix{{NaN}})(0, 0)));
}

BOOST_AUTO_TEST_CASE(layer_norm_agrees_with_the_reference,
                     *label("epsilon_outside_root") * label("variance_by_n_minus_1")) {
    const Matrix x = reference("layer_norm_in"); // its last row is constant
    check_close(plain_norm(x), reference("layer_norm_plain_out"), 1e-12);
    check_close(layer_norm(x, reference("layer_norm_gain"), reference("layer_norm_bias")),
                reference("layer_norm_out"), 1e-12);
}

BOOST_AUTO_TEST_CASE(the_variance_divides_by_the_width, *label("variance_by_n_minus_1")) {
    BOOST_CHECK(same_bits(plain_norm({{1, 3}, {8, 0}}, 0.0), {{-1, 1}, {1, -1}}));
    BOOST_CHECK(same_bits(plain_norm(Matrix{{7}}), Matrix{{0}})); // by 0 it would be 0/0
}

BOOST_AUTO_TEST_CASE(epsilon_stands_inside_the_root,
                     *label("epsilon_outside_root") * label("variance_by_n_minus_1")) {
    BOOST_CHECK(same_bits(plain_norm({{1, 3}}, 3.0), {{-0.5, 0.5}})); // 1 / sqrt(1 + 3)
    const double expected = 1 / std::sqrt(11.0); // variance 1e-6: 0.001 / sqrt(1e-6 + 1e-5)
    check_close(plain_norm({{0, 0.002}}), {{-expected, expected}}, 1e-12);
}

BOOST_AUTO_TEST_CASE(gain_stretches_and_bias_moves_after_normalising) {
    const Matrix x{{4, 4, 4}, {-7, -7, -7}}; // constant rows: normalised to 0, not to 0/0
    BOOST_CHECK(same_bits(layer_norm(x, {{9, 9, 9}}, {{1, 2, 3}}), {{1, 2, 3}, {1, 2, 3}}));
    const Matrix y{{-5, 1, 4}};
    const Matrix plain = plain_norm(y), stretched = layer_norm(y, {{2, -4, 8}}, Matrix(1, 3));
    for (const std::size_t c : {0U, 1U, 2U})
        BOOST_CHECK(same_bits(stretched(0, c), plain(0, c) * Matrix{{2, -4, 8}}(0, c)));
}

BOOST_AUTO_TEST_CASE(layer_norm_refuses_what_does_not_fit) {
    const Matrix x(2, 3), ones(1, 3, 1.0);
    check_message([&] { layer_norm(x, Matrix(1, 4), ones); }, {"layer_norm: gain is 1x4", "1x3"});
    check_message([&] { layer_norm(x, ones, Matrix(1, 2)); }, {"layer_norm: bias is 1x2", "1x3"});
    check_message([&] { layer_norm(Matrix(0, 3), ones, ones); }, {"layer_norm: x is 0x3", "empty"});
}

// Lesson 07: one row through forty matrices, with and without norm and residual.
BOOST_AUTO_TEST_CASE(forty_layers_keep_the_length_that_pytorch_found,
                     *label("variance_by_n_minus_1")) {
    PytorchRandom random(17);
    Matrix plain = random.randn(1, 16), residual = plain;
    check_close(plain, golden("labs", "norm_x0"), 2e-5);
    Matrix plain_lengths(1, 40), residual_lengths(1, 40);
    for (std::size_t layer = 0; layer < 40; ++layer) {
        const Matrix w = random.randn(16, 16) * 0.4; // 1.6 / sqrt(16)
        if (layer == 0)
            check_close(w, golden("labs", "norm_first_matrix"), 2e-5);
        plain = matmul(plain, w);
        residual = residual + matmul(plain_norm(residual), w);
        plain_lengths(0, layer) = std::sqrt(dot(plain.row(0), plain.row(0)));
        residual_lengths(0, layer) = std::sqrt(dot(residual.row(0), residual.row(0)));
    }
    check_close(plain_lengths, golden("labs", "norm_plain"), 2e-5);
    check_close(residual_lengths, golden("labs", "norm_residual"), 2e-5);
    const Matrix probe = random.randn(1, 16) * 40.0 + Matrix(1, 16, 12.0);
    check_close(plain_norm(probe), golden("labs", "norm_probe_normalised"), 2e-5);
}

BOOST_AUTO_TEST_CASE(the_probe_normalises_as_in_the_reference,
                     *label("epsilon_outside_root") * label("variance_by_n_minus_1")) {
    check_close(plain_norm(golden("labs", "norm_probe")), golden("labs", "norm_probe_normalised"),
                1e-12);
}

BOOST_AUTO_TEST_CASE(linear_agrees_with_the_reference, *label("bias_forgotten")) {
    check_close(
        linear(reference("linear_in"), reference("linear_weight"), reference("linear_bias")),
        reference("linear_out"), 1e-12);
}

BOOST_AUTO_TEST_CASE(linear_multiplies_by_the_rows_of_its_weight, *label("bias_forgotten")) {
    const Matrix x{{1, 2}}, weight{{3, 4}, {5, 6}, {7, 8}};
    BOOST_CHECK(same_bits(linear(x, weight), {{11, 17, 23}}));
    BOOST_CHECK(same_bits(linear(x, weight, {{100, 200, 300}}), {{111, 217, 323}}));
}

BOOST_AUTO_TEST_CASE(linear_refuses_what_does_not_fit) {
    const Matrix x(2, 3);
    check_message([&] { linear(x, Matrix(3, 4)); }, {"linear: weight (out x in) is 3x4", "3x3"});
    check_message([&] { linear(x, Matrix(5, 3), Matrix(1, 3)); }, {"linear: bias is 1x3", "1x5"});
    check_message([&] { linear(Matrix(2, 0), x); }, {"linear: x is 2x0", "empty"});
    check_message([&] { linear(x, Matrix(0, 3)); }, {"linear: weight (out x in) is 0x3", "empty"});
    check_message([&] { linear(x, Matrix(5, 3), Matrix(2, 5)); }, {"linear: bias is 2x5", "1x5"});
}

BOOST_AUTO_TEST_CASE(an_empty_matrix_is_refused_by_the_name_of_the_operation) {
    const Matrix none;
    check_message([&] { gelu(none); }, {"gelu: x is 0x0"});
    check_message([&] { gelu_tanh(none); }, {"gelu_tanh: x is 0x0"});
    check_message([&] { tanh(none); }, {"tanh: x is 0x0"});
    check_message([&] { rotate_positions(none, {}); }, {"rotate_positions: x is 0x0"});
}

BOOST_AUTO_TEST_CASE(sinusoidal_positions_agree_with_the_reference,
                     *label("sine_and_cosine_swapped")) {
    const std::vector<int> positions = positions_from(0, 40);
    check_close(sinusoidal_positions(positions, 8), reference("sinusoidal_8"), 1e-12);
    check_close(sinusoidal_positions(positions, 16), reference("sinusoidal_16"), 1e-12);
}

BOOST_AUTO_TEST_CASE(a_fast_wave_stands_beside_a_slow_one, *label("sine_and_cosine_swapped")) {
    check_close(
        sinusoidal_positions({0, 1, 3}, 4), // angles t and t / 100; a sine, then its cosine
        {{0, 1, 0, 1},
         {0.8414709848078965, 0.5403023058681398, 0.009999833334166664, 0.9999500004166653},
         {0.1411200080598672, -0.9899924966004454, 0.02999550020249566, 0.9995500337489875}},
        1e-15);
}

BOOST_AUTO_TEST_CASE(rotary_positions_turn_pairs_by_hand, *label("rotation_with_a_wrong_sign")) {
    const Matrix x{{1, 0, 0, 2}, {1, 0, 0, 2}};
    check_close(rotate_positions(x, {0, 1}),
                {{1, 0, 0, 2},
                 {0.5403023058681398, 0.8414709848078965, -2 * 0.009999833334166664,
                  2 * 0.9999500004166653}},
                1e-15);
    BOOST_CHECK(same_bits(rotate_positions({{3, -4}}, {0}), {{3, -4}}));
}

// Lesson 03: a query and a key of PyTorch's seed 7, two positions apart at five places.
BOOST_AUTO_TEST_CASE(added_positions_drift_as_in_the_reference, *label("sine_and_cosine_swapped")) {
    const Matrix q = golden("labs", "positions_q"), k = golden("labs", "positions_k");
    Matrix scores(1, 5);
    for (const std::size_t i : {0U, 1U, 2U, 3U, 4U}) {
        const Matrix query = q + sinusoidal_positions({places[i]}, 8);
        const Matrix key = k + sinusoidal_positions({places[i] - 2}, 8);
        scores(0, i) = dot(query.row(0), key.row(0));
    }
    check_close(scores, golden("labs", "positions_sinusoidal_scores"), 1e-12);
}

BOOST_AUTO_TEST_CASE(rotary_scores_depend_on_the_distance_alone,
                     *label("rotation_with_a_wrong_sign")) {
    PytorchRandom random(7);
    const Matrix q = random.randn(1, 8), k = random.randn(1, 8);
    BOOST_CHECK(same_bits(q, golden("labs", "positions_q")));
    BOOST_CHECK(same_bits(k, golden("labs", "positions_k")));
    const auto score = [&](int m, int n) {
        return dot(rotate_positions(q, {m}).row(0), rotate_positions(k, {n}).row(0));
    };
    Matrix same_distance(1, 5);
    for (const std::size_t i : {0U, 1U, 2U, 3U, 4U})
        same_distance(0, i) = score(places[i], places[i] - 2);
    check_close(same_distance, golden("labs", "positions_rotary_scores"), 1e-12);
    check_close(same_distance, Matrix(1, 5, score(1002, 1000)), 1e-12);
    check_close({{score(12, 12), score(12, 11), score(12, 9), score(12, 6)}},
                golden("labs", "positions_rotary_by_offset"), 1e-12);
    check_close(rotate_positions(q, {5}), golden("labs", "positions_rotary_q_at_5"), 1e-12);
}

BOOST_AUTO_TEST_CASE(positions_refuse_what_does_not_fit) {
    check_message([] { sinusoidal_positions({0}, 7); }, {"sinusoidal_positions: the width is 7"});
    check_message([] { sinusoidal_positions({0}, 0); }, {"sinusoidal_positions: the width is 0"});
    check_message([] { sinusoidal_positions({0}, static_cast<std::size_t>(-1)); },
                  {"the width is -1; wanted an even"});
    check_message([] { sinusoidal_positions({0}, static_cast<std::size_t>(-2)); },
                  {"Matrix: 1x-2 is negative"});
    check_message([] { sinusoidal_positions({}, 8); }, {"sinusoidal_positions: ", "0x8", "empty"});
    check_message([] { rotate_positions(Matrix(1, 5), {0}); },
                  {"rotate_positions: the width is 5"});
    check_message([] { rotate_positions(Matrix(2, 4), positions_from(0, 3)); },
                  {"rotate_positions: x (one row per position) is 2x4, wanted 3x4"});
}

BOOST_AUTO_TEST_SUITE_END()
