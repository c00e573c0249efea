// The outputs of somebody's model, read from NumPy's files, as experiments that src/proof can
// judge.
//
// Before and after the input at one position was changed: two .npy files. Every position in turn:
// one .npz with `baseline`, `changed_0` ... `changed_{T-1}`, and optionally `baseline_again`, the
// first run once more. A batch of B outputs is one experiment, B times as wide: whatever moves in
// any of them has moved.
#pragma once

#include "numbers/matrix.hpp"
#include "proof/detectors.hpp"
#include "proof/intervention.hpp"
#include "record/npy.hpp"
#include "record/npz.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace glassbox {

struct Outputs {
    std::string name;               // of the file or array, for messages
    std::string type;               // as it was saved: <f8, <f4, <f2 or <i8
    std::vector<std::size_t> shape; // as it was saved: (T, C) or (B, T, C)
    Matrix rows;                    // T x (B C): row t is position t of item 0, of item 1, ...

    std::size_t channels() const { return shape.back(); }
};

// (T, C) or (B, T, C) -> T x (B C). Throws std::invalid_argument for other shapes and no numbers.
inline Outputs outputs_of(const npy::Array& array, const std::string& name) {
    const std::vector<std::size_t>& shape = array.shape;
    if (shape.size() != 2 && shape.size() != 3)
        throw std::invalid_argument(name + ": the shape is " + npy::tuple_text(shape) +
                                    "; wanted (T, C), positions by channels, or (B, T, C), a batch "
                                    "of these; array.reshape makes it so");
    if (array.values.empty())
        throw std::invalid_argument(name + ": the shape is " + npy::tuple_text(shape) +
                                    ", and there are no numbers; was the right array saved?");
    const std::size_t B = shape.size() == 3 ? shape[0] : 1, C = shape.back();
    const std::size_t T = shape[shape.size() - 2];
    Outputs result{name, array.type, shape, Matrix(T, B * C)};
    for (std::size_t b = 0; b < B; ++b)
        for (std::size_t t = 0; t < T; ++t)
            std::copy_n(&array.values[(b * T + t) * C], C, &result.rows.row(t)[b * C]);
    return result;
}

// The shape, and what its axes are taken for, since the numbers cannot tell that two are swapped:
// "(2, 6, 4): B = 2 (batch), T = 6 (positions), C = 4 (channels)".
inline std::string axes_text(const Outputs& outputs) {
    std::string text = npy::tuple_text(outputs.shape) + ": ";
    if (outputs.shape.size() == 3)
        text += "B = " + std::to_string(outputs.shape[0]) + " (batch), ";
    return text + "T = " + std::to_string(outputs.rows.rows) +
        " (positions), C = " + std::to_string(outputs.channels()) + " (channels)";
}

// From an .npy file. Throws std::runtime_error for a file that cannot be read.
inline Outputs read_outputs(const std::filesystem::path& path) {
    return outputs_of(read_npy(path), path.string());
}

// Which number of the outputs this is, in words: "batch item 1, position 2, column 3".
inline std::string place_in(const Outputs& outputs, std::size_t t, std::size_t column) {
    const std::size_t C = outputs.channels();
    std::string text;
    if (outputs.shape.size() == 3)
        text += "batch item " + std::to_string(column / C) + ", ";
    return text + "position " + std::to_string(t) + ", column " + std::to_string(column % C);
}

// What is not finite before the change says nothing when it is not finite after it.
inline void require_finite(const Outputs& before) {
    for (std::size_t t = 0; t < before.rows.rows; ++t)
        for (std::size_t c = 0; c < before.rows.cols; ++c)
            if (!std::isfinite(before.rows(t, c)))
                throw std::invalid_argument(
                    before.name + ": " + place_in(before, t, c) + " is " +
                    detection::number_text(before.rows(t, c)) +
                    " before anything was changed; find out why first" +
                    (std::isnan(before.rows(t, c))
                         ? ": a NaN hides every leak"
                         : "; a column that always is, like that of a banned token, must be "
                           "dropped before saving"));
}

inline void require_same_kind(const Outputs& before, const Outputs& after) {
    if (before.shape != after.shape)
        throw std::invalid_argument(after.name + ": the shape is " + npy::tuple_text(after.shape) +
                                    ", that of " + before.name + " is " +
                                    npy::tuple_text(before.shape) +
                                    "; change a token, not how many there are");
    if (before.type != after.type) // all numbers would move, by what was rounded away
        throw std::invalid_argument(after.name + ": the type is " + after.type + ", that of " +
                                    before.name + " is " + before.type +
                                    "; save both in the type that the model computes in");
}

// The experiment that these outputs belong to. Throws std::invalid_argument for shapes or types
// that differ, numbers that are not finite before the change, and a position that is not there or
// has no past.
inline Intervention experiment_of(const Outputs& before, const Outputs& after,
                                  std::size_t position) {
    require_same_kind(before, after);
    require_finite(before);
    const std::size_t T = before.rows.rows;
    if (position >= T)
        throw std::invalid_argument("POSITION is " + std::to_string(position) + ", and " +
                                    before.name + " has " + std::to_string(T) +
                                    " positions; they count from 0, along the axis before the "
                                    "last");
    if (position == 0)
        throw std::invalid_argument("POSITION is 0, which has no past, so nothing would be tested; "
                                    "change the input at a later position");
    return {position, before.rows, after.rows};
}

// For each output: did any of its numbers move by more than the tolerance?
inline std::vector<bool> moved_outputs(const Intervention& experiment, double tolerance) {
    std::vector<bool> result;
    for (std::size_t t = 0; t < experiment.before.rows; ++t) {
        const auto before = experiment.before.row(t), after = experiment.after.row(t);
        bool any = false;
        for (std::size_t c = 0; c < before.size() && !any; ++c)
            any = moved(before[c], after[c], tolerance);
        result.push_back(any);
    }
    return result;
}

// The positive control. Throws std::invalid_argument if no output moved, at the changed position,
// after it or before it: an input that was not changed, and a model that ignores it, leave the past
// alone too.
inline void require_effect(const Intervention& experiment, double tolerance,
                           const std::string& name) {
    const std::vector<bool> moved = moved_outputs(experiment, tolerance);
    if (std::ranges::count(moved, true) == 0)
        throw std::invalid_argument(
            name + ": the change went nowhere: no output moved at position " +
            std::to_string(experiment.position) + " or after" +
            (tolerance > 0.0 ? ", by more than the tolerance " + detection::number_text(tolerance)
                             : std::string()) +
            "; was the input changed, and is it the input of this model?");
}

// Every position changed in turn.
struct Runs {
    Outputs baseline;
    std::vector<Outputs> changed; // changed[s]: the input at position s was another one
    std::optional<Outputs> again; // the baseline run once more, if it was saved

    Intervention experiment(std::size_t s) const { return {s, baseline.rows, changed[s].rows}; }
};

// What an archive holds, for messages: "baseline, changed_0, ...", the first eight names.
inline std::string names_text(const std::map<std::string, npy::Array>& arrays) {
    std::string text;
    std::size_t count = 0;
    for (const auto& [name, array] : arrays)
        if (count++ < 8)
            text += (count > 1 ? ", " : "") + name;
    return count > 8 ? text + ", ..." : text;
}

// From the arrays of a .npz. Throws std::invalid_argument for a name that is missing or too much,
// shapes or types that differ, fewer than two positions, and a baseline that is not finite.
inline Runs runs_of(std::map<std::string, npy::Array> arrays, const std::string& file) {
    const std::string found = "; found " + names_text(arrays);
    std::string wanted = "changed_{T-1}, one for each of T positions";
    const auto refuse = [&](const std::string& name, const char* reason) {
        throw std::invalid_argument(file + ": the array " + name + reason + found +
                                    "; wanted baseline, and changed_0 to " + wanted);
    };
    const auto take = [&](const std::string& name) {
        const auto node = arrays.extract(name);
        if (node.empty())
            refuse(name, " is missing");
        return outputs_of(node.mapped(), file + ": " + name);
    };
    Runs runs{take("baseline"), {}, std::nullopt};
    require_finite(runs.baseline);
    const std::size_t T = runs.baseline.rows.rows;
    wanted = "changed_" + std::to_string(T - 1) + ", since the baseline is " +
        axes_text(runs.baseline) + "; the positions are the axis before the last";
    if (T < 2)
        throw std::invalid_argument(file +
                                    ": there is one position, which has no past; nothing "
                                    "would be tested");
    for (std::size_t s = 0; s < T; ++s) {
        runs.changed.push_back(take("changed_" + std::to_string(s)));
        require_same_kind(runs.baseline, runs.changed.back());
    }
    if (arrays.contains("baseline_again")) {
        runs.again = take("baseline_again");
        require_same_kind(runs.baseline, *runs.again);
    }
    if (!arrays.empty())
        refuse(arrays.begin()->first, " does not belong here");
    return runs;
}

// From a .npz file. Throws std::runtime_error for a file that cannot be read.
inline Runs read_runs(const std::filesystem::path& path) {
    std::vector<std::string> left_out;
    return runs_of(read_npz_arrays(path, left_out), path.string());
}

// The null test: the same input twice. Throws std::invalid_argument if `baseline_again` is there
// and any number in it moved: what moved after a change would prove nothing then.
inline void require_repeatable(const Runs& runs, double tolerance) {
    if (!runs.again)
        return;
    const std::size_t T = runs.baseline.rows.rows;
    const Intervention nothing_changed{T, runs.baseline.rows, runs.again->rows}; // all is past
    if (const auto w = first_move_in_the_past(nothing_changed, tolerance))
        throw std::invalid_argument(
            runs.again->name + ": the model is random: on the same input, " +
            place_in(runs.baseline, w->moved_position, w->column) +
            detection::from_to(w->before, w->after) +
            "; switch dropout and the like off, or find a tolerance as the text says");
}

// Both T x T: how far output t moved when input s was changed, and 1 where that counts as moved.
struct Influence {
    Matrix change, moved;
};

// No output moved with its own input. So it is where output t knows only the inputs before t; but
// also where changed_s holds what belongs to s + 1, and then a leak of one step is hidden.
inline bool knows_only_earlier_inputs(const Influence& influence) {
    for (std::size_t t = 0; t < influence.moved.rows; ++t)
        if (influence.moved(t, t) != 0.0)
            return false;
    return true;
}

// Throws std::invalid_argument for a model that is random, and for a change that went nowhere; but
// where only earlier inputs are known, the last one has no output to move.
inline Influence influence_of(const Runs& runs, double tolerance) {
    require_repeatable(runs, tolerance);
    const std::size_t T = runs.baseline.rows.rows;
    Influence result{Matrix(T, T), Matrix(T, T)};
    for (std::size_t s = 0; s < T; ++s) {
        const Intervention experiment = runs.experiment(s);
        const Matrix change = change_per_position(experiment);
        const std::vector<bool> moved = moved_outputs(experiment, tolerance);
        for (std::size_t t = 0; t < T; ++t) {
            result.change(t, s) = change(0, t);
            result.moved(t, s) = moved[t] ? 1.0 : 0.0;
        }
    }
    const std::size_t effects = knows_only_earlier_inputs(result) ? T - 1 : T;
    for (std::size_t s = 0; s < effects; ++s)
        require_effect(runs.experiment(s), tolerance, runs.changed[s].name);
    return result;
}

// The first input that moved an output from past its reach, in the order of the inputs.
struct Pair {
    std::size_t output, input;
};

inline std::optional<Pair> first_beyond(const Influence& influence, const Reach& reach) {
    for (std::size_t s = 0; s < influence.moved.cols; ++s)
        for (std::size_t t = 0; t < influence.moved.rows; ++t)
            if (influence.moved(t, s) != 0.0 && !reach(t, s))
                return Pair{t, s};
    return std::nullopt;
}

// How many positions back the farthest input lies that moved an output: the largest t - s.
inline std::size_t farthest_back(const Influence& influence) {
    std::size_t farthest = 0;
    for (std::size_t s = 0; s < influence.moved.cols; ++s)
        for (std::size_t t = s; t < influence.moved.rows; ++t)
            if (influence.moved(t, s) != 0.0)
                farthest = std::max(farthest, t - s);
    return farthest;
}

// L (w - 1), where T positions can show it: some output must have an input just that far back, and
// some output one beyond. Throws std::invalid_argument if none has, or for a window or a number of
// layers below 1.
inline std::size_t reach_to_be_shown(std::size_t window, std::size_t layers, std::size_t T) {
    window_reach(window, layers); // throws below 1
    if (window - 1 > (T - 2) / layers)
        throw std::invalid_argument("a window of " + std::to_string(window) + " in " +
                                    std::to_string(layers) + " layers reaches farther back than " +
                                    std::to_string(T) +
                                    " positions can show; wanted at least "
                                    "layers (window - 1) + 2 of them");
    return layers * (window - 1);
}

} // namespace glassbox
