// Figures: well-formed SVG, colours that keep their meaning, and data that cannot be drawn.
#include "support.hpp"

#include "show/figure.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <tuple>

using namespace glassbox;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

const Caption caption{"Title", "What is to be seen", "rows", "columns"};

std::string text_of(const Svg& svg) {
    const TemporaryFolder folder;
    svg.write(folder.path / "figure.svg");
    std::ifstream stream(folder.path / "figure.svg", std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// How often `part` occurs in `text`.
std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

void check_contains(const std::string& text, const std::string& part) {
    BOOST_CHECK_MESSAGE(text.find(part) != std::string::npos, "missing: " << part);
}

// Every tag is closed by its own name, in order, and & only begins one of the three entities.
bool well_formed(const std::string& text) {
    std::vector<std::string> open;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const std::size_t end = std::min(text.find('>', at), text.size());
        const std::string tag = text.substr(at + 1, end - at - 1); // if it is one
        if (text[at] == '>' ||
            (text[at] == '&' && !tag.starts_with("amp;") && !tag.starts_with("lt;") &&
             !tag.starts_with("gt;")))
            return false;
        if (text[at] != '<')
            continue;
        if (end == text.size() || tag.find_first_of("<&") != std::string::npos)
            return false;
        if (tag.starts_with("/") && (open.empty() || "/" + open.back() != tag))
            return false;
        if (tag.starts_with("/"))
            open.pop_back();
        else if (!tag.ends_with("/"))
            open.push_back(tag.substr(0, tag.find(' ')));
        at = end;
    }
    return open.empty();
}

// The numbers in every attribute of this name.
std::vector<std::string> numbers_in(const std::string& text, const std::string& attribute) {
    const std::string start = " " + attribute + "=\"";
    std::vector<std::string> numbers;
    for (std::size_t at = text.find(start); at != std::string::npos;
         at = text.find(start, at + 1)) {
        const std::size_t first = at + start.size();
        std::string value = text.substr(first, text.find('"', first) - first);
        std::ranges::replace(value, ',', ' ');
        std::istringstream stream(value);
        for (std::string number; stream >> number;)
            numbers.push_back(number);
    }
    return numbers;
}

const std::vector<Line> three_lines{
    {"one", {0, 5, 10}, {0, 1, 5}}, {"two", {0, 10}, {5, 1e-3}}, {"three", {2, 3}, {4, 4}}};

// One figure of each kind, with a name that XML would take for markup.
std::vector<std::string> one_of_each(const std::string& name) {
    const Caption named{name, name, name, name};
    return {text_of(heat_map(named, {{1, -2}, {0, not_a_number}}, name, "s")),
            text_of(heat_map(named, Matrix(3, 20, 0.1), "t", name)),
            text_of(heat_maps(named, {{name, Matrix(2, 2, 1)}, {name, {{3}, {4}}}}, name, "s")),
            text_of(line_chart(named, {{name, {0, 1}, {-3, 1.0 / 3}}})),
            text_of(line_chart(named, three_lines)),
            text_of(line_chart(named, {{name, {1, 2, 3}, {1e-12, 1, 50}}}, true)),
            text_of(bar_chart(named, {{0, 1.0 / 3, 2e9}}, name))};
}

} // namespace

BOOST_AUTO_TEST_SUITE(figure)

BOOST_AUTO_TEST_CASE(every_figure_is_well_formed_and_says_what_it_is) {
    for (const std::string& text : one_of_each("if a < b & c > d")) {
        BOOST_CHECK(text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "));
        BOOST_CHECK(text.ends_with("</svg>\n"));
        BOOST_CHECK(well_formed(text));
        check_contains(text, "<title>if a &lt; b &amp; c &gt; d</title>\n");
        check_contains(text, "<desc>if a &lt; b &amp; c &gt; d</desc>\n");
        BOOST_CHECK_EQUAL(count(text, "<title>") + count(text, "<desc>"), 2U);
        BOOST_CHECK_EQUAL(count(text, "if a < b"), 0U);
    }
}

BOOST_AUTO_TEST_CASE(the_check_of_the_form_can_fail) {
    BOOST_CHECK(well_formed("<svg a=\"1\"><text >x &amp; y</text>\n<rect/></svg>\n"));
    for (const std::string broken :
         {"<svg>", "<svg><text></svg></text>", "<svg>a & b</svg>", "<svg>a < b</svg>",
          "<svg>a > b</svg>", "<svg a=\"<\"/>", "</svg>", "<svg", "<a></a "})
        BOOST_CHECK_MESSAGE(!well_formed(broken), broken);
}

BOOST_AUTO_TEST_CASE(coordinates_have_one_decimal) {
    for (const std::string& text : one_of_each("name")) {
        std::size_t seen = 0;
        for (const std::string attribute : {"x", "y", "width", "height", "points"})
            for (const std::string& number : numbers_in(text, attribute)) {
                const bool decimal = number.find_first_not_of("0123456789.") == std::string::npos;
                BOOST_CHECK_MESSAGE(decimal && number.find('.') == number.size() - 2,
                                    attribute << " is " << number);
                ++seen;
            }
        BOOST_CHECK_GT(seen, 50U);
    }
}

BOOST_AUTO_TEST_CASE(the_same_data_give_the_same_text) {
    BOOST_CHECK(one_of_each("name") == one_of_each("name"));
    BOOST_CHECK(one_of_each("name") != one_of_each("other"));
}

BOOST_AUTO_TEST_CASE(heat_colours_run_from_blue_over_white_to_vermillion) {
    BOOST_CHECK_EQUAL(heat_colour(0.0, 2.0), "#ffffff");
    BOOST_CHECK_EQUAL(heat_colour(-0.0, 2.0), "#ffffff");
    BOOST_CHECK_EQUAL(heat_colour(0.0, 0.0), "#ffffff");
    BOOST_CHECK_EQUAL(heat_colour(2.0, 2.0), "#d55e00");
    BOOST_CHECK_EQUAL(heat_colour(-2.0, 2.0), "#0072b2");
    BOOST_CHECK_EQUAL(heat_colour(1.0, 2.0), "#e7a570");
    BOOST_CHECK_EQUAL(heat_colour(1e-30, 2.0), "#faece0"); // pale, and not white
    BOOST_CHECK_EQUAL(heat_colour(-1e-30, 2.0), "#e0eef6");
    BOOST_CHECK_EQUAL(heat_colour(infinity, 0.0), "#d55e00");
    BOOST_CHECK_EQUAL(heat_colour(infinity, 2.0), "#d55e00");
    BOOST_CHECK_EQUAL(heat_colour(-infinity, 2.0), "#0072b2");
    BOOST_CHECK_EQUAL(heat_colour(not_a_number, 2.0), "#999999");
}

// Paper, one rectangle for each element, and the 20 of the colour scale.
BOOST_AUTO_TEST_CASE(a_heat_map_has_a_cell_for_every_element) {
    const Matrix m{{1, -2, 0}, {0.0001, not_a_number, 2}};
    const std::string text = text_of(heat_map(caption, m, "t", "s"));
    BOOST_CHECK_EQUAL(count(text, "<rect "), 1U + 6U + 20U);
    for (const std::string label : {"t0", "t1", "s0", "s1", "s2", "rows", "columns"})
        BOOST_CHECK_EQUAL(count(text, ">" + label + "<"), 1U);
    for (const std::string label : {"t2", "s3"})
        BOOST_CHECK_EQUAL(count(text, ">" + label + "<"), 0U);
    check_contains(text,
                   "<rect x=\"80.0\" y=\"70.0\" width=\"57.0\" height=\"33.0\" "
                   "fill=\"#e7a570\"/>"); // element (0, 0)
    check_contains(text,
                   "<rect x=\"196.0\" y=\"104.0\" width=\"57.0\" height=\"33.0\" "
                   "fill=\"#d55e00\"/>"); // element (1, 2)
}

BOOST_AUTO_TEST_CASE(a_heat_map_writes_exact_zeros_apart_from_small_numbers) {
    const std::string text =
        text_of(heat_map(caption, {{0, 0.0001, -1.5, not_a_number}}, "t", "s"));
    for (const std::string number : {"0", "0.000", "-1.500", "nan"})
        BOOST_CHECK_EQUAL(count(text, ">" + number + "<"), 1U);
    BOOST_CHECK_EQUAL(count(text_of(heat_map(caption, Matrix(1, 8, 0.25), "t", "s")), ">0.250<"),
                      8U);
    BOOST_CHECK_EQUAL(count(text_of(heat_map(caption, Matrix(1, 9, 0.25), "t", "s")), ">0.250<"),
                      0U);
}

BOOST_AUTO_TEST_CASE(the_colour_scale_begins_below_zero_only_for_negative_numbers) {
    const std::string both = text_of(heat_map(caption, {{1, -2}}, "t", "s"));
    BOOST_CHECK_EQUAL(count(both, ">-2.00<") + count(both, ">2.00<"), 2U);
    const std::string positive = text_of(heat_map(caption, {{1, 2}}, "t", "s"));
    BOOST_CHECK_EQUAL(count(positive, ">0.00<") + count(positive, ">2.00<"), 2U);
}

// The cell 1 of the second panel is as dark as the cell 1 of the first, whose largest is 2.
BOOST_AUTO_TEST_CASE(panels_stand_side_by_side_in_the_same_colours,
                     *label("panels_in_colours_of_their_own") * label("panels_over_each_other")) {
    const std::string text =
        text_of(heat_maps(caption, {{"left", {{1, 0}, {0, 2}}}, {"right", {{1}, {0}}}}, "t", "s"));
    BOOST_CHECK_EQUAL(count(text, "<rect "), 1U + 4U + 2U + 20U);
    for (const std::string label : {"left", "right", "rows", "columns", "Title"})
        BOOST_CHECK_GE(count(text, ">" + label + "<"), 1U);
    BOOST_CHECK_EQUAL(count(text, ">s0<"), 2U);
    BOOST_CHECK_EQUAL(count(text, ">t1<"), 2U);
    for (const std::string x : {"80.0", "196.0"}) // the second begins 2 cells of 38 and 40 later
        check_contains(text,
                       "<rect x=\"" + x +
                           "\" y=\"90.0\" width=\"37.0\" height=\"33.0\" fill=\"#e7a570\"/>");
    BOOST_CHECK_EQUAL(count(text, ">0.00<"), 1U);
    BOOST_CHECK_EQUAL(count(text, ">2.00<"), 2U); // the cell and the end of the scale
}

// One panel with many columns takes the numbers from all; one negative number gives all a scale
// that begins below zero.
BOOST_AUTO_TEST_CASE(panels_agree_on_numbers_and_on_the_scale) {
    const std::string wide =
        text_of(heat_maps(caption, {{"a", {{0.25}}}, {"b", Matrix(1, 9, -0.5)}}, "t", "s"));
    BOOST_CHECK_EQUAL(count(wide, ">0.25<") + count(wide, ">-0.500<"), 0U);
    BOOST_CHECK_EQUAL(count(wide, ">-0.50<") + count(wide, ">0.50<"), 2U);
    check_contains(wide, "width=\"25.0\" height=\"13.0\"");
}

// Without numbers, a dot says it: one for each 0, and the legend that says so.
BOOST_AUTO_TEST_CASE(cells_without_numbers_mark_what_is_exactly_0,
                     *label("dots_for_small_numbers")) {
    Matrix m(2, 9, 1e-9);
    m(0, 1) = 0.0;
    m(1, 8) = -0.0;
    m(1, 0) = not_a_number;
    const std::string dot = "\" width=\"2.0\" height=\"2.0\" fill=\"#999999\"/>";
    const std::string text = text_of(heat_map(caption, m, "t", "s"));
    BOOST_CHECK_EQUAL(count(text, dot), 2U);
    check_contains(text, "<rect x=\"117.5\" y=\"75.5" + dot); // the middle of (0, 1)
    BOOST_CHECK_EQUAL(count(text, ">a dot: exactly 0<"), 1U);
    const std::string numbered = text_of(heat_map(caption, {{0, 1}}, "t", "s"));
    BOOST_CHECK_EQUAL(count(numbered, dot) + count(numbered, "dot"), 0U);
}

// 99.99 needs more room than 9.99, and so does a minus sign.
BOOST_AUTO_TEST_CASE(numbers_in_panels_have_two_decimals_and_room) {
    const auto panels = [](double value) {
        return text_of(heat_maps(caption, {{"a", {{1}}}, {"b", {{value}}}}, "t", "s"));
    };
    for (const auto& [value, number, width] : {std::tuple{9.876, ">9.88<", "37.0"},
                                               {19.996, ">20.00<", "43.0"},
                                               {-9.876, ">-9.88<", "43.0"}}) {
        check_contains(panels(value), number);
        BOOST_CHECK_EQUAL(
            count(panels(value), std::string("width=\"") + width + "\" height=\"33.0\""), 2U);
    }
}

BOOST_AUTO_TEST_CASE(lines_run_from_corner_to_corner_and_differ_in_dashes) {
    const std::string one = text_of(line_chart(caption, {{"up", {0, 10}, {0, 5}}}));
    check_contains(one, "stroke=\"#d55e00\" stroke-width=\"2\"  points=\"80.0,300.0 560.0,40.0\"");
    BOOST_CHECK_EQUAL(count(one, ">up<"), 1U);
    const std::string three = text_of(line_chart(caption, three_lines));
    for (const std::string part : {"stroke=\"#d55e00\" stroke-width", "stroke=\"#0072b2\"",
                                   "stroke=\"#222222\" stroke-width", "\"8 4\"", "\"2 3\""})
        BOOST_CHECK_EQUAL(count(three, part), 2U); // the line, and the sample beside its name
}

BOOST_AUTO_TEST_CASE(six_lines_differ_in_colour_and_in_dashes) {
    const std::string text = text_of(line_chart(caption, std::vector<Line>(6, three_lines[0])));
    for (const std::string colour :
         {"#d55e00", "#0072b2", "#222222", "#009e73", "#cc79a7", "#e69f00"})
        BOOST_CHECK_EQUAL(count(text, "stroke=\"" + colour + "\" stroke-width=\"2\""), 2U);
    for (const std::string dashes : {"8 4", "2 3", "12 3 2 3", "4 2", "16 4"})
        BOOST_CHECK_EQUAL(count(text, "stroke-dasharray=\"" + dashes + "\""), 2U);
}

BOOST_AUTO_TEST_CASE(a_logarithmic_axis_counts_powers_of_ten) {
    const std::string text = text_of(line_chart(caption, {{"a", {0, 1, 2}, {0.01, 1, 100}}}, true));
    check_contains(text, "points=\"80.0,300.0 320.0,170.0 560.0,40.0\"");
    for (const std::string tick : {"1e-2", "1e-1", "1e0", "1e1", "1e2"})
        BOOST_CHECK_EQUAL(count(text, ">" + tick + "<"), 1U);
}

BOOST_AUTO_TEST_CASE(a_level_line_can_be_drawn) {
    const std::string text = text_of(line_chart(caption, {{"a", {0, 1}, {3, 3}}}));
    check_contains(text, "points=\"80.0,300.0 560.0,300.0\"");
    BOOST_CHECK_EQUAL(count(text, "nan"), 0U);
}

// Spans below the rounding of their numbers: the axis must end, and nothing may be NaN.
BOOST_AUTO_TEST_CASE(lines_that_are_nearly_level_can_be_drawn) {
    for (const std::vector<double>& y : {std::vector<double>{1, std::nextafter(1.0, 2.0)},
                                         {1e16, 1e16 + 2},
                                         {1e300, 1e300},
                                         {-1e-300, 1e-300}}) {
        const std::string text = text_of(line_chart(caption, {{"a", {0, 1}, y}}));
        BOOST_CHECK_EQUAL(count(text, "nan"), 0U);
        BOOST_CHECK_LT(count(text, "<text"), 40U);
    }
}

BOOST_AUTO_TEST_CASE(names_of_lines_that_end_together_stand_apart) {
    const std::string text = text_of(line_chart(
        caption, {{"a", {0, 1}, {0, 10}}, {"b", {0, 1}, {0, 0}}, {"c", {0, 1}, {0, 10}}}));
    for (const std::string name : {"y=\"44.0\" text-anchor=\"start\" fill=\"#222222\" >a<",
                                   "y=\"60.0\" text-anchor=\"start\" fill=\"#222222\" >c<",
                                   "y=\"304.0\" text-anchor=\"start\" fill=\"#222222\" >b<"})
        check_contains(text, "<text x=\"598.0\" " + name);
}

// Wherever the lines end, the names stand in the margin, each beside a sample of its line: the
// higher end has the higher name, and the axis is not overprinted.
BOOST_AUTO_TEST_CASE(names_of_lines_stand_in_the_margin_in_the_order_of_their_ends) {
    const std::string text = text_of(line_chart(
        caption,
        {{"low", {0, 10}, {0, 0}}, {"short", {0, 5}, {0, 0}}, {"high", {0, 10}, {0, 50}}}));
    check_contains(text, "points=\"568.0,284.0 592.0,284.0\"");
    check_contains(text,
                   "<text x=\"598.0\" y=\"288.0\" text-anchor=\"start\" fill=\"#222222\" >low<");
    check_contains(text,
                   "<text x=\"598.0\" y=\"304.0\" text-anchor=\"start\" fill=\"#222222\" >short<");
    check_contains(text,
                   "<text x=\"598.0\" y=\"44.0\" text-anchor=\"start\" fill=\"#222222\" >high<");
}

// 1 of 50 is next to 0, 10 of 50 is not; nor is anything below 0, or on a logarithmic axis.
BOOST_AUTO_TEST_CASE(an_axis_begins_at_0_when_0_is_near) {
    const auto points = [](double low, bool log_y) {
        return text_of(line_chart(caption, {{"a", {0, 1}, {low, 50}}}, log_y));
    };
    check_contains(points(1, false), "points=\"80.0,294.8 560.0,40.0\"");
    check_contains(points(10, false), "points=\"80.0,300.0 560.0,40.0\"");
    check_contains(points(-1, false), "points=\"80.0,300.0 560.0,40.0\"");
    check_contains(points(1, true), "points=\"80.0,300.0 560.0,79.1\"");
}

BOOST_AUTO_TEST_CASE(bars_are_as_tall_as_their_values) {
    const std::string text = text_of(bar_chart(caption, {{0, 1, 2}}, "t"));
    for (const std::string height : {"0.0", "118.2", "236.4"}) // of 260 for 1.1 times the largest
        BOOST_CHECK_EQUAL(count(text, "height=\"" + height + "\" fill=\"#0072b2\""), 1U);
    for (const std::string label : {"t0", "t1", "t2", "0", "1.000", "2.000"})
        BOOST_CHECK_EQUAL(count(text, "\"#222222\" >" + label + "<"), 1U);
    const std::string flat = text_of(bar_chart(caption, {{0, 0}}, "t"));
    BOOST_CHECK_EQUAL(count(flat, "height=\"0.0\" fill=\"#0072b2\""), 2U);
}

// Two colours, their names below, no number above; and only every second of 24 labels.
BOOST_AUTO_TEST_CASE(bars_of_two_colours_stand_side_by_side) {
    const std::string two =
        text_of(grouped_bars(caption, {{"masked", {{0, 1}}}, {"open", {{2, 1e-9}}}}, "t"));
    for (const std::string bar :
         {"<rect x=\"104.0\" y=\"300.0\" width=\"96.0\" height=\"0.0\" fill=\"#0072b2\"/>",
          "<rect x=\"200.0\" y=\"63.6\" width=\"96.0\" height=\"236.4\" fill=\"#d55e00\"/>",
          "<rect x=\"344.0\" y=\"181.8\" width=\"96.0\" height=\"118.2\" fill=\"#0072b2\"/>",
          "<rect x=\"440.0\" y=\"299.0\" width=\"96.0\" height=\"1.0\" fill=\"#d55e00\"/>"})
        check_contains(two, bar);
    for (const std::string label : {"masked", "open", "t0", "t1"})
        BOOST_CHECK_EQUAL(count(two, ">" + label + "<"), 1U);
    BOOST_CHECK_EQUAL(count(two, ">1.000<") + count(two, ">0<"), 0U);
    const std::string many = text_of(bar_chart(caption, Matrix(1, 24, 3.0), "t"));
    BOOST_CHECK_EQUAL(count(many, ">t22<"), 1U);
    BOOST_CHECK_EQUAL(count(many, ">t23<") + count(many, ">3.000<"), 0U);
}

BOOST_AUTO_TEST_CASE(lines_that_cannot_be_drawn_are_refused) {
    struct Case {
        std::vector<Line> lines;
        bool log_y;
        std::string reason;
    };
    const Line good{"good", {0, 1}, {1, 2}};
    const std::vector<Case> cases{
        {{good, {"bad", {0, 1}, {not_a_number, 1}}}, false, "'bad' has a point (0.0000, nan)"},
        {{good, {"bad", {0, 1}, {1, infinity}}}, false, "'bad' has a point (1.0000, inf)"},
        {{{"bad", {0, infinity}, {1, 2}}}, false, "'bad' has a point (inf, 2.0000)"},
        {{{"bad", {not_a_number, 1}, {1, 2}}}, false, "'bad' has a point (nan, 1.0000)"},
        {{{"bad", {0, 1}, {1, 0}}}, true, "(1.0000, 0.0000) that cannot be drawn"},
        {{{"bad", {0, 1}, {1, -2}}}, true, "(1.0000, -2.0000) that cannot be drawn"},
        {{{"bad", {0, 1, 2}, {1, 2}}}, false, "'bad' has 3 x and 2 y; wanted equally many"},
        {{{"bad", {0}, {1}}}, false, "'bad' has 1 x and 1 y; wanted equally many, at least two"},
        {{{"bad", {1, 1}, {1, 2}}}, false, "from 1.0000 to 1.0000 in x"},
        {{{"bad", {0, 1}, {-1e308, 1e308}}}, false, "wanted two different x and finite spans"},
        {{}, false, "0 lines; wanted 1 to 6"},
        {std::vector<Line>(7, good), false, "7 lines; wanted 1 to 6"}};
    for (const Case& wrong : cases) {
        BOOST_CHECK_THROW(line_chart(caption, wrong.lines, wrong.log_y), std::invalid_argument);
        check_message([&] { line_chart(caption, wrong.lines, wrong.log_y); },
                      {"line_chart: ", wrong.reason});
    }
}

BOOST_AUTO_TEST_CASE(heat_maps_and_bars_that_cannot_be_drawn_are_refused) {
    struct Case {
        Matrix heights;
        std::string reason;
    };
    const std::vector<Case> cases{{{{1, -0.5}}, "a bar of height -0.5000; wanted finite heights"},
                                  {{{1, not_a_number}}, "a bar of height nan"},
                                  {{{infinity, 1}}, "a bar of height inf"},
                                  {{{1, 2}, {3, 4}}, "heights is 2x2, wanted 1x2"},
                                  {Matrix(), "heights is 0x0, an empty matrix"}};
    for (const Case& wrong : cases) {
        BOOST_CHECK_THROW(bar_chart(caption, wrong.heights, "t"), std::invalid_argument);
        check_message([&] { bar_chart(caption, wrong.heights, "t"); },
                      {"bar_chart: ", wrong.reason});
    }
    check_message([] { grouped_bars(caption, {}, "t"); },
                  {"bar_chart: 0 rows of bars; wanted 1 to 3"});
    check_message(
        [] {
            grouped_bars(caption, std::vector<Bars>(4, {"a", {{1}}}), "t");
        },
        {"bar_chart: 4 rows of bars; wanted 1 to 3"});
    check_message(
        [] {
            grouped_bars(caption, {{"a", {{1, 2}}}, {"b", {{1}}}}, "t");
        },
        {"heights is 1x1, wanted 1x2"});
    BOOST_CHECK_THROW(heat_map(caption, Matrix(0, 3), "t", "s"), std::invalid_argument);
    check_message([] { heat_map(caption, Matrix(0, 3), "t", "s"); }, {"heat_map: m is 0x3"});
    check_message([] { heat_maps(caption, {}, "t", "s"); }, {"heat_maps: no panels"});
    check_message(
        [] {
            heat_maps(caption, {{"a", {{1}}}, {"b", {{1}, {2}}}}, "t", "s");
        },
        {"heat_maps: b is 2x1, wanted 1x1"});
    check_message(
        [] {
            heat_maps(caption, {{"a", Matrix(0, 3)}}, "t", "s");
        },
        {"heat_maps: a is 0x3, an empty matrix"});
}

BOOST_AUTO_TEST_CASE(a_figure_that_cannot_be_written_is_an_error) {
    const TemporaryFolder folder;
    const std::filesystem::path nowhere = folder.path / "missing" / "figure.svg";
    const Svg svg = bar_chart(caption, {{1}}, "t");
    BOOST_CHECK_THROW(svg.write(nowhere), std::runtime_error);
    check_message([&] { svg.write(nowhere); }, {"Svg: cannot write " + nowhere.string()});
    BOOST_CHECK_THROW(svg.write(folder.path), std::runtime_error);
    if (std::filesystem::exists("/dev/full"))
        check_message([&] { svg.write("/dev/full"); }, {"Svg: cannot write /dev/full"});
    BOOST_CHECK(std::filesystem::is_empty(folder.path));
}

BOOST_AUTO_TEST_CASE(a_figure_takes_the_place_of_an_old_one_and_leaves_nothing_beside_it) {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path / "figure.svg";
    bar_chart(caption, {{1, 2, 3}}, "t").write(file);
    bar_chart(caption, {{1}}, "t").write(file);
    const std::string text = read_file(file);
    BOOST_CHECK(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
    BOOST_CHECK(text.find(">t1<") == std::string::npos);
    BOOST_CHECK_EQUAL(std::distance(std::filesystem::directory_iterator(folder.path), {}), 1);
}

BOOST_AUTO_TEST_SUITE_END()
