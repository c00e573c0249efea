// The gallery: every leak is caught by the detectors that its line claims and by no other, and the
// network that it was bent from by none.
#include "proof/causality.hpp"
#include "proof/leaks.hpp"
#include "support.hpp"

#include <algorithm>
#include <cctype>

using namespace glassbox;

namespace {

Matrix input(std::uint32_t seed) {
    PytorchRandom random(seed + 1);
    return random.randn(12, 8);
}

// Two galleries, bent from two networks; examined once for all tests.
const std::vector<std::pair<Leak, CausalityReport>>& examined() {
    static const auto all = [] {
        std::vector<std::pair<Leak, CausalityReport>> result;
        for (const std::uint32_t seed : {23U, 7U})
            for (const Leak& leak : gallery(correct_network(seed)))
                result.emplace_back(leak, examine(leak.subject, input(seed)));
        return result;
    }();
    return all;
}

std::string caught_by(const CausalityReport& report) {
    std::string letters;
    for (const Detector& detector : detectors)
        if (report.failed(detector.letter))
            letters += (letters.empty() ? "" : " ") + std::string(detector.letter);
    return letters;
}

} // namespace

BOOST_AUTO_TEST_SUITE(gallery_of_leaks)

// The first words of a conclusion; and "leak" is said, however it is spelled, only where B failed.
BOOST_AUTO_TEST_CASE(a_leak_is_called_a_leak_and_nothing_else_is,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("maximum_not_subtracted") * label("window_one_too_wide") *
                         label("maximum_starts_at_zero") *
                         label("proof_forgets_the_position_before") *
                         label("reach_without_the_present") * label("window_reaches_too_far") *
                         label("what_must_matter_not_judged") * label("branch_is_the_original") *
                         label("cache_never_went_on") * label("second_document_not_changed") *
                         label("leak_called_dependence") * label("extra_ignored_on_resume") *
                         label("nothing_kept_on_resume") * label("resume_keeps_what_is_gone") *
                         label("rule_asked_from_zero") * label("influence_of_one_position")) {
    const std::string
        random = "NOT JUDGED, the model is not finite, or random, or keeps a state between calls: ",
        leak = "LEAK, the future moves the past: ", reach = "WRONG REACH: ",
        masked = "CAUSAL FOR FINITE INPUTS as far as these show, but masked data is read: ",
        cache = "THE CACHE GIVES OTHER NUMBERS: ", shorter = "A SHORTER RUN GIVES OTHER NUMBERS: ",
        independent = "NOT INDEPENDENT: ";
    const std::map<std::string, std::string> expected{
        {"L04a", reach},      {"L04b", "CAUSAL, as far as these inputs can show"},
        {"L05a", masked},     {"L08", random},
        {"L09", masked},      {"L10", cache},
        {"L11", cache},       {"L12b", reach},
        {"L12c", reach},      {"L12d", reach},
        {"L13", cache},       {"L14", shorter},
        {"L23", independent}, {"L24", independent},
        {"L25", independent}, {"L27", cache},
        {"L28", cache},       {"FA2", random},
        {"FA3", shorter}};
    for (const auto& [leak_entry, report] : examined()) {
        const std::string conclusion = report.conclusion(), text = report_text(report);
        const auto words = expected.find(leak_entry.id);
        BOOST_TEST(conclusion.starts_with(words == expected.end() ? leak : words->second),
                   leak_entry.id << ": " << conclusion);
        std::string lower = text;
        std::ranges::transform(text, lower.begin(),
                               [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        BOOST_TEST((lower.find("leak") != std::string::npos) == report.failed("B"), text);
    }
}

BOOST_AUTO_TEST_CASE(every_leak_is_caught_by_the_detectors_that_its_line_claims_and_no_other,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("sine_and_cosine_swapped") * label("maximum_not_subtracted") *
                         label("window_one_too_wide") * label("maximum_starts_at_zero") *
                         label("proof_forgets_the_position_before") *
                         label("reach_without_the_present") * label("window_reaches_too_far") *
                         label("what_must_matter_not_judged") * label("branch_is_the_original") *
                         label("cache_never_went_on") * label("second_document_not_changed") *
                         label("extra_ignored_on_resume") * label("nothing_kept_on_resume") *
                         label("resume_keeps_what_is_gone") * label("rule_asked_from_zero") *
                         label("influence_of_one_position")) {
    for (const auto& [leak, report] : examined())
        BOOST_TEST(caught_by(report) == leak.caught_by, leak.id << ", " << leak.title);
}

BOOST_AUTO_TEST_SUITE_END()
