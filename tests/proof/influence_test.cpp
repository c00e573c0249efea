// The influence map: what it demands of a model, and of which models it demands nothing.
#include "findings.hpp"
#include "proof/influence.hpp"
#include "proof/network.hpp"

#include <algorithm>
#include <cmath>

using namespace glassbox;

namespace {

Subject declared(const Model& model, const Reach& reach) {
    Subject subject{model};
    subject.reach = reach;
    return subject;
}

const std::string by_reach = ", and matters by Subject::reach; proof/reach.hpp has others";

// y(t) = x(t) + share y(t - 1)
Model decaying(double share) {
    return [=](const Matrix& x) {
        Matrix result = x;
        for (std::size_t t = 1; t < x.rows; ++t)
            for (std::size_t c = 0; c < x.cols; ++c)
                result(t, c) += share * result(t - 1, c);
        return result;
    };
}

} // namespace

BOOST_AUTO_TEST_SUITE(influence_alone)

BOOST_AUTO_TEST_CASE(a_declared_reach_is_judged_in_both_directions,
                     *label("reach_without_the_present") * label("what_must_matter_not_judged") *
                         label("future_watched_whatever_the_reach") *
                         label("influence_of_one_position")) {
    check_passed(influence(declared(sums_within(causal_reach()), causal_reach()), three));
    check_failed(influence(declared(copy_of, causal_reach()), three),
                 "the token at position 0 did not show in the output at position 1, in 12 "
                 "different changes (so for 3 pairs)" +
                     by_reach);
    const Model reversed = [=](const Matrix& x) {
        return matmul({{0, 0, 1}, {0, 1, 0}, {1, 0, 0}}, x);
    };
    const auto crosswise = [](std::size_t t, std::size_t s) { return t + s == 2; };
    check_passed(influence(declared(reversed, crosswise), three));
    check_failed(
        influence(declared(reversed,
                           [=](std::size_t t, std::size_t s) { return s <= t && crosswise(t, s); }),
                  three),
        "the token at position 2 matters to the output at position 0, and must not");
}

BOOST_AUTO_TEST_CASE(where_nothing_was_declared_what_does_not_show_is_only_said,
                     *label("reach_without_the_present") * label("window_reaches_too_far") *
                         label("undeclared_forbids_the_present") *
                         label("undeclared_reach_demanded") * label("influence_of_one_position")) {
    check_passed(influence({sums_within(causal_reach())}, three));
    check_passed(influence({sums_within(window_reach(2, 1))}, three),
                 "the token at position 0 did not show in the output at position 2, in 12 "
                 "different changes");
    check_failed(influence({sums_within(ahead_reach(1))}, three),
                 "the token at position 1 matters to the output at position 0, and must not");
}

BOOST_AUTO_TEST_CASE(a_model_in_which_no_output_reads_another_position_is_named,
                     *label("window_reaches_too_far") * label("undeclared_forbids_the_present") *
                         label("future_watched_whatever_the_reach") *
                         label("influence_of_one_position")) {
    const std::string note =
        "no output showed any input but its own, in 12 different changes; if the model reads along "
        "another axis, the batch perhaps, only Subject::batched can show it";
    check_passed(influence({copy_of}, three), note);
    check_passed(influence({copy_of}, three * 1e100), note);
    check_passed(influence({copy_of}, {{1, 2}}));
    check_passed(influence(declared(copy_of, window_reach(1, 4)), three)); // as it was meant
}

BOOST_AUTO_TEST_CASE(what_must_matter_is_judged_on_ordinary_inputs_with_two_channels_only,
                     *label("what_must_matter_judged_anywhere") *
                         label("ordinary_up_to_a_thousand") * label("reach_without_the_present") *
                         label("what_must_matter_not_judged") *
                         label("influence_of_one_position")) {
    const std::string words = "only what must not matter: one channel, or extreme inputs";
    for (const double scale : {1e-5, 10.0, 1e100})
        check_passed(influence(declared(copy_of, causal_reach()), three * scale), words);
    check_passed(influence(declared(copy_of, causal_reach()), {{1}, {2}}), words);
    const Model reversed = [](const Matrix& x) { return matmul({{0, 1}, {1, 0}}, x); };
    check_failed(influence({reversed}, {{1}, {2}}),
                 "the token at position 1 matters to the output at position 0, and must not");
}

// Each of these shows in one kind of change alone.
BOOST_AUTO_TEST_CASE(what_must_matter_may_need_a_change_of_another_size_or_sign,
                     *label("window_reaches_too_far") * label("second_replacement_not_read") *
                         label("future_watched_whatever_the_reach") *
                         label("influence_of_one_position")) {
    const std::vector<std::function<bool(double)>> conditions{
        [](double v) { return v > 0; },
        [](double v) { return v < 0; },
        [](double v) { return std::abs(v) < 0.01; },
        [](double v) { return std::abs(v) > 100; },
        [](double v) { return v < -1e18; },
        [](double v) { return v == 5; }}; // the neighbour's row
    for (const auto& condition : conditions) {
        const Model picky = [=](const Matrix& x) {
            Matrix result = sums_within([](std::size_t t, std::size_t s) { return s == t; })(x);
            for (std::size_t t = 1; t < x.rows; ++t)
                result(t, 0) += condition(x(t - 1, 0)) ? 1.0 : 0.0;
            return result;
        };
        check_passed(influence(declared(picky, window_reach(2, 1)), {{5, 2}, {0.5, 4}, {5, 1}}));
    }
}

BOOST_AUTO_TEST_CASE(a_declared_reach_that_decays_shows_in_large_changes,
                     *label("reach_without_the_present") * label("second_replacement_not_read") *
                         label("what_must_matter_not_judged") *
                         label("influence_of_one_position")) {
    const Matrix x = random_input(20, 4);
    check_passed(influence(declared(decaying(0.1), causal_reach()), x));
    BOOST_CHECK(influence(declared(decaying(1e-10), causal_reach()), x).outcome ==
                Outcome::failed); // lost in rounding, whatever the change
}

BOOST_AUTO_TEST_CASE(one_of_two_replacements_is_enough_to_matter,
                     *label("second_replacement_not_read") * label("reach_without_the_present") *
                         label("influence_of_one_position")) {
    PytorchRandom first(1), second(2); // the streams of the first two replacements
    const double one = first.randn(1, 2)(0, 0), other = second.randn(1, 2)(0, 0);
    const auto between = [=](double v) {
        return v > std::min(one, other) && v < std::max(one, other);
    };
    const double middle = (one + other) / 2;
    std::size_t runs = 0;
    const Model counted = [&](const Matrix& x) {
        ++runs;
        return Matrix{{x(0, 0), 0}, {x(1, 0), x(0, 0) > middle ? 1.0 : 0.0}};
    };
    BOOST_TEST(between(middle));
    for (const double start : {middle - 0.01, middle + 0.01}) {
        runs = 0;
        check_passed(influence(declared(counted, causal_reach()), {{start, 1}, {2, 3}}));
        BOOST_TEST(runs == 8U); // two maps of two positions, before and after
    }
}

// What lies too far back is tried with every change that the intervention makes.
BOOST_AUTO_TEST_CASE(a_past_beyond_the_reach_is_driven_as_the_future_is,
                     *label("proof_forgets_the_position_before") * label("window_reaches_too_far") *
                         label("no_driven_inputs") * label("future_watched_whatever_the_reach") *
                         label("past_beyond_the_reach_not_driven") *
                         label("influence_of_one_position")) {
    const auto too_far = [](const std::function<bool(const Matrix&)>& opens) {
        return declared(
            [=](const Matrix& x) {
                Matrix result = sums_within(window_reach(2, 1))(x);
                if (x.rows > 2 && opens(x))
                    result(2, 1) += x(0, 0);
                return result;
            },
            window_reach(2, 1));
    };
    check_passed(influence(too_far([](const Matrix&) { return false; }), three));
    BOOST_TEST(influence(too_far([](const Matrix& x) { return x(2, 1) > 500; }), three)
                   .words.starts_with("x plus 1e3, changed the token at position 0: output at "
                                      "position 2, column 1 moved from "));
    BOOST_TEST(influence(too_far([](const Matrix& x) { return x(2, 1) > 500; }), three)
                   .words.ends_with(", and must not"));
}

BOOST_AUTO_TEST_CASE(a_reach_that_forbids_nothing_is_not_judged,
                     *label("influence_of_one_position")) {
    check_not_applicable(influence(declared(copy_of, unlimited_reach()), three),
                         "by its reach every input may matter");
    check_not_applicable(influence(declared(copy_of, prefix_reach(3)), three),
                         "by its reach every input may matter");
    check_passed(influence(declared(sums_within(prefix_reach(2)), prefix_reach(2)), three));
}

BOOST_AUTO_TEST_SUITE_END()
