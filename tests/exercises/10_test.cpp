#include "check.hpp"
#include "model/block.hpp"
#include "proof/intervention.hpp"

#include EXERCISE

using namespace glassbox;

// What a leak does to the output of the block of lesson 10. `changed` says of an element of the
// input whether it differs from the one that the test was given, or is missing.
using Changed = std::function<bool(std::size_t t, std::size_t c)>;
using Leak = void (*)(Matrix& output, const Matrix& x, const Changed& changed);

void none(Matrix&, const Matrix&, const Changed&) {}

// The same attention as in the block, in matrix form: the weights of the future are 0, and its
// values are read. Causal for every number.
void matrix_form(Matrix& output, const Matrix& x, const Changed&) {
    Matrix scores = matmul_transposed(x, x);
    for (std::size_t t = 0; t < x.rows; ++t)
        for (std::size_t s = t + 1; s < x.rows; ++s)
            scores(t, s) = -std::numeric_limits<double>::infinity();
    output = output + matmul(softmax_rows(scores), x);
}

void first_reads_second(Matrix& output, const Matrix& x, const Changed&) {
    if (x.rows > 1)
        output(0, 3) += x(1, 0);
}

void fourth_reads_last(Matrix& output, const Matrix& x, const Changed&) {
    if (x.rows > 3)
        output(3, 7) += 1e-3 * x(x.rows - 1, 7);
}

void last_bit(Matrix& output, const Matrix& x, const Changed& changed) {
    for (std::size_t t = 0; t < x.rows; ++t)
        if (changed(t + 1, 0))
            output(t, 0) = std::nextafter(output(t, 0), 1e300);
}

// A model that leaks so, and keeps every input that it was asked about.
Model leaking(Leak leak, const Matrix& given, std::vector<Matrix>& asked) {
    PytorchRandom random(23);
    return [block = Block::from_pytorch(random, 8), leak, given, &asked](const Matrix& x) {
        asked.push_back(x);
        Matrix output = block(x);
        leak(output, x, [&](std::size_t t, std::size_t c) {
            return t < given.rows && (t >= x.rows || !same_bits(x(t, c), given(t, c)));
        });
        return output;
    };
}

struct Case {
    const char* name;
    Leak leak;
    bool causal;
    std::size_t s, c; // the element of the input that a leak reads
    const char* if_wrong;
};

constexpr Case cases[]{
    {"the block of lesson 10, correct", none, true, 0, 0,
     "Which outputs may move? The changed position and all later ones: only t < s must stay."},
    {"output t0 reads the input of t1", first_reads_second, false, 1, 0,
     "The inputs were changed as they ought to be. Is every channel of an earlier output compared, "
     "and false returned where one moved?"},
    {"output t3 reads the last input, both in their last channel", fourth_reads_last, false, 5, 7,
     "The inputs were changed as they ought to be. Is every earlier row of the output "
     "compared, and every channel of it?"},
    {"output t moves by its last bit when the input of t + 1 moves", last_bit, false, 1, 0,
     "Is there a tolerance? A small difference is information from the future as well: compare "
     "bits."},
    {"attention as products of matrices, correct", matrix_form, true, 0, 0,
     "No finite input moves an earlier output of this model."},
};

bool finite(const Matrix& m) {
    return std::ranges::all_of(m.values, [](double value) { return std::isfinite(value); });
}

// The mistake, if it lies in the inputs rather than in the comparison: several positions at once,
// or the element (s, c), which the leak reads, never changed.
std::string in_the_inputs(const std::vector<Matrix>& asked, const Matrix& x, const Case& leak) {
    const auto& [name, added, causal, s, c, words] = leak;
    bool position = false, channel = false;
    for (const Matrix& input : asked) {
        if (input.rows != x.rows) // a prefix, say
            continue;
        require_shape(input, x.rows, x.cols, "the model's input");
        if (causal && !finite(input))
            return "An input was made nan or infinite. This model multiplies the future by weights "
                   "of 0, and 0 * nan is nan: no information, but another output. Change by "
                   "numbers.";
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
    if (!causal && !position)
        return none_changed + "position " + number + ". Every position is changed in its turn.";
    if (!causal && !channel)
        return none_changed + "channel " + std::to_string(c) + " of position " + number +
            ". All channels of a position are changed" +
            (x(s, c) == 0.0 ? "; this one is 0, which no factor changes." : ".");
    return words;
}

void check() {
    PytorchRandom random(24);
    Matrix x = random.randn(6, 8);
    x(5, 7) = 0.0;
    std::string table = std::string("  the model") + std::string(55, ' ') + "expected  your test\n";
    for (const Case& c : cases) {
        std::vector<Matrix> asked;
        const bool kept = keeps_the_past(leaking(c.leak, x, asked), x);
        std::string name = c.name;
        name.resize(64, ' ');
        table += std::string("  ") + name + (c.causal ? "causal    " : "leak      ") +
            (kept ? "causal" : "leak") + (kept == c.causal ? "" : "    <-- differs") + "\n";
        if (kept != c.causal)
            throw NotSolved{table + "  " + in_the_inputs(asked, x, c) + "\n"};
    }
}

int main() {
    return checked(check);
}
