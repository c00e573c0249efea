// Exercise 10: an intervention test of your own
//
// Task: say whether a model keeps the future out of the past. Change the input at one position, run
// the model again, and compare the outputs before that position, bit for bit. Return true if no
// experiment moved an earlier output, false if one did.
//
//     model(x): T x C in, T x C out, for any x            x(s, c): channel c of position s
//     same_bits(before.row(t), after.row(t))              are two rows equal in every bit?
//
// Your test will be tried on two correct models, which it must clear, and on three with a leak,
// which it must catch. The one that stands there now makes a single experiment.
// Lesson: docs/10_proof_by_intervention.md. Check: make exercise-10. Stuck: make hint-10.

#include "numbers/matrix.hpp"
#include "proof/intervention.hpp"

using namespace glassbox;

bool keeps_the_past(const Model& model, const Matrix& x) {
    const Matrix before = model(x);
    // ---- your code from here
    Matrix changed = x;
    changed(x.rows - 1, 0) += 1.0;
    const Matrix after = model(changed);
    return same_bits(before.row(0), after.row(0));
    // ---- to here
}
