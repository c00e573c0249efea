#include "check.hpp"

#include EXERCISE

using namespace glassbox;

// Sums kept in a type that may not hold them.
template <typename Number>
Matrix summed_in(const Matrix& a, const Matrix& b) {
    Matrix result(a.rows, b.rows);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < b.rows; ++j) {
            Number sum = 0;
            for (std::size_t k = 0; k < a.cols; ++k)
                sum = static_cast<Number>(sum + a(i, k) * b(j, k));
            result(i, j) = sum;
        }
    return result;
}

void check() {
    const Matrix a{{1, 2}, {3, 4}}, b{{5, 6}, {7, 8}};
    expect(
        "a b^T for a = 1 2 / 3 4 and b = 5 6 / 7 8", rows_meet_rows(a, b), matmul_transposed(a, b),
        {{matmul(a, b), "This is a b: row i of a met column j of b. Here it meets row j of b."},
         {matmul_transposed(b, a), "This is b a^T: rows and columns of the result are exchanged."},
         {{{12, 16}, {24, 32}},
          "Only the last term of each sum has arrived: the terms must be added up (+=)."},
         {{{17, 40}, {79, 132}},
          "The sum goes on from element to element: each element begins with a sum of 0."}},
        {"i", "j"});

    const Matrix wide{{0.1, 0.2, 0.7}, {1.4, 2.5, 3.6}};
    const Matrix tall{{7, 9, 1.1}, {0.8, 10, 12}, {0, 0, 1}, {1, 0, 0}};
    expect("two rows of three fractions (2x3) with four rows (4x3)", rows_meet_rows(wide, tall),
           matmul_transposed(wide, tall),
           {{summed_in<int>(wide, tall), "An int drops every fraction: the sum is a double."}},
           {"i", "j"});
}

int main() {
    return checked(check);
}
