// Lesson 05: attention by hand
//
// Question: what does attention compute, so small that a pencil can follow?
// New here: attend, Mask. From lesson 04: softmax. Text: docs/05_attention_by_hand.md
//
// Predict before you run: two positions, all scores equal, values [2,4] and [6,8]. What does
// position 0 put out with a causal mask, and what without?

#include "model/attention.hpp"
#include "show/figure.hpp"
#include "show/terminal.hpp"

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

using namespace glassbox;

int lesson() {
    step(1, "queries and keys are zero, so every score is 0 and every key fits equally well");
    const Matrix q(2, 2), k(2, 2);
    const Matrix v{{2, 4}, //
                   {6, 8}};
    const std::vector<int> positions{0, 1};
    show("v", v, "s");

    step(2, "causal: position t reads the keys s <= t");
    const Attention causal = attend(q, k, v, positions, positions, Mask{.causal = true});
    show("weights", causal.weights, "t", "s");
    show("output", causal.output);

    step(3, "without a mask both positions read everything");
    const Attention open = attend(q, k, v, positions, positions, Mask{.causal = false});
    show("weights", open.weights, "t", "s");
    show("output", open.output);
    const bool by_hand = same_bits(causal.weights, {{1, 0}, {0.5, 0.5}}) &&
        same_bits(causal.output, {{2, 4}, {4, 6}}) && same_bits(open.output, {{4, 6}, {4, 6}});

    step(4, "intervene: replace the value of position 1, the future of position 0");
    const Matrix changed_v{{2, 4}, //
                           {100, 200}};
    const Attention causal_after =
        attend(q, k, changed_v, positions, positions, Mask{.causal = true});
    const Attention open_after =
        attend(q, k, changed_v, positions, positions, Mask{.causal = false});
    show("causal output", causal_after.output);
    show("output without a mask", open_after.output);
    const bool past_kept = same_bits(causal_after.output.row(0), causal.output.row(0));
    const bool present_moved = !same_bits(causal_after.output.row(1), causal.output.row(1));
    const bool open_leaks = !same_bits(open_after.output.row(0), open.output.row(0));
    std::cout << "causal: position 0 kept every bit: " << yes_or_no(past_kept)
              << ", position 1 moved: " << yes_or_no(present_moved)
              << "\nwithout a mask: position 0 moved: " << yes_or_no(open_leaks)
              << (open_leaks ? ", it has read the future" : "") << "\n";

    return verdict("A CAUSAL QUERY READS NO LATER VALUE",
                   by_hand && past_kept && present_moved && open_leaks);
}

// Weights times values is the output: above with the causal mask, below without one.
void figures(const std::filesystem::path& folder) {
    const Matrix q(2, 2), k(2, 2), v{{2, 4}, {6, 8}};
    Svg svg({.title = "Weights times values is the output",
             .description =
                 "With the causal mask row t0 has the weights 1 and 0 and puts out 2 and "
                 "4. Without a mask it has one half twice and puts out 4 and 6, as row "
                 "t1 does in both.",
             .row_axis = "",
             .column_axis = ""},
            700, 290);
    const auto draw = [&svg](const Matrix& m, double left, double top, const std::string& row,
                             const std::string& column, double largest) {
        const Cells cells{left, top, 58, 34, 0, largest};
        draw_cells(svg, m, cells);
        draw_labels(svg, m, cells, row, column);
    };
    for (const bool causal : {true, false}) {
        const double top = causal ? 80 : 195;
        const Attention found = attend(q, k, v, {0, 1}, {0, 1}, Mask{.causal = causal});
        svg.words(20, top + 38, causal ? "causal" : "no mask", "start");
        draw(found.weights, 130, top, "t", "s", 1);
        svg.words(275, top + 38, "times", "middle");
        draw(v, 340, top, "s", "c", 8);
        svg.words(485, top + 38, "gives", "middle");
        draw(found.output, 550, top, "t", "c", 8);
    }
    svg.words(188, 50, "weights", "middle");
    svg.words(398, 50, "values", "middle");
    svg.words(608, 50, "output", "middle");
    svg.write(folder / "05_weights_and_output.svg");
}

int main(int argc, char** argv) {
    return run(argc, argv, lesson, figures);
}
