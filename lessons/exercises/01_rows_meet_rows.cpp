// Exercise 01: rows meet rows
//
// Task: write a times b transposed without transposing anything. Every row of a meets every row
// of b:
//
//     result(i, j) = sum over k of a(i, k) * b(j, k)        a: n x m, b: p x m, result: n x p
//
// Lesson: docs/01_matrix.md, STEP 2 and STEP 3. Check: make exercise-01. Stuck: make hint-01.

#include "numbers/matrix.hpp"

using namespace glassbox;

Matrix rows_meet_rows(const Matrix& a, const Matrix& b) {
    // ---- your code from here
    Matrix result(a.rows, b.rows); // all zeros
    return result;
    // ---- to here
}
