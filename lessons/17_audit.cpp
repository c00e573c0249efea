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
#include "show/terminal.hpp"

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

int audit_folder(const fs::path& folder) {
    const Audit result = audit(folder);
    print_checks(result);
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

// arrays.npz with two of its arrays exchanged.
std::string exchanged(const std::string& content, const std::string& a, const std::string& b) {
    auto arrays = parse_npz(bytes_of(content), "arrays.npz");
    std::swap(arrays.at(a), arrays.at(b));
    return arrays_npz(arrays);
}

// A forged file is found under the old hashes, and under hashes that were brought up to date.
bool is_found_with_both_hashes(const Files& record, const std::string& name,
                               const std::string& content) {
    Files forged = with(record, name, content);
    const bool with_old = is_found("the hashes left as they were:", forged);
    forged["sha256.json"] = sha256_json(forged);
    return is_found("the hashes brought up to date:", forged) && with_old;
}

int lesson(const fs::path& program) {
    step(1, "a record, fresh from the program of lesson 16");
    const Files record = new_record(program);
    const Audit fresh = audit(record);
    print_checks(fresh);

    step(2, "intervene: change one bit of one number in arrays.npz");
    std::string damaged = record.at("arrays.npz");
    damaged[1000] = static_cast<char>(damaged[1000] ^ 1);
    const bool bit = is_found("byte 1000:", with(record, "arrays.npz", damaged));

    step(3, "intervene: make the leak without a mask smaller in results.json");
    const bool metric = is_found_with_both_hashes(
        record, "results.json",
        edited(record.at("results.json"), "_future_change\": 0.1", "_future_change\": 0.0"));

    step(4, "intervene: exchange the full passes of two seeds in arrays.npz");
    const bool arrays = is_found_with_both_hashes(
        record, "arrays.npz", exchanged(record.at("arrays.npz"), "s7_full", "s19_full"));

    step(5, "intervene: date the manifest back by a thousand years");
    const std::string old = edited(record.at("manifest.json"), "\"time\": \"2", "\"time\": \"1");
    const bool time = is_found("the seal left as it was:", with(record, "manifest.json", old));
    const bool passes = !is_found("everything put back:", record);

    return verdict("THE AUDIT PASSES WHAT IS RIGHT AND FINDS WHAT IS NOT",
                   fresh.passed() && bit && metric && arrays && time && passes);
}

int main(int argc, char** argv) {
    return run(argc, argv, [program = argv[0]](const std::vector<std::string>& arguments) {
        if (arguments.empty())
            return lesson(program);
        if (arguments.size() == 1 && !arguments[0].empty() && arguments[0][0] != '-')
            return audit_folder(arguments[0]);
        throw std::invalid_argument("usage: 17_audit, or 17_audit DIR, DIR being the folder of a "
                                    "record (make audit RUN=DIR)");
    });
}
