// The fast block: the bits of the library's operations, head by head, and nothing from the future.
#include "support.hpp"

#include "bench/fast_block.hpp"
#include "model/attention.hpp"
#include "model/heads.hpp"
#include "model/operations.hpp"
#include "proof/intervention.hpp"

#include <limits>

using namespace glassbox;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// The same block, put together from the library's parts.
Matrix plain_block(const FastBlock& block, const Matrix& x) {
    const std::size_t C = x.cols;
    const auto through = [](const FastLinear& layer, const Matrix& rows) {
        return linear(rows, transpose(layer.weight), layer.bias);
    };
    const Matrix qkv = through(block.qkv, layer_norm(x, block.gain1, block.bias1));
    const std::vector<int> positions = positions_from(0, x.rows);
    const Matrix mixed =
        attend_heads(columns_of(qkv, 0, C), columns_of(qkv, C, C), columns_of(qkv, 2 * C, C),
                     {block.heads, block.heads}, positions, positions, Mask{})
            .output;
    const Matrix after = x + through(block.project, mixed);
    const Matrix hidden = through(block.expand, layer_norm(after, block.gain2, block.bias2));
    return after + through(block.shrink, gelu(hidden));
}

FastBlock small_block(std::size_t C, std::size_t H) {
    NumpyRandom random(3);
    FastBlock block = FastBlock::drawn(random, C, H);
    for (double& value : block.qkv.weight.values)
        value *= 10; // scores that matter
    return block;
}

// One head of q, k, v, as CausalHead computes it.
Matrix head(const Matrix& q, const Matrix& k, const Matrix& v) {
    Matrix output(q.rows, q.cols);
    CausalHead head(q.rows, q.cols);
    head({q.values.data(), q.cols}, {k.values.data(), q.cols}, {v.values.data(), q.cols},
         output.values.data(), q.cols);
    return output;
}

} // namespace

BOOST_AUTO_TEST_SUITE(fast_block)

BOOST_AUTO_TEST_CASE(a_fast_head_has_the_bits_of_attend,
                     *label("fast_terms_reversed") * label("mask_removed") *
                         label("mask_one_too_far") * label("scale_left_out") *
                         label("maximum_not_subtracted") * label("maximum_starts_at_zero")) {
    NumpyRandom random(4);
    for (const std::size_t T : {1U, 2U, 7U, 8U, 9U, 15U, 16U, 17U, 40U, 67U})
        for (const std::size_t D : {8U, 16U, 24U}) {
            const Matrix q = random.normal(0, 1, T, D), k = random.normal(0, 1, T, D);
            const Matrix v = random.normal(0, 1, T, D);
            const std::vector<int> positions = positions_from(0, T);
            BOOST_CHECK_MESSAGE(
                same_bits(head(q, k, v), attend(q, k, v, positions, positions, Mask{}).output),
                T << " positions, width " << D);
        }
}

BOOST_AUTO_TEST_CASE(a_nan_in_a_later_key_or_value_is_never_read) {
    NumpyRandom random(5);
    for (const std::size_t T : {5U, 8U, 21U, 32U}) {
        const Matrix q = random.normal(0, 1, T, 16), k = random.normal(0, 1, T, 16);
        const Matrix v = random.normal(0, 1, T, 16);
        const Matrix before = head(q, k, v);
        for (std::size_t s = 0; s < T; ++s) {
            Matrix other_k = k, other_v = v;
            std::ranges::fill(other_k.row(s), not_a_number);
            std::ranges::fill(other_v.row(s), not_a_number);
            for (const Matrix& after : {head(q, other_k, v), head(q, k, other_v)}) {
                BOOST_CHECK(same_bits(rows_of(after, 0, s), rows_of(before, 0, s)));
                for (std::size_t t = s; t < T; ++t) // and whoever may read it does
                    BOOST_CHECK(std::isnan(after(t, 0)));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_fast_block_has_the_bits_of_its_parts,
                     *label("fast_terms_reversed") * label("fast_last_rows_forgotten") *
                         label("fast_panels_all_the_first") * label("fast_few_rows_reversed") *
                         label("mask_removed") * label("mask_one_too_far") *
                         label("scale_left_out") * label("epsilon_outside_root") *
                         label("variance_by_n_minus_1") * label("tanh_gelu") *
                         label("maximum_not_subtracted") * label("maximum_starts_at_zero") *
                         label("bias_forgotten") * label("first_columns_taken") *
                         label("values_of_the_first_group") * label("keys_of_the_first_group")) {
    NumpyRandom random(6);
    for (const std::size_t T : {1U, 8U, 13U, 30U}) {
        const FastBlock block = small_block(32, 4);
        const Matrix x = random.normal(0, 1, T, 32);
        BlockRun run(block, T);
        BOOST_CHECK_MESSAGE(same_bits(run(x), plain_block(block, x)), T << " positions");
        const Matrix first = run(x);
        BOOST_CHECK(same_bits(run(x), first)); // nothing is left of the run before
    }
}

BOOST_AUTO_TEST_CASE(rewriting_the_future_leaves_the_past_of_a_fast_block_alone) {
    const FastBlock block = small_block(32, 2);
    const Model model = [&](const Matrix& x) { return Matrix(BlockRun(block, x.rows)(x)); };
    const Matrix x = NumpyRandom(7).normal(0, 1, 20, 32);
    const Matrix replacements = NumpyRandom(8).normal(0, 1, 1, 32);
    for (const Matrix& replacement : {replacements, Matrix(1, 32, not_a_number)})
        for (std::size_t position = 0; position < x.rows; ++position) {
            const Intervention experiment = intervene(model, x, position, replacement);
            BOOST_CHECK(!first_move_in_the_past(experiment));
            BOOST_CHECK(present_moved(experiment));
        }
}

BOOST_AUTO_TEST_CASE(heads_of_another_width_are_refused) {
    check_message([] { CausalHead(4, 12); }, {"CausalHead: a head is 12 wide", "multiple of 8"});
    const FastBlock block = small_block(16, 2);
    check_message([&] { BlockRun(block, 4)(Matrix(4, 8)); }, {"BlockRun: x is 4x8, wanted 4x16"});
}

BOOST_AUTO_TEST_SUITE_END()
