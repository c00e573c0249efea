// Exercise 07: layer norm
//
// Task: bring every row to mean 0 and variance 1 (gain 1, bias 0):
//
//     mean(t)     = sum over c of x(t, c) / C
//     variance(t) = sum over c of (x(t, c) - mean(t))^2 / C
//     norm(t, c)  = (x(t, c) - mean(t)) / sqrt(variance(t) + epsilon)      epsilon = 1e-5
//
// x and the result: T x C. What stands there now leaves the row as it is.
// Lesson: docs/07_layer_norm_and_residuals.md. Check: make exercise-07. Stuck: make hint-07.

#include "numbers/matrix.hpp"

#include <cmath>

using namespace glassbox;

Matrix norm_of_rows(const Matrix& x) {
    const double C = static_cast<double>(x.cols), epsilon = 1e-5;
    Matrix norm(x.rows, x.cols);
    for (std::size_t t = 0; t < x.rows; ++t) {
        // ---- your code from here
        double sum = 0.0, squares = 0.0;
        for (std::size_t c = 0; c < x.cols; ++c)
            sum += x(t, c);
        const double mean = sum / C;
        for (std::size_t c = 0; c < x.cols; ++c)
            squares += (x(t, c) - mean) * (x(t, c) - mean);
        const double variance = squares / C;
        for (std::size_t c = 0; c < x.cols; ++c)
            norm(t, c) = (x(t, c) - mean) / std::sqrt(variance + epsilon);
        // ---- to here
    }
    return norm;
}
