// Reads the .npz files that numpy.savez writes: a zip archive of uncompressed .npy arrays.
//
// A zip is read from its end: the last record says where the directory is, the directory says where
// each entry lies and how long it is. An .npy entry is a magic word, a header that describes the
// array in Python's own notation, and the numbers. Every offset and size comes from the file and is
// therefore checked before it is used.
//
// Sources: PKWARE's APPNOTE.TXT (zip); numpy.lib.format (npy 1.0).
#pragma once

#include "numbers/matrix.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace glassbox {

// A view of bytes that knows what it is part of, so that an error can say so. Little-endian.
struct Bytes {
    std::span<const unsigned char> data;
    std::string name;

    [[noreturn]] void fail(const std::string& reason) const {
        throw std::runtime_error("read_npz: " + name + ": " + reason);
    }

    void require(std::size_t offset, std::size_t count) const {
        if (offset > data.size() || count > data.size() - offset)
            fail("truncated: wanted " + std::to_string(count) + " bytes at offset " +
                 std::to_string(offset) + ", there are " + std::to_string(data.size()));
    }

    Bytes part(std::size_t offset, std::size_t count) const {
        require(offset, count);
        return {data.subspan(offset, count), name};
    }

    std::uint64_t number(std::size_t offset, std::size_t count) const {
        require(offset, count);
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < count; ++i)
            value |= std::uint64_t{data[offset + i]} << (8 * i);
        return value;
    }

    std::string text(std::size_t offset, std::size_t count) const {
        require(offset, count);
        return {data.begin() + static_cast<std::ptrdiff_t>(offset),
                data.begin() + static_cast<std::ptrdiff_t>(offset + count)};
    }
};

// The zip format's checksum: CRC-32 with the reflected polynomial 0xedb88320.
inline std::uint32_t crc32(std::span<const unsigned char> data) {
    std::uint32_t crc = 0xffffffffU;
    for (const unsigned char byte : data) {
        crc ^= byte;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320U : 0U);
    }
    return ~crc;
}

namespace npy {

// The text after 'key': in the header, e.g. "(6, 8), }" for key "shape".
inline std::string_view value_of(const Bytes& entry, std::string_view header,
                                 const std::string& key) {
    const std::size_t at = header.find("'" + key + "': ");
    if (at == std::string_view::npos)
        entry.fail("the .npy header does not say '" + key + "'");
    return header.substr(at + key.size() + 4);
}

// "(6, 8)" -> {6, 8}; "(24,)" -> {24}; "()" -> {}. The text must be written just as Python writes a
// tuple of these sizes: that refuses everything else, sizes that overflow included.
inline std::vector<std::size_t> parse_shape(const Bytes& entry, std::string_view text) {
    std::vector<std::size_t> sizes;
    char before = ' ';
    for (const char c : text.substr(0, text.find(')'))) {
        if (c >= '0' && c <= '9') {
            if (before < '0' || before > '9')
                sizes.push_back(0);
            sizes.back() = sizes.back() * 10 + static_cast<std::size_t>(c - '0');
        }
        before = c;
    }
    std::string tuple = "(";
    for (std::size_t i = 0; i < sizes.size(); ++i)
        tuple += (i == 0 ? "" : ", ") + std::to_string(sizes[i]);
    tuple += sizes.size() == 1 ? ",)" : ")";
    if (!text.starts_with(tuple))
        entry.fail("the shape in the .npy header is no tuple of sizes");
    return sizes;
}

inline double decode(const Bytes& numbers, std::size_t offset, std::string_view type) {
    if (type == "<f8")
        return std::bit_cast<double>(numbers.number(offset, 8));
    if (type == "<f4")
        return std::bit_cast<float>(static_cast<std::uint32_t>(numbers.number(offset, 4)));
    const auto integer = std::bit_cast<std::int64_t>(numbers.number(offset, 8));
    constexpr std::int64_t exact = std::int64_t{1} << 53;
    if (integer > exact || integer < -exact)
        numbers.fail("the integer " + std::to_string(integer) + " does not fit in a double");
    return static_cast<double>(integer);
}

// The element type, one of <f8, <f4 and <i8, in C order.
inline std::string parse_type(const Bytes& entry, std::string_view header) {
    const std::string_view text = value_of(entry, header, "descr");
    const std::string type(text.substr(0, text.find(',')));
    if (type != "'<f8'" && type != "'<f4'" && type != "'<i8'")
        entry.fail("the type is " + type + "; wanted '<f8', '<f4' or '<i8'");
    if (!value_of(entry, header, "fortran_order").starts_with("False"))
        entry.fail("the array is in Fortran order; save numpy.ascontiguousarray of it");
    return type.substr(1, 3);
}

// One .npy array as a Matrix: a vector of n numbers is 1 x n, a single number 1 x 1.
inline Matrix parse(const Bytes& entry) {
    if (entry.text(0, 8) != std::string("\x93NUMPY\x01\x00", 8))
        entry.fail("not an .npy array of version 1.0");
    const std::size_t start = 10 + entry.number(8, 2);
    const std::string header = entry.text(10, start - 10);
    const std::string type = parse_type(entry, header);
    std::vector<std::size_t> shape = parse_shape(entry, value_of(entry, header, "shape"));
    if (shape.size() > 2)
        entry.fail("the array has " + std::to_string(shape.size()) + " dimensions; wanted 0 to 2");
    shape.insert(shape.begin(), 2 - shape.size(), 1);

    const std::size_t width = type == "<f4" ? 4 : 8;
    const std::size_t bytes = entry.data.size() - start;
    if (shape[0] > bytes / width / std::max<std::size_t>(1, shape[1]))
        entry.fail("the header promises " + shape_text(shape[0], shape[1]) + " numbers, " +
                   std::to_string(bytes / width) + " are there");
    if (bytes != shape[0] * shape[1] * width)
        entry.fail("there are bytes left over behind the numbers");
    Matrix result(shape[0], shape[1]);
    for (std::size_t i = 0; i < result.values.size(); ++i)
        result.values[i] = decode(entry, start + i * width, type);
    return result;
}

} // namespace npy

namespace zip {

// The end record is 22 bytes plus a comment of at most 65535: look for its mark from the end.
inline std::size_t find_end_record(const Bytes& file) {
    for (std::size_t back = 22; back <= file.data.size() && back <= 22 + 65535; ++back)
        if (file.number(file.data.size() - back, 4) == 0x06054b50)
            return file.data.size() - back;
    file.fail("not a zip archive (no end record), or cut short");
}

// The bytes of one entry, given where the directory describes it. Sizes come from the directory,
// because the copy beside the data may be left empty by a writer that streams.
inline Bytes entry_at(const Bytes& file, std::size_t directory, const std::string& name) {
    const std::uint64_t method = file.number(directory + 10, 2);
    const std::uint64_t stored_size = file.number(directory + 20, 4);
    const std::uint64_t size = file.number(directory + 24, 4);
    const std::size_t local = file.number(directory + 42, 4);
    const Bytes here{file.data, file.name + ": " + name};
    if (method != 0)
        here.fail("the entry is compressed; write it with numpy.savez, not savez_compressed");
    if (size == 0xffffffff)
        here.fail("entries of 4 GiB and more are not read");
    if (stored_size != size)
        here.fail("the directory gives it two sizes");
    if (here.number(local, 4) != 0x04034b50)
        here.fail("no entry where the directory says it is");
    const std::size_t name_size = here.number(local + 26, 2);
    if (here.text(local + 30, name_size) != name)
        here.fail("the entry calls itself otherwise than the directory does");
    const std::size_t extra_size = here.number(local + 28, 2);
    const Bytes data = here.part(local + 30 + name_size + extra_size, size);
    if (crc32(data.data) != here.number(directory + 16, 4))
        here.fail("the checksum is wrong: the file was damaged");
    return data;
}

} // namespace zip

// All arrays of a .npz by name (without ".npy"): float64, float32 or int64, in C order, of at most
// two dimensions. Throws std::runtime_error naming file, array and reason for anything else.
inline std::map<std::string, Matrix> read_npz(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream || std::filesystem::is_directory(path))
        throw std::runtime_error("read_npz: cannot open " + path.string());
    const std::vector<unsigned char> content{std::istreambuf_iterator<char>(stream), {}};
    const Bytes file{content, path.string()};

    const std::size_t end = zip::find_end_record(file);
    const std::size_t entries = file.number(end + 10, 2);
    if (entries != file.number(end + 8, 2)) // stored twice; a damaged one must not hide arrays
        file.fail("the end record gives two numbers of entries");
    std::size_t directory = file.number(end + 16, 4);
    std::map<std::string, Matrix> arrays;
    for (std::size_t i = 0; i < entries; ++i) {
        if (file.number(directory, 4) != 0x02014b50)
            file.fail("the directory is damaged at entry " + std::to_string(i));
        const std::size_t name_size = file.number(directory + 28, 2);
        std::string name = file.text(directory + 46, name_size);
        const Bytes entry = zip::entry_at(file, directory, name);
        if (name.ends_with(".npy"))
            name.resize(name.size() - 4);
        if (!arrays.emplace(name, npy::parse(entry)).second)
            file.fail("two arrays are called '" + name + "'");
        directory +=
            46 + name_size + file.number(directory + 30, 2) + file.number(directory + 32, 2);
    }
    return arrays;
}

} // namespace glassbox
