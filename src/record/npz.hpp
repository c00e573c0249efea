// The .npz files of NumPy: a zip archive of uncompressed .npy arrays, as numpy.savez writes it.
//
// Read, an array becomes a Matrix whatever its type; written, it has the type and the dimensions
// that it is given. The two formats have a header each: record/zip.hpp and record/npy.hpp.
#pragma once

#include "numbers/matrix.hpp"
#include "record/bytes.hpp"
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

// What `parse` makes of every array of a .npz, by name (without ".npy").
template <typename Parse>
auto parse_npz_with(std::span<const unsigned char> archive, const std::string& name, Parse parse) {
    const Bytes file{archive, name};
    std::map<std::string, decltype(parse(file))> arrays;
    for (const zip::Entry& entry : zip::entries(file)) {
        std::string array = entry.name;
        if (array.ends_with(".npy"))
            array.resize(array.size() - 4);
        if (!arrays.emplace(array, parse(entry.content)).second)
            file.fail("two arrays are called '" + array + "'");
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

// The same with any number of dimensions.
inline std::map<std::string, npy::Array> read_npz_arrays(const std::filesystem::path& path) {
    return parse_npz_with(bytes_of(read_file(path, "read_npz")), path.string(), npy::parse_array);
}

// The bytes of a .npz with these arrays, in this order. The same arrays give the same bytes. Throws
// std::invalid_argument for names that are empty, not printable ASCII or given twice, and for what
// npy::format refuses; std::length_error for 4 GiB and more.
inline std::string format_npz(const std::vector<NpyArray>& arrays) {
    std::set<std::string> names;
    std::vector<zip::NewEntry> entries;
    for (const NpyArray& array : arrays) {
        bool printable = !array.name.empty();
        for (const char c : array.name)
            printable = printable && c > ' ' && c <= '~';
        if (!printable)
            throw std::invalid_argument("write_npz: an array is called '" + array.name +
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
