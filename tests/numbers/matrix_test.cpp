// Matrices: how they are stored, what they compute, how they are compared, and what errors say.
#include "support.hpp"

#include <array>
#include <bit>
#include <limits>
#include <sstream>
#include <stdexcept>

using namespace glassbox;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();

const Matrix two_by_three{{1, 2, 3}, {4, 5, 6}};
const Matrix three_by_two{{7, 8}, {9, 10}, {11, 12}};

// Thirds, sevenths and so on, which have no exact double: a sum of them shows its order.
Matrix fractions(std::size_t rows, std::size_t cols) {
    Matrix m(rows, cols);
    for (std::size_t i = 0; i < m.values.size(); ++i)
        m.values[i] = (i % 2 == 0 ? 1.0 : -1.0) / static_cast<double>(3 + 4 * i);
    return m;
}

// The product as a sum of outer products, on the bare numbers: k is the outermost loop.
Matrix naive_product(const Matrix& a, const Matrix& b) {
    Matrix sum(a.rows, b.cols);
    for (std::size_t k = 0; k < b.rows; ++k)
        for (std::size_t at = 0; at < sum.values.size(); ++at)
            sum.values[at] +=
                a.values[at / b.cols * b.rows + k] * b.values[k * b.cols + at % b.cols];
    return sum;
}

template <typename Exception>
void check_throws(const std::function<void()>& action, const std::vector<std::string>& parts) {
    BOOST_CHECK_THROW(action(), Exception);
    check_message(action, parts);
}

} // namespace

BOOST_AUTO_TEST_SUITE(matrix)

BOOST_AUTO_TEST_CASE(a_literal_lies_row_after_row) {
    BOOST_CHECK_EQUAL(shape_text(two_by_three), "2x3");
    BOOST_CHECK(two_by_three.values == (std::vector<double>{1, 2, 3, 4, 5, 6}));
    BOOST_CHECK_EQUAL(two_by_three(0, 2), 3);
    BOOST_CHECK_EQUAL(two_by_three(1, 0), 4);
}

BOOST_AUTO_TEST_CASE(one_pair_of_braces_is_a_shape_and_two_are_a_literal) {
    BOOST_CHECK(same_bits(Matrix{2, 3}, Matrix{{0, 0, 0}, {0, 0, 0}}));
    BOOST_CHECK(same_bits(Matrix(1, 2, 0.5), Matrix{{0.5, 0.5}}));
    BOOST_CHECK_EQUAL(shape_text(Matrix{{2, 3}}), "1x2");
    BOOST_CHECK_EQUAL(shape_text(Matrix()), "0x0");
}

template <typename M>
concept takes_three_braces = requires {
    M{{{4, 4}, {5, 5}}};
}
|| requires {
    M{{{4}, {5}}};
}
|| requires {
    M{{{4, 4}, {5, 5}}, {{6, 6}, {7, 7}}};
}
|| requires(M m) {
    m = {{{4, 4}}};
};

BOOST_AUTO_TEST_CASE(three_braces_do_not_compile) {
    static_assert(!takes_three_braces<Matrix>);
    BOOST_CHECK_EQUAL(shape_text(Matrix{{4}, {5}}), "2x1");
    BOOST_CHECK_EQUAL(shape_text(Matrix{{4, 4}, {5, 5}, {6, 6}}), "3x2");
}

BOOST_AUTO_TEST_CASE(a_ragged_literal_is_refused) {
    check_throws<std::invalid_argument>(
        [] {
            Matrix({{1, 2, 3}, {4, 5}});
        },
        {"Matrix: the first row has 3 numbers, a later one 2", "all rows must be equally long"});
    check_throws<std::invalid_argument>(
        [] {
            Matrix({{1}, {2}, {3, 4}});
        },
        {"has 1 numbers, a later one 2"});
}

BOOST_AUTO_TEST_CASE(a_size_beyond_any_memory_is_refused) {
    const std::string end = " is negative, or has more elements than a vector can hold";
    check_throws<std::length_error>([] { Matrix(huge, 2); }, {"Matrix: -1x2" + end});
    check_throws<std::length_error>([] { Matrix(huge / 2, 2); },
                                    {"Matrix: 9223372036854775807x2" + end});
    BOOST_CHECK_THROW(Matrix(2, huge), std::length_error);
    BOOST_CHECK_THROW(Matrix(0, huge), std::length_error);
    BOOST_CHECK_THROW(Matrix(huge, 0), std::length_error);
    // 2^63 rows of 2: their product, 2^64, is 0 in 64 bits.
    BOOST_CHECK_THROW(Matrix(huge / 2 + 1, 2), std::length_error);
}

BOOST_AUTO_TEST_CASE(an_index_out_of_range_is_refused) {
    Matrix m = two_by_three;
    const Matrix& read_only = m;
    const std::string end = " in a 2x3 matrix; indices count from 0";
    check_throws<std::out_of_range>([&] { m(2, 0) = 1; }, {"Matrix: no element (2, 0)" + end});
    check_throws<std::out_of_range>([&] { m(0, 3) = 1; }, {"Matrix: no element (0, 3)" + end});
    check_throws<std::out_of_range>([&] { read_only(2, 0); }, {"Matrix: no element (2, 0)" + end});
    check_throws<std::out_of_range>([&] { read_only(huge, huge - 1); },
                                    {"Matrix: no element (-1, -2)" + end});
    check_throws<std::out_of_range>([&] { m.row(2); }, {"(2, 0)" + end});
    check_throws<std::out_of_range>([&] { read_only.row(huge); }, {"(-1, 0)" + end});
    BOOST_CHECK_THROW(Matrix(3, 0).row(0), std::out_of_range);
    BOOST_CHECK(same_bits(m, two_by_three));
}

BOOST_AUTO_TEST_CASE(a_matrix_that_was_moved_from_is_refused) {
    Matrix from{{1, 2}, {3, 4}};
    const Matrix to = std::move(from); // what is left has a shape and no numbers
    BOOST_CHECK(same_bits(to, Matrix{{1, 2}, {3, 4}}));
    check_throws<std::out_of_range>([&] { from(1, 1); }, {"2x2 with 0 numbers; was it moved from"});
    check_throws<std::out_of_range>([&] { from.row(0); }, {"2x2 with 0 numbers"});
    check_throws<std::invalid_argument>([&] { to + from; }, {"operator+: b is 2x2 with 0 numbers"});
}

BOOST_AUTO_TEST_CASE(a_matrix_can_be_printed_with_its_shape) {
    std::ostringstream out;
    out << Matrix{{1, -2.5}, {1e-7, infinity}} << "\n" << Matrix(0, 3);
    BOOST_CHECK_EQUAL(out.str(),
                      "2x2\n"
                      "           1        -2.5\n"
                      "       1e-07         inf\n"
                      "0x3");
}

// What a learner writes as m(t - 1, 0) at t = 0 arrives as 2^64 - 1.
BOOST_AUTO_TEST_CASE(what_was_negative_is_printed_as_it_was_written) {
    check_throws<std::out_of_range>([] { two_by_three(static_cast<std::size_t>(-1), 0); },
                                    {"Matrix: no element (-1, 0) in a 2x3 matrix"});
    check_throws<std::out_of_range>([] { rows_of(two_by_three, huge, 1); },
                                    {"rows_of: 1 rows from row -1 of a 2x3"});
    check_throws<std::out_of_range>([] { rows_of(two_by_three, 0, huge); }, {"rows_of: -1 rows"});
    check_throws<std::out_of_range>([] { columns_of(two_by_three, huge, huge); },
                                    {"columns_of: -1 columns from column -1 of a 2x3"});
    check_throws<std::invalid_argument>([] { require_shape(two_by_three, huge, 3, "a"); },
                                        {"a is 2x3, wanted -1x3"});
}

BOOST_AUTO_TEST_CASE(a_row_is_a_view) {
    Matrix m = two_by_three;
    m.row(1)[2] = 60;
    m(0, 1) = 20;
    BOOST_CHECK(same_bits(m, Matrix{{1, 20, 3}, {4, 5, 60}}));
    BOOST_CHECK_EQUAL(two_by_three.row(1).size(), 3U);
}

BOOST_AUTO_TEST_CASE(products_equal_the_ones_by_hand) {
    const Matrix product{{58, 64}, {139, 154}};
    BOOST_CHECK(same_bits(matmul(two_by_three, three_by_two), product));
    const Matrix columns_as_rows{{7, 9, 11}, {8, 10, 12}};
    BOOST_CHECK(same_bits(matmul_transposed(two_by_three, columns_as_rows), product));
    BOOST_CHECK_EQUAL(dot(two_by_three.row(0), two_by_three.row(1)), 4 + 10 + 18);
}

BOOST_AUTO_TEST_CASE(products_equal_a_sum_of_outer_products_to_the_last_bit) {
    const std::vector<std::array<std::size_t, 3>> shapes{{1, 1, 1}, {1, 9, 1}, {5, 1, 4},
                                                         {2, 3, 7}, {8, 6, 5}, {3, 17, 3}};
    for (const auto& [n, m, p] : shapes) {
        const Matrix a = fractions(n, m), b = fractions(m, p);
        const Matrix expected = naive_product(a, b);
        BOOST_CHECK_MESSAGE(same_bits(matmul(a, b), expected), n << " " << m << " " << p);
        BOOST_CHECK_MESSAGE(same_bits(matmul_transposed(a, transpose(b)), expected),
                            n << " " << m << " " << p << ", transposed");
    }
}

// 1e16 + 1 is 1e16 in doubles: the 1 survives only where it is added last.
BOOST_AUTO_TEST_CASE(terms_are_added_in_ascending_order) {
    const Matrix lost{{1e16, 1, -1e16}}, kept{{1e16, -1e16, 1}}, ones(1, 3, 1.0);
    BOOST_CHECK_EQUAL(dot(lost.row(0), ones.row(0)), 0);
    BOOST_CHECK_EQUAL(dot(kept.row(0), ones.row(0)), 1);
    BOOST_CHECK_EQUAL(matmul(lost, transpose(ones))(0, 0), 0);
    BOOST_CHECK_EQUAL(matmul(kept, transpose(ones))(0, 0), 1);
}

BOOST_AUTO_TEST_CASE(a_row_of_a_product_does_not_depend_on_the_other_rows) {
    const Matrix a = fractions(7, 5), b = fractions(5, 4);
    BOOST_CHECK(same_bits(matmul(rows_of(a, 2, 3), b), rows_of(matmul(a, b), 2, 3)));
}

BOOST_AUTO_TEST_CASE(transpose_swaps_rows_and_columns) {
    BOOST_CHECK(same_bits(transpose(two_by_three), Matrix{{1, 4}, {2, 5}, {3, 6}}));
    BOOST_CHECK_EQUAL(shape_text(transpose(Matrix(0, 4))), "4x0");
}

BOOST_AUTO_TEST_CASE(rows_of_takes_neighbouring_rows) {
    BOOST_CHECK(same_bits(rows_of(three_by_two, 1, 2), Matrix{{9, 10}, {11, 12}}));
    BOOST_CHECK(same_bits(rows_of(three_by_two, 0, 3), three_by_two));
    check_throws<std::out_of_range>([] { rows_of(three_by_two, 2, 2); },
                                    {"rows_of: 2 rows from row 2 of a 3x2"});
    check_throws<std::out_of_range>([] { rows_of(three_by_two, 4, 0); }, {"from row 4 of a 3x2"});
    check_throws<std::out_of_range>([] { rows_of(three_by_two, 1, SIZE_MAX); }, {"rows_of"});
    check_throws<std::out_of_range>([] { rows_of(three_by_two, 3, 1); },
                                    {"rows_of: 1 rows from row 3"});
}

BOOST_AUTO_TEST_CASE(rows_are_appended_below_even_a_matrix_to_itself) {
    Matrix m;
    append_rows(m, {{1, 2}});
    append_rows(m, {{3, 4}, {5, 6}});
    BOOST_CHECK(same_bits(m, {{1, 2}, {3, 4}, {5, 6}}));
    append_rows(m, m);
    BOOST_CHECK(same_bits(m, {{1, 2}, {3, 4}, {5, 6}, {1, 2}, {3, 4}, {5, 6}}));
    check_message([&] { append_rows(m, {{1, 2, 3}}); }, {"append_rows: more is 1x3, wanted 1x2"});
}

BOOST_AUTO_TEST_CASE(columns_of_takes_neighbouring_columns, *label("first_columns_taken")) {
    BOOST_CHECK(same_bits(columns_of(two_by_three, 1, 2), Matrix{{2, 3}, {5, 6}}));
    BOOST_CHECK(same_bits(columns_of(two_by_three, 0, 3), two_by_three));
    BOOST_CHECK_EQUAL(shape_text(columns_of(two_by_three, 3, 0)), "2x0");
    check_throws<std::out_of_range>([] { columns_of(two_by_three, 2, 2); },
                                    {"columns_of: 2 columns from column 2 of a 2x3"});
    check_throws<std::out_of_range>([] { columns_of(two_by_three, 4, 0); },
                                    {"from column 4 of a 2x3"});
    check_throws<std::out_of_range>([] { columns_of(two_by_three, 1, SIZE_MAX); }, {"columns_of"});
}

BOOST_AUTO_TEST_CASE(sums_and_multiples_are_element_by_element) {
    BOOST_CHECK(same_bits(two_by_three + Matrix{{10, 20, 30}, {40, 50, 60}},
                          Matrix{{11, 22, 33}, {44, 55, 66}}));
    BOOST_CHECK(same_bits(two_by_three * -0.5, Matrix{{-0.5, -1, -1.5}, {-2, -2.5, -3}}));
}

BOOST_AUTO_TEST_CASE(a_wrong_shape_says_what_fits) {
    const Matrix a(4, 3), b(4, 3);
    check_throws<std::invalid_argument>([&] { matmul(a, b); },
                                        {"matmul(a, b): a is 4x3, b is 4x3; a's columns must equal "
                                         "b's rows. These fit as matmul_transposed(a, b)."});
    check_throws<std::invalid_argument>(
        [&] { matmul_transposed(a, Matrix(3, 5)); },
        {"matmul_transposed(a, b): a is 4x3, b is 3x5; both must have "
         "the same number of columns. These fit as matmul(a, b)."});
    for (const Matrix& no_fit : {Matrix(4, 2), Matrix(2, 4)}) { // too long, too short
        BOOST_CHECK(message_of([&] { matmul(a, no_fit); }).ends_with("must equal b's rows."));
        BOOST_CHECK(message_of([&] { matmul_transposed(a, no_fit); }).ends_with("of columns."));
    }
}

BOOST_AUTO_TEST_CASE(nothing_is_broadcast) {
    check_throws<std::invalid_argument>([] { two_by_three + Matrix(1, 3); },
                                        {"operator+: b is 1x3, wanted 2x3"});
    check_throws<std::invalid_argument>(
        [] { dot(two_by_three.row(0), three_by_two.row(0)); },
        {"dot: a has 3 numbers, b has 2; they must be equally many"});
    check_throws<std::invalid_argument>([] { require_shape(two_by_three, 5, 8, "attend: k"); },
                                        {"attend: k is 2x3, wanted 5x8"});
    BOOST_CHECK_NO_THROW(require_shape(two_by_three, 2, 3, "attend: k"));
}

BOOST_AUTO_TEST_CASE(an_empty_matrix_is_refused) {
    const Matrix full(3, 3), none, no_rows(0, 3), no_columns(3, 0);
    const std::string wanted = ", an empty matrix; wanted at least one row and one column";
    struct Case {
        std::function<void()> action;
        std::string beginning;
    };
    const std::vector<Case> cases{
        {[&] { matmul(none, full); }, "matmul: a is 0x0"},
        {[&] { matmul(full, no_columns); }, "matmul: b is 3x0"},
        {[&] { matmul_transposed(no_rows, full); }, "matmul_transposed: a is 0x3"},
        {[&] { matmul_transposed(full, no_rows); }, "matmul_transposed: b is 0x3"},
        {[&] { no_columns + no_columns; }, "operator+: a is 3x0"}};
    for (const auto& [action, beginning] : cases)
        check_throws<std::invalid_argument>(action, {beginning + wanted});
}

BOOST_AUTO_TEST_CASE(the_largest_difference_is_found_wherever_it_is) {
    struct Case {
        Matrix a, b;
        double expected;
    };
    const std::vector<Case> cases{{{{1, 2, 3}}, {{1, 4, 2}}, 2},
                                  {{{9, 2, 3}}, {{1, 4, 2}}, 8},
                                  {{{1}, {-5}}, {{1}, {5}}, 10},
                                  {{{0.0, -0.0}}, {{-0.0, 0.0}}, 0},
                                  {{{infinity, -infinity}}, {{infinity, -infinity}}, 0},
                                  {{{infinity, 0}}, {{-infinity, 0}}, infinity},
                                  {{{1, infinity}}, {{1, 2}}, infinity}};
    for (const auto& [a, b, expected] : cases) {
        BOOST_CHECK(same_bits(max_abs_difference(a, b), expected));
        BOOST_CHECK(same_bits(max_abs_difference(b, a), expected));
    }
}

BOOST_AUTO_TEST_CASE(a_nan_makes_the_difference_nan, *label("nan_dropped_from_the_maximum")) {
    const Matrix numbers{{1, 2, 3}};
    for (std::size_t at = 0; at < 3; ++at) {
        Matrix hidden{{100, infinity, -100}}; // larger differences must not hide the NaN
        hidden(0, at) = not_a_number;
        BOOST_CHECK(std::isnan(max_abs_difference(hidden, numbers)));
        BOOST_CHECK(std::isnan(max_abs_difference(numbers, hidden)));
        BOOST_CHECK(std::isnan(max_abs_difference(hidden, hidden)));
    }
}

BOOST_AUTO_TEST_CASE(a_difference_of_different_shapes_is_refused) {
    check_throws<std::invalid_argument>([] { max_abs_difference(two_by_three, three_by_two); },
                                        {"max_abs_difference: b is 3x2, wanted 2x3"});
    check_throws<std::invalid_argument>(
        [] { max_abs_difference(two_by_three.row(0), three_by_two.row(0)); },
        {"max_abs_difference: a has 3 numbers, b has 2; wanted equally many"});
    check_throws<std::invalid_argument>([] { max_abs_difference(Matrix(), Matrix()); },
                                        {"a has 0 numbers", "at least one"});
}

BOOST_AUTO_TEST_CASE(same_bits_is_stricter_and_fairer_than_equality,
                     *label("bits_compared_by_value")) {
    BOOST_CHECK(!same_bits(0.0, -0.0));
    BOOST_CHECK(same_bits(not_a_number, not_a_number));
    BOOST_CHECK(!same_bits(not_a_number, std::bit_cast<double>(0x7ff8000000000001U)));
    BOOST_CHECK(!same_bits(1.0, std::nextafter(1.0, 2.0)));
    BOOST_CHECK(same_bits(Matrix{{-0.0, not_a_number}}, Matrix{{-0.0, not_a_number}}));
    BOOST_CHECK(!same_bits(Matrix{{1, 2, 0.0}}, Matrix{{1, 2, -0.0}}));
    BOOST_CHECK(!same_bits(Matrix{{1, 2}}, Matrix{{1}, {2}}));
    BOOST_CHECK(!same_bits(Matrix(0, 3), Matrix(0, 4)));
    BOOST_CHECK(!same_bits(two_by_three.row(0), two_by_three.row(0).first(2)));
}

BOOST_AUTO_TEST_SUITE_END()
