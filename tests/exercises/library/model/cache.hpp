// What attention keeps of the rows that it has seen, so that later rows can read them.
//
//     slot        0   1   2   3        a row of keys and of values
//     positions   4   5   6   7        where that row stands in the whole text
//
// A full pass is an extension of an empty cache. Cut into chunks, the same rows ask the same keys
// in the same order, so the results have the same bits.
#pragma once

#include "model/attention.hpp"
#include "model/heads.hpp"
#include "model/mask.hpp"
#include "numbers/matrix.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace glassbox {

// What one layer keeps: a row for each position in `positions`. Empty before the first row.
struct LayerCache {
    Matrix keys;   // S x GD
    Matrix values; // S x GD
    std::vector<int> positions;

    // Where the next row stands.
    int next_position() const { return positions.empty() ? 0 : positions.back() + 1; }
};

// The caches of a whole model. A cache is a value: copying it is branching, moving it is going on.
// Three indices are kept apart: `next_position` counts the tokens processed, `positions` are the
// absolute positions still cached, and a row of `keys` is a slot in an array.
struct KvCache {
    std::vector<LayerCache> layers; // empty before the first token
    int next_position = 0;

    // Bytes of all keys and values: 2 * layers * S * GD * 8.
    std::size_t payload_bytes() const {
        std::size_t numbers = 0;
        for (const LayerCache& layer : layers)
            numbers += layer.keys.values.size() + layer.values.values.size();
        return numbers * sizeof(double);
    }
};

// Keeps the last `count` entries of a layer's cache.
inline void evict_to(LayerCache& cache, std::size_t count) {
    if (cache.positions.size() <= count)
        return;
    const std::size_t dropped = cache.positions.size() - count;
    drop_first_rows(cache.keys, dropped);
    drop_first_rows(cache.values, dropped);
    cache.positions.erase(cache.positions.begin(),
                          cache.positions.begin() + static_cast<std::ptrdiff_t>(dropped));
}

// May rows from position `next` on continue this cache, whose rows are `width` wide? Throws
// std::invalid_argument for another width, for positions that do not lead up to `next`, and for a
// cache that has dropped keys which the mask would let the next row read.
inline void require_continuable(const LayerCache& cache, int next, std::size_t width,
                                const Mask& mask) {
    const std::size_t S = cache.positions.size();
    require_shape(cache.keys, S, S == 0 ? cache.keys.cols : width, "extend: the cache's keys");
    require_shape(cache.values, S, S == 0 ? cache.values.cols : width,
                  "extend: the cache's values");
    bool leads_up = next >= 0 && S <= static_cast<std::size_t>(next);
    for (std::size_t slot = 0; slot < S && leads_up; ++slot)
        leads_up = cache.positions[slot] == next - static_cast<int>(S - slot);
    if (!leads_up)
        throw std::invalid_argument("extend: the cached positions do not lead up to position " +
                                    std::to_string(next) + ", where the new tokens stand");
    if (S < static_cast<std::size_t>(std::min(next, mask.window - 1)))
        throw std::invalid_argument(
            "extend: the cache holds only the last " + std::to_string(S) + " of " +
            std::to_string(next) +
            " positions, and the mask's window reaches further back; use the window that the "
            "cache was filled with");
}

// The attention of rows that follow on those in the cache: their keys and values (T x GD) are kept,
// their queries (T x C) read whatever the mask allows, and a window evicts what it has left behind.
// Errors as attend_heads; rows that do not fit leave the cache as it was.
inline HeadedAttention attend_on_cache(const Matrix& q, const Matrix& k, const Matrix& v,
                                       LayerCache& cache, const Heads& heads,
                                       const std::vector<int>& query_positions,
                                       const std::vector<int>& key_positions, const Mask& mask,
                                       Weights weights = Weights::kept) {
    require_heads(q, k, v, heads, query_positions.size(), key_positions.size());
    append_rows(cache.keys, k);
    append_rows(cache.values, v);
    cache.positions.insert(cache.positions.end(), key_positions.begin(), key_positions.end());
    HeadedAttention attention = attend_heads(q, cache.keys, cache.values, heads, query_positions,
                                             cache.positions, mask, weights);
    evict_to(cache, static_cast<std::size_t>(mask.window));
    return attention;
}

} // namespace glassbox
