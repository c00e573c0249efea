// The network that the gallery bends: unbent it is the block, bit for bit, in every form.
#include "model/block.hpp"
#include "proof/network.hpp"
#include "support.hpp"

using namespace glassbox;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double NaN = std::numeric_limits<double>::quiet_NaN();

struct Case {
    PytorchRandom random{31};
    Block block = Block::from_pytorch(random, 8);
    Network network{block};
    Matrix x = random.randn(9, 8);
    Matrix wanted = block(x + sinusoidal_positions(positions_from(0, 9), 8));
};

bool causal(std::size_t t, std::size_t s) {
    return s <= t;
}

} // namespace

BOOST_AUTO_TEST_SUITE(gallery_network)

BOOST_AUTO_TEST_CASE(its_bits_are_the_blocks_behind_a_code_of_positions,
                     *label("post_norm") * label("residual_dropped") *
                         label("query_and_key_swapped") * label("second_norm_reads_the_input")) {
    const Case c;
    Memory memory;
    const Attention full = c.network.extend(memory, c.x);
    BOOST_CHECK(same_bits(full.output, c.wanted));
    BOOST_CHECK(same_bits(memory.inputs, c.x));
    BOOST_CHECK(same_bits(memory.outputs, c.wanted));
    BOOST_TEST(shape_text(full.weights) == "9x9");
    const Subject subject = subject_of(c.network);
    BOOST_CHECK(same_bits(subject.model(c.x), c.wanted));
    BOOST_CHECK(same_bits(subject.weights(c.x).at(0), full.weights));
}

BOOST_AUTO_TEST_CASE(a_windowed_network_is_the_windowed_block,
                     *label("post_norm") * label("residual_dropped") *
                         label("query_and_key_swapped") * label("second_norm_reads_the_input")) {
    Case c;
    c.block.attention.mask.window = 3;
    const Network network(c.block, {.causal = true, .window = 3});
    const Matrix wanted = c.block(c.x + sinusoidal_positions(positions_from(0, 9), 8));
    BOOST_CHECK(!same_bits(wanted, c.wanted));
    BOOST_CHECK(same_bits(subject_of(network).model(c.x), wanted));
}

BOOST_AUTO_TEST_CASE(its_cached_form_has_the_same_bits_in_any_chunks,
                     *label("mask_removed") * label("mask_one_too_far") * label("post_norm") *
                         label("residual_dropped") * label("query_and_key_swapped") *
                         label("second_norm_reads_the_input")) {
    const Case c;
    const Subject subject = subject_of(c.network);
    for (const std::vector<std::size_t>& chunks :
         {std::vector<std::size_t>{9}, {1, 8}, {2, 3, 4}, {1, 1, 1, 1, 1, 1, 1, 1, 1}}) {
        std::any cache = subject.cached->start();
        Matrix rows;
        for (const std::size_t count : chunks)
            append_rows(rows, subject.cached->extend(cache, rows_of(c.x, rows.rows, count)));
        BOOST_CHECK(same_bits(rows, c.wanted));
        BOOST_CHECK(same_bits(std::any_cast<Memory&>(cache).outputs, c.wanted));
    }
}

BOOST_AUTO_TEST_CASE(resume_keeps_the_common_beginning_and_no_more,
                     *label("nothing_kept_on_resume") * label("extra_ignored_on_resume") *
                         label("mask_removed") * label("mask_one_too_far") * label("post_norm") *
                         label("residual_dropped") * label("query_and_key_swapped") *
                         label("second_norm_reads_the_input") *
                         label("resume_keeps_what_is_gone")) {
    const Case c;
    Matrix edited = c.x;
    edited(5, 0) += 1;
    Memory fresh;
    const Matrix wanted = c.network.extend(fresh, edited).output;
    for (const std::size_t extra : {0U, 1U, 100U}) {
        Memory memory;
        c.network.extend(memory, c.x);
        for (Matrix* part : {&memory.outputs})
            (*part)(2, 0) = 42; // only what is computed again is corrected
        const Matrix resumed = c.network.resume(memory, edited, extra);
        BOOST_TEST(resumed(2, 0) == 42);
        const std::size_t stale = std::min<std::size_t>(5 + extra, 9);
        BOOST_CHECK(same_bits(rows_of(resumed, 5, stale - 5), rows_of(c.wanted, 5, stale - 5)));
        BOOST_CHECK(same_bits(rows_of(resumed, 3, 2), rows_of(wanted, 3, 2)));
        if (extra == 0)
            BOOST_CHECK(same_bits(rows_of(resumed, 3, 6), rows_of(wanted, 3, 6)));
    }
}

BOOST_AUTO_TEST_CASE(resume_takes_the_same_a_shorter_and_a_longer_input,
                     *label("resume_keeps_what_is_gone") * label("mask_removed") *
                         label("mask_one_too_far") * label("post_norm") *
                         label("residual_dropped") * label("query_and_key_swapped") *
                         label("second_norm_reads_the_input")) {
    const Case c;
    for (const std::size_t before : {0U, 4U, 9U})
        for (const std::size_t after : {1U, 4U, 9U}) {
            Memory memory;
            if (before > 0)
                c.network.extend(memory, rows_of(c.x, 0, before));
            const Matrix resumed = c.network.resume(memory, rows_of(c.x, 0, after));
            BOOST_CHECK(same_bits(resumed, rows_of(c.wanted, 0, after)));
            BOOST_TEST(memory.keys.rows == after);
            BOOST_TEST(memory.inputs.rows == after);
        }
}

BOOST_AUTO_TEST_CASE(packed_documents_are_each_the_model_alone) {
    const Case c;
    const Subject subject = subject_of(c.network);
    for (std::size_t boundary = 1; boundary < 9; ++boundary) {
        Matrix wanted = subject.model(rows_of(c.x, 0, boundary));
        append_rows(wanted, subject.model(rows_of(c.x, boundary, 9 - boundary)));
        BOOST_CHECK(same_bits(subject.packed(c.x, boundary), wanted));
    }
}

BOOST_AUTO_TEST_CASE(attend_where_with_the_causal_rule_is_attend_bit_for_bit,
                     *label("rule_asked_from_zero") * label("mask_removed") *
                         label("mask_one_too_far")) {
    PytorchRandom random(2);
    for (const std::size_t first : {0U, 4U}) {
        const Matrix q = random.randn(3, 5), k = random.randn(first + 3, 5),
                     v = random.randn(first + 3, 4);
        const Attention wanted =
            attend(q, k, v, positions_from(first, 3), positions_from(0, first + 3), Mask{});
        const Attention got = attend_where(q, k, v, first, causal);
        BOOST_CHECK(same_bits(got.output, wanted.output));
        BOOST_CHECK(same_bits(got.weights, wanted.weights));
    }
}

BOOST_AUTO_TEST_CASE(attend_where_does_not_read_what_may_not_be_read) {
    const Matrix q{{1, 2}, {3, 4}}, poisoned{{1, 2}, {NaN, infinity}};
    const Attention got = attend_where(
        q, poisoned, poisoned, 0, [](std::size_t t, std::size_t s) { return t == 1 && s == 0; });
    BOOST_CHECK(same_bits(got.output, {{0, 0}, {1, 2}}));
    BOOST_CHECK(same_bits(got.weights, {{0, 0}, {1, 0}}));
}

// The matrix form adds what attend leaves out: 0 times a value. Finite, that changes no bit; a NaN
// shows the difference.
BOOST_AUTO_TEST_CASE(attend_filled_with_infinity_is_attend_bit_for_bit_while_all_is_finite,
                     *label("scale_left_out") * label("rule_asked_from_zero")) {
    const auto minus_infinity = [](std::size_t t, std::size_t s, double score) {
        return s > t ? -infinity : score;
    };
    PytorchRandom random(2);
    for (const std::size_t width : {1U, 2U, 3U, 4U, 5U, 8U})
        for (const std::size_t first : {0U, 4U}) {
            const Matrix q = random.randn(3, width), k = random.randn(first + 3, width);
            Matrix v = random.randn(first + 3, 4);
            const Attention wanted = attend_where(q, k, v, first, causal);
            const Attention got = attend_filled(q, k, v, first, minus_infinity);
            BOOST_CHECK(same_bits(got.output, wanted.output));
            BOOST_CHECK(same_bits(got.weights, wanted.weights));
            v(first + 2, 1) = NaN;
            BOOST_CHECK(std::isnan(attend_filled(q, k, v, first, minus_infinity).output(0, 1)));
            BOOST_CHECK(!std::isnan(attend_where(q, k, v, first, causal).output(0, 1)));
        }
}

BOOST_AUTO_TEST_SUITE_END()
