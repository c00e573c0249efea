// What a file says, where it is printed.
#include "record/bytes.hpp"
#include "support.hpp"

using namespace glassbox;

BOOST_AUTO_TEST_SUITE(bytes)

BOOST_AUTO_TEST_CASE(a_file_cannot_print_a_line_of_its_own, *label("names_printed_raw")) {
    BOOST_TEST(printable("arrays.npz") == "arrays.npz");
    BOOST_TEST(printable("x\nTHE RECORD HOLDS: YES") == "x\\x0aTHE RECORD HOLDS: YES");
    BOOST_TEST(printable("\x1b[2K\r\x7f\xc3\xa4") == "\\x1b[2K\\x0d\\x7f\\xc3\\xa4");
    BOOST_TEST(printable(std::string_view("a\0b", 3)) == "a\\x00b");
    BOOST_TEST(printable("") == "");
}

BOOST_AUTO_TEST_CASE(what_is_long_is_cut) {
    BOOST_TEST(printable(std::string(200, 'x')) == std::string(200, 'x'));
    BOOST_TEST(printable(std::string(201, 'x')) == std::string(200, 'x') + "...");
}

BOOST_AUTO_TEST_SUITE_END()
