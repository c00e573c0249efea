// What the audit does with texts: it writes the one that would be right and compares. There is no
// JSON reader here, and none that could be fooled.
#pragma once

#include "record/bytes.hpp"
#include "record/results.hpp"
#include "record/sources.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace glassbox::auditing {

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline void require(bool holds, const std::string& failure) {
    if (!holds)
        throw Failure(failure);
}

// The field of a table in which the byte `at` lies, by the names in results.csv.
inline std::string field_at(const std::string& table, std::size_t at) {
    const std::size_t start = at == 0 ? 0 : table.rfind('\n', at - 1) + 1; // npos + 1 is 0
    const std::string before = table.substr(start, at - start);
    const auto field = static_cast<std::size_t>(std::ranges::count(before, ','));
    const Fields fields = fields_of(Metrics{});
    return field < fields.size() ? fields[field].first : "behind the last";
}

// The text rebuilt from what is right against the recorded one; names the first line, the first
// byte and in a table the field that differ.
inline void check_text(const std::string& name, const std::string& recorded,
                       const std::string& rebuilt) {
    if (recorded == rebuilt)
        return;
    const auto at = std::ranges::mismatch(recorded, rebuilt).in1;
    const auto byte = static_cast<std::size_t>(at - recorded.begin());
    const auto line = 1 + std::count(recorded.begin(), at, '\n');
    const auto line_of = [&](const std::string& text) -> std::string {
        std::istringstream lines(text);
        std::string found;
        for (auto i = line; i > 0; --i)
            if (!std::getline(lines, found))
                return "nothing";
        found.erase(0, std::min(found.find_first_not_of(' '), found.size()));
        return "'" + printable(found) + "'";
    };
    throw Failure(name + ", line " + std::to_string(line) + ": recorded is " + line_of(recorded) +
                  ", wanted is " + line_of(rebuilt) + "; they part at byte " +
                  std::to_string(byte) +
                  (name.ends_with(".csv") ? ", field " + field_at(recorded, byte) : ""));
}

// The text that json_string puts into quotation marks.
inline std::string unquoted(std::string_view json) {
    std::string text;
    for (std::size_t i = 1; i + 1 < json.size(); ++i) {
        if (json[i] == '\\' && json.substr(i + 1, 3) == "u00" && i + 5 < json.size()) {
            text += static_cast<char>(
                std::strtol(std::string(json.substr(i + 4, 2)).c_str(), nullptr, 16));
            i += 5;
        } else {
            i += json[i] == '\\';
            text += json[i];
        }
    }
    return text;
}

// What a manifest says of its origin, line by line. Whatever is overlooked here, said twice or said
// elsewhere is missing in the manifest that is rebuilt from it.
inline Provenance provenance_in(const std::string& manifest) {
    Provenance found;
    std::istringstream lines(manifest);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find("\": \""), indent = line.find('"');
        if (colon == std::string::npos)
            continue;
        const std::string name = unquoted(line.substr(indent, colon + 1 - indent));
        const std::string value = unquoted(line.substr(colon + 3, line.rfind('"') - colon - 2));
        if (indent == 4 && name.find('/') != std::string::npos)
            found.sources[name] = value;
        for (const auto& [field, text] :
             {std::pair{"time", &found.time}, std::pair{"compiler", &found.compiler},
              std::pair{"flags", &found.flags}})
            if (indent == 2 && name == field)
                *text = value;
    }
    return found;
}

// "2000-01-01T00:00:00Z", or another moment; how long a month is, is not asked.
inline bool is_time(const std::string& text) {
    constexpr std::string_view form = "dddd-dd-ddTdd:dd:ddZ";
    const bool right_form = std::ranges::equal(text, form, [](char c, char wanted) {
        return wanted == 'd' ? '0' <= c && c <= '9' : c == wanted;
    });
    const auto within = [&](std::size_t at, int least, int most) {
        const int number = 10 * (text[at] - '0') + text[at + 1] - '0';
        return least <= number && number <= most;
    };
    return right_form && within(5, 1, 12) && within(8, 1, 31) && within(11, 0, 23) &&
        within(14, 0, 59) && within(17, 0, 60);
}

inline bool is_hash(const std::string& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// The seal covers all bytes before it, so it can be checked without understanding them. Then the
// manifest is written anew, from what it says of its origin and from this protocol.
inline Provenance check_manifest(const std::string& manifest) {
    const std::size_t size = seal_of("").size();
    require(manifest.size() > size, "manifest.json is too short to have a seal");
    const std::string_view sealed = std::string_view(manifest).substr(0, manifest.size() - size);
    require(manifest.ends_with(seal_of(sealed)),
            "manifest.json: its seal is not the hash of the bytes before it");
    const Provenance found = provenance_in(manifest);
    check_text("manifest.json", manifest, manifest_json(found));
    require(is_time(found.time),
            "manifest.json: the time is '" + printable(found.time) +
                "'; wanted the form 2000-01-01T00:00:00Z");
    require(!found.compiler.empty() && !found.flags.empty(),
            "manifest.json names no compiler or no flags");
    require(found.sources.contains(recorder_source),
            std::string("manifest.json names no source ") + recorder_source);
    for (const auto& [file, hash] : found.sources)
        require(is_hash(hash),
                "manifest.json: the hash of " + printable(file) + " is '" + printable(hash) +
                    "'; wanted 64 hexadecimal digits");
    return found;
}

// The sources that a manifest names against those that lie in a project.
inline void check_sources(const Provenance& found, const std::filesystem::path& project) {
    const auto here = hashes_of_sources(project, recorder_source);
    const std::string other = "; was the record made from other sources than these?";
    for (const auto& [file, hash] : here) {
        const auto named = found.sources.find(file);
        require(named != found.sources.end(), "manifest.json does not name " + file + other);
        require(named->second == hash,
                "manifest.json: the hash of " + file + " is not that of the file here" + other);
    }
    for (const auto& [file, hash] : found.sources)
        require(here.contains(file),
                "manifest.json names " + printable(file) +
                    ", which does not belong to the program here" + other);
}

} // namespace glassbox::auditing
