// Outputs and runs made up for the tests.
#pragma once

#include "record/runs.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace glassbox {

inline const std::string outputs_folder = "tests/golden/outputs/";

inline npy::Array array_of(const std::vector<std::size_t>& shape, const std::vector<double>& values,
                           const std::string& type = "<f8") {
    return {type, shape, values};
}

// T x C numbers that count up from `first`.
inline npy::Array counting(std::size_t T, std::size_t C, double first = 0.0) {
    npy::Array array{"<f8", {T, C}, {}};
    for (std::size_t i = 0; i < T * C; ++i)
        array.values.push_back(first + static_cast<double>(i));
    return array;
}

// A baseline of T zeros, and in changed_s every output moved that `matters` says: by the size and
// s/1024 more, so that no two are equal.
inline std::map<std::string, npy::Array> runs_in_which(std::size_t T, const Reach& matters,
                                                       double size = 1.0) {
    std::map<std::string, npy::Array> arrays;
    arrays["baseline"] = array_of({T, 1}, std::vector<double>(T));
    for (std::size_t s = 0; s < T; ++s) {
        std::vector<double> values(T);
        for (std::size_t t = 0; t < T; ++t)
            values[t] = matters(t, s) ? size + static_cast<double>(s) / 1024.0 : 0.0;
        arrays["changed_" + std::to_string(s)] = array_of({T, 1}, values);
    }
    return arrays;
}

inline Influence influence_in_which(std::size_t T, const Reach& matters) {
    return influence_of(runs_of(runs_in_which(T, matters), "r.npz"), 0.0);
}

} // namespace glassbox
