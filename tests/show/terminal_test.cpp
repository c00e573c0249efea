// What the terminal shows: digits, the ASCII heat map, the exit codes of a lesson.
#include "support.hpp"

#include "show/terminal.hpp"

#include <filesystem>
#include <iomanip>
#include <iostream>
#include <limits>
#include <random>
#include <sstream>
#include <stdexcept>
#include <streambuf>

using namespace glassbox;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// Sends what goes to a stream somewhere else, as long as it lives.
class Redirect {
public:
    Redirect(std::ostream& stream, std::streambuf* target)
        : stream_(stream), before_(stream.rdbuf(target)) {}
    ~Redirect() { stream_.rdbuf(before_); } // also forgets an error

private:
    std::ostream& stream_;
    std::streambuf* before_;
};

std::string printed_by(const std::function<void()>& action) {
    std::ostringstream text;
    const Redirect redirect(std::cout, text.rdbuf());
    action();
    return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

// A lesson's exit code and what it said, when its main gets these arguments.
struct Outcome {
    int code = -1;
    std::string output, errors;
};

Outcome outcome_of(std::vector<std::string> arguments, int (*lesson)(),
                   void (*figures)(const std::filesystem::path&) = nullptr) {
    arguments.insert(arguments.begin(), "build/05_attention");
    std::vector<char*> argv;
    for (std::string& argument : arguments)
        argv.push_back(argument.data());
    argv.push_back(nullptr);

    Outcome outcome;
    std::ostringstream errors;
    const Redirect redirect(std::cerr, errors.rdbuf());
    outcome.output = printed_by([&] {
        outcome.code = run(static_cast<int>(arguments.size()), argv.data(), lesson, figures);
    });
    outcome.errors = errors.str();
    return outcome;
}

int lesson_that_holds() {
    return verdict("ONE IS ONE", true);
}

} // namespace

BOOST_AUTO_TEST_SUITE(terminal)

BOOST_AUTO_TEST_CASE(fixed_prints_four_decimals_unless_asked_otherwise) {
    BOOST_CHECK_EQUAL(fixed(1.0), "1.0000");
    BOOST_CHECK_EQUAL(fixed(-2.0 / 3.0), "-0.6667");
    BOOST_CHECK_EQUAL(fixed(2.0 / 3.0, 1), "0.7");
    BOOST_CHECK_EQUAL(fixed(1234.5, 0), "1234"); // halves go to the even neighbour
    BOOST_CHECK_EQUAL(fixed(0.1, 20), "0.10000000000000000555");
}

BOOST_AUTO_TEST_CASE(what_rounds_to_zero_has_no_sign) {
    BOOST_CHECK_EQUAL(fixed(-0.0), "0.0000");
    BOOST_CHECK_EQUAL(fixed(-0.00004), "0.0000");
    BOOST_CHECK_EQUAL(fixed(-0.4, 0), "0");
    BOOST_CHECK_EQUAL(fixed(-0.00006), "-0.0001");
    BOOST_CHECK_EQUAL(fixed(0.0), "0.0000");
}

BOOST_AUTO_TEST_CASE(what_is_not_finite_or_large_stays_readable) {
    BOOST_CHECK_EQUAL(fixed(not_a_number), "nan");
    BOOST_CHECK_EQUAL(fixed(-not_a_number), "nan");
    BOOST_CHECK_EQUAL(fixed(infinity), "inf");
    BOOST_CHECK_EQUAL(fixed(-infinity), "-inf");
    BOOST_CHECK_EQUAL(fixed(999999.0), "999999.0000");
    BOOST_CHECK_EQUAL(fixed(1e6), "1.0000e+06");
    BOOST_CHECK_EQUAL(fixed(-1e300, 1), "-1.0e+300");
    BOOST_CHECK_EQUAL(fixed(1e300), "1.0000e+300");
}

BOOST_AUTO_TEST_CASE(scientific_tells_zero_from_nearly_zero) {
    BOOST_CHECK_EQUAL(scientific(0.0), "0.000e+00");
    BOOST_CHECK_EQUAL(scientific(1.5838479752), "1.584e+00");
    BOOST_CHECK_EQUAL(scientific(5.6e-16), "5.600e-16");
    BOOST_CHECK_EQUAL(scientific(-12345.0, 1), "-1.2e+04");
    BOOST_CHECK_EQUAL(scientific(not_a_number), "nan");
    BOOST_CHECK_EQUAL(scientific(std::numeric_limits<double>::denorm_min(), 0), "5e-324");
}

BOOST_AUTO_TEST_CASE(steps_are_numbered_and_kept_apart_by_a_blank_line) {
    BOOST_CHECK_EQUAL(printed_by([] { step(1, "shapes"); }), "STEP 1: shapes\n");
    BOOST_CHECK_EQUAL(printed_by([] { step(2, "edit"); }), "\nSTEP 2: edit\n");
}

BOOST_AUTO_TEST_CASE(heat_is_blank_for_exactly_zero_only) {
    BOOST_CHECK_EQUAL(heat(0.0, 1.0), ' ');
    BOOST_CHECK_EQUAL(heat(-0.0, 1.0), ' ');
    BOOST_CHECK_EQUAL(heat(0.0, 0.0), ' ');
    BOOST_CHECK_EQUAL(heat(1e-300, 1.0), '.');
    BOOST_CHECK_EQUAL(heat(-1e-300, 1.0), '.');
    BOOST_CHECK_EQUAL(heat(std::numeric_limits<double>::denorm_min(), 1e308), '.');
}

BOOST_AUTO_TEST_CASE(heat_rises_in_ninths_of_the_largest) {
    std::string ramp;
    for (int ninth = 0; ninth <= 9; ++ninth)
        ramp += heat(ninth / 9.0, 1.0);
    BOOST_CHECK_EQUAL(ramp, " .:-=+*#%@");
    BOOST_CHECK_EQUAL(heat(1.0 / 3.0, 1.0), '-');
    BOOST_CHECK_EQUAL(heat(std::nextafter(1.0 / 3.0, 1.0), 1.0), '-'); // a rounding error
    BOOST_CHECK_EQUAL(heat(1.0 / 3.0 + 1e-6, 1.0), '=');
    BOOST_CHECK_EQUAL(heat(-0.5, 1.0), '+');
    BOOST_CHECK_EQUAL(heat(-40.0, 40.0), '@');
}

BOOST_AUTO_TEST_CASE(heat_marks_what_is_not_finite) {
    BOOST_CHECK_EQUAL(heat(not_a_number, 1.0), '?');
    BOOST_CHECK_EQUAL(heat(infinity, 1.0), '!');
    BOOST_CHECK_EQUAL(heat(-infinity, 0.0), '!');
    BOOST_CHECK_EQUAL(largest_finite_magnitude({{1, -3, infinity, not_a_number}}), 3.0);
    BOOST_CHECK_EQUAL(largest_finite_magnitude({{not_a_number, -infinity}}), 0.0);
}

BOOST_AUTO_TEST_CASE(a_bar_is_blank_for_exactly_zero_only, *label("small_bars_vanish")) {
    BOOST_CHECK_EQUAL(bar(0.0, 1.0, 4), "    ");
    BOOST_CHECK_EQUAL(bar(-0.0, 0.0, 4), "    ");
    BOOST_CHECK_EQUAL(bar(1e-300, 1.0, 4), "#   ");
    BOOST_CHECK_EQUAL(bar(std::numeric_limits<double>::denorm_min(), 1e308, 4), "#   ");
    BOOST_CHECK_EQUAL(bar(0.25, 1.0, 4), "#   ");
    BOOST_CHECK_EQUAL(bar(0.26, 1.0, 4), "##  ");
    BOOST_CHECK_EQUAL(bar(-0.75, 1.0, 4), "### ");
    BOOST_CHECK_EQUAL(bar(1.0, 1.0, 4), "####");
    BOOST_CHECK_EQUAL(bar(2.0, 1.0, 4), "####");
    BOOST_CHECK_EQUAL(bar(not_a_number, 1.0, 4), "?   ");
    BOOST_CHECK_EQUAL(bar(-infinity, 1.0, 4), "!   ");
    BOOST_CHECK_EQUAL(bar(1.0, 1.0).size(), 32U);
}

BOOST_AUTO_TEST_CASE(show_prints_shape_axes_numbers_and_heat) {
    const Matrix m{{1, 0}, {-0.5, 2}, {not_a_number, -infinity}};
    BOOST_CHECK_EQUAL(printed_by([&] { show("x", m); }),
                      "x: 3x2 (t x c), heat by size: blank is 0, @ is 2.0000\n"
                      "            c0       c1\n"
                      "   t0   1.0000   0.0000  |+ |\n"
                      "   t1  -0.5000   2.0000  |-@|\n"
                      "   t2      nan     -inf  |?!|\n");
}

BOOST_AUTO_TEST_CASE(show_says_who_asks_and_who_is_read) {
    BOOST_CHECK_EQUAL(printed_by([] {
                          show("weights", {{1, 0}, {0.5, 0.5}}, "t", "s");
                      }),
                      "weights: 2x2 (t x s), heat by size: blank is 0, @ is 1.0000\n"
                      "row: who asks, column: who is read\n"
                      "            s0       s1\n"
                      "   t0   1.0000   0.0000  |@ |\n"
                      "   t1   0.5000   0.5000  |++|\n");
}

BOOST_AUTO_TEST_CASE(show_needs_nothing_but_the_matrix_when_a_debugger_calls) {
    void (*const called)(const Matrix&) = show;
    BOOST_CHECK_EQUAL(printed_by([&] {
                          called({{1, 0}});
                      }),
                      "matrix: 1x2 (r x c), heat by size: blank is 0, @ is 1.0000\n"
                      "            c0       c1\n"
                      "   r0   1.0000   0.0000  |@ |\n");
}

BOOST_AUTO_TEST_CASE(a_wide_matrix_shows_eight_numbers_and_64_characters_of_heat) {
    const auto shown = [](std::size_t columns) {
        return lines_of(printed_by([&] { show("wide", Matrix(1, columns, 1.0)); }));
    };
    const std::string heads = "            c0       c1       c2       c3       c4       c5       c6"
                              "       c7";
    const std::string ones = "   t0   1.0000   1.0000   1.0000   1.0000   1.0000   1.0000   1.0000"
                             "   1.0000";
    BOOST_REQUIRE_EQUAL(shown(9).size(), 3U);
    BOOST_CHECK_EQUAL(shown(8)[1], heads);
    BOOST_CHECK_EQUAL(shown(9)[1], heads);
    BOOST_CHECK_EQUAL(shown(8)[2], ones + "  |@@@@@@@@|");
    BOOST_CHECK_EQUAL(shown(9)[2], ones + " ...  |@@@@@@@@@|");
    BOOST_CHECK_EQUAL(shown(64)[2], ones + " ...  |" + std::string(64, '@') + "|");
    BOOST_CHECK_EQUAL(shown(65)[2], shown(64)[2]);
}

BOOST_AUTO_TEST_CASE(a_long_matrix_shows_24_rows_and_counts_the_others) {
    const auto shown = [](std::size_t rows) {
        return lines_of(printed_by([&] { show("long", Matrix(rows, 1, 1.0)); }));
    };
    BOOST_REQUIRE_EQUAL(shown(24).size(), 2U + 24U);
    BOOST_CHECK_EQUAL(shown(24).back(), "  t23   1.0000  |@|");
    BOOST_REQUIRE_EQUAL(shown(30).size(), 2U + 24U + 1U);
    BOOST_CHECK_EQUAL(shown(30)[25], shown(24)[25]);
    BOOST_CHECK_EQUAL(shown(30).back(), "      ... 6 more rows");
    BOOST_CHECK_EQUAL(shown(25).back(), "      ... 1 more row");
}

BOOST_AUTO_TEST_CASE(a_long_number_widens_every_column) {
    const auto lines = lines_of(printed_by([] { show("x", {{1, -1e300}, {2, 0.5}}); }));
    BOOST_REQUIRE_EQUAL(lines.size(), 4U);
    BOOST_CHECK_EQUAL(lines[1], "                c0           c1");
    BOOST_CHECK_EQUAL(lines[2], "   t0       1.0000 -1.0000e+300  |.@|");
    BOOST_CHECK_EQUAL(lines[3], "   t1       2.0000       0.5000  |..|");
}

BOOST_AUTO_TEST_CASE(a_verdict_is_a_line_and_an_exit_code) {
    int code = -1;
    BOOST_CHECK_EQUAL(printed_by([&] { code = verdict("IT HOLDS", true); }), "\nIT HOLDS: YES\n");
    BOOST_CHECK_EQUAL(code, 0);
    BOOST_CHECK_EQUAL(printed_by([&] { code = verdict("IT HOLDS", false); }), "\nIT HOLDS: NO\n");
    BOOST_CHECK_EQUAL(code, 1);
}

BOOST_AUTO_TEST_CASE(a_lesson_ends_with_its_verdict) {
    const Outcome yes = outcome_of({}, lesson_that_holds);
    BOOST_CHECK_EQUAL(yes.code, 0);
    BOOST_CHECK_EQUAL(yes.output, "\nONE IS ONE: YES\n");
    BOOST_CHECK_EQUAL(yes.errors, "");
    const Outcome no = outcome_of({}, [] { return verdict("ONE IS TWO", false); });
    BOOST_CHECK_EQUAL(no.code, 1);
    BOOST_CHECK_EQUAL(no.output, "\nONE IS TWO: NO\n");
}

BOOST_AUTO_TEST_CASE(an_exception_is_one_line_and_exit_code_2) {
    const Outcome outcome = outcome_of({}, []() -> int { throw std::runtime_error("no luck"); });
    BOOST_CHECK_EQUAL(outcome.code, 2);
    BOOST_CHECK_EQUAL(outcome.errors, "05_attention: no luck\n");
    BOOST_CHECK_EQUAL(outcome.output, "");
}

BOOST_AUTO_TEST_CASE(an_error_begins_on_a_line_of_its_own) {
    const auto failing_after = [](const auto& print) {
        const Outcome outcome = outcome_of({}, print);
        BOOST_CHECK_EQUAL(outcome.code, 2);
        BOOST_CHECK_EQUAL(outcome.errors, "05_attention: no luck\n");
        return outcome.output;
    };
    BOOST_CHECK_EQUAL(failing_after([]() -> int {
                          std::cout << "row 1 \n row 2: " << std::setw(4) << 7;
                          throw std::runtime_error("no luck");
                      }),
                      "row 1 \n row 2:    7\n");
    BOOST_CHECK_EQUAL(failing_after([]() -> int {
                          std::cout << "half" << std::endl << std::flush << "";
                          throw std::runtime_error("no luck");
                      }),
                      "half\n");
    BOOST_CHECK_EQUAL(failing_after([]() -> int {
                          std::cout << "half\n";
                          std::cout.put('x').put('\n').put('y');
                          throw std::runtime_error("no luck");
                      }),
                      "half\nx\ny\n");
}

BOOST_AUTO_TEST_CASE(an_error_stays_one_line_whatever_a_file_puts_into_it) {
    const Outcome outcome = outcome_of(
        {}, []() -> int { throw std::runtime_error("no \x1b[31m\n\t\x7f array '\xc3\xa4'"); });
    BOOST_CHECK_EQUAL(outcome.errors, "05_attention: no ?[31m??? array '\xc3\xa4'\n");
}

BOOST_AUTO_TEST_CASE(a_name_is_one_line_and_keeps_its_letters) {
    BOOST_CHECK_EQUAL(one_line("x\nTHE RECORD HOLDS: YES\r\x1b[2J"),
                      "x?THE RECORD HOLDS: YES??[2J");
    BOOST_CHECK_EQUAL(one_line("\xc2\x9b[2J \xc2\x80"), "\xc2?[2J \xc2?"); // an escape too
    BOOST_CHECK_EQUAL(one_line("\xc2\xa0 \xc3\x9f \xc5\x9b"), "\xc2\xa0 \xc3\x9f \xc5\x9b");
}

BOOST_AUTO_TEST_CASE(a_lesson_that_takes_arguments_gets_them) {
    char name[] = "build/18_check", first[] = "a b", second[] = "--window";
    char* argv[] = {name, first, second, nullptr};
    std::vector<std::string> got;
    const auto lesson = [&](const std::vector<std::string>& arguments) {
        got = arguments;
        return 7;
    };
    BOOST_CHECK_EQUAL(run(3, argv, lesson), 7);
    BOOST_CHECK(got == (std::vector<std::string>{"a b", "--window"}));
    BOOST_CHECK_EQUAL(run(1, argv, lesson), 7);
    BOOST_CHECK(got.empty());
}

BOOST_AUTO_TEST_CASE(unknown_arguments_are_answered_with_the_usage) {
    const std::vector<std::vector<std::string>> wrong{
        {"--help"}, {"--figures"}, {"--figures", "a", "b"}, {"figures", "a"}, {""}};
    for (const std::vector<std::string>& arguments : wrong) {
        const Outcome outcome = outcome_of(arguments, lesson_that_holds);
        BOOST_CHECK_EQUAL(outcome.code, 2);
        BOOST_CHECK_EQUAL(outcome.errors, "05_attention: usage: no arguments, or --figures DIR\n");
        BOOST_CHECK_EQUAL(outcome.output, "");
    }
}

BOOST_AUTO_TEST_CASE(figures_are_written_to_the_folder_that_is_named) {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() /
        ("glassbox_terminal_" + std::to_string(std::random_device{}()));
    const std::string deep = (folder / "new" / "deep").string();
    static std::filesystem::path drawn_to;
    drawn_to.clear();
    const auto draw = [](const std::filesystem::path& to) { drawn_to = to; };

    const Outcome outcome = outcome_of({"--figures", deep}, lesson_that_holds, draw);
    BOOST_CHECK_EQUAL(outcome.code, 0);
    BOOST_CHECK_EQUAL(outcome.output + outcome.errors, ""); // the lesson itself did not run
    BOOST_CHECK_EQUAL(drawn_to.string(), deep);
    BOOST_CHECK(std::filesystem::is_directory(deep));
    BOOST_CHECK_EQUAL(outcome_of({"--figures", deep}, lesson_that_holds).code, 0); // it has none

    const Outcome failed =
        outcome_of({"--figures", deep}, lesson_that_holds,
                   [](const std::filesystem::path&) { throw std::runtime_error("no ink"); });
    BOOST_CHECK_EQUAL(failed.code, 2);
    BOOST_CHECK_EQUAL(failed.errors, "05_attention: no ink\n");
    std::filesystem::remove_all(folder);
}

BOOST_AUTO_TEST_CASE(an_output_that_nobody_receives_is_an_error) {
    struct Full : std::streambuf {
    } full; // takes no character
    std::ostringstream errors;
    char name[] = "build/05_attention";
    char* argv[] = {name, nullptr};
    int code = -1;
    {
        const Redirect no_output(std::cout, &full), no_errors(std::cerr, errors.rdbuf());
        code = run(1, argv, lesson_that_holds);
    }
    BOOST_CHECK_EQUAL(code, 2);
    BOOST_CHECK_EQUAL(errors.str(), "05_attention: the output could not be written to its end\n");
}

BOOST_AUTO_TEST_SUITE_END()
