// Lesson 07: layer norm and residuals
//
// Question: forty layers deep, why do the numbers not explode?
// New here: layer_norm, the residual sum. From lesson 02: PytorchRandom.
// Text: docs/07_layer_norm_and_residuals.md
//
// Predict before you run: every layer makes its input about 1.5 times as long. How long is it after
// 40 layers, and how long if each layer only adds to what was there?

#include "model/operations.hpp"
#include "numbers/random.hpp"
#include "show/figure.hpp"
#include "show/terminal.hpp"

#include <cmath>
#include <iostream>
#include <vector>

using namespace glassbox;

double length(const Matrix& row) {
    return std::sqrt(dot(row.row(0), row.row(0)));
}

Matrix plain_norm(const Matrix& x) {
    return layer_norm(x, Matrix(1, x.cols, 1.0), Matrix(1, x.cols, 0.0));
}

// The lengths of x before and after each of 40 layers, by both ways of stacking the same matrices.
struct Stacks {
    std::vector<double> plain{1.0}, residual{1.0}; // relative to the input's length; [0]: the input
    Matrix probe;                                  // one more row, for step 3
};

Stacks run_stacks() {
    PytorchRandom random(17);
    const Matrix x0 = random.randn(1, 16);
    Matrix plain = x0, residual = x0;
    Stacks stacks;
    for (int layer = 0; layer < 40; ++layer) {
        const Matrix w = random.randn(16, 16) * (1.6 / std::sqrt(16.0));
        plain = matmul(plain, w);
        residual = residual + matmul(plain_norm(residual), w);
        stacks.plain.push_back(length(plain) / length(x0));
        stacks.residual.push_back(length(residual) / length(x0));
    }
    stacks.probe = random.randn(1, 16) * 40.0 + Matrix(1, 16, 12.0);
    return stacks;
}

double mean(std::span<const double> numbers) {
    double sum = 0.0;
    for (const double value : numbers)
        sum += value;
    return sum / static_cast<double>(numbers.size());
}

int lesson() {
    const Stacks stacks = run_stacks();

    step(1, "plain stack: x becomes x W, forty times");
    std::cout << "length after 40 layers / length of the input: " << scientific(stacks.plain.back())
              << "\n";

    step(2, "pre-norm residual: x becomes x + norm(x) W, the same forty matrices");
    std::cout << "length after 40 layers / length of the input: "
              << fixed(stacks.residual.back(), 3) << "\n\n layer   plain       residual\n";
    for (const std::size_t layer : {1U, 10U, 20U, 30U, 40U})
        std::cout << padded(std::to_string(layer), 6) << "   " << scientific(stacks.plain[layer])
                  << "   " << scientific(stacks.residual[layer]) << "\n";

    step(3, "layer norm by itself: any row becomes mean 0, variance 1");
    show("probe", stacks.probe);
    const Matrix normal = plain_norm(stacks.probe);
    show("normalised", normal);
    const double variance = dot(normal.row(0), normal.row(0)) / 16.0;
    const bool centred = std::abs(mean(normal.row(0))) < 1e-12;
    std::cout << "mean is 0 within 1e-12: " << yes_or_no(centred)
              << ", variance: " << fixed(variance, 3) << "\n";

    step(4, "intervene: two rows; change the second");
    const Matrix two{{1, 2, 3, 6}, //
                     {5, 5, 5, 5}};
    const Matrix two_changed{{1, 2, 3, 6}, //
                             {5, 5, 5, 500}};
    const Matrix out = plain_norm(two), out_changed = plain_norm(two_changed);
    show("before", out);
    show("after", out_changed);
    const bool row_0_kept = same_bits(out.row(0), out_changed.row(0));
    const bool row_1_moved = !same_bits(out.row(1), out_changed.row(1));
    std::cout << "row 0 kept every bit: " << yes_or_no(row_0_kept)
              << ", row 1 moved: " << yes_or_no(row_1_moved) << "\n";
    const bool constant_is_zero = same_bits(out.row(1), Matrix(1, 4, 0.0).row(0));
    std::cout << "a constant row is all zeros, not 0/0: " << yes_or_no(constant_is_zero) << "\n";

    const bool stable = stacks.plain.back() > 1e7 && stacks.residual.back() < 10.0;
    return verdict("LAYERNORM+RESIDUAL KEEP ACTIVATIONS STABLE THROUGH DEPTH",
                   stable && centred && std::abs(variance - 1.0) < 1e-3 && constant_is_zero &&
                       row_0_kept && row_1_moved);
}

void figures(const std::filesystem::path& folder) {
    const Stacks stacks = run_stacks();
    std::vector<double> layers;
    for (int layer = 0; layer <= 40; ++layer)
        layers.push_back(layer);
    line_chart({.title = "Length of the row after each of 40 layers",
                .description =
                    "The plain stack grows by roughly the same factor in every layer, nearly a "
                    "straight line up to ten million. The pre-norm residual stack stays below ten.",
                .row_axis = "length / length of the input (log scale)",
                .column_axis = "layer"},
               {{"plain x W", layers, stacks.plain}, {"x + norm(x) W", layers, stacks.residual}},
               true)
        .write(folder / "07_norm_against_depth.svg");
}

int main(int argc, char** argv) {
    return run(argc, argv, lesson, figures);
}
