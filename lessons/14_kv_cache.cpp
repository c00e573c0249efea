// Lesson 14: the KV cache
//
// Question: to add one token, must everything before it be computed again?
// New here: KvCache, extend, Work. From lessons 12 and 13: Decoder. Text: docs/14_kv_cache.md
//
// Predict before you run: four ways to compute the same 24 rows, one of them token by token from a
// cache. In how many decimals do they agree?

#include "record/experiment.hpp"
#include "show/figure.hpp"
#include "show/terminal.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <limits>

using namespace glassbox;

const std::vector<int> chunk_sizes{5, 3, 7, 9};

// One head, six tokens: for each token only its own key and value are computed, and kept.
bool single_head_lab() {
    PytorchRandom random(13);
    const Matrix wq = random.randn(8, 8), wk = random.randn(8, 8), wv = random.randn(8, 8);
    const Matrix stream = random.randn(6, 8);
    const std::vector<int> all = positions_from(0, 6);
    const Matrix full = attend(matmul(stream, wq), matmul(stream, wk), matmul(stream, wv), all, all,
                               experiment::causal)
                            .output;
    Matrix keys, values;
    std::size_t cached = 0, recomputed = 0;
    bool same = true;
    for (std::size_t t = 0; t < 6; ++t) {
        const Matrix token = rows_of(stream, t, 1);
        append_rows(keys, matmul(token, wk));
        append_rows(values, matmul(token, wv));
        cached += 2;
        recomputed += 2 * (t + 1);
        const Attention step = attend(matmul(token, wq), keys, values, {all[t]},
                                      positions_from(0, t + 1), experiment::causal);
        same = same && same_bits(step.output.row(0), full.row(t));
        std::cout << "token " << t << ": keys are " << shape_text(keys) << ", the new row begins "
                  << padded(fixed(keys(t, 0)), 7) << padded(fixed(keys(t, 1)), 8) << "\n";
    }
    std::cout << "key and value projections: " << recomputed << " without a cache, " << cached
              << " with one\nthe same bits as all at once: " << yes_or_no(same) << "\n";
    return same && recomputed == 42 && cached == 12;
}

// All four routes, for one seed: the same bits?
bool routes_agree(std::uint32_t seed) {
    const Decoder decoder = Decoder::from_numpy(seed);
    const std::vector<int> tokens = experiment::tokens();
    const Matrix full = decoder.forward(tokens, experiment::causal).hidden;
    const Matrix prefixes = by_prefixes(decoder, tokens, experiment::causal).hidden;
    const Matrix cached = token_by_token(decoder, tokens, experiment::causal).hidden;
    const Matrix chunked = by_chunks(decoder, tokens, chunk_sizes, experiment::causal).hidden;
    std::cout << padded(std::to_string(seed), 4) << "   "
              << scientific(max_abs_difference(prefixes, full)) << "     "
              << scientific(max_abs_difference(cached, full)) << "        "
              << scientific(max_abs_difference(chunked, full)) << "\n";
    return same_bits(prefixes, full) && same_bits(cached, full) && same_bits(chunked, full);
}

// Which of the keys 0 to 7 the three new queries may read: rightly, and numbered from 0.
void print_chunk_mask(const std::string& name, const std::vector<int>& query_positions) {
    std::cout << name << "\n                         s0 to s7\n";
    for (std::size_t i = 0; i < query_positions.size(); ++i) {
        std::cout << "   new token " << i << " asks as t" << query_positions[i] << ": ";
        for (int s = 0; s < 8; ++s)
            std::cout << (experiment::causal.allows(query_positions[i], s) ? 'x' : '.');
        std::cout << "\n";
    }
}

double wrong_mask_error(std::uint32_t seed) {
    const Decoder decoder = Decoder::from_numpy(seed);
    const std::vector<int> tokens = experiment::tokens();
    return max_abs_difference(chunk_after_five(decoder, tokens, {0, 1, 2}),
                              chunk_after_five(decoder, tokens, {5, 6, 7}));
}

bool counts_are_right(const Route& prefixes, const Route& cached) {
    std::cout << "                          prefixes   cached\n"
              << "rows projected " << padded(std::to_string(prefixes.work.projected_rows), 19)
              << padded(std::to_string(cached.work.projected_rows), 9) << "\n"
              << "score elements (rectangle) "
              << padded(std::to_string(prefixes.work.score_elements), 7)
              << padded(std::to_string(cached.work.score_elements), 9) << "\n"
              << "scores that our loops read "
              << padded(std::to_string(prefixes.work.scores_read), 7)
              << padded(std::to_string(cached.work.scores_read), 9) << "\n"
              << "payload of the cache at the end: " << cached.cache.payload_bytes() << " bytes\n";
    return prefixes.work.projected_rows == 1800 && cached.work.projected_rows == 144 &&
        prefixes.work.score_elements == 9800 && cached.work.score_elements == 600 &&
        cached.cache.payload_bytes() == 12288;
}

// A copied cache goes its own way: the copy reads other tokens, the original's rows keep their
// bits.
bool copies_are_branches(const Decoder& decoder, const std::vector<int>& tokens) {
    const KvCache trunk =
        decoder.extend(experiment::part(tokens, 0, 12), KvCache{}, experiment::causal).cache;
    const KvCache branch = trunk;
    const Pass other = decoder.extend({1, 2, 3, 4}, branch, experiment::causal);
    const Pass own = decoder.extend(experiment::part(tokens, 12, 12), trunk, experiment::causal);
    const Matrix full = decoder.forward(tokens, experiment::causal).hidden;
    const bool own_kept = same_bits(own.hidden, rows_of(full, 12, 12));
    const bool other_differs = !same_bits(other.hidden, rows_of(full, 12, 4));
    std::cout << "the trunk goes on as if nothing had happened, every bit: " << yes_or_no(own_kept)
              << "\nthe branch computed something else: " << yes_or_no(other_differs) << "\n";
    return own_kept && other_differs;
}

// The best of several runs: whatever else the machine does only adds to a time.
double seconds_of(const Decoder& decoder, int T, bool cached) {
    std::vector<int> tokens;
    for (int i = 0; i < T; ++i)
        tokens.push_back((7 * i + 3) % 32);
    double best = std::numeric_limits<double>::infinity();
    for (int run = 0; run < (cached ? 5 : 1); ++run) {
        const auto start = std::chrono::steady_clock::now();
        const Route route = cached ? token_by_token(decoder, tokens, experiment::causal)
                                   : by_prefixes(decoder, tokens, experiment::causal);
        const auto end = std::chrono::steady_clock::now();
        best = std::min(best, std::chrono::duration<double>(end - start).count());
    }
    return best;
}

// T -> time is close to time = a T^p; p from the first and the last measurement.
void measure_growth(const Decoder& decoder) {
    for (const bool cached : {false, true}) {
        std::cout << "measured: " << (cached ? "cached:  " : "prefixes:");
        double first = 0.0, last = 0.0;
        for (const int T : {64, 128, 256}) {
            last = seconds_of(decoder, T, cached);
            first = T == 64 ? last : first;
            std::cout << "  T = " << T << " " << fixed(1000 * last, 1) << " ms";
        }
        std::cout << "  grows like T^" << fixed(std::log(last / first) / std::log(4.0), 1) << "\n";
    }
}

int lesson() {
    const Decoder decoder = Decoder::from_numpy(7);
    const std::vector<int> tokens = experiment::tokens();
    step(1, "one head, six tokens: the cache grows by one row of keys and one of values");
    const bool lab = single_head_lab();

    step(2, "four routes to the same 24 x 16 numbers: largest difference from the full pass");
    std::cout << "seed   prefixes 1..24   token by token   chunks 5, 3, 7, 9\n";
    bool agree = true;
    for (const std::uint32_t seed : experiment::seeds)
        agree = routes_agree(seed) && agree;
    std::cout << "the same bits in all of them: " << yes_or_no(agree) << "\n";

    step(3, "intervene: number the queries of a cached chunk from 0");
    print_chunk_mask("rightly, five tokens are cached and three are new:", {5, 6, 7});
    print_chunk_mask("wrongly, numbered from 0:", {0, 1, 2});
    bool control_fires = true;
    for (const std::uint32_t seed : experiment::seeds) {
        const double error = wrong_mask_error(seed);
        std::cout << "seed " << padded(std::to_string(seed), 2) << ": wrong by " << fixed(error, 12)
                  << "\n";
        control_fires = control_fires && error > 0.1;
    }

    step(4, "the work of 24 tokens in two layers, counted");
    const bool counts = counts_are_right(by_prefixes(decoder, tokens, experiment::causal),
                                         token_by_token(decoder, tokens, experiment::causal));

    step(5, "a copied cache is a branch");
    const bool branches = copies_are_branches(decoder, tokens);

    step(6, "counts are no seconds: measure them");
    measure_growth(decoder);
    std::cout << "(what was measured here is in the lines that the comparison leaves out)\n";

    return verdict("A CACHE SAVES WORK AND CHANGES NOT ONE BIT",
                   lab && agree && control_fires && counts && branches);
}

void figures(const std::filesystem::path& folder) {
    const Decoder decoder = Decoder::from_numpy(7);
    Line full{"full cache", {0}, {0}}, window{"window of 4", {0}, {0}};
    KvCache all, last_four;
    for (const int token : experiment::tokens()) {
        all = decoder.extend({token}, all, experiment::causal).cache;
        last_four = decoder.extend({token}, last_four, experiment::sliding).cache;
        full.x.push_back(all.next_position);
        full.y.push_back(static_cast<double>(all.payload_bytes()));
        window.x.push_back(last_four.next_position);
        window.y.push_back(static_cast<double>(last_four.payload_bytes()));
    }
    line_chart({.title = "Payload of the cache against tokens processed",
                .description =
                    "The full cache grows by 512 bytes a token to 12288. With a window of "
                    "4 it stops growing at 2048.",
                .row_axis = "bytes of keys and values",
                .column_axis = "tokens processed"},
               {full, window})
        .write(folder / "14_payload.svg");
}

int main(int argc, char** argv) {
    return run(argc, argv, lesson, figures);
}
