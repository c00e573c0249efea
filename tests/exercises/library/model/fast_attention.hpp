// attend for MODE=release: the same sums, each with its terms in the same order, so the same bits,
// many times as fast. Like fast_matmul.hpp it knows bare numbers only; what a query may read comes
// as a range of keys.
//
//     eight queries at once      keys that all eight may read:  tiles of 8 x 8 sums
//                                keys that some may read:       one query at a time
//                                keys that none may read:       not even copied
#pragma once

#include "model/operations.hpp"
#include "numbers/fast_matmul.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace glassbox {

// Rows of a matrix, or of a range of its columns: row r begins at first + r * step.
template <class Number>
struct Rows {
    Number* first;
    std::size_t step;
    Number* operator[](std::size_t r) const { return first + r * step; }
};

// The keys first .. last - 1.
struct KeyRange {
    std::size_t first, last;
};

// What one head reads and writes: T queries and S keys, D wide, and S values, W wide.
struct HeadRows {
    Rows<const double> q, k, v;
    Rows<double> output;  // T rows of W
    Rows<double> weights; // T rows of S, all 0 before; or first is null: not wanted
    std::size_t D, W;
};

// scores[s] = q . k[s] / root_of_width for the keys of a range.
inline void score_keys(const double* q, Rows<const double> k, KeyRange keys, std::size_t D,
                       double root_of_width, double* scores) {
    std::size_t s = keys.first;
    double sums[8];
    for (; s + 8 <= keys.last; s += 8) {
        eight_dots(q, k[s], k.step, D, sums);
        for (std::size_t j = 0; j < 8; ++j)
            scores[s + j] = sums[j] / root_of_width;
    }
    for (; s < keys.last; ++s) {
        double sum = 0.0;
        for (std::size_t c = 0; c < D; ++c)
            sum += q[c] * k[s][c];
        scores[s] = sum / root_of_width;
    }
}

// softmax of operations.hpp in place. The maximum is taken in eight lanes: which of equal numbers
// it finds makes no difference to exp.
inline void softmax_in_place(std::span<double> scores) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double lanes[8];
    std::ranges::fill(lanes, -infinity);
    std::size_t s = 0;
    for (; s + 8 <= scores.size(); s += 8)
        for (std::size_t i = 0; i < 8; ++i)
            lanes[i] = std::max(lanes[i], scores[s + i]);
    double largest = *std::ranges::max_element(lanes);
    for (; s < scores.size(); ++s)
        largest = std::max(largest, scores[s]);
    if (largest == -infinity) { // NaNs, or nothing to share the weight among: softmax knows
        std::ranges::copy(softmax(scores), scores.begin());
        return;
    }
    double sum = 0.0;
    for (double& score : scores) {
        score = std::exp(score - largest);
        sum += score;
    }
    for (double& score : scores)
        score /= sum;
}

// sums[j] += weights[s] * v[s][j] for up to eight columns, s ascending over a range.
inline void add_values(const double* weights, Rows<const double> v, KeyRange keys,
                       std::size_t columns, double (&sums)[8]) {
    double sum[8];
    std::copy_n(sums, 8, sum);
    if (columns == 8) // a fixed number stays in registers
        for (std::size_t s = keys.first; s < keys.last; ++s)
            for (std::size_t j = 0; j < 8; ++j)
                sum[j] += weights[s] * v[s][j];
    else
        for (std::size_t s = keys.first; s < keys.last; ++s)
            for (std::size_t j = 0; j < columns; ++j)
                sum[j] += weights[s] * v[s][j];
    std::copy_n(sum, 8, sums);
}

// Attention of one head, up to eight queries at a time, with the memory that it needs.
class HeadInTiles {
public:
    // readable: what each query may read, at least one key; neither end ever moves back.
    void operator()(const HeadRows& head, std::span<const KeyRange> readable) {
        const std::size_t T = readable.size(), together = std::min<std::size_t>(8, T);
        step_ = readable.back().last + 8; // no power of 2, which caches dislike
        grow(scores_, 8 * step_);
        packed_ = readable.front().first;
        for (std::size_t t = 0; t < T; t += 8) { // the last eight may overlap those before
            const std::size_t top = std::min(t, T - together);
            const std::span<const KeyRange> group = readable.subspan(top, together);
            if (together == 8) // keys enter the panels when all of the group may read them
                pack(head, group.front().last);
            compute_scores(head, top, group);
            for (std::size_t r = 0; r < group.size(); ++r)
                softmax_in_place({scores(r) + group[r].first, scores(r) + group[r].last});
            mix_values(head, top, group);
            for (std::size_t r = 0; r < group.size() && head.weights.first != nullptr; ++r)
                std::copy(scores(r) + group[r].first, scores(r) + group[r].last,
                          head.weights[top + r] + group[r].first);
        }
    }

private:
    std::size_t step_ = 0, packed_ = 0;
    std::vector<double> scores_;       // 8 queries: [r][s]
    std::vector<double> key_panels_;   // 8 keys each: [s / 8][c][s % 8]
    std::vector<double> value_panels_; // 8 columns each: [c / 8][s][c % 8]

    double* scores(std::size_t r) { return scores_.data() + r * step_; }

    // Memory is kept for the next head: the first touch of a page is expensive.
    static void grow(std::vector<double>& memory, std::size_t count) {
        if (memory.size() < count)
            memory.resize(count);
    }

    void pack(const HeadRows& head, std::size_t last) {
        grow(key_panels_, step_ * head.D);
        grow(value_panels_, (head.W + 7) / 8 * 8 * step_);
        for (; packed_ < last; ++packed_) {
            const std::size_t s = packed_;
            for (std::size_t c = 0; c < head.D; ++c)
                key_panels_[s / 8 * 8 * head.D + c * 8 + s % 8] = head.k[s][c];
            for (std::size_t c = 0; c < (head.W + 7) / 8 * 8; ++c)
                value_panels_[(c / 8 * step_ + s) * 8 + c % 8] = c < head.W ? head.v[s][c] : 0.0;
        }
    }

    // The keys that every query of a group of eight may read; for fewer queries none.
    static KeyRange shared_by(std::span<const KeyRange> group) {
        const std::size_t first = group.back().first, last = group.front().last;
        return group.size() == 8 && first < last ? KeyRange{first, last} : KeyRange{first, first};
    }

    void compute_scores(const HeadRows& head, std::size_t top, std::span<const KeyRange> group) {
        const double root_of_width = std::sqrt(static_cast<double>(head.D));
        const KeyRange shared = shared_by(group);
        const std::size_t first = (shared.first + 7) / 8 * 8; // whole panels only
        const std::size_t last = std::max(first, shared.last / 8 * 8);
        for (std::size_t s = first; s < last; s += 8) {
            double sums[8][8] = {};
            tile(head.q[top], head.q.step, &key_panels_[s * head.D], head.D, sums);
            for (std::size_t r = 0; r < 8; ++r)
                for (std::size_t j = 0; j < 8; ++j)
                    scores(r)[s + j] = sums[r][j] / root_of_width;
        }
        for (std::size_t r = 0; r < group.size(); ++r) {
            const auto score = [&](KeyRange keys) {
                score_keys(head.q[top + r], head.k, keys, head.D, root_of_width, scores(r));
            };
            if (first == last) {
                score(group[r]);
            } else {
                score({group[r].first, first});
                score({last, group[r].last});
            }
        }
    }

    // Keys before those that all may read, then these, then the later ones: s ascends.
    void mix_values(const HeadRows& head, std::size_t top, std::span<const KeyRange> group) {
        const KeyRange shared = shared_by(group);
        const bool none = shared.first == shared.last;
        for (std::size_t c = 0; c < head.W; c += 8) {
            const std::size_t columns = std::min<std::size_t>(8, head.W - c);
            const Rows<const double> v{head.v.first + c, head.v.step};
            double sums[8][8] = {};
            for (std::size_t r = 0; r < group.size(); ++r)
                add_values(scores(r), v, {group[r].first, none ? group[r].last : shared.first},
                           columns, sums[r]);
            if (!none)
                tile(scores_.data() + shared.first, step_,
                     &value_panels_[(c / 8 * step_ + shared.first) * 8], shared.last - shared.first,
                     sums);
            for (std::size_t r = 0; r < group.size(); ++r) {
                if (!none)
                    add_values(scores(r), v, {shared.last, group[r].last}, columns, sums[r]);
                std::copy_n(sums[r], columns, head.output[top + r] + c);
            }
        }
    }
};

// One head. Throws std::invalid_argument as softmax does.
inline void attend_fast(const HeadRows& head, std::span<const KeyRange> readable) {
    thread_local HeadInTiles in_tiles;
    in_tiles(head, readable);
}

} // namespace glassbox
