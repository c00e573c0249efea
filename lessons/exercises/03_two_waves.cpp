// Exercise 03: two waves for every pair of channels
//
// Task: write the sinusoidal code of the positions 0 to T - 1 in C channels (C is even):
//
//     angle(t, i)  = t / 10000^(2i / C)        pair i is the channels 2i and 2i + 1
//     P(t, 2i)     = sin(angle(t, i))
//     P(t, 2i + 1) = cos(angle(t, i))          P: T x C
//
// std::pow(10000.0, y) is 10000^y. Mind that 1 / 2 is 0 in C++ where 1.0 / 2 is a half.
// Lesson: docs/03_positions.md. Check: make exercise-03. Stuck: make hint-03.

#include "numbers/matrix.hpp"

#include <cmath>

using namespace glassbox;

Matrix code_of_positions(std::size_t T, std::size_t C) {
    // ---- your code from here
    Matrix P(T, C);
    return P;
    // ---- to here
}
