// Lesson 01: the matrix
//
// Question: what is a matrix in memory, and what exactly does "multiply" do?
// New here: Matrix, matmul, matmul_transposed, same_bits. Text: docs/01_matrix.md
//
// Predict before you run: if one number in row 1 of a changes, which rows of a times b move?

#include "numbers/matrix.hpp"
#include "show/figure.hpp"
#include "show/terminal.hpp"

#include <cstddef>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>

using namespace glassbox;

int lesson() {
    step(1, "rows are positions, columns are features, stored row after row");
    const Matrix a{{1, 2, 3}, //
                   {4, 5, 6}};
    show("a", a);
    std::cout << "in memory:";
    for (const double value : a.values)
        std::cout << " " << value;
    std::cout << "\na(1, 0) is values[1 * 3 + 0] = " << a.values[1 * 3 + 0] << "\n";

    step(2, "a product by hand: 2x3 times 3x2 gives 2x2");
    const Matrix b{{7, 8}, //
                   {9, 10},
                   {11, 12}};
    const Matrix product = matmul(a, b);
    std::cout << "row 0 of a meets column 0 of b: 1*7 + 2*9 + 3*11 = " << 1 * 7 + 2 * 9 + 3 * 11
              << "\n";
    show("a b", product);
    const bool by_hand = same_bits(product, {{58, 64}, {139, 154}});

    step(3, "a times b transposed: every row of a meets every row of b");
    const Matrix b_transposed = transpose(b);
    show("b transposed", b_transposed, "j", "k");
    const bool same_product = same_bits(matmul_transposed(a, b_transposed), product);
    std::cout << "matmul_transposed(a, b transposed) has the bits of matmul(a, b): "
              << yes_or_no(same_product) << "\n";

    step(4, "a wrong shape explains itself");
    bool refused = false;
    try {
        matmul(a, a);
    } catch (const std::invalid_argument& error) {
        refused = true;
        std::cout << error.what() << "\n";
    }

    step(5, "intervene: change one number in row 1 of a");
    Matrix changed = a;
    changed(1, 2) = 60;
    const Matrix moved = matmul(changed, b);
    show("changed a, times b", moved);
    const bool row_0_kept = same_bits(moved.row(0), product.row(0));
    const bool row_1_moved = !same_bits(moved.row(1), product.row(1));
    std::cout << "row 0 kept every bit: " << yes_or_no(row_0_kept)
              << ", row 1 moved: " << yes_or_no(row_1_moved) << "\n";

    return verdict("A PRODUCT WORKS ON EACH ROW ALONE",
                   by_hand && same_product && refused && row_0_kept && row_1_moved);
}

// b stands above the product and a to its left, so that every number of the product lies where a
// row of a and a column of b cross. One crossing is lit.
void figures(const std::filesystem::path& folder) {
    const Matrix a{{1, 2, 3}, {4, 5, 6}}, b{{7, 8}, {9, 10}, {11, 12}};
    Svg svg({.title = "Row 0 of a meets column 0 of b",
             .description = "b stands above the product a b, a stands to its left. A band along "
                            "row 0 of a and a band down column 0 of b cross in one number, 58. Row "
                            "1 of a and column 1 of b are not in these bands.",
             .row_axis = "",
             .column_axis = ""},
            460, 350);
    svg.rectangle(76, 214, 186, 40, heat_colour(0.4, 1));  // along the row
    svg.rectangle(262, 46, 46, 168, heat_colour(-0.4, 1)); // down the column
    svg.rectangle(262, 214, 46, 40, heat_colour(0.75, 1));
    const std::string large = "font-size=\"16\"", name = "font-size=\"16\" font-style=\"italic\"";
    const auto draw = [&](const Matrix& m, double left, double top) {
        for (std::size_t r = 0; r < m.rows; ++r)
            for (std::size_t c = 0; c < m.cols; ++c)
                svg.words(left + 46 * (static_cast<double>(c) + 0.5),
                          top + 40 * (static_cast<double>(r) + 0.5) + 6, fixed(m(r, c), 0),
                          "middle", Svg::ink, large);
    };
    draw(a, 90, 214);
    draw(b, 262, 60);
    draw(matmul(a, b), 262, 214);
    svg.words(60, 259, "a", "end", Svg::ink, name);
    svg.words(366, 125, "b", "start", Svg::ink, name);
    svg.words(366, 259, "a b", "start", Svg::ink, name);
    std::string sum;
    for (std::size_t k = 0; k < a.cols; ++k)
        sum += (k == 0 ? "" : " + ") + fixed(a(0, k), 0) + "*" + fixed(b(k, 0), 0);
    svg.words(230, 328, sum + " = " + fixed(matmul(a, b)(0, 0), 0), "middle", Svg::ink, large);
    svg.write(folder / "01_product.svg");
}

int main(int argc, char** argv) {
    return run(argc, argv, lesson, figures);
}
