// Lesson 10: the proof by intervention
//
// Question: does a causal mask keep the future out of the whole block, not just out of one matrix?
// New here: intervene, influence_map. From lesson 09: Block. Text: docs/10_proof_by_intervention.md
//
// Predict before you run: the token at position 3 is replaced. Which of the six outputs move?

#include "model/block.hpp"
#include "proof/intervention.hpp"
#include "show/figure.hpp"
#include "show/terminal.hpp"

#include <cmath>
#include <iostream>
#include <limits>

using namespace glassbox;

// The lab: one stream gives the weights, the input and the token that replaces position 3.
struct Lab {
    PytorchRandom random{23};
    Block block = Block::from_pytorch(random, 8);
    Matrix x = random.randn(6, 8);
    Matrix replacement = random.randn(1, 8);
};

// Prints how far each output moved; true if the changed position and all later ones reacted.
bool print_changes(const Matrix& change, std::size_t position) {
    bool reacted = true;
    for (std::size_t t = 0; t < change.cols; ++t) {
        const char* when = t < position ? "past   " : t == position ? "CHANGED" : "future ";
        std::cout << "  t" << t << " " << when << " " << scientific(change(0, t)) << "\n";
        if (t >= position)
            reacted = reacted && change(0, t) > 1e-4;
    }
    return reacted;
}

// 1 x C: value, -value, value, ... A constant row would not do: layer norm makes zeros of it.
Matrix alternating(double value, std::size_t C) {
    Matrix row(1, C, value);
    for (std::size_t c = 1; c < C; c += 2)
        row(0, c) = -value;
    return row;
}

// Replaces every position in turn. There are T (T - 1) / 2 pairs of a changed position and an
// earlier output: each of these outputs must keep every bit, and each changed position must move.
bool every_position_holds(const Lab& lab, const std::string& name, const Matrix& replacement) {
    const std::size_t T = lab.x.rows, pairs = T * (T - 1) / 2;
    std::size_t kept = 0, moved = 0;
    for (std::size_t position = 0; position < T; ++position) {
        const Intervention experiment = intervene(lab.block, lab.x, position, replacement);
        for (std::size_t t = 0; t < position; ++t)
            kept += same_bits(experiment.before.row(t), experiment.after.row(t));
        moved += present_moved(experiment);
    }
    std::cout << "  " << padded(name, 15) << ": " << kept << " of " << pairs
              << " earlier outputs kept every bit, " << moved << " of " << T
              << " changed positions moved\n";
    return kept == pairs && moved == T;
}

bool every_replacement_holds(const Lab& lab) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    bool all = every_position_holds(lab, "the same token", lab.replacement);
    all &= every_position_holds(lab, "+-1e20", alternating(1e20, 8));
    all &= every_position_holds(lab, "+-1e300", alternating(1e300, 8));
    all &= every_position_holds(lab, "+-infinity", alternating(infinity, 8));
    all &= every_position_holds(lab, "NaN", alternating(nan, 8));
    return all;
}

// The control: the same experiment on the same block with its mask taken away must see a leak.
bool leak_is_seen_without_mask(Lab lab) {
    lab.block.attention.mask.causal = false;
    const std::size_t last = lab.x.rows - 1;
    const auto leak = first_move_in_the_past(intervene(lab.block, lab.x, last, lab.replacement));
    if (leak)
        std::cout << "Control, without the mask: token " << last << " moves output t"
                  << leak->moved_position << ", channel " << leak->column << ", from "
                  << fixed(leak->before) << " to " << fixed(leak->after) << "\n";
    return leak.has_value();
}

int lesson() {
    const Lab lab;
    const Matrix output = lab.block(lab.x);
    const bool stackable = output.rows == lab.x.rows && output.cols == lab.x.cols;
    step(1,
         "the block maps " + shape_text(lab.x) + " to " + shape_text(output) +
             ", so blocks stack: " + yes_or_no(stackable));

    const std::size_t position = 3;
    step(2,
         "replace the token at position " + std::to_string(position) +
             ", and run the same block again");
    const Intervention experiment = intervene(lab.block, lab.x, position, lab.replacement);

    step(3, "how far did each output move?");
    const bool reacted = print_changes(change_per_position(experiment), position);

    step(4, "the past must keep every bit, the changed position and all later ones must react");
    const bool kept = !first_move_in_the_past(experiment);
    std::cout << "  every earlier output identical bit for bit: " << yes_or_no(kept)
              << "\n  changed and later ones reacted:             " << yes_or_no(reacted) << "\n"
              << "So for every position in turn, and for harsher tokens:\n";
    const bool everywhere = every_replacement_holds(lab);
    const bool control = leak_is_seen_without_mask(lab);

    std::cout << "\nHow far output t moves when token s is replaced:\n";
    show("influence", influence_map(lab.block, lab.x, lab.replacement), "t", "s");
    std::cout << "measured: digest of all bits of the output: " << std::hex << digest(output)
              << std::dec << "\n";

    const bool proved = stackable && kept && reacted && everywhere && control;
    const int exit_code = verdict("CAUSAL MASK BLOCKS FUTURE TOKENS", proved);
    std::cout << (proved ? "\nTry next: in src/model/mask.hpp turn s <= t into s <= t + 1, and run "
                           "make again.\n"
                         : "\nTo undo what you changed: git checkout -- src lessons/*.cpp\n");
    return exit_code;
}

void figures(const std::filesystem::path& folder) {
    const Lab lab;
    heat_map({.title = "Influence: how far output t moves when token s is replaced",
              .description = "A 6 by 6 map. Every cell above the diagonal is exactly 0: no output "
                             "reacts to a later token. Every other cell is not.",
              .row_axis = "row t: who asks",
              .column_axis = "column s: who is read (its token was replaced)"},
             influence_map(lab.block, lab.x, lab.replacement), "t", "s")
        .write(folder / "10_influence_map.svg");
    bar_chart({.title = "Change of each output when token 3 is replaced",
               .description = "Outputs 0, 1 and 2 moved by exactly 0, outputs 3, 4 and 5 moved.",
               .row_axis = "largest change of any channel",
               .column_axis = "position t of the output"},
              change_per_position(intervene(lab.block, lab.x, 3, lab.replacement)), "t")
        .write(folder / "10_change_per_position.svg");
}

int main(int argc, char** argv) {
    return run(argc, argv, lesson, figures);
}
