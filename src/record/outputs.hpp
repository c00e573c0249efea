// The outputs of somebody's model, read from NumPy's files, as experiments that src/proof can
// judge.
//
// Before and after the input at one position was changed: two .npy files. (Every position in turn:
// record/runs.hpp.) A batch of B outputs is one experiment, B times as wide: whatever moves in any
// of them has moved.
#pragma once

#include "numbers/matrix.hpp"
#include "proof/detectors.hpp"
#include "proof/intervention.hpp"
#include "record/npy.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
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
    std::size_t items() const { return shape.size() == 3 ? shape[0] : 1; }
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
// that differ, numbers that are not finite before the change, and a position that is not there.
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
            "; was the input changed, and is it the input of this model? Or was one buffer handed "
            "out twice? Save copies");
}

} // namespace glassbox
