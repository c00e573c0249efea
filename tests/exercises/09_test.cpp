#include "check.hpp"
#include "model/block.hpp"

#include EXERCISE

using namespace glassbox;

void check() {
    PytorchRandom random(23);
    Block block = Block::from_pytorch(random, 4);
    block.ln2.gain = Matrix(1, 4, 2.0); // so that the two norms are not the same
    const auto& [ln1, attention, ln2, mlp] = block;
    const Matrix x = random.randn(3, 4);
    const Matrix middle = x + attention(ln1(x)), mixed_copy = ln1(x) + attention(ln1(x));
    const Matrix post = ln1(x + attention(x)), mlp_first = x + mlp(ln1(x));
    const Matrix unnormed = x + attention(x);

    expect("the output for 3 positions in 4 channels", run_block(x, ln1, attention, ln2, mlp),
           block(x),
           {{mlp(ln2(attention(ln1(x)))),
             "There is no residual sum: each half adds its result to the row that it read."},
            {mlp(ln2(middle)), "The second residual sum is missing: output = row + mlp(ln2(row))."},
            {attention(ln1(x)) + mlp(ln2(attention(ln1(x)))),
             "The first residual sum is missing: x + attention(ln1(x))."},
            {middle, "This is the first half alone: the mlp follows."},
            {mixed_copy + mlp(ln2(mixed_copy)),
             "The first sum adds to ln1(x). The residual path keeps x itself."},
            {ln2(middle) + mlp(ln2(middle)),
             "The second sum adds to ln2 of the row. The residual path keeps the row itself."},
            {ln2(post + mlp(post)),
             "This is post-norm, norm(x + branch(x)). Pre-norm normalises "
             "only what a branch reads."},
            {ln2(mixed_copy) + mlp(ln2(mixed_copy)),
             "Both sums add to the normalised row. The residual path keeps the row itself."},
            {unnormed + mlp(unnormed), "The norms are missing."},
            {x + attention(ln2(x)) + mlp(ln1(x + attention(ln2(x)))),
             "ln1 and ln2 have changed places: ln1 stands before attention."},
            {ln2(middle + mlp(ln2(middle))),
             "The output was normalised once more. Nothing follows the second sum."},
            {unnormed + mlp(ln2(unnormed)), "Attention reads x as it is; ln1 stands before it."},
            {middle + mlp(ln1(middle)), "The mlp reads ln1 of the row; its own norm is ln2."},
            {middle + mlp(middle), "The mlp reads the row as it is; ln2 stands before it."},
            {x + attention(ln1(x)) + mlp(ln2(x)),
             "Both halves read x, side by side. The mlp reads what attention has added to."},
            {mlp_first + attention(ln2(mlp_first)), "The mlp came first; attention comes first."},
            {x + mlp(ln2(middle)), "The second sum adds to x and loses what attention found."}});
}

int main() {
    return checked(check);
}
