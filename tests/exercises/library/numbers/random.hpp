// Two fixed streams of random numbers: the ones that PyTorch and NumPy draw, without either.
//
// To the last bit: all uniform numbers, the parameters of a linear layer, PyTorch's normal numbers
// in matrices of fewer than 16. Not to the last bit: PyTorch's other normal numbers (within 5e-7,
// relative where they exceed 1) and NumPy's (within 4e-14 relative); each says why.
//
// The standard library fixes the engine std::mt19937, but not std::normal_distribution: every
// library may turn the same raw bits into other numbers. A course whose numbers can be checked
// needs an algorithm that is written down, so both are, here.
//
// Sources: PyTorch's and NumPy's documentation; Matsumoto and Nishimura 1998 (MT19937); O'Neill
// 2014 (PCG); Marsaglia and Tsang 2000 (ziggurat).
#pragma once

#include "numbers/matrix.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>

#ifndef __SIZEOF_INT128__
#error "random.hpp: NumPy's generator needs unsigned __int128, which compilers for 32 bits lack"
#endif

namespace glassbox {

// The seed, if it lies from 0 to `largest`; throws std::invalid_argument otherwise. A seed that
// does not fit would silently be another one.
inline std::uint64_t fitting_seed(std::int64_t seed, std::int64_t largest, const char* stream) {
    if (seed < 0 || seed > largest)
        throw std::invalid_argument(std::string(stream) + ": the seed is " + std::to_string(seed) +
                                    "; wanted 0 to " + std::to_string(largest));
    return static_cast<std::uint64_t>(seed);
}

// What torch.manual_seed(seed) starts on the CPU, for seeds of 32 bits. All results are float32
// numbers held in doubles, as PyTorch's own default type is float32.
class PytorchRandom {
public:
    // Throws std::invalid_argument for a seed below 0 or of more than 32 bits.
    explicit PytorchRandom(std::int64_t seed)
        : engine_(static_cast<std::uint32_t>(fitting_seed(seed, 0xffffffff, "PytorchRandom"))) {}

    // torch.rand(rows, cols): uniform in [0, 1).
    Matrix rand(std::size_t rows, std::size_t cols) { return uniforms(rows, cols, 0.0F, 1.0F); }

    // torch.randn(rows, cols): normal, mean 0, deviation 1. PyTorch has two algorithms, and the
    // number of elements decides; below 16 the results equal PyTorch's exactly, from 16 on within
    // 5e-7, because PyTorch's vector code approximates ln, cos and sin.
    Matrix randn(std::size_t rows, std::size_t cols);

    // The weight (out x in) of torch.nn.Linear(in, out): uniform in +-sqrt(3) * sqrt(2/6) /
    // sqrt(in).
    Matrix linear_weight(std::size_t in, std::size_t out) {
        const double bound = std::sqrt(3.0) * (std::sqrt(2.0 / 6.0) / root_of_width(in));
        return uniforms(out, in, static_cast<float>(-bound), static_cast<float>(bound));
    }

    // Its bias (1 x out), drawn after the weight: uniform in +-1/sqrt(in).
    Matrix linear_bias(std::size_t in, std::size_t out) {
        const double bound = 1.0 / root_of_width(in);
        return uniforms(1, out, static_cast<float>(-bound), static_cast<float>(bound));
    }

private:
    std::mt19937 engine_;
    std::optional<double> cached_normal_; // the second normal of a pair, kept between calls

    std::uint32_t draw32() { return static_cast<std::uint32_t>(engine_()); }

    static double root_of_width(std::size_t in) {
        if (in == 0)
            throw std::invalid_argument("PytorchRandom: a linear layer with 0 inputs; wanted >= 1");
        return std::sqrt(static_cast<double>(in));
    }

    float uniform_float(float low, float high);
    double uniform_double();
    float normal_one_at_a_time();
    Matrix uniforms(std::size_t rows, std::size_t cols, float low, float high);
    void fill_uniform(std::span<double> numbers, float low, float high);
    static void uniform_to_normal(std::span<double> group_of_16);
};

// 24 random bits, because a float32 has 24 bits of precision.
inline float PytorchRandom::uniform_float(float low, float high) {
    const double unit = (draw32() & 0xffffffU) * 0x1p-24;
    return static_cast<float>(unit * (static_cast<double>(high) - low) + low);
}

// 53 random bits, because a double has 53; the first draw is the high half.
inline double PytorchRandom::uniform_double() {
    const std::uint64_t high = draw32();
    const std::uint64_t low = draw32();
    const std::uint64_t bits = ((high << 32) | low) & ((std::uint64_t{1} << 53) - 1);
    return static_cast<double>(bits) * 0x1p-53;
}

inline void PytorchRandom::fill_uniform(std::span<double> numbers, float low, float high) {
    for (double& value : numbers)
        value = uniform_float(low, high);
}

inline Matrix PytorchRandom::uniforms(std::size_t rows, std::size_t cols, float low, float high) {
    Matrix result(rows, cols);
    fill_uniform(result.values, low, high);
    return result;
}

// Box-Muller on two uniforms gives two normals; PyTorch hands out the cosine first, keeps the sine.
inline float PytorchRandom::normal_one_at_a_time() {
    if (cached_normal_) {
        const double kept = *cached_normal_;
        cached_normal_.reset();
        return static_cast<float>(kept);
    }
    const double u1 = uniform_double();
    const double u2 = uniform_double();
    const double radius = std::sqrt(-2.0 * std::log1p(-u2));
    const double angle = 2.0 * std::numbers::pi * u1;
    cached_normal_ = radius * std::sin(angle);
    return static_cast<float>(radius * std::cos(angle));
}

// Box-Muller again, element j paired with element j + 8, rounded to float32 after every operation.
inline void PytorchRandom::uniform_to_normal(std::span<double> group_of_16) {
    constexpr float two_pi = 2.0F * std::numbers::pi_v<float>;
    for (std::size_t j = 0; j < 8; ++j) {
        const float u1 = 1.0F - static_cast<float>(group_of_16[j]);
        const float u2 = static_cast<float>(group_of_16[j + 8]);
        const float log_u1 = static_cast<float>(std::log(static_cast<double>(u1)));
        const float radius = std::sqrt(-2.0F * log_u1);
        const double angle = two_pi * u2;
        group_of_16[j] = radius * static_cast<float>(std::cos(angle));
        group_of_16[j + 8] = radius * static_cast<float>(std::sin(angle));
    }
}

inline Matrix PytorchRandom::randn(std::size_t rows, std::size_t cols) {
    Matrix result(rows, cols);
    const std::span<double> all(result.values);
    if (all.size() < 16) {
        for (double& value : all)
            value = normal_one_at_a_time();
        return result;
    }
    fill_uniform(all, 0.0F, 1.0F);
    for (std::size_t start = 0; start + 16 <= all.size(); start += 16)
        uniform_to_normal(all.subspan(start, 16));
    if (all.size() % 16 != 0) { // the last 16 are drawn afresh, over what the loop left there
        fill_uniform(all.last(16), 0.0F, 1.0F);
        uniform_to_normal(all.last(16));
    }
    return result;
}

// What numpy.random.default_rng(seed) starts: the seed is spread over 256 bits (SeedSequence),
// these start a 128-bit linear congruential generator (PCG64), and normals come from its raw bits
// by the ziggurat method.
class NumpyRandom {
public:
    // Throws std::invalid_argument for a seed below 0. (NumPy takes seeds of any width; 63 bits are
    // what a std::int64_t holds.)
    explicit NumpyRandom(std::int64_t seed);

    // Uniform in [0, 1), 53 random bits.
    double random() { return static_cast<double>(draw64() >> 11) * 0x1p-53; }

    // Normal, mean 0, deviation 1: within 4e-14 relative of NumPy's, most of them another in their
    // last bits, because the ziggurat's tables are computed here and were typed in there.
    double standard_normal();

    // rng.normal(mean, deviation, (rows, cols)).
    Matrix normal(double mean, double deviation, std::size_t rows, std::size_t cols) {
        Matrix result(rows, cols);
        for (double& value : result.values)
            value = mean + deviation * standard_normal();
        return result;
    }

private:
    __extension__ typedef unsigned __int128 Uint128;

    Uint128 state_ = 0;
    Uint128 increment_ = 0;

    void step();
    std::uint64_t draw64();
    double normal_from_the_tail(bool negative);
};

namespace numpy {

// SeedSequence's hash: each call also changes the constant that the next call starts from.
struct Hash {
    std::uint32_t constant;
    std::uint32_t multiplier;

    std::uint32_t operator()(std::uint32_t value) {
        value ^= constant;
        constant *= multiplier;
        value *= constant;
        return value ^ (value >> 16);
    }
};

inline std::uint32_t mix(std::uint32_t x, std::uint32_t y) {
    const std::uint32_t result = 0xca01f9ddU * x - 0x4973f715U * y;
    return result ^ (result >> 16);
}

// SeedSequence(seed).generate_state(4): four 64-bit words in which every bit depends on the seed.
inline std::array<std::uint64_t, 4> seed_words(std::uint64_t seed) {
    Hash absorb{0x43b0d7e5U, 0x931e8875U};
    std::array<std::uint32_t, 4> pool{};
    for (std::size_t i = 0; i < 4; ++i)
        pool[i] = absorb(i < 2 ? static_cast<std::uint32_t>(seed >> (32 * i)) : 0);
    for (std::size_t source = 0; source < 4; ++source)
        for (std::size_t target = 0; target < 4; ++target)
            if (source != target)
                pool[target] = mix(pool[target], absorb(pool[source]));

    Hash emit{0x8b51f9ddU, 0x58f38dedU};
    std::array<std::uint64_t, 4> words{};
    for (std::size_t i = 0; i < 8; ++i) // pairs of 32-bit words, the low one first
        words[i / 2] |= static_cast<std::uint64_t>(emit(pool[i % 4])) << (32 * (i % 2));
    return words;
}

// The ziggurat: the bell curve f(x) = exp(-x^2 / 2), covered by 256 layers of equal area V. A point
// drawn in layer i lies under the curve at once if it is left of the edge of the layer above.
struct Ziggurat {
    static constexpr double R = 3.6541528853610087963519472518; // where the tail begins
    std::array<double, 256> width{};         // x[i] / 2^52: scales a 52-bit draw to the layer
    std::array<double, 256> height{};        // f(x[i])
    std::array<std::uint64_t, 256> inside{}; // draws below this are accepted without looking

    Ziggurat() {
        const double V = R * std::exp(-R * R / 2) +
            std::sqrt(std::numbers::pi / 2) * std::erfc(R / std::numbers::sqrt2);
        std::array<double, 256> x{};
        x[255] = R;
        for (std::size_t i = 254; i >= 1; --i)
            x[i] = std::sqrt(-2 * std::log(std::exp(-x[i + 1] * x[i + 1] / 2) + V / x[i + 1]));
        x[0] = V / std::exp(-R * R / 2);
        for (std::size_t i = 0; i < 256; ++i) {
            const double inner = i == 0 ? R : i == 1 ? 0.0 : x[i - 1];
            width[i] = x[i] * 0x1p-52;
            height[i] = i == 0 ? 1.0 : std::exp(-x[i] * x[i] / 2);
            inside[i] = static_cast<std::uint64_t>(inner / x[i] * 0x1p52);
        }
    }
};

} // namespace numpy

inline NumpyRandom::NumpyRandom(std::int64_t seed) {
    const std::array<std::uint64_t, 4> words = numpy::seed_words(
        fitting_seed(seed, std::numeric_limits<std::int64_t>::max(), "NumpyRandom"));
    const Uint128 start = (Uint128{words[0]} << 64) | words[1];
    const Uint128 sequence = (Uint128{words[2]} << 64) | words[3];
    increment_ = (sequence << 1) | 1;
    step();
    state_ += start;
    step();
}

// state = state * multiplier + increment, modulo 2^128.
inline void NumpyRandom::step() {
    constexpr Uint128 multiplier =
        (Uint128{2549297995355413924U} << 64) | Uint128{4865540595714422341U};
    state_ = state_ * multiplier + increment_;
}

// PCG's output function XSL-RR: fold the state in two and rotate by its six top bits.
inline std::uint64_t NumpyRandom::draw64() {
    step();
    const auto high = static_cast<std::uint64_t>(state_ >> 64);
    const auto low = static_cast<std::uint64_t>(state_);
    const std::uint64_t folded = high ^ low, turn = high >> 58;
    return (folded >> turn) | (folded << ((64 - turn) % 64));
}

// Beyond R the curve has no layers; Marsaglia's method draws from the exponential there.
inline double NumpyRandom::normal_from_the_tail(bool negative) {
    using numpy::Ziggurat;
    while (true) {
        const double a = -std::log1p(-random()) / Ziggurat::R;
        const double b = -std::log1p(-random());
        if (2 * b > a * a)
            return negative ? -(Ziggurat::R + a) : Ziggurat::R + a;
    }
}

inline double NumpyRandom::standard_normal() {
    static const numpy::Ziggurat ziggurat;
    while (true) {
        const std::uint64_t bits = draw64(); // 8 bits choose the layer, 1 the sign, 52 the point
        const std::size_t layer = bits & 0xff;
        const bool negative = ((bits >> 8) & 1) != 0;
        const std::uint64_t magnitude = (bits >> 9) & ((std::uint64_t{1} << 52) - 1);
        const double distance = static_cast<double>(magnitude) * ziggurat.width[layer];
        const double x = negative ? -distance : distance;
        if (magnitude < ziggurat.inside[layer])
            return x;
        if (layer == 0)
            return normal_from_the_tail(((magnitude >> 8) & 1) != 0);
        const double step_height = ziggurat.height[layer - 1] - ziggurat.height[layer];
        if (step_height * random() + ziggurat.height[layer] < std::exp(-x * x / 2))
            return x;
    }
}

} // namespace glassbox
