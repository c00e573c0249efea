// What the audit demands of the arrays: closed forms, what has to be 0, what has to be equal, and
// what has to be seen.
#pragma once

#include "numbers/matrix.hpp"
#include "record/audit_text.hpp"
#include "record/bytes.hpp"
#include "record/npz.hpp"
#include "record/results.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glassbox::auditing {

using Arrays = std::map<std::string, Matrix>;

// What lies at a byte of an archive as a record writes it: an array's zip header, its description
// or its numbers.
inline std::string part_at(const std::string& archive, std::size_t at) {
    constexpr std::size_t fixed = 30; // bytes of a local header before the name
    if (at >= archive.find("PK\x01\x02"))
        return "the directory behind the arrays";
    const std::size_t entry = archive.rfind("PK\x03\x04", at);
    const std::size_t name_size = bytes_of(archive)[entry + 26], npy = entry + fixed + name_size;
    const std::string name = archive.substr(entry + fixed, name_size - 4); // without .npy
    if (at < npy)
        return name + ": its zip header";
    return name + (at <= archive.find('\n', npy) ? ": type, order or shape" : ": its numbers");
}

// Names, order, types, shapes: written again from what was read, the file must come out the same.
inline Arrays read_arrays(const std::string& content) {
    Arrays arrays = parse_npz(bytes_of(content), "arrays.npz");
    const std::string rebuilt = arrays_npz(arrays);
    const auto at =
        static_cast<std::size_t>(std::ranges::mismatch(content, rebuilt).in1 - content.begin());
    require(content == rebuilt,
            "arrays.npz, byte " + std::to_string(at) + ", " +
                part_at(rebuilt, std::min(at, rebuilt.size() - 1)) +
                ", is not what a record of these arrays has there");
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

// Two routes of a seed, in which every row from `first` to before `end` is the same, or in which
// every one differs. A control that is not run, or run on the tokens of another one, is seen here.
struct Relation {
    const char *a, *b;
    std::size_t first, end;
    bool differ;
};

constexpr std::array<Relation, 13> relations{{
    {"masked", "full", protocol::first_edited, protocol::length, true},
    {"unmasked", "full", 0, protocol::length, true},
    {"perturbed_unmasked", "masked", 0, protocol::length, true},
    {"perturbed_unmasked", "unmasked", 0, protocol::length, true},
    {"wrong", "good", 0, protocol::chunk, true},
    {"sliding", "full", 0, protocol::window, false},
    {"sliding", "full", protocol::window, protocol::length, true},
    {"cropped", "full", 0, protocol::window, false},
    {"cropped", "full", protocol::window, protocol::length, true},
    {"cropped", "sliding", protocol::window, protocol::length, true},
    {"reset", "full", 0, 1, false},
    {"reset", "sliding", 1, protocol::length, true},
    {"reset", "full", 1, protocol::length, true},
}};

inline void check_relations(const Arrays& arrays, std::uint32_t seed) {
    for (const Relation& relation : relations) {
        const std::string a = array_name(seed, relation.a), b = array_name(seed, relation.b);
        for (std::size_t r = relation.first; r < relation.end; ++r) {
            const double value = max_abs_difference(arrays.at(a).row(r), arrays.at(b).row(r));
            const std::string row = "row " + std::to_string(r) + " of " + a + " and " + b;
            if (relation.differ)
                require(value >= protocol::visible,
                        row + " differ by " + number_text(value) + "; they must be seen to differ");
            else
                require(value <= protocol::tolerance,
                        row + " differ by " + number_text(value) + "; they must be the same");
        }
    }
}

// What comes from a seed's weights is another one's nowhere.
inline void check_seeds_differ(const Arrays& arrays) {
    for (const ArrayFormat& format : array_formats()) {
        if (format.type != "<f8")
            continue;
        for (const auto& [one, other] : {std::pair{0U, 1U}, std::pair{0U, 2U}, std::pair{1U, 2U}}) {
            const std::string a = array_name(protocol::seeds.at(one), format.name);
            const std::string b = array_name(protocol::seeds.at(other), format.name);
            require(difference(arrays.at(a), arrays.at(b), format.rows) >= protocol::visible,
                    a + " and " + b + " hold the same; two seeds have different weights");
        }
    }
}

// Every number of every route is one that tanh can give (0 it gives for 0 alone), and none stands
// twice in an array.
inline void check_range(const Arrays& arrays, std::uint32_t seed) {
    for (const ArrayFormat& format : array_formats()) {
        if (format.type != "<f8" || std::string_view(format.name) == "attention")
            continue;
        const std::string name = array_name(seed, format.name);
        const Matrix& m = arrays.at(name);
        for (std::size_t r = 0; r < m.rows; ++r)
            for (std::size_t c = 0; c < m.cols; ++c)
                require(std::abs(m(r, c)) <= 1 && m(r, c) != 0, // so neither NaN nor infinite
                        name + " (" + std::to_string(r) + ", " + std::to_string(c) + ") is " +
                            number_text(m(r, c)) + "; wanted a number from -1 to 1 and not 0");
        std::vector<double> sorted = m.values;
        std::ranges::sort(sorted);
        const auto twice = std::ranges::adjacent_find(sorted);
        require(twice == sorted.end(),
                name + " holds " + (twice == sorted.end() ? "" : number_text(*twice)) +
                    " twice, which no computation gives");
    }
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

// First-layer weights: nothing read above the diagonal, all read from there on, shares of 1 in
// every row, and not equal ones.
inline void check_attention(const Arrays& arrays, std::uint32_t seed) {
    const Matrix& weights = arrays.at(array_name(seed, "attention"));
    for (std::size_t t = 0; t < weights.rows; ++t) {
        double sum = 0;
        for (std::size_t s = 0; s < weights.cols; ++s) {
            const std::string where = array_name(seed, "attention") + " (" + std::to_string(t) +
                ", " + std::to_string(s) + ") ";
            require(s <= t || same_bits(weights(t, s), 0.0),
                    where + "is above the diagonal and not 0, with all its bits");
            require(s > t || weights(t, s) > 0, // of a window's weights some are 0
                    where + "is no share of 1, though position " + std::to_string(t) +
                        " may read it");
            sum += weights(t, s);
        }
        const auto read = weights.row(t).first(t + 1);
        require(t == 0 || std::ranges::max(read) - std::ranges::min(read) >= protocol::visible,
                array_name(seed, "attention") + ": row " + std::to_string(t) +
                    " has equal weights, as if no score had mattered");
        require(std::abs(sum - 1) <= protocol::tolerance,
                array_name(seed, "attention") + ": row " + std::to_string(t) +
                    " does not sum to 1");
    }
}

// The chunk with true positions is the full pass's rows 5 to 7.
inline void check_good_chunk(const Arrays& arrays, std::uint32_t seed) {
    const Matrix rows =
        rows_of(arrays.at(array_name(seed, "full")), protocol::cached, protocol::chunk);
    require(difference(arrays.at(array_name(seed, "good")), rows, protocol::chunk) <=
                protocol::tolerance,
            array_name(seed, "good") + " is not rows 5 to 7 of " + array_name(seed, "full"));
}

// The checks of one seed's arrays, in their order, and what is said where they pass.
struct ArrayCheck {
    void (*check)(const Arrays& arrays, std::uint32_t seed);
    std::string_view words;
};

constexpr std::array<ArrayCheck, 5> array_checks{{
    {check_tokens_and_bytes, "tokens and cache bytes follow their formulas"},
    {check_range, "every number of every route lies from -1 to 1, and none stands twice"},
    {check_attention, "first-layer weights are 0 above the diagonal and sum to 1"},
    {check_good_chunk, "the chunk after five tokens is rows 5 to 7 of the full pass"},
    {check_relations, "what an experiment changes is seen in every row, and nowhere else"},
}};

inline void check_arrays(const Arrays& arrays, std::vector<std::string>& checked) {
    for (const auto& [check, words] : array_checks) {
        for (const std::uint32_t seed : protocol::seeds)
            check(arrays, seed);
        checked.emplace_back(words);
    }
    check_seeds_differ(arrays);
    checked.emplace_back("the three seeds differ");
}

} // namespace glassbox::auditing
