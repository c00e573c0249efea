// All detectors together: correct models pass, whatever is wrong gets the right conclusion, and
// what cannot be judged is not.
#include "model/block.hpp"
#include "model/decoder.hpp"
#include "model/heads.hpp"
#include "proof/causality.hpp"
#include "proof/leaks.hpp"
#include "support.hpp"

#include <memory>

using namespace glassbox;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double NaN = std::numeric_limits<double>::quiet_NaN();

Matrix input(std::size_t T, std::size_t C) {
    PytorchRandom random(77);
    return random.randn(T, C);
}

Block block_of(std::size_t C, std::uint32_t seed = 3) {
    PytorchRandom random(seed);
    return Block::from_pytorch(random, C);
}

Subject two_blocks(std::size_t C) {
    return {[one = block_of(C, 3), two = block_of(C, 4)](const Matrix& x) { return two(one(x)); }};
}

// The decoder of lesson 12 from embedded rows, two layers deep.
Subject decoder_of(std::size_t C, int window = Mask::no_window) {
    const Decoder decoder = Decoder::from_numpy(1, 32, C);
    const Mask mask{.causal = true, .window = window};
    Subject subject{
        [=](const Matrix& x) { return decoder.forward_embedded(x, mask).hidden; },
        [=](const Matrix& x) { return std::vector{decoder.forward_embedded(x, mask).weights}; },
        CachedModel{[] { return std::any(KvCache{}); },
                    [=](std::any& cache, const Matrix& chunk) {
                        Pass pass =
                            decoder.extend_embedded(chunk, std::any_cast<KvCache&>(cache), mask);
                        cache = pass.cache;
                        return pass.hidden;
                    }}};
    if (window != Mask::no_window)
        subject.reach = window_reach(static_cast<std::size_t>(window), 2);
    return subject;
}

// The network with four heads over so many groups of keys and values.
Subject with_heads(std::size_t groups) {
    Network network(block_of(8));
    network.attend = [heads = Heads{4, groups}](const Matrix& q, const Matrix& k, const Matrix& v,
                                                std::size_t first) {
        const std::size_t shared = heads.groups * heads.width(q.cols);
        const HeadedAttention result =
            attend_heads(q, columns_of(k, 0, shared), columns_of(v, 0, shared), heads,
                         positions_from(first, q.rows), positions_from(0, k.rows), Mask{});
        return Attention{result.output, result.weights.back(), result.scores_read};
    };
    return subject_of(network);
}

std::string letters_of(const CausalityReport& report, Outcome outcome) {
    std::string letters;
    for (const Detector& detector : detectors)
        if (report.of(detector.letter).outcome == outcome)
            letters += std::string(letters.empty() ? "" : " ") + detector.letter;
    return letters;
}

// Nothing failed, what is not applicable is what was announced, and the rest passed.
void check_correct(const std::string& name, const Subject& subject, const Matrix& x,
                   const std::string& not_applicable = "") {
    const CausalityReport report = examine(subject, x);
    BOOST_TEST_CONTEXT(name << ", " << shape_text(x) << "\n" << report_text(report)) {
        BOOST_TEST(letters_of(report, Outcome::failed) == "");
        BOOST_TEST(letters_of(report, Outcome::not_applicable) == not_applicable);
        const bool more = claim_of(subject, x.rows) == ClaimKind::causal_and_more;
        BOOST_TEST(report.conclusion() ==
                   (x.rows == 1 ? "NOT JUDGED: one position has no past"
                        : more  ? "AS DECLARED, AND CAUSAL, as far as these inputs can show"
                                : "CAUSAL, as far as these inputs can show"));
        BOOST_TEST(report.holds() == (x.rows > 1));
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(causality_report)

// ---- Correct models

BOOST_AUTO_TEST_CASE(correct_models_pass_everything,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("window_one_too_wide") * label("value_of_the_wrong_key") *
                         label("decoder_reads_local_positions") * label("positions_restart") *
                         label("newest_keys_evicted") * label("cache_not_kept") *
                         label("reach_without_the_present") * label("window_reaches_too_far") *
                         label("branch_is_the_original") * label("second_document_not_changed") *
                         label("resume_keeps_what_is_gone") * label("influence_of_one_position") *
                         label("intervention_from_position_2") *
                         label("undeclared_forbids_the_present") *
                         label("future_watched_whatever_the_reach")) {
    for (const std::size_t C : {2U, 8U})
        for (const std::size_t T : {2U, 3U, 9U}) {
            const Matrix x = input(T, C);
            check_correct("block", {block_of(C)}, x, "A E1 E3 Em G");
            check_correct("two blocks", two_blocks(C), x, "A E1 E3 Em G");
            check_correct("network", subject_of(Network(block_of(C))), x);
            check_correct("decoder", decoder_of(C), x);
            check_correct("decoder, window 3", decoder_of(C, 3), x);
            check_correct("decoder, window 1", decoder_of(C, 1), x);
        }
}

BOOST_AUTO_TEST_CASE(heads_that_share_keys_pass_everything,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("reach_without_the_present") * label("branch_is_the_original") *
                         label("second_document_not_changed") * label("resume_keeps_what_is_gone") *
                         label("influence_of_one_position")) {
    for (const std::size_t groups : {4U, 2U, 1U})
        check_correct("four heads, groups: " + std::to_string(groups), with_heads(groups),
                      input(7, 8));
}

BOOST_AUTO_TEST_CASE(a_single_position_is_not_judged_and_nothing_fails,
                     *label("judged_without_a_past") * label("reach_without_the_present") *
                         label("undeclared_forbids_the_present")) {
    check_correct("block", {block_of(8)}, input(1, 8), "A B C D E1 E3 Em G");
    check_correct("decoder", decoder_of(8), input(1, 8), "B C D G");
    check_correct("network", subject_of(Network(block_of(8))), input(1, 8), "B C D G");
}

BOOST_AUTO_TEST_CASE(sixty_four_positions_pass,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("window_one_too_wide") * label("value_of_the_wrong_key") *
                         label("decoder_reads_local_positions") * label("positions_restart") *
                         label("newest_keys_evicted") * label("cache_not_kept") *
                         label("window_reaches_too_far") * label("branch_is_the_original") *
                         label("influence_of_one_position") *
                         label("undeclared_forbids_the_present") *
                         label("future_watched_whatever_the_reach")) {
    check_correct("block", {block_of(2)}, input(64, 2), "A E1 E3 Em G");
    check_correct("decoder, window 5", decoder_of(2, 5), input(64, 2));
}

BOOST_AUTO_TEST_CASE(a_single_channel_passes,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("variance_by_n_minus_1") * label("influence_of_one_position") *
                         label("post_norm") * label("residual_dropped") *
                         label("undeclared_forbids_the_present")) {
    check_correct("block", {block_of(1)}, input(6, 1), "A E1 E3 Em G");
}

BOOST_AUTO_TEST_CASE(
    correct_models_pass_at_extremes_or_are_not_judged,
    *label("what_must_matter_judged_anywhere") * label("mask_removed") * label("mask_one_too_far") *
        label("post_norm") * label("maximum_not_subtracted") * label("window_one_too_wide") *
        label("maximum_starts_at_zero") * label("value_of_the_wrong_key") *
        label("bits_compared_by_value") * label("decoder_reads_local_positions") *
        label("positions_restart") * label("newest_keys_evicted") * label("cache_not_kept") *
        label("reach_without_the_present") * label("branch_is_the_original") *
        label("second_document_not_changed") * label("judged_where_not_applicable") *
        label("resume_keeps_what_is_gone") * label("influence_of_one_position") *
        label("undeclared_forbids_the_present") * label("future_watched_whatever_the_reach")) {
    for (const double scale : {1e-300, 1e-20, 30.0, 1e5, 1e100, 1e300}) {
        const Matrix x = input(7, 8) * scale;
        check_correct("block", {block_of(8)}, x, "A E1 E3 Em G");
        check_correct("two blocks", two_blocks(8), x, "A E1 E3 Em G");
        check_correct("network", subject_of(Network(block_of(8))), x);
        if (scale < 1e200) {
            check_correct("decoder", decoder_of(8), x);
            check_correct("decoder, window 3", decoder_of(8, 3), x);
        }
    }
    // The decoder has no norm: its scores overflow.
    const CausalityReport report = examine(decoder_of(8), input(7, 8) * 1e300);
    BOOST_TEST(letters_of(report, Outcome::not_applicable) == "N A B C D E1 E3 Em F G");
    BOOST_TEST(report.conclusion().starts_with("NOT JUDGED: before anything was changed, output"));
    BOOST_TEST(report.of("B").words == "see N");
}

// ---- Models that cannot be judged

BOOST_AUTO_TEST_CASE(a_random_model_is_not_judged, *label("tolerance_in_the_null_test")) {
    for (const double tolerance : {0.0, 1e6}) {
        const auto count = std::make_shared<int>(0);
        Subject subject{[count](const Matrix& x) { return x * (1.0 + ++*count); }};
        subject.tolerance = tolerance;
        const CausalityReport report = examine(subject, input(3, 2));
        BOOST_TEST(letters_of(report, Outcome::failed) == "N");
        BOOST_TEST(letters_of(report, Outcome::passed) == "");
        BOOST_TEST(report.of("A").words == "see N");
        BOOST_TEST(
            report.conclusion().starts_with("NOT JUDGED, the model is not finite, or random, "
                                            "or keeps a state between calls: the same "
                                            "input twice"));
    }
}

// One call in seven is wrong: the null test, of two calls, does not notice.
BOOST_AUTO_TEST_CASE(a_rarely_random_model_is_not_judged_either,
                     *label("failure_not_repeated") * label("rounding_excuses_all")) {
    const auto count = std::make_shared<int>(0);
    const Subject subject{[count](const Matrix& x) { return ++*count % 7 == 0 ? x * 2 : x; }};
    const CausalityReport report = examine(subject, input(3, 2));
    BOOST_TEST(letters_of(report, Outcome::failed) == "N");
    BOOST_TEST(letters_of(report, Outcome::passed) == "");
    BOOST_TEST(report.conclusion() ==
               "NOT JUDGED, the model is not finite, or random, or keeps a state between calls: "
               "detector B, run twice, did not find the same twice");
}

BOOST_AUTO_TEST_CASE(a_model_that_is_not_finite_is_not_judged,
                     *label("judged_where_not_applicable") * label("bits_compared_by_value")) {
    for (const double value : {NaN, infinity, -infinity}) {
        const Subject subject{[=](const Matrix& x) { return Matrix(x.rows, 2, value); }};
        const CausalityReport ordinary = examine(subject, input(3, 2));
        BOOST_TEST(letters_of(ordinary, Outcome::failed) == "N");
        BOOST_TEST(letters_of(ordinary, Outcome::passed) == "");
        BOOST_TEST(ordinary.conclusion().starts_with("NOT JUDGED, the model is not finite, or "));
        const CausalityReport extreme = examine(subject, input(3, 2) * 1e200);
        BOOST_TEST(letters_of(extreme, Outcome::failed) == "");
        BOOST_TEST(letters_of(extreme, Outcome::passed) == "");
        BOOST_TEST(extreme.conclusion().starts_with("NOT JUDGED: before anything was changed"));
    }
}

// A state that is kept between calls and has settled: the same twice in a row, and another one
// after the model has seen something else.
BOOST_AUTO_TEST_CASE(a_model_that_keeps_a_state_between_calls_is_not_judged,
                     *label("not_asked_again_at_the_end")) {
    const auto state = std::make_shared<double>(0);
    const Subject warm{[state](const Matrix& x) {
        *state = std::max(*state, std::abs(x(x.rows - 1, 0)));
        Matrix result = x;
        result(x.rows - 1, 0) += *state; // an output that no later input could move
        return result;
    }};
    const CausalityReport report = examine(warm, input(3, 2));
    BOOST_TEST(letters_of(report, Outcome::passed) == "");
    BOOST_TEST(
        report.conclusion().starts_with(
            "NOT JUDGED, the model is not finite, or random, or keeps a state between calls: "),
        report.conclusion());
    BOOST_TEST(!report.holds());
    // Without any detector's help: the state moves no output but the one that it is shown in.
    const auto calls = std::make_shared<int>(0);
    const Subject counts{
        [calls](const Matrix& x) { return Matrix(x.rows, 2, ++*calls > 3 ? x(0, 0) : 1.0); }};
    BOOST_TEST(examine(counts, input(1, 2)).conclusion().find("after all others: output at") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_model_that_no_input_moves_is_not_judged,
                     *label("judged_without_a_past") * label("nothing_moved_is_a_pass")) {
    const Subject constant{[](const Matrix& x) { return Matrix(x.rows, 2, 1.0); }};
    const CausalityReport report = examine(constant, input(5, 2));
    BOOST_TEST(report.conclusion() ==
               "NOT JUDGED: no output moved, whatever was changed from position 1 on");
    BOOST_TEST(!report.holds());
}

// A detector during which the model throws says what it threw.
BOOST_AUTO_TEST_CASE(a_model_that_throws_is_judged_by_the_others,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("judged_without_a_past") * label("influence_of_one_position") *
                         label("throwing_not_concluded") *
                         label("undeclared_forbids_the_present")) {
    const Subject refuses_nan{[](const Matrix& x) {
        if (!detection::finite(x))
            throw std::invalid_argument("no NaN, please");
        return block_of(2)(x);
    }};
    const CausalityReport report = examine(refuses_nan, input(4, 2));
    BOOST_TEST(report.of("C").words == "it threw: no NaN, please");
    BOOST_TEST(letters_of(report, Outcome::passed) == "N B D F");
    BOOST_TEST(report.conclusion() ==
               "CAUSAL, as far as these inputs can show; not judged by "
               "C, where the model threw");

    const Subject refuses_short{[](const Matrix& x) {
        if (x.rows < 4)
            throw std::length_error("too short");
        return block_of(2)(x);
    }};
    const CausalityReport fixed = examine(refuses_short, input(4, 2));
    BOOST_TEST(fixed.of("D").words == "it threw: too short");
    BOOST_TEST(letters_of(fixed, Outcome::passed) == "N B C F");

    const Subject refuses_large{[](const Matrix& x) {
        if (!detection::ordinary(x))
            throw std::out_of_range("too large");
        return block_of(2)(x);
    }};
    BOOST_TEST(examine(refuses_large, input(4, 2)).conclusion() ==
               "NOT JUDGED: it threw: too large; not judged by B, C, where the model threw");
}

BOOST_AUTO_TEST_CASE(a_failure_does_not_hide_where_the_model_threw,
                     *label("throwing_not_concluded") * label("proof_forgets_the_position_before") *
                         label("proof_skips_the_first_column") * label("leak_called_dependence")) {
    const Subject subject{[](const Matrix& x) {
        if (!detection::finite(x))
            throw std::invalid_argument("no NaN, please");
        Matrix result = x;
        for (std::size_t t = 0; t + 1 < x.rows; ++t)
            result(t, 0) += x(t + 1, 0);
        return result;
    }};
    const std::string conclusion = examine(subject, input(4, 2)).conclusion();
    BOOST_TEST(conclusion.starts_with("LEAK, the future moves the past: "));
    BOOST_TEST(conclusion.ends_with("; not judged by C, where the model threw"), conclusion);
}

BOOST_AUTO_TEST_CASE(weights_of_another_shape_and_broken_caches_are_said,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("influence_of_one_position") * label("throwing_not_concluded") *
                         label("undeclared_forbids_the_present")) {
    Subject subject = decoder_of(2);
    subject.weights = [](const Matrix&) { return std::vector{Matrix(4, 3)}; };
    subject.cached->extend = [](std::any&, const Matrix&) { return Matrix(1, 5); };
    const CausalityReport report = examine(subject, input(4, 2));
    BOOST_TEST(report.of("A").words == "it threw: examine: the weights is 4x3, wanted 4x4");
    BOOST_TEST(report.of("E3").words == "it threw: examine: the model's output is 1x5, wanted 3x2");
    BOOST_TEST(report.conclusion() ==
               "CAUSAL, as far as these inputs can show; not judged by "
               "A, E1, E3, Em, G, where the model threw");
}

// ---- Tolerance

BOOST_AUTO_TEST_CASE(another_order_of_additions_passes_with_a_tolerance_and_the_report_says_so,
                     *label("truncation_without_tolerance") * label("cache_without_tolerance") *
                         label("tolerance_not_reported") * label("mask_removed") *
                         label("mask_one_too_far") * label("reach_without_the_present") *
                         label("branch_is_the_original") * label("second_document_not_changed") *
                         label("resume_keeps_what_is_gone") * label("influence_of_one_position") *
                         label("resume_without_tolerance")) {
    Subject subject = leaks::sum_grouped_by_length(correct_network()).subject;
    subject.tolerance = 1e-12;
    const CausalityReport report = examine(subject, input(12, 8));
    BOOST_TEST(letters_of(report, Outcome::passed) == "N A B C D E1 E3 Em F G");
    const std::string text = report_text(report),
                      words = "(D, E and G, where two computations ought to "
                              "agree, with a tolerance of 1e-12)";
    BOOST_TEST(text.find(words) != std::string::npos, text);
    subject.tolerance = 0;
    BOOST_TEST(report_text(examine(subject, input(12, 8))).find("tolerance") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_small_leak_is_a_leak_whatever_the_tolerance,
                     *label("proof_forgets_the_position_before") *
                         label("proof_skips_the_first_column") *
                         label("intervention_from_position_2") *
                         label("truncation_without_tolerance") * label("leak_called_dependence")) {
    Subject subject{[](const Matrix& x) {
        Matrix result = x;
        for (std::size_t t = 0; t + 1 < x.rows; ++t)
            result(t, 0) += 1e-9 * x(t + 1, 0);
        return result;
    }};
    for (const double tolerance : {0.0, 1e-3}) {
        subject.tolerance = tolerance;
        const CausalityReport report = examine(subject, input(4, 2));
        BOOST_TEST(report.failed("B"));
        BOOST_TEST(report.failed("D") == (tolerance == 0));
        BOOST_TEST(report.conclusion().starts_with(
            "LEAK, the future moves the past: changed the token at position 1: output at position "
            "0, column 0 moved from "));
    }
}

// ---- Driven scores

// Attention without a norm, whose mask is a large negative number.
Model filled_with(double value) {
    PytorchRandom random(9);
    const Matrix query = random.randn(8, 8), key = random.randn(8, 8);
    return [=](const Matrix& x) {
        return attend_filled(matmul(x, query), matmul(x, key), x, 0,
                             [=](std::size_t t, std::size_t s, double score) {
                                 return s > t ? value : score;
                             })
            .output;
    };
}

BOOST_AUTO_TEST_CASE(a_finite_mask_value_gives_way_to_driven_scores_only,
                     *label("no_driven_inputs") * label("maximum_not_subtracted") *
                         label("maximum_starts_at_zero") * label("not_driven_apart") *
                         label("no_random_rows") * label("leak_called_dependence") *
                         label("influence_of_one_position") *
                         label("undeclared_forbids_the_present")) {
    const Matrix x = input(6, 8);
    for (const double value : {-1e4, -1e9, -3.4e38}) {
        const Model model = filled_with(value);
        const Matrix before = model(x);
        for (std::size_t position = 1; position < x.rows; ++position)
            for (const auto& change : detection::changes_of_one({model}, x, position))
                BOOST_TEST(
                    !first_move_in_the_past({position, before, model(change.input)}).has_value(),
                    change.words);
        const std::string conclusion = examine({model}, x).conclusion();
        BOOST_TEST(conclusion.starts_with("LEAK, the future moves the past: " +
                                          std::string(value == -1e4 ? "x p" : "rows of ")),
                   value << ": " << conclusion);
    }
    const CausalityReport infinite = examine({filled_with(-infinity)}, x);
    BOOST_TEST(letters_of(infinite, Outcome::failed) == "C");
}

// ---- Conclusions

// A report in which these detectors failed, each with its letter for a witness.
CausalityReport failed_in(const std::vector<std::string>& letters) {
    CausalityReport report;
    for (const Detector& detector : detectors)
        report.findings.push_back(std::ranges::find(letters, detector.letter) == letters.end()
                                      ? Finding::passed()
                                      : Finding::failed(detector.letter));
    return report;
}

BOOST_AUTO_TEST_CASE(the_conclusion_is_the_gravest_finding, *label("leak_called_dependence")) {
    const std::vector<std::pair<std::string, std::string>> ranked{
        {"N", "NOT JUDGED, the model is not finite, or random, or keeps a state between calls: N"},
        {"B", "LEAK, the future moves the past: B"},
        {"G", "NOT INDEPENDENT: G"},
        {"F", "WRONG REACH: F"},
        {"D", "A SHORTER RUN GIVES OTHER NUMBERS: D"},
        {"E1", "THE CACHE GIVES OTHER NUMBERS: E1"},
        {"E3", "THE CACHE GIVES OTHER NUMBERS: E3"},
        {"Em", "THE CACHE GIVES OTHER NUMBERS: Em"},
        {"C", "CAUSAL FOR FINITE INPUTS as far as these show, but masked data is read: C"},
        {"A", "OUTPUTS CAUSAL, but the weights are not triangular: A"}};
    std::vector<std::string> failing;
    for (auto rank = ranked.rbegin(); rank != ranked.rend(); ++rank) {
        BOOST_TEST(failed_in({rank->first}).conclusion() == rank->second);
        failing.push_back(rank->first);
        BOOST_TEST(failed_in(failing).conclusion() == rank->second);
    }
    BOOST_TEST(failed_in({}).conclusion() == "CAUSAL, as far as these inputs can show");
}

// A mask that subtracts 60: the weights are about 1e-27, and no finite input shows them.
BOOST_AUTO_TEST_CASE(a_tiny_weight_is_named_before_the_data_that_is_read,
                     *label("tiny_weights_not_named") * label("reach_without_the_present") *
                         label("branch_is_the_original") * label("influence_of_one_position")) {
    PytorchRandom random(3);
    Network network(Block::from_pytorch(random, 8));
    network.attend = [](const Matrix& q, const Matrix& k, const Matrix& v, std::size_t first) {
        return attend_filled(q, k, v, first, [](std::size_t t, std::size_t s, double score) {
            return s > t ? score - 60 : score;
        });
    };
    Subject subject = subject_of(network);
    subject.packed = {};
    const CausalityReport report = examine(subject, input(6, 8));
    BOOST_TEST(letters_of(report, Outcome::failed) == "A C");
    BOOST_TEST(report.conclusion().starts_with("THE MASK LEAVES A WEIGHT; only rounding hides the "
                                               "leak: the weight of position 0 on position 1 is "),
               report.conclusion());
    BOOST_TEST(!report.holds());
}

BOOST_AUTO_TEST_CASE(a_report_has_a_line_for_each_detector_and_a_conclusion,
                     *label("proof_forgets_the_position_before") *
                         label("proof_skips_the_first_column") * label("no_prefix_of_one") *
                         label("influence_of_one_position") * label("throwing_not_concluded") *
                         label("intervention_from_position_2") *
                         label("undeclared_forbids_the_present")) {
    Subject subject{[](const Matrix& x) { return matmul({{1, 0}, {1, 1}}, x); }};
    subject.weights = [](const Matrix&) { return std::vector<Matrix>{{{0.5, 0.5}, {0, 1}}}; };
    BOOST_TEST(
        report_text(examine(subject, {{1, 2}, {3, -4}})) ==
        "  N  null test        passed\n"
        "  A  triangle         FAILED: the weight of position 0 on position 1 is 0.5\n"
        "  B  intervention     passed\n"
        "  C  poison           FAILED: made the token at position 1 nan: output at position "
        "0, column 0 moved from 1 to nan\n"
        "  D  truncation       not applicable: it threw: matmul(a, b): a is 2x2, b is 1x2; "
        "a's columns must equal b's rows. These fit as matmul_transposed(a, b).\n"
        "  E1 cache by ones    not applicable: the model has no cached form\n"
        "  E3 cache by threes  not applicable: the model has no cached form\n"
        "  Em cache mixed      not applicable: the model has no cached form\n"
        "  F  influence map    passed\n"
        "  G  independence     not applicable: no two branches, documents or items to compare\n"
        "  CAUSAL FOR FINITE INPUTS as far as these show, but masked data is read: made the "
        "token at position 1 nan: output at position 0, column 0 moved from 1 to nan; "
        "not judged by D, "
        "where the model threw\n");
    BOOST_CHECK_THROW(failed_in({}).of("E2"), std::out_of_range);
    check_message([] { failed_in({}).failed("E2"); },
                  {"CausalityReport: there is no detector 'E2'"});
}

// ---- Wrong use

BOOST_AUTO_TEST_CASE(examine_refuses_what_cannot_be_examined) {
    const Subject copy{[](const Matrix& x) { return x; }};
    check_message([&] { examine(copy, Matrix{}); }, {"examine: x is 0x0, an empty matrix"});
    check_message([&] { examine(copy, Matrix(3, 0)); }, {"examine: x is 3x0, an empty matrix"});
    for (const double value : {NaN, infinity})
        check_message(
            [&] {
                examine(copy, {{1, 2}, {3, value}});
            },
            {"examine: wanted a model, and an input x of finite numbers"});
    check_message(
        [] {
            examine({}, {{1, 2}});
        },
        {"examine: wanted a model, and an input x of finite numbers"});
    check_message(
        [] {
            examine({[](const Matrix&) { return Matrix(2, 2); }}, {{1, 2}});
        },
        {"examine: the model's output is 2x2, wanted 1x2"});
    check_message(
        [] {
            examine({[](const Matrix& x) { return Matrix(x.rows, 0); }}, {{1, 2}});
        },
        {"examine: the model's output is 1x0, an empty matrix"});
    check_message(
        [] {
            examine({[](const Matrix&) -> Matrix { throw std::runtime_error("own words"); }},
                    {{1}});
        },
        {"own words"});
}

BOOST_AUTO_TEST_SUITE_END()
