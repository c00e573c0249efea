// The experiment of lessons 12 to 17: its tokens, the routes through the decoder that are compared,
// and the numbers that come out. (After the article "LLM mechanics I: should changing future tokens
// affect earlier outputs?" and its parts II and III.)
//
// Rows of a route: what the decoder puts out at each of the 24 positions. Two routes that ought to
// be the same computation are compared; their largest difference is an error, and here it is 0.
#pragma once

#include "model/decoder.hpp"
#include "numbers/matrix.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace glassbox {

namespace experiment {

constexpr std::array<std::uint32_t, 3> seeds{7, 19, 41};
constexpr int length = 24;
constexpr int vocabulary = 32;
constexpr int first_edited = 12;
constexpr std::array<int, 4> chunk_sizes{5, 3, 7, 9};
constexpr Mask causal{.causal = true};
constexpr Mask unmasked{.causal = false};
constexpr Mask sliding{.causal = true, .window = 4};

static_assert(chunk_sizes[0] + chunk_sizes[1] + chunk_sizes[2] + chunk_sizes[3] == length,
              "experiment::chunk_sizes must add up to experiment::length; lesson 14 has the same "
              "sizes, and what lessons 12 to 17 print is for 24 tokens");

// tokens[i] = (7 i + 3) mod 32 for i < 24: fixed, varied, and meaning nothing.
inline std::vector<int> tokens() {
    std::vector<int> result;
    for (int i = 0; i < length; ++i)
        result.push_back((7 * i + 3) % vocabulary);
    return result;
}

// The same with 1 added, modulo 32, from position 12 on.
inline std::vector<int> tokens_with_edited_future() {
    std::vector<int> result = tokens();
    for (int i = first_edited; i < length; ++i)
        result[static_cast<std::size_t>(i)] =
            (result[static_cast<std::size_t>(i)] + 1) % vocabulary;
    return result;
}

// tokens first .. first + count - 1. Throws std::out_of_range if there are not so many.
inline std::vector<int> part(const std::vector<int>& tokens, int first, int count) {
    if (first < 0 || count < 0 || count > static_cast<int>(tokens.size()) - first)
        throw std::out_of_range("experiment: " + std::to_string(count) + " tokens from " +
                                std::to_string(first) + " of " + std::to_string(tokens.size()));
    return {tokens.begin() + first, tokens.begin() + first + count};
}

inline Matrix last_row(const Matrix& m) {
    return rows_of(m, m.rows - 1, 1);
}

} // namespace experiment

// One row for each position, the work that it took, and the cache at the end where there is one.
struct Route {
    Matrix hidden; // T x C
    Work work;
    KvCache cache;
};

// Without a cache: for every position run its whole prefix again and keep the last row.
inline Route by_prefixes(const Decoder& decoder, const std::vector<int>& tokens, const Mask& mask) {
    Route route;
    for (int count = 1; count <= static_cast<int>(tokens.size()); ++count) {
        const Pass pass = decoder.forward(experiment::part(tokens, 0, count), mask);
        append_rows(route.hidden, experiment::last_row(pass.hidden));
        route.work += pass.work;
    }
    return route;
}

// With a cache: the tokens in chunks of these sizes, each chunk extending what the last one left.
inline Route by_chunks(const Decoder& decoder, const std::vector<int>& tokens,
                       const std::vector<int>& sizes, const Mask& mask) {
    Route route;
    for (const int size : sizes) {
        const std::vector<int> chunk = experiment::part(tokens, route.cache.next_position, size);
        Pass pass = decoder.extend(chunk, std::move(route.cache), mask);
        append_rows(route.hidden, pass.hidden);
        route.work += pass.work;
        route.cache = std::move(pass.cache);
    }
    return route;
}

inline Route token_by_token(const Decoder& decoder, const std::vector<int>& tokens,
                            const Mask& mask) {
    return by_chunks(decoder, tokens, std::vector<int>(tokens.size(), 1), mask);
}

// A mistake, on purpose: token by token, but every token is told that it stands at position 0.
inline Route with_positions_reset(const Decoder& decoder, const std::vector<int>& tokens,
                                  const Mask& mask) {
    Route route;
    for (const int token : tokens) {
        Pass pass = decoder.extend_at({token}, route.cache, mask, {0}, {route.cache.next_position});
        append_rows(route.hidden, pass.hidden);
        route.work += pass.work;
        route.cache = std::move(pass.cache);
    }
    return route;
}

// Another: for every position run the last `window` raw tokens alone, at their right positions.
inline Route by_recomputing_the_window(const Decoder& decoder, const std::vector<int>& tokens,
                                       int window) {
    Route route;
    for (int t = 0; t < static_cast<int>(tokens.size()); ++t) {
        const int first = std::max(0, t - window + 1);
        const Pass pass = decoder.forward(experiment::part(tokens, first, t - first + 1),
                                          experiment::causal, first);
        append_rows(route.hidden, experiment::last_row(pass.hidden));
        route.work += pass.work;
    }
    return route;
}

// Five tokens cached, then three more: with true query positions 5 to 7, or numbered from 0.
inline Matrix chunk_after_five(const Decoder& decoder, const std::vector<int>& tokens,
                               const std::vector<int>& query_positions) {
    const KvCache five =
        decoder.extend(experiment::part(tokens, 0, 5), KvCache{}, experiment::causal).cache;
    return decoder
        .extend_at(experiment::part(tokens, 5, 3), five, experiment::causal, {5, 6, 7},
                   query_positions)
        .hidden;
}

} // namespace glassbox
