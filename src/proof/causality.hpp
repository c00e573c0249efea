// What the detectors say about a model, together: a finding from each, and a conclusion in a line.
#pragma once

#include "numbers/matrix.hpp"
#include "proof/detectors.hpp"
#include "proof/independence.hpp"
#include "proof/influence.hpp"
#include "proof/intervention.hpp"
#include "proof/subject.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
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

// What the model claims of the inputs at hand.
enum class ClaimKind {
    causal,          // nothing was declared, or just that
    declared,        // a reach that lets some of the future in
    causal_and_more, // a reach that forbids all of the future, and more
};

struct CausalityReport {
    std::vector<Finding> findings; // one for each of `detectors`, in their order
    double tolerance = 0.0;        // of D, E and parts of G
    ClaimKind claim = ClaimKind::causal;

    // What the detector with this letter found. Throws std::out_of_range if there is none.
    const Finding& of(const std::string& letter) const {
        for (std::size_t i = 0; i < findings.size(); ++i)
            if (letter == detectors[i].letter)
                return findings[i];
        throw std::out_of_range("CausalityReport: there is no detector '" + letter + "'");
    }

    bool failed(const std::string& letter) const { return of(letter).outcome == Outcome::failed; }

    // Was what the model claims put to the test? By B; by F if it claims nothing of the future.
    bool judged() const;

    // For programs: the claim was judged, and nothing failed. Detectors that were not applicable do
    // not count, nor those during which the model threw.
    bool holds() const;

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

inline ClaimKind claim_of(const Subject& subject, std::size_t T) {
    bool causal = true;
    for (std::size_t t = 0; t < T; ++t)
        for (std::size_t s = 0; s < T; ++s) {
            if (s > t && subject.may_matter(t, s))
                return ClaimKind::declared;
            causal = causal && subject.may_matter(t, s) == (s <= t);
        }
    return causal ? ClaimKind::causal : ClaimKind::causal_and_more;
}

// Throws std::invalid_argument for what cannot be examined.
inline void require_examinable(const Subject& subject, const Matrix& x) {
    require_filled(x, "examine: x");
    if (!subject.model || !detection::finite(x))
        throw std::invalid_argument("examine: wanted a model, and an input x of finite numbers");
    if (!subject.vocabulary)
        return;
    const auto size = static_cast<double>(subject.vocabulary->size);
    require_shape(x, x.rows, 1, "examine: x, a column of tokens");
    std::vector<double> ids = x.values;
    ids.insert(ids.end(), subject.vocabulary->special.begin(), subject.vocabulary->special.end());
    for (const double id : ids)
        if (size < 2 || id < 0 || id >= size || id != std::floor(id))
            throw std::invalid_argument("examine: token " + detection::number_text(id) +
                                        " of a vocabulary of " + detection::number_text(size) +
                                        "; wanted at least two tokens, with ids from 0 on");
}

// The last question: does the model still say of x what it said at first? After all that it has
// seen meanwhile, a state that it keeps between calls shows; so does chance.
inline std::optional<std::string> changed_meanwhile(const Subject& subject, const Matrix& x,
                                                    const Matrix& first) {
    try {
        const auto changed = detection::difference(first, subject.model(x), 0, 0.0);
        return changed ? std::optional("the same input, after all others: " + *changed) : changed;
    } catch (const std::exception& error) {
        return std::string("the same input, after all others: ") + it_threw + error.what();
    }
}

// Runs every detector on a subject, from the input x (T x C). Where the null test does not pass, no
// other detector is applicable; nor is one during which the model throws. What fails is run again,
// and must find the same, and the last run is the first one again: a model may be random so rarely,
// or change so slowly, that the null test misses it. Throws std::invalid_argument for an empty x,
// an x that is not finite or no token, no model, or one that does not return T rows; and what the
// model throws on x itself.
inline CausalityReport examine(const Subject& subject, const Matrix& x) {
    require_examinable(subject, x);
    const Matrix first = subject.model(x);
    CausalityReport report{{null_test(subject, x)}, subject.tolerance, claim_of(subject, x.rows)};
    const bool judged = report.findings[0].outcome == Outcome::passed;
    std::optional<std::string> unsteady;
    for (std::size_t i = 1; judged && !unsteady && i < detectors.size(); ++i) {
        report.findings.push_back(run_detector(detectors[i], subject, x));
        const Finding& found = report.findings.back();
        if (found.outcome == Outcome::failed &&
            run_detector(detectors[i], subject, x).words != found.words)
            unsteady = std::string("detector ") + detectors[i].letter +
                ", run twice, did not find the same twice";
    }
    if (judged && !unsteady)
        unsteady = changed_meanwhile(subject, x, first);
    if (unsteady)
        report.findings = {Finding::failed(*unsteady)};
    report.findings.resize(detectors.size(), Finding::not_applicable("see N"));
    return report;
}

inline bool CausalityReport::judged() const {
    const char* judge = of("B").words == detection::no_claim_ahead ? "F" : "B";
    return of("N").outcome != Outcome::not_applicable &&
        of(judge).outcome != Outcome::not_applicable;
}

inline bool CausalityReport::holds() const {
    return judged() && std::ranges::none_of(findings, [](const Finding& f) {
               return f.outcome == Outcome::failed;
           });
}

inline std::string CausalityReport::cut_short() const {
    std::string letters;
    for (std::size_t i = 0; i < findings.size(); ++i)
        if (findings[i].words.starts_with(it_threw))
            letters += std::string(letters.empty() ? "" : ", ") + detectors[i].letter;
    return letters.empty() ? "" : "; not judged by " + letters + ", where the model threw";
}

// What a failure of each detector means, the gravest first; but for A and C, which find no wrong
// output.
inline std::vector<std::pair<std::string, std::string>> grave_failures(ClaimKind claim) {
    return {
        {"N", "NOT JUDGED, the model is not finite, or random, or keeps a state between calls"},
        {"B",
         claim == ClaimKind::declared ? "LEAK, what the reach forbids moved"
                                      : "LEAK, the future moves the past"},
        {"G", "NOT INDEPENDENT"},
        {"F", "WRONG REACH"},
        {"D", "A SHORTER RUN GIVES OTHER NUMBERS"},
        {"E1", "THE CACHE GIVES OTHER NUMBERS"},
        {"E3", "THE CACHE GIVES OTHER NUMBERS"},
        {"Em", "THE CACHE GIVES OTHER NUMBERS"},
    };
}

// What the findings amount to, in one line. "Leak" is said only where a finite change of a later
// input moved an earlier output, or would have but for rounding.
inline std::string CausalityReport::conclusion() const {
    const std::string name = claim == ClaimKind::declared ? "AS DECLARED" : "CAUSAL";
    const auto found = [&](const std::string& meaning, const std::string& letter) {
        return meaning + ": " + of(letter).words + cut_short();
    };
    for (const auto& [letter, meaning] : grave_failures(claim))
        if (failed(letter))
            return found(meaning, letter);
    if (!judged())
        return found("NOT JUDGED", of("N").outcome == Outcome::not_applicable ? "N" : "B");
    const bool only_tiny = of("A").words.ends_with(detection::only_tiny);
    if (failed("A") && only_tiny)
        return found("THE MASK LEAVES A WEIGHT; only rounding hides the leak", "A");
    if (failed("C"))
        return found(name + " FOR FINITE INPUTS as far as these show, but masked data is read",
                     "C");
    if (failed("A"))
        return found("OUTPUTS " + name + ", but the weights are not triangular", "A");
    return (claim == ClaimKind::causal_and_more ? "AS DECLARED, AND CAUSAL" : name) +
        std::string(", as far as these inputs can show") + cut_short();
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
        text += std::string("  (D, E and G, where two computations ought to agree, with a "
                            "tolerance of ") +
            detection::number_text(report.tolerance) + ")\n";
    return text + "  " + report.conclusion() + "\n";
}

} // namespace glassbox
