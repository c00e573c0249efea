// One transformer block, the unit that every GPT stacks:
//
//     x ----+--> ln1 --> attention --> (+) --+--> ln2 --> mlp --> (+) --> output
//           |                           |    |                     |
//           +---------------------------+    +---------------------+
//
// T x C in, T x C out. The sum (+) keeps the input and adds what the branch found: the residual.
#pragma once

#include "model/attention.hpp"
#include "model/mask.hpp"
#include "model/operations.hpp"
#include "numbers/matrix.hpp"
#include "numbers/random.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace glassbox {

// y = x W^T (+ bias), with or without a bias.
struct Linear {
    Matrix weight; // out x in
    Matrix bias;   // 1 x out, or empty: none

    Matrix operator()(const Matrix& x) const {
        return bias.values.empty() ? linear(x, weight) : linear(x, weight, bias);
    }
};

// Every row brought to mean 0 and variance 1, then stretched by gain and moved by bias.
struct LayerNorm {
    Matrix gain; // 1 x C
    Matrix bias; // 1 x C

    Matrix operator()(const Matrix& x) const { return layer_norm(x, gain, bias); }
};

// One head: queries, keys and values are three linear views of the same rows. The only part of the
// block in which positions meet.
struct CausalAttention {
    Linear query, key, value; // C x C, no bias
    Mask mask{.causal = true};

    Matrix operator()(const Matrix& x) const {
        const std::vector<int> positions = positions_from(0, x.rows);
        return attend(query(x), key(x), value(x), positions, positions, mask).output;
    }
};

// Two layers with a GELU between them, on each row alone; the hidden width F is 4C.
struct Mlp {
    Linear expand;  // F x C
    Linear project; // C x F

    Matrix operator()(const Matrix& x) const { return project(gelu(expand(x))); }
};

struct Block {
    LayerNorm ln1;
    CausalAttention attention;
    LayerNorm ln2;
    Mlp mlp;

    // Pre-norm: what is normalised is what a branch reads; the residual path stays untouched.
    // Throws std::invalid_argument if x is not as wide as the block.
    Matrix operator()(const Matrix& x) const {
        require_shape(x, x.rows, ln1.gain.cols, "Block: x");
        const Matrix after_attention = x + attention(ln1(x)); // positions share information
        return after_attention + mlp(ln2(after_attention));   // each position works on its own
    }

    // A block of width C as PyTorch initialises it, drawn in the order in which the lab creates its
    // layers: query, key, value, then the MLP's two. The caller's stream moves on, so that the
    // input can be drawn after the weights, as the lab does.
    static Block from_pytorch(PytorchRandom& random, std::size_t C);
};

inline Linear linear_from_pytorch(PytorchRandom& random, std::size_t in, std::size_t out) {
    Matrix weight = random.linear_weight(in, out);
    return {std::move(weight), random.linear_bias(in, out)};
}

inline Block Block::from_pytorch(PytorchRandom& random, std::size_t C) {
    const LayerNorm fresh{Matrix(1, C, 1.0), Matrix(1, C, 0.0)}; // a new LayerNorm draws nothing
    Block block{.ln1 = fresh, .attention = {}, .ln2 = fresh, .mlp = {}};
    block.attention.query.weight = random.linear_weight(C, C);
    block.attention.key.weight = random.linear_weight(C, C);
    block.attention.value.weight = random.linear_weight(C, C);
    block.mlp.expand = linear_from_pytorch(random, C, 4 * C);
    block.mlp.project = linear_from_pytorch(random, 4 * C, C);
    return block;
}

} // namespace glassbox
