// Which sources a record's program is built from, and their hashes. Recorder and auditor share it;
// it reads files and knows no decoder.
#pragma once

#include "record/bytes.hpp"
#include "record/sha256.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace glassbox {

// The program that records.
constexpr const char* recorder_source = "lessons/16_record.cpp";

// The folder that holds src/ and lessons/: the current one, or one above this program; nothing if
// the sources are not there.
inline std::optional<std::filesystem::path> project_of(const std::filesystem::path& program) {
    namespace fs = std::filesystem;
    if (fs::exists(fs::current_path() / recorder_source))
        return fs::current_path();
    for (fs::path folder = fs::absolute(program); folder != folder.parent_path();
         folder = folder.parent_path())
        if (fs::exists(folder / recorder_source))
            return folder;
    return std::nullopt;
}

// The files that a program is built from, with their hashes: the program's own source and what it
// includes in quotation marks, directly or not. Paths are relative to the project's folder.
inline std::map<std::string, std::string> hashes_of_sources(const std::filesystem::path& project,
                                                            const std::string& source) {
    std::map<std::string, std::string> hashes;
    std::vector<std::string> unread{source};
    while (!unread.empty()) {
        const std::string file = unread.back();
        unread.pop_back();
        if (hashes.contains(file))
            continue;
        const std::string text = read_file(project / file, "hashes_of_sources");
        hashes[file] = sha256(text);
        const std::string include = "\n#include \"";
        for (std::size_t at = text.find(include); at != std::string::npos;
             at = text.find(include, at + 1)) {
            const std::size_t name = at + include.size();
            unread.push_back("src/" + text.substr(name, text.find('"', name) - name));
        }
    }
    return hashes;
}

} // namespace glassbox
