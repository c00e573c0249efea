// Lesson 01: the matrix
//
// Question: what is a matrix in memory, and what exactly does "multiply" do?
// New here: Matrix, matmul, matmul_transposed, same_bits. Text: docs/01_matrix.md
//
// Predict before you run: if one number in row 1 of a changes, which rows of a times b move?

#include "numbers/matrix.hpp"
#include "show/terminal.hpp"

#include <iostream>

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

int main(int argc, char** argv) {
    return run(argc, argv, lesson);
}
