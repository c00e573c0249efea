// The audit of a record: everything in it that can be checked without the program that made it.
//
// It knows the format (record/results.hpp), closed forms of the counts, and which arrays make up
// which difference. It includes no decoder. An auditor that runs the decoder's code again would
// repeat its mistakes and call them confirmed.
#pragma once

#include "numbers/matrix.hpp"
#include "record/bytes.hpp"
#include "record/npz.hpp"
#include "record/results.hpp"
#include "record/sha256.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <istream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace glassbox {

// What was found to be as it should, in the order of the checks, and the first thing that was not.
struct Audit {
    std::vector<std::string> checked;
    std::string failure; // empty: the record passed

    bool passed() const { return failure.empty(); }
};

namespace auditing {

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline void require(bool holds, const std::string& failure) {
    if (!holds)
        throw Failure(failure);
}

constexpr std::array<const char*, 5> names{"arrays.npz", "manifest.json", "results.csv",
                                           "results.json", "sha256.json"};

// Nothing missing, nothing beside them.
inline void check_names(const Files& files) {
    for (const char* name : names)
        require(files.contains(name), std::string(name) + " is missing");
    for (const auto& [name, content] : files)
        require(std::ranges::find(names, name) != names.end(),
                printable(name) + " does not belong to a record");
}

inline void check_hashes(const Files& files) {
    const std::string& written = files.at("sha256.json");
    for (const char* name : hashed_files)
        require(written.find(sha256(files.at(name))) != std::string::npos,
                std::string(name) + ": its hash is not the one in sha256.json");
    require(written == sha256_json(files),
            "sha256.json holds something else than the hashes of three files");
}

// The seal covers all bytes before it, so it can be checked without understanding them.
inline void check_manifest(const std::string& manifest) {
    const std::size_t size = seal_of("").size();
    require(manifest.size() > size, "manifest.json is too short to have a seal");
    const std::string_view sealed = std::string_view(manifest).substr(0, manifest.size() - size);
    require(manifest.ends_with(seal_of(sealed)),
            "manifest.json: its seal is not the hash of the bytes before it");
    require(sealed.find(protocol_json()) != std::string_view::npos,
            "manifest.json speaks of another protocol");
}

using Arrays = std::map<std::string, Matrix>;

// Names, order, types, shapes: written again from what was read, the file must come out the same.
inline Arrays read_arrays(const std::string& content) {
    Arrays arrays = parse_npz(bytes_of(content), "arrays.npz");
    require(arrays_npz(arrays) == content, "arrays.npz is not written as a record's arrays are");
    return arrays;
}

inline std::string number_text(double value) {
    return std::isfinite(value) ? shortest(value) : std::to_string(value);
}

// The largest |a - b|, in code of its own: the first `rows` rows of both.
inline double difference(const Matrix& a, const Matrix& b, std::size_t rows) {
    double largest = 0;
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < a.cols; ++c) {
            const double distance = std::abs(a(r, c) - b(r, c));
            if (!(distance <= largest)) // a NaN is larger than everything, and stays
                largest = distance;
            if (std::isnan(largest))
                return largest;
        }
    return largest;
}

// One of the nine differences: which arrays, how many rows, and whether it is an error, which the
// tolerance bounds, or a control, which must be seen.
struct Difference {
    double Metrics::*metric;
    const char *a, *b;
    std::size_t rows;
    bool control;
};

constexpr std::array<Difference, 9> differences{{
    {&Metrics::causal_future_error, "full", "masked", protocol::first_edited, false},
    {&Metrics::unmasked_future_change, "unmasked", "perturbed_unmasked", protocol::first_edited,
     true},
    {&Metrics::prefix_error, "prefix", "full", protocol::length, false},
    {&Metrics::cache_error, "cached", "full", protocol::length, false},
    {&Metrics::chunk_error, "chunked", "full", protocol::length, false},
    {&Metrics::wrong_chunk_mask_error, "wrong", "good", protocol::chunk, true},
    {&Metrics::sliding_error, "sliding_cached", "sliding", protocol::length, false},
    {&Metrics::reset_position_error, "reset", "sliding", protocol::length, true},
    {&Metrics::cropped_recompute_error, "cropped", "sliding", protocol::length, true},
}};

// Recomputes a seed's nine differences, each within what it is for.
inline Metrics recomputed(const Arrays& arrays, std::uint32_t seed) {
    Metrics metrics;
    metrics.seed = seed;
    for (const Difference& d : differences) {
        const double value =
            difference(arrays.at(array_name(seed, d.a)), arrays.at(array_name(seed, d.b)), d.rows);
        const std::string between =
            array_name(seed, d.a) + " and " + array_name(seed, d.b) + " differ by ";
        if (d.control)
            require(value >= protocol::visible,
                    between + number_text(value) +
                        ", a control that must be seen; wanted at least " +
                        shortest(protocol::visible));
        else
            require(value <= protocol::tolerance,
                    between + number_text(value) + "; wanted at most " +
                        shortest(protocol::tolerance));
        metrics.*d.metric = value;
    }
    return metrics;
}

// What the work has to be, from formulas: t = 1 .. T tokens, L layers, C channels, w the window.
// Projected are three rows for each token of a pass; scored is a rectangle of queries and keys.
inline void add_closed_forms(Metrics& metrics) {
    using namespace protocol;
    constexpr std::size_t T = length, L = layers, C = dimension, w = window;
    constexpr std::size_t sum = T * (T + 1) / 2;                        // 1 + 2 + ... + T
    constexpr std::size_t squares = T * (T + 1) * (2 * T + 1) / 6;      // 1 + 4 + ... + T^2
    constexpr std::size_t bytes_per_token = 2 * L * C * sizeof(double); // keys and values
    metrics.prefix_projected_rows = 3 * L * sum;
    metrics.cached_projected_rows = 3 * L * T;
    metrics.prefix_score_elements = L * squares;
    metrics.cached_score_elements = L * sum;
    metrics.full_kv_bytes = T * bytes_per_token;
    metrics.window_kv_bytes = w * bytes_per_token;
}

// tokens[i] = (7 i + 3) mod 32, and a cache that grows by the same bytes for every token.
inline void check_tokens_and_bytes(const Arrays& arrays, std::uint32_t seed) {
    const Matrix& tokens = arrays.at(array_name(seed, "tokens"));
    const Matrix& bytes = arrays.at(array_name(seed, "cache_bytes"));
    for (std::size_t i = 0; i < protocol::length; ++i) {
        require(tokens(0, i) == static_cast<double>((7 * i + 3) % protocol::vocabulary),
                array_name(seed, "tokens") + ": token " + std::to_string(i) + " is another");
        const std::size_t payload =
            (i + 1) * 2 * protocol::layers * protocol::dimension * sizeof(double);
        require(bytes(i, 0) == static_cast<double>(i + 1) &&
                    bytes(i, 1) == static_cast<double>(payload),
                array_name(seed, "cache_bytes") + ": row " + std::to_string(i) +
                    " is not what the cache has to be");
    }
}

// First-layer weights: nothing read above the diagonal, shares of 1 in every row.
inline void check_attention(const Arrays& arrays, std::uint32_t seed) {
    const Matrix& weights = arrays.at(array_name(seed, "attention"));
    for (std::size_t t = 0; t < weights.rows; ++t) {
        double sum = 0;
        for (std::size_t s = 0; s < weights.cols; ++s) {
            const std::string where = array_name(seed, "attention") + " (" + std::to_string(t) +
                ", " + std::to_string(s) + ") ";
            require(s <= t || weights(t, s) == 0, where + "is above the diagonal and not 0");
            require(weights(t, s) >= 0, where + "is no share of 1");
            sum += weights(t, s);
        }
        require(std::abs(sum - 1) <= protocol::tolerance,
                array_name(seed, "attention") + ": row " + std::to_string(t) +
                    " does not sum to 1");
    }
}

// The chunk with true positions is the full pass's rows 5 to 7, to the last bit.
inline void check_good_chunk(const Arrays& arrays, std::uint32_t seed) {
    const Matrix rows =
        rows_of(arrays.at(array_name(seed, "full")), protocol::cached, protocol::chunk);
    require(same_bits(arrays.at(array_name(seed, "good")), rows),
            array_name(seed, "good") + " is not rows 5 to 7 of " + array_name(seed, "full"));
}

// The text rebuilt from the arrays against the recorded one; names the first line that differs.
inline void check_text(const std::string& name, const std::string& recorded,
                       const std::string& rebuilt) {
    if (recorded == rebuilt)
        return;
    const auto at = std::ranges::mismatch(recorded, rebuilt).in1;
    const auto line = 1 + std::count(recorded.begin(), at, '\n');
    const auto line_of = [&](const std::string& text) {
        std::istringstream lines(text);
        std::string found;
        for (auto i = line; i > 0; --i) {
            found.clear();
            std::getline(lines, found);
        }
        found.erase(0, found.find_first_not_of(' '));
        return printable(found);
    };
    throw Failure(name + ", line " + std::to_string(line) + ": recorded is " + line_of(recorded) +
                  " where the arrays give " + line_of(rebuilt));
}

inline void check_all(const Files& files, std::vector<std::string>& checked) {
    check_names(files);
    checked.push_back("five files, and no other");
    check_manifest(files.at("manifest.json"));
    checked.push_back("manifest.json is sealed and names this protocol");
    check_hashes(files);
    checked.push_back("sha256.json is what the three files hash to");
    const Arrays arrays = read_arrays(files.at("arrays.npz"));
    checked.push_back("arrays.npz holds the 48 arrays, in their types, shapes and order");
    for (const std::uint32_t seed : protocol::seeds)
        check_tokens_and_bytes(arrays, seed);
    checked.push_back("tokens and cache bytes follow their formulas");
    for (const std::uint32_t seed : protocol::seeds)
        check_attention(arrays, seed);
    checked.push_back("first-layer weights are 0 above the diagonal and sum to 1");
    for (const std::uint32_t seed : protocol::seeds)
        check_good_chunk(arrays, seed);
    checked.push_back("the chunk after five tokens is rows 5 to 7 of the full pass");
    std::vector<Metrics> metrics;
    for (const std::uint32_t seed : protocol::seeds) {
        metrics.push_back(recomputed(arrays, seed));
        add_closed_forms(metrics.back());
    }
    checked.push_back("27 differences recomputed: errors at most 1e-12, controls at least 0.01");
    check_text("results.json", files.at("results.json"), results_json(metrics));
    check_text("results.csv", files.at("results.csv"), results_csv(metrics));
    checked.push_back("results.json and results.csv rebuilt from the arrays, byte for byte");
}

} // namespace auditing

// Audits the files of a record.
inline Audit audit(const Files& files) {
    Audit result;
    try {
        auditing::check_all(files, result.checked);
    } catch (const std::exception& error) {
        result.failure = error.what();
    }
    return result;
}

// Audits a record in a folder. Throws std::runtime_error if there is no such folder.
inline Audit audit(const std::filesystem::path& folder) {
    namespace fs = std::filesystem;
    constexpr std::uintmax_t largest = 1 << 20; // five times what a record's largest file has
    if (!fs::is_directory(folder))
        throw std::runtime_error("audit: there is no folder " + folder.string());
    Files files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (!fs::is_regular_file(entry.symlink_status()))
            return {{}, printable(name) + " is no regular file"};
        if (entry.file_size() > largest)
            return {{},
                    name + " has " + std::to_string(entry.file_size()) +
                        " bytes; no file of a record is larger than " + std::to_string(largest)};
        if (files.size() == auditing::names.size())
            return {{}, "there are more than five files in the folder"};
        files[name] = read_file(entry.path(), "audit");
    }
    return audit(files);
}

} // namespace glassbox
