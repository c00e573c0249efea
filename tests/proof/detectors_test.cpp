// Each detector alone, on the smallest models that it can judge: what it passes, what it finds, and
// in which words. The models are written by hand; none of them is a transformer.
#include "proof/causality.hpp"
#include "proof/detectors.hpp"
#include "support.hpp"

#include <memory>
#include <tuple>

using namespace glassbox;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double NaN = std::numeric_limits<double>::quiet_NaN();

const Matrix three{{1, 2}, {-3, 4}, {5, -0.5}}; // T = 3, C = 2

Matrix copy_of(const Matrix& x) {
    return x;
}

// Copies its input, but for one number, which says whether something is true of the input.
Model tells(std::size_t t, const std::function<bool(const Matrix&)>& what) {
    return [=](const Matrix& x) {
        Matrix result = x;
        if (t < x.rows)
            result(t, 1) = what(x) ? 1.0 : 0.0;
        return result;
    };
}

void check_passed(const Finding& finding, const std::string& words = "") {
    BOOST_CHECK(finding.outcome == Outcome::passed);
    BOOST_TEST(finding.words == words);
}

void check_failed(const Finding& finding, const std::string& words) {
    BOOST_CHECK(finding.outcome == Outcome::failed);
    BOOST_TEST(finding.words == words);
}

void check_not_applicable(const Finding& finding, const std::string& words) {
    BOOST_CHECK(finding.outcome == Outcome::not_applicable);
    BOOST_TEST(finding.words == words);
}

// A cached form that copies; `wrong` says after how many positions which chunk comes out negative.
CachedModel copying_cache(
    const std::function<bool(std::size_t cached, std::size_t chunk)>& wrong = {}) {
    return {[] { return std::any(std::size_t{0}); },
            [=](std::any& cache, const Matrix& chunk) {
                auto& count = std::any_cast<std::size_t&>(cache);
                const bool negative = wrong && wrong(count, chunk.rows);
                count += chunk.rows;
                return negative ? chunk * -1.0 : chunk;
            }};
}

Matrix numbered(std::size_t T) {
    Matrix x(T, 2);
    for (std::size_t t = 0; t < T; ++t)
        x(t, 0) = x(t, 1) = static_cast<double>(t + 1) / 4;
    return x;
}

} // namespace

BOOST_AUTO_TEST_SUITE(detectors_alone)

// ---- N

BOOST_AUTO_TEST_CASE(the_null_test_passes_what_repeats_and_is_finite) {
    check_passed(null_test({copy_of}, three));
}

BOOST_AUTO_TEST_CASE(the_null_test_finds_a_random_model_whatever_the_tolerance,
                     *label("tolerance_in_the_null_test")) {
    for (const double tolerance : {0.0, 1e6}) {
        const auto count = std::make_shared<int>(0);
        Subject subject{[count](const Matrix& x) { return Matrix(x.rows, 1, ++*count); }};
        subject.tolerance = tolerance;
        check_failed(null_test(subject, three),
                     "the same input twice: output at position 0, column 0 moved from 1 to 2");
    }
}

BOOST_AUTO_TEST_CASE(a_baseline_that_is_not_finite_fails_on_ordinary_inputs_only,
                     *label("sign_of_a_nan_shown") * label("ordinary_up_to_a_thousand") *
                         label("bits_compared_by_value")) {
    for (const auto& [value, text] :
         {std::pair{NaN, "nan"}, {-NaN, "nan"}, {infinity, "inf"}, {-infinity, "-inf"}}) {
        const Subject subject{[value = value](const Matrix& x) {
            Matrix result(x.rows, 3);
            result(1, 2) = value;
            return result;
        }};
        const std::string words =
            std::string("before anything was changed, output at position 1, column 2 is ") + text;
        check_failed(null_test(subject, three), words);
        check_not_applicable(null_test(subject, three * 2), words);
        check_not_applicable(null_test(subject, three * 1e-5), words);
    }
}

// ---- A

BOOST_AUTO_TEST_CASE(weights_above_the_diagonal_are_found_in_any_head) {
    Matrix open(3, 3, 0.25);
    const Matrix closed{{1, 0, -0.0}, {0.5, 0.5, 0}, {0, 0.5, 0.5}};
    const auto finding = [](std::vector<Matrix> heads) {
        return triangular_weights({copy_of, [=](const Matrix&) { return heads; }}, three);
    };
    check_passed(finding({closed, closed}));
    check_failed(finding({closed, open}), "the weight of position 0 on position 1 is 0.25");
    open(0, 1) = 0;
    check_failed(finding({open}), "the weight of position 0 on position 2 is 0.25");
    open(0, 2) = 0;
    open(1, 2) = NaN;
    check_failed(finding({open}), "the weight of position 1 on position 2 is nan");
}

BOOST_AUTO_TEST_CASE(without_weights_the_triangle_is_not_applicable,
                     *label("no_heads_are_triangular")) {
    check_not_applicable(triangular_weights({copy_of}, three),
                         "the model does not show its weights");
    const auto none = [](const Matrix&) { return std::vector<Matrix>{}; };
    check_not_applicable(triangular_weights({copy_of, none}, three),
                         "the model shows no head's weights");
}

BOOST_AUTO_TEST_CASE(weights_of_another_shape_are_refused) {
    const auto narrow = [](const Matrix&) { return std::vector{Matrix(3, 2)}; };
    check_message(
        [&] {
            triangular_weights({copy_of, narrow}, three);
        },
        {"examine: the weights is 3x2, wanted 3x3"});
}

// ---- B

BOOST_AUTO_TEST_CASE(intervention_names_the_first_output_that_moved,
                     *label("proof_forgets_the_position_before")) {
    check_passed(intervention({copy_of}, three));
    const Subject leaky{tells(0, [](const Matrix& x) { return x(2, 0) == 5; })};
    check_failed(intervention(leaky, three),
                 "changed the token at position 2: output at position "
                 "0, column 1 moved from 1 to 0");
    const Subject near{tells(1, [](const Matrix& x) { return x(2, 1) == -0.5; })};
    check_failed(intervention(near, three),
                 "changed the token at position 2: output at position "
                 "1, column 1 moved from 1 to 0");
}

BOOST_AUTO_TEST_CASE(intervention_changes_the_second_token_too,
                     *label("intervention_from_position_2") *
                         label("proof_forgets_the_position_before")) {
    const Subject leaky{tells(0, [](const Matrix& x) { return x(1, 0) == -3; })};
    check_failed(intervention(leaky, three),
                 "changed the token at position 1: output at position "
                 "0, column 1 moved from 1 to 0");
}

BOOST_AUTO_TEST_CASE(intervention_tries_small_and_large_rows_of_both_signs,
                     *label("no_small_replacement") * label("no_negative_replacement") *
                         label("proof_forgets_the_position_before") *
                         label("intervention_from_position_2")) {
    const std::vector<std::function<bool(double)>> conditions{
        [](double value) { return std::abs(value) < 0.01; },
        [](double value) { return value > 200 && value < 2000; },
        [](double value) { return value < -200 && value > -2000; }};
    for (const auto& condition : conditions) {
        const Subject leaky{tells(
            0, [=](const Matrix& x) { return std::abs(x(0, 0)) < 10 && condition(x(1, 0)); })};
        check_failed(intervention(leaky, three),
                     "changed the token at position 1: output at "
                     "position 0, column 1 moved from 0 to 1");
    }
}

BOOST_AUTO_TEST_CASE(intervention_repeats_a_token, *label("no_token_repeated")) {
    const Subject leaky{tells(0, [](const Matrix& x) { return same_bits(x.row(1), x.row(2)); })};
    check_failed(intervention(leaky, three),
                 "repeated the token before position 2: output at "
                 "position 0, column 1 moved from 0 to 1");
    check_passed(intervention({copy_of}, Matrix(3, 2, 1.0))); // nothing to repeat
}

BOOST_AUTO_TEST_CASE(intervention_changes_several_tokens_at_once,
                     *label("one_token_changed_at_once") *
                         label("proof_forgets_the_position_before") *
                         label("intervention_from_position_2")) {
    for (const double sign : {1.0, -1.0}) {
        const Subject leaky{tells(0, [=](const Matrix& x) {
            return std::abs(x(0, 0)) < 10 && sign * x(1, 0) > 200 && sign * x(2, 0) > 200;
        })};
        check_failed(intervention(leaky, three),
                     "changed all tokens from position 1 on: output at "
                     "position 0, column 1 moved from 0 to 1");
    }
}

// Each of these leaks is open only on one driven input.
BOOST_AUTO_TEST_CASE(intervention_starts_from_driven_inputs_as_well,
                     *label("no_driven_inputs") * label("not_driven_far") *
                         label("not_driven_apart") * label("no_random_rows")) {
    std::vector<std::pair<std::string, Matrix>> driven{
        {"x times 1e3", {{1 * 1e3, 2 * 1e3}}},
        {"x plus 1e3", {{1 + 1e3, 2 + 1e3}}},
        {"x plus and minus 1e3", {{1 - 1e3, 2 + 1e3}}},
        {"x times 1e20", {{1 * 1e20, 2 * 1e20}}}};
    for (const auto& [seed, size, text] :
         {std::tuple{1U, 1e3, "1e3"}, {1U, 1e20, "1e20"}, {5U, 1e3, "1e3"}, {5U, 1e20, "1e20"}}) {
        PytorchRandom random(seed);
        driven.emplace_back(std::string("rows of PytorchRandom(") + std::to_string(seed) +
                                ") times " + text,
                            rows_of(random.randn(3, 2) * size, 0, 1));
    }
    for (const auto& [words, first_row] : driven) {
        const Subject leaky{
            tells(0, [row = first_row, start = std::optional<double>()](const Matrix& x) mutable {
                if (!same_bits(x.row(0), row.row(0)))
                    return false;
                start = start.value_or(x(2, 0)); // the row of the first run
                return x(2, 0) != *start;
            })};
        check_failed(intervention(leaky, three),
                     words +
                         ", changed the token at position 2: output at position 0, column 1 "
                         "moved from 0 to 1");
    }
}

BOOST_AUTO_TEST_CASE(intervention_leaves_out_driven_inputs_that_overflow,
                     *label("overflowing_inputs_tried")) {
    const Subject picky{[](const Matrix& x) {
        if (!detection::finite(x))
            throw std::invalid_argument("not finite");
        return x;
    }};
    check_passed(intervention(picky, three * 1e300));
}

// What is masked here overflows, and comes out as 0 times infinity; unless it is changed.
BOOST_AUTO_TEST_CASE(intervention_starts_where_the_output_is_finite,
                     *label("nan_taken_for_a_baseline")) {
    const Subject overflows{[](const Matrix& x) {
        Matrix result = x;
        result(0, 0) += 0.0 * (x(2, 0) * x(2, 0) * 1e280);
        return result;
    }};
    check_passed(intervention(overflows, three));
}

BOOST_AUTO_TEST_CASE(an_input_from_the_detectors_own_stream_is_no_obstacle,
                     *label("replacement_stands_there_already") *
                         label("second_document_not_changed") *
                         label("influence_of_one_position")) {
    for (const std::uint32_t seed : {1U, 2U})
        for (const double size : {1.0, 1e-3, 1e3}) {
            PytorchRandom random(seed);
            const Matrix row = random.randn(1, 2) * size;
            Matrix x(3, 2, 1.0);
            for (const std::size_t t : {0U, 2U})
                std::ranges::copy(row.row(0), x.row(t).begin());
            Subject subject{copy_of};
            subject.reach = [](std::size_t t, std::size_t s) { return t == s; };
            subject.cached = copying_cache();
            subject.cached->resume = [](std::any&, const Matrix& all) { return all; };
            subject.packed = [](const Matrix& all, std::size_t) { return all; };
            for (const auto& detector : {intervention, independence, influence})
                BOOST_CHECK(detector(subject, x).outcome == Outcome::passed);
        }
}

BOOST_AUTO_TEST_CASE(an_output_whose_shape_depends_on_the_future_is_refused) {
    const Subject subject{[](const Matrix& x) { return Matrix(x.rows, x(2, 0) == 5 ? 2 : 4); }};
    check_message([&] { intervention(subject, three); },
                  {"examine: the changed output is 3x4, wanted 3x2"});
    check_message([&] { poison(subject, three); },
                  {"examine: the changed output is 3x4, wanted 3x2"});
}

// ---- C

BOOST_AUTO_TEST_CASE(poison_is_nan_and_both_infinities,
                     *label("no_negative_infinity") * label("proof_forgets_the_position_before") *
                         label("proof_skips_the_first_column")) {
    const std::string words = "made the token at position 1 ";
    const std::string moved = ": output at position 0, column 1 moved from 0 to 1";
    check_passed(poison({copy_of}, three));
    check_failed(poison({tells(0, [](const Matrix& x) { return std::isnan(x(1, 0)); })}, three),
                 words + "nan" + moved);
    check_failed(poison({tells(0, [](const Matrix& x) { return x(1, 0) == infinity; })}, three),
                 words + "inf" + moved);
    check_failed(poison({tells(0, [](const Matrix& x) { return x(1, 0) == -infinity; })}, three),
                 words + "-inf" + moved);
    const Model reads_masked = [](const Matrix& x) {
        Matrix result = x;
        result(0, 0) += 0.0 * x(2, 0);
        return result;
    };
    check_failed(poison({reads_masked}, three),
                 "made the token at position 2 nan: output at "
                 "position 0, column 0 moved from 1 to nan");
    check_passed(intervention({reads_masked}, three));
}

// ---- D

BOOST_AUTO_TEST_CASE(truncation_tries_every_prefix, *label("no_prefix_of_one")) {
    check_passed(truncation({copy_of}, three));
    for (const std::size_t T : {1U, 2U})
        check_failed(truncation({tells(0, [=](const Matrix& x) { return x.rows == T; })}, three),
                     std::string("kept only the first ") + std::to_string(T) +
                         " of 3 positions: output at position 0, column 1 moved from 0 to 1");
}

BOOST_AUTO_TEST_CASE(truncation_and_the_cache_have_a_tolerance,
                     *label("truncation_without_tolerance") * label("cache_without_tolerance")) {
    const Matrix x = numbered(6);
    Subject subject{[](const Matrix& input) {
        return Matrix(input.rows, 1, 1.0 + 1e-13 * static_cast<double>(input.rows));
    }};
    subject.cached = copying_cache();
    subject.cached->extend = [](std::any&, const Matrix& chunk) {
        return Matrix(chunk.rows, 1, 1.0);
    };
    BOOST_CHECK(truncation(subject, x).outcome == Outcome::failed);
    BOOST_CHECK(cached_decoding(subject, x, {1}).outcome == Outcome::failed);
    subject.tolerance = 1e-12;
    check_passed(truncation(subject, x));
    check_passed(cached_decoding(subject, x, {1}));
    subject.cached->extend = [](std::any&, const Matrix& chunk) {
        return Matrix(chunk.rows, 1, NaN); // close to nothing
    };
    BOOST_CHECK(cached_decoding(subject, x, {1}).outcome == Outcome::failed);
}

// ---- E

BOOST_AUTO_TEST_CASE(cached_decoding_names_the_chunk) {
    Subject subject{copy_of};
    subject.cached = copying_cache();
    for (const std::size_t T : {1U, 2U, 3U, 7U, 12U})
        for (const std::vector<std::size_t>& sizes :
             {std::vector<std::size_t>{1}, {3}, {2, 1, 4}, {20}})
            check_passed(cached_decoding(subject, numbered(T), sizes));
    subject.cached = copying_cache([](std::size_t cached, std::size_t) { return cached == 5; });
    check_failed(cached_decoding(subject, numbered(7), {1}),
                 "cached 5 positions, then a chunk of 1: output at position 5, column 0 moved from "
                 "1.5 to -1.5 (full run to cached)");
    subject.cached = copying_cache([](std::size_t, std::size_t chunk) { return chunk == 4; });
    check_failed(cached_decoding(subject, numbered(7), {2, 1, 4}),
                 "cached 3 positions, then a chunk of 4: output at position 3, column 0 moved from "
                 "1 to -1 (full run to cached)");
}

BOOST_AUTO_TEST_CASE(cached_decoding_starts_from_a_warm_cache_as_well, *label("no_warm_cache")) {
    Subject subject{copy_of};
    subject.cached = copying_cache([](std::size_t cached, std::size_t chunk) {
        return cached == 4 && chunk == 3; // by threes, 4 are cached only after a warm start of 4
    });
    check_failed(cached_decoding(subject, numbered(8), {3}),
                 "cached 4 positions, then a chunk of 3: output at position 4, column 0 moved from "
                 "1.25 to -1.25 (full run to cached)");
}

BOOST_AUTO_TEST_CASE(without_a_cached_form_cached_decoding_is_not_applicable) {
    check_not_applicable(cached_decoding({copy_of}, three, {1}), "the model has no cached form");
}

// ---- F

BOOST_AUTO_TEST_CASE(the_influence_map_is_judged_in_both_directions,
                     *label("reach_without_the_present") * label("what_must_matter_not_judged") *
                         label("influence_of_one_position")) {
    const Model sums = [](const Matrix& x) {
        Matrix result = x;
        for (std::size_t t = 1; t < x.rows; ++t)
            result(t, 0) += result(t - 1, 0);
        return result;
    };
    check_passed(influence({sums}, three));
    check_failed(influence({copy_of}, three),
                 "the token at position 0 does not matter to the output at position 1, and must by "
                 "Subject::reach; that of a model with a window is window_reach(w, layers)");
    const Model reversed = [=](const Matrix& x) {
        return matmul({{0, 0, 1}, {0, 1, 0}, {1, 0, 0}}, x);
    };
    Subject subject{reversed};
    subject.reach = [](std::size_t t, std::size_t s) { return s <= t && t + s == 2; };
    check_failed(influence(subject, three),
                 "the token at position 2 matters to the output at position 0, and must not");
    subject.reach = [](std::size_t t, std::size_t s) { return t + s == 2; };
    check_passed(influence(subject, three));
}

BOOST_AUTO_TEST_CASE(what_must_matter_is_judged_on_ordinary_inputs_with_two_channels_only,
                     *label("what_must_matter_judged_anywhere") *
                         label("ordinary_up_to_a_thousand") * label("reach_without_the_present") *
                         label("influence_of_one_position")) {
    const std::string words = "only what must not matter: one channel, or extreme inputs";
    for (const double scale : {1e-5, 10.0, 1e100})
        check_passed(influence({copy_of}, three * scale), words);
    check_passed(influence({copy_of}, {{1}, {2}}), words);
    const Model reversed = [](const Matrix& x) { return matmul({{0, 1}, {1, 0}}, x); };
    check_failed(influence({reversed}, {{1}, {2}}),
                 "the token at position 1 matters to the output at position 0, and must not");
}

BOOST_AUTO_TEST_CASE(one_of_two_replacements_is_enough_to_matter,
                     *label("second_replacement_not_read") * label("reach_without_the_present") *
                         label("influence_of_one_position")) {
    PytorchRandom first(1), second(2); // the streams of the two replacements
    const double one = first.randn(1, 2)(0, 0), other = second.randn(1, 2)(0, 0);
    const double between = (one + other) / 2;
    const Model threshold = [=](const Matrix& x) { // only one of the two lies beyond it
        return Matrix{{x(0, 0), 0}, {x(1, 0), x(0, 0) > between ? 1.0 : 0.0}};
    };
    check_passed(influence({threshold}, {{between - 0.01, 1}, {2, 3}}));
    check_passed(influence({threshold}, {{between + 0.01, 1}, {2, 3}}));
}

// ---- G

BOOST_AUTO_TEST_CASE(a_branch_that_writes_into_the_original_is_found) {
    using Shared = std::shared_ptr<double>;
    Subject subject{copy_of};
    subject.cached = copying_cache();
    check_passed(independence(subject, numbered(4)));
    subject.cached = CachedModel{[] { return std::any(std::make_shared<double>(0)); },
                                 [](std::any& cache, const Matrix& chunk) {
                                     *std::any_cast<Shared&>(cache) += 1;
                                     return Matrix(chunk.rows, 1, *std::any_cast<Shared&>(cache));
                                 }};
    check_failed(independence(subject, numbered(4)),
                 "extended a copy of the cache at position 2; continued the original: output at "
                 "position 2, column 0 moved from 2 to 3");
}

// Sums up; what is known already is not summed again.
Matrix resumed_sums(std::any& cache, const Matrix& x, std::size_t extra) {
    auto& [seen, sums] = std::any_cast<std::pair<Matrix, Matrix>&>(cache);
    std::size_t kept = 0;
    while (kept < seen.rows && same_bits(seen.row(kept), x.row(kept)))
        ++kept;
    kept = std::min(kept + extra, seen.rows);
    sums = rows_of(sums, 0, kept);
    for (std::size_t t = kept; t < x.rows; ++t)
        append_rows(sums, {{x(t, 0) + (t == 0 ? 0.0 : sums(t - 1, 0))}});
    seen = x;
    return sums;
}

BOOST_AUTO_TEST_CASE(a_cache_used_past_an_edit_is_found, *label("cache_never_went_on")) {
    Subject subject{copy_of};
    subject.cached = copying_cache();
    for (const std::size_t extra : {0U, 1U}) {
        subject.cached->start = [] { return std::any(std::pair<Matrix, Matrix>()); };
        subject.cached->extend = [](std::any&, const Matrix& chunk) { return chunk; };
        subject.cached->resume = [=](std::any& cache, const Matrix& x) {
            return resumed_sums(cache, x, extra);
        };
        const Finding finding = independence(subject, {{1, 0}, {2, 0}, {3, 0}});
        if (extra == 0)
            check_passed(finding);
        else
            BOOST_TEST(finding.words.starts_with("edited the token at position 0 and resumed from "
                                                 "the cache: output at position 0, column 0 moved "
                                                 "from 0."));
    }
}

BOOST_AUTO_TEST_CASE(packed_documents_that_meet_are_found_in_both_directions,
                     *label("second_document_not_changed")) {
    Subject subject{copy_of};
    subject.packed = [](const Matrix& x, std::size_t) { return x; };
    check_passed(independence(subject, three));
    const auto packed = [](std::size_t t, std::size_t s) {
        return [=](const Matrix& x, std::size_t) {
            Matrix result = x;
            result(t, 0) = x(s, 1) == three(s, 1) ? 1 : 0;
            return result;
        };
    };
    subject.packed = packed(2, 0); // documents {0} and {1, 2}
    check_failed(independence(subject, three),
                 "two documents, the second from position 1; changed position 0: output at "
                 "position 2, column 0 moved from 1 to 0");
    subject.packed = packed(0, 2);
    check_failed(independence(subject, three),
                 "two documents, the second from position 1; changed position 2: output at "
                 "position 0, column 0 moved from 1 to 0");
    subject.packed = packed(2, 1); // within a document
    check_passed(independence(subject, three));
}

BOOST_AUTO_TEST_CASE(a_single_position_has_no_past_no_prefix_and_no_branch,
                     *label("reach_without_the_present")) {
    const Matrix x{{1, 2}};
    Subject subject{copy_of};
    check_not_applicable(independence(subject, three), "no two branches or documents to compare");
    subject.cached = copying_cache();
    check_passed(null_test(subject, x));
    check_not_applicable(intervention(subject, x), "one position has no past");
    check_not_applicable(poison(subject, x), "one position has no past");
    check_not_applicable(truncation(subject, x), "one position has no shorter prefix");
    check_passed(cached_decoding(subject, x, {3}));
    check_passed(influence(subject, x));
    check_not_applicable(independence(subject, x), "no two branches or documents to compare");
}

BOOST_AUTO_TEST_SUITE_END()
