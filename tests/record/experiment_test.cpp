// The experiment: every array that NumPy archived, the published figures, the counts; and the
// controls, which must be seen to go wrong.
#include "record/experiment.hpp"
#include "support.hpp"

using namespace glassbox;
using experiment::causal;
using experiment::part;
using experiment::sliding;
using experiment::unmasked;

namespace {

const std::vector<int> chunk_sizes{5, 3, 7, 9};
const std::vector<int> tokens = experiment::tokens();

// One seed of the experiment, and what NumPy made of it.
struct Seed {
    std::uint32_t seed;
    Decoder decoder = Decoder::from_numpy(seed);

    const Matrix& reference(const std::string& name) const {
        return golden("mechanics", "s" + std::to_string(seed) + "_" + name);
    }

    // The array `name` within 1e-12.
    void check(const std::string& name, const Matrix& actual) const {
        BOOST_TEST_CONTEXT("seed " << seed << ", " << name) {
            check_close(actual, reference(name), 1e-12);
        }
    }

    Matrix forward(const Mask& mask) const { return decoder.forward(tokens, mask).hidden; }
    Matrix edited(const Mask& mask) const {
        return decoder.forward(experiment::tokens_with_edited_future(), mask).hidden;
    }
    Matrix reset() const { return with_positions_reset(decoder, tokens, sliding).hidden; }
    Matrix cropped() const { return by_recomputing_the_window(decoder, tokens, 4).hidden; }
    Matrix chunk(const std::vector<int>& query_positions) const {
        return chunk_after_five(decoder, tokens, query_positions);
    }
};

const std::vector<Seed> seeds{{7}, {19}, {41}};

Matrix as_row(const std::vector<int>& numbers) {
    Matrix row(1, numbers.size());
    std::ranges::copy(numbers, row.values.begin());
    return row;
}

// Row by row: tokens processed, payload bytes of the cache.
Matrix cache_bytes(const Decoder& decoder, const Mask& mask) {
    KvCache cache;
    Matrix rows;
    for (const int token : tokens) {
        cache = decoder.extend({token}, cache, mask).cache;
        append_rows(rows,
                    {{static_cast<double>(cache.next_position),
                      static_cast<double>(cache.payload_bytes())}});
    }
    return rows;
}

// The published figures, as the article and its sequels print them.
struct Published {
    double unmasked_future_change, wrong_chunk_mask_error, reset_position_error,
        cropped_recompute_error;
};

const Published published[] = {
    {0.13961894822489077, 0.5898382535636, 1.6396440968706636, 0.32219499143376756},
    {0.08197973311104023, 0.7398334029674688, 1.5815179218701076, 0.41295788573722025},
    {0.3286221719585457, 0.6487032211675517, 1.4836566654305905, 0.3918651930538199}};

void check_figure(double actual, double expected) {
    BOOST_TEST(std::abs(actual - expected) <= 1e-12, actual << " was published as " << expected);
}

void check_work(const Work& work, std::size_t projected_rows, std::size_t score_elements,
                std::size_t scores_read) {
    BOOST_TEST(work.projected_rows == projected_rows);
    BOOST_TEST(work.score_elements == score_elements);
    BOOST_TEST(work.scores_read == scores_read);
}

Matrix past_of(const Matrix& route) {
    return rows_of(route, 0, experiment::first_edited);
}

} // namespace

BOOST_AUTO_TEST_SUITE(experiment_of_the_article)

// All 48 arrays, 16 a seed.

BOOST_AUTO_TEST_CASE(the_tokens_are_the_archived_ones) {
    for (const Seed& seed : seeds)
        BOOST_CHECK(same_bits(as_row(tokens), seed.reference("tokens")));
}

BOOST_AUTO_TEST_CASE(the_edit_adds_one_to_the_last_twelve_tokens) {
    const std::vector<int> edited = experiment::tokens_with_edited_future();
    BOOST_REQUIRE_EQUAL(edited.size(), 24U);
    for (std::size_t i = 0; i < 24; ++i)
        BOOST_TEST(edited[i] == tokens[i] + (i < 12 ? 0 : 1), "token " << i);
}

BOOST_AUTO_TEST_SUITE(agreement_with_numpy,
                      *label("scale_left_out") * label("sine_and_cosine_swapped") *
                          label("key_and_value_swapped") * label("tanh_forgotten") *
                          label("decoder_residual_forgotten"))

BOOST_AUTO_TEST_CASE(the_causal_passes_agree_with_numpy,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("weights_of_the_last_layer")) {
    for (const Seed& seed : seeds) {
        seed.check("full", seed.forward(causal));
        seed.check("masked", seed.edited(causal));
        seed.check("attention", seed.decoder.forward(tokens, causal).weights);
    }
}

BOOST_AUTO_TEST_CASE(the_passes_without_a_mask_agree_with_numpy) {
    for (const Seed& seed : seeds) {
        seed.check("unmasked", seed.forward(unmasked));
        seed.check("perturbed_unmasked", seed.edited(unmasked));
    }
}

BOOST_AUTO_TEST_CASE(prefixes_agree_with_numpy,
                     *label("mask_removed") * label("mask_one_too_far")) {
    for (const Seed& seed : seeds)
        seed.check("prefix", by_prefixes(seed.decoder, tokens, causal).hidden);
}

BOOST_AUTO_TEST_CASE(cached_and_chunked_passes_agree_with_numpy,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("decoder_reads_local_positions") * label("positions_restart") *
                         label("cache_not_kept")) {
    for (const Seed& seed : seeds) {
        seed.check("cached", token_by_token(seed.decoder, tokens, causal).hidden);
        seed.check("chunked", by_chunks(seed.decoder, tokens, chunk_sizes, causal).hidden);
    }
}

BOOST_AUTO_TEST_CASE(the_chunk_after_five_agrees_with_numpy_rightly_and_wrongly_numbered,
                     *label("mask_removed") * label("mask_one_too_far") * label("cache_not_kept") *
                         label("chunk_control_does_not_fire")) {
    for (const Seed& seed : seeds) {
        seed.check("good", seed.chunk({5, 6, 7}));
        seed.check("wrong", seed.chunk({0, 1, 2}));
    }
}

BOOST_AUTO_TEST_CASE(the_sliding_pass_agrees_with_numpy,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("window_one_too_wide") * label("value_of_the_wrong_key")) {
    for (const Seed& seed : seeds)
        seed.check("sliding", seed.forward(sliding));
}

BOOST_AUTO_TEST_CASE(the_sliding_cache_agrees_with_numpy,
                     *label("window_one_too_wide") * label("value_of_the_wrong_key") *
                         label("decoder_reads_local_positions") * label("positions_restart") *
                         label("newest_keys_evicted") * label("cache_not_kept")) {
    for (const Seed& seed : seeds)
        seed.check("sliding_cached", token_by_token(seed.decoder, tokens, sliding).hidden);
}

BOOST_AUTO_TEST_CASE(reset_positions_agree_with_numpy,
                     *label("window_one_too_wide") * label("value_of_the_wrong_key") *
                         label("newest_keys_evicted") * label("cache_not_kept") *
                         label("reset_control_does_not_fire")) {
    for (const Seed& seed : seeds)
        seed.check("reset", seed.reset());
}

BOOST_AUTO_TEST_CASE(the_last_four_tokens_alone_agree_with_numpy,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("first_position_forgotten") * label("cropped_one_token_too_long")) {
    for (const Seed& seed : seeds)
        seed.check("cropped", seed.cropped());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(the_payload_grows_as_archived, *label("cache_not_kept")) {
    for (const Seed& seed : seeds)
        BOOST_CHECK(same_bits(cache_bytes(seed.decoder, causal), seed.reference("cache_bytes")));
}

// The five errors that are 0: not small, but 0.
BOOST_AUTO_TEST_SUITE(exactly_zero, *label("mask_removed") * label("mask_one_too_far"))

BOOST_AUTO_TEST_CASE(causal_future_error_is_zero) {
    for (const Seed& seed : seeds)
        BOOST_TEST(same_bits(past_of(seed.edited(causal)), past_of(seed.forward(causal))),
                   "seed " << seed.seed);
}

BOOST_AUTO_TEST_CASE(prefix_error_is_zero) {
    for (const Seed& seed : seeds)
        BOOST_TEST(
            same_bits(by_prefixes(seed.decoder, tokens, causal).hidden, seed.forward(causal)),
            "seed " << seed.seed);
}

BOOST_AUTO_TEST_CASE(cache_error_is_zero,
                     *label("decoder_reads_local_positions") * label("positions_restart") *
                         label("cache_not_kept")) {
    for (const Seed& seed : seeds)
        BOOST_TEST(
            same_bits(token_by_token(seed.decoder, tokens, causal).hidden, seed.forward(causal)),
            "seed " << seed.seed);
}

BOOST_AUTO_TEST_CASE(chunk_error_is_zero,
                     *label("decoder_reads_local_positions") * label("positions_restart") *
                         label("cache_not_kept")) {
    for (const Seed& seed : seeds)
        BOOST_TEST(same_bits(by_chunks(seed.decoder, tokens, chunk_sizes, causal).hidden,
                             seed.forward(causal)),
                   "seed " << seed.seed);
}

BOOST_AUTO_TEST_CASE(sliding_error_is_zero,
                     *label("value_of_the_wrong_key") * label("decoder_reads_local_positions") *
                         label("positions_restart") * label("newest_keys_evicted") *
                         label("cache_not_kept")) {
    for (const Seed& seed : seeds)
        BOOST_TEST(
            same_bits(token_by_token(seed.decoder, tokens, sliding).hidden, seed.forward(sliding)),
            "seed " << seed.seed);
}

BOOST_AUTO_TEST_CASE(a_rightly_numbered_chunk_gives_the_bits_of_the_full_pass,
                     *label("cache_not_kept")) {
    for (const Seed& seed : seeds)
        BOOST_TEST(same_bits(seed.chunk({5, 6, 7}), rows_of(seed.forward(causal), 5, 3)),
                   "seed " << seed.seed);
}

BOOST_AUTO_TEST_SUITE_END()

// The published figures.

BOOST_AUTO_TEST_SUITE(published_figures,
                      *label("scale_left_out") * label("sine_and_cosine_swapped") *
                          label("key_and_value_swapped") * label("tanh_forgotten") *
                          label("decoder_residual_forgotten"))

BOOST_AUTO_TEST_CASE(unmasked_future_change_is_as_published) {
    for (std::size_t i = 0; i < 3; ++i)
        check_figure(max_abs_difference(past_of(seeds[i].edited(unmasked)),
                                        past_of(seeds[i].forward(unmasked))),
                     published[i].unmasked_future_change);
}

BOOST_AUTO_TEST_CASE(wrong_chunk_mask_error_is_as_published,
                     *label("mask_removed") * label("mask_one_too_far") * label("cache_not_kept") *
                         label("chunk_control_does_not_fire")) {
    for (std::size_t i = 0; i < 3; ++i)
        check_figure(max_abs_difference(seeds[i].chunk({0, 1, 2}), seeds[i].chunk({5, 6, 7})),
                     published[i].wrong_chunk_mask_error);
}

BOOST_AUTO_TEST_CASE(reset_position_error_is_as_published,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("window_one_too_wide") * label("value_of_the_wrong_key") *
                         label("newest_keys_evicted") * label("cache_not_kept") *
                         label("reset_control_does_not_fire")) {
    for (std::size_t i = 0; i < 3; ++i)
        check_figure(max_abs_difference(seeds[i].reset(), seeds[i].forward(sliding)),
                     published[i].reset_position_error);
}

BOOST_AUTO_TEST_CASE(cropped_recompute_error_is_as_published,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("window_one_too_wide") * label("value_of_the_wrong_key") *
                         label("first_position_forgotten") * label("cropped_one_token_too_long")) {
    for (std::size_t i = 0; i < 3; ++i)
        check_figure(max_abs_difference(seeds[i].cropped(), seeds[i].forward(sliding)),
                     published[i].cropped_recompute_error);
}

BOOST_AUTO_TEST_SUITE_END()

// The controls fire, and where they must: row by row.

BOOST_AUTO_TEST_CASE(every_edited_position_moves, *label("decoder_residual_forgotten")) {
    for (const Seed& seed : seeds) {
        const Matrix before = seed.forward(causal), after = seed.edited(causal);
        for (std::size_t t = 12; t < 24; ++t)
            BOOST_TEST(max_abs_difference(before.row(t), after.row(t)) > 0.1,
                       "seed " << seed.seed << " t" << t);
    }
}

BOOST_AUTO_TEST_CASE(without_a_mask_every_position_of_the_past_moves) {
    for (const Seed& seed : seeds) {
        const Matrix before = seed.forward(unmasked), after = seed.edited(unmasked);
        for (std::size_t t = 0; t < 12; ++t)
            BOOST_TEST(max_abs_difference(before.row(t), after.row(t)) > 0.01,
                       "seed " << seed.seed << " t" << t);
    }
}

BOOST_AUTO_TEST_CASE(a_chunk_numbered_from_zero_is_wrong_in_every_row,
                     *label("mask_removed") * label("cache_not_kept") *
                         label("chunk_control_does_not_fire")) {
    for (const Seed& seed : seeds) {
        const Matrix good = seed.chunk({5, 6, 7}), wrong = seed.chunk({0, 1, 2});
        for (std::size_t t = 0; t < 3; ++t)
            BOOST_TEST(max_abs_difference(good.row(t), wrong.row(t)) > 0.1,
                       "seed " << seed.seed << " row " << t);
    }
}

// Position 0 is told the truth by chance.
BOOST_AUTO_TEST_CASE(reset_positions_go_wrong_from_the_second_token_on,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("decoder_residual_forgotten") *
                         label("reset_control_does_not_fire")) {
    for (const Seed& seed : seeds) {
        const Matrix right = seed.forward(sliding), wrong = seed.reset();
        BOOST_TEST(same_bits(wrong.row(0), right.row(0)));
        for (std::size_t t = 1; t < 24; ++t)
            BOOST_TEST(max_abs_difference(wrong.row(t), right.row(t)) > 0.1,
                       "seed " << seed.seed << " t" << t);
    }
}

// As long as there are no more than four tokens, the last four are all.
BOOST_AUTO_TEST_CASE(the_last_four_tokens_alone_go_wrong_from_the_fifth_on,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("first_position_forgotten")) {
    for (const Seed& seed : seeds) {
        const Matrix right = seed.forward(sliding), wrong = seed.cropped();
        BOOST_TEST(same_bits(rows_of(wrong, 0, 4), rows_of(right, 0, 4)));
        for (std::size_t t = 4; t < 24; ++t)
            BOOST_TEST(max_abs_difference(wrong.row(t), right.row(t)) > 0.01,
                       "seed " << seed.seed << " t" << t);
    }
}

// A single layer's keys have seen nothing but their own token.
BOOST_AUTO_TEST_CASE(for_a_single_layer_the_last_four_tokens_are_enough,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("window_one_too_wide") * label("value_of_the_wrong_key") *
                         label("first_position_forgotten") * label("cropped_one_token_too_long")) {
    const Decoder one = Decoder::from_numpy(7, 32, 16, 1);
    BOOST_CHECK(same_bits(by_recomputing_the_window(one, tokens, 4).hidden,
                          one.forward(tokens, sliding).hidden));
}

BOOST_AUTO_TEST_CASE(recomputing_a_window_as_long_as_the_text_is_recomputing_prefixes) {
    const Decoder decoder = seeds[0].decoder;
    const Matrix prefixes = by_prefixes(decoder, tokens, causal).hidden;
    for (const int window : {24, Mask::no_window})
        BOOST_CHECK(same_bits(by_recomputing_the_window(decoder, tokens, window).hidden, prefixes));
}

// Work and payload.

BOOST_AUTO_TEST_CASE(the_counts_of_the_article,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("decoder_reads_local_positions") * label("cache_not_kept") *
                         label("cached_scores_not_counted")) {
    for (const Seed& seed : seeds) {
        check_work(by_prefixes(seed.decoder, tokens, causal).work, 1800, 9800, 5200);
        check_work(token_by_token(seed.decoder, tokens, causal).work, 144, 600, 600);
    }
}

BOOST_AUTO_TEST_CASE(the_counts_of_the_other_routes,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("window_one_too_wide") * label("decoder_reads_local_positions") *
                         label("first_position_forgotten") * label("one_position_too_few_evicted") *
                         label("one_position_too_many_evicted") * label("cache_not_kept") *
                         label("cached_scores_not_counted") * label("cropped_one_token_too_long")) {
    const Decoder decoder = seeds[0].decoder;
    check_work(by_chunks(decoder, tokens, chunk_sizes, causal).work, 144, 740, 600);
    check_work(token_by_token(decoder, tokens, sliding).work, 144, 220, 180);
    check_work(with_positions_reset(decoder, tokens, sliding).work, 144, 220, 180);
    check_work(by_recomputing_the_window(decoder, tokens, 4).work, 540, 700, 440);
}

BOOST_AUTO_TEST_CASE(the_bytes_of_the_article,
                     *label("decoder_reads_local_positions") *
                         label("one_position_too_few_evicted") *
                         label("one_position_too_many_evicted") * label("cache_not_kept")) {
    for (const Seed& seed : seeds) {
        const auto bytes = [&](const Route& route) { return route.cache.payload_bytes(); };
        BOOST_TEST(bytes(token_by_token(seed.decoder, tokens, causal)) == 12288U);
        BOOST_TEST(bytes(by_chunks(seed.decoder, tokens, chunk_sizes, causal)) == 12288U);
        BOOST_TEST(bytes(token_by_token(seed.decoder, tokens, sliding)) == 2048U);
        BOOST_TEST(bytes(with_positions_reset(seed.decoder, tokens, sliding)) == 2048U);
    }
}

// With a window of 4 the payload stops growing at the fourth token.
BOOST_AUTO_TEST_CASE(a_window_stops_the_growth,
                     *label("decoder_reads_local_positions") *
                         label("one_position_too_few_evicted") *
                         label("one_position_too_many_evicted") * label("cache_not_kept")) {
    const Matrix rows = cache_bytes(seeds[0].decoder, sliding);
    for (std::size_t t = 0; t < 24; ++t)
        BOOST_TEST(rows(t, 1) == 512.0 * static_cast<double>(std::min<std::size_t>(t + 1, 4)),
                   "t" << t);
}

// Parts and chunks.

BOOST_AUTO_TEST_CASE(a_part_is_the_tokens_asked_for) {
    const std::vector<int> letters{10, 11, 12, 13};
    BOOST_TEST(part(letters, 0, 4) == letters, boost::test_tools::per_element());
    BOOST_TEST(part(letters, 1, 2) == (std::vector{11, 12}), boost::test_tools::per_element());
    BOOST_TEST(part(letters, 4, 0).empty());
}

BOOST_AUTO_TEST_CASE(a_part_that_is_not_there_is_refused) {
    const std::tuple<int, int, std::string> cases[] = {
        {0, 25, "experiment: 25 tokens from 0 of 24"},
        {23, 2, "experiment: 2 tokens from 23 of 24"},
        {24, 1, "experiment: 1 tokens from 24 of 24"},
        {25, 0, "experiment: 0 tokens from 25 of 24"},
        {1, std::numeric_limits<int>::max(), "experiment: 2147483647 tokens from 1 of 24"},
        {-1, 2, "experiment: 2 tokens from -1 of 24"},
        {3, -1, "experiment: -1 tokens from 3 of 24"}};
    for (const auto& [first, count, message] : cases) {
        BOOST_CHECK_THROW(part(tokens, first, count), std::out_of_range);
        check_message([first = first, count = count] { part(tokens, first, count); }, {message});
    }
}

BOOST_AUTO_TEST_CASE(chunks_beyond_the_tokens_are_refused) {
    const Decoder decoder = seeds[0].decoder;
    const std::pair<std::vector<int>, std::string> cases[] = {
        {{25}, "experiment: 25 tokens from 0 of 24"},
        {{5, 20}, "experiment: 20 tokens from 5 of 24"},
        {{24, 1}, "experiment: 1 tokens from 24 of 24"},
        {{5, -1}, "experiment: -1 tokens from 5 of 24"},
        {{5, 0}, "Decoder: there are no tokens"}};
    for (const auto& [sizes, message] : cases)
        check_message([&, sizes = sizes] { by_chunks(decoder, tokens, sizes, causal); }, {message});
}

BOOST_AUTO_TEST_CASE(chunks_that_end_early_give_the_first_rows,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("decoder_reads_local_positions") * label("positions_restart") *
                         label("cache_not_kept")) {
    const Seed& seed = seeds[0];
    const Route eight = by_chunks(seed.decoder, tokens, {5, 3}, causal);
    BOOST_CHECK(same_bits(eight.hidden, rows_of(seed.forward(causal), 0, 8)));
    BOOST_TEST(eight.cache.next_position == 8);
}

BOOST_AUTO_TEST_CASE(a_window_of_no_tokens_cannot_be_recomputed,
                     *label("cropped_one_token_too_long")) {
    BOOST_CHECK_THROW(by_recomputing_the_window(seeds[0].decoder, tokens, 0),
                      std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
