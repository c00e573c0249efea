// Which inputs may matter to which outputs: what a model claims of itself. A detector holds it to
// that, and to nothing else.
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>

namespace glassbox {

// May input s matter to output t?
using Reach = std::function<bool(std::size_t t, std::size_t s)>;

inline Reach causal_reach() {
    return [](std::size_t t, std::size_t s) { return s <= t; };
}

// No claim at all: every input may matter to every output, as in an encoder.
inline Reach unlimited_reach() {
    return [](std::size_t, std::size_t) { return true; };
}

// L layers with a window of w positions (the current one counts) reach L (w - 1) positions back.
// Throws std::invalid_argument for a window or a number of layers below 1.
inline Reach window_reach(std::size_t window, std::size_t layers) {
    if (window < 1 || layers < 1)
        throw std::invalid_argument("window_reach: window " + std::to_string(window) + ", layers " +
                                    std::to_string(layers) + "; wanted at least 1 of both");
    const std::size_t back = layers * (window - 1);
    return [=](std::size_t t, std::size_t s) { return s <= t && t - s <= back; };
}

// A window, and beside it the first `sinks` positions, which every later one may read. (Xiao et
// al., "Efficient Streaming Language Models with Attention Sinks", 2023.) Errors as window_reach.
inline Reach sink_reach(std::size_t sinks, std::size_t window, std::size_t layers) {
    return [=, near = window_reach(window, layers)](std::size_t t, std::size_t s) {
        return s <= t && (s < sinks || near(t, s));
    };
}

// A prefix LM: the first `prefix` positions read each other in both directions, the rest is causal.
inline Reach prefix_reach(std::size_t prefix) {
    return [=](std::size_t t, std::size_t s) { return s <= t || (t < prefix && s < prefix); };
}

// Causal, but for the next `ahead` positions, summed over all layers.
inline Reach ahead_reach(std::size_t ahead) {
    return [=](std::size_t t, std::size_t s) { return s <= t || s - t <= ahead; };
}

// Chunked streaming: each position reads its own chunk to the end, and all chunks before it.
// Throws std::invalid_argument for an empty chunk.
inline Reach chunk_reach(std::size_t chunk) {
    if (chunk < 1)
        throw std::invalid_argument("chunk_reach: chunks of 0 positions; wanted at least 1");
    return [=](std::size_t t, std::size_t s) { return s / chunk <= t / chunk; };
}

} // namespace glassbox
