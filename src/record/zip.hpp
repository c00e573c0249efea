// The zip archive, as far as .npz needs it: uncompressed ("stored") entries, each with a checksum.
//
//     local header, name, content      once for every entry
//     directory record, name           once for every entry: sizes, checksum, where it lies
//     end record                       how many there are, where the directory is
//
// An archive is read from its end. Every offset and size comes from the file and is therefore
// checked before it is used. Source: PKWARE's APPNOTE.TXT, sections 4.3 and 4.4.
#pragma once

#include "record/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace glassbox {

// The zip format's checksum: CRC-32 with the reflected polynomial 0xedb88320.
inline std::uint32_t crc32(std::span<const unsigned char> data) {
    std::uint32_t crc = 0xffffffffU;
    for (const unsigned char byte : data) {
        crc ^= byte;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320U : 0U);
    }
    return ~crc;
}

namespace zip {

constexpr std::uint32_t local_mark = 0x04034b50;     // "PK" 3 4
constexpr std::uint32_t directory_mark = 0x02014b50; // "PK" 1 2
constexpr std::uint32_t end_mark = 0x06054b50;       // "PK" 5 6

// What was read: a view into the archive, which must live as long.
struct Entry {
    std::string name;
    Bytes content;
};

// What is to be written.
struct NewEntry {
    std::string name;
    std::string content;
};

// The end record is 22 bytes plus a comment of at most 65535: look for its mark from the end.
inline std::size_t find_end_record(const Bytes& file) {
    for (std::size_t back = 22; back <= file.data.size() && back <= 22 + 65535; ++back)
        if (file.number(file.data.size() - back, 4) == end_mark)
            return file.data.size() - back;
    file.fail("not a zip archive (no end record), or cut short");
}

// The bytes of one entry, given where the directory describes it. Sizes come from the directory,
// because the copy beside the data may be left empty by a writer that streams.
inline Bytes entry_at(const Bytes& file, std::size_t directory, const std::string& name) {
    const std::uint64_t method = file.number(directory + 10, 2);
    const std::uint64_t stored_size = file.number(directory + 20, 4);
    const std::uint64_t size = file.number(directory + 24, 4);
    const std::size_t local = file.number(directory + 42, 4);
    const Bytes here{file.data, file.name + ": " + printable(name), file.reader};
    if (method != 0)
        here.fail("the entry is compressed; write it with numpy.savez, not savez_compressed");
    if (size == 0xffffffff)
        here.fail("entries of 4 GiB and more are not read");
    if (stored_size != size)
        here.fail("the directory gives it two sizes");
    if (here.number(local, 4) != local_mark)
        here.fail("no entry where the directory says it is");
    const std::size_t name_size = here.number(local + 26, 2);
    if (here.text(local + 30, name_size) != name)
        here.fail("the entry calls itself otherwise than the directory does");
    const std::size_t extra_size = here.number(local + 28, 2);
    const Bytes data = here.part(local + 30 + name_size + extra_size, size);
    if (crc32(data.data) != here.number(directory + 16, 4))
        here.fail("the checksum is wrong: the file was damaged");
    return data;
}

// All entries of an archive in the order of its directory. Together they may not be larger than
// the file: many directory records that point at the same bytes would multiply them in memory.
inline std::vector<Entry> entries(const Bytes& file) {
    const std::size_t end = find_end_record(file);
    const std::size_t count = file.number(end + 10, 2);
    if (count != file.number(end + 8, 2)) // stored twice; a damaged one must not hide entries
        file.fail("the end record gives two numbers of entries");
    std::size_t directory = file.number(end + 16, 4);
    std::size_t total = 0;
    std::vector<Entry> result;
    for (std::size_t i = 0; i < count; ++i) {
        if (file.number(directory, 4) != directory_mark)
            file.fail("the directory is damaged at entry " + std::to_string(i));
        const std::size_t name_size = file.number(directory + 28, 2);
        const std::string name = file.text(directory + 46, name_size);
        result.push_back({name, entry_at(file, directory, name)});
        total += result.back().content.data.size();
        if (total > file.data.size())
            file.fail("the entries overlap: up to '" + printable(name) +
                      "' they are larger than the file");
        directory +=
            46 + name_size + file.number(directory + 30, 2) + file.number(directory + 32, 2);
    }
    return result;
}

// Sizes and offsets have 32 bits and 0xffffffff means "see the zip64 field", which is not written.
inline std::uint64_t require_32_bits(std::uint64_t value, const std::string& what) {
    if (value >= 0xffffffff)
        throw std::length_error("write_npz: " + what + " is " + std::to_string(value) +
                                "; archives of 4 GiB and more are not written");
    return value;
}

// The fields that a local header and a directory record have in common, from "version needed" (2.0)
// on. The time is 1980-01-01 00:00, the earliest there is, so that equal arrays give equal bytes.
inline std::string common_fields(const NewEntry& entry) {
    const std::string size =
        encoded(require_32_bits(entry.content.size(), "the size of " + entry.name), 4);
    const std::string no_flags = encoded(0, 2), stored = encoded(0, 2), no_extra = encoded(0, 2);
    const std::string time_and_date = encoded(0, 2) + encoded(1 << 5 | 1, 2);
    return encoded(20, 2) + no_flags + stored + time_and_date +
        encoded(crc32(bytes_of(entry.content)), 4) + size + size + encoded(entry.name.size(), 2) +
        no_extra;
}

// The bytes of an archive with these entries. Throws std::length_error for 4 GiB, 65535 entries or
// a name of 65536 bytes.
inline std::string archive(const std::vector<NewEntry>& entries) {
    if (entries.size() >= 0xffff)
        throw std::length_error("write_npz: " + std::to_string(entries.size()) +
                                " arrays; wanted fewer than 65535");
    std::string file, directory;
    for (const NewEntry& entry : entries) {
        if (entry.name.size() > 0xffff)
            throw std::length_error("write_npz: a name of " + std::to_string(entry.name.size()) +
                                    " bytes; wanted at most 65535");
        const std::string common = common_fields(entry);
        const std::uint64_t offset = require_32_bits(file.size(), "the offset of " + entry.name);
        const std::string no_comment_disk_0 = encoded(0, 2) + encoded(0, 2) + encoded(0, 2);
        const std::string owner_may_read_and_write = encoded(0600U << 16, 4);
        directory += encoded(directory_mark, 4) + encoded(3 << 8 | 20, 2) + common +
            no_comment_disk_0 + owner_may_read_and_write + encoded(offset, 4) + entry.name;
        file += encoded(local_mark, 4) + common + entry.name + entry.content;
    }
    const std::string count = encoded(entries.size(), 2), disk_0 = encoded(0, 2);
    return file + directory + encoded(end_mark, 4) + disk_0 + disk_0 + count + count +
        encoded(require_32_bits(directory.size(), "the size of the directory"), 4) +
        encoded(require_32_bits(file.size(), "the offset of the directory"), 4) + encoded(0, 2);
}

} // namespace zip

} // namespace glassbox
