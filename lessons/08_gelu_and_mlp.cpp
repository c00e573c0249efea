// Lesson 08: GELU and the MLP
//
// Question: attention mixes positions. What does the other half of a block do?
// New here: gelu, gelu_tanh, Mlp. From lesson 02: PytorchRandom. Text: docs/08_gelu_and_mlp.md
//
// Predict before you run: swap two rows of the MLP's input. What happens to its output?

#include "model/block.hpp"
#include "model/operations.hpp"
#include "show/figure.hpp"
#include "show/terminal.hpp"

#include <cmath>
#include <iostream>

using namespace glassbox;

double form_difference(double x) {
    return std::abs(gelu(x) - gelu_tanh(x));
}

int lesson() {
    step(1, "GELU: keep large positive numbers, drop large negative ones, smoothly");
    std::cout << "     x   gelu(x)\n";
    for (const double x : {-3.0, -1.0, 0.0, 1.0, 3.0})
        std::cout << padded(fixed(x, 1), 6) << padded(fixed(gelu(x)), 10) << "\n";
    const bool known = std::abs(gelu(1) - 0.8413) < 5e-5 && std::abs(gelu(-1) + 0.1587) < 5e-5;

    step(2, "two forms are in use: exact (erf) and tanh; how far apart, for x >= 0?");
    double where = 0.0;
    for (int i = 0; i <= 6000; ++i)
        if (form_difference(i / 1000.0) > form_difference(where))
            where = i / 1000.0;
    std::cout << "largest difference " << scientific(form_difference(where))
              << " at x = " << fixed(where, 3) << ": small, but no rounding\n";
    const bool forms_differ = form_difference(where) > 1e-4 && form_difference(where) < 1e-3;

    step(3, "the MLP: 8 numbers, widened to 32, bent by GELU, brought back to 8");
    PytorchRandom random(8);
    const Mlp mlp{linear_from_pytorch(random, 8, 32), linear_from_pytorch(random, 32, 8)};
    const Matrix x = random.randn(3, 8);
    const Matrix hidden = mlp.expand(x);
    show("x", x);
    show("hidden", hidden, "t", "f");
    show("activated", gelu(hidden), "t", "f");
    show("output", mlp(x));

    step(4, "intervene: swap rows 0 and 2 of the input; then change row 2 alone");
    const Matrix swap{{0, 0, 1}, //
                      {0, 1, 0},
                      {1, 0, 0}};
    const Matrix output = mlp(x), swapped_output = mlp(matmul(swap, x));
    show("output of the swapped rows", swapped_output);
    const bool swapped = same_bits(swapped_output, matmul(swap, output));
    const bool it_moved = !same_bits(swapped_output.row(0), output.row(0));
    std::cout << "the output rows are swapped, every bit: " << yes_or_no(swapped)
              << ", row 0 moved: " << yes_or_no(it_moved) << "\n";
    Matrix changed = x;
    changed(2, 0) = 5;
    const Matrix changed_output = mlp(changed);
    const bool others_kept = same_bits(rows_of(changed_output, 0, 2), rows_of(output, 0, 2));
    const bool row_2_moved = !same_bits(changed_output.row(2), output.row(2));
    std::cout << "row 2 changed: rows 0 and 1 kept every bit: " << yes_or_no(others_kept)
              << ", row 2 moved: " << yes_or_no(row_2_moved) << "\n";

    return verdict("THE MLP WORKS ON EACH POSITION ALONE",
                   known && forms_differ && swapped && it_moved && others_kept && row_2_moved);
}

void figures(const std::filesystem::path& folder) {
    std::vector<double> x, exact, approximate, difference;
    for (int i = -80; i <= 80; ++i) {
        x.push_back(i / 20.0);
        exact.push_back(gelu(x.back()));
        approximate.push_back(gelu_tanh(x.back()));
        difference.push_back(10000.0 * (approximate.back() - exact.back()));
    }
    line_chart({.title = "GELU: the exact form and the tanh form",
                .description = "Both curves are near 0 for negative x, dip to -0.17 near x = -0.75 "
                               "and approach the line y = x. One covers the other.",
                .row_axis = "gelu(x)",
                .column_axis = "x"},
               {{"exact (erf)", x, exact}, {"tanh form", x, approximate}})
        .write(folder / "08_gelu.svg");
    line_chart({.title = "GELU: tanh form minus exact form, in units of 0.0001",
                .description = "The difference is 0 at x = 0, dips twice below -2 and rises twice "
                               "above 4 ten-thousandths, the same on both sides of 0.",
                .row_axis = "difference in units of 0.0001",
                .column_axis = "x"},
               {{"tanh - exact", x, difference}})
        .write(folder / "08_gelu_difference.svg");
}

int main(int argc, char** argv) {
    return run(argc, argv, lesson, figures);
}
