// What a model is said to do: every pair is judged from both sides, and nothing else is claimed.
#include "support.hpp"

#include "record/claim.hpp"
#include "record/made_runs.hpp"

using namespace glassbox;

BOOST_AUTO_TEST_SUITE(claim)

BOOST_AUTO_TEST_CASE(a_window_is_judged_from_both_sides,
                     *label("farthest_input_missed") * label("reach_without_the_present") *
                         label("window_reaches_too_far")) {
    for (const std::size_t back : {0U, 1U, 3U}) {
        const Influence influence =
            influence_in_which(6, [=](auto t, auto s) { return s <= t && t - s <= back; });
        BOOST_CHECK_EQUAL(farthest_back(influence), back);
        BOOST_CHECK(!first_beyond(influence, causal_reach()));
        BOOST_CHECK(!first_beyond(influence, window_reach(back + 1, 1)));
        if (back > 0) {
            const auto far = first_beyond(influence, window_reach(back, 1));
            BOOST_REQUIRE(far);
            BOOST_CHECK_EQUAL(far->input, 0U);
            BOOST_CHECK_EQUAL(far->output, back);
        }
    }
    const auto leak = first_beyond(
        influence_in_which(6, [](auto t, auto s) { return s <= t || (t == 1 && s == 4); }),
        causal_reach());
    BOOST_REQUIRE(leak);
    BOOST_CHECK_EQUAL(leak->input, 4U);
    BOOST_CHECK_EQUAL(leak->output, 1U);
}

BOOST_AUTO_TEST_CASE(a_single_far_input_counts, *label("farthest_input_missed")) {
    BOOST_CHECK_EQUAL(farthest_back(influence_in_which(
                          6, [](auto t, auto s) { return s == t || (t == 5 && s == 1); })),
                      4U);
}

BOOST_AUTO_TEST_CASE(a_reach_must_fit_into_the_positions) {
    const std::vector<std::pair<ReachClaim, std::size_t>> cases{
        {claims::window(4, 2), 8}, {claims::window(1, 5), 2}, {claims::window(4, 2, 3), 11},
        {claims::prefix(3), 4},    {claims::ahead(2), 4},     {claims::chunk(4), 5},
        {claims::everything(), 2}};
    for (const auto& entry : cases) {
        const ReachClaim& claim = entry.first;
        const std::size_t positions = entry.second;
        require_shown(claim, positions);
        check_message([&] { require_shown(claim, positions - 1); },
                      {claim.said + ": " + std::to_string(positions - 1) +
                       " positions cannot show where this reach ends; wanted at least " +
                       std::to_string(positions)});
    }
    check_message([] { claims::window(0, 2); }, {"window 0, layers 2; wanted at least 1"});
    check_message([] { claims::window(2, 0); }, {"window 2, layers 0; wanted at least 1"});
}

BOOST_AUTO_TEST_CASE(what_numpy_wrote_is_judged,
                     *label("farthest_input_missed") * label("reach_without_the_present") *
                         label("holes_in_a_reach_allowed") * label("window_reaches_too_far")) {
    const Influence sound = influence_of(read_runs(outputs_folder + "runs.npz"), 0.0);
    BOOST_CHECK(!first_beyond(sound, causal_reach()));
    BOOST_CHECK_EQUAL(farthest_back(sound), 5U);
    BOOST_CHECK(first_beyond(influence_of(read_runs(outputs_folder + "runs_leak.npz"), 0.0),
                             causal_reach()));
    const Influence window = influence_of(read_runs(outputs_folder + "runs_window.npz"), 0.0);
    BOOST_CHECK(!first_beyond(window, window_reach(2, 2)));
    BOOST_CHECK_EQUAL(farthest_back(window), 2U);
    check_message([] { read_runs(outputs_folder + "runs_missing.npz"); }, {"changed_4 is missing"});
    const ReachClaim said = claims::window(4, 1);
    for (const auto& [name, words] : std::map<std::string, std::string>{
             {"window", "all 42 pairs within the reach moved; the farthest input"},
             {"chunked", "output 4 did not move with input 1, within the reach of --window 4"},
             {"dilated", "output 1 did not move with input 0, within the reach of --window 4"},
             {"one_only", "--layers 1 (29 of 42 such pairs did not move)"}}) {
        const Influence influence = influence_of(read_runs(outputs_folder + name + ".npz"), 0.0);
        const Judgement judgement = judge(influence, said);
        BOOST_CHECK_EQUAL(judgement.holds, name == "window");
        BOOST_CHECK_MESSAGE(judgement.words.find(words) != std::string::npos, judgement.words);
    }
}

// Every claim, for every model whose reach is that of another: yes for its own, no for all others.
BOOST_AUTO_TEST_CASE(every_reach_is_told_apart_from_every_other,
                     *label("holes_in_a_reach_allowed")) {
    const std::vector<ReachClaim> all{claims::window(3, 1),
                                      claims::window(3, 2),
                                      claims::window(2, 1),
                                      claims::window(3, 1, 1),
                                      claims::window(3, 1, 2),
                                      claims::prefix(2),
                                      claims::prefix(3),
                                      claims::ahead(1),
                                      claims::ahead(2),
                                      claims::chunk(2),
                                      claims::chunk(4),
                                      claims::everything(),
                                      claims::array(Matrix(8, 8, 1.0) * 0.0)};
    for (const ReachClaim& model : all)
        for (const ReachClaim& claim : all) {
            if (model.said == "the array reach")
                continue; // nothing would move at all
            const Judgement judgement = judge(influence_in_which(8, model.reach), claim);
            BOOST_CHECK_MESSAGE(judgement.holds == (model.said == claim.said),
                                model.said << " judged as " << claim.said << ": "
                                           << judgement.words);
        }
}

BOOST_AUTO_TEST_CASE(a_judgement_names_the_pair,
                     *label("holes_in_a_reach_allowed") * label("reach_without_the_present") *
                         label("window_reaches_too_far")) {
    const auto words = [](const Reach& model, const ReachClaim& claim) {
        return judge(influence_in_which(6, model), claim).words;
    };
    BOOST_CHECK_EQUAL(words(ahead_reach(1), ReachClaim()),
                      "the past moved: input 1 moved output 0, which comes before it");
    BOOST_CHECK_EQUAL(words(ahead_reach(2), claims::ahead(1)),
                      "the past moved: input 2 moved output 0, which comes before it, outside the "
                      "reach of --ahead 1");
    BOOST_CHECK_EQUAL(words(causal_reach(), claims::window(2, 1, 1)),
                      "wider than said: input 1 moved output 3, outside the reach of --window 2 "
                      "--layers 1 --sink 1");
    BOOST_CHECK_EQUAL(words(unlimited_reach(), ReachClaim()),
                      "every output moved with every input");
    BOOST_CHECK_EQUAL(words(causal_reach(), claims::prefix(3)),
                      "narrower than said: output 0 did not move with input 1, within the reach of "
                      "--prefix 3 (3 of 24 such pairs did not move)");
    // the past is named before the window, though a later input moved it
    const Reach both = [](std::size_t t, std::size_t s) {
        return s == t || (t == 5 && s == 0) || (t == 3 && s == 4);
    };
    BOOST_CHECK_EQUAL(words(both, claims::window(2, 1)),
                      "the past moved: input 4 moved output 3, which comes before it, outside the "
                      "reach of --window 2 --layers 1");
    BOOST_CHECK(judge(influence_in_which(6, window_reach(2, 1)), ReachClaim()).holds);
}

BOOST_AUTO_TEST_CASE(where_nothing_but_the_own_input_matters_no_mask_was_tested,
                     *label("own_input_is_enough")) {
    const Reach own = [](std::size_t t, std::size_t s) { return t == s; };
    auto arrays = runs_in_which(3, own);
    const auto refused = [&](const ReachClaim& claim) {
        const Runs runs = runs_of(arrays, "r.npz");
        return message_of([&] { require_mixing(runs, influence_of(runs, 0.0), claim); }) !=
            "(no exception)";
    };
    BOOST_CHECK(refused(ReachClaim()));
    BOOST_CHECK(!refused(claims::window(1, 1)));
    arrays = runs_in_which(3, [](auto t, auto s) { return t == s || (t == 2 && s == 0); });
    BOOST_CHECK(!refused(ReachClaim()));
    const Runs batch = read_runs(outputs_folder + "attention_over_the_batch.npz");
    check_message([&] { require_mixing(batch, influence_of(batch, 0.0), ReachClaim()); },
                  {"no output moved with any input but its own, so no mask was tested",
                   "save item_0_changed", "say --window 1 --layers 1"});
}

BOOST_AUTO_TEST_CASE(one_change_is_judged_by_the_reach_as_well,
                     *label("reach_without_the_present") * label("window_reaches_too_far")) {
    const Runs runs = runs_of(runs_in_which(6, prefix_reach(3)), "r.npz");
    const auto judged = [&](std::size_t position, const ReachClaim& claim) {
        const Intervention experiment = runs.experiment(position);
        return std::pair(forbidden_move(experiment, claim, 0.0).has_value(),
                         all_within_moved(experiment, claim, 0.0));
    };
    BOOST_CHECK(judged(2, ReachClaim()) == std::pair(true, true));
    BOOST_CHECK(judged(3, ReachClaim()) == std::pair(false, true));
    BOOST_CHECK(judged(2, claims::prefix(3)) == std::pair(false, true));
    BOOST_CHECK(judged(2, claims::prefix(2)) == std::pair(true, true));
    BOOST_CHECK(judged(3, claims::prefix(4)) == std::pair(false, false));
    BOOST_CHECK(judged(2, claims::window(2, 1)) == std::pair(true, true));
    const auto witness = forbidden_move(runs.experiment(2), claims::window(2, 1), 0.0);
    BOOST_CHECK_EQUAL(witness->moved_position, 0U);
    const auto far = forbidden_move(runs.experiment(3), claims::window(2, 1), 0.0);
    BOOST_CHECK_EQUAL(far->moved_position, 5U);
}

BOOST_AUTO_TEST_CASE(a_position_that_every_output_may_know_tests_nothing,
                     *label("reach_without_the_present")) {
    require_forbidden(ReachClaim(), 6, 1);
    check_message([] { require_forbidden(ReachClaim(), 6, 0); },
                  {"POSITION is 0, which has no past"});
    require_forbidden(claims::window(2, 1), 6, 0);
    require_forbidden(claims::ahead(1), 6, 2);
    require_forbidden(claims::everything(), 6, 0);
    check_message([] { require_forbidden(claims::ahead(1), 6, 1); },
                  {"POSITION is 1, and every output may move with it by --ahead 1"});
    check_message([] { require_forbidden(claims::chunk(4), 6, 3); }, {"by --chunk 4; change the"});
}

BOOST_AUTO_TEST_CASE(a_reach_is_said_once, *label("reach_without_the_present")) {
    auto arrays = runs_in_which(3, causal_reach());
    const Runs silent = runs_of(arrays, "r.npz");
    BOOST_CHECK(!claim_about(silent, std::nullopt).both_ways());
    BOOST_CHECK_EQUAL(claim_about(silent, claims::prefix(2)).said, "--prefix 2");
    arrays["reach"] = array_of({3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1});
    const Runs says = runs_of(arrays, "r.npz");
    const ReachClaim claim = claim_about(says, std::nullopt);
    BOOST_CHECK_EQUAL(claim.words, "WHAT THE ARRAY reach SAYS, NEITHER MORE NOR LESS");
    BOOST_CHECK(judge(influence_of(says, 0.0), claim).holds);
    check_message([&] { claim_about(says, claims::prefix(2)); },
                  {"r.npz: baseline: the archive has an array reach, and --prefix 2 was said"});
}

BOOST_AUTO_TEST_SUITE_END()
