// What the checks of the exercises share: expected beside came, position by position, and a guess
// at the mistake. Plain C++, so that an exercise is checked within a second or two.
//
// A check stops at the first thing that is wrong.
#pragma once

#include "numbers/matrix.hpp"
#include "show/terminal.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <fstream>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace glassbox {

// Thrown by a check; the text is what the learner reads.
struct NotSolved {
    std::string text;
};

// What would come from a usual mistake, and the words that name the mistake.
struct Guess {
    Matrix looks_like;
    std::string words;
};

struct Axes {
    std::string row = "t", column = "c";
    std::size_t first_row = 0; // where the rows begin to count
};

// Sums may be added in another order than the library's, so not every bit is asked for. A NaN is
// close to a NaN, so that a guess can hold one.
inline bool close(double came, double wanted, double tolerance = 1e-12) {
    return same_bits(came, wanted) || came == wanted || (std::isnan(came) && std::isnan(wanted)) ||
        std::abs(came - wanted) <= tolerance * std::max(1.0, std::abs(wanted));
}

inline bool close(const Matrix& came, const Matrix& wanted, double tolerance = 1e-12) {
    bool all = came.rows == wanted.rows && came.cols == wanted.cols &&
        came.values.size() == wanted.values.size();
    for (std::size_t i = 0; all && i < came.values.size(); ++i)
        all = close(came.values[i], wanted.values[i], tolerance);
    return all;
}

// One cell: a number, or in the picture of a mask x for 1 and a dot for 0.
inline std::string cell(double value, bool picture) {
    if (!picture)
        return fixed(value);
    return value == 0.0 ? "." : value == 1.0 ? "x" : "?";
}

// A blank more than the longest number, so that none touches its neighbour.
inline std::size_t width_of_cells(const Matrix& came, const Matrix& wanted, bool picture) {
    std::size_t width = picture ? 3 : 9;
    for (const Matrix* m : {&came, &wanted})
        for (const double value : m->values)
            width = std::max(width, cell(value, picture).size() + 1);
    return width;
}

inline std::string side_by_side(const Matrix& came, const Matrix& wanted, const Axes& axes,
                                bool picture) {
    const std::size_t width = width_of_cells(came, wanted, picture);
    const std::size_t half = std::max<std::size_t>(10, width * came.cols);
    const std::size_t label = std::max<std::size_t>(5, axes.row.size() + 3);
    std::string names;
    for (std::size_t c = 0; c < came.cols; ++c)
        names += padded(axes.column + std::to_string(c), width);
    names.resize(half, ' ');
    std::string heading = "  expected";
    heading.resize(half, ' ');
    const std::string corner(label, ' ');
    std::string text = corner + heading + "  |  came\n" + corner + names + "  |" + names;
    for (std::size_t r = 0; r < came.rows; ++r) {
        std::string expected, actual;
        bool same = true;
        for (std::size_t c = 0; c < came.cols; ++c) {
            expected += padded(cell(wanted(r, c), picture), width);
            actual += padded(cell(came(r, c), picture), width);
            same = same && close(came(r, c), wanted(r, c));
        }
        expected.resize(half, ' ');
        text += std::string("\n") + padded(axes.row + std::to_string(axes.first_row + r), label) +
            expected + "  |" + actual + (same ? "" : "   <-- differs");
    }
    return text + "\n";
}

inline std::string first_difference(const Matrix& came, const Matrix& wanted, const Axes& axes) {
    for (std::size_t r = 0; r < came.rows; ++r)
        for (std::size_t c = 0; c < came.cols; ++c)
            if (!close(came(r, c), wanted(r, c)))
                return std::string("  The first difference: ") + axes.row +
                    std::to_string(axes.first_row + r) + ", " + axes.column + std::to_string(c) +
                    ": expected " + printed("%.*g", 12, wanted(r, c)) + ", came " +
                    printed("%.*g", 12, came(r, c)) + ".\n";
    return "";
}

inline std::string list(const std::vector<int>& numbers) {
    std::string text;
    for (const int number : numbers)
        text += std::to_string(number) + " ";
    return text.empty() ? "none" : text;
}

// What a result may say by itself, whatever was asked for; for want of a better guess.
inline std::string look(const Matrix& came, const Matrix& wanted) {
    if (came.values.size() != came.rows * came.cols)
        return "  This is no matrix: is a return missing?\n";
    if (came.values.empty())
        return "  It is empty: was it ever filled, or is a return missing?\n";
    if (std::ranges::all_of(came.values, [](double value) { return value == 0.0; }))
        return "  Nothing but zeros: is the result ever written?\n";
    if (close(came, wanted, 1e-6))
        return "  Nearly, and off by about what a float rounds away: are all your numbers "
               "doubles?\n";
    return "";
}

// Throws NotSolved unless `came` is `wanted`. Names the mistake if `came` looks like a guess.
inline void expect(const std::string& what, const Matrix& came, const Matrix& wanted,
                   const std::vector<Guess>& guesses = {}, const Axes& axes = {},
                   bool picture = false, double tolerance = 1e-12) {
    if (close(came, wanted, tolerance))
        return;
    std::string text = what + ":\n";
    if (came.rows != wanted.rows || came.cols != wanted.cols ||
        came.values.size() != wanted.values.size()) {
        text += std::string("  The shape: expected ") + shape_text(wanted) + " (" + axes.row +
            " x " + axes.column + "), came " + shape_text(came) + ".\n";
    } else {
        if (axes.column == "s")
            text += "  Row: who asks, column: who is read.\n";
        text += side_by_side(came, wanted, axes, picture) +
            (picture ? "" : first_difference(came, wanted, axes));
    }
    for (const Guess& guess : guesses)
        if (close(came, guess.looks_like))
            throw NotSolved{text + "  " + guess.words + "\n"};
    throw NotSolved{text + look(came, wanted)};
}

// What the learner's function returns. If the library refuses what it does, in a message with this
// part, the words say what that may mean.
template <typename Function>
auto unless_refused(const Function& function, const std::string& part, const std::string& words) {
    try {
        return function();
    } catch (const std::logic_error& error) {
        const std::string message = error.what();
        if (message.find(part) == std::string::npos)
            throw;
        throw NotSolved{std::string("Your function ended in an error:\n  ") + message + "\n  " +
                        words + "\n"};
    }
}

// What came of a check, said where the learner's function is not asked: a text, or nothing if it
// is solved. The library's messages say what came and what was wanted, and are shown as they are.
inline std::string outcome(void (*check)()) {
    try {
        check();
        return "";
    } catch (const NotSolved& failure) {
        return failure.text;
    } catch (const std::bad_alloc&) {
        return "Your function has used up the memory. Does a vector grow in a loop that never "
               "ends?\n";
    } catch (const std::exception& error) {
        return std::string("Your function ended in an error:\n  ") + error.what() + "\n";
    } catch (...) {
        return "Your function threw something that is not an std::exception.\n";
    }
}

// The main of a check. What it prints and its exit code could be the learner's doing; the verdict
// counts, in a file whose name is read before the learner's function is called. Nothing is left to
// read for that.
inline int checked(void (*check)()) {
    std::string verdict;
    std::getline(std::cin, verdict);
    const std::string text = outcome(check);
    std::cout << text << std::flush;
    std::ofstream(verdict) << (text.empty() ? "solved" : "not solved") << "\n";
    return text.empty() ? 0 : 1;
}

} // namespace glassbox
