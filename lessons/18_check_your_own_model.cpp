// Lesson 18: check your own model
//
// Question: is a model causal that was written elsewhere, in another language, by somebody else?
// New here: read_outputs, read_runs, ReachClaim. From lesson 10: the experiment; from lesson 15:
// the window. Text: docs/18_check_your_own_model.md; manual: docs/checking.md
//
// build/18_check_your_own_model before.npy after.npy POSITION
// build/18_check_your_own_model runs.npz --window 4 --layers 2
// Without arguments it shows how, on files that it writes.
//
// Predict before you run: a leak of 1e-9, and a tolerance of 1e-6. What is the verdict?

#include "model/block.hpp"
#include "proof/causality.hpp"
#include "proof/leaks.hpp"
#include "record/folder.hpp"
#include "record/notes.hpp"
#include "record/question.hpp"
#include "show/changes.hpp"
#include "show/figure.hpp"
#include "show/terminal.hpp"

#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

using namespace glassbox;
namespace fs = std::filesystem;

// ---- Two files: before and after

std::string beyond(double tolerance) {
    return tolerance > 0.0 ? std::string(" BY MORE THAN ") + detection::number_text(tolerance) : "";
}

// A verdict on a reach, or on the past alone, says the tolerance that it was judged with.
std::string verdict_on(const std::string& words, const ReachClaim& claim, double tolerance) {
    const bool reach = claim.both_ways() && tolerance > 0.0;
    return words + (reach ? ", IN WHAT MOVED" : "") + beyond(tolerance);
}

// The files, and how their axes are read.
void print_head(const std::string& files, const Outputs& outputs) {
    std::cout << one_line(files) << ": outputs of shape " << axes_text(outputs) << "\n";
    print_notes(notes_on_outputs(outputs));
}

int check_pair(const Question& question) {
    const fs::path before_file = question.words[0], after_file = question.words[1];
    if (question.figure)
        refuse("--figure needs all positions, that is a runs.npz");
    const std::size_t position = whole_number("POSITION", question.words[2]);
    const Outputs before = read_outputs(before_file), after = read_outputs(after_file);
    const Intervention experiment = experiment_of(before, after, position);
    const ReachClaim claim = question.claim.value_or(ReachClaim());
    require_forbidden(claim, before.rows.rows, position);
    require_effect(experiment, question.tolerance, after.name);

    print_head(before_file.filename().string() + ", " + after_file.filename().string(), before);
    std::cout << "input " << position << " was changed; change of each output, largest of any "
              << "number:\n";
    print_changes(experiment, claim, question.tolerance);
    const auto witness = forbidden_move(experiment, claim, question.tolerance);
    if (witness)
        print_witness(before, *witness);
    print_notes(notes_on_pair(experiment, before, claim, question.tolerance));
    return verdict(verdict_on(words_at(claim, position), claim, question.tolerance),
                   !witness && all_within_moved(experiment, claim, question.tolerance));
}

// ---- One archive: every position in turn

// The first number that moved and must not have, over all changes.
void print_first_witness(const Runs& runs, const ReachClaim& claim, double tolerance) {
    for (std::size_t s = 0; s < runs.changed.size(); ++s)
        if (const auto witness = forbidden_move(runs.experiment(s), claim, tolerance)) {
            std::cout << "input " << s << " was changed; ";
            print_witness(runs.baseline, *witness);
            return;
        }
}

// Did any item of the batch move but the one that was changed? True if none did, or none was asked.
bool items_kept_apart(const Runs& runs, double tolerance) {
    if (!runs.item_0_changed)
        return true;
    const auto witness = move_in_another_item(runs, tolerance);
    std::cout << "item 0 was changed everywhere; "
              << (witness ? "" : "no number of another item moved\n");
    if (witness)
        print_witness(runs.baseline, *witness);
    return !witness;
}

int check_runs(const Question& question) {
    const fs::path file = question.words[0];
    const Runs runs = read_runs(file);
    const std::size_t T = runs.changed.size();
    const ReachClaim claim = claim_about(runs, question.claim);
    require_shown(claim, T);
    const Influence influence = influence_of(runs, question.tolerance);
    require_mixing(runs, influence, claim);
    const Judgement judgement = judge(influence, claim);
    if (question.figure)
        map_of(influence, "How far output t moves when input s is changed").write(*question.figure);

    print_head(file.filename().string(), runs.baseline);
    std::cout << "each of " << T << " inputs was changed in turn\n";
    show("influence", influence.change, "t", "s");
    print_first_witness(runs, claim, question.tolerance);
    const bool apart = items_kept_apart(runs, question.tolerance);
    if (!judgement.words.empty())
        std::cout << judgement.words << "\n";
    print_notes(notes_on_runs(runs, influence, claim));
    const std::string words = claim.words + (runs.item_0_changed ? ", NOR ANOTHER ITEM" : "");
    return verdict(verdict_on(words, claim, question.tolerance), judgement.holds && apart);
}

int check(const std::vector<std::string>& arguments) {
    if (arguments.front() == "--help" || arguments.front() == "-h") {
        std::cout << question_usage << "\n";
        return 0;
    }
    const Question question = question_of(arguments);
    if (question.words.size() == 3)
        return check_pair(question);
    if (question.words.size() != 1)
        refuse("there are " + std::to_string(question.words.size()) +
               " words that are no options; wanted 3 or 1");
    return check_runs(question);
}

// ---- The demonstration

// The numbers as a float32 model would have put them out.
NpyArray float32(const std::string& name, Matrix m) {
    for (double& value : m.values)
        value = static_cast<float>(value);
    return {name, m, "<f4"};
}

// One lab for all: x, and the row that replaces one of x.
struct Lab {
    Network network = correct_network();
    PytorchRandom random{18};
    Matrix x = random.randn(8, 8), replacement = random.randn(1, 8);
};

// Writes before.npy and after.npy for a model whose input at position 5 is replaced.
void write_pair(const fs::path& folder, const Model& model, const Lab& lab, bool as_float32) {
    const Intervention experiment = intervene(model, lab.x, 5, lab.replacement);
    for (const auto& [name, m] :
         {std::pair{"before", experiment.before}, std::pair{"after", experiment.after}})
        write_file(folder / (std::string(name) + ".npy"),
                   npy::format(as_float32 ? float32(name, m) : NpyArray{name, m}));
}

// Two layers in which each position reads itself and the two before it.
Matrix two_layers_with_a_window_of_3(const Matrix& x) {
    PytorchRandom random(23);
    Block first = Block::from_pytorch(random, 8), second = Block::from_pytorch(random, 8);
    first.attention.mask.window = second.attention.mask.window = 3;
    return second(first(x));
}

void write_runs(const fs::path& file, const Model& model, const Lab& lab) {
    std::vector<NpyArray> arrays{float32("baseline", model(lab.x)),
                                 float32("baseline_again", model(lab.x))};
    for (std::size_t s = 0; s < lab.x.rows; ++s)
        arrays.push_back(
            float32("changed_" + std::to_string(s), model(with_row(lab.x, s, lab.replacement))));
    write_npz(file, arrays);
}

// Not ours: row t is the mean of the rows 0 to t.
Matrix running_mean(const Matrix& x) {
    Matrix mean(x.rows, x.cols);
    for (std::size_t c = 0; c < x.cols; ++c) {
        double sum = 0.0;
        for (std::size_t t = 0; t < x.rows; ++t) {
            sum += x(t, c);
            mean(t, c) = sum / static_cast<double>(t + 1);
        }
    }
    return mean;
}

// The same, centred, and with a mistake that is easily made: the mean that is taken away is that of
// all rows.
Matrix centred_mean(const Matrix& x) {
    Matrix mean = running_mean(x);
    const Matrix whole = rows_of(mean, x.rows - 1, 1);
    for (std::size_t t = 0; t < x.rows; ++t)
        for (std::size_t c = 0; c < x.cols; ++c)
            mean(t, c) -= whole(0, c);
    return mean;
}

// What `check` says to these arguments, and 2 with the reason where it refuses them.
bool says(int expected, const std::vector<std::string>& arguments) {
    int exit_code = 2;
    try {
        exit_code = check(arguments);
    } catch (const std::exception& error) {
        const std::string words = error.what();
        std::cout << "refused: " << words.substr(words.rfind('/') + 1) << "\n";
    }
    std::cout << "exit code " << exit_code << "\n";
    return exit_code == expected;
}

// Prints the report; true if it finds what it should.
bool examined(const Model& model, const Matrix& x, bool causal) {
    const CausalityReport report = examine(Subject{model}, x);
    std::cout << report_text(report);
    return report.failed("B") != causal;
}

int lesson() {
    const ScratchFolder scratch;
    const Lab lab;
    const std::string before = (scratch.path / "before.npy").string();
    const std::string after = (scratch.path / "after.npy").string();
    const std::string archive = (scratch.path / "runs.npz").string();

    step(1, "two files: a block, before and after input 5 was changed");
    write_pair(scratch.path, subject_of(lab.network).model, lab, true);
    bool all = says(0, {before, after, "5"});

    step(2, "intervene: the same from a block whose mask looks one step too far");
    write_pair(scratch.path, leaks::one_step_too_far(lab.network).subject.model, lab, true);
    all &= says(1, {before, after, "5"});

    step(3, "intervene: hand in the same outputs twice");
    all &= says(2, {before, before, "5"});

    step(4, "intervene: a mask that only subtracts 20, in float64; then a tolerance of 1e-6");
    write_pair(scratch.path, leaks::weak_additive_mask(lab.network).subject.model, lab, false);
    all &= says(1, {before, after, "5"});
    all &= says(0, {before, after, "5", "--tolerance", "1e-6"});

    step(5, "one archive: two layers with a window of 3, every input changed in turn");
    write_runs(archive, two_layers_with_a_window_of_3, lab);
    all &= says(0, {archive, "--window", "3", "--layers", "2"});

    step(6, "intervene: say that the window is 4, then that it is 2");
    all &= says(1, {archive, "--window", "4", "--layers", "2"});
    all &= says(1, {archive, "--window", "2", "--layers", "2"});

    step(7, "without files: two functions that are not ours, examined from C++");
    all &= examined(running_mean, lab.x, true);
    all &= examined(centred_mean, lab.x, false);

    return verdict("EVERY MODEL WAS JUDGED AS EXPECTED", all);
}

void figures(const fs::path& folder) {
    const ScratchFolder scratch;
    const fs::path archive = scratch.path / "runs.npz";
    write_runs(archive, two_layers_with_a_window_of_3, Lab());
    map_of(influence_of(read_runs(archive), 0.0),
           "Two layers with a window of 3: nothing beyond 4 positions back")
        .write(folder / "18_influence_map.svg");
}

int main(int argc, char** argv) {
    return run(
        argc, argv,
        [](const std::vector<std::string>& arguments) {
            return arguments.empty() ? lesson() : check(arguments);
        },
        figures);
}
