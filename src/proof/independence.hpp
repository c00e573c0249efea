// G, independence: what is separate stays separate.
#pragma once

#include "numbers/matrix.hpp"
#include "proof/changes.hpp"
#include "proof/detectors.hpp"
#include "proof/subject.hpp"
#include "proof/words.hpp"

#include <any>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace glassbox {

namespace detection {

// Does the cache do right by x itself, cut at this position? If not, E says so, and what comes of
// it is not compared with the model again.
inline bool cache_agrees(const Subject& subject, const Matrix& x, const Matrix& full,
                         std::size_t position) {
    std::any cache = subject.cached->start();
    const auto agree = [&](std::size_t first, std::size_t count) {
        return count == 0 ||
            !difference(rows_of(full, first, count),
                        subject.cached->extend(cache, rows_of(x, first, count)), first,
                        subject.tolerance);
    };
    return agree(0, position) && agree(position, x.rows - position);
}

// A copy of a cache is extended by other tokens: the original must not notice, and the copy must do
// what the model does. (A store that all caches share poisons both sides in the same way.)
inline std::optional<std::string> branches_meet(const Subject& subject, const Matrix& x) {
    const CachedModel& cached = *subject.cached;
    const std::size_t half = next_cut(subject, x.rows, x.rows / 2), rest = x.rows - half;
    if (rest == 0)
        return std::nullopt;
    const std::string where = "extended a copy of the cache at position " + std::to_string(half);
    const Matrix edited = with_row(x, half, other_row(subject, x, half));
    std::any alone = cached.start(), original = cached.start();
    cached.extend(alone, rows_of(x, 0, half));
    cached.extend(original, rows_of(x, 0, half));
    std::any branch = original;
    const Matrix branched = cached.extend(branch, rows_of(edited, half, rest));
    const Matrix end = rows_of(x, half, rest);
    if (const auto changed =
            difference(cached.extend(alone, end), cached.extend(original, end), half, 0.0))
        return where + "; continued the original: " + *changed;
    if (!cache_agrees(subject, x, subject.model(x), half))
        return std::nullopt;
    const Matrix wanted = rows_of(subject.model(edited), half, rest);
    if (const auto changed = difference(wanted, branched, half, subject.tolerance))
        return where + " by other tokens: " + *changed + " (full run to cached)";
    return std::nullopt;
}

// A cache that went on to hold x is used for x with one token edited: it must do what the model
// does, and so must a cache that had stopped before the edit.
inline std::optional<std::string> stale_after_an_edit(const Subject& subject, const Matrix& x,
                                                      std::size_t position) {
    const CachedModel& cached = *subject.cached;
    const Matrix edited = with_row(x, position, other_row(subject, x, position));
    std::any stopped = cached.start(), went_on = cached.start();
    if (position > 0) {
        cached.resume(stopped, rows_of(x, 0, position));
        cached.resume(went_on, rows_of(x, 0, position));
    }
    const Matrix whole = cached.resume(went_on, x);
    const Matrix fresh = cached.resume(stopped, edited), reused = cached.resume(went_on, edited);
    const std::string where = "edited the token at position " + std::to_string(position) +
        " and resumed from the cache: ";
    if (const auto changed = difference(fresh, reused, 0, subject.tolerance))
        return where + *changed;
    const Matrix full = subject.model(x);
    if (!cache_agrees(subject, x, full, position))
        return std::nullopt;
    if (const auto changed = difference(full, whole, 0, subject.tolerance))
        return "resumed at position " + std::to_string(position) + ": " + *changed +
            " (full run to resumed)";
    if (const auto changed = difference(subject.model(edited), fresh, 0, subject.tolerance))
        return where + *changed + " (full run to resumed)";
    return std::nullopt;
}

inline std::optional<std::string> stale_after_any_edit(const Subject& subject, const Matrix& x) {
    for (std::size_t position = 0; position < x.rows; ++position)
        if (is_cut(subject, x.rows, position))
            if (const auto found = stale_after_an_edit(subject, x, position))
                return found;
    return std::nullopt;
}

// Two documents in one run: a change in one may not move the other, and the first one is what the
// model makes of it alone. (The second one's positions may begin again or go on; both are right.)
inline std::optional<std::string> documents_meet(const Subject& subject, const Matrix& x) {
    const std::size_t half = x.rows / 2;
    const Matrix before = subject.packed(x, half);
    const std::string where =
        "two documents, the second from position " + std::to_string(half) + "; ";
    for (std::size_t position = 0; position < x.rows; ++position) {
        const Matrix after =
            subject.packed(with_row(x, position, other_row(subject, x, position)), half);
        const std::size_t other = position < half ? half : 0; // where the other document begins
        const std::size_t count = position < half ? x.rows - half : half;
        const auto changed =
            difference(rows_of(before, other, count), rows_of(after, other, count), other, 0.0);
        if (changed)
            return where + "changed position " + std::to_string(position) + ": " + *changed;
    }
    if (const auto changed = difference(subject.model(rows_of(x, 0, half)),
                                        rows_of(before, 0, half), 0, subject.tolerance))
        return where + "the first one: " + *changed + " (alone to packed)";
    return std::nullopt;
}

inline std::vector<Matrix> run_batch(const Subject& subject, const std::vector<Matrix>& items) {
    const std::vector<Matrix> outputs = subject.batched(items);
    if (outputs.size() != items.size())
        throw std::invalid_argument("examine: the batched form was given " +
                                    std::to_string(items.size()) + " sequences and returned " +
                                    std::to_string(outputs.size()) + " outputs");
    return outputs;
}

// Several sequences in one call: each is what the model makes of it alone, and when one of them is
// replaced, no other moves.
inline std::optional<std::string> items_meet(const Subject& subject, const Matrix& x) {
    const std::vector<Matrix> items{x, with_row(x, 0, other_row(subject, x, 0)),
                                    with_row(x, x.rows - 1, other_row(subject, x, x.rows - 1))};
    const std::vector<Matrix> before = run_batch(subject, items);
    const auto item = [](std::size_t i) { return "item " + std::to_string(i) + " of a batch"; };
    for (std::size_t changed = 0; changed < items.size(); ++changed)
        for (const Change& change : changes_of_the_rest(subject, items[changed], 0)) {
            std::vector<Matrix> others = items;
            others[changed] = change.input;
            const std::vector<Matrix> after = run_batch(subject, others);
            for (std::size_t i = 0; i < items.size(); ++i)
                if (i != changed)
                    if (const auto moved = difference(before[i], after[i], 0, 0.0))
                        return "replaced " + item(changed) + ": of item " + std::to_string(i) +
                            ", " + *moved;
        }
    for (std::size_t i = 0; i < items.size(); ++i)
        if (const auto moved = difference(subject.model(items[i]), before[i], 0, subject.tolerance))
            return item(i) + ": " + *moved + " (alone to batched)";
    return std::nullopt;
}

} // namespace detection

// G. What is separate stays separate: two branches of a cache, a prompt and its edited version, two
// documents packed into one run, the items of a batch. Where two different computations ought to
// agree, they may differ by the subject's tolerance; where one and the same is made twice, by
// nothing.
inline Finding independence(const Subject& subject, const Matrix& x) {
    const bool several = x.rows > 1;
    if (!subject.batched && !(several && (subject.cached || subject.packed)))
        return Finding::not_applicable("no two branches, documents or items to compare");
    std::optional<std::string> found;
    if (several && subject.cached)
        found = detection::branches_meet(subject, x);
    if (!found && several && subject.cached && subject.cached->resume)
        found = detection::stale_after_any_edit(subject, x);
    if (!found && several && subject.packed)
        found = detection::documents_meet(subject, x);
    if (!found && subject.batched)
        found = detection::items_meet(subject, x);
    return found ? Finding::failed(*found) : Finding::passed();
}

} // namespace glassbox
