// Lesson 13: through the layers
//
// Question: a second layer reads outputs of the first. Why does that not open a way to the future,
// and how far back does a position see?
// New here: the reach of a stack. From lessons 06 and 12: Mask, Decoder.
// Text: docs/13_through_the_layers.md
//
// Predict before you run: each layer may read a window of 4 positions. Which inputs can the second
// layer's output at position 20 depend on?

#include "proof/intervention.hpp"
#include "record/experiment.hpp"
#include "show/figure.hpp"
#include "show/terminal.hpp"

#include <iostream>

using namespace glassbox;

// T x T of 0 and 1: what one layer may read, by the mask alone.
Matrix reads(const Mask& mask, std::size_t T) {
    Matrix result(T, T);
    for (std::size_t t = 0; t < T; ++t)
        for (std::size_t s = 0; s < T; ++s)
            result(t, s) = mask.allows(static_cast<int>(t), static_cast<int>(s)) ? 1.0 : 0.0;
    return result;
}

// Two layers reach s from t if t may read some r that may read s: a product of 0s and 1s.
Matrix two_layers(const Matrix& one_layer) {
    Matrix result = matmul(one_layer, one_layer);
    for (double& ways : result.values)
        ways = ways > 0.0 ? 1.0 : 0.0;
    return result;
}

// T x T of 0 and 1: which outputs of a decoder moved, by a single bit or more, when the embedding
// of one token was replaced.
Matrix measured_reach(const Decoder& decoder, const Mask& mask) {
    const Model model = [&](const Matrix& x) { return decoder.forward_embedded(x, mask).hidden; };
    const Matrix x = decoder.embed(experiment::tokens());
    const Matrix replacement(1, 16, 0.5); // like no token
    Matrix result(x.rows, x.rows);
    for (std::size_t s = 0; s < x.rows; ++s) {
        const Intervention experiment = intervene(model, x, s, replacement);
        for (std::size_t t = 0; t < x.rows; ++t)
            result(t, s) = same_bits(experiment.before.row(t), experiment.after.row(t)) ? 0.0 : 1.0;
    }
    return result;
}

void print_row(const std::string& name, const Matrix& reach, std::size_t t) {
    std::cout << name << ": position " << t << " reaches";
    for (std::size_t s = 0; s < reach.cols; ++s)
        if (reach(t, s) != 0.0)
            std::cout << " " << s;
    std::cout << "\n";
}

// Said without the mask, which prediction and measurement share: nothing above the diagonal, and
// position 20 reaches exactly first to 20.
bool reaches_from(const Matrix& reach, std::size_t first) {
    for (std::size_t t = 0; t < reach.rows; ++t)
        for (std::size_t s = t + 1; s < reach.cols; ++s)
            if (reach(t, s) != 0.0)
                return false;
    for (std::size_t s = 0; s <= 20; ++s)
        if ((reach(20, s) != 0.0) != (s >= first))
            return false;
    return true;
}

// Predicts and measures the reach of one layer and of all, and compares all 24 x 24 pairs.
bool predict_and_measure(const Decoder& decoder, const Mask& mask, std::size_t first_reached) {
    Decoder one = decoder;
    one.layers.resize(1);
    const std::string all = std::to_string(decoder.layers.size()) + " layers, ";
    const Matrix predicted_one = reads(mask, 24), predicted_all = two_layers(predicted_one);
    const Matrix measured_one = measured_reach(one, mask);
    const Matrix measured_all = measured_reach(decoder, mask);
    print_row("1 layer,  predicted", predicted_one, 20);
    print_row("1 layer,  measured ", measured_one, 20);
    print_row("2 layers, predicted", predicted_all, 20);
    print_row(all + "measured ", measured_all, 20);
    const bool same =
        same_bits(predicted_one, measured_one) && same_bits(predicted_all, measured_all);
    const bool no_future = reaches_from(measured_all, first_reached);
    std::cout << "the same for all 24 x 24 pairs: " << yes_or_no(same)
              << "\nnothing later is reached, and 20 reaches exactly " << first_reached
              << " to 20: " << yes_or_no(no_future) << "\n";
    return same && no_future;
}

int lesson() {
    const Decoder decoder = Decoder::from_numpy(7);
    step(1, "causal, no window: each layer reads all of the past");
    const bool causal_as_predicted = predict_and_measure(decoder, experiment::causal, 0);

    step(2, "causal with a window of 4: each layer reads the present and three before");
    const bool sliding_as_predicted = predict_and_measure(decoder, experiment::sliding, 14);

    step(3, "the picture: row t reaches column s (1: one layer is enough, 2: it takes two)");
    const Matrix one = reads(experiment::sliding, 24);
    const Matrix two = two_layers(one);
    std::cout << "row: who asks, column: who is read\n";
    for (std::size_t t = 0; t < 24; ++t) {
        std::cout << (t < 10 ? "   t" : "  t") << t << " ";
        for (std::size_t s = 0; s < 24; ++s)
            std::cout << (one(t, s) != 0.0 ? '1' : two(t, s) != 0.0 ? '2' : '.');
        std::cout << "\n";
    }

    step(4, "intervene: take the mask away from the same decoder");
    const Matrix open = measured_reach(decoder, experiment::unmasked);
    print_row("2 layers, measured ", open, 0);
    const bool control_fires = open(0, 23) != 0.0;

    return verdict("A STACK OF CAUSAL LAYERS IS CAUSAL, AND REACHES AS FAR AS PREDICTED",
                   causal_as_predicted && sliding_as_predicted && control_fires);
}

void figures(const std::filesystem::path& folder) {
    const Decoder decoder = Decoder::from_numpy(7);
    const Model model = [&](const Matrix& x) {
        return decoder.forward_embedded(x, experiment::sliding).hidden;
    };
    const Matrix x = decoder.embed(experiment::tokens());
    heat_map({.title = "Reach of two layers with a window of 4, measured (seed 7)",
              .description = "A band of seven cells along the diagonal: output t moves when one of "
                             "the inputs t - 6 to t is replaced, and for no other. The four cells "
                             "next to the diagonal are strongest.",
              .row_axis = "row t: who asks",
              .column_axis = "column s: who is read (its token was replaced)"},
             influence_map(model, x, Matrix(1, 16, 0.5)), "t", "s")
        .write(folder / "13_reach.svg");
}

int main(int argc, char** argv) {
    return run(argc, argv, lesson, figures);
}
