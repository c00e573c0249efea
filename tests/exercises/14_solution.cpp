// Exercise 14: extend a cache by a chunk
//
// Task: the cache of one layer holds keys, values and positions of the S tokens so far; now a chunk
// of n more arrives. Compute its keys, values and queries (chunk times layer.key and so on), append
// what the cache keeps, and let the queries attend. Return attend's output, n x C.
//
//     append_rows(m, more)                  puts the rows of more below those of m
//     positions_from(first, n)              n positions: first, first + 1, ...
//     cache.positions.push_back(position)   appends one position: once for each row of the chunk
//     attend(q, k, v, query_positions, key_positions, Mask{.causal = true}).output
//
// Positions count in the whole text. What stands there now is right for the first chunk only.
// Lesson: docs/14_kv_cache.md, STEP 1 and STEP 3. Check: make exercise-14. Stuck: make hint-14.

#include "model/decoder.hpp"

using namespace glassbox;

Matrix extend_by_chunk(LayerCache& cache, const Matrix& chunk, const DecoderLayer& layer) {
    // ---- your code from here
    const int first = static_cast<int>(cache.positions.size());
    const std::vector<int> positions = positions_from(first, chunk.rows);
    append_rows(cache.keys, matmul(chunk, layer.key));
    append_rows(cache.values, matmul(chunk, layer.value));
    cache.positions.insert(cache.positions.end(), positions.begin(), positions.end());
    return attend(matmul(chunk, layer.query), cache.keys, cache.values, positions, cache.positions,
                  Mask{.causal = true})
        .output;
    // ---- to here
}
