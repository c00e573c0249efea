// Exercise 09: the order of a block
//
// Task: put the four parts together as the diagram says, pre-norm, with both residual sums:
//
//     x ----+--> ln1 --> attention --> (+) --+--> ln2 --> mlp --> (+) --> output
//           |                           |    |                     |
//           +---------------------------+    +---------------------+
//
// Each part is called like a function, ln1(x); matrices are added by +. x and the output: T x C.
// What stands there now leaves the residual path out.
// Lesson: docs/09_block.md. Check: make exercise-09. Stuck: make hint-09.

#include "model/block.hpp"

using namespace glassbox;

Matrix run_block(const Matrix& x, const LayerNorm& ln1, const CausalAttention& attention,
                 const LayerNorm& ln2, const Mlp& mlp) {
    // ---- your code from here
    const Matrix after_attention = x + attention(ln1(x));
    return after_attention + mlp(ln2(after_attention));
    // ---- to here
}
