// Exercise 05: attention, row by row
//
// Task: fill in what one position does. The query at position t may read the keys s <= t:
//
//     score(t, s)  = q(t) . k(s) / sqrt(D)               for every s that t may read
//     weight(t, .) = softmax of these scores
//     output(t)    = sum over s of weight(t, s) * v(s)   one number for each channel c of v
//
// q, k: T x D, v and the output: T x C. The library's dot(q.row(t), k.row(s)) and
// softmax(scores) may be used; scores is a std::vector<double>.
// Lesson: docs/05_attention_by_hand.md. Check: make exercise-05. Stuck: make hint-05.

#include "model/operations.hpp"
#include "numbers/matrix.hpp"

#include <cmath>
#include <vector>

using namespace glassbox;

Matrix attend_by_hand(const Matrix& q, const Matrix& k, const Matrix& v) {
    const double D = static_cast<double>(q.cols);
    Matrix output(q.rows, v.cols); // all zeros
    for (std::size_t t = 0; t < q.rows; ++t) {
        // ---- your code from here
        const double score = dot(q.row(t), k.row(t)) / std::sqrt(D);
        const std::vector<double> weights = softmax(std::vector<double>{score});
        output(t, 0) = weights[0] * v(t, 0);
        // ---- to here
    }
    return output;
}
