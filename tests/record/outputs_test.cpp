// Outputs of somebody's model as experiments: the layout of a batch, and what is refused.
#include "support.hpp"

#include "record/made_runs.hpp"
#include "record/outputs.hpp"

#include <limits>

using namespace glassbox;

BOOST_AUTO_TEST_SUITE(outputs)

BOOST_AUTO_TEST_CASE(a_batch_becomes_one_row_for_each_position, *label("batch_laid_out_by_item")) {
    // item 0 has 1 2 / 3 4 / 5 6, item 1 has 7 8 / 9 10 / 11 12
    const Outputs batch =
        outputs_of(array_of({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), "b.npy");
    BOOST_CHECK(same_bits(batch.rows, Matrix{{1, 2, 7, 8}, {3, 4, 9, 10}, {5, 6, 11, 12}}));
    BOOST_CHECK_EQUAL(batch.channels(), 2U);
    BOOST_CHECK_EQUAL(place_in(batch, 1, 2), "batch item 1, position 1, column 0");
    const Outputs single = outputs_of(array_of({3, 2}, {1, 2, 3, 4, 5, 6}), "s.npy");
    BOOST_CHECK(same_bits(single.rows, Matrix{{1, 2}, {3, 4}, {5, 6}}));
    BOOST_CHECK_EQUAL(place_in(single, 2, 1), "position 2, column 1");
    BOOST_CHECK_EQUAL(axes_text(single), "(3, 2): T = 3 (positions), C = 2 (channels)");
    BOOST_CHECK_EQUAL(axes_text(batch),
                      "(2, 3, 2): B = 2 (batch), T = 3 (positions), C = 2 (channels)");
}

BOOST_AUTO_TEST_CASE(the_witness_of_a_batch_is_found,
                     *label("batch_laid_out_by_item") *
                         label("proof_forgets_the_position_before")) {
    const Outputs before = read_outputs(outputs_folder + "batch_before.npy");
    const Outputs leak = read_outputs(outputs_folder + "batch_leak.npy");
    const auto witness = first_move_in_the_past(experiment_of(before, leak, 3));
    BOOST_REQUIRE(witness);
    BOOST_CHECK_EQUAL(place_in(before, witness->moved_position, witness->column),
                      "batch item 1, position 2, column 3");
    const Outputs after = read_outputs(outputs_folder + "batch_after.npy");
    BOOST_CHECK(!first_move_in_the_past(experiment_of(before, after, 3)));
}

BOOST_AUTO_TEST_CASE(other_shapes_are_refused_with_what_was_wanted) {
    for (const std::vector<std::size_t>& shape :
         std::vector<std::vector<std::size_t>>{{}, {1}, {1, 1, 1, 1}})
        check_message([&] { outputs_of(array_of(shape, {1}), "x.npy"); },
                      {"x.npy: the shape is " + npy::tuple_text(shape), "wanted (T, C)"});
    for (const std::vector<std::size_t>& shape :
         std::vector<std::vector<std::size_t>>{{0, 2}, {2, 0}, {0, 2, 2}, {2, 0, 2}, {2, 2, 0}})
        check_message([&] { outputs_of(array_of(shape, {}), "x.npy"); },
                      {"x.npy: the shape is " + npy::tuple_text(shape), "there are no numbers"});
}

BOOST_AUTO_TEST_CASE(outputs_that_cannot_be_compared_are_refused) {
    const Outputs before = outputs_of(counting(3, 2), "before.npy");
    check_message([&] { experiment_of(before, outputs_of(counting(2, 3), "after.npy"), 1); },
                  {"after.npy: the shape is (2, 3), that of before.npy is (3, 2)"});
    npy::Array rounded = counting(3, 2);
    rounded.type = "<f4";
    check_message([&] { experiment_of(before, outputs_of(rounded, "after.npy"), 1); },
                  {"after.npy: the type is <f4, that of before.npy is <f8"});
    check_message([&] { experiment_of(before, before, 3); },
                  {"POSITION is 3, and before.npy has 3 positions; they count from 0"});
    BOOST_CHECK_EQUAL(experiment_of(before, before, 2).position, 2U);
}

BOOST_AUTO_TEST_CASE(what_is_not_finite_before_the_change_is_refused,
                     *label("nan_before_the_change_allowed")) {
    const std::vector<std::pair<double, std::string>> cases{
        {std::numeric_limits<double>::quiet_NaN(),
         "nan before anything was changed; find out why "
         "first: a NaN hides every leak"},
        {-std::numeric_limits<double>::infinity(),
         "-inf before anything was changed; find out why "
         "first; a column that always is, like"}};
    for (const auto& [value, words] : cases) {
        npy::Array array = counting(3, 2);
        array.values[5] = value;
        const Outputs broken = outputs_of(array, "before.npy"),
                      sound = outputs_of(counting(3, 2), "a");
        check_message([&] { experiment_of(broken, sound, 1); },
                      {"before.npy: position 2, column 1 is " + words});
        BOOST_CHECK(moved_outputs(experiment_of(sound, broken, 1), 1e300) ==
                    (std::vector<bool>{false, false, true}));
    }
}

BOOST_AUTO_TEST_CASE(an_output_has_moved_if_one_of_its_numbers_has) {
    const Outputs before = outputs_of(counting(3, 3), "before.npy");
    npy::Array array = counting(3, 3);
    array.values[5] += 0.25; // position 1, the last column
    array.values[6] = 6.125;
    const Intervention experiment = experiment_of(before, outputs_of(array, "after.npy"), 2);
    BOOST_CHECK(moved_outputs(experiment, 0.0) == (std::vector<bool>{false, true, true}));
    BOOST_CHECK(moved_outputs(experiment, 0.125) == (std::vector<bool>{false, true, false}));
    BOOST_CHECK(moved_outputs(experiment, 0.25) == (std::vector<bool>{false, false, false}));
}

BOOST_AUTO_TEST_CASE(a_change_that_goes_nowhere_proves_nothing, *label("nothing_moved_is_fine")) {
    const Outputs before = outputs_of(counting(3, 2), "before.npy");
    const auto refused = [&](const Outputs& after, double tolerance) {
        return message_of([&] {
                   require_effect(experiment_of(before, after, 1), tolerance, "after.npy");
               }) != "(no exception)";
    };
    BOOST_CHECK(refused(before, 0.0));
    for (const std::size_t moved : {0U, 2U, 5U}) { // in the past, at the position, after it
        npy::Array array = counting(3, 2);
        array.values[moved] += 0.5;
        const Outputs after = outputs_of(array, "after.npy");
        BOOST_CHECK(!refused(after, 0.0));
        BOOST_CHECK(!refused(after, 0.25));
        BOOST_CHECK(refused(after, 0.5));
    }
    check_message([&] { require_effect(experiment_of(before, before, 1), 0.5, "after.npy"); },
                  {"after.npy: the change went nowhere: no output moved at position 1 or after, by "
                   "more than the tolerance 0.5"});
}

BOOST_AUTO_TEST_SUITE_END()
