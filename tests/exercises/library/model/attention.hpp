// Attention: the only operation that moves anything from one position to another.
//
//     output(t) = sum over s of weight(t, s) * v(s)
//     weight(t, .) = softmax over the readable s of  q(t) . k(s) / sqrt(D)
#pragma once

#include "model/fast_attention.hpp"
#include "model/mask.hpp"
#include "model/operations.hpp"
#include "numbers/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace glassbox {

struct Attention {
    Matrix output;  // T x the width of v
    Matrix weights; // T x S, row: who asks, column: who is read; exactly 0 where nothing was read
    std::size_t scores_read = 0; // how many scores were computed: one for every allowed pair
};

// Throws std::invalid_argument if a query may read none of the keys: softmax over nothing has no
// answer.
inline void require_readable(bool any, int t, std::size_t keys) {
    if (!any)
        throw std::invalid_argument("attend: the query at position " + std::to_string(t) +
                                    " may read none of the " + std::to_string(keys) +
                                    " keys; the mask must leave it at least one");
}

// The indices of the keys that a query at position t may read, in ascending order.
// Throws std::invalid_argument if there is none.
inline std::vector<std::size_t> readable_keys(int t, const std::vector<int>& key_positions,
                                              const Mask& mask) {
    std::vector<std::size_t> readable;
    for (std::size_t s = 0; s < key_positions.size(); ++s)
        if (mask.allows(t, key_positions[s]))
            readable.push_back(s);
    require_readable(!readable.empty(), t, key_positions.size());
    return readable;
}

// The same for all queries at once, as ranges: where positions ascend one by one, a mask moves both
// ends forward only. Empty if the positions do not; throws as readable_keys.
inline std::vector<KeyRange> readable_ranges(const std::vector<int>& query_positions,
                                             const std::vector<int>& key_positions,
                                             const Mask& mask) {
    const auto gap = [](int before, int after) { return before != after - 1; };
    if (std::ranges::adjacent_find(query_positions, gap) != query_positions.end() ||
        std::ranges::adjacent_find(key_positions, gap) != key_positions.end())
        return {};
    std::vector<KeyRange> ranges;
    ranges.reserve(query_positions.size());
    KeyRange range{0, 0};
    const std::size_t S = key_positions.size();
    for (const int t : query_positions) {
        while (range.first < S && !mask.allows(t, key_positions[range.first]))
            ++range.first;
        range.last = std::max(range.first, range.last);
        while (range.last < S && mask.allows(t, key_positions[range.last]))
            ++range.last;
        require_readable(range.first < range.last, t, S);
        ranges.push_back(range);
    }
    return ranges;
}

inline std::size_t keys_in(const std::vector<KeyRange>& ranges) {
    std::size_t count = 0;
    for (const KeyRange& range : ranges)
        count += range.last - range.first;
    return count;
}

// q: T x D, k: S x D, v: S x any width; one position for each row of q and of k.
//
// The mask decides which keys are read at all. A forbidden key or value is never loaded, so not
// even a NaN in it can reach the output. The terms of every sum are added with s ascending,
// whatever T and S are: a prefix, or a longer run, gives the same bits for the same query. Throws
// std::invalid_argument for shapes that do not fit and for a query that may read nothing. Source:
// Vaswani et al. 2017, section 3.2.1. The test that would notice a leak:
// rewriting_the_future_leaves_the_past_alone.
inline Attention attend(const Matrix& q, const Matrix& k, const Matrix& v,
                        const std::vector<int>& query_positions,
                        const std::vector<int>& key_positions, const Mask& mask) {
    require_filled(q, "attend: q");
    require_filled(v, "attend: v");
    require_shape(q, query_positions.size(), q.cols, "attend: q (one row per query position)");
    require_shape(k, key_positions.size(), q.cols, "attend: k (one row per key position)");
    require_shape(v, key_positions.size(), v.cols, "attend: v (one row per key position)");
    const double root_of_width = std::sqrt(static_cast<double>(q.cols));

    Attention result{Matrix(q.rows, v.cols), Matrix(q.rows, k.rows), 0};
#ifdef GLASSBOX_FAST // MODE=release: the same sums, faster
    const std::vector<KeyRange> ranges = readable_ranges(query_positions, key_positions, mask);
    if (!ranges.empty()) {
        attend_fast({{q.values.data(), q.cols},
                     {k.values.data(), k.cols},
                     {v.values.data(), v.cols},
                     {result.output.values.data(), v.cols},
                     {result.weights.values.data(), k.rows},
                     q.cols,
                     v.cols},
                    ranges);
        result.scores_read = keys_in(ranges);
        return result;
    }
#endif
    for (std::size_t t = 0; t < q.rows; ++t) {
        const std::vector<std::size_t> keys =
            readable_keys(query_positions[t], key_positions, mask);

        result.scores_read += keys.size();

        // (1) scores: how well does the query fit each key that it may read?
        std::vector<double> scores;
        for (const std::size_t s : keys)
            scores.push_back(dot(q.row(t), k.row(s)) / root_of_width);

        // (2) softmax: scores become shares of 1
        const std::vector<double> weights = softmax(scores);

        // (3) weighted values: mix the values in these shares
        for (std::size_t i = 0; i < keys.size(); ++i) {
            result.weights(t, keys[i]) = weights[i];
            for (std::size_t c = 0; c < v.cols; ++c)
                result.output(t, c) += weights[i] * v(keys[i], c);
        }
    }
    return result;
}

} // namespace glassbox
