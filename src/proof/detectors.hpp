// Ten ways in which a model that claims to be causal could be found out.
//
// Nothing here looks at how a model is written. A model is a function from T x C to T x C'; it may
// also show its attention weights, a cached form and a packed form. Each detector tries one way to
// catch it. None finds everything: lesson 11 measures which detector finds which bug.
#pragma once

#include "numbers/matrix.hpp"
#include "numbers/random.hpp"
#include "proof/intervention.hpp"
#include "proof/reach.hpp"

#include <algorithm>
#include <any>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace glassbox {

// The cached form of a model. A cache is whatever the model keeps; it must be copyable, and a copy
// must be a cache of its own.
struct CachedModel {
    std::function<std::any()> start;                                    // an empty cache
    std::function<Matrix(std::any& cache, const Matrix& chunk)> extend; // rows that follow on it
    // Optional: the outputs for all of x, where the cache may hold a beginning of x already.
    std::function<Matrix(std::any& cache, const Matrix& x)> resume = nullptr;
};

// What is examined. Only `model` is needed; what is missing makes its detectors not applicable.
struct Subject {
    Model model;                                                    // T x C -> T x C'
    std::function<std::vector<Matrix>(const Matrix&)> weights = {}; // T x T, one for each head
    std::optional<CachedModel> cached = {};                         // the same model, with a cache
    std::function<Matrix(const Matrix&, std::size_t)> packed = {};  // two documents in one run: the
                                                                    // second begins at this row
    Reach reach = causal_reach();
    double tolerance = 0.0; // for truncation and cached decoding by somebody else's arithmetic
};

enum class Outcome { passed, failed, not_applicable };

// What one detector found: the first witness if it failed, the reason if it was not applicable.
struct Finding {
    Outcome outcome;
    std::string words;

    static Finding passed() { return {Outcome::passed, ""}; }
    static Finding failed(const std::string& witness) { return {Outcome::failed, witness}; }
    static Finding not_applicable(const std::string& reason) {
        return {Outcome::not_applicable, reason};
    }
};

namespace detection {

// %g, with NaN as "nan" whatever its sign.
inline std::string number_text(double value, int digits = 6) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.*g", digits, value);
    return std::isnan(value) ? "nan" : text.data();
}

inline std::string place(std::size_t t, std::size_t c) {
    return std::string("output at position ") + std::to_string(t) + ", column " + std::to_string(c);
}

// With as many digits as it takes for two numbers that differ to look different, at least 6.
inline std::string from_to(double before, double after) {
    int digits = 6;
    while (digits < 17 && number_text(before, digits) == number_text(after, digits))
        ++digits;
    return std::string(" moved from ") + number_text(before, digits) + " to " +
        number_text(after, digits);
}

// The first number in which two matrices differ, in words; nothing if they agree.
inline std::optional<std::string> difference(const Matrix& wanted, const Matrix& got,
                                             std::size_t first_row, double tolerance) {
    require_shape(got, wanted.rows, wanted.cols, "examine: the model's output");
    for (std::size_t t = 0; t < wanted.rows; ++t)
        for (std::size_t c = 0; c < wanted.cols; ++c)
            if (moved(wanted(t, c), got(t, c), tolerance))
                return place(first_row + t, c) + from_to(wanted(t, c), got(t, c));
    return std::nullopt;
}

// 1 x C random numbers around 0 that x has in no row; the size scales them.
inline Matrix new_row(const Matrix& x, double size, std::uint32_t seed = 1) {
    PytorchRandom random(seed);
    for (;;) { // x may have been drawn from the same stream
        const Matrix row = random.randn(1, x.cols) * size;
        std::size_t t = 0;
        while (t < x.rows && !same_bits(x.row(t), row.row(0)))
            ++t;
        if (t == x.rows)
            return row;
    }
}

inline bool finite(const Matrix& m) {
    return std::ranges::all_of(m.values, [](double value) { return std::isfinite(value); });
}

// Inputs of everyday size. On others a correct model may saturate: what must matter may not show.
inline bool ordinary(const Matrix& x) {
    const double size = max_abs_difference(x, Matrix(x.rows, x.cols));
    return size >= 1e-3 && size <= 5;
}

} // namespace detection

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
    return detection::ordinary(x) ? Finding::failed(words) : Finding::not_applicable(words);
}

// A. Attention weights are exactly 0 above the diagonal. The check that most people write: it looks
// at one matrix inside the model, whatever else happens there.
inline Finding triangular_weights(const Subject& subject, const Matrix& x) {
    if (!subject.weights)
        return Finding::not_applicable("the model does not show its weights");
    const std::vector<Matrix> heads = subject.weights(x);
    if (heads.empty())
        return Finding::not_applicable("the model shows no head's weights");
    for (const Matrix& weights : heads) {
        require_shape(weights, x.rows, x.rows, "examine: the weights");
        for (std::size_t t = 0; t < x.rows; ++t)
            for (std::size_t s = t + 1; s < x.rows; ++s)
                if (weights(t, s) != 0.0)
                    return Finding::failed("the weight of position " + std::to_string(t) +
                                           " on position " + std::to_string(s) + " is " +
                                           detection::number_text(weights(t, s)));
    }
    return Finding::passed();
}

namespace detection {

// A changed input, and what was changed, in words.
struct Change {
    std::string words;
    Matrix input;
};

inline Change change_one(const Matrix& x, std::size_t position, double size) {
    return {std::string("changed the token at position ") + std::to_string(position),
            with_row(x, position, new_row(x, size))};
}

// Rows of several sizes and both signs, and the row before this one once more.
inline std::vector<Change> changes_of_one(const Matrix& x, std::size_t position) {
    std::vector<Change> result;
    for (const double size : {1.0, 1e-3, 1e3, -1e3})
        result.push_back(change_one(x, position, size));
    if (!same_bits(x.row(position - 1), x.row(position)))
        result.push_back(
            {std::string("repeated the token before position ") + std::to_string(position),
             with_row(x, position, rows_of(x, position - 1, 1))});
    return result;
}

// For a leak that needs two tokens changed at once.
inline std::vector<Change> changes_of_the_rest(const Matrix& x, std::size_t position) {
    std::vector<Change> result;
    for (const double size : {1e3, -1e3}) {
        Matrix changed = x;
        for (std::size_t t = position; t < x.rows; ++t)
            changed = with_row(changed, t, new_row(x, size));
        result.push_back(
            {std::string("changed all tokens from position ") + std::to_string(position) + " on",
             changed});
    }
    return result;
}

inline std::vector<Change> one_large_change(const Matrix& x, std::size_t position) {
    return {change_one(x, position, 1e3)};
}

inline std::vector<Change> change_of_the_last(const Matrix& x, std::size_t position) {
    return position + 1 == x.rows ? one_large_change(x, position) : std::vector<Change>{};
}

// What intervention starts from, and how it changes that at a position.
struct Experiment {
    std::string words;
    Matrix input;
    std::vector<Change> (*changes)(const Matrix& input, std::size_t position);
};

// From x; and driven: from inputs scaled up and shifted, whose scores grow until a mask that is
// merely a large negative number gives way. It does so where all that a row may read scores below
// it, for about two inputs in three; hence the random ones. All that is masked then has an equal
// share, and it is enough to change the last position.
inline std::vector<Experiment> experiments(const Matrix& x) {
    Matrix alternating(x.rows, x.cols, 1e3);
    for (std::size_t i = 0; i < alternating.values.size(); i += 2)
        alternating.values[i] = -1e3;
    std::vector<Experiment> result{
        {"", x, changes_of_one},
        {"", x, changes_of_the_rest},
        {"x times 1e3, ", x * 1e3, one_large_change},
        {"x plus 1e3, ", x + Matrix(x.rows, x.cols, 1e3), one_large_change},
        {"x plus and minus 1e3, ", x + alternating, one_large_change},
        {"x times 1e20, ", x * 1e20, change_of_the_last}};
    for (std::uint32_t seed = 1; seed <= 5; ++seed)
        for (const double size : {1e3, 1e20}) {
            PytorchRandom random(seed);
            result.push_back({std::string("rows of PytorchRandom(") + std::to_string(seed) +
                                  ") times " + (size == 1e3 ? "1e3, " : "1e20, "),
                              random.randn(x.rows, x.cols) * size, change_of_the_last});
        }
    return result;
}

// The first output before `position` that is not what it was before the input was changed.
inline std::optional<std::string> past_moved(const Model& model, const Matrix& changed,
                                             const Matrix& before, std::size_t position) {
    const Matrix after = model(changed);
    require_shape(after, before.rows, before.cols, "examine: the changed output");
    if (const auto w = first_move_in_the_past({position, before, after}))
        return place(w->moved_position, w->column) + from_to(w->before, w->after);
    return std::nullopt;
}

} // namespace detection

// B. Change the input at one position: no earlier output moves, bit for bit. Every position, many
// replacements; and not only from x, but also from the driven inputs.
inline Finding intervention(const Subject& subject, const Matrix& x) {
    if (x.rows < 2)
        return Finding::not_applicable("one position has no past");
    for (const auto& [start, input, changes] : detection::experiments(x)) {
        if (!detection::finite(input))
            continue;
        const Matrix before = subject.model(input);
        if (!detection::finite(before))
            continue; // x itself is finite, or the null test would have spoken
        for (std::size_t position = 1; position < input.rows; ++position)
            for (const auto& [change, changed] : changes(input, position))
                if (const auto moved =
                        detection::past_moved(subject.model, changed, before, position))
                    return Finding::failed(start + change + ": " + *moved);
    }
    return Finding::passed();
}

// C. A future input becomes NaN or infinite: no earlier output moves. Fails where masked data is
// read and multiplied by 0, which is no leak as long as the data is finite.
inline Finding poison(const Subject& subject, const Matrix& x) {
    if (x.rows < 2)
        return Finding::not_applicable("one position has no past");
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double NaN = std::numeric_limits<double>::quiet_NaN();
    const Matrix before = subject.model(x);
    for (std::size_t position = 1; position < x.rows; ++position)
        for (const double value : {NaN, infinity, -infinity}) {
            const Matrix poisoned = with_row(x, position, Matrix(1, x.cols, value));
            if (const auto moved = detection::past_moved(subject.model, poisoned, before, position))
                return Finding::failed("made the token at position " + std::to_string(position) +
                                       " " + detection::number_text(value) + ": " + *moved);
        }
    return Finding::passed();
}

// D. A prefix alone gives the same rows as in the full run, for every length.
inline Finding truncation(const Subject& subject, const Matrix& x) {
    if (x.rows < 2)
        return Finding::not_applicable("one position has no shorter prefix");
    const Matrix full = subject.model(x);
    for (std::size_t T = 1; T < x.rows; ++T)
        if (const auto changed = detection::difference(
                rows_of(full, 0, T), subject.model(rows_of(x, 0, T)), 0, subject.tolerance))
            return Finding::failed("kept only the first " + std::to_string(T) + " of " +
                                   std::to_string(x.rows) + " positions: " + *changed);
    return Finding::passed();
}

// E. Cached decoding gives the rows of the full run, in chunks of the given sizes, over and over;
// from an empty cache, and from one that holds the first half already.
inline Finding cached_decoding(const Subject& subject, const Matrix& x,
                               const std::vector<std::size_t>& sizes) {
    if (!subject.cached)
        return Finding::not_applicable("the model has no cached form");
    const Matrix full = subject.model(x);
    for (const std::size_t warm : {std::size_t{0}, x.rows / 2}) {
        std::any cache = subject.cached->start();
        std::size_t done = 0;
        for (std::size_t i = 0; done < x.rows; ++i) {
            const std::size_t size = i == 0 && warm > 0 ? warm : sizes[i % sizes.size()];
            const std::size_t count = std::min(size, x.rows - done);
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

// F. The influence map, in both directions: an input outside the reach does not matter, one inside
// does. The second is judged on ordinary inputs with at least two channels: elsewhere a correct
// model may saturate, and a norm makes a constant of a single channel.
inline Finding influence(const Subject& subject, const Matrix& x) {
    const bool both = x.cols >= 2 && detection::ordinary(x);
    const Matrix one = influence_map(subject.model, x, detection::new_row(x, 1.0, 1));
    const Matrix other = influence_map(subject.model, x, detection::new_row(x, 1.0, 2));
    for (std::size_t t = 0; t < x.rows; ++t)
        for (std::size_t s = 0; s < x.rows; ++s) {
            const bool matters = one(t, s) != 0.0 || other(t, s) != 0.0;
            if (matters != subject.reach(t, s) && (matters || both))
                return Finding::failed("the token at position " + std::to_string(s) +
                                       (matters ? " matters" : " does not matter") +
                                       " to the output at position " + std::to_string(t) +
                                       (matters ? ", and must not"
                                                : ", and must by Subject::reach; that of a model "
                                                  "with a window is window_reach(w, layers)"));
        }
    return both
        ? Finding::passed()
        : Finding{Outcome::passed, "only what must not matter: one channel, or extreme inputs"};
}

namespace detection {

// A copy of a cache is extended by other tokens; the original must not notice.
inline std::optional<std::string> branches_meet(const CachedModel& cached, const Matrix& x) {
    const std::size_t half = x.rows / 2;
    const Matrix beginning = rows_of(x, 0, half), end = rows_of(x, half, x.rows - half);
    std::any alone = cached.start(), original = cached.start();
    cached.extend(alone, beginning);
    cached.extend(original, beginning);
    std::any branch = original;
    cached.extend(branch, new_row(x, 1.0));
    const auto changed =
        difference(cached.extend(alone, end), cached.extend(original, end), half, 0.0);
    if (changed)
        return "extended a copy of the cache at position " + std::to_string(half) +
            "; continued the original: " + *changed;
    return std::nullopt;
}

// A cache that went on to hold x is used for x with one token edited: it must do what a cache does
// that had stopped before the edit.
inline std::optional<std::string> stale_after_an_edit(const CachedModel& cached, const Matrix& x) {
    for (std::size_t position = 0; position < x.rows; ++position) {
        const Matrix edited = with_row(x, position, new_row(x, 1.0));
        std::any stopped = cached.start(), went_on = cached.start();
        if (position > 0) {
            cached.resume(stopped, rows_of(x, 0, position));
            cached.resume(went_on, rows_of(x, 0, position));
        }
        cached.resume(went_on, x);
        const auto changed =
            difference(cached.resume(stopped, edited), cached.resume(went_on, edited), 0, 0.0);
        if (changed)
            return "edited the token at position " + std::to_string(position) +
                " and resumed from the cache: " + *changed;
    }
    return std::nullopt;
}

// Two documents in one run: a change in one may not move the other.
inline std::optional<std::string> documents_meet(const Subject& subject, const Matrix& x) {
    const std::size_t half = x.rows / 2;
    const Matrix before = subject.packed(x, half);
    for (std::size_t position = 0; position < x.rows; ++position) {
        const Matrix after = subject.packed(with_row(x, position, new_row(x, 1.0)), half);
        const std::size_t other = position < half ? half : 0; // where the other document begins
        const std::size_t count = position < half ? x.rows - half : half;
        const auto changed =
            difference(rows_of(before, other, count), rows_of(after, other, count), other, 0.0);
        if (changed)
            return "two documents, the second from position " + std::to_string(half) +
                "; changed position " + std::to_string(position) + ": " + *changed;
    }
    return std::nullopt;
}

} // namespace detection

// G. What is separate stays separate: two branches of a cache, a prompt and its edited version, two
// documents packed into one run.
inline Finding independence(const Subject& subject, const Matrix& x) {
    if ((!subject.cached && !subject.packed) || x.rows < 2)
        return Finding::not_applicable("no two branches or documents to compare");
    std::optional<std::string> found;
    if (subject.cached)
        found = detection::branches_meet(*subject.cached, x);
    if (!found && subject.cached && subject.cached->resume)
        found = detection::stale_after_an_edit(*subject.cached, x);
    if (!found && subject.packed)
        found = detection::documents_meet(subject, x);
    return found ? Finding::failed(*found) : Finding::passed();
}

} // namespace glassbox
