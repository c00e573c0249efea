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

void check() {
    const Axes axes{"t", "s"};
    const auto case_of = [&](const std::string& name, const Mask& mask, std::size_t layers) {
        const Matrix reads = reads_of(mask), two = matmul(reads, reads);
        const Matrix measured = measured_reach(mask, layers);
        std::vector<Guess> guesses;
        guesses.push_back({two,
                           "These are the numbers of ways, 1, 2, 3 ... (? in the picture). "
                           "Asked for is 1 where there is any way."});
        guesses.push_back({matmul(two, reads), guesses[0].words});
        if (layers != 1)
            guesses.push_back({reads,
                               "This is what one layer reads; the further layers reach "
                               "further."});
        for (const std::size_t other : {layers - 1, layers + 1})
            if (other > 0)
                guesses.push_back({measured_reach(mask, other),
                                   std::string("This is the reach of ") + std::to_string(other) +
                                       (other == 1 ? " layer" : " layers") + ", asked for was " +
                                       std::to_string(layers) +
                                       ". One layer takes no product, two layers take one."});
        expect(name + " (expected is what was measured)", predicted_reach(reads, layers), measured,
               guesses, axes, true);
    };
    case_of("2 layers with a window of 3", Mask{.causal = true, .window = 3}, 2);
    case_of("1 layer with a window of 3", Mask{.causal = true, .window = 3}, 1);
    case_of("3 layers with a window of 2", Mask{.causal = true, .window = 2}, 3);
    case_of("2 layers without a window", Mask{.causal = true}, 2);
}

int main() {
    return checked(check);
}
