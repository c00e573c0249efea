// What the tests of detectors share: a look at a finding, and small models.
#pragma once

#include "proof/causality.hpp"
#include "support.hpp"

#include <functional>
#include <string>

namespace glassbox {

inline const Matrix three{{1, 2}, {-3, 4}, {5, -0.5}}; // T = 3, C = 2

inline Matrix copy_of(const Matrix& x) {
    return x;
}

inline Matrix random_input(std::size_t T, std::size_t C) {
    PytorchRandom random(77);
    return random.randn(T, C);
}

inline void check_passed(const Finding& finding, const std::string& words = "") {
    BOOST_CHECK(finding.outcome == Outcome::passed);
    BOOST_TEST(finding.words == words);
}

inline void check_failed(const Finding& finding, const std::string& words) {
    BOOST_CHECK(finding.outcome == Outcome::failed);
    BOOST_TEST(finding.words == words);
}

inline void check_not_applicable(const Finding& finding, const std::string& words) {
    BOOST_CHECK(finding.outcome == Outcome::not_applicable);
    BOOST_TEST(finding.words == words);
}

// A cached form that copies; `wrong` says after how many positions which chunk comes out negative.
inline CachedModel copying_cache(
    const std::function<bool(std::size_t cached, std::size_t chunk)>& wrong = {}) {
    return {[] { return std::any(std::size_t{0}); },
            [=](std::any& cache, const Matrix& chunk) {
                auto& count = std::any_cast<std::size_t&>(cache);
                const bool negative = wrong && wrong(count, chunk.rows);
                count += chunk.rows;
                return negative ? chunk * -1.0 : chunk;
            }};
}

// Output t is the sum of all inputs that it may read: the plainest model of any reach.
inline Model sums_within(const Reach& reach) {
    return [=](const Matrix& x) {
        Matrix result(x.rows, x.cols);
        for (std::size_t t = 0; t < x.rows; ++t)
            for (std::size_t s = 0; s < x.rows; ++s)
                for (std::size_t c = 0; reach(t, s) && c < x.cols; ++c)
                    result(t, c) += x(s, c);
        return result;
    };
}

} // namespace glassbox
