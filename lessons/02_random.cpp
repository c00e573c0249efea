// Lesson 02: random numbers that can be checked
//
// Question: how can a program without PyTorch or NumPy draw the very numbers that they draw?
// New here: PytorchRandom, NumpyRandom. From lesson 01: Matrix. Text: docs/02_random.md
//
// Predict before you run: with the same seed, do randn of 15 and randn of 16 numbers start alike?

#include "numbers/random.hpp"
#include "show/terminal.hpp"

#include <cmath>
#include <iostream>

using namespace glassbox;

// Prints the numbers and says whether they agree with published ones to all published digits.
bool agree(const std::string& name, const Matrix& drawn, const Matrix& published, int digits) {
    std::cout << name << "\n  drawn here: ";
    for (const double value : drawn.values)
        std::cout << " " << fixed(value, digits);
    std::cout << "\n  published:  ";
    for (const double value : published.values)
        std::cout << " " << fixed(value, digits);
    std::cout << "\n";
    return max_abs_difference(drawn, published) <= 0.5 * std::pow(10.0, -digits);
}

int lesson() {
    step(1, "PyTorch's stream: a Mersenne Twister, then Box-Muller");
    const Matrix torch_7{{-0.1468, 0.7861, 0.9468, -1.1143, 1.6908, -0.8948, -0.3556, 1.2324}};
    bool all =
        agree("torch.manual_seed(7); torch.randn(8)", PytorchRandom(7).randn(1, 8), torch_7, 4);

    step(2, "the first weight of the block that lesson 10 puts to the proof");
    const Matrix query_weight = PytorchRandom(23).linear_weight(8, 8);
    all = agree("torch.manual_seed(23); nn.Linear(8, 8).weight[0, 0]", {{query_weight(0, 0)}},
                {{-0.0507}}, 4) &&
        all;

    step(3, "NumPy's stream: a permuted congruential generator, then the ziggurat");
    NumpyRandom numpy(7);
    const Matrix numpy_7{{0.00123015, 0.29874554, -0.27413786, -0.89059184, -0.45467079}};
    all = agree("numpy.random.default_rng(7).standard_normal(5)", numpy.normal(0, 1, 1, 5), numpy_7,
                8) &&
        all;

    step(4, "intervene: the same seed again, then another seed");
    const Matrix first = PytorchRandom(7).randn(1, 8);
    const bool repeats = same_bits(PytorchRandom(7).randn(1, 8), first);
    const bool differs = !same_bits(PytorchRandom(8).randn(1, 8), first);
    std::cout << "seed 7 again, every bit the same: " << yes_or_no(repeats)
              << "\nseed 8, other numbers:            " << yes_or_no(differs) << "\n";

    step(5, "a surprise: one element more, and all of them change");
    const Matrix fifteen = PytorchRandom(7).randn(1, 15);
    const Matrix sixteen = PytorchRandom(7).randn(1, 16);
    all = agree("torch.randn(15), the first two", {{fifteen(0, 0), fifteen(0, 1)}},
                {{-0.1468, 0.7861}}, 4) &&
        all;
    all = agree("torch.randn(16), the first two", {{sixteen(0, 0), sixteen(0, 1)}},
                {{-0.8201, 0.3956}}, 4) &&
        all;
    std::cout << "from 16 elements on PyTorch draws by another algorithm\n";
    const bool surprise = fifteen(0, 0) != sixteen(0, 0) && fifteen(0, 1) != sixteen(0, 1);

    return verdict("SAME SEED, SAME BITS, THE PUBLISHED NUMBERS",
                   all && repeats && differs && surprise);
}

int main(int argc, char** argv) {
    return run(argc, argv, lesson);
}
