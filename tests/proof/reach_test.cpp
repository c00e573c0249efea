// What a model may claim of itself: for each claim, which input may matter to which output.
#include "proof/reach.hpp"
#include "support.hpp"

using namespace glassbox;

namespace {

// A line for each output, x where an input may matter.
std::vector<std::string> picture(const Reach& reach, std::size_t T) {
    std::vector<std::string> lines;
    for (std::size_t t = 0; t < T; ++t) {
        lines.emplace_back();
        for (std::size_t s = 0; s < T; ++s)
            lines.back() += reach(t, s) ? 'x' : '.';
    }
    return lines;
}

void check_picture(const Reach& reach, const std::vector<std::string>& wanted) {
    BOOST_TEST(picture(reach, wanted.size()) == wanted, boost::test_tools::per_element());
}

} // namespace

BOOST_AUTO_TEST_SUITE(reach)

BOOST_AUTO_TEST_CASE(a_window_reaches_back_through_its_layers,
                     *label("window_reaches_too_far") * label("reach_without_the_present")) {
    for (std::size_t t = 0; t < 9; ++t)
        for (std::size_t s = 0; s < 9; ++s) {
            BOOST_TEST(causal_reach()(t, s) == (s <= t));
            BOOST_TEST(window_reach(1, 5)(t, s) == (s == t));
            BOOST_TEST(window_reach(4, 1)(t, s) == (s <= t && s + 3 >= t));
            BOOST_TEST(window_reach(3, 2)(t, s) == (s <= t && s + 4 >= t));
        }
}

BOOST_AUTO_TEST_CASE(a_sink_stays_readable_behind_the_window, *label("window_reaches_too_far")) {
    check_picture(sink_reach(1, 2, 1), {"x....", "xx...", "xxx..", "x.xx.", "x..xx"});
    check_picture(sink_reach(0, 2, 1), {"x...", "xx..", ".xx.", "..xx"});
}

BOOST_AUTO_TEST_CASE(a_prefix_reads_itself_in_both_directions) {
    check_picture(prefix_reach(3), {"xxx..", "xxx..", "xxx..", "xxxx.", "xxxxx"});
    check_picture(prefix_reach(0), {"x..", "xx.", "xxx"});
}

BOOST_AUTO_TEST_CASE(looking_ahead_ends_after_so_many_positions) {
    check_picture(ahead_reach(1), {"xx..", "xxx.", "xxxx", "xxxx"});
    check_picture(ahead_reach(0), {"x..", "xx.", "xxx"});
}

BOOST_AUTO_TEST_CASE(a_chunk_is_read_to_its_end) {
    check_picture(chunk_reach(2), {"xx...", "xx...", "xxxx.", "xxxx.", "xxxxx"});
    check_picture(chunk_reach(1), {"x..", "xx.", "xxx"});
}

BOOST_AUTO_TEST_CASE(without_a_limit_everything_may_matter) {
    check_picture(unlimited_reach(), {"xxx", "xxx", "xxx"});
}

BOOST_AUTO_TEST_CASE(a_window_or_a_number_of_layers_below_1_is_refused) {
    check_message([] { window_reach(0, 1); },
                  {"window_reach: window 0, layers 1; wanted at least"});
    check_message([] { window_reach(1, 0); },
                  {"window_reach: window 1, layers 0; wanted at least"});
    BOOST_CHECK_THROW(window_reach(0, 1), std::invalid_argument);
    BOOST_CHECK_THROW(sink_reach(1, 0, 1), std::invalid_argument);
    check_message([] { chunk_reach(0); }, {"chunk_reach: chunks of 0 positions; wanted at least"});
}

BOOST_AUTO_TEST_SUITE_END()
