// The header of an .npy file: a dictionary in Python's notation that says what the numbers are.
//
//     {'descr': '<f8', 'fortran_order': False, 'shape': (6, 8), }
//
// So NumPy writes it. Others leave out blanks or the last comma, take the other quotes, another
// order, or Python 2's 6L: whatever numpy.load takes for these three is taken here.
#pragma once

#include "record/bytes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace glassbox::npy {

// The values by their keys, as they are written: {"shape", "(6, 8)"}.
using Header = std::map<std::string, std::string, std::less<>>;

inline std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(blanks)));
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

// What stands before the first `end` that is outside quotes and brackets; all, if there is none.
inline std::string_view up_to(std::string_view text, char end) {
    constexpr std::string_view opening = "([{", closing = ")]}", quotes = "'\"";
    char quote = '\0'; // the one that is open
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != '\0')
            quote = c == quote ? '\0' : quote;
        else if (c == end && depth == 0)
            return text.substr(0, i);
        else if (quotes.find(c) != std::string_view::npos)
            quote = c;
        else
            depth += (opening.find(c) != std::string_view::npos) -
                (closing.find(c) != std::string_view::npos);
    }
    return text;
}

// The parts of a text between its commas; after the last comma may be nothing.
inline std::vector<std::string_view> items_of(std::string_view text) {
    std::vector<std::string_view> items;
    for (text = trimmed(text); !text.empty();) {
        const std::string_view item = up_to(text, ',');
        items.push_back(trimmed(item));
        text = trimmed(text.substr(std::min(text.size(), item.size() + 1)));
    }
    return items;
}

// 'text' or "text" without its quotes; nothing for what is no such thing.
inline std::string_view unquoted(std::string_view text) {
    const bool quoted = text.size() >= 2 && (text.front() == '\'' || text.front() == '"') &&
        text.find(text.front(), 1) == text.size() - 1;
    return quoted ? text.substr(1, text.size() - 2) : std::string_view();
}

// Throws std::runtime_error for what is no dictionary, or not one of just these three keys.
inline Header parse_header(const Bytes& entry, std::string_view text) {
    const std::string_view whole = trimmed(text);
    const std::string broken =
        "the .npy header is no dictionary in Python's notation: " + printable(whole);
    if (!whole.starts_with('{') || !whole.ends_with('}') || whole.size() < 2)
        entry.fail(broken);
    Header header;
    for (const std::string_view item : items_of(whole.substr(1, whole.size() - 2))) {
        const std::string_view key = up_to(item, ':');
        const std::string name(unquoted(trimmed(key)));
        if (name.empty() || key.size() == item.size())
            entry.fail(broken);
        if (!header.emplace(name, trimmed(item.substr(key.size() + 1))).second)
            entry.fail("the .npy header says '" + printable(name) + "' twice");
    }
    for (const char* key : {"descr", "fortran_order", "shape"})
        if (!header.contains(key))
            entry.fail("the .npy header does not say '" + std::string(key) +
                       "': " + printable(whole));
    if (header.size() > 3)
        entry.fail("the .npy header says more than descr, fortran_order and shape: " +
                   printable(whole));
    return header;
}

// As Python writes a tuple: (6, 8), (24,), ().
inline std::string tuple_text(const std::vector<std::size_t>& sizes) {
    std::string tuple = "(";
    for (std::size_t i = 0; i < sizes.size(); ++i)
        tuple += (i == 0 ? "" : ", ") + std::to_string(sizes[i]);
    return tuple + (sizes.size() == 1 ? ",)" : ")");
}

// "(6, 8)" and Python 2's "(6L, 8L)" -> {6, 8}; "(24,)" -> {24}; "()" -> {}. As in Python, "(24)"
// is no tuple and "01" no number. Sizes that overflow are refused.
inline std::vector<std::size_t> parse_shape(const Bytes& entry, std::string_view text) {
    const auto require = [&](bool holds) {
        if (!holds)
            entry.fail("the shape in the .npy header is no tuple of sizes: " + printable(text));
    };
    require(text.size() >= 2 && text.front() == '(' && text.back() == ')');
    const std::string_view inside = text.substr(1, text.size() - 2);
    std::vector<std::size_t> sizes;
    for (std::string_view item : items_of(inside)) {
        if (item.ends_with('L'))
            item.remove_suffix(1);
        std::size_t size = 0;
        const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), size);
        require(!item.empty() && end == item.data() + item.size() && error == std::errc());
        require(item == "0" || !item.starts_with('0'));
        sizes.push_back(size);
    }
    require(sizes.size() != 1 || inside.find(',') != std::string_view::npos);
    return sizes;
}

// How numbers of a type that is not read become such that are.
inline std::string mended_type(std::string_view type) {
    if (type == "|O")
        return "the array holds Python objects ('|O'), which are not read; save "
               "numpy.array(rows, '<f8'), all rows equally long, and a dict of arrays with "
               "numpy.savez(file, **it)";
    const std::string says = "the type is '" + printable(type) + "'";
    if (type.starts_with("<c") || type.starts_with(">c"))
        return says +
            ", complex; save array.astype('<c16').view('<f8'), imaginary parts beside the real "
            "ones: astype('<f8') would drop them";
    if (type == "|V2")
        return says +
            ", two raw bytes a number, which NumPy has no name for: probably bfloat16. With v = "
            "numpy.load(file), save (v.view('<u2').astype('<u4') << 16).view('<f4')";
    if (type.starts_with("|V"))
        return says + ", raw bytes, which say nothing; save float32 where they were made";
    return says + "; wanted '<f8', '<f4', '<f2' or '<i8': save array.astype('<f8')";
}

// The element type, one of <f8, <f4, <f2 and <i8, in C order.
inline std::string parse_type(const Bytes& entry, const Header& header) {
    const std::string& text = header.at("descr");
    const std::string type(unquoted(text));
    if (type.empty())
        entry.fail("the type is " + printable(text) +
                   ", several numbers under one name; import numpy.lib.recfunctions, save "
                   "numpy.lib.recfunctions.structured_to_unstructured(array, '<f8')");
    constexpr std::array<std::string_view, 4> read{"<f8", "<f4", "<f2", "<i8"};
    if (std::ranges::find(read, type) == read.end())
        entry.fail(mended_type(type));
    if (header.at("fortran_order") == "True")
        entry.fail("the array is in Fortran order; save numpy.ascontiguousarray of it (a "
                   "transposed array looks like this: are its axes the right ones?)");
    if (header.at("fortran_order") != "False")
        entry.fail("'fortran_order' in the .npy header is " +
                   printable(header.at("fortran_order")) + "; wanted True or False");
    return type;
}

} // namespace glassbox::npy
