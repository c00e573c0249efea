// The .npz files of NumPy: a zip archive of uncompressed .npy arrays, as numpy.savez writes it.
//
// Read, an array becomes a Matrix whatever its type; written, it has the type and the dimensions
// that it is given. The two formats have a header each: record/zip.hpp and record/npy.hpp.
#pragma once

#include "numbers/matrix.hpp"
#include "record/bytes.hpp"
#include "record/kinds.hpp"
#include "record/npy.hpp"
#include "record/zip.hpp"

#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace glassbox {

// An entry that is no array and says so by its name; nothing for any other.
inline std::string bystander(const std::string& entry) {
    if (entry.ends_with('/'))
        return printable(entry) + " is a folder";
    if (entry.starts_with("__MACOSX/") || entry.find("/__MACOSX/") != std::string::npos)
        return printable(entry) + " is what macOS puts beside a file";
    return "";
}

// What `parse` makes of every array of a .npz, by name (without ".npy"). Entries that are no arrays
// are named in `left_out`; without it they are refused.
template <typename Parse>
auto parse_npz_with(std::span<const unsigned char> archive, const std::string& name, Parse parse,
                    std::vector<std::string>* left_out = nullptr) {
    const Bytes file{archive, name};
    if (const std::string foreign = foreign_kind(text_of(archive)); !foreign.empty())
        file.fail(foreign);
    if (text_of(archive).starts_with("\x93NUMPY"))
        file.fail(
            "a single array, as numpy.save writes it; wanted an archive of arrays, as "
            "numpy.savez does, or for two outputs three words: before.npy after.npy POSITION");
    std::map<std::string, decltype(parse(file))> arrays;
    for (const zip::Entry& entry : zip::entries(file)) {
        const std::string no_array = bystander(entry.name);
        if (!no_array.empty() && left_out == nullptr)
            file.fail(no_array + ", no array; numpy.savez writes none");
        if (!no_array.empty()) {
            left_out->push_back(no_array);
            continue;
        }
        std::string array = entry.name;
        if (array.ends_with(".npy"))
            array.resize(array.size() - 4);
        if (!arrays.emplace(array, parse(entry.content)).second)
            file.fail("two arrays are called '" + printable(array) + "'");
    }
    return arrays;
}

// All arrays of a .npz by name: float64, float32, float16 or int64, in C order, of at most two
// dimensions. `name` is what the archive is called in messages. Throws std::runtime_error naming
// archive, array and reason for anything else.
inline std::map<std::string, Matrix> parse_npz(std::span<const unsigned char> archive,
                                               const std::string& name) {
    return parse_npz_with(archive, name, npy::parse);
}

// The same from a file.
inline std::map<std::string, Matrix> read_npz(const std::filesystem::path& path) {
    return parse_npz(bytes_of(read_file(path, "read_npz")), path.string());
}

// The same with any number of dimensions. Entries that are no arrays are left out, and named.
inline std::map<std::string, npy::Array> read_npz_arrays(const std::filesystem::path& path,
                                                         std::vector<std::string>& left_out) {
    return parse_npz_with(bytes_of(read_file(path, "read_npz")), path.string(), npy::parse_array,
                          &left_out);
}

// The bytes of a .npz with these arrays, in this order. The same arrays give the same bytes. Throws
// std::invalid_argument for names that are empty, not printable ASCII or given twice, and for what
// npy::format refuses; std::length_error for 4 GiB and more.
inline std::string format_npz(const std::vector<NpyArray>& arrays) {
    std::set<std::string> names;
    std::vector<zip::NewEntry> entries;
    for (const NpyArray& array : arrays) {
        bool plain = !array.name.empty();
        for (const char c : array.name)
            plain = plain && c > ' ' && c <= '~';
        if (!plain)
            throw std::invalid_argument("write_npz: an array is called '" + printable(array.name) +
                                        "'; wanted printable ASCII");
        if (!names.insert(array.name).second)
            throw std::invalid_argument("write_npz: two arrays are called '" + array.name + "'");
        entries.push_back({array.name + ".npy", npy::format(array)});
    }
    return zip::archive(entries);
}

// The same into a file.
inline void write_npz(const std::filesystem::path& path, const std::vector<NpyArray>& arrays) {
    write_file(path, format_npz(arrays), "write_npz");
}

} // namespace glassbox
