// What the unit tests share: reference arrays, comparisons that say where, and error messages.
//
// A test that guards a line listed in tests/edits.txt carries the edit's name as a label:
//     BOOST_AUTO_TEST_CASE(name, *label("mask_removed") * label("scale_left_out"))
#pragma once

#include "numbers/matrix.hpp"
#include "record/npz.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace glassbox {

using boost::unit_test::label;

// Array `name` of tests/golden/<file>.npz, written by PyTorch or NumPy.
inline const Matrix& golden(const std::string& file, const std::string& name) {
    static std::map<std::string, std::map<std::string, Matrix>> files;
    if (!files.contains(file))
        files[file] = read_npz("tests/golden/" + file + ".npz");
    return files[file].at(name);
}

// Every element within the tolerance, absolute or relative. Names the first that is not.
inline void check_close(const Matrix& actual, const Matrix& expected, double tolerance) {
    BOOST_REQUIRE_EQUAL(shape_text(actual), shape_text(expected));
    for (std::size_t r = 0; r < actual.rows; ++r)
        for (std::size_t c = 0; c < actual.cols; ++c) {
            const double a = actual(r, c), e = expected(r, c);
            const bool close = a == e || std::abs(a - e) <= tolerance * std::max(1.0, std::abs(e));
            if (!close) { // a NaN is close to nothing
                BOOST_ERROR("element (" << r << ", " << c << ") is " << a << ", expected " << e
                                        << " within " << tolerance);
                return;
            }
        }
}

// A folder of its own in the system's place for temporary files, removed at the end.
struct TemporaryFolder {
    std::filesystem::path path = std::filesystem::temp_directory_path() /
        ("glassbox_" + std::to_string(std::random_device{}()));
    TemporaryFolder() { std::filesystem::create_directory(path); }
    ~TemporaryFolder() { std::filesystem::remove_all(path); }
};

// The message of the exception that `action` throws.
inline std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "(no exception)";
}

// `action` throws, and its message holds every one of the parts.
inline void check_message(const std::function<void()>& action,
                          const std::vector<std::string>& parts) {
    const std::string message = message_of(action);
    for (const std::string& part : parts)
        BOOST_CHECK_MESSAGE(message.find(part) != std::string::npos,
                            "the message is: " << message << "; missing in it: " << part);
}

} // namespace glassbox
