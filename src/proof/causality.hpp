// What the detectors say about a model, together: a finding from each, and a conclusion in a line.
#pragma once

#include "numbers/matrix.hpp"
#include "proof/detectors.hpp"
#include "proof/intervention.hpp"

#include <array>
#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace glassbox {

struct Detector {
    const char* letter;
    const char* name;
    Finding (*run)(const Subject& subject, const Matrix& x);
};

// The detectors by the letters that the course uses for them. The null test comes first.
constexpr std::array<Detector, 10> detectors{{
    {"N", "null test", null_test},
    {"A", "triangle", triangular_weights},
    {"B", "intervention", intervention},
    {"C", "poison", poison},
    {"D", "truncation", truncation},
    {"E1", "cache by ones",
     [](const Subject& s, const Matrix& x) { return cached_decoding(s, x, {1}); }},
    {"E3", "cache by threes",
     [](const Subject& s, const Matrix& x) { return cached_decoding(s, x, {3}); }},
    {"Em", "cache mixed",
     [](const Subject& s, const Matrix& x) {
         return cached_decoding(s, x, {2, 1, 4});
     }},
    {"F", "influence map", influence},
    {"G", "independence", independence},
}};

struct CausalityReport {
    std::vector<Finding> findings; // one for each of `detectors`, in their order
    double tolerance = 0.0;        // of D and E

    // What the detector with this letter found. Throws std::out_of_range if there is none.
    const Finding& of(const std::string& letter) const {
        for (std::size_t i = 0; i < findings.size(); ++i)
            if (letter == detectors[i].letter)
                return findings[i];
        throw std::out_of_range("CausalityReport: there is no detector '" + letter + "'");
    }

    bool failed(const std::string& letter) const { return of(letter).outcome == Outcome::failed; }

    // The detectors during which the model threw, as the end of a conclusion; nothing if none.
    std::string cut_short() const;
    std::string conclusion() const;
};

constexpr const char* it_threw = "it threw: ";

// What one detector finds; nothing applicable where the model throws.
inline Finding run_detector(const Detector& detector, const Subject& subject, const Matrix& x) {
    try {
        return detector.run(subject, x);
    } catch (const std::exception& error) {
        return Finding::not_applicable(std::string(it_threw) + error.what());
    }
}

// Runs every detector on a subject, from the input x (T x C). Where the null test does not pass, no
// other detector is applicable; nor is one during which the model throws. What fails is run again,
// and must find the same: a model may be random so rarely that the null test misses it. Throws
// std::invalid_argument for an empty x, an x that is not finite, no model, or one that does not
// return T rows; and what the model throws on x itself.
inline CausalityReport examine(const Subject& subject, const Matrix& x) {
    require_filled(x, "examine: x");
    if (!subject.model || !detection::finite(x))
        throw std::invalid_argument("examine: wanted a model, and an input x of finite numbers");
    CausalityReport report{{null_test(subject, x)}, subject.tolerance};
    const bool judged = report.findings[0].outcome == Outcome::passed;
    for (std::size_t i = 1; judged && i < detectors.size(); ++i) {
        report.findings.push_back(run_detector(detectors[i], subject, x));
        const Finding& found = report.findings.back();
        if (found.outcome == Outcome::failed &&
            run_detector(detectors[i], subject, x).words != found.words) {
            report.findings = {Finding::failed(std::string("detector ") + detectors[i].letter +
                                               ", run twice, did not find the same twice")};
            break;
        }
    }
    report.findings.resize(detectors.size(), Finding::not_applicable("see N"));
    return report;
}

inline std::string CausalityReport::cut_short() const {
    std::string letters;
    for (std::size_t i = 0; i < findings.size(); ++i)
        if (findings[i].words.starts_with(it_threw))
            letters += std::string(letters.empty() ? "" : ", ") + detectors[i].letter;
    return letters.empty() ? "" : "; but not judged by " + letters + ", where the model threw";
}

// What the findings amount to, in one line. "Leak" is said only where a finite change of a later
// input moved an earlier output.
inline std::string CausalityReport::conclusion() const {
    for (const auto& [letter, meaning] : std::array<std::array<const char*, 2>, 8>{{
             {"N", "NOT JUDGED, the model is random or not finite"},
             {"B", "LEAK, the future moves the past"},
             {"G", "NOT INDEPENDENT"},
             {"F", "WRONG REACH"},
             {"D", "A SHORTER RUN GIVES OTHER NUMBERS"},
             {"E1", "THE CACHE GIVES OTHER NUMBERS"},
             {"E3", "THE CACHE GIVES OTHER NUMBERS"},
             {"Em", "THE CACHE GIVES OTHER NUMBERS"},
         }})
        if (failed(letter))
            return std::string(meaning) + ": " + of(letter).words;
    for (const char* letter : {"N", "B"})
        if (of(letter).outcome == Outcome::not_applicable)
            return "NOT JUDGED: " + of(letter).words;
    if (failed("C"))
        return "CAUSAL FOR FINITE INPUTS as far as these show, but masked data is read: " +
            of("C").words + cut_short();
    if (failed("A"))
        return "OUTPUTS CAUSAL, but the weights are not triangular: " + of("A").words + cut_short();
    return "CAUSAL, as far as these inputs can show" + cut_short();
}

// A line for each detector, then the conclusion.
inline std::string report_text(const CausalityReport& report) {
    std::string text;
    for (std::size_t i = 0; i < report.findings.size(); ++i) {
        const auto& [outcome, words] = report.findings[i];
        std::string line = std::string("  ") + detectors[i].letter;
        line.resize(5, ' ');
        line += detectors[i].name;
        line.resize(22, ' ');
        line += outcome == Outcome::passed ? "passed"
            : outcome == Outcome::failed   ? "FAILED"
                                           : "not applicable";
        text += line + (words.empty() ? "" : ": " + words) + "\n";
    }
    if (report.tolerance > 0.0)
        text += std::string("  (D and E with a tolerance of ") +
            detection::number_text(report.tolerance) + ")\n";
    return text + "  " + report.conclusion() + "\n";
}

} // namespace glassbox
