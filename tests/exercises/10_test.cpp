#include "check.hpp"
#include "model/block.hpp"
#include "proof/intervention.hpp"

#include EXERCISE

using namespace glassbox;

// The block of lesson 10, and what a leak adds to its output.
using Leak = void (*)(Matrix& output, const Matrix& x);

Model leaking(Leak leak) {
    PytorchRandom random(23);
    return [block = Block::from_pytorch(random, 8), leak](const Matrix& x) {
        Matrix output = block(x);
        leak(output, x);
        return output;
    };
}

void none(Matrix&, const Matrix&) {}

void first_reads_second(Matrix& output, const Matrix& x) {
    if (x.rows > 1)
        output(0, 3) += x(1, 0);
}

void fourth_reads_last(Matrix& output, const Matrix& x) {
    if (x.rows > 3)
        output(3, 7) += 1e-3 * x(x.rows - 1, 7);
}

void faint(Matrix& output, const Matrix& x) {
    for (std::size_t t = 0; t + 1 < x.rows; ++t)
        output(t, 0) += 1e-11 * x(t + 1, 0);
}

struct Case {
    const char* name;
    Leak leak;
    const char* if_wrong;
};

constexpr Case cases[]{
    {"the block of lesson 10, correct", none,
     "Which outputs may move? The changed position and all later ones: only t < s must stay."},
    {"output t0 reads the input of t1", first_reads_second,
     "Is every position changed in its turn, position 1 too? A change of the last one alone does "
     "not reach this leak."},
    {"output t3 reads the last input, both in their last channel", fourth_reads_last,
     "Is every channel of the input changed, and every earlier row and channel of the output "
     "compared?"},
    {"output t reads 0.00000000001 of the input of t + 1", faint,
     "Is there a tolerance? A small difference is information from the future as well: compare "
     "bits."},
};

void check() {
    PytorchRandom random(24);
    const Matrix x = random.randn(6, 8);
    std::string table = std::string("  the model") + std::string(52, ' ') + "expected  your test\n";
    for (const Case& c : cases) {
        const bool correct = c.leak == none, kept = keeps_the_past(leaking(c.leak), x);
        std::string name = c.name;
        name.resize(61, ' ');
        table += std::string("  ") + name + (correct ? "causal    " : "leak      ") +
            (kept ? "causal" : "leak") + (kept == correct ? "" : "    <-- differs") + "\n";
        if (kept != correct)
            throw NotSolved{table + "  " + c.if_wrong + "\n"};
    }
}

int main() {
    return checked(check);
}
