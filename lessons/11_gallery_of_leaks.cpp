// Lesson 11: a gallery of leaks
//
// Question: which test finds which causality bug?
// New here: ten detectors, the gallery. From lesson 10: intervention, the influence map.
// Text: docs/11_gallery_of_leaks.md
//
// Predict before you run: most people check that the attention weights are triangular. How many of
// the bugs in the gallery does that find: all, most, or fewer than half?

#include "numbers/random.hpp"
#include "proof/causality.hpp"
#include "proof/leaks.hpp"
#include "show/figure.hpp"
#include "show/terminal.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

using namespace glassbox;

// ---- A layer that cheats

constexpr std::size_t vocabulary = 32;

std::size_t largest_in(std::span<const double> row) {
    return static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
}

// count x 32: one row for each token, 1 in the token's column. The tokens are drawn at random: what
// has been says nothing about what comes.
Matrix random_tokens(std::size_t count) {
    NumpyRandom random(7);
    Matrix tokens(count, vocabulary);
    for (std::size_t t = 0; t < count; ++t)
        tokens(t, static_cast<std::size_t>(random.random() * vocabulary)) = 1.0;
    return tokens;
}

// Output t is input t + 1.
Matrix copy_the_next(const Matrix& x) {
    Matrix result = rows_of(x, 1, x.rows - 1);
    append_rows(result, Matrix(1, x.cols));
    return result;
}

// Output t counts the tokens up to t: the most frequent one so far is an honest guess.
Matrix count_so_far(const Matrix& x) {
    Matrix result = x;
    for (std::size_t t = 1; t < x.rows; ++t)
        for (std::size_t c = 0; c < x.cols; ++c)
            result(t, c) += result(t - 1, c);
    return result;
}

// How many of the next tokens are what the layer's output is largest for.
void print_hits(const std::string& name, const Model& layer, const Matrix& tokens) {
    const Matrix output = layer(tokens);
    std::size_t hits = 0;
    for (std::size_t t = 0; t + 1 < tokens.rows; ++t)
        hits += largest_in(output.row(t)) == largest_in(tokens.row(t + 1));
    std::cout << "  " << name << padded(std::to_string(hits), 5) << " of " << tokens.rows - 1
              << " next tokens\n";
}

bool future_moves_the_past(const Model& model, const Matrix& x) {
    const Matrix other(1, x.cols, 0.5);
    bool moves = false;
    for (std::size_t position = 1; position < x.rows; ++position)
        moves = moves || first_move_in_the_past(intervene(model, x, position, other));
    return moves;
}

// ---- The table

struct Row {
    Leak leak;
    CausalityReport report;
};

Matrix input() {
    return PytorchRandom(24).randn(12, 8);
}

// The correct network, then every entry of the gallery bent from it, all examined.
std::vector<Row> examine_all() {
    const Network correct = correct_network();
    std::vector<Leak> leaks = gallery(correct);
    leaks.insert(leaks.begin(), {"--", "the correct network", "", "", "", subject_of(correct)});
    std::vector<Row> rows;
    for (const Leak& leak : leaks)
        rows.push_back({leak, examine(leak.subject, input())});
    return rows;
}

bool is_bug(const Row& row) {
    return row.leak.id.front() == 'L';
}

std::string caught_by(const Row& row) {
    std::string letters;
    for (const Detector& detector : detectors)
        if (row.report.failed(detector.letter))
            letters += std::string(letters.empty() ? "" : " ") + detector.letter;
    return letters;
}

void print_table(const std::vector<Row>& rows) {
    std::cout << "x: fails   .: passes   -: not applicable\n\n" << std::string(55, ' ');
    for (const Detector& detector : detectors)
        std::cout << padded(detector.letter, 3);
    std::cout << "\n";
    for (const auto& [leak, report] : rows) {
        std::string name = leak.id;
        name.resize(6, ' ');
        name += leak.title;
        name.resize(55, ' ');
        std::cout << name;
        for (const Finding& finding : report.findings)
            std::cout << (finding.outcome == Outcome::failed       ? "  x"
                              : finding.outcome == Outcome::passed ? "  ."
                                                                   : "  -");
        std::cout << "\n";
    }
}

// ---- The smallest set of detectors

// A set of detectors is the bits of a number; the detectors that fail on a row are one such set.
unsigned bits_of(const Row& row) {
    unsigned bits = 0;
    for (std::size_t i = 0; i < detectors.size(); ++i)
        bits |= row.report.failed(detectors[i].letter) ? 1U << i : 0U;
    return bits;
}

std::string letters_of(unsigned bits) {
    std::string letters;
    for (std::size_t i = 0; i < detectors.size(); ++i)
        if ((bits >> i & 1U) != 0)
            letters += std::string(letters.empty() ? "" : " ") + detectors[i].letter;
    return letters;
}

// All smallest sets that find every bug which any detector finds: tries all 1024 sets.
std::vector<unsigned> smallest_sets(const std::vector<unsigned>& bugs) {
    std::vector<unsigned> smallest;
    for (unsigned set = 0; set < 1U << detectors.size(); ++set) {
        if (!std::ranges::all_of(bugs, [&](unsigned bug) { return (bug & set) != 0; }))
            continue;
        if (!smallest.empty() && std::popcount(set) < std::popcount(smallest.front()))
            smallest.clear();
        if (smallest.empty() || std::popcount(set) == std::popcount(smallest.front()))
            smallest.push_back(set);
    }
    return smallest;
}

void print_smallest_sets(const std::vector<Row>& rows) {
    std::vector<unsigned> bugs;
    std::string unseen;
    for (const Row& row : rows)
        if (is_bug(row) && bits_of(row) != 0)
            bugs.push_back(bits_of(row));
        else if (is_bug(row))
            unseen += " " + row.leak.id;
    for (std::size_t i = 0; i < detectors.size(); ++i) {
        std::string name = std::string(detectors[i].letter) + "  ";
        name.resize(4, ' ');
        name += detectors[i].name;
        name.resize(20, ' ');
        const auto found = std::ranges::count_if(bugs, [i](unsigned bug) { return bug >> i & 1U; });
        std::cout << "  " << name << padded(std::to_string(found), 3) << " of " << bugs.size()
                  << " bugs\n";
    }
    std::cout << "found by none:" << unseen << "\n";
    for (const unsigned set : smallest_sets(bugs))
        std::cout << "a smallest set that finds all " << bugs.size() << ": " << letters_of(set)
                  << "\n";
}

// ---- Weaker forms of one detector

// Change the last token and look at the first row: a test that many people write.
bool first_row_moves(const Model& model, const Matrix& x) {
    const Intervention last = intervene(model, x, x.rows - 1, PytorchRandom(1).randn(1, x.cols));
    return !same_bits(last.before.row(0), last.after.row(0));
}

// Every position and every earlier output, but small changes forgiven.
bool moves_by_more_than(double tolerance, const Model& model, const Matrix& x) {
    const Matrix influence = influence_map(model, x, PytorchRandom(1).randn(1, x.cols));
    for (std::size_t t = 0; t < x.rows; ++t)
        for (std::size_t s = t + 1; s < x.rows; ++s)
            if (influence(t, s) > tolerance)
                return true;
    return false;
}

constexpr double forgiven = 1e-5;

bool print_weaker_forms(const std::vector<Row>& rows) {
    std::string first_row, tolerant;
    int leaks = 0;
    for (const Row& row : rows)
        if (row.report.failed("B")) {
            ++leaks;
            if (!first_row_moves(row.leak.subject.model, input()))
                first_row += " " + row.leak.id;
            if (!moves_by_more_than(forgiven, row.leak.subject.model, input()))
                tolerant += " " + row.leak.id;
        }
    std::cout << "  bit for bit, all positions:                finds all " << leaks << "\n"
              << "  last token changed, first output watched:  misses" << first_row << "\n"
              << "  all positions, but a tolerance of " << scientific(forgiven, 0) << ":   misses"
              << tolerant << "\n";
    return !first_row.empty() && !tolerant.empty();
}

const Row& row_of(const std::vector<Row>& rows, const std::string& id) {
    return *std::ranges::find(rows, id, [](const Row& row) { return row.leak.id; });
}

int lesson() {
    step(1, "a layer that reads one position ahead, on tokens drawn at random from 32");
    const Matrix tokens = random_tokens(4096);
    print_hits("copies the next position:    ", copy_the_next, tokens);
    print_hits("counts what has been so far: ", count_so_far, tokens);
    const Matrix few = rows_of(tokens, 0, 12);
    const bool cheat_found = future_moves_the_past(copy_the_next, few);
    const bool honest_cleared = !future_moves_the_past(count_so_far, few);
    std::cout << "the first one's past moves with the future: " << yes_or_no(cheat_found)
              << ", the second one's: " << yes_or_no(!honest_cleared) << "\n";

    step(2, "ten detectors examine a correct network");
    const std::vector<Row> rows = examine_all();
    std::cout << report_text(rows.front().report);

    step(3, "predict which detectors find these three");
    for (const char* id : {"L06", "L11", "L12b"}) {
        const auto [leak, report] = row_of(rows, id);
        std::cout << leak.id << ", " << leak.title << "\n  " << leak.how
                  << "\n  found by: " << caught_by({leak, report}) << "\n  " << report.conclusion()
                  << "\n";
    }

    step(4, "every leak and every detector");
    print_table(rows);
    const bool as_claimed = std::ranges::all_of(
        rows, [](const Row& row) { return caught_by(row) == row.leak.caught_by; });
    std::cout << "every row as the gallery claims: " << yes_or_no(as_claimed) << "\n";

    step(5, "the smallest set of detectors that finds everything");
    print_smallest_sets(rows);

    step(6, "intervene: make the best-known detector a little weaker");
    const bool weaker_miss = print_weaker_forms(rows);

    return verdict(
        "EVERY BUG IS FOUND BY THE DETECTORS THAT IT CLAIMS, AND A CORRECT NETWORK BY NONE",
        cheat_found && honest_cleared && as_claimed && weaker_miss);
}

// ---- Figures

void draw_table(const std::filesystem::path& file) {
    const std::vector<Row> rows = examine_all();
    Svg svg({.title = "Which detector fails on which bug",
             .description = "A row for the correct network, each bug and 2 false alarms, a column "
                            "for each of ten detectors. No column is full; the triangle of the "
                            "attention weights, A, has fewer than half of the bugs.",
             .row_axis = "",
             .column_axis = ""},
            700, 40 + 18.0 * static_cast<double>(rows.size() + 3));
    Matrix cells(rows.size(), detectors.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const Leak& leak = rows[r].leak;
        svg.words(340, 83 + 18.0 * static_cast<double>(r), leak.title + "  " + leak.id, "end");
        for (std::size_t i = 0; i < detectors.size(); ++i) {
            const Outcome outcome = rows[r].report.findings[i].outcome;
            cells(r, i) = outcome == Outcome::failed ? 1.0
                : outcome == Outcome::passed         ? 0.0
                                                     : std::numeric_limits<double>::quiet_NaN();
        }
    }
    for (std::size_t i = 0; i < detectors.size(); ++i)
        svg.words(366 + 32.0 * static_cast<double>(i), 62, detectors[i].letter, "middle");
    svg.rectangle(349, 69, 322, 18.0 * static_cast<double>(rows.size()) + 1, Svg::grid);
    draw_cells(svg, cells, {350, 70, 32, 18, 0.0, 1.0, false});
    svg.words(350, 88 + 18.0 * static_cast<double>(rows.size()),
              "orange: fails, white: passes, grey: not applicable", "start");
    svg.write(file);
}

void draw_influence_maps(const std::filesystem::path& file) {
    Svg svg({.title = "Which output moves when token s is changed: one correct network, four bugs",
             .description = "Five 12 by 12 maps. The correct one fills the lower triangle. The "
                            "mask the wrong way round fills the upper one; one step too far adds a "
                            "diagonal; a padded row fills row 0; normalising over time fills all.",
             .row_axis = "",
             .column_axis = ""},
            860, 250);
    std::vector<Leak> shown{{"", "correct", "", "", "", subject_of(correct_network())}};
    for (const Leak& leak : gallery(correct_network()))
        for (const char* id : {"L02", "L03", "L07", "L15"})
            if (leak.id == id)
                shown.push_back(leak);
    double left = 30;
    for (const Leak& leak : shown) {
        Matrix map = influence_map(leak.subject.model, input(), PytorchRandom(1).randn(1, 8));
        for (std::size_t t = 0; t < map.rows; ++t)
            for (std::size_t s = 0; s < map.cols; ++s)
                map(t, s) = map(t, s) == 0.0 ? 0.0 : s <= t ? -1.0 : 1.0;
        svg.rectangle(left - 1, 59, 145, 145, Svg::grid);
        draw_cells(svg, map, {left, 60, 12, 12, -1.0, 1.0, false});
        svg.words(left + 72, 50, leak.id.empty() ? leak.title : leak.id, "middle");
        left += 164;
    }
    svg.words_upwards(18, 132, "row t: who asks");
    svg.words(30, 226,
              "column s: whose token was changed. Blue: moves, and may. Orange: moves, and "
              "must not. White: exactly 0.",
              "start");
    svg.write(file);
}

void figures(const std::filesystem::path& folder) {
    draw_table(folder / "11_leaks_and_detectors.svg");
    draw_influence_maps(folder / "11_influence_maps.svg");
}

int main(int argc, char** argv) {
    return run(argc, argv, lesson, figures);
}
