// Exercise 13: predict the reach
//
// Task: given what one layer reads, say what a stack of so many layers can reach.
//
//     reads(t, s) = 1 if one layer lets t read s, else 0                  T x T
//     reach(t, s) = 1 if s has a way to t in `layers` steps, else 0       T x T
//
// A product of matrices counts the ways; layers is 1 or more. What is predicted is then measured,
// by intervention on a decoder. What stands there now is right for one layer.
// Lesson: docs/13_through_the_layers.md. Check: make exercise-13. Stuck: make hint-13.

#include "numbers/matrix.hpp"

using namespace glassbox;

Matrix predicted_reach(const Matrix& reads, std::size_t layers) {
    Matrix reach = reads;
    // ---- your code from here
    if (layers == 0)
        reach = Matrix(reads.rows, reads.cols);
    // ---- to here
    return reach;
}
