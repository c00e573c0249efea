// A matrix: rows are positions, columns are features, the numbers lie row after row in one vector.
//
//     {{1, 2, 3},     is stored as   1 2 3 4 5 6     element (r, c) is values[r * cols + c]
//      {4, 5, 6}}
//
// Every result element below is one accumulator that takes its terms in ascending order, whatever
// the shapes are. That is why results can be compared bit for bit later.
#pragma once

#include "numbers/fast_matmul.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace glassbox {

struct Matrix {
    std::size_t rows = 0;
    std::size_t cols = 0;
    std::vector<double> values;

    Matrix() = default;
    Matrix(std::size_t rows, std::size_t cols, double fill = 0.0);
    Matrix(std::initializer_list<std::initializer_list<double>> literal);
    // Three braces do not compile: {{{4}, {5}}} would be the row 4 5, not two rows.
    Matrix(std::initializer_list<std::initializer_list<std::initializer_list<double>>>) = delete;

    // Element (r, c), checked in every build: out of range throws std::out_of_range.
    double& operator()(std::size_t r, std::size_t c) { return values[index(r, c)]; }
    double operator()(std::size_t r, std::size_t c) const { return values[index(r, c)]; }

    // Row r as a view without a copy. r is checked in every build, the index into the view by the
    // standard library, in all modes but release.
    std::span<double> row(std::size_t r) { return {&values[index(r, 0)], cols}; }
    std::span<const double> row(std::size_t r) const { return {&values[index(r, 0)], cols}; }

private:
    std::size_t index(std::size_t r, std::size_t c) const;
};

// An index or a size as text. What was a negative number before it became a size is printed as that
// number: -1, and not 18446744073709551615.
inline std::string size_text(std::size_t size) {
    return std::to_string(static_cast<std::ptrdiff_t>(size));
}

inline std::string shape_text(std::size_t rows, std::size_t cols) {
    return size_text(rows) + "x" + size_text(cols);
}

inline std::string shape_text(const Matrix& m) {
    return shape_text(m.rows, m.cols);
}

inline Matrix::Matrix(std::size_t rows_, std::size_t cols_, double fill)
    : rows(rows_), cols(cols_) {
    const std::size_t most = values.max_size();
    if (rows > most || cols > most || (cols != 0 && rows > most / cols))
        throw std::length_error("Matrix: " + shape_text(rows, cols) +
                                " is negative, or has more elements than a vector can hold");
    values.assign(rows * cols, fill);
}

inline Matrix::Matrix(std::initializer_list<std::initializer_list<double>> literal)
    : rows(literal.size()), cols(rows == 0 ? 0 : literal.begin()->size()) {
    for (const auto& line : literal) {
        if (line.size() != cols)
            throw std::invalid_argument("Matrix: the first row has " + std::to_string(cols) +
                                        " numbers, a later one " + std::to_string(line.size()) +
                                        "; all rows must be equally long");
        values.insert(values.end(), line);
    }
}

inline std::size_t Matrix::index(std::size_t r, std::size_t c) const {
    if (values.size() != rows * cols)
        throw std::out_of_range("Matrix: " + shape_text(*this) + " with " +
                                std::to_string(values.size()) +
                                " numbers; was it moved from, or its shape changed by hand?");
    if (r >= rows || c >= cols)
        throw std::out_of_range("Matrix: no element (" + size_text(r) + ", " + size_text(c) +
                                ") in a " + shape_text(*this) + " matrix; indices count from 0");
    return r * cols + c;
}

// std::cout << m: the shape, and a line for each row. What show() prints has axes and a heat map.
inline std::ostream& operator<<(std::ostream& out, const Matrix& m) {
    out << shape_text(m);
    for (std::size_t r = 0; r < m.rows; ++r) {
        out << "\n";
        for (std::size_t c = 0; c < m.cols; ++c) {
            out << " ";
            out.width(11);
            out << m(r, c);
        }
    }
    return out;
}

// States a shape as code that runs: require_shape(k, S, D, "attend: k"). Throws
// std::invalid_argument naming what came and what was wanted.
inline void require_shape(const Matrix& m, std::size_t rows, std::size_t cols,
                          std::string_view what) {
    if (m.rows != rows || m.cols != cols)
        throw std::invalid_argument(std::string(what) + " is " + shape_text(m) + ", wanted " +
                                    shape_text(rows, cols));
}

// An empty matrix is nearly always one that somebody forgot to fill, or moved from.
inline void require_filled(const Matrix& m, std::string_view what) {
    if (m.values.size() != m.rows * m.cols)
        throw std::invalid_argument(std::string(what) + " is " + shape_text(m) + " with " +
                                    std::to_string(m.values.size()) +
                                    " numbers; was it moved from, or its shape changed by hand?");
    if (m.rows == 0 || m.cols == 0)
        throw std::invalid_argument(std::string(what) + " is " + shape_text(m) +
                                    ", an empty matrix; wanted at least one row and one column");
}

// a . b = sum over k of a[k] * b[k], k ascending. Both spans must have the same length.
inline double dot(std::span<const double> a, std::span<const double> b) {
    if (a.size() != b.size())
        throw std::invalid_argument("dot: a has " + std::to_string(a.size()) + " numbers, b has " +
                                    std::to_string(b.size()) + "; they must be equally many");
    double sum = 0.0;
    for (std::size_t k = 0; k < a.size(); ++k)
        sum += a[k] * b[k];
    return sum;
}

// (n x m) times (m x p) -> (n x p):  result(i, j) = sum over k of a(i, k) * b(k, j).
// Throws std::invalid_argument if a's columns are not b's rows.
inline Matrix matmul(const Matrix& a, const Matrix& b) {
    require_filled(a, "matmul: a");
    require_filled(b, "matmul: b");
    if (a.cols != b.rows)
        throw std::invalid_argument(
            "matmul(a, b): a is " + shape_text(a) + ", b is " + shape_text(b) +
            "; a's columns must equal b's rows." +
            (a.cols == b.cols ? " These fit as matmul_transposed(a, b)." : ""));
    Matrix result(a.rows, b.cols);
#ifdef GLASSBOX_FAST // MODE=release: the same sums, faster (lesson 20)
    matmul_fast(a.values, b.values, result.values, a.rows, a.cols, b.cols);
#else
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < b.cols; ++j) {
            double sum = 0.0;
            for (std::size_t k = 0; k < a.cols; ++k)
                sum += a(i, k) * b(k, j);
            result(i, j) = sum;
        }
#endif
    return result;
}

// (n x m) -> (m x n):  result(c, r) = m(r, c).
inline Matrix transpose(const Matrix& m) {
    Matrix result(m.cols, m.rows);
    for (std::size_t r = 0; r < m.rows; ++r)
        for (std::size_t c = 0; c < m.cols; ++c)
            result(c, r) = m(r, c);
    return result;
}

// (n x m) times (p x m) -> (n x p):  a b^T, so result(i, j) = row i of a . row j of b.
// Throws std::invalid_argument if the rows are not equally long.
inline Matrix matmul_transposed(const Matrix& a, const Matrix& b) {
    require_filled(a, "matmul_transposed: a");
    require_filled(b, "matmul_transposed: b");
    if (a.cols != b.cols)
        throw std::invalid_argument("matmul_transposed(a, b): a is " + shape_text(a) + ", b is " +
                                    shape_text(b) + "; both must have the same number of columns." +
                                    (a.cols == b.rows ? " These fit as matmul(a, b)." : ""));
    Matrix result(a.rows, b.rows);
#ifdef GLASSBOX_FAST
    matmul_transposed_fast(a.values, b.values, result.values, a.rows, a.cols, b.rows);
#else
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < b.rows; ++j)
            result(i, j) = dot(a.row(i), b.row(j));
#endif
    return result;
}

// Rows first .. first + count - 1. Throws std::out_of_range if m has not so many.
inline Matrix rows_of(const Matrix& m, std::size_t first, std::size_t count) {
    if (first > m.rows || count > m.rows - first)
        throw std::out_of_range("rows_of: " + size_text(count) + " rows from row " +
                                size_text(first) + " of a " + shape_text(m) + " matrix");
    Matrix part(count, m.cols);
    for (std::size_t r = 0; r < count; ++r)
        std::ranges::copy(m.row(first + r), part.row(r).begin());
    return part;
}

// Columns first .. first + count - 1. Throws std::out_of_range if m has not so many.
inline Matrix columns_of(const Matrix& m, std::size_t first, std::size_t count) {
    if (first > m.cols || count > m.cols - first)
        throw std::out_of_range("columns_of: " + size_text(count) + " columns from column " +
                                size_text(first) + " of a " + shape_text(m) + " matrix");
    Matrix part(m.rows, count);
    for (std::size_t r = 0; r < m.rows && count > 0; ++r)
        std::ranges::copy(m.row(r).subspan(first, count), part.row(r).begin());
    return part;
}

// Puts the rows of `more` below those of m; an m without rows takes any width.
// Throws std::invalid_argument for another width.
inline void append_rows(Matrix& m, const Matrix& more) {
    if (m.rows != 0)
        require_shape(more, more.rows, m.cols, "append_rows: more");
    if (&m == &more) // inserting a vector into itself is undefined
        return append_rows(m, Matrix(more));
    m.cols = more.cols;
    m.rows += more.rows;
    m.values.insert(m.values.end(), more.values.begin(), more.values.end());
}

// Takes the first `count` rows away; the others move up. Throws std::out_of_range if there are not
// so many.
inline void drop_first_rows(Matrix& m, std::size_t count) {
    if (count > m.rows)
        throw std::out_of_range("drop_first_rows: " + std::to_string(count) + " rows of a " +
                                shape_text(m) + " matrix");
    m.values.erase(m.values.begin(),
                   m.values.begin() + static_cast<std::ptrdiff_t>(count * m.cols));
    m.rows -= count;
}

// Element by element. Throws std::invalid_argument if the shapes differ: nothing is broadcast.
inline Matrix operator+(const Matrix& a, const Matrix& b) {
    require_filled(a, "operator+: a");
    require_filled(b, "operator+: b");
    require_shape(b, a.rows, a.cols, "operator+: b");
    Matrix result(a.rows, a.cols);
    for (std::size_t i = 0; i < a.values.size(); ++i)
        result.values[i] = a.values[i] + b.values[i];
    return result;
}

// Every element times a number.
inline Matrix operator*(const Matrix& m, double factor) {
    Matrix result = m;
    for (double& value : result.values)
        value *= factor;
    return result;
}

// The largest |a[i] - b[i]|. Equal elements differ by 0, even two infinities; a NaN on either side
// makes the result NaN, where a plain maximum would silently drop it.
inline double max_abs_difference(std::span<const double> a, std::span<const double> b) {
    if (a.size() != b.size() || a.empty())
        throw std::invalid_argument("max_abs_difference: a has " + std::to_string(a.size()) +
                                    " numbers, b has " + std::to_string(b.size()) +
                                    "; wanted equally many, at least one");
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double difference = a[i] == b[i] ? 0.0 : std::abs(a[i] - b[i]);
        if (std::isnan(difference))
            return std::numeric_limits<double>::quiet_NaN();
        largest = std::max(largest, difference);
    }
    return largest;
}

inline double max_abs_difference(const Matrix& a, const Matrix& b) {
    require_shape(b, a.rows, a.cols, "max_abs_difference: b");
    return max_abs_difference(std::span(a.values), std::span(b.values));
}

// Equal to the last bit. Stricter than ==, which takes -0 for 0, and fairer: a NaN equals itself.
inline bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

inline bool same_bits(std::span<const double> a, std::span<const double> b) {
    return std::ranges::equal(a, b, [](double x, double y) { return same_bits(x, y); });
}

inline bool same_bits(const Matrix& a, const Matrix& b) {
    return a.rows == b.rows && a.cols == b.cols &&
        same_bits(std::span(a.values), std::span(b.values));
}

} // namespace glassbox
