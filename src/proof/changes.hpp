// What the detectors put in the place of an input: of rows of numbers, and of tokens.
#pragma once

#include "numbers/matrix.hpp"
#include "numbers/random.hpp"
#include "proof/intervention.hpp"
#include "proof/subject.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace glassbox::detection {

inline bool finite(const Matrix& m) {
    return std::ranges::all_of(m.values, [](double value) { return std::isfinite(value); });
}

// Inputs of everyday size. On others a correct model may saturate: what must matter may not show.
inline bool ordinary(const Matrix& x) {
    const double size = max_abs_difference(x, Matrix(x.rows, x.cols));
    return size >= 1e-3 && size <= 5;
}

// ---- One row

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

// The special ids first, then others; each once.
inline std::vector<int> special_and(const Vocabulary& vocabulary, const std::vector<int>& others) {
    std::vector<int> ids = vocabulary.special;
    ids.insert(ids.end(), others.begin(), others.end());
    std::vector<int> once;
    for (const int id : ids)
        if (std::ranges::find(once, id) == once.end())
            once.push_back(id);
    return once;
}

// The tokens that are tried in the place of one: the special ones, 0, the last one, the
// neighbour's, the next id and one far away; not the one that stands there.
inline std::vector<Matrix> other_tokens(const Vocabulary& vocabulary, const Matrix& x,
                                        std::size_t position) {
    const auto size = static_cast<int>(vocabulary.size);
    const auto own = static_cast<int>(x(position, 0));
    const auto before = static_cast<int>(x(position == 0 ? 0 : position - 1, 0));
    std::vector<Matrix> result;
    for (const int id :
         special_and(vocabulary, {0, size - 1, before, (own + 1) % size, (own + size / 2) % size}))
        if (id != own)
            result.push_back(Matrix(1, 1, id));
    return result;
}

// One row that is tried in the place of another, where one is enough.
inline Matrix other_row(const Subject& subject, const Matrix& x, std::size_t position) {
    return subject.vocabulary ? other_tokens(*subject.vocabulary, x, position).front()
                              : new_row(x, 1.0);
}

// Many rows, and as many for each position, to see whether an input shows at all. A model that
// decays needs a large change, one that is sharp a change in the right direction.
inline std::vector<Matrix> many_rows(const Subject& subject, const Matrix& x,
                                     std::size_t position) {
    if (subject.vocabulary)
        return other_tokens(*subject.vocabulary, x, position);
    std::vector<Matrix> rows{new_row(x, 1.0, 1), new_row(x, 1.0, 2), new_row(x, -1.0, 2)};
    for (const double size : {1e-3, 10.0, 1e3, 1e20})
        for (const double sign : {1.0, -1.0})
            rows.push_back(new_row(x, sign * size, 3));
    const Matrix near = rows_of(x, position == 0 ? x.rows - 1 : position - 1, 1);
    rows.push_back(same_bits(near.row(0), x.row(position)) ? new_row(x, 1.0, 4) : near);
    return rows;
}

// ---- Changed inputs

// An input whose rows from `first` up to `end` (not included) are others, and which, in words.
struct Change {
    std::string words;
    Matrix input;
    std::size_t first, end;
};

inline Change change_one(const Matrix& x, std::size_t position, double size) {
    return {std::string("changed the token at position ") + std::to_string(position),
            with_row(x, position, new_row(x, size)), position, position + 1};
}

inline Change put_token(const Matrix& x, std::size_t position, const Matrix& token) {
    return {std::string("put token ") + std::to_string(static_cast<int>(token(0, 0))) +
                " at position " + std::to_string(position),
            with_row(x, position, token), position, position + 1};
}

// Rows of several sizes and both signs, and the row before this one once more. Or other tokens.
inline std::vector<Change> changes_of_one(const Subject& subject, const Matrix& x,
                                          std::size_t position) {
    std::vector<Change> result;
    if (subject.vocabulary) {
        for (const Matrix& token : other_tokens(*subject.vocabulary, x, position))
            result.push_back(put_token(x, position, token));
        return result;
    }
    for (const double size : {1.0, 1e-3, 1e3, -1e3})
        result.push_back(change_one(x, position, size));
    if (position > 0 && !same_bits(x.row(position - 1), x.row(position)))
        result.push_back(
            {std::string("repeated the token before position ") + std::to_string(position),
             with_row(x, position, rows_of(x, position - 1, 1)), position, position + 1});
    return result;
}

inline Matrix filled(const Matrix& x, std::size_t position, const Matrix& row) {
    Matrix result = x;
    for (std::size_t t = position; t < x.rows; ++t)
        std::ranges::copy(row.row(0), result.row(t).begin());
    return result;
}

// For a leak that needs several tokens changed at once. Copies of an earlier row (of the 16
// nearest) want whatever that row wants: where places are few, such as those of an expert, they
// crowd it out.
inline std::vector<Change> changes_of_the_rest(const Subject& subject, const Matrix& x,
                                               std::size_t position) {
    const std::string from = " from position " + std::to_string(position) + " on";
    std::vector<std::pair<std::string, Matrix>> fillings;
    if (subject.vocabulary)
        for (const Matrix& token : other_tokens(*subject.vocabulary, x, position))
            fillings.emplace_back("changed all tokens" + from, token);
    else
        for (const double size : {1e3, -1e3})
            fillings.emplace_back("changed all tokens" + from, new_row(x, size));
    for (std::size_t t = position > 16 ? position - 16 : 0; t < position; ++t)
        fillings.emplace_back("copied position " + std::to_string(t) + " to all positions" + from,
                              rows_of(x, t, 1));
    std::vector<Change> result;
    for (const auto& [words, row] : fillings) {
        const Matrix changed = filled(x, position, row);
        if (!same_bits(changed, x))
            result.push_back({words, changed, position, x.rows});
    }
    return result;
}

inline std::vector<Change> one_large_change(const Subject&, const Matrix& x, std::size_t position) {
    return {change_one(x, position, 1e3)};
}

inline std::vector<Change> change_of_the_last(const Subject& subject, const Matrix& x,
                                              std::size_t position) {
    return position + 1 == x.rows ? one_large_change(subject, x, position) : std::vector<Change>{};
}

// ---- Where one starts from

// An input, and how it is changed at a position.
struct Experiment {
    std::string words;
    Matrix input;
    std::vector<Change> (*changes)(const Subject&, const Matrix& input, std::size_t position);
};

// From the text, and from texts of one token alone, the special ones first.
inline std::vector<Experiment> token_experiments(const Vocabulary& vocabulary, const Matrix& x) {
    std::vector<Experiment> result{{"", x, changes_of_one}, {"", x, changes_of_the_rest}};
    for (const int id : special_and(vocabulary, {0}))
        result.push_back({std::string("a text of token ") + std::to_string(id) + " alone, ",
                          Matrix(x.rows, 1, id), changes_of_one});
    return result;
}

// From x; and driven: from inputs scaled up and shifted, whose scores grow until a mask that is
// merely a large negative number gives way. It does so where all that a row may read scores below
// it, for about two inputs in three; hence the random ones. All that is masked then has an equal
// share, and it is enough to change the last position.
inline std::vector<Experiment> experiments(const Subject& subject, const Matrix& x) {
    if (subject.vocabulary)
        return token_experiments(*subject.vocabulary, x);
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

} // namespace glassbox::detection
