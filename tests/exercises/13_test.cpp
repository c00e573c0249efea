#include "check.hpp"
#include "model/decoder.hpp"
#include "proof/intervention.hpp"

#include EXERCISE

using namespace glassbox;

constexpr std::size_t T = 8;

Matrix reads_of(const Mask& mask) {
    Matrix reads(T, T);
    for (std::size_t t = 0; t < T; ++t)
        for (std::size_t s = 0; s < T; ++s)
            reads(t, s) = mask.allows(static_cast<int>(t), static_cast<int>(s)) ? 1.0 : 0.0;
    return reads;
}

// Which outputs of so many layers moved when the input at one position was replaced.
Matrix measured_reach(const Mask& mask, std::size_t layers) {
    const Decoder decoder = Decoder::from_numpy(7, 32, 4, layers);
    const Model model = [&](const Matrix& x) { return decoder.forward_embedded(x, mask).hidden; };
    const Matrix influence =
        influence_map(model, decoder.embed({3, 10, 17, 24, 31, 6, 13, 20}), Matrix(1, 4, 0.5));
    Matrix reach(T, T);
    for (std::size_t i = 0; i < reach.values.size(); ++i)
        reach.values[i] = influence.values[i] != 0.0 ? 1.0 : 0.0;
    return reach;
}

// The same for layers that are no window: a layer adds up what it reads.
Matrix measured_by_sums(const Matrix& reads, std::size_t layers) {
    const Model model = [&](Matrix x) {
        for (std::size_t n = 0; n < layers; ++n)
            x = matmul(reads, x);
        return x;
    };
    const Matrix influence = influence_map(model, Matrix(T, 1, 1.0), Matrix(1, 1, 2.0));
    Matrix reach(T, T);
    for (std::size_t i = 0; i < reach.values.size(); ++i)
        reach.values[i] = influence.values[i] != 0.0 ? 1.0 : 0.0;
    return reach;
}

Matrix reads_where(bool (*may_read)(std::size_t t, std::size_t s)) {
    Matrix reads(T, T);
    for (std::size_t t = 0; t < T; ++t)
        for (std::size_t s = 0; s < T; ++s)
            reads(t, s) = may_read(t, s) ? 1.0 : 0.0;
    return reads;
}

Matrix exactly_one_way(Matrix ways) {
    for (double& number : ways.values)
        number = number == 1.0 ? 1.0 : 0.0;
    return ways;
}

// What `layers` layers with the window that a row seems to show would reach, row by row or all
// alike.
Matrix as_if_a_window(const Matrix& reads, std::size_t layers, std::size_t row) {
    std::size_t window = 0;
    for (const double value : reads.row(row))
        window += value > 0.0 ? 1 : 0;
    Matrix reach(T, T);
    for (std::size_t t = 0; t < T; ++t)
        for (std::size_t s = 0; s <= t; ++s)
            reach(t, s) = t - s <= layers * (window - 1) ? 1.0 : 0.0;
    return reach;
}

void check() {
    const Axes axes{"t", "s"};
    const auto compare = [&](const std::string& name, const Matrix& reads, std::size_t layers,
                             const Matrix& measured, const std::vector<Guess>& more) {
        const Matrix two = matmul(reads, reads);
        std::vector<Guess> guesses;
        guesses.push_back({two,
                           "These are the numbers of ways, 1, 2, 3 ... (? in the picture). "
                           "Asked for is 1 where there is any way."});
        guesses.push_back({matmul(two, reads), guesses[0].words});
        guesses.push_back({Matrix(T, T, 1.0), "Everything is reached: does >= 0 stand for > 0?"});
        guesses.push_back({reads_where([](std::size_t t, std::size_t s) { return s <= t; }),
                           "This is the whole past: how far a layer sees is written in reads."});
        guesses.push_back({exactly_one_way(two),
                           "A 1 only where there is a single way: any number above 0 becomes 1."});
        if (layers != 1)
            guesses.push_back({reads,
                               "This is what one layer reads; the further layers reach "
                               "further."});
        for (const std::size_t other : {layers - 1, layers + 1})
            if (other > 0)
                guesses.push_back({measured_by_sums(reads, other),
                                   std::string("This is the reach of ") + std::to_string(other) +
                                       (other == 1 ? " layer" : " layers") + ", asked for was " +
                                       std::to_string(layers) +
                                       ". One layer takes no product, two layers take one. Or was a "
                                       "width written down? It stands in reads."});
        guesses.insert(guesses.end(), more.begin(), more.end());
        expect(name + " (expected is what was measured)", predicted_reach(reads, layers), measured,
               guesses, axes, true);
    };
    const auto case_of = [&](const std::string& name, const Mask& mask, std::size_t layers) {
        const Matrix reads = reads_of(mask), measured = measured_reach(mask, layers);
        std::vector<Guess> guesses;
        for (int window = 3; window <= 5; ++window) // one that `reads` does not show
            if (mask.window < window)
                guesses.push_back(
                    {measured_reach(Mask{.causal = true, .window = window}, layers),
                     std::string("This is the reach of windows of ") + std::to_string(window) +
                         ". How far a layer sees is written in reads, and only there."});
        compare(name, reads, layers, measured, guesses);
    };
    const auto no_window = [&](const std::string& name, const Matrix& reads, std::size_t layers) {
        const std::string words = "This is right for a window. Here reads shows none: multiply it.";
        compare(name, reads, layers, measured_by_sums(reads, layers),
                {{as_if_a_window(reads, layers, T - 1), words},
                 {as_if_a_window(reads, layers, T / 2), words}});
    };
    case_of("2 layers with a window of 3", Mask{.causal = true, .window = 3}, 2);
    case_of("1 layer with a window of 3", Mask{.causal = true, .window = 3}, 1);
    case_of("3 layers with a window of 2", Mask{.causal = true, .window = 2}, 3);
    case_of("2 layers without a window", Mask{.causal = true}, 2);
    no_window("2 layers in which t reads t and t - 2",
              reads_where([](std::size_t t, std::size_t s) { return s == t || s + 2 == t; }), 2);
    no_window(
        "2 layers in which t reads t, 0 and, for once, its future t + 1",
        reads_where([](std::size_t t, std::size_t s) { return s == t || s == t + 1 || s == 0; }),
        2);
}

int main() {
    return checked(check);
}
