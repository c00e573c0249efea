// Lesson 04: softmax
//
// Question: how do scores of any size become shares that sum to 1, without overflowing?
// New here: softmax, softmax_rows. From lesson 01: Matrix, same_bits. Text: docs/04_softmax.md
//
// Predict before you run: add 100 to all scores of a row. What happens to its weights?

#include "model/operations.hpp"
#include "show/figure.hpp"
#include "show/terminal.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <limits>
#include <numeric>

using namespace glassbox;

// The formula as printed in books: exp(x) / sum of exp(x). Fine on paper.
Matrix naive_softmax(const Matrix& row) {
    Matrix weights = for_each_element(row, [](double score) { return std::exp(score); });
    return weights * (1.0 / std::accumulate(weights.values.begin(), weights.values.end(), 0.0));
}

int lesson() {
    step(1, "scores become shares of 1; one more in score is e = 2.7183 times the weight");
    const Matrix scores{{1, 2, 3}, //
                        {0, 0, 0}};
    const Matrix weights = softmax_rows(scores);
    show("weights", weights, "t", "s");
    bool sums_to_one = true;
    for (std::size_t t = 0; t < weights.rows; ++t) {
        const double sum = std::accumulate(weights.row(t).begin(), weights.row(t).end(), 0.0);
        std::cout << "row " << t << " sums to " << fixed(sum) << "\n";
        sums_to_one = sums_to_one && std::abs(sum - 1.0) < 1e-15;
    }

    step(2, "adding a constant to a row changes nothing");
    const Matrix shifted{{101, 102, 103}};
    const bool shift_is_lost = same_bits(softmax_rows(shifted).row(0), weights.row(0));
    std::cout << "all scores shifted, the weights keep every bit: " << yes_or_no(shift_is_lost)
              << "\n";

    step(3, "that is the cure for overflow: subtract the row's maximum");
    const Matrix large{{1000, 1001, 1002}};
    std::cout << "exp(1000) is " << fixed(std::exp(1000.0)) << ": a double ends near 1.8e308\n";
    show("as printed in books", naive_softmax(large), "t", "s");
    std::cout << "nan, because infinity times 1/infinity has no value\n";
    show("maximum subtracted", softmax_rows(large), "t", "s");
    const Matrix low{{-1002, -1001, -1000}};
    show("the same far below zero", softmax_rows(low), "t", "s");
    const bool no_overflow = same_bits(softmax_rows(large).row(0), weights.row(0)) &&
        same_bits(softmax_rows(low).row(0), weights.row(0));

    step(4, "a score of -infinity gets a weight of exactly 0");
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Matrix masked = softmax_rows({{1, 2, -infinity}});
    show("weights", masked, "t", "s");
    bool nothing_refused = false;
    try {
        softmax_rows({{1, 2, 3}, {-infinity, -infinity, -infinity}});
    } catch (const std::invalid_argument& error) {
        nothing_refused = true;
        std::cout << "only -infinity: " << error.what() << "\n";
    }

    step(5, "intervene: change the last score of row 0");
    Matrix changed = scores;
    changed(0, 2) = 9;
    const Matrix moved = softmax_rows(changed);
    show("weights", moved, "t", "s");
    const bool row_1_kept = same_bits(moved.row(1), weights.row(1));
    const bool all_of_row_0_moved = moved(0, 0) != weights(0, 0) && moved(0, 1) != weights(0, 1) &&
        moved(0, 2) != weights(0, 2);
    std::cout << "all of row 0 moved: " << yes_or_no(all_of_row_0_moved)
              << ", row 1 kept every bit: " << yes_or_no(row_1_kept) << "\n";

    return verdict("SOFTMAX SHARES OUT 1, ROW BY ROW",
                   sums_to_one && shift_is_lost && no_overflow && masked(0, 2) == 0.0 &&
                       nothing_refused && row_1_kept && all_of_row_0_moved);
}

// Four rows of scores, and their shares as bars.
void figures(const std::filesystem::path& folder) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Matrix scores{{1, 2, 3}, {101, 102, 103}, {1, 2, 9}, {1, 2, -infinity}};
    const std::array<const char*, 4> names{"as they are", "100 more each", "the last one 9",
                                           "the last masked"};
    const Matrix shares = softmax_rows(scores);
    const Plot plot{0, 4, 0, 1.1};
    Svg svg({.title = "Scores, and their shares as bars",
             .description = "Four groups of three bars. Scores 1, 2, 3 and scores 101, 102, 103 "
                            "have the same bars. With 9 in place of 3 the last bar is nearly 1 and "
                            "the others nearly 0. With minus infinity there is no third bar.",
             .row_axis = "",
             .column_axis = ""},
            620, 360);
    plot.draw_y_axis(svg, "share");
    svg.words(Plot::left - 8, Plot::bottom + 19, "score", "end");
    for (std::size_t r = 0; r < 4; ++r) {
        const double middle = plot.x(static_cast<double>(r) + 0.5);
        svg.words(middle, Plot::bottom + 44, names[r], "middle");
        for (std::size_t c = 0; c < 3; ++c) {
            const double x = middle + 34 * (static_cast<double>(c) - 1), y = plot.y(shares(r, c));
            svg.rectangle(x - 13, y, 26, Plot::bottom - y, "#0072b2");
            svg.words(x, y - 6, shares(r, c) == 0.0 ? "0" : fixed(shares(r, c), 2), "middle");
            svg.words(x, Plot::bottom + 19, fixed(scores(r, c), 0), "middle");
        }
    }
    svg.line(Plot::left, Plot::bottom, Plot::right, Plot::bottom, Svg::ink);
    svg.write(folder / "04_shares.svg");
}

int main(int argc, char** argv) {
    return run(argc, argv, lesson, figures);
}
