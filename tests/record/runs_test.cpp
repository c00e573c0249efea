// Every position changed in turn: what an archive must hold, and the map of influence in it.
#include "support.hpp"

#include "record/made_runs.hpp"
#include "record/runs.hpp"

#include <limits>

using namespace glassbox;

BOOST_AUTO_TEST_SUITE(runs)

BOOST_AUTO_TEST_CASE(runs_are_complete_or_refused, *label("surplus_runs_ignored")) {
    auto arrays = runs_in_which(3, causal_reach());
    BOOST_CHECK_EQUAL(runs_of(arrays, "r.npz").changed.size(), 3U);
    for (const char* surplus : {"changed_3", "changed_03", "extra", "changed_"}) {
        auto more = arrays;
        more[surplus] = arrays["baseline"];
        check_message([&] { runs_of(more, "r.npz"); },
                      {std::string("r.npz: the array ") + surplus + " does not belong here",
                       "; found baseline, ",
                       "; wanted baseline, and changed_0 to changed_2, since the baseline is "
                       "(3, 1): T = 3 (positions), C = 1 (channels)"});
    }
    for (const char* missing : {"baseline", "changed_0", "changed_2"}) {
        auto fewer = arrays;
        fewer.erase(missing);
        check_message([&] { runs_of(fewer, "r.npz"); },
                      {std::string("r.npz: the array ") + missing + " is missing; found "});
    }
    check_message(
        [] {
            runs_of({{"changed_00", counting(2, 1)}}, "r.npz");
        },
        {"the array baseline is missing; found changed_00; wanted baseline, and "
         "changed_0 to changed_{T-1}, one for each"});
    auto many = runs_in_which(9, causal_reach());
    many.erase("changed_8");
    check_message([&] { runs_of(many, "r.npz"); }, {"changed_5, changed_6, ...; wanted"});
    arrays["changed_1"] = counting(2, 1);
    check_message([&] { runs_of(arrays, "r.npz"); }, {"r.npz: changed_1: the shape is (2, 1)"});
    check_message([] { runs_of(runs_in_which(1, causal_reach()), "r.npz"); },
                  {"r.npz: there is one position, which has no past"});
}

BOOST_AUTO_TEST_CASE(runs_that_are_not_finite_or_go_nowhere_are_refused,
                     *label("nan_before_the_change_allowed") * label("nothing_moved_is_fine")) {
    auto arrays = runs_in_which(3, causal_reach());
    arrays["baseline"].values[2] = std::numeric_limits<double>::quiet_NaN();
    check_message([&] { runs_of(arrays, "r.npz"); }, {"r.npz: baseline: position 2, column 0 is"});
    check_message([] { influence_in_which(3, [](auto t, auto s) { return t >= s && s != 1; }); },
                  {"r.npz: changed_1: the change went nowhere"});
}

BOOST_AUTO_TEST_CASE(runs_of_a_random_model_are_refused,
                     *label("random_runs_judged") * label("proof_forgets_the_position_before") *
                         label("proof_skips_the_first_column")) {
    auto arrays = runs_in_which(3, causal_reach());
    arrays["baseline_again"] = arrays["baseline"];
    influence_of(runs_of(arrays, "r.npz"), 0.0);
    for (const std::size_t t : {0U, 2U}) { // the last output counts as much as the first
        auto random = arrays;
        random["baseline_again"].values[t] = 0.25;
        const Runs runs = runs_of(random, "r.npz");
        check_message(
            [&] { influence_of(runs, 0.125); },
            {"r.npz: baseline_again: the model is random, or keeps a state between calls: on the "
             "same input, position " +
             std::to_string(t) + ", column 0 moved from 0 to 0.25; switch dropout"});
        influence_of(runs, 0.25);
    }
    arrays["baseline_again"] = counting(2, 1);
    check_message([&] { runs_of(arrays, "r.npz"); }, {"r.npz: baseline_again: the shape is"});
}

BOOST_AUTO_TEST_CASE(the_last_input_may_move_nothing_where_only_earlier_ones_are_known,
                     *label("last_input_must_matter") * label("nothing_moved_is_fine") *
                         label("reach_without_the_present")) {
    const Influence earlier = influence_in_which(3, [](auto t, auto s) { return s < t; });
    BOOST_CHECK(knows_only_earlier_inputs(earlier));
    BOOST_CHECK(!knows_only_earlier_inputs(influence_in_which(3, causal_reach())));
    // one output that moves with its own input is enough: then the last one should as well
    check_message([] { influence_in_which(3, [](auto t, auto s) { return s < t || t + s == 0; }); },
                  {"r.npz: changed_2: the change went nowhere"});
    check_message([] { influence_in_which(3, [](auto t, auto s) { return s == 0 && t > 0; }); },
                  {"r.npz: changed_1: the change went nowhere"});
}

BOOST_AUTO_TEST_CASE(the_influence_map_says_who_moved_whom, *label("reach_without_the_present")) {
    const Influence influence =
        influence_of(runs_of(runs_in_which(3, causal_reach(), 0.5), "r.npz"), 0.25);
    const double a = 0.5 + 1 / 1024.0, b = 0.5 + 2 / 1024.0;
    BOOST_CHECK(same_bits(influence.change, Matrix{{0.5, 0, 0}, {0.5, a, 0}, {0.5, a, b}}));
    BOOST_CHECK(same_bits(influence.moved, Matrix{{1, 0, 0}, {1, 1, 0}, {1, 1, 1}}));
    auto faint = runs_in_which(3, causal_reach(), 0.5);
    faint["changed_2"].values[0] = 0.125; // the past, within the tolerance
    const Influence forgiven = influence_of(runs_of(faint, "r.npz"), 0.25);
    BOOST_CHECK_EQUAL(forgiven.change(0, 2), 0.125);
    BOOST_CHECK_EQUAL(forgiven.moved(0, 2), 0.0);
    BOOST_CHECK_EQUAL(influence_of(runs_of(faint, "r.npz"), 0.0).moved(0, 2), 1.0);
}

BOOST_AUTO_TEST_CASE(one_buffer_handed_out_again_is_asked_after, *label("one_buffer_is_fine")) {
    const auto refused = [](const std::map<std::string, npy::Array>& arrays) {
        check_message(
            [&] { influence_of(runs_of(arrays, "r.npz"), 0.0); },
            {"r.npz: changed_0 and all later ones are equal: the change went nowhere. Was "
             "one buffer handed out again and again? Then save a copy of each output"});
    };
    auto arrays = runs_in_which(3, [](auto, auto) { return false; });
    refused(arrays); // the baseline too
    for (const char* name : {"changed_0", "changed_1", "changed_2"})
        arrays[name].values = {0.25, 0.5, 0.75};
    refused(arrays);
}

BOOST_AUTO_TEST_CASE(an_item_of_the_batch_that_moves_with_another_is_found,
                     *label("other_items_ignored")) {
    const auto runs_with = [](const std::vector<double>& item_0_changed) {
        std::map<std::string, npy::Array> arrays;
        for (const double j : {0.0, 1.0, 2.0})
            arrays[j == 0       ? "baseline"
                       : j == 1 ? "changed_0"
                                : "changed_1"] = array_of({2, 2, 1}, {j, j, j, j});
        arrays["item_0_changed"] = array_of({2, 2, 1}, item_0_changed);
        return runs_of(arrays, "r.npz");
    };
    BOOST_CHECK(!move_in_another_item(runs_with({5, 5, 0, 0}), 0.0));
    BOOST_CHECK(!move_in_another_item(runs_with({0, 5, 0, 0.125}), 0.125));
    const auto witness = move_in_another_item(runs_with({5, 5, 0, 0.125}), 0.0);
    BOOST_REQUIRE(witness);
    BOOST_CHECK_EQUAL(witness->moved_position, 1U);
    BOOST_CHECK_EQUAL(witness->column, 1U);
    BOOST_CHECK_EQUAL(witness->after, 0.125);
    check_message(
        [&] {
            move_in_another_item(runs_with({0, 0, 0, 0}), 0.0);
        },
        {"r.npz: item_0_changed: the change went nowhere: item 0 itself did not move"});
    auto single = runs_in_which(2, causal_reach());
    single["item_0_changed"] = single["changed_0"];
    check_message([&] { move_in_another_item(runs_of(single, "r.npz"), 0.0); },
                  {"item_0_changed: the shape is (2, 1); wanted (B, T, C) with at least 2 items"});
    single["item_0_changed"] = counting(3, 1);
    check_message([&] { runs_of(single, "r.npz"); }, {"item_0_changed: the shape is (3, 1)"});
}

BOOST_AUTO_TEST_CASE(the_array_reach_is_a_square_of_0_and_1) {
    auto arrays = runs_in_which(2, causal_reach());
    arrays["reach"] = array_of({2, 2}, {1, 0, 1, 1}, "<i8");
    BOOST_CHECK(same_bits(*runs_of(arrays, "r.npz").reach, Matrix{{1, 0}, {1, 1}}));
    arrays["reach"] = array_of({2, 2}, {1, 0, 0.5, 1});
    check_message([&] { runs_of(arrays, "r.npz"); }, {"r.npz: reach: there is a 0.5; wanted 1"});
    for (const std::vector<std::size_t>& shape :
         std::vector<std::vector<std::size_t>>{{4}, {1, 4}, {4, 1, 1}, {2, 2, 1}}) {
        arrays["reach"] = array_of(shape, {1, 0, 1, 1});
        check_message([&] { runs_of(arrays, "r.npz"); },
                      {"r.npz: reach: the shape is " + npy::tuple_text(shape) + "; wanted (2, 2)"});
    }
}

// An input that by the array reach matters nowhere, like padding, may move nothing.
BOOST_AUTO_TEST_CASE(an_input_that_shall_matter_nowhere_may_do_so,
                     *label("nothing_moved_is_fine")) {
    const Reach without_1 = [](std::size_t t, std::size_t s) { return s <= t && s != 1; };
    auto arrays = runs_in_which(3, without_1);
    check_message([&] { influence_of(runs_of(arrays, "r.npz"), 0.0); },
                  {"r.npz: changed_1: the change went nowhere"});
    arrays["reach"] = array_of({3, 3}, {1, 0, 0, 1, 0, 0, 1, 0, 1});
    BOOST_CHECK_EQUAL(influence_of(runs_of(arrays, "r.npz"), 0.0).moved(2, 1), 0.0);
    arrays["reach"] = array_of({3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1});
    check_message([&] { influence_of(runs_of(arrays, "r.npz"), 0.0); },
                  {"r.npz: changed_1: the change went nowhere"});
}

BOOST_AUTO_TEST_CASE(names_out_of_a_file_are_printed_as_one_line,
                     *label("names_printed_raw") * label("surplus_runs_ignored")) {
    auto arrays = runs_in_which(2, causal_reach());
    arrays["x\n\x1b[2K"] = arrays["baseline"];
    check_message([&] { runs_of(arrays, "r.npz"); },
                  {"the array x\\x0a\\x1b[2K does not belong here; found baseline, changed_0, "
                   "changed_1, x\\x0a\\x1b[2K; wanted"});
}

BOOST_AUTO_TEST_CASE(the_usual_wrong_names_are_told_apart) {
    check_message(
        [] {
            runs_of({{"arr_0", counting(2, 1)}}, "r.npz");
        },
        {"baseline is missing", "numpy.savez calls arr_0 what comes without a name"});
    check_message(
        [] {
            runs_of({{"out/baseline", counting(2, 1)}}, "r.npz");
        },
        {"baseline is missing", "the arrays lie in a folder of the archive"});
}

BOOST_AUTO_TEST_SUITE_END()
