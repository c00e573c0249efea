// Lesson 12: perturb the future
//
// Question: does what lesson 10 proved for one block hold for a decoder that reads tokens?
// New here: Decoder. From lessons 05 and 10: attend, Mask, same_bits, intervention.
// Text: docs/12_perturb_the_future.md
//
// Predict before you run: of 24 tokens the last twelve are changed. How many of the first twelve
// outputs move, with a causal mask and without?

#include "proof/intervention.hpp"
#include "record/experiment.hpp"
#include "show/figure.hpp"
#include "show/terminal.hpp"

#include <algorithm>
#include <iostream>

using namespace glassbox;

void print_tokens(const std::string& name, const std::vector<int>& tokens) {
    std::cout << name;
    for (const int token : tokens)
        std::cout << padded(std::to_string(token), 3);
    std::cout << "\n";
}

// The output with the tokens as they are, and with the last twelve edited.
Intervention edit_the_future(const Decoder& decoder, const Mask& mask) {
    return {experiment::first_edited, decoder.forward(experiment::tokens(), mask).hidden,
            decoder.forward(experiment::tokens_with_edited_future(), mask).hidden};
}

// The largest change of the twelve positions before the edit.
double change_of_the_past(const Intervention& edit) {
    return std::ranges::max(change_per_position(edit).row(0).first(experiment::first_edited));
}

int lesson() {
    step(1, "24 tokens, and the same with the last twelve changed");
    print_tokens("tokens:", experiment::tokens());
    print_tokens("edited:", experiment::tokens_with_edited_future());

    step(2, "the network: every token becomes 16 numbers, twice through causal attention");
    const Decoder decoder = Decoder::from_numpy(7);
    const Pass pass = decoder.forward(experiment::tokens(), experiment::causal);
    show("hidden", pass.hidden);
    show("first-layer weights", pass.weights, "t", "s");

    step(3, "the largest change of outputs 0 to 11, for three seeds");
    bool past_kept = true, control_fires = true;
    std::cout << "seed   causal            without a mask    causal: every bit kept\n";
    for (const std::uint32_t seed : experiment::seeds) {
        const Decoder network = Decoder::from_numpy(seed);
        const Intervention causal = edit_the_future(network, experiment::causal);
        const double open = change_of_the_past(edit_the_future(network, experiment::unmasked));
        const bool kept = !first_move_in_the_past(causal);
        std::cout << padded(std::to_string(seed), 4) << "   "
                  << fixed(change_of_the_past(causal), 12) << "    " << fixed(open, 12) << "    "
                  << yes_or_no(kept) << "\n";
        past_kept = past_kept && kept;
        control_fires = control_fires && open > 0.01;
    }

    step(4, "position by position, seed 7");
    const Matrix causal = change_per_position(edit_the_future(decoder, experiment::causal));
    const Matrix open = change_per_position(edit_the_future(decoder, experiment::unmasked));
    bool future_moved = true;
    std::cout << "  t   causal      without a mask\n";
    for (std::size_t t = 0; t < causal.cols; ++t) {
        std::cout << padded(std::to_string(t), 3) << "   " << scientific(causal(0, t)) << "   "
                  << scientific(open(0, t)) << (t == 12 ? "   the edit begins here" : "") << "\n";
        future_moved = future_moved && (t < 12 || causal(0, t) > 0.01);
    }
    std::cout << "causal: outputs 12 to 23 all moved: " << yes_or_no(future_moved) << "\n";

    return verdict("EDITING THE FUTURE LEAVES THE DECODER'S PAST ALONE",
                   past_kept && control_fires && future_moved);
}

void figures(const std::filesystem::path& folder) {
    const Decoder decoder = Decoder::from_numpy(7);
    heat_map({.title = "First-layer attention weights, seed 7",
              .description = "A 24 by 24 lower triangle. Row 0 gives itself all of its weight; "
                             "further down the weight is spread over more and more positions.",
              .row_axis = "row t: who asks",
              .column_axis = "column s: who is read"},
             decoder.forward(experiment::tokens(), experiment::causal).weights, "t", "s")
        .write(folder / "12_weights.svg");

    const Matrix causal = change_per_position(edit_the_future(decoder, experiment::causal));
    const Matrix open = change_per_position(edit_the_future(decoder, experiment::unmasked));
    Svg svg =
        grouped_bars({.title = "Change of each output when tokens 12 to 23 are edited, seed 7",
                      .description = "With the causal mask outputs 0 to 11 have no bar, they "
                                     "moved by exactly 0; without it all have one. From "
                                     "position 12 on both have.",
                      .row_axis = "largest change of any channel",
                      .column_axis = "position t of the output; no bar: exactly 0"},
                     {{"causal", causal}, {"without a mask", open}}, "t");
    const double edge = (Plot::left + Plot::right) / 2; // between 11 and 12 of 24
    svg.path({{edge, Plot::top}, {edge, Plot::bottom}}, Svg::ink, "stroke-dasharray=\"2 3\"");
    svg.words(edge + 6, Plot::top + 10, "edited from here on", "start");
    svg.write(folder / "12_change.svg");
}

int main(int argc, char** argv) {
    return run(argc, argv, lesson, figures);
}
