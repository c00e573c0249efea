// Lesson 15: the sliding window
//
// Question: a cache that keeps four positions: is it the same as reading only the last four tokens?
// New here: a window that evicts. From lessons 13 and 14: reach, KvCache.
// Text: docs/15_sliding_window.md
//
// Predict before you run: after 24 tokens with a window of 4, run the last four tokens alone, at
// their right positions. Is the last row the same?

#include "proof/intervention.hpp"
#include "record/experiment.hpp"
#include "show/figure.hpp"
#include "show/terminal.hpp"

#include <iostream>

using namespace glassbox;

// The three routes with a window of 4, each beside the full pass under the sliding mask.
struct Routes {
    Matrix full, cached, reset, cropped;
};

Routes routes_of(std::uint32_t seed) {
    const Decoder decoder = Decoder::from_numpy(seed);
    const std::vector<int> tokens = experiment::tokens();
    return {decoder.forward(tokens, experiment::sliding).hidden,
            token_by_token(decoder, tokens, experiment::sliding).hidden,
            with_positions_reset(decoder, tokens, experiment::sliding).hidden,
            by_recomputing_the_window(decoder, tokens, experiment::sliding.window).hidden};
}

// Does the output at 20 of a single layer move when the token at s is replaced?
bool reaches(const Decoder& one_layer, std::size_t s) {
    const Model model = [&](const Matrix& x) {
        return one_layer.forward_embedded(x, experiment::sliding).hidden;
    };
    const Matrix x = one_layer.embed(experiment::tokens());
    const Intervention experiment = intervene(model, x, s, Matrix(1, 16, 0.5)); // like no token
    return !same_bits(experiment.before.row(20), experiment.after.row(20));
}

void print_indices(const KvCache& cache) {
    std::cout << "tokens processed:          " << cache.next_position
              << "\nabsolute positions cached:";
    for (const int position : cache.layers[0].positions)
        std::cout << " " << position;
    std::cout << "\nslots of the array:       ";
    for (std::size_t slot = 0; slot < cache.layers[0].keys.rows; ++slot)
        std::cout << " " << slot;
    std::cout << "\npayload:                   " << cache.payload_bytes() << " bytes\n";
}

int lesson() {
    const Decoder decoder = Decoder::from_numpy(7);
    const std::vector<int> tokens = experiment::tokens();

    step(1, "a window of 4 is the current position and the three before it");
    Decoder one_layer = decoder;
    one_layer.layers.resize(1);
    const bool inside = reaches(one_layer, 17), outside = reaches(one_layer, 16);
    std::cout << "one layer, output 20: token 17 (20 - 3) matters: " << yes_or_no(inside)
              << ", token 16 (20 - 4) matters: " << yes_or_no(outside) << "\n";

    step(2, "what is left in the cache after 24 tokens: three indices, kept apart");
    const KvCache cache = token_by_token(decoder, tokens, experiment::sliding).cache;
    print_indices(cache);

    step(3, "three routes against the full pass under the sliding mask: largest difference");
    std::cout << "seed   cache of 4   positions reset   last 4 tokens alone\n";
    bool exact = true, controls_fire = true;
    for (const std::uint32_t seed : experiment::seeds) {
        const Routes routes = routes_of(seed);
        const double reset = max_abs_difference(routes.reset, routes.full);
        const double cropped = max_abs_difference(routes.cropped, routes.full);
        std::cout << padded(std::to_string(seed), 4) << "   "
                  << scientific(max_abs_difference(routes.cached, routes.full)) << "    "
                  << fixed(reset, 12) << "    " << fixed(cropped, 12) << "\n";
        exact = exact && same_bits(routes.cached, routes.full);
        controls_fire = controls_fire && reset > 0.1 && cropped > 0.1;
    }

    step(4, "why: the key that layer 2 has cached for position 17 has seen 14 to 17");
    const Matrix cropped =
        decoder.forward(experiment::part(tokens, 17, 4), experiment::causal, 17).hidden;
    const Matrix longer =
        decoder.forward(experiment::part(tokens, 14, 7), experiment::sliding, 14).hidden;
    const Matrix full = decoder.forward(tokens, experiment::sliding).hidden;
    const bool four_fail = !same_bits(cropped.row(3), full.row(20));
    const bool seven_do = same_bits(longer.row(6), full.row(20));
    std::cout << "output 20 from the tokens 17 to 20 alone, the same bits: "
              << (four_fail ? "no" : "yes")
              << "\noutput 20 from the tokens 14 to 20 alone, the same bits: "
              << yes_or_no(seven_do) << "\n";

    step(5, "chunks longer than the window");
    const Route chunked = by_chunks(decoder, tokens, {9, 1, 14}, experiment::sliding);
    const bool chunks = same_bits(chunked.hidden, full);
    std::cout << "chunks of 9, 1 and 14, the same bits: " << yes_or_no(chunks) << "\n";

    return verdict("A WINDOWED CACHE HOLDS COMPUTED HISTORY, NOT A SLICE OF TEXT",
                   inside && !outside && exact && controls_fire && four_fail && seven_do &&
                       chunks && cache.payload_bytes() == 2048);
}

Matrix error_per_position(const Matrix& route, const Matrix& full) {
    return change_per_position({0, full, route});
}

void figures(const std::filesystem::path& folder) {
    const Routes routes = routes_of(7);
    grouped_bars({.title = "Difference from the full pass, window of 4, seed 7",
                  .description =
                      "The cache of four has no bar anywhere. The last four tokens alone "
                      "go wrong from position 4 on, reset positions from position 1 on.",
                  .row_axis = "largest difference of any channel",
                  .column_axis = "position t of the output; no bar: exactly 0"},
                 {{"last 4 tokens alone", error_per_position(routes.cropped, routes.full)},
                  {"positions reset", error_per_position(routes.reset, routes.full)},
                  {"cache of 4", error_per_position(routes.cached, routes.full)}},
                 "t")
        .write(folder / "15_error_per_position.svg");
}

int main(int argc, char** argv) {
    return run(argc, argv, lesson, figures);
}
