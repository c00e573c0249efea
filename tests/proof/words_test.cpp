// A finding's words: two numbers that differ look different, with no more digits than that takes.
#include "proof/words.hpp"
#include "support.hpp"

#include <cmath>

using namespace glassbox;

BOOST_AUTO_TEST_SUITE(words)

BOOST_AUTO_TEST_CASE(numbers_that_differ_look_different, *label("findings_of_few_digits")) {
    using detection::from_to;
    BOOST_TEST(from_to(1.0, 2.5) == " moved from 1 to 2.5");
    BOOST_TEST(from_to(1.0 / 3, 2.0 / 3) == " moved from 0.333333 to 0.666667");
    BOOST_TEST(from_to(1.0, 1.0 + 1e-9) == " moved from 1 to 1.000000001");
    BOOST_TEST(from_to(1.0, std::nextafter(1.0, 2.0)) == " moved from 1 to 1.0000000000000002");
    BOOST_TEST(from_to(0.1, std::nextafter(0.1, 1.0)) ==
               " moved from 0.10000000000000001 to 0.10000000000000002");
    BOOST_TEST(from_to(0.0, -0.0) == " moved from 0 to -0");
}

BOOST_AUTO_TEST_CASE(a_nan_has_no_sign, *label("sign_of_a_nan_shown")) {
    BOOST_TEST(detection::number_text(std::nan("")) == "nan");
    BOOST_TEST(detection::number_text(-std::nan("")) == "nan");
    BOOST_TEST(detection::number_text(-INFINITY) == "-inf");
}

BOOST_AUTO_TEST_SUITE_END()
