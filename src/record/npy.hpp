// One array in NumPy's own format, .npy 1.0:
//
//     93 "NUMPY" 01 00     magic word and version
//     2 bytes              length of the header, so that all before the numbers is a multiple of 64
//     header               what the numbers are, in Python's notation, blanks, a newline
//     numbers              little-endian, row after row (C order)
//
// Source: the documentation of numpy.lib.format.
#pragma once

#include "numbers/matrix.hpp"
#include "record/bytes.hpp"
#include "record/kinds.hpp"
#include "record/npy_header.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glassbox {

// An array that is to be written: its numbers, and what NumPy shall take them for.
struct NpyArray {
    std::string name;
    Matrix numbers;
    std::string type = "<f8"; // or <f4, <i8
    int dimensions = 2;       // or 1: a vector, its numbers in one row
};

namespace npy {

// An array as it was read: type, sizes, and numbers in C order (the last index runs fastest).
struct Array {
    std::string type; // <f8, <f4, <f2 or <i8
    std::vector<std::size_t> shape;
    std::vector<double> values;
};

constexpr std::int64_t largest_exact_integer = std::int64_t{1} << 53; // in a double

// float16: a sign, 5 bits of exponent e, 10 bits of fraction f. The number is (1 + f/1024)
// 2^(e-15); e = 0 means f/1024 2^-14, e = 31 an infinity or a NaN. Source: IEEE 754, binary16.
inline double half_precision(std::uint64_t bits) {
    const auto fraction = static_cast<double>(bits & 0x3ff);
    const int exponent = static_cast<int>(bits >> 10 & 0x1f);
    double size = std::ldexp(1024.0 + fraction, exponent - 25);
    if (exponent == 0)
        size = std::ldexp(fraction, -24);
    if (exponent == 31)
        size = fraction == 0.0 ? std::numeric_limits<double>::infinity()
                               : std::numeric_limits<double>::quiet_NaN();
    return (bits & 0x8000) != 0 ? -size : size;
}

inline double decode(const Bytes& numbers, std::size_t offset, std::string_view type) {
    if (type == "<f8")
        return std::bit_cast<double>(numbers.number(offset, 8));
    if (type == "<f4")
        return std::bit_cast<float>(static_cast<std::uint32_t>(numbers.number(offset, 4)));
    if (type == "<f2")
        return half_precision(numbers.number(offset, 2));
    const auto integer = std::bit_cast<std::int64_t>(numbers.number(offset, 8));
    if (integer > largest_exact_integer || integer < -largest_exact_integer)
        numbers.fail("the integer " + std::to_string(integer) + " does not fit in a double");
    return static_cast<double>(integer);
}

// How many numbers an array of this shape has, where there is room for so many. A shape with a 0 in
// it would fit anywhere; its other sizes stay below a million, so that nobody counts rows forever.
inline std::size_t parse_count(const Bytes& entry, const std::vector<std::size_t>& shape,
                               std::size_t room) {
    const bool empty = std::ranges::count(shape, std::size_t{0}) > 0;
    const std::size_t most = empty ? 1000000 : room;
    std::size_t count = 1;
    std::string text; // "6x4x"
    for (const std::size_t size : shape) {
        text += std::to_string(size);
        text += 'x';
    }
    for (const std::size_t size : shape) {
        if (size > most / count)
            entry.fail("the header promises " + text.substr(0, text.size() - 1) + " numbers, " +
                       std::to_string(room) + " are there; was the file cut short?");
        count *= std::max<std::size_t>(1, size);
    }
    if (count > most) // of a single number, ()
        entry.fail("the header promises a number, and none is there");
    return empty ? 0 : count;
}

constexpr std::string_view magic_word = "\x93NUMPY";

// The magic word. What people hand in for an .npy is told apart.
inline void require_magic_word(const Bytes& entry) {
    const std::string foreign = foreign_kind(text_of(entry.data));
    if (!foreign.empty())
        entry.fail(foreign);
    const std::string_view start = text_of(entry.data).substr(0, 6);
    if (!start.empty() && !start.starts_with("PK") && !magic_word.starts_with(start))
        entry.fail("not an .npy array of version 1.0; numpy.save writes one");
    const std::string magic = entry.text(0, 8);
    if (magic.starts_with("PK"))
        entry.fail("a zip archive (.npz, .pt); wanted a single array, as numpy.save writes it; "
                   "an archive of runs is named alone, without a position");
    if (magic.substr(6) != std::string("\x01\x00", 2))
        entry.fail("not an .npy array of version 1.0, but of " + std::to_string(int{magic[6]}) +
                   "." + std::to_string(int{magic[7]}) +
                   "; numpy.save of a plain array of numbers writes 1.0, so in Python, "
                   "numpy.save(other, numpy.load(file))");
}

// Nothing may follow the numbers.
inline void require_end(const Bytes& entry, std::size_t end) {
    const std::string_view rest = text_of(entry.data).substr(end);
    if (rest.starts_with(magic_word))
        entry.fail("another array begins behind the first, as when numpy.save wrote twice into one "
                   "open file; give each a file of its own, or use numpy.savez('runs.npz', "
                   "baseline=..., changed_0=..., ...)");
    if (!rest.empty())
        entry.fail("there are bytes left over behind the numbers");
}

// One .npy array of any number of dimensions.
inline Array parse_array(const Bytes& entry) {
    require_magic_word(entry);
    const std::size_t start = 10 + entry.number(8, 2);
    const std::string text = entry.text(10, start - 10);
    if (text.ends_with('\r')) // the \n is now the first byte of the numbers
        entry.fail("its line ends were translated on the way; transfer the file as binary, not as "
                   "text");
    const Header header = parse_header(entry, text);
    const std::string type = parse_type(entry, header);
    const std::size_t width = static_cast<std::size_t>(type.back() - '0');
    const std::size_t bytes = entry.data.size() - start;
    Array result{type, parse_shape(entry, header.at("shape")), {}};
    const std::size_t count = parse_count(entry, result.shape, bytes / width);
    require_end(entry, start + count * width);
    result.values.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        result.values.push_back(decode(entry, start + i * width, type));
    return result;
}

// The same as a Matrix: a vector of n numbers is 1 x n, a single number 1 x 1.
inline Matrix parse(const Bytes& entry) {
    Array array = parse_array(entry);
    std::vector<std::size_t>& shape = array.shape;
    if (shape.size() > 2)
        entry.fail("the array has " + std::to_string(shape.size()) + " dimensions; wanted 0 to 2");
    shape.insert(shape.begin(), 2 - shape.size(), 1);
    Matrix result(shape[0], shape[1]);
    result.values = std::move(array.values);
    return result;
}

// Everything before the numbers, as NumPy writes it. (NumPy also keeps room for the first size to
// grow to 21 digits. With at most two dimensions that room never leads past the same 128 bytes.)
inline std::string header(const NpyArray& array) {
    std::vector<std::size_t> shape{array.numbers.rows, array.numbers.cols};
    if (array.dimensions == 1)
        shape.erase(shape.begin());
    std::string text = "{'descr': '" + array.type +
        "', 'fortran_order': False, 'shape': " + tuple_text(shape) + ", }";
    const std::size_t before_header = 10, newline = 1;
    while ((before_header + text.size() + newline) % 64 != 0)
        text += ' ';
    text += '\n';
    return std::string("\x93NUMPY\x01\x00", 8) + encoded(text.size(), 2) + text;
}

// One number of the array. What the type cannot hold exactly is refused, not rounded.
inline std::string encode(const NpyArray& array, double value) {
    if (array.type == "<f8")
        return encoded(std::bit_cast<std::uint64_t>(value), 8);
    if (array.type == "<f4") {
        constexpr double largest = std::numeric_limits<float>::max();
        if (std::isinf(value) || std::isnan(value) ||
            (std::abs(value) <= largest && static_cast<float>(value) == value))
            return encoded(std::bit_cast<std::uint32_t>(static_cast<float>(value)), 4);
    } else if (std::abs(value) <= static_cast<double>(largest_exact_integer)) { // false for a NaN
        const auto integer = static_cast<std::int64_t>(value);
        if (static_cast<double>(integer) == value)
            return encoded(std::bit_cast<std::uint64_t>(integer), 8);
    }
    throw std::invalid_argument("write_npz: " + array.name + ": the number " +
                                std::to_string(value) + " is not exactly of type " + array.type);
}

// The bytes of an .npy file. Throws std::invalid_argument naming the array for another type, other
// dimensions, a vector that is not one row, or a number that the type cannot hold.
inline std::string format(const NpyArray& array) {
    const Matrix& m = array.numbers;
    const auto refuse = [&](const std::string& reason) {
        throw std::invalid_argument("write_npz: " + array.name + ": " + reason);
    };
    if (array.type != "<f8" && array.type != "<f4" && array.type != "<i8")
        refuse("the type is '" + array.type + "'; wanted '<f8', '<f4' or '<i8'");
    if (array.dimensions != 1 && array.dimensions != 2)
        refuse("it shall have " + std::to_string(array.dimensions) + " dimensions; wanted 1 or 2");
    if (array.dimensions == 1 && m.rows != 1)
        refuse("a vector of " + shape_text(m) + " numbers; wanted one row");
    if (m.values.size() != m.rows * m.cols)
        refuse("it holds " + std::to_string(m.values.size()) + " numbers; a matrix of " +
               shape_text(m) + " has others");
    std::string result = header(array);
    for (const double value : m.values)
        result += encode(array, value);
    return result;
}

} // namespace npy

// The array of an .npy file: float64, float32, float16 or int64, in C order. Throws
// std::runtime_error naming file, reason and fix for anything else.
inline npy::Array read_npy(const std::filesystem::path& path) {
    const std::string content = read_file(path, "read_npy");
    return npy::parse_array({bytes_of(content), path.string(), "read_npy"});
}

} // namespace glassbox
