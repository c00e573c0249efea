// The experiment, run and written down: all routes of record/experiment.hpp for three seeds, as the
// five files of record/results.hpp. Everything is computed before the first byte is written;
// record/folder.hpp writes it.
#pragma once

#include "model/decoder.hpp"
#include "numbers/matrix.hpp"
#include "record/experiment.hpp"
#include "record/results.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace glassbox {

// The auditor cannot include the experiment, so its numbers stand in results.hpp too: the same.
static_assert(experiment::seeds == protocol::seeds && experiment::length == protocol::length &&
                  experiment::vocabulary == protocol::vocabulary &&
                  experiment::first_edited == protocol::first_edited &&
                  experiment::sliding.window == protocol::window,
              "the experiment's numbers stand in record/experiment.hpp and, for the auditor, in "
              "record/results.hpp: change both");

struct SeedRun {
    std::map<std::string, Matrix> arrays; // 16, by their names without the seed
    Metrics metrics;
};

// Rows of [tokens processed, bytes of the keys and values of so many tokens].
inline Matrix cache_bytes(const Decoder& decoder, const std::vector<int>& tokens) {
    Matrix rows(tokens.size(), 2);
    KvCache cache;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
        cache = decoder.extend({tokens[t]}, cache, experiment::causal).cache;
        rows(t, 0) = cache.next_position;
        rows(t, 1) = static_cast<double>(cache.payload_bytes());
    }
    return rows;
}

// How far the rows before the edit moved.
inline double change_before_edit(const Matrix& before, const Matrix& after) {
    return max_abs_difference(rows_of(before, 0, protocol::first_edited),
                              rows_of(after, 0, protocol::first_edited));
}

// The nine differences between the routes.
inline void add_differences(SeedRun& run) {
    const auto& a = run.arrays;
    Metrics& m = run.metrics;
    m.causal_future_error = change_before_edit(a.at("full"), a.at("masked"));
    m.unmasked_future_change = change_before_edit(a.at("unmasked"), a.at("perturbed_unmasked"));
    m.prefix_error = max_abs_difference(a.at("prefix"), a.at("full"));
    m.cache_error = max_abs_difference(a.at("cached"), a.at("full"));
    m.chunk_error = max_abs_difference(a.at("chunked"), a.at("full"));
    m.wrong_chunk_mask_error = max_abs_difference(a.at("wrong"), a.at("good"));
    m.sliding_error = max_abs_difference(a.at("sliding_cached"), a.at("sliding"));
    m.reset_position_error = max_abs_difference(a.at("reset"), a.at("sliding"));
    m.cropped_recompute_error = max_abs_difference(a.at("cropped"), a.at("sliding"));
}

// The routes that hold no cache, and what prefixes cost.
inline void run_without_cache(const Decoder& decoder, SeedRun& run) {
    using namespace experiment;
    const std::vector<int> text = tokens(), edited = tokens_with_edited_future();
    const Pass full = decoder.forward(text, causal);
    const Route prefix = by_prefixes(decoder, text, causal);
    run.arrays["full"] = full.hidden;
    run.arrays["attention"] = full.weights;
    run.arrays["masked"] = decoder.forward(edited, causal).hidden;
    run.arrays["unmasked"] = decoder.forward(text, unmasked).hidden;
    run.arrays["perturbed_unmasked"] = decoder.forward(edited, unmasked).hidden;
    run.arrays["prefix"] = prefix.hidden;
    run.arrays["sliding"] = decoder.forward(text, sliding).hidden;
    run.arrays["cropped"] = by_recomputing_the_window(decoder, text, sliding.window).hidden;
    run.metrics.prefix_projected_rows = prefix.work.projected_rows;
    run.metrics.prefix_score_elements = prefix.work.score_elements;
}

// The routes through a cache, what they cost, and what the cache holds at the end.
inline void run_with_cache(const Decoder& decoder, SeedRun& run) {
    using namespace experiment;
    const std::vector<int> text = tokens();
    const Route cached = token_by_token(decoder, text, causal);
    const Route slid = token_by_token(decoder, text, sliding);
    run.arrays["cached"] = cached.hidden;
    run.arrays["chunked"] =
        by_chunks(decoder, text, {chunk_sizes.begin(), chunk_sizes.end()}, causal).hidden;
    run.arrays["wrong"] = chunk_after_five(decoder, text, {0, 1, 2});
    run.arrays["good"] = chunk_after_five(decoder, text, {5, 6, 7});
    run.arrays["sliding_cached"] = slid.hidden;
    run.arrays["reset"] = with_positions_reset(decoder, text, sliding).hidden;
    run.arrays["cache_bytes"] = cache_bytes(decoder, text);
    run.metrics.cached_projected_rows = cached.work.projected_rows;
    run.metrics.cached_score_elements = cached.work.score_elements;
    run.metrics.full_kv_bytes = cached.cache.payload_bytes();
    run.metrics.window_kv_bytes = slid.cache.payload_bytes();
}

// The experiment for one seed.
inline SeedRun run_seed(std::uint32_t seed) {
    const Decoder decoder =
        Decoder::from_numpy(seed, experiment::vocabulary, protocol::dimension, protocol::layers);
    const std::vector<int> text = experiment::tokens();
    SeedRun run;
    run.metrics.seed = seed;
    run.arrays["tokens"] = Matrix(1, text.size());
    std::ranges::copy(text, run.arrays["tokens"].values.begin());
    run_without_cache(decoder, run);
    run_with_cache(decoder, run);
    add_differences(run);
    return run;
}

inline std::string time_now() {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
    return text.data();
}

// The five files of a record.
inline Files record_files(const Provenance& provenance) {
    std::map<std::string, Matrix> arrays;
    std::vector<Metrics> metrics;
    for (const std::uint32_t seed : protocol::seeds) {
        SeedRun run = run_seed(seed);
        metrics.push_back(run.metrics);
        for (auto& [name, numbers] : run.arrays)
            arrays[array_name(seed, name)] = std::move(numbers);
    }
    Files files;
    files["arrays.npz"] = arrays_npz(arrays);
    files["results.json"] = results_json(metrics);
    files["results.csv"] = results_csv(metrics);
    files["sha256.json"] = sha256_json(files);
    files["manifest.json"] = manifest_json(provenance);
    return files;
}

} // namespace glassbox
