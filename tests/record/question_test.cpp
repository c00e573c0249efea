// What is asked of outputs in files: options, and what is wrong with them.
#include "support.hpp"

#include "record/question.hpp"

using namespace glassbox;

BOOST_AUTO_TEST_SUITE(question)

BOOST_AUTO_TEST_CASE(options_may_stand_anywhere_and_be_joined_to_their_value) {
    const Question question =
        question_of({"--tolerance=1e-6", "a.npy", "--prefix", "3", "b.npy", "4"});
    BOOST_CHECK(question.words == (std::vector<std::string>{"a.npy", "b.npy", "4"}));
    BOOST_CHECK_EQUAL(question.tolerance, 1e-6);
    BOOST_CHECK_EQUAL(question.claim->said, "--prefix 3");
    BOOST_CHECK(!question.figure);
    const Question plain = question_of({"runs.npz", "--figure", "map.svg"});
    BOOST_CHECK(!plain.claim);
    BOOST_CHECK_EQUAL(*plain.figure, "map.svg");
}

BOOST_AUTO_TEST_CASE(each_reach_has_its_option) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
        {{"--window=3", "--layers=2"}, "A WINDOW OF 3 IN 2 LAYERS, NEITHER MORE NOR LESS"},
        {{"--window=3", "--layers=2", "--sink=1"},
         "A WINDOW OF 3 IN 2 LAYERS AND 1 SINK, NEITHER MORE NOR LESS"},
        {{"--prefix=3"}, "CAUSAL BEHIND A PREFIX OF 3, NEITHER MORE NOR LESS"},
        {{"--ahead=1"}, "THE PAST AND 1 AHEAD, NEITHER MORE NOR LESS"},
        {{"--chunk=4"}, "THE PAST IN CHUNKS OF 4, NEITHER MORE NOR LESS"},
        {{"--reach=all"}, "EVERY INPUT MOVES EVERY OUTPUT"}};
    for (const auto& [arguments, words] : cases)
        BOOST_CHECK_EQUAL(question_of(arguments).claim->words, words);
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_together_is_refused) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
        {{"--prefix=3", "--chunk=4"}, "--prefix and --chunk are different claims; say one"},
        {{"--window=3", "--layers=2", "--reach=all"}, "--window and --reach are different claims"},
        {{"--window=3"}, "--window and --layers belong together, and --sink to both"},
        {{"--layers=3"}, "--window and --layers belong together"},
        {{"--sink=1"}, "--sink to both"},
        {{"--sink=1", "--prefix=3"}, "--sink to both"},
        {{"--layers=1", "--prefix=3"}, "--window and --layers belong together"},
        {{"--reach=past"}, "--reach is 'past'; wanted all"},
        {{"--chunk=0"}, "--chunk is '0'; wanted a whole number from 1 to 1000000"},
        {{"--ahead=1000001"}, "--ahead is '1000001'; wanted a whole number from 1 to 1000000"},
        {{"--prefix=-1"}, "--prefix is '-1'; wanted a whole number from 1"},
        {{"--prefix", "3", "--prefix", "3"}, "--prefix stands once, with a value behind it"},
        {{"--prefix"}, "--prefix stands once, with a value behind it"},
        {{"--past=3"}, "there is no option --past"}};
    for (const auto& [arguments, reason] : cases)
        check_message([&a = arguments] { question_of(a); },
                      {reason, "; usage: before.npy after.npy"});
}

BOOST_AUTO_TEST_SUITE_END()
