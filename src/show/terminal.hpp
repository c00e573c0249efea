// What the lessons print: steps, matrices with a heat map beside the numbers, and a verdict.
//
// Plain ASCII and fixed digits, so that an output can be compared with the one in the text. Lines
// that start with "measured:" differ from machine to machine and are left out of comparisons.
#pragma once

#include "numbers/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <vector>

namespace glassbox {

inline std::string printed(const char* format, int digits, double value) {
    if (std::isnan(value))
        return "nan"; // a C library may print the sign of a NaN; it says nothing here
    char text[400];   // long enough for the largest double in %f, 309 digits and what follows
    std::snprintf(text, sizeof text, format, digits, value);
    return text;
}

// 4 decimals unless asked otherwise; what rounds to -0.0000 is printed as 0.0000. Numbers of a
// million and more are printed as 1.0000e+06.
inline std::string fixed(double value, int digits = 4) {
    if (std::abs(value) >= 1e6 && std::isfinite(value))
        return printed("%.*e", digits, value);
    const std::string text = printed("%.*f", digits, value);
    const bool rounds_to_zero = text.find_first_not_of("-0.") == std::string::npos;
    return rounds_to_zero && text.front() == '-' ? text.substr(1) : text;
}

// 1.584e+00: for changes, where 0.000e+00 is exactly zero.
inline std::string scientific(double value, int digits = 3) {
    return printed("%.*e", digits, value);
}

// Blanks in front, so that numbers stand in columns.
inline std::string padded(const std::string& text, std::size_t width) {
    return std::string(text.size() < width ? width - text.size() : 0, ' ') + text;
}

inline const char* yes_or_no(bool answer) {
    return answer ? "yes" : "no";
}

// "STEP 3: ..." The debugger stops here (make debug-NN).
inline void step(int number, const std::string& text) {
    std::cout << (number > 1 ? "\n" : "") << "STEP " << number << ": " << text << std::endl;
}

// One character for a magnitude: blank is exactly 0, '.' is small, '@' the largest; '?' is a NaN.
inline char heat(double value, double largest) {
    constexpr const char* ramp = " .:-=+*#%@";
    if (std::isnan(value))
        return '?';
    if (value == 0.0)
        return ramp[0];
    if (std::isinf(value) || std::isnan(largest))
        return '!';
    // Just below a boundary and just on it look the same: thirds and halves are common here.
    const double level = std::ceil(std::abs(value) / largest * 9.0 - 1e-9);
    return ramp[static_cast<std::size_t>(std::clamp(level, 1.0, 9.0))];
}

// A magnitude as a bar of up to `width` characters, on a scale that ends at the largest: blank is
// exactly 0, anything else has one # at least; a NaN and an infinity are a single ? and !.
inline std::string bar(double value, double largest, std::size_t width = 32) {
    std::string text;
    if (!std::isfinite(value)) {
        text = std::isnan(value) ? "?" : "!";
    } else if (value != 0.0) {
        const double most = static_cast<double>(width);
        const double length = std::ceil(std::abs(value) / largest * most - 1e-9);
        text.assign(static_cast<std::size_t>(std::clamp(length, 1.0, most)), '#');
    }
    text.resize(width, ' ');
    return text;
}

inline double largest_finite_magnitude(const Matrix& m) {
    double largest = 0.0;
    for (const double value : m.values)
        if (std::isfinite(value))
            largest = std::max(largest, std::abs(value));
    return largest;
}

// Prints shape, axes, numbers and an ASCII heat map. The axes are named by letters: t a position
// that asks, s a position that is read, c a channel. Wide and long matrices are abbreviated in
// their numbers; the heat map shows up to 64 columns.
inline void show(const std::string& name, const Matrix& m, const std::string& row_axis = "t",
                 const std::string& column_axis = "c") {
    const std::size_t columns = std::min<std::size_t>(m.cols, 8);
    const std::size_t heat_columns = std::min<std::size_t>(m.cols, 64);
    const std::size_t rows = std::min<std::size_t>(m.rows, 24);
    const double largest = largest_finite_magnitude(m);
    std::size_t width = 8;
    for (const double value : m.values)
        width = std::max(width, fixed(value).size());
    std::cout << name << ": " << shape_text(m) << " (" << row_axis << " x " << column_axis
              << "), heat by size: blank is 0, @ is " << fixed(largest) << "\n";
    if (column_axis == "s")
        std::cout << "row: who asks, column: who is read\n";
    std::cout << "     ";
    for (std::size_t c = 0; c < columns; ++c)
        std::cout << " " << padded(column_axis + std::to_string(c), width);
    std::cout << "\n";
    for (std::size_t r = 0; r < rows; ++r) {
        std::cout << padded(row_axis + std::to_string(r), 5);
        for (std::size_t c = 0; c < columns; ++c)
            std::cout << " " << padded(fixed(m(r, c)), width);
        std::cout << (columns < m.cols ? " ...  |" : "  |");
        for (std::size_t c = 0; c < heat_columns; ++c)
            std::cout << heat(m(r, c), largest);
        std::cout << "|\n";
    }
    if (rows < m.rows)
        std::cout << "      ... " << m.rows - rows
                  << (m.rows - rows == 1 ? " more row\n" : " more rows\n");
}

// For any debugger, which cannot fill in defaults: call show(v) in gdb, expr show(v) in lldb.
inline void show(const Matrix& m) {
    show("matrix", m, "r", "c");
    std::cout.flush();
}

// The line that a lesson ends in, and its exit code: 0 for YES, 1 for NO.
inline int verdict(const std::string& claim, bool holds) {
    std::cout << "\n" << claim << ": " << (holds ? "YES" : "NO") << "\n";
    return holds ? 0 : 1;
}

// A text with names of files in it as one line without a terminal's commands, whatever somebody has
// called these files. Letters of any language stay. (UTF-8 has 32 commands more: c2 80 to c2 9f.)
inline std::string one_line(std::string text) {
    bool after_c2 = false;
    for (char& c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < ' ' || byte == 127 || (after_c2 && byte < 0xa0))
            c = '?';
        after_c2 = byte == 0xc2;
    }
    return text;
}

// Passes on what a stream prints, and knows whether the line that was begun is at its end: an error
// begins on a line of its own.
class LineWatch : public std::streambuf {
public:
    explicit LineWatch(std::ostream& watched) : stream(watched), receiver(watched.rdbuf(this)) {}
    ~LineWatch() override { stream.rdbuf(receiver); }
    LineWatch(const LineWatch&) = delete;
    LineWatch& operator=(const LineWatch&) = delete;

    void end() {
        if (last != '\n')
            stream << '\n';
        stream.flush();
    }

protected:
    int overflow(int c) override {
        if (c == traits_type::eof())
            return traits_type::not_eof(c);
        last = traits_type::to_char_type(c);
        return receiver->sputc(last);
    }
    std::streamsize xsputn(const char* text, std::streamsize count) override {
        if (count > 0)
            last = text[count - 1];
        return receiver->sputn(text, count);
    }
    int sync() override { return receiver->pubsync(); }

private:
    std::ostream& stream;
    std::streambuf* receiver;
    char last = '\n';
};

// What the main of a lesson with arguments does: run it, or with "--figures DIR" write its figures
// there. An error is one line on stderr and exit code 2.
inline int run(int argc, char** argv,
               const std::function<int(const std::vector<std::string>& arguments)>& lesson,
               const std::function<void(const std::filesystem::path& folder)>& figures = nullptr) {
    [[maybe_unused]] void (*const for_the_debugger)(const Matrix&) = show; // so that it is compiled
#ifdef SIGPIPE // `| head -1` becomes an error below, where it would leave temporary files behind
    std::signal(SIGPIPE, SIG_IGN);
#endif
    LineWatch line(std::cout);
    try {
        const std::vector<std::string> arguments(argv + 1, argv + argc);
        if (arguments.size() == 2 && arguments[0] == "--figures") {
            std::filesystem::create_directories(arguments[1]);
            if (figures != nullptr)
                figures(arguments[1]);
            return 0;
        }
        const int exit_code = lesson(arguments);
        if (!std::cout.flush())
            throw std::runtime_error("the output could not be written to its end");
        return exit_code;
    } catch (const std::exception& error) {
        line.end();
        std::cerr << std::filesystem::path(argv[0]).filename().string() << ": "
                  << one_line(error.what()) << "\n";
        return 2;
    }
}

// The same for a lesson that takes none.
inline int run(int argc, char** argv, int (*lesson)(),
               void (*figures)(const std::filesystem::path& folder) = nullptr) {
    const auto without_arguments = [lesson](const std::vector<std::string>& arguments) {
        if (!arguments.empty())
            throw std::invalid_argument("usage: no arguments, or --figures DIR");
        return lesson();
    };
    return run(argc, argv, without_arguments, figures);
}

} // namespace glassbox
