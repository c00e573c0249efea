// Lesson 16: the record
//
// Question: what has to be written down so that somebody else can check what was measured?
// New here: run_seed, write_npz, sha256, write_record. From lessons 12 to 15: the routes.
// Text: docs/16_record.md
//
// build/16_record DIR (or make record OUT=DIR) records the experiment; without DIR it shows how.
//
// Predict before you run: the experiment is recorded twice. Which of the five files differ?

#include "record/folder.hpp"
#include "record/record.hpp"
#include "record/sources.hpp"
#include "show/figure.hpp"
#include "show/terminal.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

using namespace glassbox;
namespace fs = std::filesystem;

#ifndef GLASSBOX_FLAGS // the Makefile passes in what it compiles with
#define GLASSBOX_FLAGS "unknown"
#endif

Provenance provenance_of(const fs::path& program) {
#ifdef __clang__
    const std::string compiler = __VERSION__;
#else
    const std::string compiler = std::string("GCC ") + __VERSION__;
#endif
    const auto project = project_of(program);
    if (!project)
        throw std::runtime_error("the sources are not found; start it in the folder that holds src "
                                 "and lessons");
    return {time_now(), compiler, GLASSBOX_FLAGS, hashes_of_sources(*project, recorder_source)};
}

int record_into(const fs::path& folder, const fs::path& program) {
    const Files files = record_files(provenance_of(program));
    for (const fs::path& made : write_record(files, folder))
        std::cout << "made the folder " << one_line(made.string()) << "\n";
    std::cout << "recorded in " << one_line(folder.string()) << ":\n";
    for (const auto& [name, content] : files)
        std::cout << "  " << name << ", " << content.size() << " bytes\n";
    return 0;
}

// The numbers of a seed, as they go into results.json; differences to 10 digits
// here.
void print(const Metrics& metrics) {
    for (const auto& [name, value] : fields_of(metrics)) {
        const bool whole = value.find_first_of(".e") == std::string::npos;
        std::cout << "  " << name << std::string(24 - name.size(), ' ')
                  << (whole ? value : fixed(std::stod(value), 10)) << "\n";
    }
}

// What stands before the numbers of an array, and the first of them.
void print_array(const NpyArray& array) {
    const std::string npy = npy::format(array);
    const std::size_t start = 10 + bytes_of(npy)[8], text_end = npy.find('}') + 1;
    std::cout << "  bytes 0 to 9:     93 NUMPY, version " << int{npy[6]} << "." << int{npy[7]}
              << ", the header has " << start - 10
              << " bytes\n  header:           " << npy.substr(10, text_end - 10)
              << "\n  padding:          " << start - text_end - 1
              << " blanks and a newline, up to byte " << start - 1 << "\n  bytes " << start
              << " to " << start + 7 << ":";
    for (std::size_t i = start; i < start + 8; ++i)
        std::cout << " " << int{npy[i]};
    std::cout << ", the first token: " << array.numbers(0, 0) << "\n";
}

// Recording these files into this folder is refused or fails, with an error that says why.
bool is_refused(const Files& files, const fs::path& folder) {
    try {
        write_record(files, folder);
    } catch (const std::runtime_error&) {
        return true;
    }
    return false;
}

std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
}

// Prints which files of two records are equal; true if all are but the manifest.
bool manifest_alone_differs(const Files& first, const Files& second) {
    bool alone = true;
    for (const auto& [name, content] : first) {
        const bool same = second.at(name) == content;
        std::cout << "  " << padded(name, 13) << (same ? "  the same bytes" : "  differs") << "\n";
        alone = alone && same == (name != "manifest.json");
    }
    return alone;
}

// Writes the record and reads it back; true if the arrays of this run kept every bit.
bool comes_back(const Files& files, const fs::path& folder, const SeedRun& run) {
    write_record(files, folder);
    for (const std::string& name : names_in(folder))
        std::cout << "  " << name << "\n";
    const auto arrays = read_npz(folder / "arrays.npz");
    std::size_t kept = 0;
    for (const auto& [name, numbers] : run.arrays)
        kept += same_bits(arrays.at(array_name(run.metrics.seed, name)), numbers);
    std::cout << "arrays.npz holds " << arrays.size() << " arrays; of the 16 of seed "
              << run.metrics.seed << ", " << kept << " came back with every bit\n";
    return kept == 16;
}

// `folder` holds the record `run` and nothing else; tries to spoil that.
bool nothing_is_spoilt(const Files& other, const fs::path& folder) {
    const auto answer = [](bool yes) { return yes ? "yes\n" : "no\n"; };
    const std::string before = read_file(folder / "run" / "manifest.json");
    const bool refused = is_refused(other, folder / "run");
    const bool untouched = read_file(folder / "run" / "manifest.json") == before;
    const Files broken{{"arrays.npz", "written"}, {"nowhere/results.csv", "cannot be written"}};
    const bool failed = is_refused(broken, folder / "other");
    const bool nothing_left = names_in(folder) == std::vector<std::string>{"run"};
    std::cout << "  recording into the same folder is an error:   " << answer(refused)
              << "  the record in it is as it was:                " << answer(untouched)
              << "  a file that cannot be written is an error:    " << answer(failed)
              << "  nothing is left of the record it belonged to: " << answer(nothing_left);
    return refused && untouched && failed && nothing_left;
}

int lesson(const fs::path& program) {
    const ScratchFolder scratch;

    step(1, "run the experiment for one seed: 16 arrays, 16 numbers");
    const SeedRun run = run_seed(7);
    print(run.metrics);

    step(2, "an array as NumPy writes it");
    print_array({"s7_tokens", run.arrays.at("tokens"), "<i8", 1});

    step(3, "three seeds into five files, and back");
    Provenance provenance = provenance_of(program);
    provenance.time = "2000-01-01T00:00:00Z";
    const Files files = record_files(provenance);
    const bool kept = comes_back(files, scratch.path / "run", run);

    step(4, "intervene: record again, a minute later");
    provenance.time = "2000-01-01T00:01:00Z";
    const Files again = record_files(provenance);
    const bool time_alone = manifest_alone_differs(files, again);

    step(5, "intervene: record into a folder that is there, and write what cannot be written");
    const bool safe = nothing_is_spoilt(again, scratch.path);

    return verdict("A RECORD IS COMPLETE OR NOT THERE", kept && time_alone && safe);
}

// The parts of an array's bytes: where each begins, and its colour.
struct Part {
    std::string name;
    std::size_t begin;
    std::string colour;
};

// The tokens of seed 7 as arrays.npz holds them: all bytes, 32 in a row.
void figures(const fs::path& folder) {
    const std::string npy = npy::format({"s7_tokens", run_seed(7).arrays.at("tokens"), "<i8", 1});
    const auto bytes = bytes_of(npy);
    const std::size_t numbers = 10 + bytes[8];
    const std::vector<Part> parts{{"magic word, version, length", 0, heat_colour(-0.5, 1)},
                                  {"the header as text", 10, heat_colour(0.4, 1)},
                                  {"padding", npy.find('}') + 1, Svg::grid},
                                  {"24 tokens of 8 bytes", numbers, heat_colour(-0.15, 1)}};
    Svg svg({.title = "24 tokens as NumPy writes them, byte by byte",
             .description = "Ten rows of 32 bytes. Ten bytes of magic word, version and length, "
                            "then the header as text, then blanks up to byte 127. From byte 128 on "
                            "eight bytes for each token: the first is the token, the others 0.",
             .row_axis = "",
             .column_axis = ""},
            850, 330);
    for (std::size_t i = 0; i < npy.size(); ++i) {
        const double x = 60.0 + 24.0 * static_cast<double>(i % 32);
        const double y = 40.0 + 24.0 * static_cast<double>(i / 32);
        const auto next = std::ranges::upper_bound(parts, i, {}, &Part::begin);
        svg.rectangle(x, y, 23, 23, std::prev(next)->colour);
        const bool letter = (1 <= i && i <= 5) || (10 <= i && i + 1 < numbers);
        svg.words(x + 11.5, y + 16, letter ? npy.substr(i, 1) : std::to_string(int{bytes[i]}),
                  "middle", Svg::ink,
                  i >= numbers && bytes[i] != 0 ? "font-weight=\"bold\"" : "font-size=\"11\"");
        if (i % 32 == 0)
            svg.words(52, y + 16, std::to_string(i), "end");
    }
    for (double x = 60; const Part& part : parts) {
        svg.rectangle(x, 296, 14, 14, part.colour);
        svg.words(x + 20, 308, part.name, "start");
        x += 210;
    }
    svg.write(folder / "16_bytes.svg");
}

int main(int argc, char** argv) {
    return run(
        argc, argv,
        [program = argv[0]](const std::vector<std::string>& arguments) {
            if (arguments.empty())
                return lesson(program);
            if (arguments.size() == 1 && !arguments[0].empty() && arguments[0][0] != '-')
                return record_into(arguments[0], program);
            throw std::invalid_argument(
                "usage: 16_record, or 16_record DIR, DIR being a new folder "
                "(make record OUT=DIR)");
        },
        figures);
}
