// Lesson 02: random numbers that can be checked
//
// Question: how can a program without PyTorch or NumPy draw the numbers that they draw?
// New here: PytorchRandom, NumpyRandom. From lesson 01: Matrix. Text: docs/02_random.md
//
// Predict before you run: with the same seed, do randn of 15 and randn of 16 numbers start alike?

#include "numbers/random.hpp"
#include "show/figure.hpp"
#include "show/terminal.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <numbers>
#include <vector>

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

// How many of the numbers fall into each of the 16 halves between -4 and 4.
std::vector<double> counts(const Matrix& drawn) {
    std::vector<double> result(16);
    for (const double value : drawn.values)
        if (std::abs(value) < 4)
            ++result[static_cast<std::size_t>(2 * (value + 4))];
    return result;
}

void figures(const std::filesystem::path& folder) {
    const Plot plot{-4, 4, 0, 250};
    Svg svg({.title = "1000 numbers from each stream, seed 7, and the bell curve",
             .description = "Pairs of bars, one for each stream, lowest at the sides and highest "
                            "around 0, follow a bell-shaped line. The two bars of a pair are about "
                            "equally high and hardly ever the same.",
             .row_axis = "",
             .column_axis = ""},
            620, 380);
    plot.draw_y_axis(svg, "how many of the 1000");
    plot.draw_x_axis(svg, "the number drawn, in steps of 0.5");
    const auto draw = [&](const std::vector<double>& heights, double shift, const char* colour) {
        for (std::size_t i = 0; i < heights.size(); ++i)
            svg.rectangle(plot.x(static_cast<double>(i) / 2 - 4) + shift, plot.y(heights[i]), 12,
                          Plot::bottom - plot.y(heights[i]), colour);
    };
    draw(counts(PytorchRandom(7).randn(1, 1000)), 3, "#0072b2");
    draw(counts(NumpyRandom(7).normal(0, 1, 1, 1000)), 15, "#e69f00");
    std::vector<std::array<double, 2>> curve;
    for (double x = -4; x <= 4; x += 0.125)
        curve.push_back(
            {plot.x(x), plot.y(500 * std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi))});
    svg.path(curve, Svg::ink, "stroke-width=\"2\"");
    svg.rectangle(130, 356, 12, 12, "#0072b2");
    svg.words(148, 366, "PyTorch's", "start");
    svg.rectangle(240, 356, 12, 12, "#e69f00");
    svg.words(258, 366, "NumPy's", "start");
    svg.path({{340, 362}, {365, 362}}, Svg::ink, "stroke-width=\"2\"");
    svg.words(371, 366, "the formula of the bell curve", "start");
    svg.write(folder / "02_bell_curve.svg");
}

int main(int argc, char** argv) {
    return run(argc, argv, lesson, figures);
}
