// Exercise 04: a softmax that does not overflow
//
// Task: turn every row of scores into shares of 1,
//
//     weight(t, s) = exp(score(t, s) - m) / sum over all s' of exp(score(t, s') - m)
//
// where m is the largest score of row t. scores: T x S, result: T x S. It has to survive scores of
// 1000 and of -1000, and one of -infinity beside others gets 0. What stands there now is the formula
// as printed in books.
// Lesson: docs/04_softmax.md, STEP 3. Check: make exercise-04. Stuck: make hint-04.

#include "numbers/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace glassbox;

Matrix shares_of_rows(const Matrix& scores) {
    Matrix weights(scores.rows, scores.cols);
    for (std::size_t t = 0; t < scores.rows; ++t) {
        // ---- your code from here
        double largest = -std::numeric_limits<double>::infinity();
        for (std::size_t s = 0; s < scores.cols; ++s)
            largest = std::max(largest, scores(t, s));
        double sum = 0.0;
        for (std::size_t s = 0; s < scores.cols; ++s) {
            weights(t, s) = std::exp(scores(t, s) - largest);
            sum += weights(t, s);
        }
        for (std::size_t s = 0; s < scores.cols; ++s)
            weights(t, s) /= sum;
        // ---- to here
    }
    return weights;
}
