// Lesson 18: check your own model
//
// Question: is a model causal that was written elsewhere, in another language, by somebody else?
// New here: read_outputs, read_runs. From lesson 10: the experiment; from lesson 15: the window.
// Text: docs/18_check_your_own_model.md
//
// build/18_check_your_own_model before.npy after.npy POSITION [--tolerance X]
// build/18_check_your_own_model runs.npz [--tolerance X] [--window W --layers L] [--figure map.svg]
// Without arguments it shows how, on files that it writes.
//
// Predict before you run: a leak of 1e-9, and a tolerance of 1e-6. What is the verdict?

#include "model/block.hpp"
#include "proof/causality.hpp"
#include "proof/leaks.hpp"
#include "record/folder.hpp"
#include "record/outputs.hpp"
#include "show/figure.hpp"
#include "show/terminal.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

using namespace glassbox;
namespace fs = std::filesystem;

// ---- What is asked

struct Question {
    std::vector<std::string> words; // what is no option
    double tolerance = 0.0;
    std::optional<std::size_t> window, layers;
    std::optional<std::string> figure;
};

constexpr const char* usage =
    "usage: before.npy after.npy POSITION [--tolerance X], or runs.npz [--tolerance X] "
    "[--window W --layers L] [--figure FILE.svg]";

[[noreturn]] void refuse(const std::string& reason) {
    throw std::invalid_argument(reason + "; " + usage);
}

std::size_t whole_number(const std::string& name, const std::string& text) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || end != text.data() + text.size() || error != std::errc())
        refuse(name + " is '" + text + "'; wanted a whole number from 0 on");
    return value;
}

double tolerance_of(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(value) || value < 0.0)
        refuse("--tolerance is '" + text + "'; wanted a number from 0 on, like 1e-6");
    return value;
}

Question question_of(const std::vector<std::string>& arguments) {
    Question question;
    std::map<std::string, std::string> options;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!arguments[i].starts_with("--")) {
            question.words.push_back(arguments[i]);
            continue;
        }
        const std::size_t equals = arguments[i].find('='); // --tolerance=1e-6
        const std::string word = arguments[i].substr(0, equals);
        if (word != "--tolerance" && word != "--window" && word != "--layers" && word != "--figure")
            refuse("there is no option " + word);
        const bool joined = equals != std::string::npos;
        const bool has_value = joined || ++i < arguments.size();
        if (!has_value ||
            !options.emplace(word, arguments[i].substr(joined ? equals + 1 : 0)).second)
            refuse(word + " stands once, with a value behind it");
    }
    if (options.contains("--tolerance"))
        question.tolerance = tolerance_of(options["--tolerance"]);
    if (options.contains("--window") != options.contains("--layers"))
        refuse("--window and --layers belong together");
    if (options.contains("--window")) {
        question.window = whole_number("--window", options["--window"]);
        question.layers = whole_number("--layers", options["--layers"]);
        if (question.window == 0 || question.layers == 0)
            refuse("--window " + options["--window"] + " --layers " + options["--layers"] +
                   "; wanted at least 1 of both");
    }
    if (options.contains("--figure"))
        question.figure = options["--figure"];
    return question;
}

// ---- Two files: before and after

std::string beyond(double tolerance) {
    return tolerance > 0.0 ? std::string(" BY MORE THAN ") + detection::number_text(tolerance) : "";
}

std::string digits(double value) {
    return printed("%.*g", 12, value);
}

// The files, how their axes are read, and what their type cannot show.
void print_head(const std::string& files, const Outputs& outputs) {
    std::cout << files << ": outputs of shape " << axes_text(outputs) << "\n";
    if (outputs.type == "<f2")
        std::cout << "note: near 1, float16 has steps of a thousandth; what moves by less may be "
                     "rounded away\n";
}

// The outputs from `first` to before `end`, which the chart leaves out, in a line.
void print_left_out(const Matrix& change, const std::vector<bool>& moved, std::size_t first,
                    std::size_t end) {
    if (first == end)
        return;
    double largest = 0.0;
    std::size_t count = 0;
    for (std::size_t t = first; t < end; ++t) {
        if (!std::isnan(largest) && !(change(0, t) <= largest)) // a NaN is the largest, and stays
            largest = change(0, t);
        count += moved[t];
    }
    std::cout << "  t" << first << " to t" << end - 1 << ", not drawn: " << count << " of "
              << end - first << " moved, largest change " << scientific(largest) << "\n";
}

// A bar for each output, at most 48 of them around the changed position.
void print_changes(const Intervention& experiment, double tolerance) {
    constexpr std::size_t lines = 48;
    const Matrix change = change_per_position(experiment);
    const std::vector<bool> moved = moved_outputs(experiment, tolerance);
    const std::size_t T = change.cols, position = experiment.position;
    const std::size_t first =
        T <= lines ? 0 : std::min(T - lines, position - std::min(position, lines / 2));
    const std::size_t end = std::min(T, first + lines);
    const double largest = largest_finite_magnitude(change);
    const std::size_t width = std::to_string(end - 1).size() + 1;
    print_left_out(change, moved, 0, first);
    for (std::size_t t = first; t < end; ++t) {
        std::string label = "t";
        label += std::to_string(t);
        label.resize(width, ' ');
        const char* when = t < position ? "past   " : t == position ? "CHANGED" : "future ";
        std::cout << "  " << label << " " << when << " " << padded(scientific(change(0, t)), 9)
                  << " |" << bar(change(0, t), largest) << "|"
                  << (moved[t] && t < position ? " moved" : "") << "\n";
    }
    print_left_out(change, moved, end, T);
}

void print_witness(const Outputs& outputs, const Witness& witness) {
    std::cout << "witness: " << place_in(outputs, witness.moved_position, witness.column)
              << " moved from " << digits(witness.before) << " to " << digits(witness.after)
              << ", by " << scientific(std::abs(witness.after - witness.before)) << "\n";
    if (witness.before == witness.after)
        std::cout << "note: 0 and -0 are equal and differ in a bit; any --tolerance forgives it\n";
}

int check_pair(const Question& question) {
    const fs::path before_file = question.words[0], after_file = question.words[1];
    if (question.window || question.figure)
        refuse("--window, --layers and --figure need all positions, that is a runs.npz");
    const std::size_t position = whole_number("POSITION", question.words[2]);
    const Outputs before = read_outputs(before_file), after = read_outputs(after_file);
    const Intervention experiment = experiment_of(before, after, position);
    require_effect(experiment, question.tolerance, after.name);

    print_head(before_file.filename().string() + ", " + after_file.filename().string(), before);
    std::cout << "input " << position << " was changed; change of each output, largest of any "
              << "number:\n";
    print_changes(experiment, question.tolerance);
    const auto witness = first_move_in_the_past(experiment, question.tolerance);
    if (witness)
        print_witness(before, *witness);
    else if (!moved_outputs(experiment, question.tolerance)[position])
        std::cout << "note: output " << position
                  << " itself did not move; was it this input that was changed, counted from 0?\n";
    return verdict("NO OUTPUT BEFORE POSITION " + std::to_string(position) + " MOVED" +
                       beyond(question.tolerance),
                   !witness);
}

// ---- One archive: every position in turn

Svg map_of(const Influence& influence, const std::string& title) {
    return heat_map({.title = title,
                     .description = "Row t, column s: how far output t moved when input s was "
                                    "changed. White is exactly 0.",
                     .row_axis = "row t: who asks",
                     .column_axis = "column s: who is read (its input was changed)"},
                    influence.change, "t", "s");
}

// Whether the map keeps to the claim, with a line that says where not.
struct Judgement {
    bool holds;
    std::string words;
};

Judgement judge(const Influence& influence, const Question& question) {
    if (const auto leak = first_beyond(influence, causal_reach()))
        return {false,
                "the past moved: input " + std::to_string(leak->input) + " moved output " +
                    std::to_string(leak->output) + ", which comes before it"};
    if (!question.window)
        return {true, ""};
    const std::size_t reach =
        reach_to_be_shown(*question.window, *question.layers, influence.change.rows);
    const std::string said = "said is a reach of " + std::to_string(reach);
    const std::size_t farthest = farthest_back(influence);
    if (const auto far = first_beyond(influence, window_reach(*question.window, *question.layers)))
        return {false,
                "wider than said: input " + std::to_string(far->input) + " moved output " +
                    std::to_string(far->output) + ", " + std::to_string(far->output - far->input) +
                    " positions on; " + said};
    if (farthest < reach)
        return {false,
                "narrower than said: no output moved more than " + std::to_string(farthest) +
                    " positions after its input; " + said};
    return {true,
            "the farthest input that matters lies " + std::to_string(farthest) +
                " positions back, as said"};
}

// The first number that moved too early, and what the map cannot tell.
void print_notes(const Runs& runs, const Influence& influence, double tolerance) {
    for (std::size_t s = 1; s < runs.changed.size(); ++s)
        if (const auto w = first_move_in_the_past(runs.experiment(s), tolerance)) {
            std::cout << "input " << s << " was changed; ";
            print_witness(runs.baseline, *w);
            if (!runs.again)
                std::cout << "note: without a baseline_again, a random model looks like this too\n";
            break;
        }
    if (knows_only_earlier_inputs(influence))
        std::cout << "note: no output moved with its own input. Either output t knows only the "
                     "inputs before t,\n      or changed_j changed input j + 1, and a leak of one "
                     "step would be hidden\n";
}

int check_runs(const Question& question) {
    const fs::path file = question.words[0];
    const Runs runs = read_runs(file);
    const std::size_t T = runs.changed.size();
    if (question.window)
        reach_to_be_shown(*question.window, *question.layers, T);
    const Influence influence = influence_of(runs, question.tolerance);
    const Judgement judgement = judge(influence, question);
    if (question.figure)
        map_of(influence, "How far output t moves when input s is changed").write(*question.figure);

    print_head(file.filename().string(), runs.baseline);
    std::cout << "each of " << T << " inputs was changed in turn\n";
    show("influence", influence.change, "t", "s");
    print_notes(runs, influence, question.tolerance);
    if (!judgement.words.empty())
        std::cout << judgement.words << "\n";
    std::string claim = "NO OUTPUT BEFORE A CHANGED INPUT MOVED";
    if (question.window)
        claim = "A WINDOW OF " + std::to_string(*question.window) + " IN " +
            std::to_string(*question.layers) + " LAYERS, NEITHER MORE NOR LESS" +
            (question.tolerance > 0.0 ? ", IN WHAT MOVED" : "");
    return verdict(claim + beyond(question.tolerance), judgement.holds);
}

int check(const std::vector<std::string>& arguments) {
    if (arguments.front() == "--help" || arguments.front() == "-h") {
        std::cout << usage << "\n";
        return 0;
    }
    const Question question = question_of(arguments);
    if (question.words.size() == 3)
        return check_pair(question);
    if (question.words.size() != 1)
        refuse("there are " + std::to_string(question.words.size()) +
               " words that are no options; wanted 3 or 1");
    if (fs::path(question.words[0]).extension() == ".npy")
        refuse("a single file is taken for a runs.npz, and this is " + question.words[0] +
               "; two outputs need three words");
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
