#include "check.hpp"
#include "model/decoder.hpp"

#include EXERCISE

using namespace glassbox;

void check() {
    PytorchRandom random(13);
    const DecoderLayer layer{random.randn(4, 4), random.randn(4, 4), random.randn(4, 4)};
    const Matrix x = random.randn(9, 4), old = rows_of(x, 0, 5), chunk = rows_of(x, 5, 3);
    const Matrix k = matmul(x, layer.key), v = matmul(x, layer.value);
    const Matrix q = matmul(x, layer.query), chunk_q = matmul(chunk, layer.query);
    const auto attention = [&](const Matrix& queries, std::size_t first, std::size_t count,
                               const std::vector<int>& asks, const std::vector<int>& stands) {
        return attend(queries, rows_of(k, first, count), rows_of(v, first, count), asks, stands,
                      Mask{.causal = true})
            .output;
    };
    const Matrix full = attention(q, 0, 9, positions_from(0, 9), positions_from(0, 9));

    // What `count` rows of x would give, every product taken with W^T.
    const auto transposed = [&](std::size_t first, std::size_t count) {
        const Matrix all = rows_of(x, 0, first + count), own = rows_of(x, first, count);
        return attend(matmul_transposed(own, layer.query), matmul_transposed(all, layer.key),
                      matmul_transposed(all, layer.value),
                      positions_from(static_cast<int>(first), count),
                      positions_from(0, first + count), Mask{.causal = true})
            .output;
    };
    const std::string growth =
        "Do keys, values and positions all grow by the rows of the chunk? attend's last positions "
        "are one for every key: cache.positions, after the chunk's were appended to it.";
    LayerCache cache;
    expect("a chunk of 5 into an empty cache",
           unless_refused([&] { return extend_by_chunk(cache, old, layer); }, "attend: ", growth),
           rows_of(full, 0, 5),
           {{attention(rows_of(q, 0, 5), 0, 5, {4, 4, 4, 4, 4}, positions_from(0, 5)),
             "Every query reads the whole chunk, its own future too. Is the mask causal, and were "
             "the positions of the queries counted before the cache grew?"},
            {attend(rows_of(q, 0, 5), rows_of(k, 0, 5), rows_of(v, 0, 5), positions_from(0, 5),
                    positions_from(0, 5), Mask{.causal = true})
                 .weights,
             "These are the weights: attend(...).output is asked for."},
            {transposed(0, 5),
             "The chunk was multiplied by W^T. A layer's matrices stand on the right as they are: "
             "matmul(chunk, layer.key)."},
            {attend(rows_of(q, 0, 5), rows_of(k, 0, 5), rows_of(k, 0, 5), positions_from(0, 5),
                    positions_from(0, 5), Mask{.causal = true})
                 .output,
             "Keys were mixed in place of values: values are the chunk times layer.value."},
            {attend(rows_of(q, 0, 5), rows_of(v, 0, 5), rows_of(k, 0, 5), positions_from(0, 5),
                    positions_from(0, 5), Mask{.causal = true})
                 .output,
             "Keys and values have changed places."}});
    if (cache.keys.rows == 0 && cache.positions.empty())
        throw NotSolved{
            "a chunk of 5 into an empty cache:\n  The output is right, but the cache is "
            "as empty as it was: was a copy of it extended?\n"};
    if (cache.positions != positions_from(0, 5))
        throw NotSolved{
            std::string("the positions in the cache after the chunk of 5: expected 0 to "
                        "4, came ") +
            list(cache.positions) +
            (cache.positions == positions_from(5, 5)
                 ? "\n  They were counted after the cache had grown: the first new "
                   "position is the number of tokens before the chunk.\n"
                 : "\n  Append the chunk's positions to cache.positions.\n")};
    expect("then a chunk of 3, which stands at the positions 5, 6 and 7",
           unless_refused([&] { return extend_by_chunk(cache, chunk, layer); }, "attend: ", growth),
           rows_of(full, 5, 3),
           {{attention(chunk_q, 5, 3, {0, 1, 2}, {0, 1, 2}),
             "The chunk has read itself alone: the five old keys and values must stay in the "
             "cache."},
            {attention(chunk_q, 0, 8, {0, 1, 2}, positions_from(0, 8)),
             "The queries were numbered from 0. They ask as t5, t6 and t7: positions count in the "
             "whole text."},
            {attention(chunk_q, 0, 8, {5, 6, 7}, {0, 1, 2, 3, 4, 0, 1, 2}),
             "The new keys were numbered from 0, so the first new query reads the later ones too. "
             "They stand at 5, 6 and 7."},
            {attention(chunk_q, 0, 8, {7, 7, 7}, positions_from(0, 8)),
             "Every new query reads the whole chunk, its own future too."},
            {attention(chunk_q, 0, 5, {5, 6, 7}, positions_from(0, 5)),
             "The queries read only the old keys: append the chunk's keys and values before they "
             "attend."}},
           {"t", "c", 5});
    expect("the keys in the cache after 8 tokens", cache.keys, rows_of(k, 0, 8), {}, {"s", "c"});
    expect("the values in the cache after 8 tokens", cache.values, rows_of(v, 0, 8), {},
           {"s", "c"});
    if (cache.positions != positions_from(0, 8))
        throw NotSolved{std::string("the positions in the cache: expected 0 to 7, came ") +
                        list(cache.positions) +
                        "\n  Append the chunk's positions to cache.positions.\n"};
    expect("then a single token, at position 8", extend_by_chunk(cache, rows_of(x, 8, 1), layer),
           rows_of(full, 8, 1), {}, {"t", "c", 8});
}

int main() {
    return checked(check);
}
