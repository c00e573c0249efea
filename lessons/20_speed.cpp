// Lesson 20: speed
//
// Question: how fast can three plain loops be, and must one give up a bit for it?
// New here: matmul_fast. From lesson 01: matmul. Text: docs/20_speed.md
//
// Predict before you run: the same multiplications and additions in five orders. How many times
// faster is the last than the first, at n = 768?

#include "numbers/fast_matmul.hpp"
#include "numbers/matrix.hpp"
#include "numbers/random.hpp"
#include "show/figure.hpp"
#include "show/stopwatch.hpp"
#include "show/terminal.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <span>
#include <vector>

using namespace glassbox;

// The bare numbers of c = a b, all three n x n.
using Numbers = std::span<const double>;
using Product = void (*)(Numbers a, Numbers b, std::span<double> c, std::size_t n);

void textbook(Numbers a, Numbers b, std::span<double> c, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            double sum = 0.0;
            for (std::size_t k = 0; k < n; ++k)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

void by_rows(Numbers a, Numbers b, std::span<double> c, std::size_t n) {
    std::ranges::fill(c, 0.0);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t j = 0; j < n; ++j)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// As tile() of fast_matmul.hpp, but b is read where it lies: its rows are n numbers apart.
[[gnu::noinline]] void tile_in_place(const double* a, const double* b, std::size_t n,
                                     double (&c)[8][8]) {
    double sum[8][8] = {};
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t j = 0; j < 8; ++j)
            for (std::size_t r = 0; r < 8; ++r)
                sum[r][j] += a[r * n + k] * b[k * n + j];
    std::copy_n(&sum[0][0], 64, &c[0][0]);
}

// From here on n is a multiple of 8; matmul_fast takes any shape.
void by_tiles(Numbers a, Numbers b, std::span<double> c, std::size_t n) {
    double sums[8][8];
    for (std::size_t i = 0; i < n; i += 8)
        for (std::size_t j = 0; j < n; j += 8) {
            tile_in_place(&a[i * n], &b[j], n, sums);
            for (std::size_t r = 0; r < 8; ++r)
                std::copy_n(sums[r], 8, &c[(i + r) * n + j]);
        }
}

void by_panels(Numbers a, Numbers b, std::span<double> c, std::size_t n) {
    std::vector<double> panel(8 * n);
    for (std::size_t j = 0; j < n; j += 8) {
        for (std::size_t k = 0; k < n; ++k)
            std::copy_n(&b[k * n + j], 8, &panel[k * 8]);
        for (std::size_t i = 0; i < n; i += 8) {
            double sums[8][8] = {};
            tile(&a[i * n], n, panel.data(), n, sums);
            for (std::size_t r = 0; r < 8; ++r)
                std::copy_n(sums[r], 8, &c[(i + r) * n + j]);
        }
    }
}

void finished(Numbers a, Numbers b, std::span<double> c, std::size_t n) {
    matmul_fast(a, b, c, n, n, n);
}

struct Step {
    const char* name;
    Product product;
};
const std::vector<Step> steps{{"i, j, k", textbook},
                              {"i, k, j", by_rows},
                              {"tiles", by_tiles},
                              {"panels", by_panels},
                              {"matmul_fast", finished}};
const std::vector<std::size_t> sizes{16, 64, 256, 768, 1024};

// What this program printed once, in GFLOP/s, for the figure: one core of an AMD EPYC (Zen 4), g++
// 12. A row for each step, a column for each size. To draw your machine, run make lesson-20, fill
// in what it prints, and run make figures.
const double peak_once = 58.8;
const std::vector<std::vector<double>> rates_once{{6.5, 3.9, 0.9, 0.9},
                                                  {9.9, 16.5, 17.7, 12.6, 8.6},
                                                  {33.5, 40.4, 37.3, 22.6, 6.4},
                                                  {31.3, 46.3, 51.2, 46.4, 42.8},
                                                  {32.2, 46.1, 50.5, 48.2, 45.8}};

void print_sizes() {
    std::cout << "measured: GFLOP/s, n = ";
    for (const std::size_t n : sizes)
        std::cout << padded(std::to_string(n), 6) << padded("", n == sizes.back() ? 0 : 8);
    std::cout << "\n";
}

// One line: GFLOP/s and the share of the peak for each size. What would take seconds is left out.
void measure(const Step& step, double peak) {
    std::cout << "measured: " << padded(step.name, 11);
    double seconds = 0.0, last_size = 1.0;
    for (const std::size_t n : sizes) {
        const double size = static_cast<double>(n);
        if (seconds * std::pow(size / last_size, 3) > 1.2) {
            std::cout << padded("-", 8);
            break;
        }
        const Matrix a = NumpyRandom(1).normal(0, 1, n, n), b = NumpyRandom(2).normal(0, 1, n, n);
        Matrix c(n, n);
        seconds =
            seconds_of([&] { step.product(a.values, b.values, c.values, n); }, 9, 0.15).front();
        last_size = size;
        const double rate = 2e-9 * size * size * size / seconds;
        std::cout << padded(fixed(rate, 1), 8) << " (" << padded(fixed(100 * rate / peak, 0), 2)
                  << " %)";
    }
    std::cout << "\n";
}

// Every step against the textbook loop, bit for bit.
bool steps_agree() {
    bool all = true;
    for (const Step& step : steps) {
        bool same = true;
        for (const std::size_t n : {8U, 64U, 136U}) {
            const Matrix a = NumpyRandom(3).normal(0, 1, n, n);
            const Matrix b = NumpyRandom(4).normal(0, 1, n, n);
            Matrix expected(n, n), c(n, n);
            textbook(a.values, b.values, expected.values, n);
            step.product(a.values, b.values, c.values, n);
            same = same && same_bits(c, expected);
        }
        std::cout << padded(step.name, 11)
                  << ": the bits of i, j, k for n = 8, 64, 136: " << yes_or_no(same) << "\n";
        all = all && same;
    }
    return all;
}

// The proof of lesson 10 needs rows that know nothing of each other: a NaN stays in its row.
bool rows_are_independent() {
    Matrix a = NumpyRandom(5).normal(0, 1, 21, 30);
    const Matrix b = NumpyRandom(6).normal(0, 1, 30, 19);
    Matrix before(21, 19), after(21, 19);
    matmul_fast(a.values, b.values, before.values, 21, 30, 19);
    a(17, 4) = std::numeric_limits<double>::quiet_NaN();
    matmul_fast(a.values, b.values, after.values, 21, 30, 19);
    std::size_t moved = 0;
    for (std::size_t r = 0; r < a.rows; ++r)
        moved += !same_bits(before.row(r), after.row(r));
    std::cout << "a NaN in row 17 of a, 21 rows: " << moved << " row of the product moved\n";
    return moved == 1 && !same_bits(before.row(17), after.row(17));
}

// What -ffast-math lets a compiler make of a dot product: `lanes` sums side by side, added at the
// end. How many it takes depends on the processor.
template <std::size_t lanes>
double dot_in_lanes(Numbers a, Numbers b) {
    double part[lanes] = {};
    std::size_t k = 0;
    for (; k + lanes <= a.size(); k += lanes)
        for (std::size_t i = 0; i < lanes; ++i)
            part[i] += a[k + i] * b[k + i];
    double sum = 0.0;
    for (const double value : part)
        sum += value;
    for (; k < a.size(); ++k)
        sum += a[k] * b[k];
    return sum;
}

// a b^T with dot products in so many lanes; how many of its elements lost a bit?
template <std::size_t lanes>
std::size_t regrouped() {
    const Matrix a = NumpyRandom(7).normal(0, 1, 64, 100), b = NumpyRandom(8).normal(0, 1, 64, 100);
    Matrix in_order(64, 64), in_lanes(64, 64);
    for (std::size_t i = 0; i < 64; ++i)
        for (std::size_t j = 0; j < 64; ++j) {
            in_order(i, j) = dot(a.row(i), b.row(j));
            in_lanes(i, j) = dot_in_lanes<lanes>(a.row(i), b.row(j));
        }
    std::size_t other = 0;
    for (std::size_t i = 0; i < in_order.values.size(); ++i)
        other += !same_bits(in_order.values[i], in_lanes.values[i]);
    volatile double seen = 0.0;
    const auto seconds =
        seconds_of([&] { seen = seen + dot_in_lanes<lanes>(a.values, b.values); }, 9).front();
    std::cout << lanes << (lanes == 1 ? " sum: " : " sums:") << padded(std::to_string(other), 6)
              << " of 4096 elements have other bits, by up to "
              << scientific(max_abs_difference(in_order, in_lanes), 1)
              << "\nmeasured: " << fixed(2e-9 * static_cast<double>(a.values.size()) / seconds, 1)
              << " GFLOP/s\n";
    return other;
}

int lesson() {
#ifndef GLASSBOX_FAST
    std::cout << "measured: this build is not optimised: its times say little\n";
#endif
    step(1, "the peak: how many multiplications and additions can one core do in a second?");
    const double peak = peak_of_one_core();
    std::cout << "measured: " << fixed(peak, 1) << " GFLOP/s\n";

    step(2, "memory: the order i, j, k against i, k, j");
    print_sizes();
    measure(steps[0], peak);
    measure(steps[1], peak);

    step(3, "registers: a tile of 8 rows and 8 columns");
    print_sizes();
    measure(steps[2], peak);

    step(4, "panels: 8 columns of b in one piece; then 8 panels at once");
    print_sizes();
    measure(steps[3], peak);
    measure(steps[4], peak);

    step(5, "did any step change a bit?");
    const bool agree = steps_agree();
    const bool independent = rows_are_independent();

    step(6, "control: what -ffast-math would buy, and what it would break");
    const bool one_is_plain = regrouped<1>() == 0;
    const bool others_differ = regrouped<2>() > 0 && regrouped<4>() > 0 && regrouped<8>() > 0;

    return verdict("THE FAST PRODUCT KEEPS EVERY BIT",
                   agree && independent && one_is_plain && others_differ);
}

void figures(const std::filesystem::path& folder) {
    std::vector<Line> lines{{"peak", {16, 1024}, {peak_once, peak_once}}};
    for (std::size_t i = steps.size(); i-- > 0;) { // from the fastest to the slowest
        Line line{steps[i].name, {}, rates_once[i]};
        for (std::size_t at = 0; at < line.y.size(); ++at)
            line.x.push_back(static_cast<double>(sizes[at]));
        lines.push_back(line);
    }
    line_chart({.title = "A product of two n x n matrices, one core, measured once",
                .description =
                    "The textbook order falls to the bottom as n grows. The order i, k, j and "
                    "tiles read in place lie between. Panels stay close to the peak.",
                .row_axis = "GFLOP/s",
                .column_axis = "n"},
               lines)
        .write(folder / "20_speed.svg");
}

int main(int argc, char** argv) {
    return run(argc, argv, lesson, figures);
}
