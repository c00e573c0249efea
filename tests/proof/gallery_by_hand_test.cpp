// What every entry of the gallery does: by hand, on a network so simple that a pencil can follow,
// and in pictures of what it reads. (Which detectors find it: leaks_test.cpp.)
#include "proof/leaks.hpp"
#include "support.hpp"

#include <algorithm>
#include <any>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

using namespace glassbox;

namespace {

constexpr double NaN = std::numeric_limits<double>::quiet_NaN();

// One channel; no code of positions, no norm, no MLP; queries are 0, so that attention is the mean
// of what is read. An output is its input plus that mean.
Network by_hand() {
    PytorchRandom random(1);
    Block block = Block::from_pytorch(random, 1);
    block.attention.query.weight = Matrix{{0}};
    block.attention.key.weight = block.attention.value.weight = Matrix{{1}};
    Network network(block);
    network.code = [](std::size_t, std::size_t count) { return Matrix(count, 1); };
    network.norm = [](const Matrix& x) { return x; };
    network.mlp = [](const Matrix& x) { return Matrix(x.rows, x.cols); };
    return network;
}

Subject entry(const std::string& id, const Network& network) {
    const std::vector<Leak> all = gallery(network);
    return std::ranges::find(all, id, &Leak::id)->subject;
}

Matrix column(const std::vector<double>& values) {
    Matrix result(values.size(), 1);
    result.values = values;
    return result;
}

// Through a cache, in chunks of this size.
Matrix in_chunks(const Subject& subject, const Matrix& x, std::size_t size) {
    std::any cache = subject.cached->start();
    Matrix result;
    for (std::size_t done = 0; done < x.rows; done += size)
        append_rows(result,
                    subject.cached->extend(cache, rows_of(x, done, std::min(size, x.rows - done))));
    return result;
}

struct Pencil {
    std::string id;
    std::vector<double> full, ones, twos; // found by attention for x = 1, 2, 6, 11; twos: in chunks
};

// x = 1, 2, 6, 11: the means of 1, 2, 3 and 4 of them are 1, 1.5, 3, 5.
const std::vector<double> right{1, 1.5, 3, 5};
const double e20 = std::exp(-20.0);
const double deviation = std::sqrt(15.5 + 1e-5); // of 1, 2, 6, 11 around their mean 5

const std::vector<Pencil> pencil{
    {"L01", {5, 5, 5, 5}, right, {1.5, 1.5, 5, 5}},
    {"L02", {5, 19.0 / 3, 8.5, 11}, {1, 2, 6, 11}, {1.5, 2, 8.5, 11}},
    {"L03", {1.5, 3, 5, 5}, right, {1.5, 1.5, 5, 5}},
    {"L04b", {0, 1, 1.5, 3}, {0, 1, 1.5, 3}, {0, 1, 1.5, 3}},
    {"L05a", right, right, right},
    {"L05c",
     {(1 + 19 * e20) / (1 + 3 * e20), (3 + 17 * e20) / (2 + 2 * e20), (9 + 11 * e20) / (3 + e20),
      5},
     right,
     {(1 + 2 * e20) / (1 + e20), 1.5, (9 + 11 * e20) / (3 + e20), 5}},
    // a quarter for each, whoever is masked; in chunks a half first
    {"L06", {0.25, 0.75, 2.25, 5}, right, {0.5, 1.5, 2.25, 5}},
    // keys 0 to 3 are shared by 4, 3, 2 and 1 positions; token by token nobody shares
    {"L06b",
     {0.25, 0.25 + 2.0 / 3, 0.25 + 2.0 / 3 + 3, 0.25 + 2.0 / 3 + 3 + 11},
     {1, 3, 9, 20},
     {0.5, 2.5, 4.5, 15.5}},
    {"L07", {5, 2, 4, 19.0 / 3}, {}, {}},
    {"L09", right, right, right},
    {"L10", right, {1, 1, 1, 1}, {1, 1.5, 1, 1.5}},
    {"L11", right, right, {1, 1.5, 5, 5}},
    // -4, -3, 1, 6 over their deviation; token by token nothing is left, in twos -1 and 1
    {"L15",
     {-4 / deviation, -3.5 / deviation, -2 / deviation, 0},
     {0, 0, 0, 0},
     {-0.5 / std::sqrt(0.25 + 1e-5), 0, -2.5 / std::sqrt(6.25 + 1e-5) / 3, 0}},
    // 1, 2.75, 6.25, 7; token by token the halves alone, in twos 1, 1.25 and 5.75, 7
    {"L16", {1, 1.875, 10.0 / 3, 4.25}, {0.5, 0.75, 1.5, 2.5}, {1, 1.125, 8.0 / 3, 3.75}},
    // four zeros more in the mean, once there is a cache
    {"L27", right, {1, 3.0 / 6, 9.0 / 7, 20.0 / 8}, {1, 1.5, 9.0 / 7, 20.0 / 8}},
    // 0, 1, 2, 6 in the slots
    {"L28", right, {1, 0.5, 1, 2.25}, {1, 1.5, 1, 2.25}}};

// A picture of 6 positions: row t, column s.
using Picture = std::vector<std::string>;

const Picture triangle{"x.....", "xx....", "xxx...", "xxxx..", "xxxxx.", "xxxxxx"};
const Picture everything(6, "xxxxxx");
const Picture own_chunk{"xxx...", "xxx...", "xxx...",
                        "xxxxxx", "xxxxxx", "xxxxxx"}; // and all before
const Picture one_ahead{"xx....", "xxx...", "xxxx..", "xxxxx.", "xxxxxx", "xxxxxx"};
const Picture one_ahead_in_chunks{"xx....", "xxx...", "xxx...", "xxxxx.", "xxxxxx", "xxxxxx"};
const Picture diagonal{"x.....", ".x....", "..x...", "...x..", "....x.", ".....x"};
const Picture the_future{"xxxxxx", ".xxxxx", "..xxxx", "...xxx", "....xx", ".....x"};
const Picture padded{"xxxxxx", ".x....", ".xx...", ".xxx..", ".xxxx.", ".xxxxx"};
const Picture window_of_3{"x.....", "xx....", "xxx...", ".xxx..", "..xxx.", "...xxx"};
const Picture window_of_5{"x.....", "xx....", "xxx...", "xxxx..", "xxxxx.", ".xxxxx"};

struct Pictures {
    std::string id;
    Picture weights, full, ones, threes; // what has a weight; what moves an output, three ways
};

// All that is no triangle four times. L04a shows no weights and L07 has no cache.
const std::vector<Pictures> pictures{
    {"L01", everything, everything, triangle, own_chunk},
    {"L02",
     the_future,
     the_future,
     diagonal,
     {"xxx...", ".xx...", "..x...", "...xxx", "....xx", ".....x"}},
    {"L03", one_ahead, one_ahead, triangle, one_ahead_in_chunks},
    // the query is the own position's: it says how, where there is more than one to choose from
    {"L04a", {}, {"......", "x.....", "xxx...", "xxxx..", "xxxxx.", "xxxxxx"}, {}, {}},
    {"L04b",
     {"......", "x.....", "xx....", "xxx...", "xxxx..", "xxxxx."},
     triangle,
     triangle,
     triangle},
    // scores of hundreds of thousands: one key has all the weight, or what is masked shares it
    {"L05b",
     {".xxxxx", "..xxxx", "x.....", ".x....", "x.....", ".x...."},
     {"xxxxxx", ".xxxxx", "x.x...", "xxxx..", "x...x.", ".xxxxx"},
     {"x.....", "xx....", "x.x...", "xxxx..", "x...x.", ".xxxxx"},
     {"xxx...", ".xx...", "x.x...", "xxxx..", "x...x.", ".xxxxx"}},
    {"L05c", everything, everything, triangle, own_chunk},
    {"L06", triangle, everything, triangle, own_chunk},
    {"L06b", triangle, everything, triangle, own_chunk},
    {"L07", padded, padded, {}, {}},
    {"L10",
     triangle,
     triangle,
     {"x.....", "xx....", "x.x...", "x..x..", "x...x.", "x....x"},
     {"x.....", "xx....", "xxx...", "x..x..", "xx..x.", "xxx..x"}},
    {"L11",
     triangle,
     triangle,
     triangle,
     {"x.....", "xx....", "xxx...", "xxxxxx", "xxxxxx", "xxxxxx"}},
    {"L12b", window_of_5, window_of_5, window_of_5, window_of_5},
    {"L12d", window_of_3, window_of_3, window_of_3, window_of_3},
    {"L15", triangle, everything, diagonal, own_chunk},
    {"L16", triangle, one_ahead, triangle, one_ahead_in_chunks},
    // who is in the upper half: positions 5 and 2 compete
    {"L19",
     triangle,
     {"x.....", "xx....", "xxxx.x", "xxxx..", "xxxxx.", "xxxxxx"},
     triangle,
     {"x.....", "xx....", "xxx...", "xxxx.x", "xxxxx.", "xxxxxx"}}};

Picture picture_of(const Matrix& m) {
    Picture result(m.rows, std::string(m.cols, '.'));
    for (std::size_t t = 0; t < m.rows; ++t)
        for (std::size_t s = 0; s < m.cols; ++s)
            if (m(t, s) != 0.0)
                result[t][s] = 'x';
    return result;
}

std::string text_of(const Picture& picture) {
    std::string text;
    for (const std::string& row : picture)
        text += row + "\n";
    return text;
}

} // namespace

BOOST_AUTO_TEST_SUITE(gallery_by_hand)

BOOST_AUTO_TEST_CASE(every_entry_reads_what_its_picture_shows,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("variance_by_n_minus_1") * label("sine_and_cosine_swapped") *
                         label("maximum_not_subtracted") * label("window_one_too_wide") *
                         label("maximum_starts_at_zero") * label("value_of_the_wrong_key") *
                         label("rule_asked_from_zero") * label("influence_of_one_position") *
                         label("gallery_reads_two_ahead") * label("gallery_chooses_another_half")) {
    const Matrix x = PytorchRandom(24).randn(6, 8), other = PytorchRandom(1).randn(1, 8);
    for (const Leak& leak : gallery(correct_network())) {
        if (leak.id == "L08" || leak.id == "FA2") // all NaN; another one in each call
            continue;
        const auto found = std::ranges::find(pictures, leak.id, &Pictures::id);
        const Pictures wanted = found != pictures.end()
            ? *found
            : Pictures{leak.id, triangle, triangle, triangle, triangle};
        const Subject& subject = leak.subject;
        const auto chunked = [&](std::size_t size) {
            const Model model = [&, size](const Matrix& input) {
                return in_chunks(subject, input, size);
            };
            return subject.cached ? picture_of(influence_map(model, x, other)) : Picture{};
        };
        BOOST_TEST_CONTEXT(leak.id) {
            BOOST_TEST(text_of(subject.weights ? picture_of(subject.weights(x).at(0))
                                               : Picture{}) == text_of(wanted.weights));
            BOOST_TEST(text_of(picture_of(influence_map(subject.model, x, other))) ==
                       text_of(wanted.full));
            BOOST_TEST(text_of(chunked(1)) == text_of(wanted.ones));
            BOOST_TEST(text_of(chunked(3)) == text_of(wanted.threes));
        }
    }
}

BOOST_AUTO_TEST_CASE(every_entry_finds_the_means_that_a_pencil_finds,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("epsilon_outside_root") * label("variance_by_n_minus_1") *
                         label("maximum_not_subtracted") * label("maximum_starts_at_zero") *
                         label("rule_asked_from_zero") * label("gallery_reads_two_ahead")) {
    const Matrix x = column({1, 2, 6, 11});
    const Network network = by_hand();
    check_close(subject_of(network).model(x), x + column(right), 1e-14);
    for (const auto& [id, full, ones, twos] : pencil) {
        BOOST_TEST_CONTEXT(id) {
            const Subject subject = entry(id, network);
            check_close(subject.model(x), x + column(full), 1e-14);
            BOOST_REQUIRE_EQUAL(subject.cached.has_value(), !ones.empty());
            if (ones.empty())
                continue;
            check_close(in_chunks(subject, x, 1), x + column(ones), 1e-14);
            check_close(in_chunks(subject, x, 2), x + column(twos), 1e-14);
        }
    }
}

// L08's outputs are NaN, all of them; its weights show whom it means to read.
BOOST_AUTO_TEST_CASE(the_row_that_becomes_nan_is_the_padded_one) {
    const Matrix weights = entry("L08", by_hand()).weights(column({1, 2, 6, 11})).at(0);
    for (std::size_t s = 0; s < 4; ++s)
        BOOST_TEST(std::isnan(weights(0, s)));
    const double third = 1.0 / 3;
    check_close(rows_of(weights, 1, 3), {{0, 1, 0, 0}, {0, 0.5, 0.5, 0}, {0, third, third, third}},
                1e-14);
}

BOOST_AUTO_TEST_CASE(before_the_residual_nothing_hides_the_position_left_out) {
    check_close(entry("L04a", by_hand()).model(column({1, 2, 6, 11})), column({0, 1, 1.5, 3}),
                1e-14);
}

// The mask's value is -1e4: a row whose only key scores the same shares with what is masked.
BOOST_AUTO_TEST_CASE(a_score_of_minus_ten_thousand_meets_the_finite_mask,
                     *label("maximum_not_subtracted") * label("maximum_starts_at_zero")) {
    Network network = by_hand();
    network.block.attention.query.weight = Matrix{{-1}};
    const Matrix x = column({100, 200}); // -1 * 100 * 100 is -1e4
    check_close(entry("L05a", network).model(x), x + column({150, 100}), 1e-14);
}

// "Learned" scores of x(t) * -1e5 * x(s): what is masked wins, and where nothing is, the smallest
// x.
BOOST_AUTO_TEST_CASE(scores_below_the_mask_value_choose_what_is_masked,
                     *label("maximum_not_subtracted") * label("maximum_starts_at_zero")) {
    Network network = by_hand();
    network.block.attention.query.weight = Matrix{{1}};
    const Matrix x = column({1, 2, 6, 11});
    check_close(entry("L05b", network).model(x), x + column({19.0 / 3, 8.5, 11, 1}), 1e-14);
    // 0.1 * 0.1 * -1e5 is -1e3, above the mask's -1e4
    const Matrix small = column({0.1, 0.1});
    check_close(entry("L05b", network).model(small), small + column({0.1, 0.1}), 1e-14);
    const Matrix equal = column({std::sqrt(0.1), 1}); // 0.1 * -1e5 is -1e4
    check_close(entry("L05b", network).model(equal),
                equal + column({0.5 * std::sqrt(0.1) + 0.5, std::sqrt(0.1)}), 1e-6);
}

BOOST_AUTO_TEST_CASE(a_nan_spreads_where_a_weight_of_0_is_multiplied) {
    for (const Matrix& spoilt : {entry("L08", by_hand()).model(column({1, 2, 6})),
                                 entry("L09", by_hand()).model(column({1, 2, NaN}))})
        for (const double value : spoilt.values)
            BOOST_TEST(std::isnan(value));
}

// What padding must not be read, and that its own query reads itself.
BOOST_AUTO_TEST_CASE(behind_padding_everybody_reads_all_but_position_0,
                     *label("gallery_pads_anybody")) {
    const auto reach = entry("L07", by_hand()).reach;
    std::string picture;
    for (std::size_t t = 0; t < 4; ++t, picture += "\n")
        for (std::size_t s = 0; s < 4; ++s)
            picture += reach(t, s) ? 'x' : '.';
    BOOST_TEST(picture == "x...\n.x..\n.xx.\n.xxx\n");
}

// Codes 0, 10, 20, 30 for inputs of 0. Rightly the outputs are the code plus its mean so far.
BOOST_AUTO_TEST_CASE(positions_that_restart_take_the_code_of_their_chunk,
                     *label("mask_removed") * label("mask_one_too_far")) {
    Network network = by_hand();
    network.code = [](std::size_t first, std::size_t count) {
        Matrix code(count, 1);
        for (std::size_t i = 0; i < count; ++i)
            code(i, 0) = 10.0 * static_cast<double>(first + i);
        return code;
    };
    const Subject subject = entry("L13", network);
    const Matrix x(4, 1);
    check_close(subject.model(x), column({0, 15, 30, 45}), 1e-14);
    check_close(in_chunks(subject, x, 1), column({0, 0, 0, 0}), 1e-14);
    check_close(in_chunks(subject, x, 2), column({0, 15, 10.0 / 3, 15}), 1e-14);
}

// A code of 12 for every position: 12 / sqrt(4) in a run of four, added once and read once.
BOOST_AUTO_TEST_CASE(a_code_of_the_length_is_divided_by_its_root,
                     *label("mask_removed") * label("mask_one_too_far")) {
    Network network = by_hand();
    network.code = [](std::size_t, std::size_t count) { return Matrix(count, 1, 12.0); };
    const Subject subject = entry("L14", network);
    check_close(subject.model(Matrix(4, 1)), column({12, 12, 12, 12}), 1e-14);
    check_close(subject.model(Matrix(1, 1)), column({24}), 1e-14);
    const double two = 12 / std::sqrt(2.0); // the first two of a cache
    check_close(in_chunks(subject, Matrix(4, 1), 2),
                column({2 * two, 2 * two, 6 + (2 * two + 6) / 3, 6 + (two + 6) / 2}), 1e-14);
}

// The MLP gives 1 to whom it is given; the norm before it leaves 1.22, 0, -1.22 and 1.39 in column
// 0.
BOOST_AUTO_TEST_CASE(the_upper_half_of_the_sequence_is_chosen,
                     *label("gallery_chooses_another_half")) {
    PytorchRandom random(1);
    Network network(Block::from_pytorch(random, 3));
    network.code = [](std::size_t, std::size_t count) { return Matrix(count, 3); };
    network.block.attention.value.weight = Matrix(3, 3); // attention finds nothing
    network.mlp = [](const Matrix& x) { return Matrix(x.rows, x.cols, 1.0); };
    const Subject subject = entry("L19", network);
    const Matrix x{{2, 1, 0}, {1, 2, 0}, {0, 1, 2}, {5, 1, 0}};
    BOOST_TEST(subject.model(x).values ==
               (Matrix{{3, 2, 1}, {1, 2, 0}, {0, 1, 2}, {6, 2, 1}}.values));
    BOOST_TEST(subject.model(rows_of(x, 0, 3)).values ==
               (Matrix{{3, 2, 1}, {2, 3, 1}, {0, 1, 2}}.values));
}

// Two tokens, then a branch each: 6 in the copy, 11 in the original, which must not hear of the 6.
BOOST_AUTO_TEST_CASE(a_shared_cache_hears_of_the_other_branch) {
    for (const auto& [subject, mean] :
         {std::pair{subject_of(by_hand()), 14.0 / 3}, {entry("L23", by_hand()), 5.0}}) {
        std::any trunk = subject.cached->start();
        subject.cached->extend(trunk, column({1, 2}));
        std::any branch = trunk;
        check_close(subject.cached->extend(branch, column({6})), column({9}), 1e-14);
        check_close(subject.cached->extend(trunk, column({11})), column({11 + mean}), 1e-14);
    }
}

// The 6 became a 9. Kept one too far, position 2 is answered from the cache, and its old key is
// read.
BOOST_AUTO_TEST_CASE(one_token_past_the_edit_answers_with_the_old_one,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("nothing_kept_on_resume") * label("resume_keeps_what_is_gone") *
                         label("extra_ignored_on_resume")) {
    const auto edited = [](const Subject& subject) {
        std::any cache = subject.cached->start();
        subject.cached->resume(cache, column({1, 2, 6, 11}));
        return subject.cached->resume(cache, column({1, 2, 9, 11}));
    };
    check_close(edited(subject_of(by_hand())), column({2, 3.5, 13, 16.75}), 1e-14);
    check_close(edited(entry("L24", by_hand())), column({2, 3.5, 9, 16}), 1e-14);
}

BOOST_AUTO_TEST_CASE(packed_documents_read_each_other,
                     *label("mask_removed") * label("mask_one_too_far")) {
    const Matrix x = column({1, 2, 6, 11});
    check_close(subject_of(by_hand()).packed(x, 2), x + column({1, 1.5, 6, 8.5}), 1e-14);
    check_close(entry("L25", by_hand()).packed(x, 2), x + column(right), 1e-14);
}

// The MLP gives 1 to a thousand rows: about one in ten is dropped.
BOOST_AUTO_TEST_CASE(dropout_drops_one_in_ten) {
    Network network = by_hand();
    network.mlp = [](const Matrix& x) { return Matrix(x.rows, x.cols, 1.0); };
    const Matrix dropped = entry("FA2", network).model(Matrix(1000, 1));
    const auto zeros = std::ranges::count(dropped.values, 0.0);
    BOOST_TEST(zeros > 80);
    BOOST_TEST(zeros < 120);
    BOOST_TEST(zeros + std::ranges::count(dropped.values, 1.0) == 1000);
}

// A quarter of each: 1 + 1e16 - 1e16 + 1 is 1 from left to right, and 0 in two halves, since 1e16
// has no room for a 1.
BOOST_AUTO_TEST_CASE(a_sum_in_two_halves_rounds_elsewhere,
                     *label("mask_removed") * label("mask_one_too_far")) {
    const Matrix x = column({4, 4e16, -4e16, 4});
    BOOST_TEST(subject_of(by_hand()).model(x)(3, 0) == 5.0);
    const Subject subject = entry("FA3", by_hand());
    BOOST_TEST(subject.model(x)(3, 0) == 4.0);
    BOOST_TEST(in_chunks(subject, x, 1)(3, 0) == 4.0);
    const Matrix small = column({1, 2, 6, 11});
    check_close(subject.model(small), small + column(right), 1e-14);
    check_close(in_chunks(subject, small, 2), small + column(right), 1e-14);
}

BOOST_AUTO_TEST_SUITE_END()
