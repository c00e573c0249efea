// The audit of a record: everything in it that can be checked without the program that made it.
//
// It knows the format (record/results.hpp), closed forms of the counts, and which arrays make up
// which difference. It includes no decoder. An auditor that runs the decoder's code again would
// repeat its mistakes and call them confirmed.
#pragma once

#include "record/audit_arrays.hpp"
#include "record/audit_text.hpp"
#include "record/bytes.hpp"
#include "record/results.hpp"
#include "record/sha256.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace glassbox {

// What was found to be as it should, in the order of the checks, and the first thing that was not.
struct Audit {
    std::vector<std::string> checked;
    std::string failure; // empty: the record passed

    bool passed() const { return failure.empty(); }
};

namespace auditing {

constexpr std::array<const char*, 5> names{"arrays.npz", "manifest.json", "results.csv",
                                           "results.json", "sha256.json"};

// Nothing missing, nothing beside them.
inline void check_names(const Files& files) {
    for (const char* name : names)
        require(files.contains(name), std::string(name) + " is missing");
    for (const auto& [name, content] : files)
        require(std::ranges::find(names, name) != names.end(),
                printable(name) + " does not belong to a record");
}

inline void check_hashes(const Files& files) {
    const std::string& written = files.at("sha256.json");
    for (const char* name : hashed_files)
        require(written.find(sha256(files.at(name))) != std::string::npos,
                std::string(name) + ": its hash is not the one in sha256.json");
    require(written == sha256_json(files),
            "sha256.json holds something else than the hashes of three files");
}

// `project`: where the sources lie, if they are there.
inline void check_all(const Files& files, const std::optional<std::filesystem::path>& project,
                      std::vector<std::string>& checked) {
    check_names(files);
    checked.push_back("five files, and no other");
    const Provenance provenance = check_manifest(files.at("manifest.json"));
    checked.push_back("manifest.json is sealed, and nothing but its origin is its own");
    check_hashes(files);
    checked.push_back("sha256.json is what the three files hash to");
    const Arrays arrays = read_arrays(files.at("arrays.npz"));
    checked.push_back("arrays.npz holds the 48 arrays, in their types, shapes and order");
    check_arrays(arrays, checked);
    std::vector<Metrics> metrics;
    for (const std::uint32_t seed : protocol::seeds) {
        metrics.push_back(recomputed(arrays, seed));
        add_closed_forms(metrics.back());
    }
    checked.push_back("27 differences recomputed: errors at most 1e-12, controls at least 0.01");
    check_text("results.json", files.at("results.json"), results_json(metrics));
    check_text("results.csv", files.at("results.csv"), results_csv(metrics));
    checked.push_back("results.json and results.csv rebuilt from the arrays, byte for byte");
    if (project) {
        check_sources(provenance, *project);
        checked.push_back("the sources here have the hashes that manifest.json names");
    }
}

} // namespace auditing

// Audits the files of a record; their sources too, if `project` says where these lie.
inline Audit audit(const Files& files,
                   const std::optional<std::filesystem::path>& project = std::nullopt) {
    Audit result;
    try {
        auditing::check_all(files, project, result.checked);
    } catch (const std::exception& error) {
        result.failure = error.what();
    }
    return result;
}

// Audits a record in a folder. Throws std::runtime_error if there is no such folder.
inline Audit audit(const std::filesystem::path& folder,
                   const std::optional<std::filesystem::path>& project = std::nullopt) {
    namespace fs = std::filesystem;
    constexpr std::uintmax_t largest = 1 << 20; // five times what a record's largest file has
    if (!fs::is_directory(folder))
        throw std::runtime_error("audit: there is no folder " + folder.string());
    Files files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (std::ranges::find(auditing::names, name) == auditing::names.end())
            return {{}, printable(name) + " does not belong to a record"};
        if (!fs::is_regular_file(entry.symlink_status()))
            return {{}, name + " is no regular file"};
        if (entry.file_size() > largest)
            return {{},
                    name + " has " + std::to_string(entry.file_size()) +
                        " bytes; no file of a record is larger than " + std::to_string(largest)};
        files[name] = read_file(entry.path(), "audit");
    }
    return audit(files, project);
}

} // namespace glassbox
