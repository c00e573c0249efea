// The notes above a verdict: what it does not say by itself.
#include "support.hpp"

#include "record/made_runs.hpp"
#include "record/notes.hpp"

#include <limits>

using namespace glassbox;

namespace {

bool has(const std::vector<std::string>& notes, const std::string& words) {
    for (const std::string& note : notes)
        if (note.find(words) != std::string::npos)
            return true;
    return false;
}

std::vector<std::string> notes_of(const std::map<std::string, npy::Array>& arrays,
                                  const ReachClaim& claim = {}) {
    const Runs runs = runs_of(arrays, "r.npz");
    return notes_on_runs(runs, influence_of(runs, 0.0), claim);
}

} // namespace

BOOST_AUTO_TEST_SUITE(note)

BOOST_AUTO_TEST_CASE(a_causal_model_gets_no_note, *label("reach_without_the_present")) {
    BOOST_CHECK(notes_of(runs_in_which(4, causal_reach())).empty());
    BOOST_CHECK(notes_of(runs_in_which(4, window_reach(2, 1)), claims::window(2, 1)).empty());
    BOOST_CHECK(notes_of(runs_in_which(4, unlimited_reach()), claims::everything()).empty());
}

BOOST_AUTO_TEST_CASE(where_all_moves_with_all_the_axes_are_asked_after,
                     *label("axis_not_asked_after")) {
    BOOST_CHECK(has(notes_of(runs_in_which(4, unlimited_reach())), "then say --reach all"));
    BOOST_CHECK(!has(notes_of(runs_in_which(4, ahead_reach(2))), "--reach all"));
    const Runs forecast = read_runs(outputs_folder + "forecast_same_length.npz");
    BOOST_CHECK(has(notes_on_runs(forecast, influence_of(forecast, 0.0), ReachClaim()),
                    "the outputs have an axis of their own"));
}

BOOST_AUTO_TEST_CASE(changes_as_small_as_rounding_are_called_so, *label("rounding_not_named")) {
    const std::string words = "which is as small as rounding";
    auto arrays = runs_in_which(4, causal_reach());
    arrays["baseline"].values[3] = 2.0;
    for (std::size_t s = 0; s < 4; ++s)
        arrays["changed_" + std::to_string(s)].values[3] += 2.0;
    BOOST_CHECK(!has(notes_of(arrays), words));
    arrays["changed_2"].values[0] = 1e-12;
    BOOST_CHECK(has(notes_of(arrays), "moved by 1e-12 at most, " + words));
    BOOST_CHECK(has(notes_of(arrays), "Computed in float32"));
    arrays["changed_3"].values[1] = 3e-12; // the largest counts
    BOOST_CHECK(!has(notes_of(arrays), words));
    for (auto& [name, array] : arrays)
        array.type = "<f4";
    BOOST_CHECK(has(notes_of(arrays), "Computed in float64"));
    arrays["changed_3"].values[1] = std::numeric_limits<double>::quiet_NaN();
    BOOST_CHECK(!has(notes_of(arrays), words));
}

BOOST_AUTO_TEST_CASE(what_was_not_tested_is_said, *label("last_input_must_matter")) {
    const Reach own = [](std::size_t t, std::size_t s) { return t == s; };
    BOOST_CHECK(has(notes_of(runs_in_which(4, own)), "no output moved with any input but its own"));
    BOOST_CHECK(!has(notes_of(runs_in_which(4, own), claims::window(1, 1)), "but its own"));
    BOOST_CHECK(has(notes_of(runs_in_which(4, causal_reach()), claims::prefix(2)),
                    "did not show under these changes"));
    BOOST_CHECK(has(notes_of(runs_in_which(4, ahead_reach(1))), "without a baseline_again"));
    BOOST_CHECK(has(notes_of(runs_in_which(4, [](auto t, auto s) { return s < t; })),
                    "no output moved with its own input"));
    Runs batch = read_runs(outputs_folder + "batch_scale.npz");
    const Influence influence = influence_of(batch, 0.0);
    const std::string untested = "not tested: whether an item of the batch moves another";
    BOOST_CHECK(has(notes_on_runs(batch, influence, ReachClaim()), untested));
    batch.item_0_changed = batch.changed[0];
    BOOST_CHECK(!has(notes_on_runs(batch, influence, ReachClaim()), untested));
}

BOOST_AUTO_TEST_CASE(two_files_get_the_notes_of_their_one_change,
                     *label("reach_without_the_present")) {
    const Runs runs = runs_of(runs_in_which(4, causal_reach()), "r.npz");
    const auto notes = [&](const Matrix& after, std::size_t position,
                           const ReachClaim& claim = {}) {
        return notes_on_pair({position, runs.baseline.rows, after}, runs.baseline, claim, 0.0);
    };
    BOOST_CHECK(notes(Matrix{{0}, {1}, {1}, {1}}, 1).empty());
    BOOST_CHECK(notes(Matrix{{0}, {0}, {0}, {1}}, 3).empty());
    BOOST_CHECK(has(notes(Matrix{{0}, {0}, {1}, {1}}, 1), "output 1 itself did not move"));
    BOOST_CHECK(has(notes(Matrix{{0}, {1}, {0}, {0}}, 1), "output 1 alone moved"));
    BOOST_CHECK(has(notes(Matrix{{1}, {1}, {1}, {1}}, 1), "--reach all"));
    BOOST_CHECK(!has(notes(Matrix{{1}, {1}, {0}, {1}}, 1), "--reach all"));
    BOOST_CHECK(has(notes(Matrix{{0}, {1}, {0}, {1}}, 1, claims::window(2, 1)), "did not show"));
}

BOOST_AUTO_TEST_SUITE_END()
