// A small SVG writer: heat map, lines, bars.
//
// Each figure brings its own light paper, so that it reads on light and dark pages. The colours are
// told apart by colour-blind readers too (blue and vermillion, Okabe and Ito 2008), and lines
// differ in their dashes as well. Coordinates have one decimal: small files whose differences can
// be read.
#pragma once

#include "numbers/matrix.hpp"
#include "show/terminal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace glassbox {

// What every figure says about itself.
struct Caption {
    std::string title;       // one line, drawn and read aloud
    std::string description; // what is to be seen, for readers who do not see it
    std::string row_axis;    // what the vertical axis is
    std::string column_axis; // what the horizontal axis is
};

// The elements of one picture, collected as text. x grows to the right, y downwards.
class Svg {
public:
    Svg(const Caption& caption, double width, double height) {
        text_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 " +
            at(width) + " " + at(height) + "\" width=\"" + at(width) + "\" height=\"" + at(height) +
            "\" font-family=\"sans-serif\" font-size=\"12\">\n<title>" + escaped(caption.title) +
            "</title>\n<desc>" + escaped(caption.description) + "</desc>\n";
        rectangle(0, 0, width, height, "#ffffff");
        words(width / 2, 22, caption.title, "middle", ink, "font-weight=\"bold\"");
    }

    static constexpr const char* ink = "#222222";
    static constexpr const char* grid = "#dddddd";
    static constexpr const char* faint = "#999999";

    void rectangle(double x, double y, double width, double height, const std::string& fill) {
        text_ += "<rect x=\"" + at(x) + "\" y=\"" + at(y) + "\" width=\"" + at(width) +
            "\" height=\"" + at(height) + "\" fill=\"" + fill + "\"/>\n";
    }

    void line(double x1, double y1, double x2, double y2, const std::string& colour) {
        path({{x1, y1}, {x2, y2}}, colour, "");
    }

    void path(const std::vector<std::array<double, 2>>& points, const std::string& colour,
              const std::string& attributes) {
        text_ += "<polyline fill=\"none\" stroke=\"" + colour + "\" " + attributes + " points=\"";
        for (const auto& [x, y] : points)
            text_ += at(x) + "," + at(y) + " ";
        text_.back() = '"';
        text_ += "/>\n";
    }

    void words(double x, double y, const std::string& text, const std::string& anchor,
               const std::string& colour = ink, const std::string& attributes = "") {
        text_ += "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" text-anchor=\"" + anchor +
            "\" fill=\"" + colour + "\" " + attributes + ">" + escaped(text) + "</text>\n";
    }

    void words_upwards(double x, double y, const std::string& text) {
        words(x, y, text, "middle", ink, "transform=\"rotate(-90 " + at(x) + " " + at(y) + ")\"");
    }

    // The finished picture, written beside the file first: what is there under its name is whole.
    // Throws std::runtime_error if it cannot be written, and leaves nothing then.
    void write(const std::filesystem::path& file) const {
        namespace fs = std::filesystem;
        std::error_code error; // checked where it matters
        fs::path partial = file;
        partial += ".partial";
        const bool in_the_way = fs::exists(file, error) && !fs::is_regular_file(file, error);
        std::ofstream stream;
        if (!in_the_way)
            stream.open(partial, std::ios::binary);
        stream << text_ << "</svg>\n";
        stream.close();
        if (stream)
            fs::rename(partial, file, error);
        if (stream && !error)
            return;
        if (!in_the_way)
            fs::remove(partial, error);
        throw std::runtime_error("Svg: cannot write " + file.string());
    }

private:
    std::string text_;

    static std::string at(double coordinate) { return fixed(coordinate, 1); }

    static std::string escaped(const std::string& text) {
        std::string result;
        for (const char c : text)
            result += c == '&' ? "&amp;"
                : c == '<'     ? "&lt;"
                : c == '>'     ? "&gt;"
                               : std::string(1, c);
        return result;
    }
};

// White for exactly 0 and nothing else: the smallest number has a tint that can be seen. Towards
// vermillion for +largest, towards blue for -largest, full colour for an infinity, grey for a NaN.
inline std::string heat_colour(double value, double largest) {
    if (std::isnan(value))
        return "#999999";
    const std::array<double, 3> full =
        value < 0 ? std::array<double, 3>{0, 114, 178} : std::array<double, 3>{213, 94, 0};
    constexpr double faintest = 0.12;
    const double share = value == 0.0 ? 0.0
        : std::isinf(value)
        ? 1.0
        : faintest + (1.0 - faintest) * std::min(std::abs(value) / largest, 1.0);
    char colour[8];
    std::array<unsigned, 3> mixed{};
    for (std::size_t i = 0; i < 3; ++i)
        mixed[i] = static_cast<unsigned>(std::lround(255.0 + (full[i] - 255.0) * share));
    std::snprintf(colour, sizeof colour, "#%02x%02x%02x", mixed[0] & 255U, mixed[1] & 255U,
                  mixed[2] & 255U);
    return colour;
}

// A scale of colours from -largest (or 0) to largest, below a heat map.
inline void draw_colour_scale(Svg& svg, double x, double y, double lowest, double largest) {
    constexpr int steps = 20;
    for (int i = 0; i < steps; ++i) {
        const double value = lowest + (largest - lowest) * (i + 0.5) / steps;
        svg.rectangle(x + 8.0 * i, y, 8.0, 10, heat_colour(value, largest));
    }
    svg.words(x - 6, y + 9, fixed(lowest, 2), "end");
    svg.words(x + 8.0 * steps + 6, y + 9, fixed(largest, 2), "start");
}

// Where the cells of a heat map stand, how large they are, and what their colours mean.
struct Cells {
    double left, top, width, height;
    double lowest = 0.0, largest = 0.0; // the ends of the colour scale
    bool numbered = true;
    int decimals = 3;
};

inline void draw_cells(Svg& svg, const Matrix& m, const Cells& cells) {
    for (std::size_t r = 0; r < m.rows; ++r)
        for (std::size_t c = 0; c < m.cols; ++c) {
            const double x = cells.left + cells.width * static_cast<double>(c);
            const double y = cells.top + cells.height * static_cast<double>(r);
            svg.rectangle(x, y, cells.width - 1, cells.height - 1,
                          heat_colour(m(r, c), cells.largest));
            if (cells.numbered)
                svg.words(x + cells.width / 2, y + cells.height / 2 + 4,
                          m(r, c) == 0.0 ? "0" : fixed(m(r, c), cells.decimals), "middle");
        }
}

// Cells without numbers say by a dot that they are exactly 0.
inline void draw_dots(Svg& svg, const Matrix& m, const Cells& cells) {
    for (std::size_t r = 0; r < m.rows; ++r)
        for (std::size_t c = 0; c < m.cols; ++c)
            if (m(r, c) == 0.0)
                svg.rectangle(cells.left + cells.width * (static_cast<double>(c) + 0.5) - 1.5,
                              cells.top + cells.height * (static_cast<double>(r) + 0.5) - 1.5, 2, 2,
                              Svg::faint);
}

inline void draw_labels(Svg& svg, const Matrix& m, const Cells& cells,
                        const std::string& row_letter, const std::string& column_letter) {
    for (std::size_t c = 0; c < m.cols; ++c)
        svg.words(cells.left + cells.width * (static_cast<double>(c) + 0.5), cells.top - 8,
                  column_letter + std::to_string(c), "middle");
    for (std::size_t r = 0; r < m.rows; ++r)
        svg.words(cells.left - 8, cells.top + cells.height * (static_cast<double>(r) + 0.5) + 4,
                  row_letter + std::to_string(r), "end");
}

// One of several heat maps in a figure.
struct Panel {
    std::string name; // stands above it
    Matrix m;
};

// The cells of all panels: numbers where all have room for them, one scale of colours.
inline Cells cells_for(const std::vector<Panel>& panels) {
    Cells cells{80, 70, 58, 34};
    for (const auto& [name, m] : panels) {
        require_filled(m, "heat_maps: " + name);
        require_shape(m, panels[0].m.rows, m.cols, "heat_maps: " + name);
        cells.numbered = cells.numbered && m.cols <= 8;
        cells.largest = std::max(cells.largest, largest_finite_magnitude(m));
        if (std::ranges::any_of(m.values, [](double v) { return v < 0; }))
            cells.lowest = -1;
    }
    cells.lowest *= cells.largest;
    if (panels.size() > 1) { // room for the names, and narrower, as there are more
        cells.top = 90;
        cells.width = cells.largest < 10 && cells.lowest == 0.0 ? 38 : 44;
        cells.decimals = 2;
    }
    if (!cells.numbered) {
        cells.width = 26;
        cells.height = 14;
    }
    return cells;
}

// Matrices of equally many rows side by side, in the same colours, so that cells can be compared.
// Throws std::invalid_argument for no panels, an empty one, or one with more or fewer rows.
inline Svg heat_maps(const Caption& caption, const std::vector<Panel>& panels,
                     const std::string& row_letter, const std::string& column_letter) {
    if (panels.empty())
        throw std::invalid_argument("heat_maps: no panels; wanted at least one");
    constexpr double gap = 40;
    Cells cells = cells_for(panels);
    const double left = cells.left;
    double right = left - gap;
    for (const Panel& panel : panels)
        right += gap + cells.width * static_cast<double>(panel.m.cols);
    const double bottom = cells.top + cells.height * static_cast<double>(panels[0].m.rows);

    Svg svg(caption, right + 40, bottom + (cells.numbered ? 50 : 70));
    svg.words((left + right) / 2, 44, caption.column_axis, "middle");
    svg.words_upwards(22, (cells.top + bottom) / 2, caption.row_axis);
    for (const auto& [name, m] : panels) {
        const double width = cells.width * static_cast<double>(m.cols);
        if (!name.empty())
            svg.words(cells.left + width / 2, cells.top - 24, name, "middle");
        draw_labels(svg, m, cells, row_letter, column_letter);
        draw_cells(svg, m, cells);
        if (!cells.numbered)
            draw_dots(svg, m, cells);
        cells.left += width + gap;
    }
    draw_colour_scale(svg, (left + right) / 2 - 80, bottom + 20, cells.lowest, cells.largest);
    if (!cells.numbered)
        svg.words((left + right) / 2, bottom + 52, "a dot: exactly 0", "middle");
    return svg;
}

// A matrix as coloured cells, row 0 on top; matrices of up to 8 columns show their numbers as well.
// Rows and columns are labelled with their letter and number, as in show().
inline Svg heat_map(const Caption& caption, const Matrix& m, const std::string& row_letter,
                    const std::string& column_letter) {
    require_filled(m, "heat_map: m");
    return heat_maps(caption, {{"", m}}, row_letter, column_letter);
}

// The frame of a chart: maps values to coordinates and draws axes with round ticks.
struct Plot {
    double low_x, high_x, low_y, high_y;
    bool log_y = false; // low_y and high_y are then exponents of ten
    static constexpr double left = 80, right = 560, top = 40, bottom = 300;

    double x(double value) const {
        return left + (right - left) * (value - low_x) / (high_x - low_x);
    }
    double y(double value) const {
        const double scaled = log_y ? std::log10(value) : value;
        return bottom - (bottom - top) * (scaled - low_y) / (high_y - low_y);
    }

    // 1, 2 or 5 times a power of ten, giving about six ticks.
    static double tick_step(double low, double high) {
        const double rough = (high - low) / 6;
        const double power = std::pow(10.0, std::floor(std::log10(rough)));
        const double digit = rough / power;
        return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
    }

    // The multiples of step from low to high. Counted, since adding a small step to a large number
    // may not change it.
    static std::vector<double> ticks(double low, double high, double step) {
        const double first = std::ceil(low / step) * step;
        const double count = std::floor((high - first) / step + 1e-9);
        std::vector<double> result;
        for (int i = 0; i <= std::min(count, 20.0); ++i)
            result.push_back(first + i * step);
        return result;
    }

    static std::string tick_text(double value, double step) {
        const int digits = static_cast<int>(std::max(0.0, -std::floor(std::log10(step) + 1e-9)));
        return fixed(value, digits);
    }

    void draw_y_axis(Svg& svg, const std::string& name) const {
        const double step =
            log_y ? std::max(1.0, tick_step(low_y, high_y)) : tick_step(low_y, high_y);
        for (const double tick : ticks(low_y, high_y, step)) {
            const double at = y(log_y ? std::pow(10.0, tick) : tick);
            svg.line(left, at, right, at, Svg::grid);
            svg.words(left - 8, at + 4, log_y ? "1e" + fixed(tick, 0) : tick_text(tick, step),
                      "end");
        }
        svg.words_upwards(22, (top + bottom) / 2, name);
    }

    void draw_x_axis(Svg& svg, const std::string& name) const {
        const double step = tick_step(low_x, high_x);
        for (const double tick : ticks(low_x, high_x, step)) {
            svg.line(x(tick), bottom, x(tick), bottom + 5, Svg::ink);
            svg.words(x(tick), bottom + 19, tick_text(tick, step), "middle");
        }
        svg.line(left, bottom, right, bottom, Svg::ink);
        svg.words((left + right) / 2, bottom + 40, name, "middle");
    }
};

// One line of a chart: points (x[i], y[i]), named at its last point.
struct Line {
    std::string name;
    std::vector<double> x, y;
};

inline Plot plot_around(const std::vector<Line>& lines, bool log_y) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Plot plot{infinity, -infinity, infinity, -infinity, log_y};
    for (const Line& line : lines) {
        if (line.x.size() != line.y.size() || line.x.size() < 2)
            throw std::invalid_argument(
                "line_chart: '" + line.name + "' has " + std::to_string(line.x.size()) + " x and " +
                std::to_string(line.y.size()) + " y; wanted equally many, at least two");
        for (std::size_t i = 0; i < line.x.size(); ++i) {
            const double y = log_y ? std::log10(line.y[i]) : line.y[i];
            if (!std::isfinite(line.x[i]) || !std::isfinite(y))
                throw std::invalid_argument("line_chart: '" + line.name + "' has a point (" +
                                            fixed(line.x[i]) + ", " + fixed(line.y[i]) +
                                            ") that cannot be drawn");
            plot.low_x = std::min(plot.low_x, line.x[i]);
            plot.high_x = std::max(plot.high_x, line.x[i]);
            plot.low_y = std::min(plot.low_y, y);
            plot.high_y = std::max(plot.high_y, y);
        }
    }
    if (!log_y && plot.low_y > 0.0 && plot.low_y < 0.1 * plot.high_y)
        plot.low_y = 0.0; // so near that the axis may begin there
    if (log_y) {          // whole decades
        plot.low_y = std::floor(plot.low_y);
        plot.high_y = std::ceil(plot.high_y);
    }
    if (plot.low_y == plot.high_y) // a level line
        plot.high_y += std::max(1.0, std::abs(plot.high_y));
    if (plot.low_x == plot.high_x || !std::isfinite(plot.high_x - plot.low_x) ||
        !std::isfinite(plot.high_y - plot.low_y))
        throw std::invalid_argument("line_chart: the points span from " + fixed(plot.low_x) +
                                    " to " + fixed(plot.high_x) + " in x and from " +
                                    fixed(plot.low_y) + " to " + fixed(plot.high_y) +
                                    " in y; wanted two different x and finite spans");
    return plot;
}

// The heights for names beside the ends of lines: each at its line's end or, where two would touch,
// below the one above, and none below the axis.
inline std::vector<double> apart(const std::vector<double>& ends) {
    constexpr double height_of_a_line = 16;
    std::vector<std::size_t> order(ends.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return ends[i]; });
    std::vector<double> result = ends;
    for (std::size_t n = 1; n < order.size(); ++n)
        result[order[n]] = std::max(result[order[n]], result[order[n - 1]] + height_of_a_line);
    double lowest = Plot::bottom;
    for (std::size_t n = order.size(); n-- > 0; lowest -= height_of_a_line)
        lowest = result[order[n]] = std::min(result[order[n]], lowest);
    return result;
}

// Up to six lines over a common x axis, named to the right of it; with log_y the y axis counts
// powers of ten. Throws std::invalid_argument for points that cannot be drawn (NaN, infinity, log
// of 0).
inline Svg line_chart(const Caption& caption, const std::vector<Line>& lines, bool log_y = false) {
    constexpr std::array<const char*, 6> colours{"#d55e00", "#0072b2", "#222222",
                                                 "#009e73", "#cc79a7", "#e69f00"};
    constexpr std::array<const char*, 6> dashes{"",
                                                "stroke-dasharray=\"8 4\"",
                                                "stroke-dasharray=\"2 3\"",
                                                "stroke-dasharray=\"12 3 2 3\"",
                                                "stroke-dasharray=\"4 2\"",
                                                "stroke-dasharray=\"16 4\""};
    if (lines.empty() || lines.size() > colours.size())
        throw std::invalid_argument("line_chart: " + std::to_string(lines.size()) +
                                    " lines; wanted 1 to 6");
    const Plot plot = plot_around(lines, log_y);
    Svg svg(caption, 700, 360);
    plot.draw_y_axis(svg, caption.row_axis);
    plot.draw_x_axis(svg, caption.column_axis);
    std::vector<double> ends;
    for (const Line& line : lines)
        ends.push_back(plot.y(line.y.back()));
    const std::vector<double> names = apart(ends);
    for (std::size_t n = 0; n < lines.size(); ++n) {
        std::vector<std::array<double, 2>> points;
        for (std::size_t i = 0; i < lines[n].x.size(); ++i)
            points.push_back({plot.x(lines[n].x[i]), plot.y(lines[n].y[i])});
        const std::string style = std::string("stroke-width=\"2\" ") + dashes[n];
        svg.path(points, colours[n], style);
        svg.path({{Plot::right + 8, names[n]}, {Plot::right + 32, names[n]}}, colours[n], style);
        svg.words(Plot::right + 38, names[n] + 4, lines[n].name, "start");
    }
    return svg;
}

// Bars of one colour, a row of a bar chart: heights is 1 x n.
struct Bars {
    std::string name; // for the legend; none where it is empty
    Matrix heights;
};

// The largest height. Throws std::invalid_argument for a height that cannot be drawn.
inline double tallest(const std::vector<Bars>& rows) {
    if (rows.empty() || rows.size() > 3)
        throw std::invalid_argument("bar_chart: " + std::to_string(rows.size()) +
                                    " rows of bars; wanted 1 to 3");
    double largest = 0.0;
    for (const Bars& row : rows) {
        require_filled(row.heights, "bar_chart: heights");
        require_shape(row.heights, 1, rows[0].heights.cols, "bar_chart: heights");
        for (const double height : row.heights.values)
            if (!(height >= 0.0) || std::isinf(height))
                throw std::invalid_argument("bar_chart: a bar of height " + fixed(height) +
                                            "; wanted finite heights of 0 or more");
        largest = std::max(largest, largest_finite_magnitude(row.heights));
    }
    return largest;
}

// Bars side by side, a group for each column, labelled letter + number. A bar of exactly 0 is not
// there; a very small one is. Up to 8 bars of one colour have their values above them. Throws
// std::invalid_argument for a value that is negative or not finite.
inline Svg grouped_bars(const Caption& caption, const std::vector<Bars>& rows,
                        const std::string& letter) {
    constexpr std::array<const char*, 3> colours{"#0072b2", "#d55e00", "#222222"};
    const double largest = tallest(rows);
    const std::size_t groups = rows[0].heights.cols;
    const Plot plot{0, static_cast<double>(groups), 0, largest == 0.0 ? 1.0 : 1.1 * largest};
    const double room = (Plot::right - Plot::left) / static_cast<double>(groups);
    const double width = (rows.size() == 1 ? 0.6 : 0.8) * room / static_cast<double>(rows.size());
    const std::size_t every = room < 26 ? 2 : 1; // a narrow group has no room for its label
    const bool legend = !rows[0].name.empty();
    Svg svg(caption, 620, legend ? 380 : 360);
    plot.draw_y_axis(svg, caption.row_axis);
    for (std::size_t i = 0; i < groups; ++i) {
        const double middle = plot.x(static_cast<double>(i) + 0.5);
        for (std::size_t n = 0; n < rows.size(); ++n) {
            const double value = rows[n].heights(0, i);
            const double x =
                middle + width * (static_cast<double>(n) - 0.5 * static_cast<double>(rows.size()));
            const double y =
                value == 0.0 ? Plot::bottom : std::min(plot.y(value), Plot::bottom - 1);
            svg.rectangle(x, y, width, Plot::bottom - y, colours[n]);
            if (rows.size() == 1 && groups <= 8)
                svg.words(middle, y - 6, value == 0.0 ? "0" : fixed(value, 3), "middle");
        }
        if (i % every == 0)
            svg.words(middle, Plot::bottom + 19, letter + std::to_string(i), "middle");
    }
    svg.line(Plot::left, Plot::bottom, Plot::right, Plot::bottom, Svg::ink);
    svg.words((Plot::left + Plot::right) / 2, Plot::bottom + 40, caption.column_axis, "middle");
    for (std::size_t n = 0; legend && n < rows.size(); ++n) {
        const double x = Plot::left + 160.0 * static_cast<double>(n);
        svg.rectangle(x, Plot::bottom + 54, 12, 12, colours[n]);
        svg.words(x + 18, Plot::bottom + 64, rows[n].name, "start");
    }
    return svg;
}

// One bar per element of a 1 x n matrix.
inline Svg bar_chart(const Caption& caption, const Matrix& heights, const std::string& letter) {
    return grouped_bars(caption, {{"", heights}}, letter);
}

} // namespace glassbox
