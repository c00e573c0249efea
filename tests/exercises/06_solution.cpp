// Exercise 06: the mask comes first
//
// Task: turn scores into causal weights, in the matrix form. Forbid the scores of the future by
// minus infinity, and only then let the library's softmax_rows share out the 1:
//
//     masked(t, s) = score(t, s) where t may read s, -infinity elsewhere
//     weights      = softmax_rows(masked)                 scores, weights: T x T
//
// Row: who asks, column: who is read. Minus infinity is -std::numeric_limits<double>::infinity().
// What stands there now masks nothing.
// Lesson: docs/06_mask_before_softmax.md, STEP 1. Check: make exercise-06. Stuck: make hint-06.

#include "model/operations.hpp"
#include "numbers/matrix.hpp"

#include <limits>

using namespace glassbox;

Matrix causal_weights(const Matrix& scores) {
    // ---- your code from here
    Matrix masked = scores;
    for (std::size_t t = 0; t < scores.rows; ++t)
        for (std::size_t s = t + 1; s < scores.cols; ++s)
            masked(t, s) = -std::numeric_limits<double>::infinity();
    return softmax_rows(masked);
    // ---- to here
}
