// SHA-256: 32 bytes that stand for any number of bytes. One changed bit changes about half of them,
// and nobody knows how to find a second text with the same 32. Source: FIPS 180-4.
#pragma once

#include "record/bytes.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace glassbox {

namespace sha {

constexpr double two_to_the_32 = 4294967296.0;

// The first 32 bits behind the binary point.
inline std::uint32_t fraction_bits(double x) {
    return static_cast<std::uint32_t>((x - std::floor(x)) * two_to_the_32);
}

// Numbers that nobody could have chosen to suit himself: from the roots of the first primes.
struct Constants {
    std::array<std::uint32_t, 8> start{};  // square roots of the first 8 primes (5.3.3)
    std::array<std::uint32_t, 64> round{}; // cube roots of the first 64 primes (4.2.2)

    Constants() {
        std::size_t count = 0;
        for (int number = 2; count < round.size(); ++number) {
            bool prime = true;
            for (int divisor = 2; divisor < number; ++divisor)
                prime = prime && number % divisor != 0;
            if (!prime)
                continue;
            if (count < start.size())
                start[count] = fraction_bits(std::sqrt(static_cast<double>(number)));
            round[count++] = fraction_bits(std::cbrt(static_cast<double>(number)));
        }
    }
};

inline const Constants& constants() {
    static const Constants computed_once;
    return computed_once;
}

// The message, a bit 1, zeros, and the message's length in bits as the last 8 bytes: a multiple of
// 64 bytes (5.1.1). Big-endian, as everything here.
inline std::string padded_message(std::string_view message) {
    std::string padded(message);
    padded += '\x80';
    while (padded.size() % 64 != 56)
        padded += '\0';
    const std::uint64_t bits = std::uint64_t{message.size()} * 8;
    for (int shift = 56; shift >= 0; shift -= 8)
        padded += static_cast<char>(bits >> shift & 0xff);
    return padded;
}

// The 16 words of a block and 48 more, each mixed from four earlier ones (6.2.2, step 1).
inline std::array<std::uint32_t, 64> schedule(std::span<const unsigned char> block) {
    std::array<std::uint32_t, 64> words{};
    std::uint32_t* const w = words.data();
    for (std::size_t t = 0; t < 16; ++t)
        w[t] = std::uint32_t{block[4 * t]} << 24 | std::uint32_t{block[4 * t + 1]} << 16 |
            std::uint32_t{block[4 * t + 2]} << 8 | std::uint32_t{block[4 * t + 3]};
    for (std::size_t t = 16; t < 64; ++t) {
        const std::uint32_t x = w[t - 15], y = w[t - 2];
        const std::uint32_t small_0 = std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3);
        const std::uint32_t small_1 = std::rotr(y, 17) ^ std::rotr(y, 19) ^ (y >> 10);
        w[t] = small_1 + w[t - 7] + small_0 + w[t - 16];
    }
    return words;
}

// 64 rounds over eight words a..h, then added to the state (6.2.2, steps 2 to 4). All arithmetic is
// modulo 2^32.
inline void absorb(std::array<std::uint32_t, 8>& state, std::span<const unsigned char> block) {
    const std::array<std::uint32_t, 64> words = schedule(block);
    const std::uint32_t* const w = words.data();
    const std::uint32_t* const k = constants().round.data();
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t t = 0; t < 64; ++t) {
        const std::uint32_t big_1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        const std::uint32_t choice = (e & f) ^ (~e & g);
        const std::uint32_t first = h + big_1 + choice + k[t] + w[t];
        const std::uint32_t big_0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        const std::uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
        const std::uint32_t second = big_0 + majority;
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + second;
    }
    const std::array<std::uint32_t, 8> mixed{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i)
        state[i] += mixed[i];
}

} // namespace sha

// The SHA-256 of these bytes as 64 hexadecimal digits.
inline std::string sha256(std::string_view message) {
    const std::string padded = sha::padded_message(message);
    std::array<std::uint32_t, 8> state = sha::constants().start;
    for (std::size_t at = 0; at < padded.size(); at += 64)
        sha::absorb(state, bytes_of(padded).subspan(at, 64));
    std::string hex;
    for (const std::uint32_t word : state)
        for (int shift = 28; shift >= 0; shift -= 4)
            hex += "0123456789abcdef"[word >> shift & 0xf];
    return hex;
}

// The same of a file. Throws std::runtime_error if it cannot be read.
inline std::string sha256_of_file(const std::filesystem::path& path) {
    return sha256(read_file(path, "sha256_of_file"));
}

} // namespace glassbox
