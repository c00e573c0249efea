// The mask's rule as pictures: row t asks, column s is read, x: may be read.
#include "model/mask.hpp"
#include "support.hpp"

using namespace glassbox;

namespace {

std::string picture(const Mask& mask, int T) {
    std::string drawn;
    for (int t = 0; t < T; ++t) {
        for (int s = 0; s < T; ++s)
            drawn += mask.allows(t, s) ? 'x' : '.';
        drawn += '\n';
    }
    return drawn;
}

} // namespace

BOOST_AUTO_TEST_SUITE(mask)

BOOST_AUTO_TEST_CASE(causal_reads_the_past_and_the_present,
                     *label("mask_removed") * label("mask_one_too_far")) {
    BOOST_TEST(picture({.causal = true}, 4) ==
               "x...\n"
               "xx..\n"
               "xxx.\n"
               "xxxx\n");
    BOOST_TEST(picture(Mask{}, 4) == picture({.causal = true}, 4)); // the default
}

BOOST_AUTO_TEST_CASE(without_a_mask_everything_is_read) {
    BOOST_TEST(picture({.causal = false}, 3) ==
               "xxx\n"
               "xxx\n"
               "xxx\n");
}

BOOST_AUTO_TEST_CASE(a_window_of_one_is_the_present_alone,
                     *label("window_one_too_wide") * label("mask_removed") *
                         label("mask_one_too_far")) {
    BOOST_TEST(picture({.causal = true, .window = 1}, 3) ==
               "x..\n"
               ".x.\n"
               "..x\n");
}

BOOST_AUTO_TEST_CASE(a_window_of_four_counts_the_present_as_one_of_the_four,
                     *label("window_one_too_wide") * label("mask_removed") *
                         label("mask_one_too_far")) {
    BOOST_TEST(picture({.causal = true, .window = 4}, 6) ==
               "x.....\n"
               "xx....\n"
               "xxx...\n"
               "xxxx..\n"
               ".xxxx.\n" // t - 3 yes, t - 4 no
               "..xxxx\n");
}

BOOST_AUTO_TEST_CASE(a_window_alone_limits_the_past_and_leaves_the_future_open,
                     *label("window_one_too_wide")) {
    BOOST_TEST(picture({.causal = false, .window = 2}, 4) ==
               "xxxx\n"
               "xxxx\n"
               ".xxx\n"
               "..xx\n");
}

BOOST_AUTO_TEST_CASE(a_window_without_room_for_the_present_is_refused) {
    for (const int window : {0, -1, std::numeric_limits<int>::min()})
        check_message([&] { Mask{.window = window}.allows(0, 0); },
                      {"Mask: the window is " + std::to_string(window), "at least 1"});
}

BOOST_AUTO_TEST_CASE(positions_below_zero_are_refused) {
    check_message([] { Mask{}.allows(-1, 2); }, {"Mask: ", "query -1, key 2", "count from 0"});
    check_message([] { Mask{}.allows(3, -4); }, {"Mask: ", "query 3, key -4", "count from 0"});
}

BOOST_AUTO_TEST_CASE(positions_from_counts_upwards) {
    const std::vector<int> expected{5, 6, 7};
    BOOST_TEST(positions_from(5, 3) == expected, boost::test_tools::per_element());
    BOOST_TEST(positions_from(5, 0).empty());
    check_message([] { positions_from(0, static_cast<std::size_t>(-1)); },
                  {"positions_from: wanted 0 or more positions, got -1"});
}

BOOST_AUTO_TEST_SUITE_END()
