#include "check.hpp"
#include "model/block.hpp"
#include "proof/intervention.hpp"

#include EXERCISE

using namespace glassbox;

// The block of lesson 10, what a leak adds to its output, and every input that it was asked about.
using Leak = void (*)(Matrix& output, const Matrix& x);

Model leaking(Leak leak, std::vector<Matrix>& asked) {
    PytorchRandom random(23);
    return [block = Block::from_pytorch(random, 8), leak, &asked](const Matrix& x) {
        asked.push_back(x);
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
    std::size_t s, c; // the element of the input that it reads
    const char* if_wrong;
};

constexpr Case cases[]{
    {"the block of lesson 10, correct", none, 0, 0,
     "Which outputs may move? The changed position and all later ones: only t < s must stay."},
    {"output t0 reads the input of t1", first_reads_second, 1, 0,
     "The inputs were changed as they ought to be. Is every channel of an earlier output compared, "
     "and false returned where one moved?"},
    {"output t3 reads the last input, both in their last channel", fourth_reads_last, 5, 7,
     "The inputs were changed as they ought to be. Is every earlier row of the output "
     "compared, and every channel of it?"},
    {"output t reads 0.00000000001 of the input of t + 1", faint, 1, 0,
     "Is there a tolerance? A small difference is information from the future as well: compare "
     "bits."},
};

// The mistake, if it lies in the inputs rather than in the comparison: several positions at once,
// or the element (s, c), which the leak reads, never changed.
std::string in_the_inputs(const std::vector<Matrix>& asked, const Matrix& x, const Case& leak) {
    const auto& [name, added, s, c, words] = leak;
    bool position = false, channel = false;
    for (const Matrix& input : asked) {
        require_shape(input, x.rows, x.cols, "the model's input");
        std::size_t changed = 0;
        for (std::size_t t = 0; t < x.rows; ++t)
            changed += same_bits(input.row(t), x.row(t)) ? 0 : 1;
        if (changed > 1)
            return std::string("An experiment has changed ") + std::to_string(changed) +
                " positions at once: each begins with a copy of x of its own.";
        position = position || !same_bits(input.row(s), x.row(s));
        channel = channel || !same_bits(input(s, c), x(s, c));
    }
    const std::string none_changed = "No experiment has changed ", number = std::to_string(s);
    if (added != none && !position)
        return none_changed + "position " + number + ". Every position is changed in its turn.";
    if (added != none && !channel)
        return none_changed + "channel " + std::to_string(c) + " of position " + number +
            ". All channels of a position are changed.";
    return words;
}

void check() {
    PytorchRandom random(24);
    const Matrix x = random.randn(6, 8);
    std::string table = std::string("  the model") + std::string(52, ' ') + "expected  your test\n";
    for (const Case& c : cases) {
        std::vector<Matrix> asked;
        const bool correct = c.leak == none, kept = keeps_the_past(leaking(c.leak, asked), x);
        std::string name = c.name;
        name.resize(61, ' ');
        table += std::string("  ") + name + (correct ? "causal    " : "leak      ") +
            (kept ? "causal" : "leak") + (kept == correct ? "" : "    <-- differs") + "\n";
        if (kept != correct)
            throw NotSolved{table + "  " + in_the_inputs(asked, x, c) + "\n"};
    }
}

int main() {
    return checked(check);
}
