// A decoder: layers of causal attention over tokens, and the cache that spares it from computing
// keys and values again for every new token.
//
//     x = embedding of the tokens + sinusoidal code of their positions         T x C
//     for every layer:  x = tanh(x + attention(x Wq, x Wk, x Wv))              T x C
//
// There is one way through it. A full pass extends an empty cache by all tokens; a cached run
// extends it chunk by chunk. attend adds the same terms in the same order in both, so their results
// have the same bits. (The network of the article "LLM mechanics I"; nothing in it is trained.)
#pragma once

#include "model/cache.hpp"
#include "model/heads.hpp"
#include "model/mask.hpp"
#include "model/operations.hpp"
#include "numbers/matrix.hpp"
#include "numbers/random.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace glassbox {

// The work of a pass, in counts and not in seconds.
struct Work {
    std::size_t projected_rows = 0; // rows multiplied by Wq, Wk or Wv
    std::size_t score_elements = 0; // queries x keys, the rectangle that a matrix form allocates
    std::size_t scores_read = 0;    // scores that were computed here: the allowed ones

    Work& operator+=(const Work& more) {
        projected_rows += more.projected_rows;
        score_elements += more.score_elements;
        scores_read += more.scores_read;
        return *this;
    }
};

struct Pass {
    Matrix hidden;  // T x C, the last layer's output for the tokens of this pass
    Matrix weights; // T x S, the first layer's attention weights
    Work work;
    KvCache cache; // what the next pass may continue from
};

struct DecoderLayer {
    Matrix query, key, value; // C x C, applied as x W
};

struct Decoder {
    Matrix embedding; // vocabulary x C
    std::vector<DecoderLayer> layers;

    // The article's network: embedding from N(0, 0.3), then wq, wk and wv of each layer from
    // N(0, 0.25), drawn from NumPy's stream in this order.
    static Decoder from_numpy(std::uint32_t seed, std::size_t vocabulary = 32,
                              std::size_t width = 16, std::size_t layers = 2);

    // All tokens at once, the first of them at first_position. Throws std::invalid_argument for no
    // tokens, an id outside the vocabulary, a negative position or a window below 1.
    Pass forward(const std::vector<int>& tokens, const Mask& mask, int first_position = 0) const {
        return forward_embedded(embed(tokens), mask, first_position);
    }

    // The same from embedded tokens (T x C, before positions are added), for experiments that
    // change an input by other amounts than a token can.
    Pass forward_embedded(const Matrix& x, const Mask& mask, int first_position = 0) const {
        require_shape(x, x.rows, embedding.cols, "forward_embedded: x");
        require_room(first_position, x.rows);
        const std::vector<int> positions = positions_from(first_position, x.rows);
        return run(x, KvCache{{}, first_position}, mask, positions, positions);
    }

    // The tokens that follow on those in the cache, one or many. Errors as forward; and
    // std::invalid_argument for a cache that another model filled, whose positions do not lead up
    // to next_position, or that has dropped keys which the mask would let these tokens read.
    // The cache comes by value: the caller's copy is never touched, and one that is moved in is
    // not copied.
    Pass extend(const std::vector<int>& tokens, KvCache cache, const Mask& mask) const {
        return extend_embedded(embed(tokens), std::move(cache), mask);
    }

    // The same from embedded tokens (T x C), as forward_embedded.
    Pass extend_embedded(const Matrix& x, KvCache cache, const Mask& mask) const {
        require_shape(x, x.rows, embedding.cols, "extend_embedded: x");
        require_continuable(cache, mask);
        require_room(cache.next_position, x.rows);
        const std::vector<int> positions = positions_from(cache.next_position, x.rows);
        return run(x, std::move(cache), mask, positions, positions);
    }

    // The unchecked form beneath extend: input_positions go into the sinusoidal code,
    // query_positions into the mask, and the new keys stand at their true places whatever these
    // say. With other positions than extend's it computes something else, on purpose: the
    // negative controls of lessons 14 and 15 are such calls. Only shapes and ids are checked.
    Pass extend_at(const std::vector<int>& tokens, KvCache cache, const Mask& mask,
                   const std::vector<int>& input_positions,
                   const std::vector<int>& query_positions) const {
        return run(embed(tokens), std::move(cache), mask, input_positions, query_positions);
    }

    // One row of the embedding for each token: T x C. Errors as forward.
    Matrix embed(const std::vector<int>& tokens) const;

private:
    void require_room(int first_position, std::size_t count) const;
    void require_layers(const KvCache& cache) const;
    void require_continuable(const KvCache& cache, const Mask& mask) const;
    Pass run(const Matrix& x, KvCache cache, const Mask& mask,
             const std::vector<int>& input_positions,
             const std::vector<int>& query_positions) const;
};

inline Decoder Decoder::from_numpy(std::uint32_t seed, std::size_t vocabulary, std::size_t width,
                                   std::size_t layers) {
    NumpyRandom random(seed);
    Decoder decoder{random.normal(0.0, 0.3, vocabulary, width), {}};
    for (std::size_t n = 0; n < layers; ++n) {
        DecoderLayer layer;
        layer.query = random.normal(0.0, 0.25, width, width);
        layer.key = random.normal(0.0, 0.25, width, width);
        layer.value = random.normal(0.0, 0.25, width, width);
        decoder.layers.push_back(std::move(layer));
    }
    return decoder;
}

inline Matrix Decoder::embed(const std::vector<int>& tokens) const {
    if (tokens.empty())
        throw std::invalid_argument("Decoder: there are no tokens; wanted at least one");
    Matrix x(tokens.size(), embedding.cols);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
        if (tokens[t] < 0 || static_cast<std::size_t>(tokens[t]) >= embedding.rows)
            throw std::invalid_argument(
                "Decoder: token " + std::to_string(t) + " has the id " + std::to_string(tokens[t]) +
                "; the vocabulary has ids 0 to " + std::to_string(embedding.rows - 1));
        const auto id = static_cast<std::size_t>(tokens[t]);
        std::ranges::copy(embedding.row(id), x.row(t).begin());
    }
    return x;
}

inline void Decoder::require_room(int first_position, std::size_t count) const {
    const auto largest = static_cast<std::size_t>(std::numeric_limits<int>::max());
    if (first_position < 0 || count > largest - static_cast<std::size_t>(first_position))
        throw std::invalid_argument("Decoder: " + std::to_string(count) + " tokens from position " +
                                    std::to_string(first_position) + "; positions go from 0 to " +
                                    std::to_string(largest - 1));
}

inline void Decoder::require_layers(const KvCache& cache) const {
    if (cache.layers.size() != layers.size())
        throw std::invalid_argument("extend: the cache has " + std::to_string(cache.layers.size()) +
                                    " layers, the decoder has " + std::to_string(layers.size()));
}

inline void Decoder::require_continuable(const KvCache& cache, const Mask& mask) const {
    mask.allows(0, 0); // throws for a window below 1
    if (cache.layers.empty() && cache.next_position == 0)
        return;
    require_layers(cache);
    for (const LayerCache& layer : cache.layers)
        glassbox::require_continuable(layer, cache.next_position, embedding.cols, mask);
}

inline Pass Decoder::run(const Matrix& x, KvCache cache, const Mask& mask,
                         const std::vector<int>& input_positions,
                         const std::vector<int>& query_positions) const {
    const std::vector<int> key_positions = positions_from(cache.next_position, x.rows);
    if (cache.layers.empty())
        cache.layers.resize(layers.size());
    require_layers(cache);
    Pass pass;
    pass.hidden = x + sinusoidal_positions(input_positions, x.cols);
    for (std::size_t n = 0; n < layers.size(); ++n) {
        LayerCache& cached = cache.layers[n];
        pass.work.projected_rows += 3 * x.rows;
        pass.work.score_elements += x.rows * (cached.positions.size() + x.rows);

        const Matrix queries = matmul(pass.hidden, layers[n].query);
        const Matrix keys = matmul(pass.hidden, layers[n].key);
        const Matrix values = matmul(pass.hidden, layers[n].value);
        HeadedAttention attention =
            attend_on_cache(queries, keys, values, cached, Heads{}, query_positions, key_positions,
                            mask, n == 0 ? Weights::kept : Weights::dropped);
        pass.hidden = tanh(pass.hidden + attention.output);

        pass.work.scores_read += attention.scores_read;
        if (n == 0)
            pass.weights = std::move(attention.weights[0]);
    }
    cache.next_position += static_cast<int>(x.rows);
    pass.cache = std::move(cache);
    return pass;
}

} // namespace glassbox
