// The experiment: change the input at one position and see which outputs move.
//
// Nothing here knows what a transformer is. A model is any function from a T x C matrix to a matrix
// with T rows, and what it claims about its inside (a triangular mask, say) is not looked at. What
// is tested is what it does.
#pragma once

#include "numbers/matrix.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

namespace glassbox {

using Model = std::function<Matrix(const Matrix&)>;

// All bits of a matrix in one number (FNV-1a), so that two runs on two compilers can be compared.
inline std::uint64_t digest(const Matrix& m) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const double value : m.values)
        for (int shift = 0; shift < 64; shift += 8) {
            hash ^= (std::bit_cast<std::uint64_t>(value) >> shift) & 0xff;
            hash *= 0x100000001b3U;
        }
    return hash;
}

// One experiment: the model's output before and after the input at one position was replaced.
struct Intervention {
    std::size_t position;
    Matrix before; // T rows
    Matrix after;  // T rows
};

// x with another row (1 x C) at `position`. Throws std::out_of_range for a position that x does not
// have, std::invalid_argument for a row of another width and for one that changes nothing.
inline Matrix with_row(const Matrix& x, std::size_t position, const Matrix& replacement) {
    if (position >= x.rows)
        throw std::out_of_range("intervene: position " + size_text(position) + " of an input of " +
                                std::to_string(x.rows) + " positions; they count from 0");
    require_shape(replacement, 1, x.cols, "intervene: replacement");
    Matrix changed = x;
    std::ranges::copy(replacement.row(0), changed.row(position).begin());
    if (same_bits(changed, x))
        throw std::invalid_argument("intervene: the replacement for position " +
                                    std::to_string(position) +
                                    " is what stood there already; nothing would be tested");
    return changed;
}

// Runs the model on x, and on x with row `position` replaced by `replacement` (1 x C). Errors as
// with_row; std::invalid_argument for a model that does not return T rows, the same shape twice.
inline Intervention intervene(const Model& model, const Matrix& x, std::size_t position,
                              const Matrix& replacement) {
    const Matrix changed = with_row(x, position, replacement);
    Intervention result{position, model(x), model(changed)};
    require_filled(result.before, "intervene: the model's output"); // nothing would be compared
    require_shape(result.before, x.rows, result.before.cols, "intervene: the model's output");
    require_shape(result.after, x.rows, result.before.cols, "intervene: the changed output");
    return result;
}

// 1 x T: how far each output row moved, max over c of |before(t, c) - after(t, c)|.
inline Matrix change_per_position(const Intervention& experiment) {
    const std::size_t T = experiment.before.rows;
    Matrix change(1, T);
    for (std::size_t t = 0; t < T; ++t)
        change(0, t) = max_abs_difference(experiment.before.row(t), experiment.after.row(t));
    return change;
}

// Where an earlier output moved, the first number that did.
struct Witness {
    std::size_t changed_position, moved_position, column;
    double before, after;
};

// Did a number move? With no tolerance every bit counts. With one, NaN is close to nothing.
inline bool moved(double before, double after, double tolerance = 0.0) {
    return !same_bits(before, after) && !(tolerance > 0.0 && std::abs(before - after) <= tolerance);
}

// The proof: nothing if every output before the changed position kept every bit. A difference that
// is merely small may be information from the future, so the tolerance is for outputs that were
// computed elsewhere, on hardware that does not add in one order.
inline std::optional<Witness> first_move_in_the_past(const Intervention& experiment,
                                                     double tolerance = 0.0) {
    for (std::size_t t = 0; t < experiment.position; ++t)
        for (std::size_t c = 0; c < experiment.before.cols; ++c) {
            const double before = experiment.before(t, c), after = experiment.after(t, c);
            if (moved(before, after, tolerance))
                return Witness{experiment.position, t, c, before, after};
        }
    return std::nullopt;
}

// The positive control: did the output at the changed position move at all? A model that ignores
// its input keeps the past too, and proves nothing.
inline bool present_moved(const Intervention& experiment) {
    return !same_bits(experiment.before.row(experiment.position),
                      experiment.after.row(experiment.position));
}

// T x T: element (t, s) is how far output t moved when input s was replaced by replacement(s).
// Row: who asks, column: who is read. Causal means exactly 0 above the diagonal.
inline Matrix influence_map(const Model& model, const Matrix& x,
                            const std::function<Matrix(std::size_t s)>& replacement) {
    Matrix influence(x.rows, x.rows);
    for (std::size_t s = 0; s < x.rows; ++s) {
        const Matrix change = change_per_position(intervene(model, x, s, replacement(s)));
        for (std::size_t t = 0; t < x.rows; ++t)
            influence(t, s) = change(0, t);
    }
    return influence;
}

// The same row (1 x C) in the place of each.
inline Matrix influence_map(const Model& model, const Matrix& x, const Matrix& replacement) {
    return influence_map(model, x, [&](std::size_t) { return replacement; });
}

} // namespace glassbox
