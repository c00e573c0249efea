// How a difference is said: which output, from what to what.
#pragma once

#include "numbers/matrix.hpp"
#include "proof/intervention.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>

namespace glassbox::detection {

// %g, with NaN as "nan" whatever its sign.
inline std::string number_text(double value, int digits = 6) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.*g", digits, value);
    return std::isnan(value) ? "nan" : text.data();
}

inline std::string place(std::size_t t, std::size_t c) {
    return std::string("output at position ") + std::to_string(t) + ", column " + std::to_string(c);
}

// With as many digits as it takes for two numbers that differ to look different, at least 6.
inline std::string from_to(double before, double after) {
    int digits = 6;
    while (digits < 17 && number_text(before, digits) == number_text(after, digits))
        ++digits;
    return std::string(" moved from ") + number_text(before, digits) + " to " +
        number_text(after, digits);
}

// The first number in which two matrices differ, in words; nothing if they agree.
inline std::optional<std::string> difference(const Matrix& wanted, const Matrix& got,
                                             std::size_t first_row, double tolerance) {
    require_shape(got, wanted.rows, wanted.cols, "examine: the model's output");
    for (std::size_t t = 0; t < wanted.rows; ++t)
        for (std::size_t c = 0; c < wanted.cols; ++c)
            if (moved(wanted(t, c), got(t, c), tolerance))
                return place(first_row + t, c) + from_to(wanted(t, c), got(t, c));
    return std::nullopt;
}

} // namespace glassbox::detection
