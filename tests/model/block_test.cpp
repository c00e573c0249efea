// The block: step by step against PyTorch's float64 run, and against its own diagram written out.
#include "model/block.hpp"
#include "support.hpp"

#include <cmath>
#include <map>
#include <string>

using namespace glassbox;

namespace {

Matrix reference(const std::string& name) {
    return golden("block_causality", name);
}

// The lab's block with PyTorch's own parameters.
Block golden_block() {
    return {.ln1 = {reference("ln1_weight"), reference("ln1_bias")},
            .attention = {.query = {reference("attn_q_weight"), {}},
                          .key = {reference("attn_k_weight"), {}},
                          .value = {reference("attn_v_weight"), {}}},
            .ln2 = {reference("ln2_weight"), reference("ln2_bias")},
            .mlp = {.expand = {reference("mlp_fc_weight"), reference("mlp_fc_bias")},
                    .project = {reference("mlp_proj_weight"), reference("mlp_proj_bias")}}};
}

// The lab's block as this project draws it.
struct Lab {
    PytorchRandom random{23};
    Block block = Block::from_pytorch(random, 8);
    Matrix x = random.randn(6, 8);
    Matrix replacement = random.randn(1, 8);
};

Matrix change_of(const Matrix& before, const Matrix& after) {
    Matrix change(1, before.rows);
    for (std::size_t t = 0; t < before.rows; ++t)
        change(0, t) = max_abs_difference(before.row(t), after.row(t));
    return change;
}

} // namespace

BOOST_AUTO_TEST_SUITE(block)

// One step at a time: each starts from PyTorch's result of the step before.

BOOST_AUTO_TEST_CASE(layer_norms_agree_with_pytorch,
                     *label("epsilon_outside_root") * label("variance_by_n_minus_1")) {
    check_close(golden_block().ln1(reference("x")), reference("ln1_output"), 1e-12);
    check_close(golden_block().ln2(reference("after_attention")), reference("ln2_output"), 1e-12);
}

BOOST_AUTO_TEST_CASE(queries_keys_and_values_agree_with_pytorch) {
    const CausalAttention attention = golden_block().attention;
    check_close(attention.query(reference("ln1_output")), reference("queries"), 1e-12);
    check_close(attention.key(reference("ln1_output")), reference("keys"), 1e-12);
    check_close(attention.value(reference("ln1_output")), reference("values"), 1e-12);
}

BOOST_AUTO_TEST_CASE(unmasked_weights_are_the_softmax_of_pytorchs_scores,
                     *label("scale_left_out")) {
    const std::vector<int> positions = positions_from(0, 6);
    const Attention open = attend(reference("queries"), reference("keys"), reference("values"),
                                  positions, positions, {.causal = false});
    check_close(open.weights, softmax_rows(reference("scores_unmasked")), 1e-12);
}

BOOST_AUTO_TEST_CASE(attention_agrees_with_pytorch,
                     *label("query_and_key_swapped") * label("mask_removed") *
                         label("mask_one_too_far") * label("scale_left_out")) {
    const std::vector<int> positions = positions_from(0, 6);
    const Attention causal = attend(reference("queries"), reference("keys"), reference("values"),
                                    positions, positions, golden_block().attention.mask);
    check_close(causal.weights, reference("attention_weights"), 1e-12);
    check_close(causal.output, reference("attention_output"), 1e-12);
    check_close(golden_block().attention(reference("ln1_output")), reference("attention_output"),
                1e-12);
}

BOOST_AUTO_TEST_CASE(the_mlp_agrees_with_pytorch, *label("bias_forgotten") * label("tanh_gelu")) {
    const Mlp mlp = golden_block().mlp;
    check_close(mlp.expand(reference("ln2_output")), reference("mlp_hidden"), 1e-12);
    check_close(gelu(reference("mlp_hidden")), reference("mlp_activated"), 1e-12);
    check_close(mlp.project(reference("mlp_activated")), reference("mlp_output"), 1e-12);
    check_close(mlp(reference("ln2_output")), reference("mlp_output"), 1e-12);
}

BOOST_AUTO_TEST_CASE(the_residual_sums_agree_with_pytorch) {
    check_close(reference("x") + reference("attention_output"), reference("after_attention"),
                1e-12);
    check_close(reference("after_attention") + reference("mlp_output"), reference("output"), 1e-12);
}

BOOST_AUTO_TEST_CASE(the_labs_block_is_drawn_exactly_as_pytorch_draws_it) {
    const Block drawn = Lab().block, expected = golden_block();
    BOOST_CHECK(same_bits(drawn.ln1.gain, expected.ln1.gain));
    BOOST_CHECK(same_bits(drawn.ln1.bias, expected.ln1.bias));
    BOOST_CHECK(same_bits(drawn.attention.query.weight, expected.attention.query.weight));
    BOOST_CHECK(same_bits(drawn.attention.key.weight, expected.attention.key.weight));
    BOOST_CHECK(same_bits(drawn.attention.value.weight, expected.attention.value.weight));
    BOOST_CHECK(same_bits(drawn.ln2.gain, expected.ln2.gain));
    BOOST_CHECK(same_bits(drawn.ln2.bias, expected.ln2.bias));
    BOOST_CHECK(same_bits(drawn.mlp.expand.weight, expected.mlp.expand.weight));
    BOOST_CHECK(same_bits(drawn.mlp.expand.bias, expected.mlp.expand.bias));
    BOOST_CHECK(same_bits(drawn.mlp.project.weight, expected.mlp.project.weight));
    BOOST_CHECK(same_bits(drawn.mlp.project.bias, expected.mlp.project.bias));
}

// The same steps again, each from the one before, all from the project's own seed 23.
BOOST_AUTO_TEST_CASE(every_step_from_seed_23_agrees_with_pytorch,
                     *label("bias_forgotten") * label("mask_removed") * label("mask_one_too_far") *
                         label("scale_left_out") * label("epsilon_outside_root") *
                         label("variance_by_n_minus_1") * label("tanh_gelu")) {
    const Lab lab;
    const Block& b = lab.block;
    const std::vector<int> positions = positions_from(0, 6);
    const Matrix normed = b.ln1(lab.x), q = b.attention.query(normed), k = b.attention.key(normed),
                 v = b.attention.value(normed),
                 scores = matmul_transposed(q, k) * (1.0 / std::sqrt(8.0));
    const Attention attention = attend(q, k, v, positions, positions, Mask{});
    const Matrix after_attention = lab.x + attention.output, normed_again = b.ln2(after_attention),
                 hidden = b.mlp.expand(normed_again), activated = gelu(hidden),
                 mlp_output = b.mlp.project(activated);
    const std::map<std::string, Matrix> steps{{"ln1_output", normed},
                                              {"queries", q},
                                              {"keys", k},
                                              {"values", v},
                                              {"scores_unmasked", scores},
                                              {"attention_weights", attention.weights},
                                              {"attention_output", attention.output},
                                              {"after_attention", after_attention},
                                              {"ln2_output", normed_again},
                                              {"mlp_hidden", hidden},
                                              {"mlp_activated", activated},
                                              {"mlp_output", mlp_output},
                                              {"output", after_attention + mlp_output}};
    for (const auto& [name, step] : steps)
        BOOST_TEST_CONTEXT(name)
    check_close(step, reference(name), 1e-6);
}

// All steps together: these see every change of the block's arithmetic.
BOOST_AUTO_TEST_SUITE(whole,
                      *label("query_and_key_swapped") * label("bias_forgotten") *
                          label("second_norm_reads_the_input") * label("mask_removed") *
                          label("mask_one_too_far") * label("scale_left_out") *
                          label("epsilon_outside_root") * label("variance_by_n_minus_1") *
                          label("post_norm") * label("residual_dropped") * label("tanh_gelu"))

BOOST_AUTO_TEST_CASE(the_whole_block_agrees_with_pytorch) {
    const Matrix before = golden_block()(reference("x")),
                 after = golden_block()(reference("x_changed"));
    check_close(before, reference("output"), 1e-12);
    check_close(after, reference("output_changed"), 1e-12);
    check_close(change_of(before, after), reference("change"), 1e-12);
}

BOOST_AUTO_TEST_CASE(the_labs_input_and_output_follow_from_seed_23) {
    const Lab lab;
    Matrix x_changed = lab.x;
    std::ranges::copy(lab.replacement.row(0), x_changed.row(3).begin());
    check_close(lab.x, reference("x"), 1e-6);
    check_close(x_changed, reference("x_changed"), 1e-6);
    const Matrix before = lab.block(lab.x), after = lab.block(x_changed);
    check_close(before, reference("output"), 1e-6);
    check_close(after, reference("output_changed"), 1e-6);
    check_close(change_of(before, after), reference("change"), 1e-6);
}

// float32 keeps 24 bits of every number, a double 53. Measured: 1.6e-7 between the two runs.
BOOST_AUTO_TEST_CASE(the_labs_own_float32_run_differs_by_its_rounding_alone) {
    const Matrix before = golden_block()(reference("x")),
                 after = golden_block()(reference("x_changed"));
    const double difference = std::max(max_abs_difference(before, reference("float32_out")),
                                       max_abs_difference(after, reference("float32_out_changed")));
    BOOST_TEST(difference > 0);
    BOOST_TEST(difference < 2e-7);
}

BOOST_AUTO_TEST_SUITE_END()

// A new norm has gain 1 and bias 0, which hides which of the two is used, and whether they are.
BOOST_AUTO_TEST_CASE(the_block_is_its_diagram,
                     *label("norms_confused") * label("norm_ignores_its_bias") *
                         label("query_and_key_swapped") * label("second_norm_reads_the_input") *
                         label("post_norm") * label("residual_dropped")) {
    Lab lab;
    const Matrix gain1{{1, 2, 3, 4, 5, 6, 7, 8}}, bias1{{8, 7, 6, 5, 4, 3, 2, 1}};
    const Matrix gain2{{2, 1, 2, 1, 2, 1, 2, 1}}, bias2{{0, 3, 0, 3, 0, 3, 0, 3}};
    lab.block.ln1 = {gain1, bias1};
    lab.block.ln2 = {gain2, bias2};
    const auto& [ln1, attention, ln2, mlp] = lab.block;
    const std::vector<int> positions = positions_from(0, 6);
    const Matrix normed = layer_norm(lab.x, gain1, bias1);
    const Matrix q = attention.query(normed), k = attention.key(normed),
                 v = attention.value(normed);
    const Matrix mixed = attend(q, k, v, positions, positions, Mask{.causal = true}).output;
    const Matrix after_attention = lab.x + mixed;
    const Matrix thought = mlp.project(gelu(mlp.expand(layer_norm(after_attention, gain2, bias2))));
    BOOST_CHECK(same_bits(lab.block(lab.x), after_attention + thought));
}

// Branches that find nothing leave only the residual path, and that path is the input itself.
BOOST_AUTO_TEST_CASE(silent_branches_leave_the_input_alone,
                     *label("post_norm") * label("residual_dropped")) {
    Lab lab;
    lab.block.attention.value.weight = Matrix(8, 8);
    lab.block.mlp.project = {Matrix(8, 32), Matrix(1, 8)};
    BOOST_CHECK(same_bits(lab.block(lab.x), lab.x));
}

BOOST_AUTO_TEST_CASE(the_mlp_works_on_every_position_alone) {
    const Lab lab;
    const Matrix forwards = lab.block.mlp(lab.x);
    for (std::size_t t = 0; t < lab.x.rows; ++t)
        BOOST_CHECK(same_bits(lab.block.mlp(rows_of(lab.x, t, 1)), rows_of(forwards, t, 1)));
}

BOOST_AUTO_TEST_CASE(blocks_stack) {
    PytorchRandom random(23);
    const Block first = Block::from_pytorch(random, 8), second = Block::from_pytorch(random, 8);
    const Matrix x = random.randn(6, 8), deeper = second(first(x));
    BOOST_TEST(shape_text(deeper) == "6x8");
    BOOST_CHECK(!same_bits(deeper, first(x)));
    BOOST_CHECK(!same_bits(deeper, first(first(x)))); // the stream moved on: another block
}

BOOST_AUTO_TEST_CASE(the_parameters_have_the_shapes_that_the_width_asks_for) {
    PytorchRandom random(23);
    const Block block = Block::from_pytorch(random, 6);
    const auto shapes = [](const auto& layer) {
        return shape_text(layer.weight) + " " + shape_text(layer.bias);
    };
    BOOST_TEST(shape_text(block.ln1.gain) + " " + shape_text(block.ln1.bias) == "1x6 1x6");
    BOOST_TEST(shape_text(block.ln2.gain) + " " + shape_text(block.ln2.bias) == "1x6 1x6");
    BOOST_TEST(shapes(block.attention.query) == "6x6 0x0");
    BOOST_TEST(shapes(block.attention.key) == "6x6 0x0");
    BOOST_TEST(shapes(block.attention.value) == "6x6 0x0");
    BOOST_TEST(shapes(block.mlp.expand) == "24x6 1x24");
    BOOST_TEST(shapes(block.mlp.project) == "6x24 1x6");
}

BOOST_AUTO_TEST_CASE(an_input_of_another_width_is_refused) {
    const Block block = Lab().block;
    check_message([&] { block(Matrix(6, 7)); }, {"Block: x is 6x7, wanted 6x8"});
    check_message([&] { block(Matrix(0, 8)); }, {"x is 0x8, an empty matrix"});
}

BOOST_AUTO_TEST_SUITE_END()
