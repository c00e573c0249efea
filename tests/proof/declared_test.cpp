// A reach that is declared is heard by every detector, and the report concludes about it: what it
// allows may move, what it forbids may not.
#include "findings.hpp"
#include "model/block.hpp"
#include "proof/leaks.hpp"
#include "proof/network.hpp"

using namespace glassbox;

namespace {

struct Family {
    std::string name;
    Reach reach;
    ClaimKind claim;
};

// What the models of this file claim, at 9 positions.
const std::vector<Family> families{
    {"a prefix of 4", prefix_reach(4), ClaimKind::declared},
    {"one ahead", ahead_reach(1), ClaimKind::declared},
    {"chunks of 3", chunk_reach(3), ClaimKind::declared},
    {"a sink and a window", sink_reach(1, 3, 1), ClaimKind::causal_and_more},
    {"a window", window_reach(3, 1), ClaimKind::causal_and_more},
    {"causal", causal_reach(), ClaimKind::causal},
};

Attention attend_within(const Reach& reach, const Matrix& q, const Matrix& k, const Matrix& v,
                        std::size_t first) {
    return attend_where(q, k, v, first,
                        [&](std::size_t t, std::size_t s) { return s < k.rows && reach(t, s); });
}

// The network with a rule in the mask's place, and a claim; its packed form is left out, for a rule
// about absolute positions makes no sense in a second document.
Subject network_with(const Reach& rule, const Reach& claim) {
    PytorchRandom random(3);
    Network network(Block::from_pytorch(random, 8));
    network.attend = [=](const Matrix& q, const Matrix& k, const Matrix& v, std::size_t first) {
        return attend_within(rule, q, k, v, first);
    };
    Subject subject = subject_of(network);
    subject.packed = {};
    subject.cached->resume = {};
    subject.reach = claim;
    return subject;
}

// The rule, and the one more that it wrongly allows.
Reach and_also(const Reach& rule, std::size_t also_t, std::size_t also_s) {
    return [=](std::size_t t, std::size_t s) { return rule(t, s) || (t == also_t && s == also_s); };
}

std::string success(ClaimKind claim) {
    return std::string(claim == ClaimKind::declared     ? "AS DECLARED"
                           : claim == ClaimKind::causal ? "CAUSAL"
                                                        : "AS DECLARED, AND CAUSAL") +
        ", as far as these inputs can show";
}

} // namespace

BOOST_AUTO_TEST_SUITE(declared_reach)

BOOST_AUTO_TEST_CASE(a_model_that_keeps_its_claim_is_as_declared,
                     *label("reach_without_the_present") * label("branch_is_the_original") *
                         label("future_watched_whatever_the_reach") * label("cut_anywhere") *
                         label("rule_asked_from_zero") * label("influence_of_one_position")) {
    const Matrix x = random_input(9, 8);
    for (const auto& [name, reach, claim] : families) {
        const CausalityReport report = examine(network_with(reach, reach), x);
        BOOST_TEST_CONTEXT(name << "\n" << report_text(report)) {
            BOOST_CHECK(report.claim == claim);
            BOOST_TEST(report.conclusion() == success(claim));
            BOOST_TEST(report.holds());
        }
    }
}

// Every pair that is forbidden is opened in turn.
BOOST_AUTO_TEST_CASE(a_single_pair_beyond_the_claim_is_found,
                     *label("proof_forgets_the_position_before") *
                         label("reach_without_the_present") * label("branch_is_the_original") *
                         label("leak_called_dependence")) {
    const Matrix x = random_input(6, 8);
    for (const auto& [name, reach, claim] : families)
        for (std::size_t t = 0; t < 6; ++t)
            for (std::size_t s = 0; s < 6; s += 2) {
                if (reach(t, s))
                    continue;
                const CausalityReport report =
                    examine(network_with(and_also(reach, t, s), reach), x);
                const std::string wanted = s < t   ? "WRONG REACH: "
                    : claim == ClaimKind::declared ? "LEAK, what the reach forbids moved: "
                                                   : "LEAK, the future moves the past: ";
                BOOST_TEST(report.conclusion().starts_with(wanted),
                           name << ", " << t << " reads " << s << "\n"
                                << report_text(report));
                BOOST_TEST(report.failed("F"));
                BOOST_TEST(report.failed("A") == (s > t));
                BOOST_TEST(!report.holds());
            }
}

// And every pair that is allowed is closed, but for the residual's own.
BOOST_AUTO_TEST_CASE(a_single_pair_that_is_missing_is_found,
                     *label("reach_without_the_present") * label("what_must_matter_not_judged") *
                         label("future_watched_whatever_the_reach") *
                         label("influence_of_one_position")) {
    const Matrix x = random_input(6, 8);
    for (const auto& [name, reach, claim] : families)
        for (std::size_t t = 0; t < 6; ++t)
            for (std::size_t s = 0; s < 6; s += 2) {
                if (!reach(t, s) || s == t)
                    continue;
                const Reach narrower = [&, rule = reach](std::size_t a, std::size_t b) {
                    return rule(a, b) && !(a == t && b == s);
                };
                BOOST_TEST(influence(network_with(narrower, reach), x)
                               .words.starts_with("the token at position " + std::to_string(s) +
                                                  " did not show in the output at position " +
                                                  std::to_string(t) +
                                                  ", in 12 different changes, and matters by"),
                           name);
            }
}

// The same models, by authors who declared nothing.
BOOST_AUTO_TEST_CASE(undeclared_only_the_future_is_forbidden,
                     *label("proof_forgets_the_position_before") * label("branch_is_the_original") *
                         label("leak_called_dependence") * label("undeclared_forbids_the_present") *
                         label("undeclared_reach_demanded") * label("rule_asked_from_zero") *
                         label("influence_of_one_position")) {
    const Matrix x = random_input(9, 8);
    for (const auto& [name, reach, claim] : families) {
        const CausalityReport report = examine(network_with(reach, {}), x);
        BOOST_TEST(report.conclusion().starts_with(claim == ClaimKind::declared
                                                       ? "LEAK, the future moves the past: "
                                                       : "CAUSAL, as far as"),
                   name << "\n"
                        << report_text(report));
    }
}

BOOST_AUTO_TEST_CASE(a_cache_goes_on_only_where_the_reach_can_be_cut,
                     *label("cut_anywhere") * label("rule_asked_from_zero")) {
    const Matrix x = random_input(9, 8);
    const CausalityReport chunks = examine(network_with(chunk_reach(3), chunk_reach(3)), x);
    const CausalityReport ahead = examine(network_with(ahead_reach(1), ahead_reach(1)), x);
    for (const char* letter : {"E1", "E3", "Em"}) {
        check_passed(chunks.of(letter));
        check_not_applicable(ahead.of(letter),
                             "by its reach no cache could go on before the end is known");
    }
    // A cache that starts anew with every chunk is wrong, cut at the right places or not.
    Subject forgetful = network_with(chunk_reach(3), chunk_reach(3));
    forgetful.cached->extend = [model = forgetful.model](std::any&, const Matrix& chunk) {
        return model(chunk);
    };
    BOOST_TEST(examine(forgetful, x).failed("E1"));
}

BOOST_AUTO_TEST_CASE(masked_data_that_is_read_is_named_where_the_reach_forbids_it,
                     *label("proof_skips_the_first_column") *
                         label("future_watched_whatever_the_reach") *
                         label("influence_of_one_position")) {
    for (const auto& [name, reach, claim] : families) {
        Subject subject{[rule = reach](const Matrix& x) {
            Matrix result = sums_within(rule)(x);
            for (std::size_t t = 0; t < x.rows; ++t)
                for (std::size_t s = 0; s < x.rows; ++s)
                    result(t, 0) += rule(t, s) ? 0.0 : 0.0 * x(s, 0);
            return result;
        }};
        subject.reach = reach;
        const CausalityReport report = examine(subject, random_input(9, 2));
        BOOST_TEST(report.failed("C"), name);
        BOOST_TEST(report.conclusion().starts_with(
                       (claim == ClaimKind::declared ? "AS DECLARED" : "CAUSAL") +
                       std::string(" FOR FINITE INPUTS as far as these show, but masked data is "
                                   "read: made the token at position ")),
                   report_text(report));
        BOOST_TEST(!report.holds());
    }
}

BOOST_AUTO_TEST_CASE(a_prefix_run_is_compared_where_the_reach_knows_nothing_of_the_rest) {
    Subject subject{[](const Matrix& x) {
        Matrix result = sums_within(ahead_reach(1))(x);
        if (x.rows < 5) // an output that has all it may read, and is another one all the same
            result(0, 0) += 1;
        return result;
    }};
    subject.reach = ahead_reach(1);
    BOOST_TEST(
        truncation(subject, random_input(5, 2))
            .words.starts_with("kept only the first 2 of 5 positions: output at position 0"));
    subject.model = sums_within(ahead_reach(1));
    check_passed(truncation(subject, random_input(5, 2)));
}

BOOST_AUTO_TEST_CASE(a_reach_that_allows_everything_leaves_nothing_to_judge,
                     *label("judged_without_a_past") * label("cut_anywhere")) {
    for (const auto& reach : {unlimited_reach(), prefix_reach(9), chunk_reach(20)}) {
        Subject subject = network_with(reach, reach);
        const CausalityReport report = examine(subject, random_input(9, 8));
        BOOST_TEST(report.conclusion() ==
                   "NOT JUDGED: by its reach every later input may matter; there is nothing to "
                   "judge");
        BOOST_TEST(!report.holds());
        for (const char* letter : {"A", "B", "C", "D", "E1", "F"})
            BOOST_CHECK(report.of(letter).outcome == Outcome::not_applicable);
    }
}

// A model that reads backwards claims nothing of the future, and all the more of the past.
BOOST_AUTO_TEST_CASE(a_claim_about_the_past_alone_is_judged_by_the_influence_map,
                     *label("future_watched_whatever_the_reach") *
                         label("influence_of_one_position")) {
    const Reach backwards = [](std::size_t t, std::size_t s) { return s >= t; };
    Subject subject{sums_within(backwards)};
    subject.reach = backwards;
    const CausalityReport report = examine(subject, random_input(5, 2));
    BOOST_TEST(report.conclusion() == "AS DECLARED, as far as these inputs can show");
    BOOST_TEST(report.holds());
    subject.model = sums_within([](std::size_t t, std::size_t s) { return s + 1 >= t; });
    BOOST_TEST(examine(subject, random_input(5, 2)).conclusion().starts_with("WRONG REACH: "));
}

BOOST_AUTO_TEST_CASE(a_window_declared_too_wide_or_too_narrow_is_a_wrong_reach,
                     *label("window_reaches_too_far") * label("what_must_matter_not_judged") *
                         label("branch_is_the_original") *
                         label("future_watched_whatever_the_reach") *
                         label("rule_asked_from_zero") * label("influence_of_one_position")) {
    const Matrix x = random_input(9, 8);
    for (const int claimed : {2, 3, 4}) {
        const Reach claim = window_reach(static_cast<std::size_t>(claimed), 1);
        const CausalityReport report = examine(network_with(window_reach(3, 1), claim), x);
        if (claimed == 3)
            BOOST_TEST(report.conclusion() ==
                       "AS DECLARED, AND CAUSAL, as far as these inputs can "
                       "show");
        else
            BOOST_TEST(report.conclusion().starts_with(
                claimed == 2 ? "WRONG REACH: the token at position 0 matters to the output at "
                               "position 2, and must not"
                             : "WRONG REACH: the token at position 0 did not show in the output at "
                               "position 3, in 12 different changes (so for 6 pairs), and matters "
                               "by Subject::reach"));
    }
}

BOOST_AUTO_TEST_SUITE_END()
