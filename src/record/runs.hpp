// Every position of an input changed in turn: one .npz of somebody's model, and the map of
// influence in it.
//
//     baseline                       the output for the input as it is
//     changed_0 ... changed_{T-1}    for the input with another row or token at this position
//     baseline_again                 optional: the baseline once more, best as the last run
//     item_0_changed                 optional: item 0 of the batch changed everywhere
//     reach                          optional: T x T of 0 and 1, may input s matter to output t?
#pragma once

#include "numbers/matrix.hpp"
#include "proof/detectors.hpp"
#include "proof/intervention.hpp"
#include "proof/reach.hpp"
#include "record/npy.hpp"
#include "record/npz.hpp"
#include "record/outputs.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace glassbox {

struct Runs {
    Outputs baseline;
    std::vector<Outputs> changed;
    std::optional<Outputs> again, item_0_changed;
    std::optional<Matrix> reach;
    std::vector<std::string> left_out; // what else was in the archive, and is no array

    Intervention experiment(std::size_t s) const { return {s, baseline.rows, changed[s].rows}; }
};

// What an archive holds, for messages: "baseline, changed_0, ...", the first eight names.
inline std::string names_text(const std::map<std::string, npy::Array>& arrays) {
    std::string text;
    std::size_t count = 0;
    for (const auto& [name, array] : arrays)
        if (count++ < 8)
            text += (count > 1 ? ", " : "") + printable(name);
    return count > 8 ? text + ", ..." : text;
}

// The arrays of an archive, to be taken out one by one.
struct RunArrays {
    std::string file;
    std::map<std::string, npy::Array> arrays;
    std::string found = names_text(arrays);
    std::string last = "changed_{T-1}, one for each of T positions";

    [[noreturn]] void refuse(const std::string& name, const std::string& reason) const {
        std::string hint;
        if (arrays.contains("arr_0"))
            hint = "; numpy.savez calls arr_0 what comes without a name: numpy.savez('runs.npz', "
                   "**runs)";
        for (const auto& [other, array] : arrays)
            if (other.ends_with("/baseline"))
                hint = "; the arrays lie in a folder of the archive, and must not";
        throw std::invalid_argument(file + ": the array " + printable(name) + reason + "; found " +
                                    found + "; wanted baseline, and changed_0 to " + last + hint);
    }

    std::optional<npy::Array> take_if_there(const std::string& name) {
        auto node = arrays.extract(name);
        return node.empty() ? std::nullopt : std::optional(std::move(node.mapped()));
    }

    Outputs take(const std::string& name) {
        const std::optional<npy::Array> array = take_if_there(name);
        if (!array)
            refuse(name, " is missing");
        return outputs_of(*array, file + ": " + name);
    }

    // The outputs of another run of the same model, if it was saved.
    std::optional<Outputs> take_like(const Outputs& baseline, const std::string& name) {
        if (!arrays.contains(name))
            return std::nullopt;
        const Outputs outputs = take(name);
        require_same_kind(baseline, outputs);
        return outputs;
    }
};

// The array `reach` as a T x T matrix. Throws std::invalid_argument for another shape, and for what
// is neither 0 nor 1.
inline Matrix reach_of(const npy::Array& array, std::size_t T, const std::string& name) {
    if (array.shape != std::vector<std::size_t>{T, T})
        throw std::invalid_argument(name + ": the shape is " + npy::tuple_text(array.shape) +
                                    "; wanted " + npy::tuple_text({T, T}) +
                                    ", a row for each output and a column for each input");
    Matrix reach(T, T);
    reach.values = array.values;
    for (const double value : reach.values)
        if (value != 0.0 && value != 1.0)
            throw std::invalid_argument(name + ": there is a " + detection::number_text(value) +
                                        "; wanted 1 where input s may matter to output t, else 0");
    return reach;
}

// From the arrays of a .npz. Throws std::invalid_argument for a name that is missing or too much,
// shapes or types that differ, fewer than two positions, and a baseline that is not finite.
inline Runs runs_of(std::map<std::string, npy::Array> named, const std::string& file) {
    RunArrays arrays{file, std::move(named)};
    Runs runs{arrays.take("baseline"), {}, {}, {}, {}, {}};
    require_finite(runs.baseline);
    const std::size_t T = runs.baseline.rows.rows;
    arrays.last = "changed_" + std::to_string(T - 1) + ", since the baseline is " +
        axes_text(runs.baseline) + "; the positions are the axis before the last";
    if (T < 2)
        throw std::invalid_argument(file +
                                    ": there is one position, which has no past; nothing "
                                    "would be tested");
    for (std::size_t s = 0; s < T; ++s) {
        runs.changed.push_back(arrays.take("changed_" + std::to_string(s)));
        require_same_kind(runs.baseline, runs.changed.back());
    }
    runs.again = arrays.take_like(runs.baseline, "baseline_again");
    runs.item_0_changed = arrays.take_like(runs.baseline, "item_0_changed");
    if (const auto reach = arrays.take_if_there("reach"))
        runs.reach = reach_of(*reach, T, file + ": reach");
    if (!arrays.arrays.empty())
        arrays.refuse(arrays.arrays.begin()->first, " does not belong here");
    return runs;
}

// From a .npz file. Throws std::runtime_error for a file that cannot be read.
inline Runs read_runs(const std::filesystem::path& path) {
    std::vector<std::string> left_out;
    Runs runs = runs_of(read_npz_arrays(path, left_out), path.string());
    runs.left_out = left_out;
    return runs;
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
            runs.again->name +
            ": the model is random, or keeps a state between calls: on the same input, " +
            place_in(runs.baseline, w->moved_position, w->column) +
            detection::from_to(w->before, w->after) +
            "; switch dropout and the like off, begin each run afresh, or find a tolerance as "
            "docs/checking.md says");
}

// Runs of different inputs that are all the same to the last bit are one array, saved many times.
inline void require_several_arrays(const Runs& runs) {
    for (const Outputs& changed : runs.changed)
        if (!same_bits(changed.rows, runs.changed[0].rows))
            return;
    throw std::invalid_argument(runs.changed[0].name +
                                " and all later ones are equal: the change went nowhere. Was one "
                                "buffer handed out again and again? Then save a copy of each "
                                "output; or was the input never changed?");
}

// Items of a batch are strangers: where item 0 was changed, no other may move. The first number
// that did. Throws std::invalid_argument if there is no other item, or if item 0 did not move.
inline std::optional<Witness> move_in_another_item(const Runs& runs, double tolerance) {
    const Outputs& changed = *runs.item_0_changed;
    if (changed.items() < 2)
        throw std::invalid_argument(changed.name + ": the shape is " +
                                    npy::tuple_text(changed.shape) +
                                    "; wanted (B, T, C) with at least 2 items");
    bool item_0_moved = false;
    std::optional<Witness> other;
    for (std::size_t t = 0; t < changed.rows.rows; ++t)
        for (std::size_t c = 0; c < changed.rows.cols; ++c) {
            const double before = runs.baseline.rows(t, c), after = changed.rows(t, c);
            if (!moved(before, after, tolerance))
                continue;
            item_0_moved |= c < changed.channels();
            if (c >= changed.channels() && !other)
                other = Witness{0, t, c, before, after};
        }
    if (!item_0_moved && !other)
        throw std::invalid_argument(changed.name +
                                    ": the change went nowhere: item 0 itself did not move");
    return other;
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

// No output moved with any input but its own.
inline bool knows_only_its_own_input(const Influence& influence) {
    for (std::size_t t = 0; t < influence.moved.rows; ++t)
        for (std::size_t s = 0; s < influence.moved.cols; ++s)
            if (t != s && influence.moved(t, s) != 0.0)
                return false;
    return true;
}

// Must some output move when input s is changed? By the array `reach`, where there is one; and
// where only earlier inputs are known, the last one has no output to move.
inline bool should_matter(const Runs& runs, const Influence& influence, std::size_t s) {
    const std::size_t T = influence.moved.rows;
    bool reaches = !runs.reach;
    for (std::size_t t = 0; t < T && runs.reach; ++t)
        reaches |= (*runs.reach)(t, s) != 0.0;
    return reaches && !(s + 1 == T && knows_only_earlier_inputs(influence));
}

// Throws std::invalid_argument for a model that is random, and for a change that went nowhere.
inline Influence influence_of(const Runs& runs, double tolerance) {
    require_repeatable(runs, tolerance);
    require_several_arrays(runs);
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
    for (std::size_t s = 0; s < T; ++s)
        if (should_matter(runs, result, s))
            require_effect(runs.experiment(s), tolerance, runs.changed[s].name);
    return result;
}

} // namespace glassbox
