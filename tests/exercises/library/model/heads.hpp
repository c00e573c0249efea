// Several heads: attention done H times, each time on its own few columns.
//
//     C = 8 channels, H = 4 heads, D = C / H = 2 columns a head, G = 2 groups
//
//     column             0     1     2     3     4     5     6     7
//     q and the output   [ head 0 ]  [ head 1 ]  [ head 2 ]  [ head 3 ]
//     k and v            [ group 0]  [ group 1]
//                        heads 0, 1  heads 2, 3   read it
//
// Head h is the columns h*D .. h*D + D - 1, and that is all: no third dimension, nothing is
// reshaped or transposed. G = H is multi-head attention, G = 1 multi-query, anything between
// grouped-query. (Vaswani et al. 2017; Shazeer 2019; Ainslie et al. 2023)
#pragma once

#include "model/attention.hpp"
#include "model/mask.hpp"
#include "numbers/matrix.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace glassbox {

inline std::string counted(std::size_t count, const std::string& thing) {
    return size_text(count) + " " + thing + (count == 1 ? "" : "s");
}

// States that `parts` things share `whole` things without a remainder. Throws std::invalid_argument
// that names the nearest numbers that would: 48 heads do not divide 1600 channels; 40 and 50 do.
inline void require_divides(std::size_t parts, const char* part, std::size_t whole,
                            const char* thing) {
    if (parts != 0 && parts <= whole && whole % parts == 0)
        return;
    const std::string came = "Heads: " + counted(parts, part);
    if (parts == 0)
        throw std::invalid_argument(came + "; wanted at least 1");
    if (parts > whole)
        throw std::invalid_argument(came + " for " + counted(whole, thing) + "; wanted at most " +
                                    size_text(whole));
    std::size_t below = parts, above = parts;
    while (whole % below != 0)
        --below; // 1 divides everything
    while (whole % above != 0)
        ++above; // whole divides itself
    throw std::invalid_argument(came + " do not divide " + counted(whole, thing) + "; " +
                                std::to_string(below) + " and " + std::to_string(above) + " do");
}

// How many heads ask, and how many groups of keys and values they share.
struct Heads {
    std::size_t count = 1;  // H
    std::size_t groups = 1; // G, a divisor of H

    // H / G, the heads that share a group. Throws std::invalid_argument if G does not divide H.
    std::size_t per_group() const {
        require_divides(groups, "group", count, "head");
        return count / groups;
    }

    // D = C / H, the columns of one head. Throws std::invalid_argument if H does not divide C, or G
    // not H.
    std::size_t width(std::size_t C) const {
        require_divides(count, "head", C, "channel");
        per_group();
        return C / count;
    }

    // The group that head h reads. Neighbours share: 0 0 1 1 for H = 4 and G = 2.
    // Throws std::out_of_range for an h of H or more, and what per_group() throws.
    std::size_t group_of(std::size_t h) const {
        if (h >= count)
            throw std::out_of_range("Heads: no head " + size_text(h) + " among " +
                                    counted(count, "head") + "; they count from 0");
        return h / per_group();
    }
};

// How many numbers a cache keeps for T positions of one layer, keys and values: 2 T G D.
// Fewer groups, smaller cache; for a given D the number of heads does not matter.
// Throws as Heads::width.
inline std::size_t cached_numbers(std::size_t T, std::size_t C, const Heads& heads) {
    return 2 * T * heads.groups * heads.width(C);
}

struct HeadedAttention {
    Matrix output;               // T x C, head h in its columns h*D .. h*D + D - 1
    std::vector<Matrix> weights; // H matrices, T x S each: row who asks, column who is read
    std::size_t scores_read = 0; // over all heads
};

// H matrices of T x S numbers are more than all the rest of a pass where T and S are large.
enum class Weights { kept, dropped };

// Keys or values have one row per key position and D columns per group. Throws
// std::invalid_argument that names what a wrong width would fit.
inline void require_groups(const Matrix& m, std::size_t S, std::size_t D, const Heads& heads,
                           std::string_view name) {
    require_filled(m, name);
    if (m.rows != S)
        require_shape(m, S, m.cols, std::string(name) + " (one row per key position)");
    if (m.cols == heads.groups * D)
        return;
    const std::size_t others = m.cols / D;
    const bool fits = m.cols % D == 0 && heads.count % others == 0;
    throw std::invalid_argument(std::string(name) + " has " + counted(m.cols, "column") +
                                ", wanted " + std::to_string(heads.groups * D) + ", " +
                                std::to_string(D) + " for each of " +
                                counted(heads.groups, "group") +
                                (fits ? "; this fits .groups = " + std::to_string(others)
                                      : "; its weight matrix must have as many"));
}

// States that T queries and S keys and values are what these heads read. Throws as attend_heads.
inline void require_heads(const Matrix& q, const Matrix& k, const Matrix& v, const Heads& heads,
                          std::size_t T, std::size_t S) {
    require_filled(q, "attend_heads: q");
    require_shape(q, T, q.cols, "attend_heads: q (one row per query position)");
    const std::size_t D = heads.width(q.cols);
    require_groups(k, S, D, heads, "attend_heads: k");
    require_groups(v, S, D, heads, "attend_heads: v");
}

// q: T x C, k and v: S x GD. Head h attends with its own columns of q to the columns of its group:
//
//     output[h*D .. h*D+D-1] = attend(q[h*D .. h*D+D-1], k[g*D .. g*D+D-1], v[g*D .. g*D+D-1])
//
// with g the group of h. The scale is 1/sqrt(D), as each head is D wide. Mask, positions and the
// order of additions are attend's, so prefixes and cached chunks give the same bits here too.
// Throws std::invalid_argument for numbers that do not divide and shapes that do not fit. The test
// that would notice a head in the wrong place: four_groups_are_multi_head_attention.
inline HeadedAttention attend_heads(const Matrix& q, const Matrix& k, const Matrix& v,
                                    const Heads& heads, const std::vector<int>& query_positions,
                                    const std::vector<int>& key_positions, const Mask& mask,
                                    Weights weights = Weights::kept) {
    require_heads(q, k, v, heads, query_positions.size(), key_positions.size());
    const std::size_t D = heads.width(q.cols);
    HeadedAttention result{Matrix(q.rows, q.cols), {}, 0};
#ifdef GLASSBOX_FAST // MODE=release: the same sums, faster, and no columns are copied
    const std::vector<KeyRange> ranges = readable_ranges(query_positions, key_positions, mask);
    for (std::size_t h = 0; h < heads.count && !ranges.empty(); ++h) {
        const std::size_t own = h * D, shared = heads.group_of(h) * D;
        if (weights == Weights::kept)
            result.weights.emplace_back(q.rows, k.rows);
        attend_fast({{&q.values[own], q.cols},
                     {&k.values[shared], k.cols},
                     {&v.values[shared], v.cols},
                     {&result.output.values[own], q.cols},
                     {weights == Weights::kept ? result.weights[h].values.data() : nullptr, k.rows},
                     D,
                     D},
                    ranges);
        result.scores_read += keys_in(ranges);
    }
    if (!ranges.empty())
        return result;
#endif
    for (std::size_t h = 0; h < heads.count; ++h) {
        const std::size_t own = h * D;                    // where the head's columns begin
        const std::size_t shared = heads.group_of(h) * D; // where its group's columns begin
        const Attention head =
            attend(columns_of(q, own, D), columns_of(k, shared, D), columns_of(v, shared, D),
                   query_positions, key_positions, mask);
        for (std::size_t t = 0; t < q.rows; ++t)
            std::ranges::copy(head.output.row(t), result.output.row(t).subspan(own, D).begin());
        if (weights == Weights::kept)
            result.weights.push_back(head.weights);
        result.scores_read += head.scores_read;
    }
    return result;
}

} // namespace glassbox
