// The block of a real model, as fast as plain loops make it: H heads, a joint projection for
// queries, keys and values, a projection after attention, biases everywhere (GPT-2, Radford et al.
// 2019). It lives with the benchmark, since the lessons read better without it.
//
//     x --+--> ln1 --> q, k, v --> heads --> project --> (+) --+--> ln2 --> mlp --> (+) -->
//         +---------------------------------------------->+    +------------------>+
//
// Every sum takes its terms in the order in which the library takes them, so the bits are the
// library's: fast_block_test.cpp compares them with layer_norm, linear, attend_heads and gelu.
#pragma once

#include "numbers/fast_matmul.hpp"
#include "numbers/matrix.hpp"
#include "numbers/random.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace glassbox {

// Row r of a matrix that may be a column range of a wider one: first + r * step.
struct Rows {
    const double* first;
    std::size_t step;
    const double* operator[](std::size_t r) const { return first + r * step; }
};

// softmax of operations.hpp in place, to the same bits. The maximum is taken in eight lanes: which
// of equal numbers it finds makes no difference to exp.
inline void softmax_in_place(double* scores, std::size_t count) {
    double lanes[8];
    std::ranges::fill(lanes, -std::numeric_limits<double>::infinity());
    std::size_t s = 0;
    for (; s + 8 <= count; s += 8)
        for (std::size_t i = 0; i < 8; ++i)
            lanes[i] = std::max(lanes[i], scores[s + i]);
    double largest = *std::ranges::max_element(lanes);
    for (; s < count; ++s)
        largest = std::max(largest, scores[s]);
    double sum = 0.0;
    for (s = 0; s < count; ++s) {
        scores[s] = std::exp(scores[s] - largest);
        sum += scores[s];
    }
    for (s = 0; s < count; ++s)
        scores[s] /= sum;
}

// Causal attention of one head, eight queries at a time. q, k, v, output: T x D; D a multiple of 8.
//
// For the queries top .. top + 7 every key before top is allowed: their scores and values go
// through tiles. The triangle from top on goes one allowed key at a time. Keys and values enter the
// panels only after their own queries are done, so a forbidden one is not even copied. Bit for bit
// the output of attend.
class CausalHead {
public:
    CausalHead(std::size_t positions, std::size_t width)
        : T(positions), D(width), key_panels_(step_ * D), value_panels_(step_ * D),
          scores_(8 * step_) {
        if (D == 0 || D % 8 != 0)
            throw std::invalid_argument("CausalHead: a head is " + std::to_string(D) +
                                        " wide; wanted a multiple of 8");
    }

    void operator()(Rows q, Rows k, Rows v, double* output, std::size_t output_step) {
        for (std::size_t t = 0; t < T; t += 8) {
            const std::size_t top = T < 8 ? 0 : std::min(t, T - 8),
                              rows = std::min<std::size_t>(8, T);
            compute_scores(q, k, top, rows);
            for (std::size_t r = 0; r < rows; ++r)
                softmax_in_place(&scores_[r * step_], top + r + 1);
            mix_values(v, top, rows, output + top * output_step, output_step);
            append_panels(k, v, t, std::min<std::size_t>(8, T - t));
        }
    }

private:
    std::size_t T, D;
    std::size_t step_ = T + 8; // at least T, filled up to 8; no power of 2, which caches dislike
    std::vector<double> key_panels_;   // 8 keys each: [s / 8][k][s % 8]
    std::vector<double> value_panels_; // 8 columns each: [c / 8][s][c % 8]
    std::vector<double> scores_;       // 8 x T

    void compute_scores(Rows q, Rows k, std::size_t top, std::size_t rows) {
        const double root_of_width = std::sqrt(static_cast<double>(D));
        const std::size_t in_tiles = top / 8 * 8;
        for (std::size_t s = 0; s < in_tiles; s += 8) {
            double sums[8][8] = {};
            tile(q[top], q.step, &key_panels_[s * D], D, sums);
            for (std::size_t r = 0; r < 8; ++r)
                for (std::size_t j = 0; j < 8; ++j)
                    scores_[r * step_ + s + j] = sums[r][j] / root_of_width;
        }
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t s = in_tiles; s <= top + r; ++s)
                scores_[r * step_ + s] = dot({q[top + r], D}, {k[s], D}) / root_of_width;
    }

    void mix_values(Rows v, std::size_t top, std::size_t rows, double* output, std::size_t step) {
        for (std::size_t c = 0; c < D; c += 8) {
            double sums[8][8] = {};
            if (top > 0)
                tile(scores_.data(), step_, &value_panels_[c * step_], top, sums);
            for (std::size_t r = 0; r < rows; ++r) {
                for (std::size_t s = top; s <= top + r; ++s)
                    for (std::size_t j = 0; j < 8; ++j)
                        sums[r][j] += scores_[r * step_ + s] * v[s][c + j];
                std::copy_n(sums[r], 8, output + r * step + c);
            }
        }
    }

    void append_panels(Rows k, Rows v, std::size_t first, std::size_t count) {
        for (std::size_t s = first; s < first + count; ++s)
            for (std::size_t c = 0; c < D; ++c) {
                key_panels_[s / 8 * 8 * D + c * 8 + s % 8] = k[s][c];
                value_panels_[c / 8 * 8 * step_ + s * 8 + c % 8] = v[s][c];
            }
    }
};

// y = x W + bias. The weight is in x out, as a product reads it (the lessons' Linear: out x in).
struct FastLinear {
    Matrix weight; // in x out
    Matrix bias;   // 1 x out
};

struct FastBlock {
    std::size_t heads;
    Matrix gain1, bias1; // 1 x C, of the first norm
    FastLinear qkv;      // C x 3C: queries, keys and values side by side
    FastLinear project;  // C x C
    Matrix gain2, bias2; // 1 x C, of the second norm
    FastLinear expand;   // C x F
    FastLinear shrink;   // F x C

    static FastBlock drawn(NumpyRandom& random, std::size_t C, std::size_t H) {
        const auto linear = [&](std::size_t in, std::size_t out) -> FastLinear {
            return {random.normal(0, 0.02, in, out), random.normal(0, 0.02, 1, out)};
        };
        const auto gain = [&] { return random.normal(1, 0.1, 1, C); };
        const auto bias = [&] { return random.normal(0, 0.1, 1, C); };
        return {H,      gain(), bias(),           linear(C, 3 * C), linear(C, C),
                gain(), bias(), linear(C, 4 * C), linear(4 * C, C)};
    }
};

// Seconds that went into each part, as processor time.
struct BlockTimes {
    double products = 0, attention = 0, gelu = 0, norm = 0, rest = 0;
};

// A block with the memory of a run, kept for the next one: the first touch of a page is expensive.
class BlockRun {
public:
    BlockRun(const FastBlock& block, std::size_t T)
        : block_(block), C_(block.project.weight.rows), head_(T, C_ / block.heads), narrow_(T, C_),
          wide_(T, 4 * C_), output_(T, C_) {}

    // x: T x C. The result stays valid until the next call.
    const Matrix& operator()(const Matrix& x) {
        require_shape(x, output_.rows, C_, "BlockRun: x");
        const std::size_t T = x.rows;
        times = {};
        last_ = std::clock();
        normalise(x, block_.gain1, block_.bias1);
        product(narrow_.values, block_.qkv, std::span(wide_.values).first(T * 3 * C_));
        attend_in_heads();
        product(narrow_.values, block_.project, output_.values);
        add(x, output_, block_.project.bias, output_);
        normalise(output_, block_.gain2, block_.bias2);
        product(narrow_.values, block_.expand, wide_.values);
        gelu_with_bias();
        product(wide_.values, block_.shrink, narrow_.values);
        add(output_, narrow_, block_.shrink.bias, output_);
        return output_;
    }

    BlockTimes times; // of the last call

private:
    const FastBlock& block_;
    std::size_t C_;
    CausalHead head_;
    Matrix narrow_, wide_, output_; // wide_ holds q, k, v, later the hidden layer
    std::clock_t last_ = 0;

    void count_for(double& part) {
        const std::clock_t now = std::clock();
        part += static_cast<double>(now - last_) / CLOCKS_PER_SEC;
        last_ = now;
    }

    // narrow_ = layer_norm(x): the same loops as in operations.hpp, without a new matrix.
    void normalise(const Matrix& x, const Matrix& gain, const Matrix& bias) {
        for (std::size_t t = 0; t < x.rows; ++t) {
            const double* row = x.row(t).data();
            double sum = 0.0, squares = 0.0;
            for (std::size_t c = 0; c < C_; ++c)
                sum += row[c];
            const double mean = sum / static_cast<double>(C_);
            for (std::size_t c = 0; c < C_; ++c)
                squares += (row[c] - mean) * (row[c] - mean);
            const double deviation = std::sqrt(squares / static_cast<double>(C_) + 1e-5);
            double* result = narrow_.row(t).data();
            for (std::size_t c = 0; c < C_; ++c)
                result[c] = (row[c] - mean) / deviation * gain.values[c] + bias.values[c];
        }
        count_for(times.norm);
    }

    void product(std::span<const double> a, const FastLinear& layer, std::span<double> result) {
        const std::size_t in = layer.weight.rows, out = layer.weight.cols;
        matmul_fast(a, layer.weight.values, result, a.size() / in, in, out);
        count_for(times.products);
    }

    // narrow_ = the heads' outputs side by side; q, k, v stand in the first T x 3C numbers of
    // wide_.
    void attend_in_heads() {
        const std::size_t T = narrow_.rows, width = 3 * C_, D = C_ / block_.heads;
        double* qkv = wide_.values.data();
        for (std::size_t t = 0; t < T; ++t)
            for (std::size_t c = 0; c < width; ++c)
                qkv[t * width + c] += block_.qkv.bias.values[c];
        count_for(times.rest);
        for (std::size_t h = 0; h < block_.heads; ++h) {
            const double* q = qkv + h * D;
            head_({q, width}, {q + C_, width}, {q + 2 * C_, width}, &narrow_.values[h * D], C_);
        }
        count_for(times.attention);
    }

    void gelu_with_bias() {
        for (std::size_t t = 0; t < wide_.rows; ++t) {
            double* row = wide_.row(t).data();
            for (std::size_t f = 0; f < wide_.cols; ++f) {
                const double x = row[f] + block_.expand.bias.values[f];
                row[f] = 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2));
            }
        }
        count_for(times.gelu);
    }

    // result = x + (branch + bias)
    void add(const Matrix& x, const Matrix& branch, const Matrix& bias, Matrix& result) {
        for (std::size_t t = 0; t < x.rows; ++t)
            for (std::size_t c = 0; c < C_; ++c) {
                const std::size_t at = t * C_ + c;
                result.values[at] = x.values[at] + (branch.values[at] + bias.values[c]);
            }
        count_for(times.rest);
    }
};

} // namespace glassbox
