// The operations of a transformer that look at one position (one row) at a time.
//
// Each takes a T x C matrix, one row per position, and treats every row alone: none of them can
// carry anything from one position to another. Only attention can (attention.hpp).
#pragma once

#include "numbers/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glassbox {

// softmax(x)[i] = exp(x[i] - m) / sum over j of exp(x[j] - m),  m = the largest of x.
//
// Subtracting m changes nothing mathematically (it cancels) and keeps exp from overflowing. m
// starts at -infinity, not at some "small" number that a score might undercut. A score of -infinity
// gets exactly 0. Throws std::invalid_argument if there is no score, or none above -infinity: there
// is nothing to share the weight among. A NaN or +infinity makes the whole result NaN, as in
// PyTorch.
inline std::vector<double> softmax(std::span<const double> scores) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double largest = -infinity;
    bool any = false;
    for (const double score : scores) {
        largest = std::max(largest, score);
        any = any || score != -infinity;
    }
    if (!any)
        throw std::invalid_argument("softmax: all " + std::to_string(scores.size()) +
                                    " scores are -infinity; wanted at least one that may be read");
    std::vector<double> weights;
    double sum = 0.0;
    for (const double score : scores) {
        weights.push_back(std::exp(score - largest));
        sum += weights.back();
    }
    for (double& weight : weights)
        weight /= sum;
    return weights;
}

// Softmax of every row of a T x S matrix of scores. Errors as softmax, naming the row.
inline Matrix softmax_rows(const Matrix& scores) {
    require_filled(scores, "softmax_rows: scores");
    Matrix weights(scores.rows, scores.cols);
    for (std::size_t t = 0; t < scores.rows; ++t) {
        try {
            std::ranges::copy(softmax(scores.row(t)), weights.row(t).begin());
        } catch (const std::invalid_argument& error) {
            throw std::invalid_argument("softmax_rows: row " + std::to_string(t) + ": " +
                                        error.what());
        }
    }
    return weights;
}

// GELU(x) = x * Phi(x) = x/2 * (1 + erf(x / sqrt(2))): x times the probability that a standard
// normal number is below x. Exact form (Hendrycks and Gimpel 2016); PyTorch's default.
// GELU(-infinity) is NaN (infinity times 0), as in PyTorch.
inline double gelu(double x) {
    return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2));
}

// The approximation from the same paper, used by GPT-2:
// x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))).
inline double gelu_tanh(double x) {
    const double root = std::sqrt(2.0 / std::numbers::pi);
    return 0.5 * x * (1.0 + std::tanh(root * (x + 0.044715 * x * x * x)));
}

// A function of one number, applied to every element; `name` is for the message if x is empty.
// (x comes by value, so what nobody needs any longer is changed where it lies.)
inline Matrix for_each_element(Matrix x, double (*function)(double),
                               std::string_view name = "for_each_element: x") {
    require_filled(x, name);
    for (double& value : x.values)
        value = function(value);
    return x;
}

inline Matrix gelu(Matrix x) {
    return for_each_element(std::move(x), gelu, "gelu: x");
}
inline Matrix gelu_tanh(Matrix x) {
    return for_each_element(std::move(x), gelu_tanh, "gelu_tanh: x");
}
inline Matrix tanh(Matrix x) {
    return for_each_element(
        std::move(x), [](double value) { return std::tanh(value); }, "tanh: x");
}

// layer_norm(x)[c] = (x[c] - mean) / sqrt(variance + epsilon) * gain[c] + bias[c],  row by row.
//
// x: T x C; gain, bias: 1 x C. The variance divides by C (not C - 1) and epsilon stands inside the
// root, as in PyTorch; a constant row therefore gives the bias, not 0/0. (Ba, Kiros, Hinton 2016)
// Throws std::invalid_argument for a gain or bias of another shape.
inline Matrix layer_norm(const Matrix& x, const Matrix& gain, const Matrix& bias,
                         double epsilon = 1e-5) {
    require_filled(x, "layer_norm: x");
    require_shape(gain, 1, x.cols, "layer_norm: gain");
    require_shape(bias, 1, x.cols, "layer_norm: bias");
    const double width = static_cast<double>(x.cols);
    Matrix result(x.rows, x.cols);
    for (std::size_t t = 0; t < x.rows; ++t) {
        const std::span<const double> in = x.row(t);
        const std::span<double> out = result.row(t);
        double sum = 0.0;
        for (const double value : in)
            sum += value;
        const double mean = sum / width;

        double squares = 0.0;
        for (const double value : in)
            squares += (value - mean) * (value - mean);
        const double variance = squares / width;

        const double deviation = std::sqrt(variance + epsilon);
        for (std::size_t c = 0; c < x.cols; ++c)
            out[c] = (in[c] - mean) / deviation * gain.values[c] + bias.values[c];
    }
    return result;
}

// linear(x) = x W^T (+ bias):  result(t, o) = row t of x . row o of W (+ bias[o]).
//
// x: T x in; weight: out x in, PyTorch's layout, one row per output feature; bias: 1 x out. (The
// files of GPT-2 hold in x out: transpose those first.)
inline Matrix linear(const Matrix& x, const Matrix& weight) {
    require_filled(x, "linear: x");
    require_filled(weight, "linear: weight (out x in)");
    require_shape(weight, weight.rows, x.cols, "linear: weight (out x in)");
    return matmul_transposed(x, weight);
}

inline Matrix linear(const Matrix& x, const Matrix& weight, const Matrix& bias) {
    Matrix result = linear(x, weight);
    require_shape(bias, 1, weight.rows, "linear: bias");
    for (std::size_t t = 0; t < result.rows; ++t) {
        const auto row = result.row(t);
        for (std::size_t o = 0; o < result.cols; ++o)
            row[o] += bias.values[o];
    }
    return result;
}

// The angle of feature pair i at a position: position / 10000^(2i / width), in radians.
inline double position_angle(int position, std::size_t pair, std::size_t width) {
    const double exponent = static_cast<double>(2 * pair) / static_cast<double>(width);
    return position / std::pow(10000.0, exponent);
}

inline void require_even_width(std::size_t width, std::string_view function) {
    if (width == 0 || width % 2 != 0)
        throw std::invalid_argument(std::string(function) + ": the width is " + size_text(width) +
                                    "; wanted an even number, since features go in pairs");
}

// P(t, 2i) = sin(angle), P(t, 2i + 1) = cos(angle),  angle = position_angle(positions[t], i,
// width).
//
// Result: T x width, added to the token embeddings. (Vaswani et al. 2017, section 3.5, as printed.)
// Throws std::invalid_argument for an odd width or no positions.
inline Matrix sinusoidal_positions(const std::vector<int>& positions, std::size_t width) {
    require_even_width(width, "sinusoidal_positions");
    Matrix encoded(positions.size(), width);
    require_filled(encoded, "sinusoidal_positions: the result");
    for (std::size_t t = 0; t < positions.size(); ++t)
        for (std::size_t i = 0; i < width / 2; ++i) {
            const double angle = position_angle(positions[t], i, width);
            const double sine = std::sin(angle), cosine = std::cos(angle);
            encoded(t, 2 * i) = sine;
            encoded(t, 2 * i + 1) = cosine;
        }
    return encoded;
}

// Rotary positions (RoPE): every pair of neighbouring features is turned by its angle,
//     (a, b) -> (a cos - b sin, a sin + b cos).
//
// x: T x width; positions: one per row. The dot product of two rows turned so depends on their
// distance alone: a rotation by m and one by n leave the angle m - n between them. (Su et al. 2021)
// Throws std::invalid_argument for an odd width or another number of positions than rows.
inline Matrix rotate_positions(const Matrix& x, const std::vector<int>& positions) {
    require_filled(x, "rotate_positions: x");
    require_even_width(x.cols, "rotate_positions");
    require_shape(x, positions.size(), x.cols, "rotate_positions: x (one row per position)");
    Matrix rotated(x.rows, x.cols);
    for (std::size_t t = 0; t < x.rows; ++t)
        for (std::size_t i = 0; i < x.cols / 2; ++i) {
            const double angle = position_angle(positions[t], i, x.cols);
            const double a = x(t, 2 * i), b = x(t, 2 * i + 1);
            rotated(t, 2 * i) = a * std::cos(angle) - b * std::sin(angle);
            rotated(t, 2 * i + 1) = a * std::sin(angle) + b * std::cos(angle);
        }
    return rotated;
}

} // namespace glassbox
