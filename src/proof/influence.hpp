// F, the influence map: what must not matter does not, and what must matter does.
#pragma once

#include "numbers/matrix.hpp"
#include "proof/changes.hpp"
#include "proof/detectors.hpp"
#include "proof/intervention.hpp"
#include "proof/subject.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace glassbox {

namespace detection {

// What the influence map has seen: which pairs (t, s) showed, and in how many different changes of
// each input.
struct Shown {
    Matrix pairs; // T x T, above 0 where input s moved output t
    std::size_t changes;
};

inline bool every_pair_shows(const Subject& subject, const Matrix& pairs) {
    for (std::size_t t = 0; t < pairs.rows; ++t)
        for (std::size_t s = 0; s < pairs.cols; ++s)
            if (subject.may_matter(t, s) && pairs(t, s) == 0.0)
                return false;
    return true;
}

// A map for each of many changes; two at least, and no more than it takes.
inline Shown shown_pairs(const Subject& subject, const Matrix& x) {
    std::vector<std::vector<Matrix>> rows;
    std::size_t most = 0;
    for (std::size_t s = 0; s < x.rows; ++s) {
        rows.push_back(many_rows(subject, x, s));
        most = std::max(most, rows.back().size());
    }
    Shown shown{Matrix(x.rows, x.rows), 0};
    while (shown.changes < most && (shown.changes < 2 || !every_pair_shows(subject, shown.pairs))) {
        const Matrix map = influence_map(subject.model, x, [&](std::size_t s) {
            return rows[s][shown.changes % rows[s].size()];
        });
        for (std::size_t i = 0; i < map.values.size(); ++i)
            shown.pairs.values[i] += map.values[i] != 0.0 ? 1.0 : 0.0;
        ++shown.changes;
    }
    return shown;
}

// The first pair that may matter (or that may not) and showed (or did not), and how many there are.
struct Pairs {
    std::size_t count = 0, t = 0, s = 0;
};

inline Pairs pairs_where(const Subject& subject, const Matrix& shown, bool may_matter,
                         bool showed) {
    Pairs result;
    for (std::size_t t = 0; t < shown.rows; ++t)
        for (std::size_t s = 0; s < shown.cols; ++s)
            if (subject.may_matter(t, s) == may_matter && (shown(t, s) != 0.0) == showed &&
                ++result.count == 1) {
                result.t = t;
                result.s = s;
            }
    return result;
}

inline std::string not_shown(const Pairs& pairs, std::size_t changes) {
    return "the token at position " + std::to_string(pairs.s) + " did not show in the output at " +
        "position " + std::to_string(pairs.t) + ", in " + std::to_string(changes) +
        " different changes" +
        (pairs.count > 1 ? " (so for " + std::to_string(pairs.count) + " pairs)" : "");
}

inline bool only_the_diagonal(const Matrix& shown) {
    for (std::size_t t = 0; t < shown.rows; ++t)
        for (std::size_t s = 0; s < shown.cols; ++s)
            if (t != s && shown(t, s) != 0.0)
                return false;
    return shown.rows > 1;
}

inline bool forbids_some_past(const Subject& subject, std::size_t T) {
    for (std::size_t t = 0; t < T; ++t)
        for (std::size_t s = 0; s <= t; ++s)
            if (!subject.may_matter(t, s))
                return true;
    return false;
}

// What moved and must not: a pair of the map, or what all the changes of B show of too far a past.
inline std::optional<std::string> wider_than_claimed(const Subject& subject, const Matrix& x,
                                                     const Matrix& shown) {
    const Pairs pairs = pairs_where(subject, shown, false, true);
    if (pairs.count > 0)
        return "the token at position " + std::to_string(pairs.s) +
            " matters to the output at position " + std::to_string(pairs.t) + ", and must not";
    if (!forbids_some_past(subject, x.rows))
        return std::nullopt;
    const Search search = search_all(subject, Side::later, x);
    return search.found ? std::optional(in_words(search) + ", and must not") : std::nullopt;
}

} // namespace detection

// F. The influence map, in both directions: an input outside the reach does not matter, one inside
// does. The second is judged only against a reach that was declared: a correct model may be so
// sharp, or forget so fast, that some input never shows. And only on ordinary inputs with at least
// two channels: elsewhere models saturate, and a norm makes a constant of a single channel.
inline Finding influence(const Subject& subject, const Matrix& x) {
    const bool forbids = detection::forbids_some_past(subject, x.rows) ||
        !detection::no_forbidden_future(subject, x.rows);
    if (subject.reach && x.rows > 1 && !forbids)
        return Finding::not_applicable("by its reach every input may matter");
    const auto [shown, changes] = detection::shown_pairs(subject, x);
    if (const auto words = detection::wider_than_claimed(subject, x, shown))
        return Finding::failed(*words);
    const detection::Pairs unseen = detection::pairs_where(subject, shown, true, false);
    if (unseen.count == 0)
        return Finding::passed();
    if (!subject.reach && detection::only_the_diagonal(shown))
        return Finding::passed("no output showed any input but its own, in " +
                               std::to_string(changes) +
                               " different changes; if the model reads along another axis, the "
                               "batch perhaps, only Subject::batched can show it");
    const std::string words = detection::not_shown(unseen, changes);
    if (!subject.reach)
        return Finding::passed(words);
    if (!subject.vocabulary && (x.cols < 2 || !detection::ordinary(x)))
        return Finding::passed("only what must not matter: one channel, or extreme inputs");
    return Finding::failed(words + ", and matters by Subject::reach; proof/reach.hpp has others");
}

} // namespace glassbox
