// Exercise 08: bend every number by GELU
//
// Task: apply the exact form of GELU to every element of a matrix:
//
//     GELU(x) = x/2 * (1 + erf(x / sqrt(2)))
//
// hidden and the result: T x F. std::erf is in <cmath>; sqrt(2) is std::numbers::sqrt2. What stands
// there now is ReLU, the bend of the 2017 Transformer.
// Lesson: docs/08_gelu_and_mlp.md. Check: make exercise-08. Stuck: make hint-08.

#include "numbers/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace glassbox;

Matrix bend(const Matrix& hidden) {
    Matrix result = hidden;
    // ---- your code from here
    for (double& x : result.values)
        x = 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2));
    // ---- to here
    return result;
}
