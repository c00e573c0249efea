// Charts and lines about the outputs of somebody's model, before and after a change.
#pragma once

#include "numbers/matrix.hpp"
#include "proof/detectors.hpp"
#include "proof/intervention.hpp"
#include "record/claim.hpp"
#include "record/outputs.hpp"
#include "record/runs.hpp"
#include "show/figure.hpp"
#include "show/terminal.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

namespace glassbox {

// The outputs from `first` to before `end`, which the chart leaves out, in a line.
inline void print_left_out(const Matrix& change, const std::vector<bool>& moved, std::size_t first,
                           std::size_t end) {
    if (first == end)
        return;
    double largest = 0.0;
    std::size_t count = 0;
    for (std::size_t t = first; t < end; ++t) {
        if (!std::isnan(largest) && !(change(0, t) <= largest)) // a NaN is the largest, and stays
            largest = change(0, t);
        count += moved[t];
    }
    std::cout << "  t" << first << " to t" << end - 1 << ", not drawn: " << count << " of "
              << end - first << " moved, largest change " << scientific(largest) << "\n";
}

// What the chart says of an output beside its bar: nothing where it did as it was said to.
inline const char* remark(const ReachClaim& claim, std::size_t t, std::size_t position,
                          bool moved) {
    const bool may = claim.reach(t, position);
    if (moved && !may)
        return " moved";
    return !moved && may && claim.both_ways() ? " did not move" : "";
}

// A bar for each output, at most 48 of them around the changed position.
inline void print_changes(const Intervention& experiment, const ReachClaim& claim,
                          double tolerance) {
    constexpr std::size_t lines = 48;
    const Matrix change = change_per_position(experiment);
    const std::vector<bool> moved = moved_outputs(experiment, tolerance);
    const std::size_t T = change.cols, position = experiment.position;
    const std::size_t first =
        T <= lines ? 0 : std::min(T - lines, position - std::min(position, lines / 2));
    const std::size_t end = std::min(T, first + lines);
    const double largest = largest_finite_magnitude(change);
    const std::size_t width = std::to_string(end - 1).size() + 1;
    print_left_out(change, moved, 0, first);
    for (std::size_t t = first; t < end; ++t) {
        std::string label = "t";
        label += std::to_string(t);
        label.resize(width, ' ');
        const char* when = t < position ? "past   " : t == position ? "CHANGED" : "future ";
        std::cout << "  " << label << " " << when << " " << padded(scientific(change(0, t)), 9)
                  << " |" << bar(change(0, t), largest) << "|"
                  << remark(claim, t, position, moved[t]) << "\n";
    }
    print_left_out(change, moved, end, T);
}

// The number that moved and must not have, with 12 digits, so that it can be looked up, or as many
// as it takes for the two to look different.
inline void print_witness(const Outputs& outputs, const Witness& witness) {
    int count = 12;
    const auto digits = [&](double value) { return printed("%.*g", count, value); };
    while (count < 17 && digits(witness.before) == digits(witness.after))
        ++count;
    std::cout << "witness: " << place_in(outputs, witness.moved_position, witness.column)
              << " moved from " << digits(witness.before) << " to " << digits(witness.after)
              << ", by " << scientific(std::abs(witness.after - witness.before)) << "\n";
    if (witness.before == witness.after)
        std::cout << "note: 0 and -0 are equal and differ in a bit; any --tolerance forgives it\n";
}

// Each on a line of its own, broken between words.
inline void print_notes(const std::vector<std::string>& notes) {
    constexpr std::size_t width = 96;
    for (const std::string& note : notes) {
        std::string line = "note:";
        for (std::size_t at = 0; at < note.size();) {
            const std::size_t end = std::min(note.size(), note.find(' ', at));
            if (line.size() + 1 + end - at > width) {
                std::cout << line << "\n";
                line = "     ";
            }
            line += ' '; // not " " + ...: GCC 12 takes that for an overlapping copy and warns
            line += note.substr(at, end - at);
            at = end + 1;
        }
        std::cout << line << "\n";
    }
}

inline Svg map_of(const Influence& influence, const std::string& title) {
    return heat_map({.title = title,
                     .description = "Row t, column s: how far output t moved when input s was "
                                    "changed. White is exactly 0.",
                     .row_axis = "row t: who asks",
                     .column_axis = "column s: who is read (its input was changed)"},
                    influence.change, "t", "s");
}

} // namespace glassbox
