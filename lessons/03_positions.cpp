// Lesson 03: positions
//
// Question: attention sees a set of rows; how does it learn which came first, and how far apart?
// New here: sinusoidal_positions, rotate_positions. From lesson 02: PytorchRandom.
// Text: docs/03_positions.md
//
// Predict before you run: two tokens keep their distance and move along the text together. Which
// of the two codes gives them the same score everywhere?

#include "model/mask.hpp"
#include "model/operations.hpp"
#include "numbers/random.hpp"
#include "show/figure.hpp"
#include "show/terminal.hpp"

#include <algorithm>
#include <iostream>

using namespace glassbox;

// The score q . k with each position added in: (q + P(t)) . (k + P(s)).
double sinusoidal_score(const Matrix& q, const Matrix& k, int t, int s) {
    const Matrix query = q + sinusoidal_positions({t}, q.cols);
    const Matrix key = k + sinusoidal_positions({s}, k.cols);
    return dot(query.row(0), key.row(0));
}

// The score q . k with each row turned by its position.
double rotary_score(const Matrix& q, const Matrix& k, int t, int s) {
    return dot(rotate_positions(q, {t}).row(0), rotate_positions(k, {s}).row(0));
}

double spread(const Matrix& scores) {
    const auto [lowest, highest] = std::ranges::minmax(scores.values);
    return highest - lowest;
}

int lesson() {
    step(1, "the sinusoidal code: a fast wave on the left, ever slower ones to the right");
    show("P", sinusoidal_positions(positions_from(0, 24), 16));

    PytorchRandom random(7);
    const Matrix q = random.randn(1, 8);
    const Matrix k = random.randn(1, 8);
    const std::vector<int> at{2, 5, 9, 14, 20};
    Matrix sinusoidal(1, at.size()), rotary(1, at.size());
    for (std::size_t i = 0; i < at.size(); ++i) {
        sinusoidal(0, i) = sinusoidal_score(q, k, at[i], at[i] - 2);
        rotary(0, i) = rotary_score(q, k, at[i], at[i] - 2);
    }

    step(2, "added positions: the same distance of 2, at five places");
    for (std::size_t i = 0; i < at.size(); ++i)
        std::cout << "query at " << at[i] << ", key at " << at[i] - 2 << ": score "
                  << fixed(sinusoidal(0, i)) << "\n";
    std::cout << "spread " << fixed(spread(sinusoidal)) << ": the score "
              << (spread(sinusoidal) > 1.0 ? "drifts" : "stays") << "\n";

    step(3, "rotary positions: the same pairs");
    for (std::size_t i = 0; i < at.size(); ++i)
        std::cout << "query at " << at[i] << ", key at " << at[i] - 2 << ": score "
                  << fixed(rotary(0, i)) << "\n";
    const bool invariant = spread(rotary) < 1e-12;
    std::cout << "spread below 1e-12: " << yes_or_no(invariant) << "\n";

    step(4, "intervene: keep the query at 12 and move the key away from it");
    Matrix by_offset(1, 4);
    const std::vector<int> offsets{0, 1, 3, 6};
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        by_offset(0, i) = rotary_score(q, k, 12, 12 - offsets[i]);
        std::cout << "offset " << offsets[i] << ": score " << fixed(by_offset(0, i)) << "\n";
    }
    const bool distance_matters = spread(by_offset) > 0.1;

    return verdict("ROPE IS RELATIVE-POSITION INVARIANT",
                   invariant && distance_matters && spread(sinusoidal) > 1.0);
}

void figures(const std::filesystem::path& folder) {
    heat_map({.title = "Sinusoidal positions, 24 positions in 16 channels",
              .description = "Each row is the code of one position. The leftmost columns change "
                             "sign every few rows, the rightmost hardly at all.",
              .row_axis = "position t",
              .column_axis = "channel c (pairs of sine and cosine)"},
             sinusoidal_positions(positions_from(0, 24), 16), "t", "c")
        .write(folder / "03_positions.svg");
}

int main(int argc, char** argv) {
    return run(argc, argv, lesson, figures);
}
