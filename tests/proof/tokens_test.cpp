// Models that read token ids: the detectors put ids in the place of ids, the special ones first.
#include "findings.hpp"
#include "model/decoder.hpp"
#include "proof/tokens.hpp"

using namespace glassbox;

namespace {

constexpr int pad = 30, eos = 31;
const Vocabulary vocabulary{32, {pad, eos}};
const std::vector<int> text{7, 3, 19, 3, 12, 5, 28};

// The decoder of lesson 12, two layers deep, with its cache.
Subject decoder() {
    const Decoder decoder = Decoder::from_numpy(7);
    Subject subject = subject_of_tokens(
        [=](const std::vector<int>& tokens) { return decoder.forward(tokens, {}).hidden; },
        vocabulary);
    subject.weights = [=](const Matrix& ids) {
        return std::vector{decoder.forward(tokens_of_column(ids), {}).weights};
    };
    subject.cached = CachedModel{[] { return std::any(KvCache{}); },
                                 [=](std::any& cache, const Matrix& ids) {
                                     Pass pass = decoder.extend(tokens_of_column(ids),
                                                                std::any_cast<KvCache&>(cache), {});
                                     cache = pass.cache;
                                     return pass.hidden;
                                 }};
    return subject;
}

// Sums of ids, and what `leak` makes of the text from position t + 1 on.
Subject sums_and(const std::function<double(const std::vector<int>& tokens, std::size_t t)>& leak) {
    return subject_of_tokens(
        [=](const std::vector<int>& tokens) {
            Matrix result(tokens.size(), 1);
            double sum = 0;
            for (std::size_t t = 0; t < tokens.size(); ++t)
                result(t, 0) = (sum += tokens[t]) + leak(tokens, t);
            return result;
        },
        vocabulary);
}

std::size_t count_behind(const std::vector<int>& tokens, std::size_t t, int id) {
    return static_cast<std::size_t>(
        std::count(tokens.begin() + static_cast<std::ptrdiff_t>(t) + 1, tokens.end(), id));
}

} // namespace

BOOST_AUTO_TEST_SUITE(models_of_tokens)

BOOST_AUTO_TEST_CASE(a_decoder_that_reads_tokens_passes,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("decoder_reads_local_positions") * label("positions_restart") *
                         label("cache_not_kept") * label("reach_without_the_present") *
                         label("branch_is_the_original") * label("undeclared_forbids_the_present") *
                         label("influence_of_one_position")) {
    for (const Reach& reach : {Reach{}, causal_reach()}) {
        Subject subject = decoder();
        subject.reach = reach;
        const CausalityReport report = examine_tokens(subject, text);
        BOOST_TEST(report.conclusion() == "CAUSAL, as far as these inputs can show",
                   report_text(report));
        BOOST_TEST(report.of("C").words == "a token is never NaN");
        for (const char* letter : {"N", "A", "B", "D", "E1", "E3", "Em", "F", "G"})
            check_passed(report.of(letter));
    }
}

BOOST_AUTO_TEST_CASE(a_decoder_without_its_mask_is_found,
                     *label("proof_forgets_the_position_before") *
                         label("proof_skips_the_first_column") *
                         label("intervention_from_position_2") * label("leak_called_dependence") *
                         label("special_tokens_not_tried")) {
    const Decoder open = Decoder::from_numpy(7);
    const Subject subject = subject_of_tokens(
        [=](const std::vector<int>& tokens) {
            return open.forward(tokens, {.causal = false}).hidden;
        },
        vocabulary);
    BOOST_TEST(examine_tokens(subject, text)
                   .conclusion()
                   .starts_with("LEAK, the future moves the past: put token 30 at position 1: "
                                "output at position 0, column 0 moved from "));
}

// Each special id opens a door that no other does.
BOOST_AUTO_TEST_CASE(a_leak_through_a_special_token_is_found,
                     *label("special_tokens_not_tried") *
                         label("proof_forgets_the_position_before") *
                         label("proof_skips_the_first_column") *
                         label("intervention_from_position_2") * label("rounding_excuses_all")) {
    check_passed(intervention(sums_and([](const auto&, std::size_t) { return 0.0; }),
                              column_of_tokens(text)));
    for (const int id : {pad, eos, 0}) {
        const Subject subject = sums_and([=](const std::vector<int>& tokens, std::size_t t) {
            return static_cast<double>(count_behind(tokens, t, id));
        });
        check_failed(intervention(subject, column_of_tokens(text)),
                     "put token " + std::to_string(id) +
                         " at position 1: output at position 0, column 0 moved from 7 to 8");
    }
}

BOOST_AUTO_TEST_CASE(a_leak_that_is_open_in_a_text_of_padding_is_found,
                     *label("no_text_of_special_tokens") * label("proof_skips_the_first_column") *
                         label("no_driven_inputs") * label("special_tokens_not_tried")) {
    for (const int id : {pad, eos, 0}) {
        const Subject subject = sums_and([=](const std::vector<int>& tokens, std::size_t t) {
            const bool open = std::count(tokens.begin(), tokens.end(), id) >= 6;
            return open && tokens[0] == id ? static_cast<double>(count_behind(tokens, t, id)) : 0.0;
        });
        BOOST_TEST(
            intervention(subject, column_of_tokens(text))
                .words.starts_with("a text of token " + std::to_string(id) + " alone, put token "));
    }
}

BOOST_AUTO_TEST_CASE(ids_are_replaced_by_ids_that_exist_and_are_others,
                     *label("special_tokens_not_tried")) {
    for (const int size : {2, 3, 32})
        for (const int own : {0, 1, size - 1}) {
            const Matrix x = column_of_tokens({1, own, 0});
            const auto tokens =
                detection::other_tokens({static_cast<std::size_t>(size), {1}}, x, 1);
            BOOST_TEST(!tokens.empty());
            for (const Matrix& token : tokens) {
                BOOST_TEST(token(0, 0) != own);
                BOOST_TEST((token(0, 0) >= 0 && token(0, 0) < size));
            }
            BOOST_TEST(tokens.front()(0, 0) == (own == 1 ? 0 : 1)); // the special one first
        }
}

BOOST_AUTO_TEST_CASE(ids_that_the_vocabulary_does_not_have_are_refused) {
    check_message(
        [] {
            examine_tokens(decoder(), {1, 32});
        },
        {"examine: token 32 of a vocabulary of 32; wanted"});
    check_message([] { examine_tokens(decoder(), {1, -1}); }, {"examine: token -1 of"});
    check_message([] { examine(decoder(), {{1}, {0.5}}); }, {"examine: token 0.5 of"});
    check_message([] { examine(decoder(), {{1, 2}}); }, {"a column of tokens is 1x2, wanted 1x1"});
    check_message([] { examine_tokens(decoder(), {}); }, {"examine: x is 0x1, an empty matrix"});
    Subject subject = decoder();
    subject.vocabulary->special = {40};
    check_message([&] { examine_tokens(subject, text); }, {"examine: token 40 of"});
    subject.vocabulary = Vocabulary{1, {}};
    check_message([&] { examine_tokens(subject, {0, 0}); }, {"wanted at least two tokens"});
    check_message([] { tokens_of_column({{1, 2}}); }, {"tokens_of_column: column is 1x2"});
}

BOOST_AUTO_TEST_SUITE_END()
