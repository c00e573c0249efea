// A folder of files that is complete or not there. The files go into a folder beside the wanted
// one, which takes its name only when it is complete: whoever sees DIR sees all of it.
#pragma once

#include "record/bytes.hpp"
#include "record/results.hpp"

#include <filesystem>
#include <random>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace glassbox {

// A folder in the system's place for temporary files, gone with all that is in it at the end.
struct ScratchFolder {
    std::filesystem::path path = std::filesystem::temp_directory_path() /
        ("glassbox_" + std::to_string(std::random_device{}()));
    ScratchFolder() { std::filesystem::create_directory(path); }
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
};

// An empty folder `.NAME.partial` for the files of NAME. One that a killed run left behind is
// removed first, if it holds nothing but such files; anything else is not ours to delete.
inline void make_partial_folder(const std::filesystem::path& partial, const Files& files) {
    namespace fs = std::filesystem;
    const auto in_the_way = [](const fs::path& path) {
        const fs::path shown = path.parent_path() / printable(path.filename().string());
        throw std::runtime_error("write_record: " + shown.string() +
                                 " is in the way, and no killed run has left it there; look at it, "
                                 "then remove it");
    };
    const fs::file_status status = fs::symlink_status(partial);
    if (fs::exists(status) && !fs::is_directory(status))
        in_the_way(partial);
    if (fs::exists(status))
        for (const fs::directory_entry& entry : fs::directory_iterator(partial))
            if (!files.contains(entry.path().filename().string()) || entry.is_directory())
                in_the_way(entry.path());
    fs::remove_all(partial);
    fs::create_directory(partial);
}

// The folders that are missing on the way to `folder` and itself, the innermost first.
inline std::vector<std::filesystem::path> missing_folders(std::filesystem::path folder) {
    std::vector<std::filesystem::path> missing;
    for (; !folder.empty() && !std::filesystem::exists(folder); folder = folder.parent_path())
        missing.push_back(folder);
    return missing;
}

// Writes the files into a new folder: beside it first, then under its name. Returns the folders on
// the way to it that had to be made, the outermost first. Throws std::runtime_error if it is there
// already or a file cannot be written, and leaves nothing then.
inline std::vector<std::filesystem::path> write_record(const Files& files,
                                                       const std::filesystem::path& folder) {
    namespace fs = std::filesystem;
    const fs::path wanted = folder.has_filename() ? folder : folder.parent_path(); // "run/"
    if (!wanted.has_filename() || fs::exists(fs::symlink_status(wanted)))
        throw std::runtime_error("write_record: " + folder.string() +
                                 " is there already; wanted a new folder");
    const fs::path parent = wanted.parent_path();
    const fs::path partial = parent / ("." + wanted.filename().string() + ".partial");
    const std::vector<fs::path> new_folders = missing_folders(parent);
    if (!new_folders.empty())
        fs::create_directories(parent);
    make_partial_folder(partial, files);
    try {
        for (const auto& [name, content] : files)
            write_file(partial / name, content, "write_record");
        fs::rename(partial, wanted);
    } catch (...) {
        std::error_code ignored; // the first error is the one to tell
        fs::remove_all(partial, ignored);
        for (const fs::path& made : new_folders)
            fs::remove(made, ignored); // only if nothing else is in it
        throw;
    }
    return {new_folders.rbegin(), new_folders.rend()};
}

} // namespace glassbox
