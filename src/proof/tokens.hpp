// Models that read tokens. For the detectors a text is a column of ids, T x 1; what they put in the
// place of an id are other ids, and the special ones first: padding, begin and end of a text.
#pragma once

#include "numbers/matrix.hpp"
#include "proof/causality.hpp"
#include "proof/subject.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace glassbox {

using TokenModel = std::function<Matrix(const std::vector<int>& tokens)>; // a row for each token

// T x 1, and back: for the cached, packed and batched forms of a subject, which see matrices.
inline Matrix column_of_tokens(const std::vector<int>& tokens) {
    Matrix column(tokens.size(), 1);
    column.values.assign(tokens.begin(), tokens.end());
    return column;
}

inline std::vector<int> tokens_of_column(const Matrix& column) {
    require_shape(column, column.rows, 1, "tokens_of_column: column");
    std::vector<int> tokens;
    for (const double id : column.values)
        tokens.push_back(static_cast<int>(id));
    return tokens;
}

// The subject of a model of tokens; what else it can show of itself may be added.
inline Subject subject_of_tokens(TokenModel model, Vocabulary vocabulary) {
    Subject subject{[model = std::move(model)](const Matrix& column) {
        return model(tokens_of_column(column));
    }};
    subject.vocabulary = std::move(vocabulary);
    return subject;
}

inline CausalityReport examine_tokens(const Subject& subject, const std::vector<int>& tokens) {
    return examine(subject, column_of_tokens(tokens));
}

} // namespace glassbox
