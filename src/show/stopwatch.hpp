// How long something takes, and how fast one core can be at best.
//
// Times are processor time: it stands still while other programs run. What those do to the caches
// stays visible.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <functional>
#include <limits>
#include <vector>

namespace glassbox {

// Seconds for one call of work, in ascending order: the first is the best, the middle one the
// median. As many runs as wanted, but none more (after the first) once `budget` seconds are spent.
// A run calls work as often as it takes for the clock to tell: 5 ms.
inline std::vector<double> seconds_of(const std::function<void()>& work, std::size_t runs,
                                      double budget = std::numeric_limits<double>::infinity()) {
    std::vector<double> seconds;
    double spent = 0.0;
    for (int calls = 1; seconds.size() < runs && (seconds.empty() || spent < budget);) {
        const std::clock_t start = std::clock();
        for (int i = 0; i < calls; ++i)
            work();
        const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        spent += took;
        if (took < 0.005)
            calls *= 2;
        else
            seconds.push_back(took / calls);
    }
    std::ranges::sort(seconds);
    return seconds;
}

// Chains v <- v * x + y, each of which waits for its own last result and for no other.
template <std::size_t count>
double sum_of_chains(int rounds, double x, double y) {
    double v[count] = {};
    for (int n = 0; n < rounds; ++n)
        for (std::size_t i = 0; i < count; ++i)
            v[i] = v[i] * x + y;
    double sum = 0.0;
    for (const double value : v)
        sum += value;
    return sum;
}

// Multiplications and additions a second, in units of 1e9 (GFLOP/s), in so many chains.
template <std::size_t count>
double rate_of_chains() {
    constexpr int rounds = 20000;
    volatile double x = 0.999, y = 0.001, seen = 0.0; // so that nothing is left out as unused
    const double seconds =
        seconds_of([&] { seen = seen + sum_of_chains<count>(rounds, x, y); }, 5).front();
    return 2.0 * rounds * static_cast<double>(count) / seconds / 1e9;
}

// The peak of one core: with enough chains no adder waits; with too many the registers run out.
inline double peak_of_one_core() {
    return std::max({rate_of_chains<16>(), rate_of_chains<32>(), rate_of_chains<48>(),
                     rate_of_chains<64>(), rate_of_chains<96>()});
}

} // namespace glassbox
