// Lesson 09: the block
//
// Question: how do the parts make up the unit that every GPT stacks?
// New here: Block. From lessons 05, 07 and 08: attend, LayerNorm, the residual sum, Mlp.
// Text: docs/09_block.md
//
// Predict before you run: which of the parts lets one position see another?

#include "model/block.hpp"
#include "show/figure.hpp"
#include "show/terminal.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

using namespace glassbox;

// The same block, run by PyTorch in float64 on the same weights and input.
const Matrix pytorch_output{{-1.7954, -0.1472, 1.6836, -1.5709, 1.2773, 1.8533, 0.4461, -2.0442},
                            {-1.0415, -0.4520, 1.7955, 1.8026, 0.0823, -0.0546, -1.1067, -1.1162},
                            {-0.6612, -1.2249, -0.0670, 1.2523, 0.5499, -0.6611, -1.7424, 1.2960},
                            {2.1469, -0.6625, -0.7092, 0.0358, -0.6927, 0.8350, 0.9019, -0.7408},
                            {0.3067, -0.2461, -0.2669, 1.2002, -1.0803, 0.9992, 0.1833, 0.3287},
                            {-2.5525, -0.3637, 0.2142, 0.4792, 0.7464, 0.9685, 0.8532, 0.1775}};

// Prints which rows moved, as "t3 t4 t5", and says whether these are exactly rows first to last.
bool rows_moved(const std::string& name, const Matrix& before, const Matrix& after,
                std::size_t first, std::size_t last) {
    bool as_predicted = true;
    std::cout << name << std::string(16 - name.size(), ' ') << "moved:";
    for (std::size_t t = 0; t < before.rows; ++t) {
        const bool moved = !same_bits(before.row(t), after.row(t));
        std::cout << (moved ? " t" + std::to_string(t) : "");
        as_predicted = as_predicted && moved == (first <= t && t <= last);
    }
    std::cout << "\n";
    return as_predicted;
}

int lesson() {
    PytorchRandom random(23);
    const Block block = Block::from_pytorch(random, 8);
    const Matrix x = random.randn(6, 8);
    const std::vector<int> positions = positions_from(0, 6);

    step(1, "the input: 6 positions, 8 channels");
    show("x", x);

    step(2, "pre-norm: each row to mean 0, variance 1");
    const Matrix normed = block.ln1(x);
    show("ln1(x)", normed);

    step(3, "three views of every row: what it asks, what it offers, what it says");
    const Matrix q = block.attention.query(normed);
    const Matrix k = block.attention.key(normed);
    const Matrix v = block.attention.value(normed);
    show("q", q);
    show("k", k, "s");
    show("v", v, "s");

    step(4, "causal attention: positions share information, backwards only");
    const Attention attention = attend(q, k, v, positions, positions, block.attention.mask);
    show("weights", attention.weights, "t", "s");
    show("attention", attention.output);

    step(5, "residual: keep the input, add what was found");
    const Matrix after_attention = x + attention.output;
    show("x + attention", after_attention);

    step(6, "pre-norm again, then the MLP on each row alone");
    const Matrix hidden = block.mlp.expand(block.ln2(after_attention));
    show("hidden", hidden, "t", "f");
    const Matrix thought = block.mlp.project(gelu(hidden));
    show("mlp", thought);

    step(7, "residual again: this is the output");
    const Matrix output = after_attention + thought;
    show("output", output);
    const BlockStations at = block.stations(x);
    const bool same_stations = same_bits(at.ln1, normed) && same_bits(at.attention.queries, q) &&
        same_bits(at.attention.keys, k) && same_bits(at.attention.values, v) &&
        same_bits(at.attention.weights[0], attention.weights) &&
        same_bits(at.attention.output, attention.output) &&
        same_bits(at.after_attention, after_attention) && same_bits(at.mlp.hidden, hidden) &&
        same_bits(at.mlp.output, thought) && same_bits(at.output, output);
    const bool is_block = same_stations && same_bits(output, block(x));
    std::cout << "block.stations(x) has the same bits at every station: "
              << yes_or_no(same_stations) << "\nblock(x) has the same bits: " << yes_or_no(is_block)
              << "\n";

    step(8, "the same rows from PyTorch");
    show("PyTorch, float64", pytorch_output);
    const bool agrees = max_abs_difference(block(x), pytorch_output) < 5.1e-5;
    std::cout << "all 48 numbers agree to the 4 printed decimals: " << yes_or_no(agrees) << "\n";

    step(9, "6x8 in, 6x8 out: so blocks stack");
    const Block second = Block::from_pytorch(random, 8);
    const Matrix deeper = second(block(x));
    show("second(block(x))", deeper);
    const bool stackable = deeper.rows == x.rows && deeper.cols == x.cols;

    step(10, "intervene: replace row 3 of the input; which rows move in each part?");
    Matrix changed = x;
    std::ranges::copy(random.randn(1, 8).row(0), changed.row(3).begin());
    const Matrix changed_normed = block.ln1(changed);
    const Matrix changed_attention = block.attention(changed_normed);
    const bool ln1_alone = rows_moved("ln1(x)", normed, changed_normed, 3, 3);
    const bool only_later = rows_moved("attention", attention.output, changed_attention, 3, 5);
    const bool mlp_alone =
        rows_moved("mlp(ln1(x))", block.mlp(normed), block.mlp(changed_normed), 3, 3);
    const bool block_too = rows_moved("block", block(x), block(changed), 3, 5);

    return verdict("THE BLOCK IS ITS DIAGRAM, AND ONLY ATTENTION MIXES POSITIONS",
                   is_block && agrees && stackable && ln1_alone && only_later && mlp_alone &&
                       block_too);
}

// What each part of the block puts out, in the order of the diagram.
std::vector<Panel> stations(const Block& block, const Matrix& x) {
    const BlockStations at = block.stations(x);
    return {{"x", x},
            {"ln1", at.ln1},
            {"attention", at.attention.output},
            {"(+)", at.after_attention},
            {"ln2", at.ln2},
            {"mlp", at.mlp.output},
            {"(+) output", at.output}};
}

// Row 3 of x is replaced, as in STEP 10: how far does each row move, station by station?
void figures(const std::filesystem::path& folder) {
    PytorchRandom random(23);
    const Block block = Block::from_pytorch(random, 8);
    const Matrix x = random.randn(6, 8);
    Block::from_pytorch(random, 8); // STEP 9 draws it, and the replacement comes after it
    Matrix changed = x;
    std::ranges::copy(random.randn(1, 8).row(0), changed.row(3).begin());
    const std::vector<Panel> was = stations(block, x), is = stations(block, changed);
    Matrix moved(6, was.size());
    for (std::size_t t = 0; t < 6; ++t)
        for (std::size_t i = 0; i < was.size(); ++i)
            moved(t, i) = max_abs_difference(was[i].m.row(t), is[i].m.row(t));

    const Cells cells{80, 64, 78, 34, 0, largest_finite_magnitude(moved)};
    Svg svg({.title = "Row 3 of x is replaced: how far each row moves on its way through the block",
             .description = "Seven stations from left to right. In x and ln1 row 3 alone has "
                            "moved. From attention on rows 3, 4 and 5 have. Rows 0 to 2 moved by "
                            "exactly 0 everywhere.",
             .row_axis = "",
             .column_axis = ""},
            680, 310);
    for (std::size_t i = 0; i < was.size(); ++i)
        svg.words(119 + 78 * static_cast<double>(i), 52, was[i].name, "middle");
    for (std::size_t t = 0; t < 6; ++t)
        svg.words(72, 85 + 34 * static_cast<double>(t), std::string("t").append(std::to_string(t)),
                  "end");
    svg.words_upwards(30, 166, "position");
    draw_cells(svg, moved, cells);
    draw_colour_scale(svg, 270, 284, cells.lowest, cells.largest);
    svg.write(folder / "09_stations.svg");
}

int main(int argc, char** argv) {
    return run(argc, argv, lesson, figures);
}
