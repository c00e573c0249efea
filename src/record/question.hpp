// What is asked of outputs that lie in files: the words of a command line, as far as they are about
// that.
#pragma once

#include "record/claim.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace glassbox {

struct Question {
    std::vector<std::string> words; // what is no option
    double tolerance = 0.0;
    std::optional<ReachClaim> claim; // what was said about the reach
    std::optional<std::string> figure;
};

constexpr const char* question_usage =
    "usage: before.npy after.npy POSITION [--tolerance X] [REACH], or runs.npz [--tolerance X] "
    "[--figure FILE.svg] [REACH], where REACH is --window W --layers L [--sink N], --prefix P, "
    "--ahead K, --chunk N or --reach all; docs/checking.md explains them";

[[noreturn]] inline void refuse(const std::string& reason) {
    throw std::invalid_argument(reason + "; " + question_usage);
}

// Up to a million: no reach is wider, and no product of two of these overflows.
inline std::size_t whole_number(const std::string& name, const std::string& text,
                                std::size_t least = 0) {
    constexpr std::size_t most = 1000000;
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || end != text.data() + text.size() || error != std::errc() || value < least ||
        value > most)
        refuse(name + " is '" + text + "'; wanted a whole number from " + std::to_string(least) +
               " to " + std::to_string(most));
    return value;
}

inline double tolerance_of(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(value) || value < 0.0)
        refuse("--tolerance is '" + text + "'; wanted a number from 0 on, like 1e-6");
    return value;
}

using Options = std::map<std::string, std::string>;

// Sorts the arguments: --name VALUE and --name=VALUE, each at most once, and other words.
inline Options options_of(const std::vector<std::string>& arguments,
                          std::vector<std::string>& words) {
    constexpr std::array<std::string_view, 9> known{"--tolerance", "--figure", "--window",
                                                    "--layers",    "--sink",   "--prefix",
                                                    "--ahead",     "--chunk",  "--reach"};
    Options options;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!arguments[i].starts_with("--")) {
            words.push_back(arguments[i]);
            continue;
        }
        const std::size_t equals = arguments[i].find('='); // --tolerance=1e-6
        const std::string name = arguments[i].substr(0, equals);
        if (std::ranges::find(known, name) == known.end())
            refuse("there is no option " + name);
        const bool joined = equals != std::string::npos;
        const bool has_value = joined || ++i < arguments.size();
        if (!has_value ||
            !options.emplace(name, arguments[i].substr(joined ? equals + 1 : 0)).second)
            refuse(name + " stands once, with a value behind it");
    }
    return options;
}

// The one reach that the options say, if they say one.
inline std::optional<ReachClaim> claim_of(const Options& options) {
    const auto given = [&](const char* name) { return options.contains(name); };
    const auto number = [&](const char* name, std::size_t least) {
        return given(name) ? whole_number(name, options.at(name), least) : 0;
    };
    std::string kinds;
    for (const char* name : {"--window", "--prefix", "--ahead", "--chunk", "--reach"})
        if (given(name))
            kinds += (kinds.empty() ? "" : " and ") + std::string(name);
    if (kinds.find(" and ") != std::string::npos)
        refuse(kinds + " are different claims; say one, or put an array reach into the archive");
    if (given("--window") != given("--layers") || (given("--sink") && !given("--window")))
        refuse("--window and --layers belong together, and --sink to both");
    const std::size_t window = number("--window", 1), layers = number("--layers", 1);
    if (given("--window"))
        return claims::window(window, layers, number("--sink", 1));
    if (given("--prefix"))
        return claims::prefix(number("--prefix", 1));
    if (given("--ahead"))
        return claims::ahead(number("--ahead", 1));
    if (given("--chunk"))
        return claims::chunk(number("--chunk", 1));
    if (given("--reach") && options.at("--reach") != "all")
        refuse("--reach is '" + options.at("--reach") + "'; wanted all");
    return given("--reach") ? std::optional(claims::everything()) : std::nullopt;
}

// Throws std::invalid_argument for what is no option, or has no such value.
inline Question question_of(const std::vector<std::string>& arguments) {
    Question question;
    const Options options = options_of(arguments, question.words);
    if (options.contains("--tolerance"))
        question.tolerance = tolerance_of(options.at("--tolerance"));
    if (options.contains("--figure"))
        question.figure = options.at("--figure");
    question.claim = claim_of(options);
    return question;
}

} // namespace glassbox
