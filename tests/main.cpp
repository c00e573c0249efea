// The entry point of all unit tests; the test cases are in the other files.
#define BOOST_TEST_MODULE glassbox
#include <boost/test/unit_test.hpp>
