// Lesson 06: the mask comes before the softmax
//
// Question: a mask sets weights to zero. Does it matter when?
// New here: the matrix form of attention. From lessons 04 and 05: softmax_rows, attend, Mask.
// Text: docs/06_mask_before_softmax.md
//
// Predict before you run: a future value is NaN and its weight is exactly 0. Is the output clean?

#include "model/attention.hpp"
#include "show/figure.hpp"
#include "show/terminal.hpp"

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <limits>
#include <numeric>
#include <vector>

using namespace glassbox;

// All scores at once, T x S, as most libraries compute them: q k^T / sqrt(D).
Matrix all_scores(const Matrix& q, const Matrix& k) {
    Matrix scores = matmul_transposed(q, k);
    for (double& score : scores.values)
        score /= std::sqrt(static_cast<double>(q.cols));
    return scores;
}

// Puts `value` wherever row t may not read column s.
Matrix fill_forbidden(Matrix m, double value) {
    for (std::size_t t = 0; t < m.rows; ++t)
        for (std::size_t s = t + 1; s < m.cols; ++s)
            m(t, s) = value;
    return m;
}

Matrix renormalised(Matrix weights) {
    for (std::size_t t = 0; t < weights.rows; ++t) {
        const double sum = std::accumulate(weights.row(t).begin(), weights.row(t).end(), 0.0);
        for (double& weight : weights.row(t))
            weight /= sum;
    }
    return weights;
}

const Matrix q{{2, 0, 0, 0}, //
               {0, 2, 0, 0},
               {0, 0, 2, 0}};
const Matrix k{{1, 0, 1, 0}, //
               {2, 1, 0, 0},
               {3, 1, 2, 0}};

// Position 0 would hear the first change and must not; position 2 hears the second and may.
Matrix with_a_loud_last_key(Matrix loud_k) {
    loud_k(2, 0) = 1000;
    loud_k(2, 2) = 3;
    return loud_k;
}

int lesson() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Matrix v{{2, 4}, //
                   {6, 8},
                   {10, 12}};
    const std::vector<int> positions = positions_from(0, 3);

    step(1, "three orders, side by side");
    const Matrix scores = all_scores(q, k);
    show("scores", scores, "t", "s");
    const Matrix before = softmax_rows(fill_forbidden(scores, -infinity));
    const Matrix after = fill_forbidden(softmax_rows(scores), 0.0);
    const Matrix rescued = renormalised(after);
    show("mask, then softmax", before, "t", "s");
    show("softmax, then zero: rows do not sum to 1", after, "t", "s");
    show("softmax, then zero, then renormalise", rescued, "t", "s");
    const bool agree_on_paper = max_abs_difference(rescued, before) < 1e-15;

    step(2, "intervene: make the last key fit far better, which only position 2 may notice");
    const Matrix loud = all_scores(q, with_a_loud_last_key(k));
    const Matrix loud_before = softmax_rows(fill_forbidden(loud, -infinity));
    const Matrix loud_after = fill_forbidden(softmax_rows(loud), 0.0);
    show("mask, then softmax", loud_before, "t", "s");
    show("softmax, then zero", loud_after, "t", "s");
    show("softmax, then zero, then renormalise", renormalised(loud_after), "t", "s");
    if (std::isnan(renormalised(loud_after)(0, 0)))
        std::cout << "nan, because 0 / 0 has no value: the future took all the weight of row 0\n";
    const bool only_before_is_deaf = same_bits(loud_before.row(0), before.row(0)) &&
        !same_bits(loud_before.row(2), before.row(2)) &&
        !same_bits(loud_after.row(0), after.row(0)) && std::isnan(renormalised(loud_after)(0, 0));

    step(3, "a row that may read nothing is refused");
    bool refused = false;
    try {
        attend(q, k, v, {0, 1, 2}, {1, 2, 3}, Mask{.causal = true}); // the keys start at 1
    } catch (const std::invalid_argument& error) {
        refused = true;
        std::cout << error.what() << "\n";
    }

    step(4, "the scale decides how peaked the weights are, the mask decides who is read");
    const Matrix unscaled = matmul_transposed(q, k);
    show("weights without 1/sqrt(4)", softmax_rows(fill_forbidden(unscaled, -infinity)), "t", "s");
    const Matrix huge(2, 2, 10000);
    const Attention equal = attend(huge, huge, {{2, 4}, {6, 8}}, {0, 1}, {0, 1}, Mask{});
    std::cout << "q = k = 10000: scores of " << fixed(all_scores(huge, huge)(0, 0), 1) << "\n";
    show("and still these weights", equal.weights, "t", "s");
    const bool finite = same_bits(equal.weights, {{1, 0}, {0.5, 0.5}});

    step(5, "the loop form reads only what is allowed, and gives the bits of the matrix form");
    const Attention loop = attend(q, k, v, positions, positions, Mask{.causal = true});
    const bool same_forms =
        same_bits(loop.weights, before) && same_bits(loop.output, matmul(before, v));
    std::cout << "weights and output have the same bits: " << yes_or_no(same_forms) << "\n";

    step(6, "the experiment that tells them apart: a NaN in the last value");
    Matrix poisoned_v = v;
    poisoned_v(2, 0) = std::numeric_limits<double>::quiet_NaN();
    const Matrix matrix_output = matmul(before, poisoned_v);
    const Attention loop_poisoned = attend(q, k, poisoned_v, positions, positions, Mask{});
    show("matrix form", matrix_output);
    if (std::isnan(matrix_output(0, 0)))
        std::cout << "nan in rows 0 and 1, because 0 times nan is nan: the zero was multiplied\n";
    show("loop form", loop_poisoned.output);
    if (std::isnan(loop_poisoned.output(2, 0)) && !std::isnan(loop_poisoned.output(1, 0)))
        std::cout << "nan in row 2 alone: only that row may read the poisoned value\n";
    const bool told_apart = std::isnan(matrix_output(0, 0)) &&
        same_bits(rows_of(loop_poisoned.output, 0, 2), rows_of(loop.output, 0, 2)) &&
        std::isnan(loop_poisoned.output(2, 0));

    return verdict("THE MASK DECIDES WHAT IS READ, SO IT COMES FIRST",
                   agree_on_paper && only_before_is_deaf && refused && finite && same_forms &&
                       told_apart);
}

// One panel of the figure: weights, and what each row sums to.
void draw_weights(Svg& svg, const Matrix& weights, double left, double top) {
    const Cells cells{left, top, 44, 26, 0, 1};
    draw_labels(svg, weights, cells, "t", "s");
    draw_cells(svg, weights, cells);
    const Matrix sums = matmul(weights, Matrix(weights.cols, 1, 1.0));
    svg.words(left + 160, top - 8, "sum", "middle");
    for (std::size_t t = 0; t < sums.rows; ++t)
        svg.words(left + 160, top + 26 * (static_cast<double>(t) + 0.5) + 4,
                  sums(t, 0) == 0.0 ? "0" : fixed(sums(t, 0), 3), "middle");
}

void figures(const std::filesystem::path& folder) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Svg svg({.title = "Three orders: who reads whom, and what each row sums to",
             .description = "Mask, then softmax: every row sums to 1, with either key, and row t0 "
                            "stays as it is. Softmax, then zero: row t0 sums to 0.09, with the "
                            "loud key to 0. Renormalised: as the first, but with the loud key row "
                            "t0 is not a number.",
             .row_axis = "",
             .column_axis = ""},
            840, 320);
    svg.words(420, 44, "row t: who asks, column s: who is read", "middle");
    svg.words(226, 74, "mask, then softmax", "middle");
    svg.words(456, 74, "softmax, then zero", "middle");
    svg.words(686, 74, "softmax, zero, renormalise", "middle");
    for (const bool loud : {false, true}) {
        const double top = loud ? 225 : 110;
        svg.words(20, top + 44, loud ? "a loud last key" : "STEP 1's keys", "start");
        const Matrix scores = all_scores(q, loud ? with_a_loud_last_key(k) : k);
        const Matrix after = fill_forbidden(softmax_rows(scores), 0.0);
        draw_weights(svg, softmax_rows(fill_forbidden(scores, -infinity)), 160, top);
        draw_weights(svg, after, 390, top);
        draw_weights(svg, renormalised(after), 620, top);
    }
    svg.write(folder / "06_three_orders.svg");
}

int main(int argc, char** argv) {
    return run(argc, argv, lesson, figures);
}
