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
    for (std::size_t n = 1; n < layers; ++n)
        reach = matmul(reach, reads);
    for (double& ways : reach.values)
        ways = ways > 0.0 ? 1.0 : 0.0;
    // ---- to here
    return reach;
}
