// The attention layer: queries, keys and values are three linear views of the same rows. The only
// part of a block in which positions meet.
//
//     x --+--> query --> q ----+
//         +--> key ----> k ----+--> heads attend --> mixed (--> project) --> output
//         +--> value --> v ----+
//
// With nothing but the three matrices it is the one head of lesson 09. Biases, heads, groups and
// the projection that joins the heads make it GPT-2's (Radford et al. 2019).
#pragma once

#include "model/cache.hpp"
#include "model/heads.hpp"
#include "model/layers.hpp"
#include "model/mask.hpp"
#include "numbers/matrix.hpp"

#include <utility>
#include <vector>

namespace glassbox {

// Everything that the layer computes on its way, for the rows that came in.
struct AttentionStations {
    Matrix queries;              // T x C
    Matrix keys, values;         // T x GD
    std::vector<Matrix> weights; // H matrices, T x S: row who asks, column who is read
    Matrix mixed;                // T x C, what the heads put out, side by side
    Matrix output;               // T x C, mixed or its projection
};

struct CausalAttention {
    Linear query, key, value; // C x C, then GD x C twice; bias or none
    Mask mask{.causal = true};
    Heads heads{};    // one head unless said otherwise
    Linear project{}; // C x C, or empty: the heads' outputs as they are

    // The rows that follow on those in the cache, and what is computed on their way. Throws
    // std::invalid_argument for rows or a cache that do not fit, and leaves the cache as it was.
    AttentionStations stations(const Matrix& x, LayerCache& cache,
                               Weights weights = Weights::kept) const {
        mask.allows(0, 0); // throws for a window below 1
        const int next = cache.next_position();
        require_continuable(cache, next, key.weight.rows, mask);
        const std::vector<int> positions = positions_from(next, x.rows);
        AttentionStations at;
        at.queries = query(x);
        at.keys = key(x);
        at.values = value(x);
        HeadedAttention attention = attend_on_cache(at.queries, at.keys, at.values, cache, heads,
                                                    positions, positions, mask, weights);
        at.weights = std::move(attention.weights);
        at.mixed = std::move(attention.output);
        at.output = project.weight.values.empty() ? at.mixed : project(at.mixed);
        return at;
    }

    // One way through: all rows at once extend an empty cache, a chunk extends what was left.
    Matrix extend(const Matrix& x, LayerCache& cache) const {
        return stations(x, cache, Weights::dropped).output;
    }
    Matrix operator()(const Matrix& x) const {
        LayerCache empty;
        return extend(x, empty);
    }
};

} // namespace glassbox
