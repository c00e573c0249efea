// The attention layer and the block with everything optional: against PyTorch, and every way
// through them against every other, bit for bit.
#include "model/block.hpp"
#include "model/causal_attention.hpp"
#include "numbers/random.hpp"
#include "proof/intervention.hpp"
#include "support.hpp"

#include <limits>
#include <random>

using namespace glassbox;

namespace {

constexpr double NaN = std::numeric_limits<double>::quiet_NaN();

// PyTorch's block with four heads: `heads` has four groups, `groups` two.
Block golden_block(const std::string& name) {
    const auto array = [&](const std::string& part) { return golden("backward", name + part); };
    const auto linear = [&](const std::string& part) -> Linear {
        return {array(part + "_weight"), array(part + "_bias")};
    };
    return {.ln1 = {array("_ln1_weight"), array("_ln1_bias")},
            .attention = {.query = linear("_attn_q"),
                          .key = linear("_attn_k"),
                          .value = linear("_attn_v"),
                          .heads = {.count = 4, .groups = name == "heads" ? 4U : 2U},
                          .project = linear("_attn_proj")},
            .ln2 = {array("_ln2_weight"), array("_ln2_bias")},
            .mlp = {.expand = linear("_mlp_fc"), .project = linear("_mlp_proj")}};
}

Linear random_linear(NumpyRandom& random, std::size_t in, std::size_t out, bool bias) {
    const Matrix weight = random.normal(0, 0.7, out, in);
    return {weight, bias ? random.normal(0, 0.7, 1, out) : Matrix()};
}

struct Shape {
    std::size_t D; // C = D times heads
    Heads heads;
    int window;
    bool bias, project;
};

Block random_block(NumpyRandom& random, const Shape& shape) {
    const std::size_t C = shape.D * shape.heads.count, GD = shape.D * shape.heads.groups;
    const auto norm = [&]() -> LayerNorm {
        return {random.normal(1, 0.3, 1, C), random.normal(0, 0.3, 1, C)};
    };
    return {.ln1 = norm(),
            .attention = {.query = random_linear(random, C, C, shape.bias),
                          .key = random_linear(random, C, GD, shape.bias),
                          .value = random_linear(random, C, GD, shape.bias),
                          .mask = {.causal = true, .window = shape.window},
                          .heads = shape.heads,
                          .project =
                              shape.project ? random_linear(random, C, C, shape.bias) : Linear{}},
            .ln2 = norm(),
            .mlp = {.expand = random_linear(random, C, 2 * C, true),
                    .project = random_linear(random, 2 * C, C, true)}};
}

// Slot i of the cache stands for a position; its weight is the full pass's for that position.
bool same_weights(const Matrix& chunk, const std::vector<int>& slots, const Matrix& full,
                  std::size_t first) {
    bool same = chunk.cols == slots.size();
    for (std::size_t t = 0; t < chunk.rows && same; ++t)
        for (std::size_t slot = 0; slot < slots.size(); ++slot)
            same = same &&
                same_bits(chunk(t, slot), full(first + t, static_cast<std::size_t>(slots[slot])));
    return same;
}

// Every station of the rows from `first` on, and where they read.
bool same_stations(const BlockStations& chunk, const std::vector<int>& slots,
                   const BlockStations& full, std::size_t first) {
    const auto same = [&](const Matrix& part, const Matrix& whole) {
        return same_bits(part, rows_of(whole, first, part.rows));
    };
    bool weights = chunk.attention.weights.size() == full.attention.weights.size();
    for (std::size_t h = 0; h < full.attention.weights.size() && weights; ++h)
        weights = same_weights(chunk.attention.weights[h], slots, full.attention.weights[h], first);
    return weights && same(chunk.ln1, full.ln1) &&
        same(chunk.attention.queries, full.attention.queries) &&
        same(chunk.attention.keys, full.attention.keys) &&
        same(chunk.attention.values, full.attention.values) &&
        same(chunk.attention.mixed, full.attention.mixed) &&
        same(chunk.attention.output, full.attention.output) &&
        same(chunk.after_attention, full.after_attention) && same(chunk.ln2, full.ln2) &&
        same(chunk.mlp.hidden, full.mlp.hidden) && same(chunk.mlp.activated, full.mlp.activated) &&
        same(chunk.mlp.output, full.mlp.output) && same(chunk.output, full.output);
}

// All rows at once, a prefix of them, and chunk by chunk: the same bits, and the same cache left.
bool all_ways_agree(const Block& block, const Matrix& x, const std::vector<std::size_t>& sizes) {
    LayerCache full_cache, cache;
    const BlockStations full = block.stations(x, full_cache);
    const Matrix prefix = block(rows_of(x, 0, sizes[0]));
    bool same =
        same_bits(block(x), full.output) && same_bits(prefix, rows_of(full.output, 0, prefix.rows));
    std::size_t first = 0;
    for (const std::size_t size : sizes) {
        std::vector<int> slots = cache.positions;
        const std::vector<int> added = positions_from(static_cast<int>(first), size);
        slots.insert(slots.end(), added.begin(), added.end());
        const BlockStations chunk = block.stations(rows_of(x, first, size), cache);
        same = same && same_stations(chunk, slots, full, first);
        first += size;
    }
    const std::size_t kept =
        std::min(x.rows, static_cast<std::size_t>(block.attention.mask.window));
    return same && same_bits(cache.keys, full_cache.keys) &&
        same_bits(cache.values, full_cache.values) && cache.positions == full_cache.positions &&
        cache.positions == positions_from(static_cast<int>(x.rows - kept), kept) &&
        same_bits(cache.keys, rows_of(full.attention.keys, x.rows - kept, kept)) &&
        same_bits(cache.values, rows_of(full.attention.values, x.rows - kept, kept));
}

} // namespace

BOOST_AUTO_TEST_SUITE(causal_attention)

BOOST_AUTO_TEST_CASE(blocks_with_heads_biases_and_projection_agree_with_pytorch,
                     *label("mask_removed") * label("mask_one_too_far") * label("scale_left_out") *
                         label("epsilon_outside_root") * label("variance_by_n_minus_1") *
                         label("post_norm") * label("residual_dropped") * label("tanh_gelu") *
                         label("query_and_key_swapped") * label("bias_forgotten") *
                         label("second_norm_reads_the_input") * label("norms_confused") *
                         label("norm_ignores_its_bias") * label("first_columns_taken") *
                         label("groups_dealt_out_in_turn") * label("queries_shared_like_keys") *
                         label("values_of_the_first_group") * label("keys_of_the_first_group") *
                         label("heads_written_over_each_other") * label("projection_forgotten")) {
    for (const std::string name : {"heads", "groups"})
        BOOST_TEST_CONTEXT(name) {
            const Block block = golden_block(name);
            const Matrix x = golden("backward", name + "_x");
            check_close(block(x), golden("backward", name + "_output"), 1e-12);
        }
}

BOOST_AUTO_TEST_CASE(every_way_through_a_golden_block_gives_the_same_bits,
                     *label("mask_removed") * label("mask_one_too_far") * label("post_norm") *
                         label("value_of_the_wrong_key") * label("query_and_key_swapped") *
                         label("one_position_too_few_evicted") *
                         label("one_position_too_many_evicted") * label("newest_keys_evicted") *
                         label("cache_positions_restart") * label("cache_kept_by_nobody")) {
    for (const std::string name : {"heads", "groups"})
        for (const int window : {Mask::no_window, 1, 3}) {
            Block block = golden_block(name);
            block.attention.mask.window = window;
            const Matrix x = golden("backward", name + "_x");
            for (const std::vector<std::size_t>& sizes :
                 std::vector<std::vector<std::size_t>>{{6}, {1, 1, 1, 1, 1, 1}, {2, 4}, {5, 1}})
                BOOST_TEST(all_ways_agree(block, x, sizes), name << ", window " << window);
        }
}

// The dice are the same everywhere: mt19937 is fixed by the standard, the distributions of the
// standard library are not. Every tenth case is long enough for the tiles of MODE=release.
BOOST_AUTO_TEST_CASE(random_chunks_of_random_blocks_give_the_bits_of_the_full_pass,
                     *label("mask_removed") * label("mask_one_too_far") * label("post_norm") *
                         label("value_of_the_wrong_key") * label("query_and_key_swapped") *
                         label("one_position_too_few_evicted") *
                         label("one_position_too_many_evicted") * label("newest_keys_evicted") *
                         label("cache_positions_restart") * label("cache_kept_by_nobody")) {
#ifdef __OPTIMIZE__
    constexpr int cases = 10000;
#else
    constexpr int cases = 200;
#endif
    std::mt19937 engine(2025);
    const auto roll = [&](int low, int high) {
        return low + static_cast<int>(engine() % static_cast<unsigned>(high - low + 1));
    };
    const auto count = [&](int low, int high) { return static_cast<std::size_t>(roll(low, high)); };
    for (int n = 0; n < cases; ++n) {
        const bool large = n % 10 == 0;
        const auto seed = static_cast<std::uint32_t>(engine());
        const std::size_t groups = count(1, 3), T = large ? count(8, 40) : count(1, 10);
        const int window = roll(0, large ? 30 : 6);
        const Shape shape{.D = large ? count(1, 12) : count(1, 4),
                          .heads = {.count = groups * count(1, 3), .groups = groups},
                          .window = window == 0 ? Mask::no_window : window,
                          .bias = roll(0, 1) == 1,
                          .project = roll(0, 1) == 1};
        NumpyRandom random(seed);
        const Block block = random_block(random, shape);
        const Matrix x = random.normal(0, 1, T, shape.D * shape.heads.count);
        std::vector<std::size_t> sizes;
        for (std::size_t left = T; left > 0; left -= sizes.back())
            sizes.push_back(count(1, static_cast<int>(left)));
        BOOST_REQUIRE_MESSAGE(all_ways_agree(block, x, sizes),
                              "case " << n << ": seed " << seed << ", width " << x.cols << ", "
                                      << shape.heads.count << " heads, " << groups << " groups, "
                                      << T << " rows, window " << window << " (0: none)");
    }
}

BOOST_AUTO_TEST_CASE(a_block_is_the_last_of_its_stations,
                     *label("post_norm") * label("residual_dropped") *
                         label("query_and_key_swapped") * label("second_norm_reads_the_input") *
                         label("norms_confused") * label("projection_forgotten")) {
    const Block block = golden_block("groups");
    const BlockStations at = block.stations(golden("backward", "groups_x"));
    const Matrix& x = golden("backward", "groups_x");
    BOOST_CHECK(same_bits(at.output, block(x)));
    BOOST_CHECK(same_bits(at.ln1, block.ln1(x)));
    BOOST_CHECK(same_bits(at.attention.queries, block.attention.query(at.ln1)));
    BOOST_CHECK(same_bits(at.attention.keys, block.attention.key(at.ln1)));
    BOOST_CHECK(same_bits(at.attention.values, block.attention.value(at.ln1)));
    const std::vector<int> positions = positions_from(0, 6);
    const HeadedAttention attention =
        attend_heads(at.attention.queries, at.attention.keys, at.attention.values, {4, 2},
                     positions, positions, Mask{});
    for (std::size_t h = 0; h < 4; ++h)
        BOOST_CHECK(same_bits(at.attention.weights[h], attention.weights[h]));
    BOOST_CHECK(same_bits(at.attention.mixed, attention.output));
    BOOST_CHECK(same_bits(at.attention.output, block.attention.project(attention.output)));
    BOOST_CHECK(same_bits(at.after_attention, x + at.attention.output));
    BOOST_CHECK(same_bits(at.ln2, block.ln2(at.after_attention)));
    BOOST_CHECK(same_bits(at.mlp.hidden, block.mlp.expand(at.ln2)));
    BOOST_CHECK(same_bits(at.mlp.activated, gelu(at.mlp.hidden)));
    BOOST_CHECK(same_bits(at.mlp.output, block.mlp(at.ln2)));
    BOOST_CHECK(same_bits(at.output, at.after_attention + at.mlp.output));
}

BOOST_AUTO_TEST_CASE(without_a_projection_the_heads_outputs_are_the_output) {
    CausalAttention attention = golden_block("heads").attention;
    const Matrix x = golden("backward", "heads_x");
    attention.project = {};
    LayerCache cache;
    const AttentionStations at = attention.stations(x, cache);
    BOOST_CHECK(same_bits(at.output, at.mixed));
    BOOST_CHECK(same_bits(attention(x), at.mixed));
}

BOOST_AUTO_TEST_CASE(rewriting_the_future_leaves_the_past_of_a_block_with_heads_alone,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("query_and_key_swapped")) {
    NumpyRandom random(7);
    for (const int window : {Mask::no_window, 5}) {
        const Block block = random_block(random, {8, {4, 2}, window, true, true});
        const Matrix x = random.normal(0, 1, 20, 32), ordinary = random.normal(0, 1, 1, 32);
        const Model model = [&](const Matrix& rows) { return block(rows); };
        for (const Matrix& replacement : {ordinary, Matrix(1, 32, NaN)})
            for (std::size_t position = 0; position < x.rows; ++position) {
                const Intervention experiment = intervene(model, x, position, replacement);
                BOOST_CHECK(!first_move_in_the_past(experiment));
                BOOST_CHECK(present_moved(experiment));
            }
    }
}

BOOST_AUTO_TEST_CASE(a_copied_layer_cache_is_a_branch,
                     *label("post_norm") * label("query_and_key_swapped") *
                         label("cache_positions_restart") * label("cache_kept_by_nobody")) {
    const Block block = golden_block("groups");
    const Matrix x = golden("backward", "groups_x");
    LayerCache trunk;
    block.extend(rows_of(x, 0, 4), trunk);
    LayerCache branch = trunk;
    block.extend(Matrix(1, 8, 0.5), branch);
    BOOST_CHECK(same_bits(block.extend(rows_of(x, 4, 2), trunk), rows_of(block(x), 4, 2)));
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused_and_leaves_the_cache_as_it_was,
                     *label("query_and_key_swapped") * label("dropped_keys_not_noticed") *
                         label("heads_not_checked") * label("cache_kept_by_nobody") *
                         label("cached_positions_not_compared")) {
    const Block block = golden_block("groups");
    const Matrix x = golden("backward", "groups_x");
    LayerCache cache;
    block.extend(x, cache);
    const auto refused = [&](const Block& by, const Matrix& rows, LayerCache& what,
                             const std::string& message) {
        const LayerCache before = what;
        check_message([&] { by.extend(rows, what); }, {message});
        BOOST_CHECK(same_bits(what.keys, before.keys) && same_bits(what.values, before.values));
        BOOST_CHECK(what.positions == before.positions);
    };
    refused(block, Matrix(2, 7), cache, "Block: x is 2x7, wanted 2x8");
    refused(block, Matrix(0, 8), cache, "0x8, an empty matrix");
    refused(golden_block("heads"), x, cache, "extend: the cache's keys is 6x4, wanted 6x8");
    Block other = block;
    other.attention.heads = {.count = 3, .groups = 1};
    refused(other, x, cache, "Heads: 3 heads do not divide 8 channels");
    other.attention.heads = {.count = 4, .groups = 4};
    refused(other, x, cache, "attend_heads: k has 4 columns, wanted 8");
    other = block;
    other.attention.mask.window = 0;
    refused(other, x, cache, "Mask: the window is 0");
    LayerCache cropped = cache;
    evict_to(cropped, 3);
    refused(block, x, cropped, "extend: the cache holds only the last 3 of 6 positions");
    cropped.positions = {3, 4, 6};
    refused(block, x, cropped, "extend: the cached positions do not lead up to position 7");
    cropped.positions = {3, 4};
    refused(block, x, cropped, "extend: the cache's keys is 3x4, wanted 2x4");
}

BOOST_AUTO_TEST_SUITE_END()
