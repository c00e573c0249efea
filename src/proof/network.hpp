// The correct model that the gallery of leaks bends: one block behind a code of positions.
//
//     x + code ---+--> norm --> attend --> (+) --+--> ln2 --> mlp --> (+) --> output
//                 +-----------------------+      +---------------------+
//
// It is the Block of lesson 09, with a cache, and with four of its parts exchangeable. As it is
// made, each part is the right one: its bits are the block's.
#pragma once

#include "model/block.hpp"
#include "numbers/matrix.hpp"
#include "proof/subject.hpp"

#include <algorithm>
#include <any>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace glassbox {

// What the network keeps of the positions that it has seen: a row for each.
struct Memory {
    Matrix inputs, keys, values, outputs;
};

struct Network {
    Block block;

    // What a leak may exchange. `first` is the absolute position of the first row that came in.
    std::function<Matrix(std::size_t first, std::size_t count)> code; // count x C
    std::function<Matrix(const Matrix& x)> norm;
    std::function<Attention(const Matrix& q, const Matrix& k, const Matrix& v, std::size_t first)>
        attend; // q: the rows that came in; k, v: all rows so far
    std::function<Matrix(const Matrix& x)> mlp;

    explicit Network(const Block& right, const Mask& mask = {});

    // The rows that follow on those in memory; {output, weights} for them. A full run extends an
    // empty memory.
    Attention extend(Memory& memory, const Matrix& chunk) const;

    // The outputs for all of x: what memory holds of it is kept, `extra` positions more than that
    // are kept wrongly (0 in a correct network).
    Matrix resume(Memory& memory, const Matrix& x, std::size_t extra = 0) const;
};

inline std::vector<int> positions_from(std::size_t first, std::size_t count) {
    return positions_from(static_cast<int>(first), count);
}

inline Network::Network(const Block& right, const Mask& mask)
    : block(right), code([C = right.ln1.gain.cols](std::size_t first, std::size_t count) {
          return sinusoidal_positions(positions_from(first, count), C);
      }),
      norm(right.ln1),
      attend([mask](const Matrix& q, const Matrix& k, const Matrix& v, std::size_t first) {
          return glassbox::attend(q, k, v, positions_from(first, q.rows),
                                  positions_from(std::size_t{0}, k.rows), mask);
      }),
      mlp(right.mlp) {}

inline Attention Network::extend(Memory& memory, const Matrix& chunk) const {
    const std::size_t first = memory.inputs.rows;
    append_rows(memory.inputs, chunk);
    const Matrix x = chunk + code(first, chunk.rows);
    const Matrix normed = norm(x);
    append_rows(memory.keys, block.attention.key(normed));
    append_rows(memory.values, block.attention.value(normed));
    const Attention attention =
        attend(block.attention.query(normed), memory.keys, memory.values, first);
    const Matrix after_attention = x + attention.output;
    const Matrix output = after_attention + mlp(block.ln2(after_attention));
    append_rows(memory.outputs, output);
    return {output, attention.weights};
}

inline Matrix Network::resume(Memory& memory, const Matrix& x, std::size_t extra) const {
    std::size_t kept = 0;
    while (kept < std::min(memory.inputs.rows, x.rows) &&
           same_bits(memory.inputs.row(kept), x.row(kept)))
        ++kept;
    kept = std::min(kept + extra, std::min(memory.inputs.rows, x.rows));
    for (Matrix* part : {&memory.inputs, &memory.keys, &memory.values, &memory.outputs})
        *part = rows_of(*part, 0, kept);
    if (kept < x.rows)
        extend(memory, rows_of(x, kept, x.rows - kept));
    return memory.outputs;
}

// Attention in which any rule takes the mask's place. What may not be read is not read; a query
// that may read nothing gets zeros.
inline Attention attend_where(const Matrix& q, const Matrix& k, const Matrix& v, std::size_t first,
                              const std::function<bool(std::size_t t, std::size_t s)>& may_read) {
    Attention result{Matrix(q.rows, v.cols), Matrix(q.rows, k.rows)};
    for (std::size_t t = 0; t < q.rows; ++t) {
        Matrix keys, values;
        std::vector<std::size_t> read;
        for (std::size_t s = 0; s < k.rows; ++s)
            if (may_read(first + t, s)) {
                read.push_back(s);
                append_rows(keys, rows_of(k, s, 1));
                append_rows(values, rows_of(v, s, 1));
            }
        if (read.empty())
            continue;
        const Attention one = attend(rows_of(q, t, 1), keys, values, {0},
                                     std::vector<int>(read.size(), 0), {.causal = false});
        std::ranges::copy(one.output.row(0), result.output.row(t).begin());
        for (std::size_t i = 0; i < read.size(); ++i)
            result.weights(t, read[i]) = one.weights(0, i);
    }
    return result;
}

// Attention in the matrix form of most frameworks: all scores, some of them replaced by `fill`, a
// softmax, all values. Whatever the mask says, everything is read. Filled with -infinity above the
// diagonal it gives attend's bits as long as all is finite: what is added there is 0 times a value.
using Fill = std::function<double(std::size_t t, std::size_t s, double score)>;

inline Matrix filled_scores(const Matrix& q, const Matrix& k, std::size_t first, const Fill& fill) {
    const double root_of_width = std::sqrt(static_cast<double>(q.cols));
    Matrix scores = matmul_transposed(q, k);
    for (std::size_t t = 0; t < scores.rows; ++t)
        for (std::size_t s = 0; s < scores.cols; ++s)
            scores(t, s) = fill(first + t, s, scores(t, s) / root_of_width);
    return scores;
}

inline Attention attend_filled(const Matrix& q, const Matrix& k, const Matrix& v, std::size_t first,
                               const Fill& fill) {
    const Matrix weights = softmax_rows(filled_scores(q, k, first, fill));
    return {matmul(weights, v), weights};
}

// The network with everything it can show of itself: outputs, weights, cache, packed documents. It
// claims that all of the past matters.
inline Subject subject_of(const Network& network) {
    const auto run = [network](const Matrix& x) {
        Memory memory;
        return network.extend(memory, x);
    };
    Subject subject{[run](const Matrix& x) { return run(x).output; }};
    subject.weights = [run](const Matrix& x) { return std::vector{run(x).weights}; };
    subject.cached =
        CachedModel{[] { return std::any(Memory{}); },
                    [network](std::any& cache, const Matrix& chunk) {
                        return network.extend(std::any_cast<Memory&>(cache), chunk).output;
                    },
                    [network](std::any& cache, const Matrix& x) {
                        return network.resume(std::any_cast<Memory&>(cache), x);
                    }};
    subject.reach = causal_reach();
    subject.packed = [network](const Matrix& x, std::size_t boundary) {
        Network two = network; // positions start again, and nobody reads the other document
        two.code = [network, boundary](std::size_t, std::size_t count) {
            Matrix code = network.code(0, boundary);
            append_rows(code, network.code(0, count - boundary));
            return code;
        };
        two.attend = [network, boundary](const Matrix& q, const Matrix& k, const Matrix& v,
                                         std::size_t) {
            const auto alone = [&](std::size_t first, std::size_t count) {
                return network
                    .attend(rows_of(q, first, count), rows_of(k, first, count),
                            rows_of(v, first, count), 0)
                    .output;
            };
            Attention both{alone(0, boundary), {}};
            append_rows(both.output, alone(boundary, q.rows - boundary));
            return both;
        };
        Memory memory;
        return two.extend(memory, x).output;
    };
    return subject;
}

} // namespace glassbox
