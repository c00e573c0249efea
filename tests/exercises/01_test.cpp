#include "check.hpp"

#include EXERCISE

using namespace glassbox;

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

    const Matrix wide{{1, 2, 3}, {4, 5, 6}}, tall{{7, 9, 11}, {8, 10, 12}, {0, 0, 1}, {1, 0, 0}};
    expect("a of the lesson (2x3) with four rows of three numbers (4x3)",
           rows_meet_rows(wide, tall), matmul_transposed(wide, tall), {}, {"i", "j"});
}

int main() {
    return checked(check);
}
