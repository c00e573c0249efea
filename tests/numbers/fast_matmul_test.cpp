// The fast product: the bits of the plain loop for every shape, and rows that know nothing of each
// other.
#include "support.hpp"

#include "numbers/fast_matmul.hpp"
#include "numbers/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

using namespace glassbox;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// The release build compares ten thousand shapes; the others, which are slow, a sample.
#ifdef GLASSBOX_FAST
constexpr int shapes = 10000;
#else
constexpr int shapes = 400;
#endif

// Sums of such numbers depend on the order of their terms; some are 0 and some -0.
Matrix noise(std::mt19937_64& random, std::size_t rows, std::size_t cols) {
    std::normal_distribution<double> normal;
    Matrix m(rows, cols);
    for (double& value : m.values)
        value = random() % 16 == 0 ? (random() % 2 == 0 ? 0.0 : -0.0) : normal(random);
    return m;
}

// One accumulator for each element, k ascending, on the bare numbers.
Matrix plain(const Matrix& a, const Matrix& b) {
    Matrix c(a.rows, b.cols);
    for (std::size_t i = 0; i < c.rows; ++i)
        for (std::size_t j = 0; j < c.cols; ++j) {
            double sum = 0.0;
            for (std::size_t k = 0; k < a.cols; ++k)
                sum += a.values[i * a.cols + k] * b.values[k * b.cols + j];
            c.values[i * c.cols + j] = sum;
        }
    return c;
}

// The result is written over numbers that must not be seen again.
Matrix fast(const Matrix& a, const Matrix& b) {
    Matrix c(a.rows, b.cols, -777.0);
    matmul_fast(a.values, b.values, c.values, a.rows, a.cols, b.cols);
    return c;
}

// The same through the panels of a transposed factor.
Matrix fast_transposed(const Matrix& a, const Matrix& b) {
    const Matrix turned = transpose(b);
    Matrix c(a.rows, b.cols, -777.0);
    matmul_transposed_fast(a.values, turned.values, c.values, a.rows, a.cols, b.cols);
    return c;
}

// The same bits, or NaN on both sides: which of two NaNs a sum keeps is up to the compiler.
bool same_numbers(const Matrix& a, const Matrix& b) {
    return a.rows == b.rows && a.cols == b.cols &&
        std::ranges::equal(a.values, b.values, [](double x, double y) {
               return same_bits(x, y) || (std::isnan(x) && std::isnan(y));
           });
}

const std::vector<std::size_t> edges{0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 72, 131};

} // namespace

BOOST_AUTO_TEST_SUITE(fast_matmul)

BOOST_AUTO_TEST_CASE(random_shapes_give_the_bits_of_the_plain_loop,
                     *label("fast_terms_reversed") * label("fast_last_rows_forgotten") *
                         label("fast_panels_all_the_first") * label("fast_few_rows_reversed") *
                         label("fast_transposed_panels_all_the_first") *
                         label("fast_eight_dots_of_one_row") * label("fast_registers_reversed")) {
    std::mt19937_64 random(20);
    for (int i = 0; i < shapes; ++i) {
        const std::size_t longest = i % 10 == 0 ? 150 : 40;
        const std::size_t n = random() % longest, m = random() % longest, p = random() % longest;
        const Matrix a = noise(random, n, m), b = noise(random, m, p);
        BOOST_REQUIRE_MESSAGE(same_bits(fast(a, b), plain(a, b)), n << " x " << m << " x " << p);
        BOOST_REQUIRE_MESSAGE(same_bits(fast_transposed(a, b), plain(a, b)),
                              n << " x " << m << " x " << p << ", transposed");
    }
}

BOOST_AUTO_TEST_CASE(every_edge_gives_the_bits_of_the_plain_loop,
                     *label("fast_terms_reversed") * label("fast_last_rows_forgotten") *
                         label("fast_panels_all_the_first") * label("fast_few_rows_reversed") *
                         label("fast_transposed_panels_all_the_first") *
                         label("fast_eight_dots_of_one_row") * label("fast_registers_reversed")) {
    std::mt19937_64 random(21);
    for (const std::size_t n : edges)
        for (const std::size_t p : edges)
            for (const std::size_t m : {0U, 1U, 5U}) {
                const Matrix a = noise(random, n, m), b = noise(random, m, p);
                BOOST_REQUIRE_MESSAGE(same_bits(fast(a, b), plain(a, b)),
                                      n << " x " << m << " x " << p);
                BOOST_REQUIRE_MESSAGE(same_bits(fast_transposed(a, b), plain(a, b)),
                                      n << " x " << m << " x " << p << ", transposed");
            }
}

BOOST_AUTO_TEST_CASE(a_product_by_hand, *label("fast_last_rows_forgotten")) {
    BOOST_CHECK(same_bits(fast({{3}}, {{-2}}), Matrix{{-6}}));
    BOOST_CHECK(same_bits(fast(Matrix(9, 0), Matrix(0, 10)), Matrix(9, 10, 0.0)));
    Matrix counting(8, 2), expected(8, 8);
    for (std::size_t r = 0; r < 8; ++r) { // row r is r, 1, and the columns add r + 10 c
        counting(r, 0) = static_cast<double>(r);
        counting(r, 1) = 1;
        for (std::size_t c = 0; c < 8; ++c)
            expected(r, c) = static_cast<double>(r + 10 * c);
    }
    const Matrix columns{{1, 1, 1, 1, 1, 1, 1, 1}, {0, 10, 20, 30, 40, 50, 60, 70}};
    BOOST_CHECK(same_bits(fast(counting, columns), expected));
}

// 1e16 + 1 is 1e16 in doubles: the 1 survives only where it is added last.
BOOST_AUTO_TEST_CASE(fast_terms_are_added_in_ascending_order,
                     *label("fast_terms_reversed") * label("fast_registers_reversed")) {
    for (const std::size_t n : {1U, 8U}) {
        Matrix late(n, 3, 1e16), early(n, 3, 1e16);
        for (std::size_t r = 0; r < n; ++r) {
            late(r, 1) = early(r, 2) = -1e16;
            late(r, 2) = early(r, 0) = 1;
        }
        const Matrix ones(3, 8, 1.0);
        BOOST_CHECK(same_bits(fast(late, ones), Matrix(n, 8, 1.0)));
        BOOST_CHECK(same_bits(fast(early, ones), Matrix(n, 8, 0.0)));
    }
}

// What the proof of causality stands on: a row of the product depends on that row of a alone.
BOOST_AUTO_TEST_CASE(a_nan_in_one_row_reaches_no_other, *label("fast_last_rows_forgotten")) {
    std::mt19937_64 random(22);
    for (const std::size_t n : edges)
        for (std::size_t row = 0; row < n; row += n < 20 ? 1 : 13) {
            const Matrix a = noise(random, n, 11), b = noise(random, 11, 70);
            Matrix damaged = a;
            std::ranges::fill(damaged.row(row), not_a_number);
            const Matrix before = fast(a, b), after = fast(damaged, b);
            for (std::size_t r = 0; r < n; ++r)
                if (r == row)
                    BOOST_CHECK(
                        std::ranges::all_of(after.row(r), [](double x) { return std::isnan(x); }));
                else
                    BOOST_CHECK(same_bits(before.row(r), after.row(r)));
        }
}

BOOST_AUTO_TEST_CASE(a_row_alone_and_among_others_has_the_same_bits,
                     *label("fast_terms_reversed") * label("fast_last_rows_forgotten") *
                         label("fast_panels_all_the_first") * label("fast_few_rows_reversed") *
                         label("fast_registers_reversed")) {
    std::mt19937_64 random(23);
    const Matrix a = noise(random, 21, 33), b = noise(random, 33, 19);
    const Matrix whole = fast(a, b);
    for (std::size_t count = 1; count <= a.rows; ++count) // every prefix
        BOOST_CHECK(same_bits(fast(rows_of(a, 0, count), b), rows_of(whole, 0, count)));
}

BOOST_AUTO_TEST_CASE(infinities_and_nans_arrive_where_they_do_in_the_plain_loop,
                     *label("fast_terms_reversed") * label("fast_last_rows_forgotten") *
                         label("fast_panels_all_the_first") * label("fast_few_rows_reversed") *
                         label("fast_transposed_panels_all_the_first") *
                         label("fast_eight_dots_of_one_row") * label("fast_registers_reversed")) {
    std::mt19937_64 random(24);
    for (int i = 0; i < 200; ++i) {
        const std::size_t n = 1 + random() % 20, m = 1 + random() % 6, p = 1 + random() % 80;
        Matrix a = noise(random, n, m), b = noise(random, m, p);
        for (const double odd : {infinity, -infinity, not_a_number, 1e308, -1e308}) {
            a.values[random() % a.values.size()] = odd;
            b.values[random() % b.values.size()] = odd;
        }
        BOOST_CHECK_MESSAGE(same_numbers(fast(a, b), plain(a, b)), n << " x " << m << " x " << p);
        BOOST_CHECK_MESSAGE(same_numbers(fast_transposed(a, b), plain(a, b)),
                            n << " x " << m << " x " << p << ", transposed");
    }
}

BOOST_AUTO_TEST_CASE(nothing_is_left_of_an_earlier_product) {
    std::mt19937_64 random(25);
    const Matrix a = noise(random, 9, 7), b = noise(random, 7, 12);
    const Matrix first = fast(a, b);
    fast(Matrix(20, 90, not_a_number), Matrix(90, 75, not_a_number));
    BOOST_CHECK(same_bits(fast(a, b), first));
}

// The plain loop in a default build; in a release build this is what the forwarding must not
// change.
BOOST_AUTO_TEST_CASE(the_products_of_matrices_have_the_bits_of_the_plain_loop) {
    std::mt19937_64 random(26);
    for (int i = 0; i < 100; ++i) {
        const std::size_t n = 1 + random() % 24, m = 1 + random() % 24, p = 1 + random() % 24;
        const Matrix a = noise(random, n, m), b = noise(random, m, p);
        BOOST_CHECK(same_bits(matmul(a, b), plain(a, b)));
        BOOST_CHECK(same_bits(matmul_transposed(a, transpose(b)), plain(a, b)));
    }
}

BOOST_AUTO_TEST_CASE(spans_of_another_size_are_refused) {
    std::vector<double> six(6), four(4), three(3);
    BOOST_CHECK_NO_THROW(matmul_fast(six, six, four, 2, 3, 2));
    BOOST_CHECK_NO_THROW(matmul_transposed_fast(six, six, four, 2, 3, 2));
    BOOST_CHECK_THROW(matmul_transposed_fast(six, four, four, 2, 3, 2), std::invalid_argument);
    BOOST_CHECK_THROW(matmul_fast(four, six, four, 2, 3, 2), std::invalid_argument);
    BOOST_CHECK_THROW(matmul_fast(six, four, four, 2, 3, 2), std::invalid_argument);
    BOOST_CHECK_THROW(matmul_fast(six, six, three, 2, 3, 2), std::invalid_argument);
    check_message([&] { matmul_fast(six, six, three, 2, 3, 2); }, {"matmul_fast: ", "n*m"});
}

BOOST_AUTO_TEST_SUITE_END()
