// Outputs of somebody's model as experiments: the layout of a batch, what is refused, the window
// from both sides.
#include "support.hpp"

#include "record/outputs.hpp"

#include <cstdint>
#include <limits>
#include <stdexcept>

using namespace glassbox;

namespace {

const std::string folder = "tests/golden/outputs/";

npy::Array array_of(const std::vector<std::size_t>& shape, const std::vector<double>& values,
                    const std::string& type = "<f8") {
    return {type, shape, values};
}

// T x C numbers that count up from `first`.
npy::Array counting(std::size_t T, std::size_t C, double first = 0.0) {
    npy::Array array{"<f8", {T, C}, {}};
    for (std::size_t i = 0; i < T * C; ++i)
        array.values.push_back(first + static_cast<double>(i));
    return array;
}

// A baseline of T zeros, and in changed_s every output moved that `matters` says.
std::map<std::string, npy::Array> runs_in_which(std::size_t T, const Reach& matters,
                                                double size = 1.0) {
    std::map<std::string, npy::Array> arrays;
    arrays["baseline"] = array_of({T, 1}, std::vector<double>(T));
    for (std::size_t s = 0; s < T; ++s) {
        std::vector<double> values(T);
        for (std::size_t t = 0; t < T; ++t)
            values[t] = matters(t, s) ? size : 0.0;
        arrays["changed_" + std::to_string(s)] = array_of({T, 1}, values);
    }
    return arrays;
}

Influence influence_in_which(std::size_t T, const Reach& matters) {
    return influence_of(runs_of(runs_in_which(T, matters), "r.npz"), 0.0);
}

} // namespace

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
    const Outputs before = read_outputs(folder + "batch_before.npy");
    const Outputs leak = read_outputs(folder + "batch_leak.npy");
    const auto witness = first_move_in_the_past(experiment_of(before, leak, 3));
    BOOST_REQUIRE(witness);
    BOOST_CHECK_EQUAL(place_in(before, witness->moved_position, witness->column),
                      "batch item 1, position 2, column 3");
    const Outputs after = read_outputs(folder + "batch_after.npy");
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
    check_message([&] { experiment_of(before, before, 0); }, {"POSITION is 0, which has no past"});
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
        check_message([&] { influence_of(runs, 0.125); },
                      {"r.npz: baseline_again: the model is random: on the same input, position " +
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
    BOOST_CHECK(!first_beyond(earlier, causal_reach()));
    BOOST_CHECK(!knows_only_earlier_inputs(influence_in_which(3, causal_reach())));
    // one output that moves with its own input is enough: then the last one should as well
    check_message([] { influence_in_which(3, [](auto t, auto s) { return s < t || t + s == 0; }); },
                  {"r.npz: changed_2: the change went nowhere"});
    check_message([] { influence_in_which(3, [](auto t, auto s) { return s == 0 && t > 0; }); },
                  {"r.npz: changed_1: the change went nowhere"});
    check_message([] { influence_in_which(3, [](auto, auto) { return false; }); },
                  {"r.npz: changed_0: the change went nowhere"});
}

BOOST_AUTO_TEST_CASE(the_influence_map_says_who_moved_whom, *label("reach_without_the_present")) {
    const Influence influence =
        influence_of(runs_of(runs_in_which(3, causal_reach(), 0.5), "r.npz"), 0.25);
    BOOST_CHECK(same_bits(influence.change, Matrix{{0.5, 0, 0}, {0.5, 0.5, 0}, {0.5, 0.5, 0.5}}));
    BOOST_CHECK(same_bits(influence.moved, Matrix{{1, 0, 0}, {1, 1, 0}, {1, 1, 1}}));
    auto faint = runs_in_which(3, causal_reach(), 0.5);
    faint["changed_2"].values[0] = 0.125; // the past, within the tolerance
    const Influence forgiven = influence_of(runs_of(faint, "r.npz"), 0.25);
    BOOST_CHECK_EQUAL(forgiven.change(0, 2), 0.125);
    BOOST_CHECK_EQUAL(forgiven.moved(0, 2), 0.0);
    BOOST_CHECK_EQUAL(influence_of(runs_of(faint, "r.npz"), 0.0).moved(0, 2), 1.0);
}

BOOST_AUTO_TEST_CASE(a_window_is_judged_from_both_sides,
                     *label("farthest_input_missed") * label("reach_without_the_present") *
                         label("window_reaches_too_far")) {
    for (const std::size_t back : {0U, 1U, 3U}) {
        const Influence influence =
            influence_in_which(6, [=](auto t, auto s) { return s <= t && t - s <= back; });
        BOOST_CHECK_EQUAL(farthest_back(influence), back);
        BOOST_CHECK(!first_beyond(influence, causal_reach()));
        BOOST_CHECK(!first_beyond(influence, window_reach(back + 1, 1)));
        if (back > 0) {
            const auto far = first_beyond(influence, window_reach(back, 1));
            BOOST_REQUIRE(far);
            BOOST_CHECK_EQUAL(far->input, 0U);
            BOOST_CHECK_EQUAL(far->output, back);
        }
    }
    const auto leak = first_beyond(
        influence_in_which(6, [](auto t, auto s) { return s <= t || (t == 1 && s == 4); }),
        causal_reach());
    BOOST_REQUIRE(leak);
    BOOST_CHECK_EQUAL(leak->input, 4U);
    BOOST_CHECK_EQUAL(leak->output, 1U);
}

BOOST_AUTO_TEST_CASE(a_single_far_input_counts, *label("farthest_input_missed")) {
    BOOST_CHECK_EQUAL(farthest_back(influence_in_which(
                          6, [](auto t, auto s) { return s == t || (t == 5 && s == 1); })),
                      4U);
}

BOOST_AUTO_TEST_CASE(a_reach_must_fit_into_the_positions) {
    BOOST_CHECK_EQUAL(reach_to_be_shown(4, 2, 8), 6U);
    BOOST_CHECK_EQUAL(reach_to_be_shown(1, 5, 2), 0U);
    check_message([] { reach_to_be_shown(4, 2, 7); },
                  {"a window of 4 in 2 layers reaches farther back than 7 positions can show"});
    check_message([] { reach_to_be_shown(SIZE_MAX, SIZE_MAX, 8); }, {"reaches farther back"});
    check_message([] { reach_to_be_shown(0, 2, 8); }, {"window 0, layers 2; wanted at least 1"});
    check_message([] { reach_to_be_shown(2, 0, 8); }, {"window 2, layers 0; wanted at least 1"});
}

BOOST_AUTO_TEST_CASE(what_numpy_wrote_is_judged,
                     *label("farthest_input_missed") * label("reach_without_the_present")) {
    const Influence sound = influence_of(read_runs(folder + "runs.npz"), 0.0);
    BOOST_CHECK(!first_beyond(sound, causal_reach()));
    BOOST_CHECK_EQUAL(farthest_back(sound), 5U);
    BOOST_CHECK(
        first_beyond(influence_of(read_runs(folder + "runs_leak.npz"), 0.0), causal_reach()));
    const Influence window = influence_of(read_runs(folder + "runs_window.npz"), 0.0);
    BOOST_CHECK(!first_beyond(window, window_reach(2, 2)));
    BOOST_CHECK_EQUAL(farthest_back(window), 2U);
    check_message([] { read_runs(folder + "runs_missing.npz"); }, {"changed_4 is missing"});
}

BOOST_AUTO_TEST_SUITE_END()
