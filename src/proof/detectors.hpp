// Ten ways in which a model that claims to be causal could be found out: nine of them here, the
// tenth in independence.hpp.
//
// Nothing here looks at how a model is written. A model is a function from T x C to T x C'; it may
// also show its attention weights, a cached form and others (subject.hpp). Each detector tries one
// way to catch it. None finds everything: lesson 11 measures which detector finds which bug.
//
// A, B, C and D watch the future: of all later inputs, those that by the subject's reach may not
// matter to an output. F watches the past as well, what lies too far back, and what must matter.
#pragma once

#include "numbers/matrix.hpp"
#include "proof/changes.hpp"
#include "proof/intervention.hpp"
#include "proof/subject.hpp"
#include "proof/words.hpp"

#include <algorithm>
#include <any>
#include <cmath>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace glassbox {

// N. The same call twice gives the same bits, and they are finite. A model that is random or not
// finite is judged by no other detector: every difference, or none, would be an accident.
inline Finding null_test(const Subject& subject, const Matrix& x) {
    const Matrix once = subject.model(x), again = subject.model(x);
    require_filled(once, "examine: the model's output");
    require_shape(once, x.rows, once.cols, "examine: the model's output");
    if (const auto changed = detection::difference(once, again, 0, 0.0))
        return Finding::failed("the same input twice: " + *changed);
    const auto wrong =
        std::ranges::find_if_not(once.values, [](double v) { return std::isfinite(v); });
    if (wrong == once.values.end())
        return Finding::passed();
    const auto i = static_cast<std::size_t>(wrong - once.values.begin());
    const std::string words = "before anything was changed, " +
        detection::place(i / once.cols, i % once.cols) + " is " + detection::number_text(*wrong);
    return subject.vocabulary || detection::ordinary(x) ? Finding::failed(words)
                                                        : Finding::not_applicable(words);
}

namespace detection {

constexpr const char* no_claim_ahead =
    "by its reach every later input may matter; there is nothing to judge";

// Why nothing of the future can be judged, if the reach forbids nothing there.
inline std::optional<std::string> no_forbidden_future(const Subject& subject, std::size_t T) {
    if (T < 2)
        return "one position has no past";
    for (std::size_t t = 0; t < T; ++t)
        for (std::size_t s = t + 1; s < T; ++s)
            if (!subject.may_matter(t, s))
                return std::nullopt;
    return no_claim_ahead;
}

// `before`, with those rows of `after` that are watched.
inline Matrix only(const Matrix& before, const Matrix& after,
                   const std::function<bool(std::size_t t)>& watched) {
    require_shape(after, before.rows, before.cols, "examine: the changed output");
    Matrix result = before;
    for (std::size_t t = 0; t < result.rows; ++t)
        if (watched(t))
            std::ranges::copy(after.row(t), result.row(t).begin());
    return result;
}

// Differences below this share of the outputs' size are called tiny: rounding makes such ones.
constexpr double tiny = 1e-12;
constexpr const char* only_tiny = "; no other forbidden weight is larger than 1e-12";

// The first weight of a head that is not 0 and stands where the reach forbids it, in words; and
// whether all such weights are tiny.
struct ForbiddenWeight {
    std::string words;
    bool all_tiny = true;

    void look_at(const Subject& subject, const Matrix& weights) {
        for (std::size_t t = 0; t < weights.rows; ++t)
            for (std::size_t s = t + 1; s < weights.cols; ++s) {
                if (subject.may_matter(t, s) || weights(t, s) == 0.0)
                    continue;
                if (words.empty())
                    words = "the weight of position " + std::to_string(t) + " on position " +
                        std::to_string(s) + " is " + number_text(weights(t, s));
                all_tiny = all_tiny && std::abs(weights(t, s)) <= tiny;
            }
    }
};

} // namespace detection

// A. Attention weights are exactly 0 above the diagonal. The check that most people write: it looks
// at one matrix inside the model, whatever else happens there.
inline Finding triangular_weights(const Subject& subject, const Matrix& x) {
    if (!subject.weights)
        return Finding::not_applicable("the model does not show its weights");
    const std::vector<Matrix> heads = subject.weights(x);
    if (heads.empty())
        return Finding::not_applicable("the model shows no head's weights");
    if (const auto reason = detection::no_forbidden_future(subject, x.rows); reason && x.rows > 1)
        return Finding::not_applicable(*reason);
    detection::ForbiddenWeight found;
    for (const Matrix& weights : heads) {
        require_shape(weights, x.rows, x.rows, "examine: the weights");
        found.look_at(subject, weights);
    }
    return found.words.empty()
        ? Finding::passed()
        : Finding::failed(found.words + (found.all_tiny ? detection::only_tiny : ""));
}

namespace detection {

enum class Side { earlier, later };

// The outputs on one side of a change that it may not touch: as they are after it, and all others
// as they were before. What moved in there must not have moved.
inline Matrix forbidden_outputs(const Subject& subject, const Change& change, Side side,
                                const Matrix& before, const Matrix& after) {
    return only(before, after, [&](std::size_t t) {
        return (t < change.first) == (side == Side::earlier) &&
            subject.none_may_matter(t, change.first, change.end);
    });
}

inline std::optional<std::string> first_forbidden_move(Side side, const Change& change,
                                                       const Matrix& before, const Matrix& seen) {
    const std::size_t end = side == Side::earlier ? change.first : before.rows;
    if (const auto w = first_move_in_the_past({end, before, seen}))
        return place(w->moved_position, w->column) + from_to(w->before, w->after);
    return std::nullopt;
}

// A search, through many changes, for an output that moved and must not.
struct Search {
    std::optional<std::string> found; // the first one
    bool all_tiny = true;             // all that were found, against the outputs' size
    bool anything_moved = false;      // whether it may or not

    bool settled() const { return found && !all_tiny; }
};

inline void try_change(const Subject& subject, Side side, const std::string& start,
                       const Change& change, const Matrix& before, Search& search) {
    const Matrix after = subject.model(change.input);
    const Matrix seen = forbidden_outputs(subject, change, side, before, after);
    search.anything_moved = search.anything_moved || !same_bits(before, after);
    const auto moved = first_forbidden_move(side, change, before, seen);
    if (!moved)
        return;
    const Matrix none(before.rows, before.cols);
    const double size = std::max(max_abs_difference(before, none), max_abs_difference(after, none));
    search.all_tiny = search.all_tiny && max_abs_difference(before, seen) <= tiny * size;
    if (!search.found)
        search.found = start + change.words + ": " + *moved;
}

// Tries every change at every position, until something is found that rounding does not explain.
inline void search_experiment(const Subject& subject, Side side, const Experiment& experiment,
                              Search& search) {
    const auto& [start, input, changes] = experiment;
    if (!finite(input))
        return;
    const Matrix before = subject.model(input);
    if (!finite(before))
        return; // x itself is finite, or the null test would have spoken
    const std::size_t first = side == Side::earlier ? 1 : 0;
    for (std::size_t position = first; position < input.rows; ++position)
        for (const Change& change : changes(subject, input, position))
            if (!search.settled())
                try_change(subject, side, start, change, before, search);
}

inline Search search_all(const Subject& subject, Side side, const Matrix& x) {
    Search search;
    try {
        for (const Experiment& experiment : experiments(subject, x))
            search_experiment(subject, side, experiment, search);
    } catch (const std::exception&) { // what was found before the model threw stays found
        if (!search.found)
            throw;
    }
    return search;
}

inline std::string in_words(const Search& search) {
    return *search.found +
        (search.all_tiny
             ? "; every such change is below 1e-12 of the outputs' size: it may be rounding of an "
               "algorithm that cancels"
             : "");
}

} // namespace detection

// B. Change the input at one position: no earlier output moves that it may not move, bit for bit.
// Every position, many replacements; and not only from x, but also from the driven inputs. If no
// output moves at all, before the change or after it, nothing was tested.
inline Finding intervention(const Subject& subject, const Matrix& x) {
    if (const auto reason = detection::no_forbidden_future(subject, x.rows))
        return Finding::not_applicable(*reason);
    const detection::Search search = detection::search_all(subject, detection::Side::earlier, x);
    if (search.found)
        return Finding::failed(detection::in_words(search));
    if (!search.anything_moved) // the positive control
        return Finding::not_applicable("no output moved, whatever was changed from position 1 on");
    return Finding::passed();
}

// C. A future input becomes NaN or infinite: no earlier output moves that it may not move. Fails
// where masked data is read and multiplied by 0, which is no leak as long as the data is finite.
inline Finding poison(const Subject& subject, const Matrix& x) {
    if (subject.vocabulary)
        return Finding::not_applicable("a token is never NaN");
    if (const auto reason = detection::no_forbidden_future(subject, x.rows))
        return Finding::not_applicable(*reason);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double NaN = std::numeric_limits<double>::quiet_NaN();
    const Matrix before = subject.model(x);
    for (std::size_t position = 1; position < x.rows; ++position)
        for (const double value : {NaN, infinity, -infinity}) {
            const detection::Change change{
                std::string("made the token at position ") + std::to_string(position) + " " +
                    detection::number_text(value),
                with_row(x, position, Matrix(1, x.cols, value)), position, position + 1};
            detection::Search search;
            detection::try_change(subject, detection::Side::earlier, "", change, before, search);
            if (search.found)
                return Finding::failed(*search.found);
        }
    return Finding::passed();
}

// D. A prefix alone gives the same rows as in the full run, for every length: all rows that may not
// know of what was left out.
inline Finding truncation(const Subject& subject, const Matrix& x) {
    if (x.rows < 2)
        return Finding::not_applicable("one position has no shorter prefix");
    if (const auto reason = detection::no_forbidden_future(subject, x.rows))
        return Finding::not_applicable(*reason);
    const Matrix full = subject.model(x);
    for (std::size_t T = 1; T < x.rows; ++T) {
        const Matrix wanted = rows_of(full, 0, T);
        const Matrix got =
            detection::only(wanted, subject.model(rows_of(x, 0, T)),
                            [&](std::size_t t) { return subject.none_may_matter(t, T, x.rows); });
        if (const auto changed = detection::difference(wanted, got, 0, subject.tolerance))
            return Finding::failed("kept only the first " + std::to_string(T) + " of " +
                                   std::to_string(x.rows) + " positions: " + *changed);
    }
    return Finding::passed();
}

namespace detection {

// Where a run of T positions can be cut: nothing before the cut may depend on what comes after it,
// so that a cache can go on from there. A causal model can be cut anywhere, chunked streaming
// between its chunks, a prefix LM behind its prefix. The end is a cut as well.
inline bool is_cut(const Subject& subject, std::size_t T, std::size_t position) {
    for (std::size_t t = 0; t < position; ++t)
        if (!subject.none_may_matter(t, position, T))
            return false;
    return true;
}

// The first cut at or behind a position.
inline std::size_t next_cut(const Subject& subject, std::size_t T, std::size_t position) {
    while (position < T && !is_cut(subject, T, position))
        ++position;
    return std::min(position, T);
}

} // namespace detection

// E. Cached decoding gives the rows of the full run, in chunks of the given sizes, over and over;
// from an empty cache, and from one that holds the first half already. A chunk that would end where
// the run cannot be cut goes on to the next cut.
inline Finding cached_decoding(const Subject& subject, const Matrix& x,
                               const std::vector<std::size_t>& sizes) {
    if (!subject.cached)
        return Finding::not_applicable("the model has no cached form");
    const std::size_t T = x.rows;
    if (T > 1 && detection::next_cut(subject, T, 1) == T)
        return Finding::not_applicable("by its reach no cache could go on before the end is known");
    const Matrix full = subject.model(x);
    for (const std::size_t warm : {std::size_t{0}, x.rows / 2}) {
        std::any cache = subject.cached->start();
        std::size_t done = 0;
        for (std::size_t i = 0; done < x.rows; ++i) {
            const std::size_t size = i == 0 && warm > 0 ? warm : sizes[i % sizes.size()];
            const std::size_t end = detection::next_cut(subject, T, std::min(done + size, T));
            const std::size_t count = end - done;
            const Matrix part = subject.cached->extend(cache, rows_of(x, done, count));
            if (const auto changed = detection::difference(rows_of(full, done, count), part, done,
                                                           subject.tolerance))
                return Finding::failed("cached " + std::to_string(done) +
                                       " positions, then a chunk of " + std::to_string(count) +
                                       ": " + *changed + " (full run to cached)");
            done += count;
        }
    }
    return Finding::passed();
}

} // namespace glassbox
