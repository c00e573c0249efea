// What a verdict does not say by itself: the notes that stand above it.
#pragma once

#include "numbers/matrix.hpp"
#include "proof/detectors.hpp"
#include "proof/intervention.hpp"
#include "record/claim.hpp"
#include "record/outputs.hpp"
#include "record/runs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace glassbox {

namespace notes {

constexpr const char* whole_axis =
    "every output moved with every changed input. Either the mask is missing or leaves a weight; "
    "or a state is kept between calls (baseline_again, run last, shows it); or the positions are "
    "not the axis before the last; or the outputs have an axis of their own, like the next steps "
    "of a forecast, and no past to keep: then say --reach all";

constexpr const char* earlier_only =
    "no output moved with its own input. Either output t knows only the inputs before t, or "
    "changed_j changed input j + 1, and a leak of one step would be hidden";

constexpr const char* not_shown =
    "what did not move did not show under these changes; it may matter under others. If it should, "
    "change the inputs by more, or compute and save in float64: what moves by less than the last "
    "digit is rounded away";

// Is the largest change so small that rounding may have made it? Of an output of size 1, float64
// keeps steps of 2e-16 and float32 of 1e-7, and algorithms that cancel lose some digits more.
inline bool looks_like_rounding(double largest_change, const Outputs& before) {
    const double size = max_abs_difference(before.rows, Matrix(before.rows.rows, before.rows.cols));
    const double part = before.type == "<f8" ? 1e-12 : before.type == "<f4" ? 1e-6 : 0.0;
    return largest_change > 0.0 && largest_change <= part * size;
}

inline std::string rounding(double largest_change, const Outputs& before) {
    const bool wide = before.type == "<f8";
    return "all that moved outside the reach moved by " +
        detection::number_text(largest_change, 3) +
        " at most, which is as small as rounding. An algorithm that cancels (a convolution by FFT, "
        "a total minus the rest) rounds like this, and a faint leak looks the same. Computed in " +
        (wide ? "float32, rounding grows to about 1e-7 of the outputs, and a leak does not grow"
              : "float64, rounding shrinks to about 1e-16 of the outputs, and a leak does not");
}

} // namespace notes

// The largest change of an output outside the reach of the input that was changed. Row: output;
// column: input, from `first_input` on.
inline double largest_forbidden(const Matrix& change, const ReachClaim& claim,
                                std::size_t first_input = 0) {
    double largest = 0.0;
    for (std::size_t t = 0; t < change.rows; ++t)
        for (std::size_t i = 0; i < change.cols; ++i)
            if (!claim.reach(t, first_input + i) && !(change(t, i) <= largest))
                largest = std::isnan(largest) ? largest : change(t, i); // a NaN is the largest
    return largest;
}

// What the file and its type cannot show.
inline std::vector<std::string> notes_on_outputs(const Outputs& outputs) {
    std::vector<std::string> result;
    if (outputs.type == "<f2")
        result.emplace_back("near 1, float16 has steps of a thousandth; what moves by less may be "
                            "rounded away");
    return result;
}

// On two files.
inline std::vector<std::string> notes_on_pair(const Intervention& experiment, const Outputs& before,
                                              const ReachClaim& claim, double tolerance) {
    std::vector<std::string> result;
    const std::vector<bool> moved = moved_outputs(experiment, tolerance);
    const std::size_t T = moved.size(), position = experiment.position;
    const auto count = static_cast<std::size_t>(std::ranges::count(moved, true));
    const double largest =
        largest_forbidden(transpose(change_per_position(experiment)), claim, position);
    const std::string output = "output " + std::to_string(position);
    if (forbidden_move(experiment, claim, tolerance)) {
        if (notes::looks_like_rounding(largest, before))
            result.push_back(notes::rounding(largest, before));
        else if (count == T && !claim.both_ways())
            result.emplace_back(notes::whole_axis);
    } else if (!moved[position]) {
        result.push_back(output +
                         " itself did not move; was it this input that was changed, "
                         "counted from 0?");
    } else if (count == 1 && position + 1 < T && !claim.both_ways()) {
        result.push_back(output +
                         " alone moved, and no later one: so no mask was tested; are the "
                         "positions mixed at all?");
    }
    if (!all_within_moved(experiment, claim, tolerance))
        result.emplace_back(notes::not_shown);
    if (before.items() > 1)
        result.emplace_back("not tested: whether an item of the batch moves another; a runs.npz "
                            "with item_0_changed does");
    return result;
}

// On a whole archive.
inline std::vector<std::string> notes_on_runs(const Runs& runs, const Influence& influence,
                                              const ReachClaim& claim) {
    std::vector<std::string> result;
    for (const std::string& entry : runs.left_out)
        result.push_back(entry + ", no array, and was left out");
    const bool beyond = first_beyond(influence, claim.reach).has_value();
    const double largest = largest_forbidden(influence.change, claim);
    if (beyond && !runs.again)
        result.emplace_back("without a baseline_again, a random model looks like this too");
    const bool all_with_all = !unmoved_within(influence, unlimited_reach()).first;
    if (beyond && notes::looks_like_rounding(largest, runs.baseline))
        result.push_back(notes::rounding(largest, runs.baseline));
    else if (beyond && !claim.both_ways() && all_with_all)
        result.emplace_back(notes::whole_axis);
    if (!beyond && claim.both_ways() && unmoved_within(influence, claim.reach).first)
        result.emplace_back(notes::not_shown);
    if (knows_only_earlier_inputs(influence))
        result.emplace_back(notes::earlier_only);
    if (knows_only_its_own_input(influence) && !claim.both_ways())
        result.emplace_back("no output moved with any input but its own: no mask was tested; are "
                            "the positions mixed at all?");
    if (runs.baseline.items() > 1 && !runs.item_0_changed)
        result.emplace_back("not tested: whether an item of the batch moves another; the array "
                            "item_0_changed does, item 0 changed everywhere");
    return result;
}

} // namespace glassbox
