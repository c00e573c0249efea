// The decoder: by hand, against NumPy's weights, every way through it against every other bit for
// bit, causal by intervention, and what it refuses.
#include "model/decoder.hpp"
#include "proof/intervention.hpp"
#include "record/experiment.hpp"
#include "support.hpp"

using namespace glassbox;
using experiment::causal;
using experiment::part;
using experiment::sliding;
using experiment::unmasked;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double NaN = std::numeric_limits<double>::quiet_NaN();
constexpr int largest_int = std::numeric_limits<int>::max();

std::vector<int> first_tokens(int T) {
    return part(experiment::tokens(), 0, T);
}

Mask window_of(int window) {
    return {.causal = true, .window = window};
}

std::string name_of(const Mask& mask) {
    return mask.window == Mask::no_window ? "no window" : "window " + std::to_string(mask.window);
}

// T tokens in chunks of `size`; the last chunk may be shorter.
std::vector<int> chunks_of(int size, int T) {
    std::vector<int> sizes(static_cast<std::size_t>(T / size), size);
    if (T % size != 0)
        sizes.push_back(T % size);
    return sizes;
}

// Every bit the same; names the first number that is not.
void check_same_bits(const Matrix& actual, const Matrix& expected, const std::string& what) {
    BOOST_REQUIRE_EQUAL(shape_text(actual), shape_text(expected));
    for (std::size_t r = 0; r < actual.rows; ++r)
        for (std::size_t c = 0; c < actual.cols; ++c)
            if (!same_bits(actual(r, c), expected(r, c))) {
                BOOST_ERROR(what << " (" << r << ", " << c << ") is " << actual(r, c)
                                 << ", expected the bits of " << expected(r, c));
                return;
            }
}

void check_same_cache(const KvCache& actual, const KvCache& expected) {
    BOOST_TEST(actual.next_position == expected.next_position);
    BOOST_REQUIRE_EQUAL(actual.layers.size(), expected.layers.size());
    for (std::size_t n = 0; n < actual.layers.size(); ++n) {
        BOOST_TEST(actual.layers[n].positions == expected.layers[n].positions,
                   boost::test_tools::per_element());
        check_same_bits(actual.layers[n].keys, expected.layers[n].keys, "keys");
        check_same_bits(actual.layers[n].values, expected.layers[n].values, "values");
    }
}

// The chunks give the full pass's rows and leave its cache: the last `window` positions.
void check_chunks(const Decoder& decoder, const std::vector<int>& tokens,
                  const std::vector<int>& sizes, const Mask& mask) {
    const Pass full = decoder.forward(tokens, mask);
    const Route chunked = by_chunks(decoder, tokens, sizes, mask);
    const int T = static_cast<int>(tokens.size()), kept = std::min(T, mask.window);
    const std::size_t numbers =
        2 * decoder.layers.size() * static_cast<std::size_t>(kept) * decoder.embedding.cols;
    check_same_bits(chunked.hidden, full.hidden, "hidden");
    check_same_cache(chunked.cache, full.cache);
    BOOST_TEST(chunked.cache.next_position == T);
    BOOST_TEST(chunked.cache.payload_bytes() == numbers * 8);
    for (const LayerCache& layer : chunked.cache.layers)
        BOOST_TEST(layer.positions == positions_from(T - kept, static_cast<std::size_t>(kept)),
                   boost::test_tools::per_element());
}

Model model_of(const Decoder& decoder, const Mask& mask) {
    return [&decoder, mask](const Matrix& x) { return decoder.forward_embedded(x, mask).hidden; };
}

// Whole rows from ordinary to absurd, then the row as it is with one absurd number in it.
std::vector<Matrix> replacements_for(const Matrix& x, std::size_t position) {
    std::vector<Matrix> rows;
    for (const double value : {0.5, 1e20, 1e300, infinity, -infinity, NaN})
        rows.emplace_back(1, x.cols, value);
    for (const double value : {1e300, infinity, NaN}) {
        rows.push_back(rows_of(x, position, 1));
        rows.back()(0, 5) = value;
    }
    return rows;
}

void check_causal(const Model& model, const Matrix& x) {
    for (std::size_t position = 0; position < x.rows; ++position)
        for (const Matrix& replacement : replacements_for(x, position)) {
            const Intervention experiment = intervene(model, x, position, replacement);
            const auto moved = first_move_in_the_past(experiment);
            if (moved)
                BOOST_ERROR("position " << position << " was replaced, and output t"
                                        << moved->moved_position << " moved from " << moved->before
                                        << " to " << moved->after);
            BOOST_TEST(present_moved(experiment), "output t" << position << " did not move");
        }
}

// Row t, column s: x where output t moved, by a single bit or more, when input s was replaced.
std::string measured_reach(const Decoder& decoder, const Mask& mask, int T) {
    const Model model = model_of(decoder, mask);
    const Matrix x = decoder.embed(first_tokens(T));
    std::vector<Intervention> experiments;
    for (std::size_t s = 0; s < x.rows; ++s)
        experiments.push_back(intervene(model, x, s, Matrix(1, x.cols, 0.5)));
    std::string picture = "\n";
    for (std::size_t t = 0; t < x.rows; ++t) {
        for (const auto& [position, before, after] : experiments)
            picture += same_bits(before.row(t), after.row(t)) ? '.' : 'x';
        picture += '\n';
    }
    return picture;
}

// Every layer hands on what lies at most window - 1 positions back.
std::string predicted_reach(int layers, int window, int T) {
    std::string picture = "\n";
    for (int t = 0; t < T; ++t) {
        for (int s = 0; s < T; ++s)
            picture += s <= t && t - s <= layers * std::int64_t{window - 1} ? 'x' : '.';
        picture += '\n';
    }
    return picture;
}

// Feature 0 says "I am token 0", feature 1 "I am token 1"; their values go to features 2 and 3.
// The embedding is what is wanted less the code of position 0 or 1, which the decoder adds.
Decoder decoder_by_hand() {
    const Matrix wanted{{1, 0, -3, -5}, {0, 1, -3, -5}};
    const Matrix embedding = wanted + sinusoidal_positions({0, 1}, 4) * -1.0;
    const Matrix value{{0, 0, 2, 4}, {0, 0, 6, 8}, {0, 0, 0, 0}, {0, 0, 0, 0}};
    return {embedding, {{.query = Matrix(4, 4), .key = Matrix(4, 4), .value = value}}};
}

void check_work(const Work& work, const Work& expected) {
    BOOST_TEST(work.projected_rows == expected.projected_rows);
    BOOST_TEST(work.score_elements == expected.score_elements);
    BOOST_TEST(work.scores_read == expected.scores_read);
}

} // namespace

BOOST_AUTO_TEST_SUITE(decoder)

BOOST_AUTO_TEST_CASE(the_weights_are_the_ones_that_numpy_draws) {
    for (const std::uint32_t seed : experiment::seeds) {
        const Decoder decoder = Decoder::from_numpy(seed);
        const std::string prefix = "s" + std::to_string(seed) + "_";
        const auto reference = [&](const std::string& name) {
            return golden("mechanics", prefix + name);
        };
        check_close(decoder.embedding, reference("embedding"), 1e-12);
        BOOST_REQUIRE_EQUAL(decoder.layers.size(), 2U);
        for (std::size_t n = 0; n < 2; ++n) {
            const std::string layer = "layer" + std::to_string(n) + "_";
            check_close(decoder.layers[n].query, reference(layer + "wq"), 1e-12);
            check_close(decoder.layers[n].key, reference(layer + "wk"), 1e-12);
            check_close(decoder.layers[n].value, reference(layer + "wv"), 1e-12);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_decoder_of_another_size_has_other_shapes) {
    const Decoder decoder = Decoder::from_numpy(7, 5, 6, 3);
    BOOST_TEST(shape_text(decoder.embedding) == "5x6");
    BOOST_REQUIRE_EQUAL(decoder.layers.size(), 3U);
    for (const auto& [query, key, value] : decoder.layers)
        BOOST_TEST(shape_text(query) + shape_text(key) + shape_text(value) == "6x66x66x6");
    const Pass pass = decoder.forward({4, 0}, causal);
    BOOST_TEST(shape_text(pass.hidden) == "2x6");
    BOOST_TEST(shape_text(pass.weights) == "2x2");
    BOOST_TEST(pass.cache.layers.size() == 3U);
}

BOOST_AUTO_TEST_CASE(an_embedded_token_is_its_row_of_the_embedding) {
    const Decoder decoder{{{1, 2}, {3, 4}, {5, 6}}, {}};
    BOOST_CHECK(same_bits(decoder.embed({2, 0, 2}), {{5, 6}, {1, 2}, {5, 6}}));
}

BOOST_AUTO_TEST_SUITE(by_hand,
                      *label("key_and_value_swapped") * label("tanh_forgotten") *
                          label("decoder_residual_forgotten"))

// Values [2,4] and [6,8] under equal scores: the first token reads [2,4], the second [4,6].
BOOST_AUTO_TEST_CASE(two_tokens_by_hand, *label("mask_removed") * label("mask_one_too_far")) {
    const Pass pass = decoder_by_hand().forward({0, 1}, causal);
    const double one = std::tanh(1.0);
    BOOST_CHECK(same_bits(pass.weights, {{1, 0}, {0.5, 0.5}}));
    check_close(pass.cache.layers[0].values, {{0, 0, 2, 4}, {0, 0, 6, 8}}, 1e-15);
    check_close(pass.hidden, {{one, 0, -one, -one}, {0, one, one, one}}, 1e-15);
}

BOOST_AUTO_TEST_CASE(two_tokens_without_a_mask_by_hand) {
    const Pass pass = decoder_by_hand().forward({0, 1}, unmasked);
    const double one = std::tanh(1.0);
    BOOST_CHECK(same_bits(pass.weights, {{0.5, 0.5}, {0.5, 0.5}}));
    check_close(pass.hidden, {{one, 0, one, one}, {0, one, one, one}}, 1e-15);
}

BOOST_AUTO_TEST_CASE(two_tokens_one_after_the_other_by_hand,
                     *label("decoder_reads_local_positions") * label("positions_restart") *
                         label("cache_not_kept")) {
    const Decoder decoder = decoder_by_hand();
    const Pass first = decoder.extend({0}, KvCache{}, causal);
    const Pass second = decoder.extend({1}, first.cache, causal);
    const double one = std::tanh(1.0);
    BOOST_CHECK(same_bits(first.weights, Matrix{{1}}));
    BOOST_CHECK(same_bits(second.weights, {{0.5, 0.5}}));
    check_close(first.hidden, {{one, 0, -one, -one}}, 1e-15);
    check_close(second.hidden, {{0, one, one, one}}, 1e-15);
}

// Every query and key is 40000 in all four features: both scores are 3.2e9, and exp(3.2e9) is no
// number.
BOOST_AUTO_TEST_CASE(a_decoder_with_large_scores_stays_finite, *label("maximum_not_subtracted")) {
    const Matrix embedding = Matrix(2, 4, 1.0) + sinusoidal_positions({0, 1}, 4) * -1.0;
    const Matrix huge(4, 4, 10000.0);
    const Decoder decoder{embedding, {{.query = huge, .key = huge, .value = Matrix(4, 4, 0.25)}}};
    const Pass pass = decoder.forward({0, 1}, unmasked);
    check_close(pass.cache.layers[0].keys, Matrix(2, 4, 40000.0), 1e-15);
    BOOST_CHECK(same_bits(pass.weights, {{0.5, 0.5}, {0.5, 0.5}}));
    check_close(pass.hidden, Matrix(2, 4, std::tanh(2.0)), 1e-15);
}

BOOST_AUTO_TEST_SUITE_END()

// One way through the decoder, whatever the pieces: the same bits.
BOOST_AUTO_TEST_SUITE(one_way,
                      *label("mask_removed") * label("mask_one_too_far") *
                          label("value_of_the_wrong_key") * label("decoder_reads_local_positions") *
                          label("positions_restart") * label("one_position_too_few_evicted") *
                          label("one_position_too_many_evicted") * label("newest_keys_evicted") *
                          label("cache_not_kept"))

BOOST_AUTO_TEST_CASE(chunks_of_three_give_the_bits_of_the_full_pass) {
    for (const std::uint32_t seed : {3U, 7U, 19U})
        for (const int T : {1, 2, 8, 17})
            for (const int window : {Mask::no_window, 1, 4})
                BOOST_TEST_CONTEXT("seed " << seed << ", " << T << " tokens, window " << window) {
                    check_chunks(Decoder::from_numpy(seed), first_tokens(T), chunks_of(3, T),
                                 window_of(window));
                }
}

BOOST_AUTO_TEST_CASE(chunks_longer_than_the_window_give_the_bits_of_the_full_pass) {
    const Decoder decoder = Decoder::from_numpy(7);
    const std::vector<int> cases[] = {{24},       {9, 15},      {4, 20}, {3, 21},
                                      {9, 1, 14}, {5, 6, 6, 7}, {23, 1}};
    for (const std::vector<int>& sizes : cases)
        BOOST_TEST_CONTEXT("first chunk " << sizes[0]) {
            check_chunks(decoder, experiment::tokens(), sizes, sliding);
        }
}

BOOST_AUTO_TEST_CASE(chunks_of_every_size_give_the_bits_of_the_full_pass) {
    const Decoder decoder = Decoder::from_numpy(19);
    for (int size = 1; size <= experiment::length; ++size)
        for (const Mask& mask : {causal, sliding})
            BOOST_TEST_CONTEXT("chunks of " << size << ", " << name_of(mask)) {
                check_chunks(decoder, experiment::tokens(), chunks_of(size, experiment::length),
                             mask);
            }
}

// Optimised builds can afford more. The dice are the same everywhere: mt19937 is fixed by the
// standard, the distributions of the standard library are not.
BOOST_AUTO_TEST_CASE(random_chunks_give_the_bits_of_the_full_pass) {
#ifdef __OPTIMIZE__
    constexpr int cases = 10000;
#else
    constexpr int cases = 400;
#endif
    std::mt19937 engine(2024);
    const auto roll = [&](int low, int high) {
        return low + static_cast<int>(engine() % static_cast<unsigned>(high - low + 1));
    };
    for (int n = 0; n < cases; ++n) {
        const auto seed = static_cast<std::uint32_t>(engine());
        const auto layers = static_cast<std::size_t>(roll(1, 3));
        const Decoder decoder = Decoder::from_numpy(seed, 8, 4, layers);
        const int T = roll(1, 10), window = roll(0, 6);
        std::vector<int> tokens, sizes;
        for (int t = 0; t < T; ++t)
            tokens.push_back(roll(0, 7));
        for (int left = T; left > 0; left -= sizes.back())
            sizes.push_back(roll(1, left));
        BOOST_TEST_CONTEXT("case " << n << ": seed " << seed << ", " << T << " tokens, window "
                                   << window << " (0: none)") {
            check_chunks(decoder, tokens, sizes, window_of(window == 0 ? Mask::no_window : window));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_pass_that_starts_later_can_be_continued,
                     *label("first_position_forgotten")) {
    const Decoder decoder = Decoder::from_numpy(7);
    const Pass all = decoder.forward(first_tokens(9), sliding, 100);
    const Pass begun = decoder.forward(first_tokens(6), sliding, 100);
    const Pass rest = decoder.extend(part(experiment::tokens(), 6, 3), begun.cache, sliding);
    BOOST_TEST(begun.cache.next_position == 106);
    BOOST_TEST(begun.cache.layers[1].positions == positions_from(102, 4),
               boost::test_tools::per_element());
    check_same_bits(rest.hidden, rows_of(all.hidden, 6, 3), "hidden");
    check_same_cache(rest.cache, all.cache);
}

BOOST_AUTO_TEST_SUITE_END()

// Slot i of the cache stands for a position; its weight is the full pass's weight for that
// position.
BOOST_AUTO_TEST_CASE(a_chunks_weights_are_those_of_the_full_pass_at_the_same_positions,
                     *label("decoder_reads_local_positions") * label("positions_restart") *
                         label("newest_keys_evicted") * label("cache_not_kept")) {
    const Decoder decoder = Decoder::from_numpy(7);
    for (const Mask& mask : {causal, sliding}) {
        const Matrix full = decoder.forward(first_tokens(9), mask).weights;
        const Pass six = decoder.extend(first_tokens(6), KvCache{}, mask);
        const Pass chunk = decoder.extend(part(experiment::tokens(), 6, 3), six.cache, mask);
        std::vector<int> positions = six.cache.layers[0].positions;
        positions.insert(positions.end(), {6, 7, 8});
        BOOST_REQUIRE_EQUAL(shape_text(chunk.weights), shape_text(3, positions.size()));
        for (std::size_t t = 0; t < 3; ++t)
            for (std::size_t slot = 0; slot < positions.size(); ++slot)
                BOOST_TEST(same_bits(chunk.weights(t, slot),
                                     full(6 + t, static_cast<std::size_t>(positions[slot]))),
                           name_of(mask) << ", t" << 6 + t << ", slot " << slot);
    }
}

BOOST_AUTO_TEST_CASE(the_same_tokens_elsewhere_give_other_numbers,
                     *label("first_position_forgotten")) {
    const Decoder decoder = Decoder::from_numpy(7);
    const Matrix here = decoder.forward(first_tokens(4), causal).hidden;
    const Matrix there = decoder.forward(first_tokens(4), causal, 3).hidden;
    for (std::size_t t = 0; t < 4; ++t)
        BOOST_TEST(max_abs_difference(here.row(t), there.row(t)) > 0.1, "t" << t);
}

// A cache is a value.

BOOST_AUTO_TEST_CASE(extending_never_touches_the_callers_copy,
                     *label("decoder_reads_local_positions")) {
    const Decoder decoder = Decoder::from_numpy(7);
    for (const Mask& mask : {causal, sliding}) {
        const KvCache cache = decoder.forward(first_tokens(9), mask).cache;
        KvCache before;
        for (const LayerCache& layer : cache.layers)
            before.layers.push_back({rows_of(layer.keys, 0, layer.keys.rows),
                                     rows_of(layer.values, 0, layer.values.rows), layer.positions});
        before.next_position = 9;
        for (const std::vector<int>& more : {std::vector{1}, {1, 2, 3}, {1, 2, 3, 4, 5, 6}}) {
            const Pass pass = decoder.extend(more, cache, mask);
            BOOST_TEST(pass.cache.next_position == 9 + static_cast<int>(more.size()));
            check_same_cache(cache, before);
        }
    }
}

BOOST_AUTO_TEST_CASE(embedded_rows_extend_a_cache_as_their_tokens_do,
                     *label("decoder_reads_local_positions")) {
    const Decoder decoder = Decoder::from_numpy(7);
    for (const Mask& mask : {causal, sliding}) {
        const KvCache cache = decoder.forward(first_tokens(9), mask).cache;
        const Pass tokens = decoder.extend({1, 2, 3}, cache, mask);
        const Pass rows = decoder.extend_embedded(decoder.embed({1, 2, 3}), cache, mask);
        BOOST_CHECK(same_bits(rows.hidden, tokens.hidden));
        BOOST_CHECK(same_bits(rows.weights, tokens.weights));
        check_same_cache(rows.cache, tokens.cache);
        check_message([&] { decoder.extend_embedded(Matrix(2, 5), cache, mask); },
                      {"extend_embedded: x is 2x5, wanted 2x16"});
    }
}

BOOST_AUTO_TEST_CASE(a_copied_cache_is_an_independent_branch,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("value_of_the_wrong_key") * label("decoder_reads_local_positions") *
                         label("positions_restart") * label("newest_keys_evicted") *
                         label("cache_not_kept")) {
    const Decoder decoder = Decoder::from_numpy(7);
    for (const Mask& mask : {causal, sliding}) {
        const std::vector<int> tokens = experiment::tokens(), other{1, 2, 3, 4};
        KvCache trunk = decoder.extend(first_tokens(12), KvCache{}, mask).cache, branch = trunk;
        std::vector<int> branched = first_tokens(12);
        for (std::size_t i = 0; i < other.size(); ++i) { // the two grow in turns
            trunk = decoder.extend({tokens[12 + i]}, trunk, mask).cache;
            branch = decoder.extend({other[i]}, branch, mask).cache;
            branched.push_back(other[i]);
        }
        check_same_cache(trunk, decoder.forward(first_tokens(16), mask).cache);
        check_same_cache(branch, decoder.forward(branched, mask).cache);
        BOOST_CHECK(!same_bits(trunk.layers[0].keys, branch.layers[0].keys));
    }
}

// Causality, by intervention.

BOOST_AUTO_TEST_CASE(rewriting_the_future_leaves_the_decoders_past_alone,
                     *label("mask_removed") * label("mask_one_too_far")) {
    const Decoder decoder = Decoder::from_numpy(7);
    for (const int T : {1, 2, 9})
        for (const Mask& mask : {causal, sliding, window_of(1)})
            BOOST_TEST_CONTEXT(T << " tokens, " << name_of(mask)) {
                check_causal(model_of(decoder, mask), decoder.embed(first_tokens(T)));
            }
}

BOOST_AUTO_TEST_CASE(a_decoder_without_its_mask_is_caught,
                     *label("proof_forgets_the_position_before")) {
    const Decoder decoder = Decoder::from_numpy(7);
    const Matrix x = decoder.embed(first_tokens(9));
    for (std::size_t position = 1; position < x.rows; ++position)
        BOOST_TEST(first_move_in_the_past(
                       intervene(model_of(decoder, unmasked), x, position, Matrix(1, 16, 0.5)))
                       .has_value(),
                   "position " << position);
}

// Two layers with a window of 4 reach 6 back: even a NaN is gone 7 positions later.
BOOST_AUTO_TEST_CASE(what_lies_beyond_the_reach_of_the_windows_may_be_anything,
                     *label("window_one_too_wide") * label("value_of_the_wrong_key")) {
    const Decoder decoder = Decoder::from_numpy(7);
    const Matrix x = decoder.embed(first_tokens(12));
    for (std::size_t s = 0; s < x.rows; ++s)
        for (const Matrix& replacement : replacements_for(x, s)) {
            const auto [position, before, after] =
                intervene(model_of(decoder, sliding), x, s, replacement);
            for (std::size_t t = s + 7; t < x.rows; ++t)
                BOOST_TEST(same_bits(before.row(t), after.row(t)),
                           "t" << t << " moved, s" << s << " was replaced by "
                               << replacement(0, 5));
            if (s + 6 < x.rows)
                BOOST_TEST(!same_bits(before.row(s + 6), after.row(s + 6)));
        }
}

BOOST_AUTO_TEST_CASE(layers_reach_as_far_as_predicted,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("window_one_too_wide") * label("value_of_the_wrong_key")) {
    for (const int layers : {1, 2, 3})
        for (const int window : {1, 2, 4, Mask::no_window}) {
            const Decoder decoder =
                Decoder::from_numpy(7, 32, 16, static_cast<std::size_t>(layers));
            BOOST_TEST(measured_reach(decoder, window_of(window), 12) ==
                           predicted_reach(layers, window, 12),
                       layers << " layers, window " << window << ":"
                              << measured_reach(decoder, window_of(window), 12));
        }
}

BOOST_AUTO_TEST_CASE(two_layers_with_a_window_of_two_reach_two_back,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("window_one_too_wide") * label("value_of_the_wrong_key")) {
    BOOST_TEST(measured_reach(Decoder::from_numpy(7), window_of(2), 5) ==
               "\n"
               "x....\n"
               "xx...\n"
               "xxx..\n"
               ".xxx.\n"
               "..xxx\n");
}

BOOST_AUTO_TEST_CASE(without_a_mask_everything_reaches_everything) {
    BOOST_TEST(measured_reach(Decoder::from_numpy(7), unmasked, 3) ==
               "\n"
               "xxx\n"
               "xxx\n"
               "xxx\n");
}

// Work, counted. A full pass: 3 L T rows, L T^2 elements, and of each row t the window is read.

BOOST_AUTO_TEST_CASE(the_work_of_a_full_pass,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("window_one_too_wide")) {
    const Decoder two = Decoder::from_numpy(7), three = Decoder::from_numpy(7, 32, 16, 3);
    check_work(two.forward(first_tokens(1), causal).work, {6, 2, 2});
    check_work(two.forward(first_tokens(8), causal).work, {48, 128, 2 * 36});
    check_work(two.forward(first_tokens(8), unmasked).work, {48, 128, 128});
    check_work(two.forward(first_tokens(8), sliding).work, {48, 128, 2 * (1 + 2 + 3 + 5 * 4)});
    check_work(two.forward(first_tokens(8), window_of(1)).work, {48, 128, 16});
    check_work(three.forward(first_tokens(8), causal).work, {72, 192, 3 * 36});
}

// A chunk of c tokens after n others: 3 L c rows, L c (min(n, w) + c) elements; what is read does
// not depend on the chunks.
BOOST_AUTO_TEST_CASE(the_work_of_chunks,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("window_one_too_wide") * label("decoder_reads_local_positions") *
                         label("one_position_too_few_evicted") *
                         label("one_position_too_many_evicted") * label("cache_not_kept") *
                         label("cached_scores_not_counted")) {
    const Decoder decoder = Decoder::from_numpy(7);
    for (const int window : {1, 2, 4, 7, Mask::no_window})
        for (const std::vector<int>& sizes : std::vector<std::vector<int>>{
                 {24}, std::vector<int>(24, 1), {5, 3, 7, 9}, {1, 22, 1}}) {
            int n = 0;
            Work expected{2 * 3 * 24, 0, 0};
            for (const int c : sizes) {
                expected.score_elements +=
                    static_cast<std::size_t>(2 * c * (std::min(n, window) + c));
                for (const int last = n + c; n < last; ++n)
                    expected.scores_read += static_cast<std::size_t>(2 * std::min(n + 1, window));
            }
            BOOST_TEST_CONTEXT("window " << window << ", first chunk " << sizes[0]) {
                check_work(by_chunks(decoder, experiment::tokens(), sizes, window_of(window)).work,
                           expected);
            }
        }
}

BOOST_AUTO_TEST_CASE(the_payload_of_an_empty_cache_is_nothing) {
    BOOST_TEST(KvCache{}.payload_bytes() == 0U);
}

// The cache with a single head: from PyTorch's arrays, and from the stream drawn here.

Matrix token_by_token_with_one_head(const Matrix& wq, const Matrix& wk, const Matrix& wv,
                                    const Matrix& stream) {
    LayerCache cache;
    Matrix output;
    for (std::size_t t = 0; t < stream.rows; ++t) {
        const Matrix token = rows_of(stream, t, 1);
        append_rows(cache.keys, matmul(token, wk));
        append_rows(cache.values, matmul(token, wv));
        cache.positions.push_back(static_cast<int>(t));
        append_rows(output,
                    attend(matmul(token, wq), cache.keys, cache.values, {static_cast<int>(t)},
                           cache.positions, causal)
                        .output);
    }
    return output;
}

BOOST_AUTO_TEST_CASE(a_single_head_with_a_cache_agrees_with_pytorch,
                     *label("mask_removed") * label("mask_one_too_far") * label("scale_left_out")) {
    const auto reference = [](const std::string& name) { return golden("labs", "cache_" + name); };
    const Matrix wq = reference("wq"), wk = reference("wk"), wv = reference("wv"),
                 stream = reference("stream");
    const std::vector<int> positions = positions_from(0, 6);
    const Matrix full = attend(matmul(stream, wq), matmul(stream, wk), matmul(stream, wv),
                               positions, positions, causal)
                            .output;
    const Matrix cached = token_by_token_with_one_head(wq, wk, wv, stream);
    check_close(cached, reference("out"), 1e-12);
    check_same_bits(cached, full, "output");
}

BOOST_AUTO_TEST_CASE(a_single_head_drawn_from_seed_13_agrees_with_pytorch,
                     *label("scale_left_out")) {
    PytorchRandom random(13);
    const Matrix wq = random.randn(8, 8), wk = random.randn(8, 8), wv = random.randn(8, 8),
                 stream = random.randn(6, 8);
    check_close(wv, golden("labs", "cache_wv"), 2e-5);
    check_close(token_by_token_with_one_head(wq, wk, wv, stream), golden("labs", "cache_out"),
                2e-5);
}

// What is refused.

BOOST_AUTO_TEST_CASE(refused_tokens, *label("one_token_id_too_many")) {
    const Decoder decoder = Decoder::from_numpy(7);
    const KvCache cache = decoder.forward({1, 2}, causal).cache;
    const std::pair<std::vector<int>, std::string> cases[] = {
        {{}, "Decoder: there are no tokens; wanted at least one"},
        {{32}, "Decoder: token 0 has the id 32; the vocabulary has ids 0 to 31"},
        {{0, 31, -1}, "Decoder: token 2 has the id -1; the vocabulary has ids 0 to 31"},
        {{3, largest_int}, "Decoder: token 1 has the id 2147483647"},
        {{std::numeric_limits<int>::min()}, "Decoder: token 0 has the id -2147483648"}};
    for (const auto& [ids, message] : cases) {
        const std::vector<int>& tokens = ids;
        BOOST_CHECK_THROW(decoder.forward(tokens, causal), std::invalid_argument);
        check_message([&] { decoder.forward(tokens, causal); }, {message});
        check_message([&] { decoder.extend(tokens, KvCache{}, causal); }, {message});
        check_message([&] { decoder.extend(tokens, cache, causal); }, {message});
        check_message([&] { decoder.embed(tokens); }, {message});
    }
    BOOST_CHECK_NO_THROW(decoder.extend({0, 31}, cache, causal));
}

BOOST_AUTO_TEST_CASE(refused_windows) {
    const Decoder decoder = Decoder::from_numpy(7);
    const KvCache cache = decoder.forward({1, 2}, causal).cache;
    for (const int window : {0, -1, std::numeric_limits<int>::min()}) {
        const std::string message = "Mask: the window is " + std::to_string(window);
        check_message([&] { decoder.forward({1, 2}, window_of(window)); }, {message});
        check_message([&] { decoder.extend({1, 2}, KvCache{}, window_of(window)); }, {message});
        check_message([&] { decoder.extend({3}, cache, window_of(window)); }, {message});
    }
    BOOST_CHECK_NO_THROW(decoder.extend({3}, cache, window_of(1)));
}

BOOST_AUTO_TEST_CASE(refused_first_positions) {
    const Decoder decoder = Decoder::from_numpy(7);
    for (const int first : {-1, std::numeric_limits<int>::min(), largest_int - 1, largest_int}) {
        const std::string message = "Decoder: 2 tokens from position " + std::to_string(first) +
            "; positions go from 0 to 2147483646";
        BOOST_CHECK_THROW(decoder.forward({1, 2}, causal, first), std::invalid_argument);
        check_message([&] { decoder.forward({1, 2}, causal, first); }, {message});
        check_message([&] { decoder.forward_embedded(Matrix(2, 16), causal, first); }, {message});
    }
}

BOOST_AUTO_TEST_CASE(the_last_position_can_be_reached_and_not_passed,
                     *label("first_position_forgotten") * label("one_position_too_few_evicted") *
                         label("one_position_too_many_evicted")) {
    const Decoder decoder = Decoder::from_numpy(7);
    const KvCache last = decoder.forward({1, 2}, window_of(1), largest_int - 2).cache;
    BOOST_TEST(last.next_position == largest_int);
    BOOST_TEST(last.layers[1].positions == std::vector{largest_int - 1},
               boost::test_tools::per_element());
    check_message([&] { decoder.extend({3}, last, window_of(1)); },
                  {"Decoder: 1 tokens from position 2147483647; positions go from 0 to"});
}

BOOST_AUTO_TEST_CASE(refused_embeddings) {
    const Decoder decoder = Decoder::from_numpy(7);
    check_message([&] { decoder.forward_embedded(Matrix(3, 8), causal); },
                  {"forward_embedded: x is 3x8, wanted 3x16"});
    check_message([&] { decoder.forward_embedded(Matrix(0, 16), causal); }, {"0x16", "empty"});
}

BOOST_AUTO_TEST_CASE(a_cache_of_another_model_is_refused) {
    const Decoder decoder = Decoder::from_numpy(7);
    const auto refused = [&](const KvCache& cache, const std::string& message) {
        BOOST_CHECK_THROW(decoder.extend({1}, cache, causal), std::invalid_argument);
        check_message([&] { decoder.extend({1}, cache, causal); }, {message});
    };
    const auto cache_of = [](std::size_t width, std::size_t layers) {
        return Decoder::from_numpy(7, 32, width, layers).forward({1, 2, 3}, causal).cache;
    };
    refused(cache_of(8, 2), "extend: the cache's keys is 3x8, wanted 3x16");
    refused(cache_of(16, 1), "extend: the cache has 1 layers, the decoder has 2");
    refused(cache_of(16, 3), "extend: the cache has 3 layers, the decoder has 2");
    refused(KvCache{{}, 3}, "extend: the cache has 0 layers, the decoder has 2");
    KvCache values = cache_of(16, 2);
    values.layers[1].values = Matrix(3, 8);
    refused(values, "extend: the cache's values is 3x8, wanted 3x16");
    BOOST_CHECK_NO_THROW(decoder.extend({1}, cache_of(16, 2), causal));
    check_message([&] { decoder.extend_at({1}, cache_of(16, 3), causal, {3}, {3}); },
                  {"extend: the cache has 3 layers, the decoder has 2"});
}

BOOST_AUTO_TEST_CASE(positions_that_do_not_lead_up_to_the_next_one_are_refused,
                     *label("cached_positions_not_compared")) {
    const Decoder decoder = Decoder::from_numpy(7);
    const KvCache good = decoder.forward({1, 2, 3}, causal).cache;
    const std::tuple<std::vector<int>, int, std::string> cases[] = {
        {{0, 1, 2}, 4, "do not lead up to position 4, where the new tokens stand"},
        {{0, 1, 2}, 2, "do not lead up to position 2,"}, // starts at -1
        {{0, 1, 2}, 0, "do not lead up to position 0,"},
        {{0, 1, 2}, -1, "do not lead up to position -1,"},
        {{0, 1, 2}, std::numeric_limits<int>::min(), "do not lead up to position -2147483648,"},
        {{0, 1, 3}, 3, "do not lead up to position 3,"},
        {{0, 2, 1}, 3, "do not lead up to position 3,"},
        {{1, 2, 3}, 3, "do not lead up to position 3,"},
        {{0, 1}, 3, "extend: the cache's keys is 3x16, wanted 2x16"},
        {{0, 1, 2, 3}, 4, "extend: the cache's keys is 3x16, wanted 4x16"}};
    for (const auto& [positions, next_position, message] : cases)
        for (const std::size_t layer : {0U, 1U}) {
            KvCache bad = good;
            bad.layers[layer].positions = positions;
            bad.next_position = next_position;
            BOOST_CHECK_THROW(decoder.extend({1}, bad, causal), std::invalid_argument);
            if (layer == 0 || next_position == 3)
                check_message([&] { decoder.extend({1}, bad, causal); }, {message});
        }
}

// Eight tokens under a window of 4 leave the positions 4 to 7; the next query stands at 8.
BOOST_AUTO_TEST_CASE(a_cache_that_dropped_keys_which_the_mask_wants_is_refused,
                     *label("decoder_reads_local_positions") *
                         label("one_position_too_few_evicted") *
                         label("one_position_too_many_evicted") *
                         label("dropped_keys_not_noticed")) {
    const Decoder decoder = Decoder::from_numpy(7);
    const KvCache four = decoder.forward(first_tokens(8), sliding).cache;
    for (const int window : {6, 8, 9, Mask::no_window}) {
        BOOST_CHECK_THROW(decoder.extend({1}, four, window_of(window)), std::invalid_argument);
        check_message([&] { decoder.extend({1}, four, window_of(window)); },
                      {"extend: the cache holds only the last 4 of 8 positions", "filled with"});
    }
    for (const int window : {1, 3, 4, 5})
        BOOST_CHECK_NO_THROW(decoder.extend({1}, four, window_of(window)));
    KvCache two_left = four; // in the second layer
    evict_to(two_left.layers[1], 2);
    check_message([&] { decoder.extend({1}, two_left, sliding); },
                  {"extend: the cache holds only the last 2 of 8 positions"});
    const KvCache nothing_dropped = decoder.forward(first_tokens(4), sliding).cache;
    BOOST_CHECK_NO_THROW(decoder.extend({1}, nothing_dropped, causal));
}

BOOST_AUTO_TEST_CASE(a_query_of_the_decoder_that_may_read_nothing_is_refused,
                     *label("mask_removed") * label("one_position_too_few_evicted") *
                         label("one_position_too_many_evicted") * label("cache_not_kept")) {
    const Decoder decoder = Decoder::from_numpy(7);
    const KvCache four = decoder.forward(first_tokens(8), sliding).cache;
    check_message([&] { decoder.extend_at({1}, four, sliding, {8}, {50}); }, // all too old
                  {"attend: the query at position 50 may read none of the 5 keys"});
    check_message([&] { decoder.extend_at({1}, four, sliding, {8}, {2}); }, // all in the future
                  {"attend: the query at position 2 may read none of the 5 keys"});
    BOOST_CHECK_THROW(decoder.extend_at({1}, four, sliding, {8}, {2}), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(another_number_of_positions_than_tokens_is_refused) {
    const Decoder decoder = Decoder::from_numpy(7);
    const KvCache cache = decoder.forward({1, 2}, causal).cache;
    check_message(
        [&] {
            decoder.extend_at({3, 4, 5}, cache, causal, {2, 3}, {2, 3, 4});
        },
        {"2x16, wanted 3x16"});
    check_message(
        [&] {
            decoder.extend_at({3, 4, 5}, cache, causal, {2, 3, 4}, {2, 3, 4, 5});
        },
        {"attend_heads: q (one row per query position) is 3x16, wanted 4x16"});
    BOOST_CHECK_THROW(decoder.extend_at({3, 4, 5}, cache, causal, {}, {2, 3, 4}),
                      std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(a_failed_extend_leaves_the_callers_cache_as_it_was,
                     *label("dropped_keys_not_noticed") * label("one_token_id_too_many")) {
    const Decoder decoder = Decoder::from_numpy(7);
    KvCache cache = decoder.forward(first_tokens(8), sliding).cache;
    const KvCache before = decoder.forward(first_tokens(8), sliding).cache;
    const auto unchanged_after = [&](const std::string& what, const auto& failing_pass) {
        BOOST_TEST_CONTEXT(what) {
            BOOST_CHECK_THROW(cache = failing_pass().cache, std::invalid_argument);
            check_same_cache(cache, before);
        }
    };
    const auto extend = [&](const std::vector<int>& tokens, const Mask& mask) {
        return [&, tokens, mask] { return decoder.extend(tokens, cache, mask); };
    };
    const auto extend_at = [&](const std::vector<int>& query_positions) {
        return [&, query_positions] {
            return decoder.extend_at({1, 2}, cache, sliding, {8, 9}, query_positions);
        };
    };
    unchanged_after("no tokens", extend({}, sliding));
    unchanged_after("a wrong id at the end", extend({1, 2, 32}, sliding));
    unchanged_after("a window of 0", extend({1}, window_of(0)));
    unchanged_after("dropped keys", extend({1}, causal));
    unchanged_after("a query without a key at the end", extend_at({8, 90}));
    unchanged_after("a query without a position", extend_at({8}));
}

BOOST_AUTO_TEST_SUITE_END()
