// The product of lesson 20: the sums of the textbook loop, each with its terms in the same order,
// so with the same bits, many times as fast.   c = a b;  a: n x m, b: m x p, c: n x p
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

namespace glassbox {

// c[r][j] += sum over k of a[r * step + k] * panel[k * 8 + j]: 64 sums that stay in registers.
// Compilers vectorise the order k, column, row with fixed sizes; inlined into more loops, or with c
// a part of something wider, they do it worse or not at all.
[[gnu::noinline]] inline void tile(const double* a, std::size_t step, const double* panel,
                                   std::size_t m, double (&c)[8][8]) {
    double sum[8][8];
    std::copy_n(&c[0][0], 64, &sum[0][0]);
    for (std::size_t k = 0; k < m; ++k)
        for (std::size_t j = 0; j < 8; ++j)
            for (std::size_t r = 0; r < 8; ++r)
                sum[r][j] += a[r * step + k] * panel[k * 8 + j];
    std::copy_n(&sum[0][0], 64, &c[0][0]);
}

// c = a b in tiles; n and p at least 8. `pack(j, panel)` copies the columns j .. j + 7 of b into a
// panel. At a ragged edge the last tile is moved back inside: the same bits, computed twice.
template <class Pack>
void multiply_in_tiles(std::span<const double> a, std::span<double> c, std::size_t n, std::size_t m,
                       std::size_t p, const Pack& pack) {
    thread_local std::vector<double> panels; // kept: the first touch of a page is expensive
    panels.resize(std::max(panels.size(), 64 * m));
    for (std::size_t left = 0, right; left < p; left = right) { // eight panels fit into the cache
        right = std::min(p, left + 64);
        for (std::size_t j = left; j < right; j += 8) // a panel: eight columns of b in one piece
            pack(std::min(j, p - 8), &panels[(j - left) * m]);
        for (std::size_t i = 0; i < n; i += 8)
            for (std::size_t j = left; j < right; j += 8) {
                const std::size_t top = std::min(i, n - 8), column = std::min(j, p - 8);
                double sums[8][8] = {};
                tile(a.data() + top * m, m, panels.data() + (j - left) * m, m, sums);
                for (std::size_t r = 0; r < 8; ++r)
                    std::copy_n(sums[r], 8, &c[(top + r) * p + column]);
            }
    }
}

// The same with fewer than eight rows or columns, where there is no room for a tile. While b is
// small it lies in the nearest cache, and eight sums at a time stay in registers; a large one is
// read once, row after row.
inline void multiply_few(std::span<const double> a, std::span<const double> b, std::span<double> c,
                         std::size_t n, std::size_t m, std::size_t p) {
    const std::size_t in_registers = m * p <= 4096 ? p / 8 * 8 : 0;
    std::ranges::fill(c, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t left = 0; left < in_registers; left += 8) {
            double sum[8] = {};
            for (std::size_t k = 0; k < m; ++k)
                for (std::size_t j = 0; j < 8; ++j)
                    sum[j] += a[i * m + k] * b[k * p + left + j];
            std::copy_n(sum, 8, &c[i * p + left]);
        }
        for (std::size_t k = 0; k < m; ++k)
            for (std::size_t j = in_registers; j < p; ++j)
                c[i * p + j] += a[i * m + k] * b[k * p + j];
    }
}

// Any shape. Throws std::invalid_argument for spans of other sizes.
inline void matmul_fast(std::span<const double> a, std::span<const double> b, std::span<double> c,
                        std::size_t n, std::size_t m, std::size_t p) {
    if (a.size() != n * m || b.size() != m * p || c.size() != n * p)
        throw std::invalid_argument("matmul_fast: wanted spans of n*m, m*p and n*p numbers");
    if (n < 8 || p < 8)
        return multiply_few(a, b, c, n, m, p);
    multiply_in_tiles(a, c, n, m, p, [&](std::size_t j, double* panel) {
        for (std::size_t k = 0; k < m; ++k)
            std::copy_n(&b[k * p + j], 8, &panel[k * 8]);
    });
}

// sums[j] = a . row j of b, for eight rows that are `step` apart: eight sums that do not wait for
// each other, where a single one waits for its own last value.
inline void eight_dots(const double* a, const double* b, std::size_t step, std::size_t m,
                       double (&sums)[8]) {
    double sum[8] = {};
    for (std::size_t k = 0; k < m; ++k)
        for (std::size_t j = 0; j < 8; ++j)
            sum[j] += a[k] * b[j * step + k];
    std::copy_n(sum, 8, sums);
}

// c = a b^T with b as it lies, p x m: each panel is eight rows of b. Any shape; throws as
// matmul_fast.
inline void matmul_transposed_fast(std::span<const double> a, std::span<const double> b,
                                   std::span<double> c, std::size_t n, std::size_t m,
                                   std::size_t p) {
    if (a.size() != n * m || b.size() != p * m || c.size() != n * p)
        throw std::invalid_argument(
            "matmul_transposed_fast: wanted spans of n*m, p*m and n*p numbers");
    if (n >= 8 && p >= 8)
        return multiply_in_tiles(a, c, n, m, p, [&](std::size_t j, double* panel) {
            for (std::size_t k = 0; k < m; ++k)
                for (std::size_t i = 0; i < 8; ++i)
                    panel[k * 8 + i] = b[(j + i) * m + k];
        });
    double sums[8];
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t j = 0;
        for (; j + 8 <= p; j += 8) {
            eight_dots(a.data() + i * m, b.data() + j * m, m, m, sums);
            std::copy_n(sums, 8, &c[i * p + j]);
        }
        for (; j < p; ++j) {
            double sum = 0.0;
            for (std::size_t k = 0; k < m; ++k)
                sum += a[i * m + k] * b[j * m + k];
            c[i * p + j] = sum;
        }
    }
}

} // namespace glassbox
