// What a model is said to do, and whether its runs show just that.
//
// Without a word about its reach, a model is held to one thing: no output before a changed input
// moves. With one, every pair of an output and an input is judged, from both sides: what lies
// outside the reach may not move, what lies within it must have.
#pragma once

#include "numbers/matrix.hpp"
#include "proof/intervention.hpp"
#include "proof/reach.hpp"
#include "record/outputs.hpp"
#include "record/runs.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace glassbox {

struct ReachClaim {
    std::string said; // as it was said: "--prefix 3"; empty if nothing was
    std::string words = "NO OUTPUT BEFORE A CHANGED INPUT MOVED"; // for the verdict
    Reach reach = causal_reach();
    std::size_t positions = 2;       // with fewer, it cannot be told from its neighbours
    std::optional<std::size_t> back; // of a window: as many positions

    bool both_ways() const { return !said.empty(); }
};

namespace claims {

inline std::string neither(const std::string& claim) {
    return claim + ", NEITHER MORE NOR LESS";
}

inline std::string option(const std::string& name, std::size_t value) {
    return name + " " + std::to_string(value);
}

// L (w - 1) positions back, and the first `sinks` beside them. Errors as window_reach.
inline ReachClaim window(std::size_t window, std::size_t layers, std::size_t sinks = 0) {
    const Reach reach = sink_reach(sinks, window, layers);
    const std::size_t back = layers * (window - 1);
    ReachClaim claim{option("--window", window) + " " + option("--layers", layers),
                     "A WINDOW OF " + std::to_string(window) + " IN " + std::to_string(layers) +
                         " LAYERS",
                     reach, sinks + back + 2, back};
    if (sinks > 0) {
        claim.back.reset(); // of a sink, any number of positions back
        claim.said += ' ';  // not " " + ...: GCC 12 takes that for an overlapping copy and warns
        claim.said += option("--sink", sinks);
        claim.words += " AND " + std::to_string(sinks) + (sinks == 1 ? " SINK" : " SINKS");
    }
    claim.words = neither(claim.words);
    return claim;
}

inline ReachClaim prefix(std::size_t P) {
    return {option("--prefix", P),
            neither("CAUSAL BEHIND A PREFIX OF " + std::to_string(P)),
            prefix_reach(P),
            P + 1,
            {}};
}

inline ReachClaim ahead(std::size_t K) {
    return {option("--ahead", K),
            neither("THE PAST AND " + std::to_string(K) + " AHEAD"),
            ahead_reach(K),
            K + 2,
            {}};
}

inline ReachClaim chunk(std::size_t N) {
    return {option("--chunk", N),
            neither("THE PAST IN CHUNKS OF " + std::to_string(N)),
            chunk_reach(N),
            N + 1,
            {}};
}

inline ReachClaim everything() {
    return {"--reach all", "EVERY INPUT MOVES EVERY OUTPUT", unlimited_reach(), 2, {}};
}

// The array `reach` of an archive.
inline ReachClaim array(const Matrix& allowed) {
    return {"the array reach",
            neither("WHAT THE ARRAY reach SAYS"),
            [allowed](std::size_t t, std::size_t s) { return allowed(t, s) != 0.0; },
            2,
            {}};
}

} // namespace claims

// What was said about the reach, on the command line or in the archive; not in both.
inline ReachClaim claim_about(const Runs& runs, const std::optional<ReachClaim>& said) {
    if (runs.reach && said)
        throw std::invalid_argument(runs.baseline.name + ": the archive has an array reach, and " +
                                    said->said + " was said as well; one of them, please");
    return runs.reach ? claims::array(*runs.reach) : said.value_or(ReachClaim());
}

// Throws std::invalid_argument if T positions are too few.
inline void require_shown(const ReachClaim& claim, std::size_t T) {
    if (T < claim.positions)
        throw std::invalid_argument(claim.said + ": " + std::to_string(T) +
                                    " positions cannot show where this reach ends; wanted at "
                                    "least " +
                                    std::to_string(claim.positions));
}

// The input of one position was changed: is there an output that may not move with it? Throws
// std::invalid_argument if not; but where everything may matter, that it does is what is tested.
inline void require_forbidden(const ReachClaim& claim, std::size_t T, std::size_t position) {
    for (std::size_t t = 0; t < T; ++t)
        if (!claim.reach(t, position))
            return;
    if (!claim.both_ways())
        throw std::invalid_argument("POSITION is " + std::to_string(position) +
                                    ", which has no past, so nothing would be tested; change the "
                                    "input at a later position");
    if (claim.said != claims::everything().said)
        throw std::invalid_argument("POSITION is " + std::to_string(position) +
                                    ", and every output may move with it by " + claim.said +
                                    "; change the input at another position");
}

// The first number, of all outputs outside the reach of the changed input, that moved.
inline std::optional<Witness> forbidden_move(const Intervention& experiment,
                                             const ReachClaim& claim, double tolerance) {
    const auto& [position, before, after] = experiment;
    for (std::size_t t = 0; t < before.rows; ++t)
        for (std::size_t c = 0; c < before.cols && !claim.reach(t, position); ++c)
            if (moved(before(t, c), after(t, c), tolerance))
                return Witness{position, t, c, before(t, c), after(t, c)};
    return std::nullopt;
}

// The verdict's words where the input of one position was changed.
inline std::string words_at(const ReachClaim& claim, std::size_t position) {
    const std::string at = std::to_string(position);
    return claim.both_ways() ? "INPUT " + at + " MOVED JUST WHAT IT MAY BY " + claim.said
                             : "NO OUTPUT BEFORE POSITION " + at + " MOVED";
}

// Did all outputs within the reach of the changed input move? Asked only of a reach that was said.
inline bool all_within_moved(const Intervention& experiment, const ReachClaim& claim,
                             double tolerance) {
    const std::vector<bool> moved = moved_outputs(experiment, tolerance);
    for (std::size_t t = 0; t < moved.size() && claim.both_ways(); ++t)
        if (claim.reach(t, experiment.position) && !moved[t])
            return false;
    return true;
}

struct Pair {
    std::size_t output, input;
};

// The first input that moved an output from past its reach, in the order of the inputs.
inline std::optional<Pair> first_beyond(const Influence& influence, const Reach& reach) {
    for (std::size_t s = 0; s < influence.moved.cols; ++s)
        for (std::size_t t = 0; t < influence.moved.rows; ++t)
            if (influence.moved(t, s) != 0.0 && !reach(t, s))
                return Pair{t, s};
    return std::nullopt;
}

// The outputs within the reach of an input that did not move with it: the first of them, in the
// order of the outputs, and how many there are.
struct Unmoved {
    std::optional<Pair> first;
    std::size_t count = 0, of = 0;
};

inline Unmoved unmoved_within(const Influence& influence, const Reach& reach) {
    Unmoved result;
    for (std::size_t t = 0; t < influence.moved.rows; ++t)
        for (std::size_t s = 0; s < influence.moved.cols; ++s) {
            if (!reach(t, s))
                continue;
            ++result.of;
            if (influence.moved(t, s) != 0.0)
                continue;
            ++result.count;
            if (!result.first)
                result.first = Pair{t, s};
        }
    return result;
}

// How many positions back the farthest input lies that moved an output: the largest t - s.
inline std::size_t farthest_back(const Influence& influence) {
    std::size_t farthest = 0;
    for (std::size_t s = 0; s < influence.moved.cols; ++s)
        for (std::size_t t = s; t < influence.moved.rows; ++t)
            if (influence.moved(t, s) != 0.0)
                farthest = std::max(farthest, t - s);
    return farthest;
}

// Throws std::invalid_argument where nobody said a reach, no output moved with any input but its
// own, and nothing else was tested: then nothing shows that positions are mixed at all.
inline void require_mixing(const Runs& runs, const Influence& influence, const ReachClaim& claim) {
    if (claim.both_ways() || runs.item_0_changed || !knows_only_its_own_input(influence))
        return;
    throw std::invalid_argument(
        runs.baseline.name +
        ": no output moved with any input but its own, so no mask was tested. It looks so where "
        "the items of a batch were taken for the positions, (T, B, C) for (B, T, C), and read each "
        "other: save item_0_changed, item 0 changed everywhere. If positions are not meant to be "
        "mixed, say --window 1 --layers 1");
}

// Whether the map keeps to the claim, with a line that says where not.
struct Judgement {
    bool holds;
    std::string words;
};

// In what way an output moved with an input outside the reach.
inline std::string beyond_words(const Influence& influence, const ReachClaim& claim,
                                const Pair& pair) {
    const std::string moved =
        "input " + std::to_string(pair.input) + " moved output " + std::to_string(pair.output);
    const std::string outside =
        claim.both_ways() ? ", outside the reach of " + claim.said : std::string();
    if (!claim.both_ways() && !unmoved_within(influence, unlimited_reach()).first)
        return "every output moved with every input";
    if (pair.input > pair.output)
        return "the past moved: " + moved + ", which comes before it" + outside;
    return "wider than said: " + moved +
        (claim.back ? ", " + std::to_string(pair.output - pair.input) +
                 " positions on; said is a reach of " + std::to_string(*claim.back)
                    : outside);
}

inline std::string unmoved_words(const Influence& influence, const ReachClaim& claim,
                                 const Unmoved& unmoved) {
    const std::size_t farthest = farthest_back(influence);
    if (claim.back && farthest < *claim.back)
        return "narrower than said: no output moved more than " + std::to_string(farthest) +
            " positions after its input; said is a reach of " + std::to_string(*claim.back);
    return "narrower than said: output " + std::to_string(unmoved.first->output) +
        " did not move with input " + std::to_string(unmoved.first->input) +
        ", within the reach of " + claim.said + " (" + std::to_string(unmoved.count) + " of " +
        std::to_string(unmoved.of) + " such pairs did not move)";
}

// All pairs, from both sides if a reach was said. What moved the past is named first.
inline Judgement judge(const Influence& influence, const ReachClaim& claim) {
    const Reach past_or_said = [&](std::size_t t, std::size_t s) {
        return s <= t || claim.reach(t, s);
    };
    for (const Reach& reach : {past_or_said, claim.reach})
        if (const auto beyond = first_beyond(influence, reach))
            return {false, beyond_words(influence, claim, *beyond)};
    if (!claim.both_ways())
        return {true, ""};
    const Unmoved unmoved = unmoved_within(influence, claim.reach);
    if (unmoved.first)
        return {false, unmoved_words(influence, claim, unmoved)};
    std::string words = "all " + std::to_string(unmoved.of) + " pairs within the reach moved";
    if (claim.back)
        words += "; the farthest input that matters lies " +
            std::to_string(farthest_back(influence)) + " positions back, as said";
    return {true, words};
}

} // namespace glassbox
