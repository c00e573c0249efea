// What is examined, and what a detector found.
#pragma once

#include "numbers/matrix.hpp"
#include "proof/intervention.hpp"
#include "proof/reach.hpp"

#include <any>
#include <cstddef>
#include <functional>
#include <optional>
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

// The ids 0 to size - 1. The special ones (padding, begin and end of a text) are tried first.
struct Vocabulary {
    std::size_t size;
    std::vector<int> special = {};
};

// What is examined. Only `model` is needed; what is missing makes its detectors not applicable.
struct Subject {
    Model model;                                                    // T x C -> T x C'
    std::function<std::vector<Matrix>(const Matrix&)> weights = {}; // T x T, one for each head
    std::optional<CachedModel> cached = {};                         // the same model, with a cache
    std::function<Matrix(const Matrix&, std::size_t)> packed = {};  // two documents in one run: the
                                                                    // second begins at this row
    Reach reach = {};       // what the model claims; nothing: that no later input matters
    double tolerance = 0.0; // where two different computations ought to agree: D, E, parts of G
    // Several sequences in one call: one output for each.
    std::function<std::vector<Matrix>(const std::vector<Matrix>&)> batched = {};
    std::optional<Vocabulary> vocabulary = {}; // x is a column of token ids (proof/tokens.hpp)

    bool may_matter(std::size_t t, std::size_t s) const { return reach ? reach(t, s) : s <= t; }

    // May none of the inputs from `first` up to `end` (not included) matter to output t?
    bool none_may_matter(std::size_t t, std::size_t first, std::size_t end) const {
        for (std::size_t s = first; s < end; ++s)
            if (may_matter(t, s))
                return false;
        return true;
    }
};

enum class Outcome { passed, failed, not_applicable };

// What one detector found: the first witness if it failed, the reason if it was not applicable; a
// remark, perhaps, if it passed.
struct Finding {
    Outcome outcome;
    std::string words;

    static Finding passed(const std::string& remark = "") { return {Outcome::passed, remark}; }
    static Finding failed(const std::string& witness) { return {Outcome::failed, witness}; }
    static Finding not_applicable(const std::string& reason) {
        return {Outcome::not_applicable, reason};
    }
};

} // namespace glassbox
