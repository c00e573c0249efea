// What a record of the experiment is: five files, and every name, number and byte that their format
// fixes. The program that records and the program that audits share this header and no decoder.
//
//     arrays.npz       48 arrays, 16 for each seed: what every route put out
//     results.json     16 numbers for each seed: the differences between routes, and the work
//     results.csv      the same numbers as a table
//     manifest.json    when, by which compiler, from which sources; sealed by its last field
//     sha256.json      a hash for each of the first three
#pragma once

#include "numbers/matrix.hpp"
#include "record/npz.hpp"
#include "record/sha256.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glassbox {

// The experiment's fixed numbers, decided before it ran.
namespace protocol {

constexpr std::string_view id = "glassbox-mechanics-1";
constexpr std::array<std::uint32_t, 3> seeds{7, 19, 41};
constexpr std::size_t length = 24;
constexpr std::size_t dimension = 16;
constexpr std::size_t layers = 2;
constexpr std::size_t vocabulary = 32;
constexpr std::size_t window = 4;
constexpr std::size_t first_edited = 12; // tokens 12 to 23 are the future that is rewritten
constexpr std::size_t cached = 5;        // tokens in the cache before the chunk of the wrong mask
constexpr std::size_t chunk = 3;         // tokens in that chunk
constexpr double tolerance = 1e-12;      // what ought to be 0 is at most this
constexpr double visible = 0.01;         // what ought to be seen is at least this

} // namespace protocol

// Name of a file to its content.
using Files = std::map<std::string, std::string>;

// For one seed, in the order in which they are written.
struct Metrics {
    std::uint32_t seed = 0;

    double causal_future_error = 0;    // masked against full, the rows before the edit
    double unmasked_future_change = 0; // the same without a mask: must be seen
    double prefix_error = 0;           // other routes against full
    double cache_error = 0;
    double chunk_error = 0;
    double wrong_chunk_mask_error = 0;  // queries numbered from 0 against true ones: must be seen
    double sliding_error = 0;           // sliding cache against sliding mask
    double reset_position_error = 0;    // positions reset against sliding mask: must be seen
    double cropped_recompute_error = 0; // the last four raw tokens against it: must be seen

    std::size_t prefix_projected_rows = 0;
    std::size_t cached_projected_rows = 0;
    std::size_t prefix_score_elements = 0;
    std::size_t cached_score_elements = 0;
    std::size_t full_kv_bytes = 0;
    std::size_t window_kv_bytes = 0;
};

// The shortest decimal text that reads back to the same double, never more than 17 digits.
// Throws std::invalid_argument for a NaN or an infinity, which JSON cannot write.
inline std::string shortest(double value) {
    if (!std::isfinite(value))
        throw std::invalid_argument("shortest: " + std::to_string(value) +
                                    " has no place in a record; wanted a finite number");
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

using Fields = std::vector<std::pair<std::string, std::string>>; // names, values as JSON

// The names and values of a seed's numbers; the only place that knows their names and their order.
inline Fields fields_of(const Metrics& m) {
    return {{"seed", std::to_string(m.seed)},
            {"causal_future_error", shortest(m.causal_future_error)},
            {"unmasked_future_change", shortest(m.unmasked_future_change)},
            {"prefix_error", shortest(m.prefix_error)},
            {"cache_error", shortest(m.cache_error)},
            {"chunk_error", shortest(m.chunk_error)},
            {"wrong_chunk_mask_error", shortest(m.wrong_chunk_mask_error)},
            {"sliding_error", shortest(m.sliding_error)},
            {"reset_position_error", shortest(m.reset_position_error)},
            {"cropped_recompute_error", shortest(m.cropped_recompute_error)},
            {"prefix_projected_rows", std::to_string(m.prefix_projected_rows)},
            {"cached_projected_rows", std::to_string(m.cached_projected_rows)},
            {"prefix_score_elements", std::to_string(m.prefix_score_elements)},
            {"cached_score_elements", std::to_string(m.cached_score_elements)},
            {"full_kv_bytes", std::to_string(m.full_kv_bytes)},
            {"window_kv_bytes", std::to_string(m.window_kv_bytes)}};
}

// A text in JSON's quotation marks (RFC 8259, section 7).
inline std::string json_string(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        if (static_cast<unsigned char>(c) < 0x20) {
            result += "\\u00";
            result += "0123456789abcdef"[c >> 4 & 0xf];
            result += "0123456789abcdef"[c & 0xf];
        } else {
            result += c;
        }
    }
    return result + '"';
}

// An object, a line for each field; its closing brace stands `indent` blanks to the right.
inline std::string json_object(const Fields& fields, std::size_t indent) {
    const std::string margin(indent, ' ');
    std::string text = "{";
    for (const auto& [name, value] : fields)
        text +=
            (text.size() == 1 ? "\n" : ",\n") + margin + "  " + json_string(name) + ": " + value;
    return text + "\n" + margin + "}";
}

// A list of objects, one for each seed.
inline std::string results_json(const std::vector<Metrics>& all) {
    std::string text = "[";
    for (const Metrics& metrics : all)
        text += (text.size() == 1 ? "\n  " : ",\n  ") + json_object(fields_of(metrics), 2);
    return text + "\n]\n";
}

// A line of names, then a line for each seed.
inline std::string results_csv(const std::vector<Metrics>& all) {
    const auto line = [](const Metrics& metrics, bool names) {
        std::string text;
        for (const auto& [name, value] : fields_of(metrics))
            text += (text.empty() ? "" : ",") + (names ? name : value);
        return text + "\n";
    };
    std::string text = line(Metrics{}, true);
    for (const Metrics& metrics : all)
        text += line(metrics, false);
    return text;
}

// The files that have a hash in sha256.json, the small ones first.
constexpr std::array<const char*, 3> hashed_files{"results.csv", "results.json", "arrays.npz"};

// Their names and hashes. Throws std::out_of_range if a file is missing.
inline std::string sha256_json(const Files& files) {
    Fields hashes;
    for (const char* name : hashed_files)
        hashes.emplace_back(name, json_string(sha256(files.at(name))));
    return json_object(hashes, 0) + "\n";
}

// The manifest's last field: the hash of all that stands before it, so that it cannot be changed
// alone. The text that is sealed is an object without its last field and its closing brace.
inline std::string seal_of(std::string_view text) {
    return "  \"seal\": " + json_string(sha256(text)) + "\n}\n";
}

// The manifest's field about the protocol.
inline std::string protocol_json() {
    using namespace protocol;
    std::string list;
    for (const std::uint32_t seed : seeds)
        list += (list.empty() ? "" : ", ") + std::to_string(seed);
    const Fields fields{{"id", json_string(id)},
                        {"seeds", "[" + list + "]"},
                        {"length", std::to_string(length)},
                        {"dimension", std::to_string(dimension)},
                        {"layers", std::to_string(layers)},
                        {"vocabulary", std::to_string(vocabulary)},
                        {"window", std::to_string(window)},
                        {"dtype", json_string("float64")},
                        {"tolerance", shortest(tolerance)}};
    return "  \"protocol\": " + json_object(fields, 2) + ",\n";
}

// What the manifest says beside the protocol.
struct Provenance {
    std::string time; // UTC, ISO 8601
    std::string compiler;
    std::string flags;
    std::map<std::string, std::string> sources; // path in the project to SHA-256
};

// The manifest: provenance and protocol, and the seal on both.
inline std::string manifest_json(const Provenance& provenance) {
    Fields sources;
    for (const auto& [file, hash] : provenance.sources)
        sources.emplace_back(file, json_string(hash));
    const std::string text = "{\n  \"time\": " + json_string(provenance.time) +
        ",\n  \"compiler\": " + json_string(provenance.compiler) +
        ",\n  \"flags\": " + json_string(provenance.flags) + ",\n" + protocol_json() +
        "  \"sources\": " + json_object(sources, 2) + ",\n";
    return text + seal_of(text);
}

// One of a seed's 16 arrays. Two dimensions, but for the tokens.
struct ArrayFormat {
    std::string name;
    std::string type;
    std::size_t rows, cols;
};

inline std::vector<ArrayFormat> array_formats() {
    using namespace protocol;
    std::vector<ArrayFormat> formats{{"tokens", "<i8", 1, length}};
    for (const char* route :
         {"full", "masked", "unmasked", "perturbed_unmasked", "prefix", "cached", "chunked"})
        formats.push_back({route, "<f8", length, dimension});
    for (const char* route : {"wrong", "good"})
        formats.push_back({route, "<f8", chunk, dimension});
    for (const char* route : {"sliding", "sliding_cached", "reset", "cropped"})
        formats.push_back({route, "<f8", length, dimension});
    formats.push_back({"attention", "<f8", length, length});
    formats.push_back({"cache_bytes", "<i8", length, 2});
    return formats;
}

// "s7_full" is what the full pass of seed 7 put out.
inline std::string array_name(std::uint32_t seed, const std::string& name) {
    std::string text = "s"; // not "s" + ...: GCC 12 takes that for an overlapping copy and warns
    text += std::to_string(seed) + "_" + name;
    return text;
}

// arrays.npz from these arrays: all 48, these alone, each in its shape and type. Throws
// std::invalid_argument naming what is missing, too much or of another shape.
inline std::string arrays_npz(const std::map<std::string, Matrix>& arrays) {
    std::vector<NpyArray> in_order;
    for (const std::uint32_t seed : protocol::seeds)
        for (const ArrayFormat& format : array_formats()) {
            const std::string name = array_name(seed, format.name);
            const auto found = arrays.find(name);
            if (found == arrays.end())
                throw std::invalid_argument("arrays_npz: the array " + name + " is missing");
            require_shape(found->second, format.rows, format.cols, "arrays_npz: " + name);
            in_order.push_back({name, found->second, format.type, format.name == "tokens" ? 1 : 2});
        }
    if (arrays.size() != in_order.size())
        throw std::invalid_argument("arrays_npz: there are " + std::to_string(arrays.size()) +
                                    " arrays; wanted " + std::to_string(in_order.size()));
    return format_npz(in_order);
}

} // namespace glassbox
