// The proof by intervention: what must hold for the block, and models that it must catch.
#include "model/block.hpp"
#include "proof/intervention.hpp"
#include "support.hpp"

using namespace glassbox;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double NaN = std::numeric_limits<double>::quiet_NaN();

// The lab: one stream gives the weights, the input and the token that replaces position 3.
struct Lab {
    PytorchRandom random{23};
    Block block = Block::from_pytorch(random, 8);
    Matrix x = random.randn(6, 8);
    Matrix replacement = random.randn(1, 8);
    Block second = Block::from_pytorch(random, 8);

    Matrix two_blocks(const Matrix& input) const { return second(block(input)); }
};

// Whole rows from ordinary to absurd, then the row as it is with one absurd number in it.
std::vector<Matrix> replacements_for(const Lab& lab, std::size_t position) {
    std::vector<Matrix> rows{lab.replacement};
    for (const double value : {1e20, 1e300, infinity, -infinity, NaN}) {
        rows.emplace_back(1, 8, value); // layer norm makes zeros of a constant finite row
        rows.emplace_back(1, 8, value);
        for (std::size_t c = 1; c < 8; c += 2)
            rows.back()(0, c) = -value; // and of this one not
    }
    for (const double value : {infinity, -infinity, NaN})
        for (const std::size_t column : {0U, 5U, 7U}) {
            rows.push_back(rows_of(lab.x, position, 1));
            rows.back()(0, column) = value;
        }
    return rows;
}

void check_past_kept(const Intervention& experiment) {
    const auto moved = first_move_in_the_past(experiment);
    if (moved)
        BOOST_ERROR("position " << moved->changed_position << " was replaced, and output t"
                                << moved->moved_position << ", column " << moved->column
                                << " moved from " << moved->before << " to " << moved->after);
    BOOST_TEST(present_moved(experiment), "output t" << experiment.position << " did not move");
}

void check_causal(const Model& model, const Lab& lab) {
    for (std::size_t position = 0; position < lab.x.rows; ++position)
        for (const Matrix& replacement : replacements_for(lab, position))
            check_past_kept(intervene(model, lab.x, position, replacement));
}

// The leak is seen whichever position with a past is replaced.
void check_caught(const Model& model) {
    const Lab lab;
    for (std::size_t position = 1; position < lab.x.rows; ++position) {
        const auto leak =
            first_move_in_the_past(intervene(model, lab.x, position, lab.replacement));
        BOOST_TEST_CONTEXT("position " << position << " replaced") {
            BOOST_REQUIRE(leak.has_value());
            BOOST_TEST(leak->changed_position == position);
            BOOST_TEST(leak->moved_position < position);
            BOOST_CHECK(!same_bits(leak->before, leak->after));
        }
    }
}

void check_prefixes(const Model& model, const Matrix& x) {
    const Matrix full = model(x);
    for (std::size_t T = 1; T <= x.rows; ++T)
        BOOST_TEST(same_bits(model(rows_of(x, 0, T)), rows_of(full, 0, T)), "prefix of " << T);
}

} // namespace

BOOST_AUTO_TEST_SUITE(intervention)

BOOST_AUTO_TEST_CASE(rewriting_the_future_leaves_the_past_alone,
                     *label("mask_removed") * label("mask_one_too_far")) {
    const Lab lab;
    check_causal(lab.block, lab);
}

BOOST_AUTO_TEST_CASE(two_blocks_leave_the_past_alone,
                     *label("mask_removed") * label("mask_one_too_far")) {
    const Lab lab;
    check_causal([&](const Matrix& x) { return lab.two_blocks(x); }, lab);
}

BOOST_AUTO_TEST_CASE(a_prefix_gives_the_bits_of_the_full_run,
                     *label("mask_removed") * label("mask_one_too_far")) {
    const Lab lab;
    check_prefixes(lab.block, lab.x);
    check_prefixes([&](const Matrix& x) { return lab.two_blocks(x); }, lab.x);
}

BOOST_AUTO_TEST_CASE(influence_is_exactly_zero_above_the_diagonal_and_nowhere_else,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("influence_of_one_position")) {
    const Lab lab;
    const Matrix influence = influence_map(lab.block, lab.x, lab.replacement);
    BOOST_TEST(shape_text(influence) == "6x6");
    for (std::size_t t = 0; t < 6; ++t)
        for (std::size_t s = 0; s < 6; ++s)
            BOOST_TEST((s > t ? same_bits(influence(t, s), 0.0) : influence(t, s) > 1e-4),
                       "t" << t << " s" << s << " is " << influence(t, s));
}

BOOST_AUTO_TEST_CASE(column_3_of_the_influence_is_the_labs_change,
                     *label("query_and_key_swapped") * label("bias_forgotten") *
                         label("second_norm_reads_the_input") * label("mask_removed") *
                         label("mask_one_too_far") * label("scale_left_out") *
                         label("epsilon_outside_root") * label("variance_by_n_minus_1") *
                         label("post_norm") * label("residual_dropped") * label("tanh_gelu") *
                         label("influence_of_one_position")) {
    const Matrix replacement = rows_of(golden("block_causality", "x_changed"), 3, 1);
    const Matrix influence =
        influence_map(Lab().block, golden("block_causality", "x"), replacement);
    check_close(rows_of(transpose(influence), 3, 1), golden("block_causality", "change"), 1e-12);
}

// Negative controls: each of these models leaks, and must be caught.

BOOST_AUTO_TEST_CASE(a_block_without_its_mask_is_caught,
                     *label("proof_forgets_the_position_before")) {
    Block block = Lab().block;
    block.attention.mask.causal = false;
    check_caught(block);
}

BOOST_AUTO_TEST_CASE(a_mask_one_step_too_far_is_caught,
                     *label("proof_forgets_the_position_before")) {
    check_caught([](const Matrix& x) {
        return attend(x, x, x, positions_from(1, x.rows), positions_from(0, x.rows), Mask{}).output;
    });
}

BOOST_AUTO_TEST_CASE(a_mean_over_all_positions_is_caught,
                     *label("proof_forgets_the_position_before")) {
    check_caught([](const Matrix& x) {
        return matmul(Matrix(x.rows, x.rows, 1.0 / static_cast<double>(x.rows)), x);
    });
}

// What tells 0 from -0, one number from its neighbour, one NaN from another: a single bit.
BOOST_AUTO_TEST_CASE(a_leak_of_a_single_bit_is_caught, *label("bits_compared_by_value")) {
    for (const auto& [quiet, loud] :
         {std::pair{0.0, -0.0}, {1.0, std::nextafter(1.0, 2.0)}, {NaN, -NaN}}) {
        const Model model = [low = quiet, high = loud](const Matrix& x) {
            Matrix result = x;
            result(0, 1) = x(2, 0) > 0 ? high : low; // position 0 looks at position 2
            return result;
        };
        const Matrix x{{0, 0}, {0, 0}, {-5, 0}};
        const auto leak = first_move_in_the_past(intervene(model, x, 2, {{5, 0}}));
        BOOST_REQUIRE(leak.has_value());
        BOOST_CHECK(same_bits(leak->before, quiet) && same_bits(leak->after, loud));
    }
}

BOOST_AUTO_TEST_CASE(a_leak_into_any_one_column_is_caught,
                     *label("proof_skips_the_first_column") *
                         label("proof_forgets_the_position_before")) {
    for (std::size_t column = 0; column < 3; ++column) {
        const Model model = [=](const Matrix& x) {
            Matrix result = x;
            result(0, column) = x(1, 0);
            return result;
        };
        const auto leak = first_move_in_the_past(intervene(model, Matrix(2, 3), 1, {{5, 5, 5}}));
        BOOST_REQUIRE(leak.has_value());
        BOOST_TEST(leak->column == column);
    }
}

// A model in which only a later output moves has a present that did not.
BOOST_AUTO_TEST_CASE(the_present_is_the_changed_position_alone) {
    const Model late = [](const Matrix& x) {
        Matrix result(3, 1);
        result(2, 0) = x(1, 0);
        return result;
    };
    BOOST_CHECK(!present_moved(intervene(late, {{1}, {2}, {3}}, 1, {{9}})));
}

BOOST_AUTO_TEST_CASE(the_witness_is_the_first_number_that_moved) {
    const Model leaky = [](const Matrix& x) {
        Matrix result(4, 2);
        result(1, 1) = result(2, 0) = result(3, 1) = 10 * x(3, 0);
        return result;
    };
    const Intervention experiment = intervene(leaky, {{1}, {2}, {3}, {4}}, 3, {{7}});
    const auto leak = first_move_in_the_past(experiment);
    BOOST_REQUIRE(leak.has_value());
    BOOST_TEST(leak->changed_position == 3U);
    BOOST_TEST(leak->moved_position == 1U);
    BOOST_TEST(leak->column == 1U);
    BOOST_TEST(leak->before == 40);
    BOOST_TEST(leak->after == 70);
    BOOST_CHECK(same_bits(change_per_position(experiment), {{0, 30, 30, 30}}));
}

BOOST_AUTO_TEST_CASE(a_model_that_only_copies_passes) {
    const Lab lab;
    check_causal([](const Matrix& x) { return x; }, lab);
}

BOOST_AUTO_TEST_CASE(a_model_that_ignores_its_input_does_not_move) {
    const auto constant = [](const Matrix& x) { return Matrix(x.rows, 2, 3.0); };
    const Intervention experiment = intervene(constant, {{1}, {2}, {3}}, 1, {{5}});
    BOOST_CHECK(!first_move_in_the_past(experiment));
    BOOST_CHECK(!present_moved(experiment));
}

BOOST_AUTO_TEST_CASE(an_intervention_that_would_test_nothing_is_refused,
                     *label("bits_compared_by_value")) {
    const Matrix x{{1, 2}, {3, 4}, {5, 0}}, same{{3, 4}}, nines(1, 2, 9.0), wide(1, 3, 9.0);
    const Model copy = [](const Matrix& input) { return input; };
    BOOST_CHECK_THROW(intervene(copy, x, 3, nines), std::out_of_range);
    check_message([&] { intervene(copy, x, 3, nines); },
                  {"intervene: position 3 of an input of 3 positions"});
    check_message([&] { intervene(copy, x, static_cast<std::size_t>(-1), nines); },
                  {"intervene: position -1 of an input of 3 positions"});
    check_message([&] { intervene(copy, x, 1, wide); },
                  {"intervene: replacement is 1x3, wanted 1x2"});
    check_message([&] { intervene(copy, x, 1, same); },
                  {"intervene: the replacement for position 1 is what stood there already"});
    BOOST_CHECK_NO_THROW(intervene(copy, x, 2, {{5, -0.0}})); // another sign is another number
}

BOOST_AUTO_TEST_CASE(a_model_that_returns_another_shape_is_refused) {
    const Matrix x{{1, 2}, {3, 4}, {5, 6}}, nines(1, 2, 9.0);
    const Model shorter = [](const Matrix&) { return Matrix(2, 2); };
    check_message([&] { intervene(shorter, x, 1, nines); },
                  {"intervene: the model's output is 2x2, wanted 3x2"});
    check_message([&] { intervene([](const Matrix&) { return Matrix(3, 0); }, x, 1, nines); },
                  {"intervene: the model's output is 3x0, an empty matrix"});
    const Model wider = [](const Matrix& input) { return Matrix(3, input(1, 0) > 8 ? 5 : 4); };
    check_message([&] { intervene(wider, x, 1, nines); },
                  {"intervene: the changed output is 3x5, wanted 3x4"});
}

BOOST_AUTO_TEST_CASE(a_change_to_or_from_nan_is_nan_and_never_dropped,
                     *label("nan_dropped_from_the_maximum")) {
    const Intervention experiment{0,
                                  {{1, 1}, {NaN, 1}, {1, infinity}, {1, 1}, {-infinity, 2}},
                                  {{1, NaN}, {1, 3}, {1, infinity}, {1, infinity}, {5, 2}}};
    const Matrix change = change_per_position(experiment);
    BOOST_CHECK(std::isnan(change(0, 0)) && std::isnan(change(0, 1)));
    BOOST_CHECK(same_bits(std::span(change.values).subspan(2),
                          std::vector<double>{0.0, infinity, infinity}));
}

// FNV-1a of eight bytes, computed elsewhere; the bytes of one double can spell a word.
BOOST_AUTO_TEST_CASE(digest_is_fnv_1a_of_the_bytes_in_order) {
    const double word = std::bit_cast<double>(std::uint64_t{0x786f627373616c67}); // "glassbox"
    BOOST_TEST(digest(Matrix{{word}}) == 0xac61cc713368d01cU);
    BOOST_TEST(digest({{1, 2}, {3, -0.5}}) == 0x90effd02cad025fdU);
    BOOST_TEST(digest(Matrix{}) == 0xcbf29ce484222325U);
}

BOOST_AUTO_TEST_CASE(digest_tells_every_single_bit_apart) {
    const Matrix m{{1, 2}, {3, 4}};
    BOOST_TEST(digest(m) == digest(Matrix(m)));
    BOOST_TEST(digest(m) != digest({{2, 1}, {3, 4}}));
    for (int bit = 0; bit < 64; ++bit) {
        Matrix flipped = m;
        flipped(1, 0) = std::bit_cast<double>(std::bit_cast<std::uint64_t>(3.0) ^ 1ULL << bit);
        BOOST_TEST(digest(flipped) != digest(m), "bit " << bit);
    }
}

BOOST_AUTO_TEST_SUITE_END()
