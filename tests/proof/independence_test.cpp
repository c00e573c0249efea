// What is separate stays separate: branches, edited texts, packed documents, the items of a batch.
#include "findings.hpp"
#include "proof/independence.hpp"
#include "proof/network.hpp"

#include <map>
#include <memory>

using namespace glassbox;

namespace {

const Matrix numbered{{0.25, 1}, {0.5, 2}, {0.75, 3}, {1, 4}};

// A running sum, with a cache that holds the rows seen.
Model sums = sums_within(causal_reach());

CachedModel summing_cache() {
    return {[] { return std::any(Matrix()); },
            [](std::any& cache, const Matrix& chunk) {
                auto& seen = std::any_cast<Matrix&>(cache);
                append_rows(seen, chunk);
                return rows_of(sums(seen), seen.rows - chunk.rows, chunk.rows);
            },
            [](std::any& cache, const Matrix& x) {
                cache = x;
                return sums(x);
            }};
}

Subject summing() {
    Subject subject{sums};
    subject.cached = summing_cache();
    return subject;
}

} // namespace

BOOST_AUTO_TEST_SUITE(independence_alone)

// ---- Branches

BOOST_AUTO_TEST_CASE(a_branch_that_writes_into_the_original_is_found) {
    using Shared = std::shared_ptr<double>;
    Subject subject{copy_of};
    subject.cached = copying_cache();
    check_passed(independence(subject, numbered));
    subject.cached = CachedModel{[] { return std::any(std::make_shared<double>(0)); },
                                 [](std::any& cache, const Matrix& chunk) {
                                     *std::any_cast<Shared&>(cache) += 1;
                                     return Matrix(chunk.rows, 1, *std::any_cast<Shared&>(cache));
                                 }};
    check_failed(independence(subject, numbered),
                 "extended a copy of the cache at position 2; continued the original: output at "
                 "position 2, column 0 moved from 2 to 3");
}

// All caches share one store, whose key is how many rows went in: the first comer is right, and so
// is everybody who asks about the same text.
BOOST_AUTO_TEST_CASE(a_store_that_all_caches_share_is_found_by_the_branch,
                     *label("branch_not_compared") * label("reach_without_the_present") *
                         label("branch_is_the_original")) {
    check_passed(independence(summing(), numbered));
    Subject subject = summing();
    subject.cached->resume = nullptr;
    const auto store = std::make_shared<std::map<std::size_t, Matrix>>();
    subject.cached->extend = [store](std::any& cache, const Matrix& chunk) {
        auto& seen = std::any_cast<Matrix&>(cache);
        append_rows(seen, chunk);
        const Matrix own = rows_of(sums(seen), seen.rows - chunk.rows, chunk.rows);
        return store->emplace(seen.rows, own).first->second;
    };
    // As in examine, x has been decoded before G comes to speak.
    std::any cache = subject.cached->start();
    subject.cached->extend(cache, rows_of(numbered, 0, 2));
    subject.cached->extend(cache, rows_of(numbered, 2, 2));
    BOOST_TEST(independence(subject, numbered)
                   .words.starts_with("extended a copy of the cache at position 2 by other tokens: "
                                      "output at position 2, column 0 moved from "));
}

BOOST_AUTO_TEST_CASE(a_cache_is_branched_where_the_reach_allows_a_cut,
                     *label("branch_is_the_original") * label("cut_anywhere")) {
    for (const auto& [reach, cut] :
         {std::pair{chunk_reach(3), std::size_t{3}}, {prefix_reach(3), 3}, {causal_reach(), 2}}) {
        Subject subject{sums_within(reach)};
        subject.reach = reach;
        auto widths = std::make_shared<std::vector<std::size_t>>();
        subject.cached = summing_cache();
        subject.cached->resume = nullptr;
        subject.cached->extend = [=, all = subject.model](std::any& cache, const Matrix& chunk) {
            auto& seen = std::any_cast<Matrix&>(cache);
            widths->push_back(chunk.rows);
            append_rows(seen, chunk);
            return rows_of(all(seen), seen.rows - chunk.rows, chunk.rows);
        };
        check_passed(independence(subject, numbered));
        BOOST_TEST(widths->front() == cut);
    }
}

// ---- Edited texts

BOOST_AUTO_TEST_CASE(a_cache_used_past_an_edit_is_found,
                     *label("cache_never_went_on") * label("reach_without_the_present") *
                         label("branch_is_the_original")) {
    for (const std::size_t extra : {0U, 1U}) {
        Subject subject = summing();
        subject.cached->resume = [=](std::any& cache, const Matrix& x) {
            auto& seen = std::any_cast<Matrix&>(cache); // what it holds of x; and `extra` rows more
            std::size_t kept = 0;
            while (kept < std::min(seen.rows, x.rows) && same_bits(seen.row(kept), x.row(kept)))
                ++kept;
            kept = std::min(kept + extra, std::min(seen.rows, x.rows));
            seen = rows_of(seen, 0, kept);
            append_rows(seen, rows_of(x, kept, x.rows - kept));
            return sums(seen);
        };
        const Finding finding = independence(subject, numbered);
        if (extra == 0)
            check_passed(finding);
        else
            BOOST_TEST(finding.words.starts_with("edited the token at position 0 and resumed from "
                                                 "the cache: output at position 0, column 0 moved "
                                                 "from "));
    }
}

// A process-wide store whose key, the length, says too little: both sides get the same wrong rows.
BOOST_AUTO_TEST_CASE(a_store_that_poisons_both_sides_is_found_by_the_model,
                     *label("resume_not_compared") * label("reach_without_the_present") *
                         label("branch_is_the_original") * label("cache_never_went_on")) {
    Subject subject = summing();
    const auto store = std::make_shared<std::map<std::size_t, Matrix>>();
    subject.cached->resume = [store](std::any&, const Matrix& x) {
        return store->emplace(x.rows, sums(x)).first->second;
    };
    const std::string words = independence(subject, numbered).words;
    BOOST_TEST(words.starts_with("edited the token at position 0 and resumed from the cache: "
                                 "output at position 0, column 0 moved from "),
               words);
    BOOST_TEST(words.ends_with(" (full run to resumed)"), words);
}

BOOST_AUTO_TEST_CASE(a_resume_that_is_always_wrong_is_found,
                     *label("reach_without_the_present") * label("branch_is_the_original") *
                         label("cache_never_went_on")) {
    Subject subject = summing();
    subject.cached->resume = [](std::any&, const Matrix& x) { return sums(x) * 2.0; };
    BOOST_TEST(independence(subject, numbered).words ==
               "resumed at position 0: output at position 0, column 0 moved from 0.25 to 0.5 (full "
               "run to resumed)");
}

// Blocks of two rows are kept; their sums are added first, and so in another order.
BOOST_AUTO_TEST_CASE(reuse_by_blocks_may_differ_by_the_tolerance,
                     *label("resume_without_tolerance") * label("branch_is_the_original")) {
    Subject subject = summing();
    subject.cached->resume = [](std::any&, const Matrix& x) {
        Matrix result = sums(x);
        for (std::size_t t = 1; t < x.rows; ++t)
            result(t, 0) = std::nextafter(result(t, 0), 1e9);
        return result;
    };
    BOOST_CHECK(independence(subject, numbered).outcome == Outcome::failed);
    subject.tolerance = 1e-12;
    check_passed(independence(subject, numbered));
}

// ---- Packed documents

BOOST_AUTO_TEST_CASE(packed_documents_that_meet_are_found_in_both_directions,
                     *label("second_document_not_changed")) {
    Subject subject{copy_of};
    subject.packed = [](const Matrix& x, std::size_t) { return x; };
    check_passed(independence(subject, three));
    const auto packed = [](std::size_t t, std::size_t s) {
        return [=](const Matrix& x, std::size_t) {
            Matrix result = x;
            result(t, 0) = x(s, 1) == three(s, 1) ? 1 : 0;
            return result;
        };
    };
    subject.packed = packed(2, 0); // documents {0} and {1, 2}
    check_failed(independence(subject, three),
                 "two documents, the second from position 1; changed position 0: output at "
                 "position 2, column 0 moved from 1 to 0");
    subject.packed = packed(0, 2);
    check_failed(independence(subject, three),
                 "two documents, the second from position 1; changed position 2: output at "
                 "position 0, column 0 moved from 1 to 0");
    subject.packed = packed(2, 1); // within a document
    check_passed(independence(subject, three));
}

BOOST_AUTO_TEST_CASE(the_first_packed_document_is_what_it_is_alone,
                     *label("packed_without_tolerance") * label("second_document_not_changed")) {
    Subject subject{copy_of};
    subject.packed = [](const Matrix& x, std::size_t) { return x * (1.0 + 1e-14); };
    check_failed(independence(subject, three),
                 "two documents, the second from position 1; the first one: output at position 0, "
                 "column 0 moved from 1 to 1.00000000000001 (alone to packed)");
    subject.tolerance = 1e-12;
    check_passed(independence(subject, three));
    subject.packed = [](const Matrix& x, std::size_t boundary) {
        Matrix result = x; // the second one's positions go on, or begin again
        for (std::size_t t = boundary; t < x.rows; ++t)
            result(t, 0) += static_cast<double>(t);
        return result;
    };
    check_passed(independence(subject, three));
}

// ---- Batches

BOOST_AUTO_TEST_CASE(items_that_read_each_other_are_found) {
    Subject subject{copy_of};
    using Batch = std::vector<Matrix>;
    subject.batched = [](const Batch& items) { return items; };
    check_passed(independence(subject, three));
    check_passed(independence(subject, {{1, 2}})); // one position will do
    subject.batched = [](const Batch& items) { // attention over the batch: the axes were swapped
        Batch result = items;
        for (std::size_t i = 1; i < items.size(); ++i)
            result[i] = result[i] + result[i - 1];
        return result;
    };
    BOOST_TEST(independence(subject, three)
                   .words.starts_with("replaced item 0 of a batch: of item 1, output at position "
                                      "0, column 0 moved from "));
    subject.batched = [](const Batch& items) { // one scale for the whole batch
        double largest = 0;
        for (const Matrix& item : items)
            largest = std::max(largest, max_abs_difference(item, Matrix(item.rows, item.cols)));
        Batch result;
        for (const Matrix& item : items)
            result.push_back(item * (1 / largest));
        return result;
    };
    BOOST_TEST(independence(subject, three)
                   .words.starts_with("replaced item 0 of a batch: of item 1, output at position "
                                      "0, column 0 moved from "));
}

BOOST_AUTO_TEST_CASE(an_item_of_a_batch_is_what_it_is_alone, *label("batch_without_tolerance")) {
    Subject subject{copy_of};
    subject.batched = [](std::vector<Matrix> items) {
        items[2] = items[2] * (1.0 + 1e-14);
        return items;
    };
    BOOST_TEST(independence(subject, three).words.starts_with("item 2 of a batch: output at "));
    BOOST_TEST(independence(subject, three).words.ends_with(" (alone to batched)"));
    subject.tolerance = 1e-12;
    check_passed(independence(subject, three));
    subject.batched = [](const std::vector<Matrix>&) { return std::vector<Matrix>{}; };
    check_message([&] { independence(subject, three); },
                  {"examine: the batched form was given 3 sequences and returned 0 outputs"});
}

// A batch of Networks run one by one is a right batch.
BOOST_AUTO_TEST_CASE(a_network_in_a_batch_passes,
                     *label("branch_is_the_original") * label("second_document_not_changed") *
                         label("resume_keeps_what_is_gone")) {
    PytorchRandom random(3);
    Subject subject = subject_of(Network(Block::from_pytorch(random, 8)));
    subject.batched = [model = subject.model](const std::vector<Matrix>& items) {
        std::vector<Matrix> result;
        for (const Matrix& item : items)
            result.push_back(model(item));
        return result;
    };
    check_passed(independence(subject, random_input(5, 8)));
}

BOOST_AUTO_TEST_SUITE_END()
