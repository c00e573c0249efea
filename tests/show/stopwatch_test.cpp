// The stopwatch: how many runs it makes, in which order it reports them, and the chains of the
// peak.
#include "support.hpp"

#include "show/stopwatch.hpp"

#include <algorithm>

using namespace glassbox;

namespace {

// Keeps the processor busy for about so many seconds.
void work_for(double seconds) {
    const std::clock_t start = std::clock();
    while (static_cast<double>(std::clock() - start) < seconds * CLOCKS_PER_SEC)
        ;
}

} // namespace

BOOST_AUTO_TEST_SUITE(stopwatch)

BOOST_AUTO_TEST_CASE(as_many_runs_as_wanted_in_ascending_order) {
    int calls = 0;
    const std::vector<double> seconds =
        seconds_of([&] { work_for(++calls == 1 ? 0.02 : 0.01); }, 3);
    BOOST_CHECK_EQUAL(seconds.size(), 3U);
    BOOST_CHECK_EQUAL(calls, 3);
    BOOST_CHECK(std::ranges::is_sorted(seconds));
    BOOST_CHECK_GE(seconds.front(), 0.01);
    BOOST_CHECK_GE(seconds.back(), 0.02);
}

BOOST_AUTO_TEST_CASE(a_budget_ends_the_runs_but_not_the_first) {
    int calls = 0;
    BOOST_CHECK_EQUAL(seconds_of([&] { work_for(++calls * 0.0 + 0.01); }, 9, 0.005).size(), 1U);
    BOOST_CHECK_EQUAL(calls, 1);
}

BOOST_AUTO_TEST_CASE(short_work_is_repeated_and_divided) {
    int calls = 0;
    const std::vector<double> seconds = seconds_of([&] { work_for(++calls * 0.0 + 0.001); }, 1);
    BOOST_CHECK_GE(calls, 1 + 2 + 4);
    BOOST_CHECK_LT(seconds.front(), 0.005);
}

// v = 0, then 0 * 2 + 3 = 3, then 3 * 2 + 3 = 9, then 21; four chains of it.
BOOST_AUTO_TEST_CASE(chains_compute_what_they_say) {
    BOOST_CHECK_EQUAL(sum_of_chains<4>(0, 2, 3), 0);
    BOOST_CHECK_EQUAL(sum_of_chains<4>(3, 2, 3), 4 * 21);
    BOOST_CHECK_GT(rate_of_chains<16>(), 0);
}

BOOST_AUTO_TEST_SUITE_END()
