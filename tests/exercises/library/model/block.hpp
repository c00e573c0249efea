// One transformer block, the unit that every GPT stacks:
//
//     x ----+--> ln1 --> attention --> (+) --+--> ln2 --> mlp --> (+) --> output
//           |                           |    |                     |
//           +---------------------------+    +---------------------+
//
// T x C in, T x C out. The sum (+) keeps the input and adds what the branch found: the residual.
#pragma once

#include "model/cache.hpp"
#include "model/causal_attention.hpp"
#include "model/layers.hpp"
#include "numbers/matrix.hpp"
#include "numbers/random.hpp"

#include <cstddef>
#include <utility>

namespace glassbox {

// Everything that a block computes on its way, by the names in the diagram. T x C each, where
// nothing else is said.
struct BlockStations {
    Matrix ln1;
    AttentionStations attention; // queries, keys, values, weights, mixed, output
    Matrix after_attention;
    Matrix ln2;
    MlpStations mlp; // hidden, activated, output
    Matrix output;
};

struct Block {
    LayerNorm ln1;
    CausalAttention attention;
    LayerNorm ln2;
    Mlp mlp;

    // Pre-norm: what is normalised is what a branch reads; the residual path stays untouched.
    // The rows follow on those in the cache. Throws std::invalid_argument if x is not as wide as
    // the block, or the cache not its own, and leaves the cache as it was.
    BlockStations stations(const Matrix& x, LayerCache& cache,
                           Weights weights = Weights::kept) const {
        require_shape(x, x.rows, ln1.gain.cols, "Block: x");
        BlockStations at;
        at.ln1 = ln1(x);
        at.attention = attention.stations(at.ln1, cache, weights); // positions share information
        at.after_attention = x + at.attention.output;
        at.ln2 = ln2(at.after_attention);
        at.mlp = mlp.stations(at.ln2); // each position works on its own
        at.output = at.after_attention + at.mlp.output;
        return at;
    }

    // One way through: all rows at once extend an empty cache, a chunk extends what was left.
    Matrix extend(const Matrix& x, LayerCache& cache) const {
        return stations(x, cache, Weights::dropped).output;
    }
    BlockStations stations(const Matrix& x) const {
        LayerCache empty;
        return stations(x, empty);
    }
    Matrix operator()(const Matrix& x) const {
        LayerCache empty;
        return extend(x, empty);
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
