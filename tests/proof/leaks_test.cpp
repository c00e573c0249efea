// The gallery: every leak is caught by the detectors that its line claims and by no other, and the
// network that it was bent from by none.
#include "proof/causality.hpp"
#include "proof/leaks.hpp"
#include "support.hpp"

#include <set>

using namespace glassbox;

namespace {

Matrix input(std::uint32_t seed) {
    PytorchRandom random(seed + 1);
    return random.randn(12, 8);
}

std::string caught_by(const CausalityReport& report) {
    std::string letters;
    for (const Detector& detector : detectors)
        if (report.failed(detector.letter))
            letters += (letters.empty() ? "" : " ") + std::string(detector.letter);
    return letters;
}

} // namespace

BOOST_AUTO_TEST_SUITE(gallery_of_leaks)

BOOST_AUTO_TEST_CASE(every_leak_is_caught_by_the_detectors_that_its_line_claims_and_no_other,
                     *label("mask_removed") * label("mask_one_too_far")) {
    for (const std::uint32_t seed : {23U, 7U})
        for (const Leak& leak : gallery(correct_network(seed)))
            BOOST_TEST(caught_by(examine(leak.subject, input(seed))) == leak.caught_by,
                       leak.id << ", " << leak.title << ", seed " << seed);
}

BOOST_AUTO_TEST_SUITE_END()
