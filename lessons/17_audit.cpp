// Lesson 17: the audit
//
// Question: can a record be checked by somebody who does not trust the program that made it?
// New here: audit. From lesson 16: the record. Text: docs/17_audit.md
//
// build/17_audit DIR (or make audit RUN=DIR) audits a record; without DIR it shows how, on a record
// that build/16_record makes. This program holds no decoder: it could not make one.
//
// Predict before you run: a number in results.json is edited, and its new hash is written into
// sha256.json. Is anything left that gives it away?

#include "record/audit.hpp"
#include "record/folder.hpp"
#include "show/figure.hpp"
#include "show/terminal.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace glassbox;
namespace fs = std::filesystem;

// Prints what was checked and the first thing that is wrong.
void print_checks(const Audit& result) {
    for (const std::string& check : result.checked)
        std::cout << "  checked: " << check << "\n";
    if (!result.passed())
        std::cout << "  WRONG:   " << result.failure << "\n";
}

int audit_folder(const fs::path& folder, const fs::path& program) {
    const auto project = project_of(program);
    const Audit result = audit(folder, project);
    print_checks(result);
    if (!project)
        std::cout << "  not checked: the hashes of the sources, which are not here\n";
    return verdict("THE RECORD HOLDS", result.passed());
}

// A word for the shell, whatever characters it has.
std::string shell_quoted(const std::string& word) {
    std::string result = "'";
    for (const char c : word)
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

// A record made by the program of lesson 16, which lies beside this one.
Files new_record(const fs::path& program) {
    const ScratchFolder scratch;
    const fs::path folder = scratch.path / "run";
    const fs::path recorder = fs::absolute(program).parent_path() / "16_record";
    const std::string command =
        shell_quoted(recorder.string()) + " " + shell_quoted(folder.string()) + " > /dev/null";
    if (std::system(command.c_str()) != 0)
        throw std::runtime_error("17_audit demonstrates itself on a record made by " +
                                 recorder.string() + ", which failed; make lesson-17 builds both");
    Files files;
    for (const char* name : auditing::names)
        files[name] = read_file(folder / name);
    return files;
}

// The audit finds something; prints what, and how many checks it had passed before. What is found
// in a line of results.json holds this machine's last digits, which are printed apart.
bool is_found(const std::string& what, const Files& files) {
    const Audit result = audit(files);
    const std::string where = result.failure.substr(0, result.failure.find(": recorded"));
    std::cout << "  " << what << "\n    checks passed: " << result.checked.size()
              << ", then: " << (result.passed() ? "nothing found" : where) << "\n";
    if (where != result.failure)
        std::cout << "measured: " << result.failure << "\n";
    return !result.passed();
}

// The record with another content of one file.
Files with(const Files& record, const std::string& name, const std::string& content) {
    Files files = record;
    files[name] = content;
    return files;
}

// Replaces the first `old` in a text; there must be one.
std::string edited(std::string text, const std::string& old, const std::string& replacement) {
    const std::size_t at = text.find(old);
    if (at == std::string::npos)
        throw std::runtime_error("17_audit: there is no " + old + " to edit");
    return text.replace(at, old.size(), replacement);
}

// The forgeries, one for each of the steps 2 to 5: what the forged file holds.
std::string one_bit_changed(const Files& record) {
    std::string damaged = record.at("arrays.npz");
    damaged[1000] = static_cast<char>(damaged[1000] ^ 1);
    return damaged;
}

std::string smaller_leak(const Files& record) {
    return edited(record.at("results.json"), "_future_change\": 0.1", "_future_change\": 0.0");
}

std::string full_passes_exchanged(const Files& record) {
    auto arrays = parse_npz(bytes_of(record.at("arrays.npz")), "arrays.npz");
    std::swap(arrays.at("s7_full"), arrays.at("s19_full"));
    return arrays_npz(arrays);
}

std::string dated_back(const Files& record) {
    return edited(record.at("manifest.json"), "\"time\": \"2", "\"time\": \"1");
}

// The same files under hashes that fit them.
Files with_new_hashes(Files files) {
    files["sha256.json"] = sha256_json(files);
    return files;
}

// A forged file is found under the old hashes, and under hashes that were brought up to date.
bool is_found_with_both_hashes(const Files& record, const std::string& name,
                               const std::string& content) {
    const Files forged = with(record, name, content);
    const bool with_old = is_found("the hashes left as they were:", forged);
    return is_found("the hashes brought up to date:", with_new_hashes(forged)) && with_old;
}

int lesson(const fs::path& program) {
    step(1, "a record, fresh from the program of lesson 16");
    const Files record = new_record(program);
    const Audit fresh = audit(record);
    print_checks(fresh);

    step(2, "intervene: change one bit of one number in arrays.npz");
    const bool bit = is_found("byte 1000:", with(record, "arrays.npz", one_bit_changed(record)));

    step(3, "intervene: make the leak without a mask smaller in results.json");
    const bool metric = is_found_with_both_hashes(record, "results.json", smaller_leak(record));

    step(4, "intervene: exchange the full passes of two seeds in arrays.npz");
    const bool arrays =
        is_found_with_both_hashes(record, "arrays.npz", full_passes_exchanged(record));

    step(5, "intervene: date the manifest back by a thousand years");
    const bool time =
        is_found("the seal left as it was:", with(record, "manifest.json", dated_back(record)));
    const bool passes = !is_found("everything put back:", record);

    return verdict("THE AUDIT PASSES WHAT IS RIGHT AND FINDS WHAT IS NOT",
                   fresh.passed() && bit && metric && arrays && time && passes);
}

// The record and its forgeries, each with a name.
std::vector<std::pair<std::string, Files>> records(const Files& record) {
    const Files leak = with(record, "results.json", smaller_leak(record));
    const Files passes = with(record, "arrays.npz", full_passes_exchanged(record));
    return {{"nothing changed", record},
            {"the manifest dated back", with(record, "manifest.json", dated_back(record))},
            {"one bit in arrays.npz", with(record, "arrays.npz", one_bit_changed(record))},
            {"a smaller leak in results.json", leak},
            {"... under new hashes", with_new_hashes(leak)},
            {"two full passes exchanged", passes},
            {"... under new hashes", with_new_hashes(passes)}};
}

// Which check finds which forgery: a row for each record, a column for each check.
void figures(const fs::path& folder, const fs::path& program) {
    constexpr std::array<const char*, 12> checks{
        "files",   "manifest", "hashes",      "arrays", "formulas",    "range",
        "weights", "chunk",    "experiments", "seeds",  "differences", "results"};
    Svg svg({.title = "Which check finds which forgery",
             .description = "Seven rows, twelve checks. A record that nobody changed passes "
                            "all. Forgeries under the old seal or hashes are found by check 2 or "
                            "3. Under new hashes they pass these, and checks 8 and 12 find them.",
             .row_axis = "",
             .column_axis = ""},
            1080, 325);
    for (std::size_t c = 0; c < checks.size(); ++c) {
        svg.words(249.5 + 70 * static_cast<double>(c), 52, std::to_string(c + 1), "middle");
        svg.words(249.5 + 70 * static_cast<double>(c), 70, checks[c], "middle");
    }
    for (double y = 84; const auto& [what, files] : records(new_record(program))) {
        const std::size_t passed = audit(files).checked.size();
        svg.words(205, y + 19, what, "end");
        for (std::size_t c = 0; c < std::min(passed + 1, checks.size()); ++c) {
            const double x = 215 + 70 * static_cast<double>(c);
            svg.rectangle(x, y, 69, 29, heat_colour(c < passed ? -0.25 : 0.8, 1));
            svg.words(x + 34.5, y + 19, c < passed ? "passed" : "found", "middle");
        }
        y += 32;
    }
    svg.write(folder / "17_checks.svg");
}

int main(int argc, char** argv) {
    return run(
        argc, argv,
        [program = argv[0]](const std::vector<std::string>& arguments) {
            if (arguments.empty())
                return lesson(program);
            if (arguments.size() == 1 && !arguments[0].empty() && arguments[0][0] != '-')
                return audit_folder(arguments[0], program);
            throw std::invalid_argument(
                "usage: 17_audit, or 17_audit DIR, DIR being the folder of a "
                "record (make audit RUN=DIR)");
        },
        [program = argv[0]](const fs::path& folder) { figures(folder, program); });
}
