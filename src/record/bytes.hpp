// Bytes in memory and in files: numbers in little-endian order, whole files read and written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace glassbox {

inline std::span<const unsigned char> bytes_of(std::string_view text) {
    return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

inline std::string_view text_of(std::span<const unsigned char> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The lowest byte first: encoded(258, 4) is 02 01 00 00.
inline std::string encoded(std::uint64_t value, std::size_t bytes) {
    std::string result;
    for (std::size_t i = 0; i < bytes; ++i)
        result += static_cast<char>(value >> (8 * i) & 0xff);
    return result;
}

// A text out of a file that nobody vouches for, fit to be printed: one line of ASCII, at most 200
// bytes of it. A line break or a terminal's escape becomes what it is, \x0a or \x1b, so that a file
// cannot print a verdict of its own.
inline std::string printable(std::string_view text) {
    constexpr std::size_t most = 200;
    constexpr std::string_view digits = "0123456789abcdef";
    std::string result;
    for (const char c : text.substr(0, most)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= ' ' && byte <= '~')
            result += c;
        else
            (result += "\\x") += {digits[byte >> 4], digits[byte & 15]};
    }
    return text.size() > most ? result + "..." : result;
}

// A view of bytes that knows what it is part of and who reads it, so that an error can say so.
// Little-endian.
struct Bytes {
    std::span<const unsigned char> data;
    std::string name;
    std::string reader = "read_npz";

    [[noreturn]] void fail(const std::string& reason) const {
        throw std::runtime_error(reader + ": " + name + ": " + reason);
    }

    void require(std::size_t offset, std::size_t count) const {
        if (offset > data.size() || count > data.size() - offset)
            fail("truncated: wanted " + std::to_string(count) + " bytes at offset " +
                 std::to_string(offset) + ", there are " + std::to_string(data.size()));
    }

    Bytes part(std::size_t offset, std::size_t count) const {
        require(offset, count);
        return {data.subspan(offset, count), name, reader};
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

// All bytes of a regular file; what is endless (a device, a pipe) is not read. `reader` is the
// function that asks, for the message. Throws std::runtime_error.
inline std::string read_file(const std::filesystem::path& path,
                             const std::string& reader = "read_file") {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
        throw std::runtime_error(reader + ": cannot open " + path.string() +
                                 ": it is no regular file or not there");
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    std::ifstream stream(path, std::ios::binary);
    if (error || !stream)
        throw std::runtime_error(reader + ": cannot open " + path.string());
    std::string content(size, '\0');
    stream.read(content.data(), static_cast<std::streamsize>(size));
    if (static_cast<std::uintmax_t>(stream.gcount()) != size)
        throw std::runtime_error(reader + ": cannot read all of " + path.string() + ": wanted " +
                                 std::to_string(size) + " bytes, got " +
                                 std::to_string(stream.gcount()));
    return content;
}

// Writes a file and closes it, so that a full disk is noticed here. Throws std::runtime_error.
inline void write_file(const std::filesystem::path& path, std::string_view content,
                       const std::string& writer = "write_file") {
    std::ofstream stream(path, std::ios::binary | std::ios::trunc);
    if (!stream)
        throw std::runtime_error(writer + ": cannot open " + path.string() + " for writing");
    stream.write(content.data(), static_cast<std::streamsize>(content.size()));
    stream.close();
    if (!stream)
        throw std::runtime_error(writer + ": cannot write the " + std::to_string(content.size()) +
                                 " bytes of " + path.string() + "; is the disk full?");
}

} // namespace glassbox
