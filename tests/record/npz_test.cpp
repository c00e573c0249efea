// Reading and writing .npz: what NumPy writes, and files that are damaged or lie. No file may crash
// the reader.
#include "support.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>

using namespace glassbox;

namespace {

// Reads an archive that consists of these bytes.
std::map<std::string, Matrix> read(const std::string& bytes) {
    static const TemporaryFolder folder;
    const std::filesystem::path file = folder.path / "test.npz";
    std::ofstream(file, std::ios::binary) << bytes;
    return read_npz(file);
}

std::string little_endian(std::uint64_t value, std::size_t bytes) {
    std::string result;
    for (std::size_t i = 0; i < bytes; ++i, value /= 256)
        result += static_cast<char>(value % 256);
    return result;
}

// The bytes of the numbers, as they lie in memory on a little-endian machine.
template <typename Integer, typename Number>
std::string raw(const std::vector<Number>& numbers) {
    std::string result;
    for (const Number number : numbers)
        result += little_endian(std::bit_cast<Integer>(number), sizeof number);
    return result;
}

std::string npy_with_header(const std::string& header, const std::string& data) {
    return std::string("\x93NUMPY\x01\x00", 8) + little_endian(header.size(), 2) + header + data;
}

std::string npy_array(const std::string& type, const std::string& shape, const std::string& data,
                      const std::string& fortran = "False") {
    return npy_with_header("{'descr': " + type + ", 'fortran_order': " + fortran +
                               ", 'shape': " + shape + ", }\n",
                           data);
}

struct Entry {
    std::string name;
    std::string content;
    std::string extra = ""; // a field that the reader has to skip
    std::uint64_t method = 0;
};

// A zip archive: every entry behind its local header, then the directory, then the end record.
std::string zip_of(const std::vector<Entry>& entries, const std::string& comment = "") {
    std::string file, directory;
    for (const Entry& entry : entries) {
        const std::vector<unsigned char> bytes(entry.content.begin(), entry.content.end());
        const std::string size = little_endian(bytes.size(), 4);
        const std::string common = little_endian(20, 4) + little_endian(entry.method, 2) +
            little_endian(0, 4) + little_endian(crc32(bytes), 4) + size + size +
            little_endian(entry.name.size(), 2) + little_endian(entry.extra.size(), 2);
        directory += "PK\x01\x02" + little_endian(20, 2) + common + little_endian(0, 10) +
            little_endian(file.size(), 4) + entry.name + entry.extra;
        file += "PK\x03\x04" + common + entry.name + entry.extra + entry.content;
    }
    const std::string count = little_endian(entries.size(), 2);
    return file + directory + "PK\x05\x06" + little_endian(0, 4) + count + count +
        little_endian(directory.size(), 4) + little_endian(file.size(), 4) +
        little_endian(comment.size(), 2) + comment;
}

const std::string one_and_two = raw<std::uint64_t>(std::vector<double>{1, 2});
const std::string small = zip_of({{"v.npy", npy_array("'<f8'", "(1, 2)", one_and_two)}});
const std::size_t directory_of_small = small.find("PK\x01\x02");

// `small` with other bytes in its directory, counted from the directory's start.
std::string small_with(std::size_t offset, const std::string& bytes) {
    return std::string(small).replace(directory_of_small + offset, bytes.size(), bytes);
}

// Reads the array of an archive that holds this one .npy entry.
Matrix read_array(const std::string& content) {
    return read(zip_of({{"v.npy", content}})).at("v");
}

// The archive is refused with a std::runtime_error that names reader, file and reason.
void check_refused(const std::string& bytes, const std::string& reason) {
    BOOST_CHECK_THROW(read(bytes), std::runtime_error);
    check_message([&] { read(bytes); }, {"read_npz: ", "test.npz", reason});
}

} // namespace

BOOST_AUTO_TEST_SUITE(npz)

BOOST_AUTO_TEST_CASE(crc32_has_its_published_check_value) {
    const std::string digits = "123456789";
    BOOST_CHECK_EQUAL(crc32(std::vector<unsigned char>(digits.begin(), digits.end())), 0xcbf43926U);
    BOOST_CHECK_EQUAL(crc32({}), 0U);
}

BOOST_AUTO_TEST_CASE(the_reference_files_are_read) {
    const std::vector<std::pair<std::string, std::size_t>> files{
        {"random", 45}, {"labs", 28}, {"operations", 29}, {"block_causality", 31}};
    for (const auto& [file, count] : files)
        BOOST_CHECK_EQUAL(read_npz("tests/golden/" + file + ".npz").size(), count);
    BOOST_CHECK_EQUAL(shape_text(golden("operations", "softmax_masked_in")), "7x9");
    BOOST_CHECK_EQUAL(shape_text(golden("random", "numpy7_standard_normal_2000")), "1x2000");
    BOOST_CHECK_EQUAL(shape_text(golden("block_causality", "mlp_fc_weight")), "32x8");
    const Matrix position_0{{0, 1, 0, 1, 0, 1, 0, 1}};
    BOOST_CHECK(same_bits(rows_of(golden("operations", "sinusoidal_8"), 0, 1), position_0));
    const Matrix change{{0, 0, 0, 1.5838479752, 0.1494419444, 0.1578606188}};
    check_close(golden("block_causality", "change"), change, 5e-11);
}

BOOST_AUTO_TEST_CASE(an_array_comes_back_bit_for_bit, *label("bits_compared_by_value")) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Matrix m{{0.0, -0.0, 0.1}, {infinity, -infinity, std::nan("7")}};
    const Matrix back = read_array(npy_array("'<f8'", "(2, 3)", raw<std::uint64_t>(m.values)));
    BOOST_CHECK(same_bits(back, m));
}

BOOST_AUTO_TEST_CASE(other_types_become_doubles) {
    const std::string floats = raw<std::uint32_t>(std::vector<float>{0.1F, -2.5F});
    BOOST_CHECK(same_bits(read_array(npy_array("'<f4'", "(1, 2)", floats)), Matrix{{0.1F, -2.5}}));
    const std::string integers =
        raw<std::uint64_t>(std::vector<std::int64_t>{-1, 0, 9007199254740992});
    BOOST_CHECK(
        same_bits(read_array(npy_array("'<i8'", "(1, 3)", integers)), Matrix{{-1, 0, 0x1p53}}));
}

BOOST_AUTO_TEST_CASE(fewer_dimensions_become_one_row) {
    const std::string number = one_and_two.substr(0, 8);
    BOOST_CHECK(same_bits(read_array(npy_array("'<f8'", "(2,)", one_and_two)), Matrix{{1, 2}}));
    BOOST_CHECK(same_bits(read_array(npy_array("'<f8'", "()", number)), Matrix{{1}}));
    BOOST_CHECK(same_bits(read_array(npy_array("'<f8'", "(2, 1)", one_and_two)), Matrix{{1}, {2}}));
    BOOST_CHECK_EQUAL(shape_text(read_array(npy_array("'<f8'", "(0, 2)", ""))), "0x2");
}

BOOST_AUTO_TEST_CASE(unknown_fields_and_a_comment_are_skipped) {
    const std::string number = one_and_two.substr(0, 8);
    const auto arrays =
        read(zip_of({{"first.npy", npy_array("'<f8'", "(1, 2)", one_and_two), "extra"},
                     {"second.npy", npy_array("'<f8'", "(1, 1)", number), "field"}},
                    "a comment of up to 65535 bytes"));
    BOOST_CHECK_EQUAL(arrays.size(), 2U);
    BOOST_CHECK(same_bits(arrays.at("first"), Matrix{{1, 2}}));
    BOOST_CHECK(same_bits(arrays.at("second"), Matrix{{1}}));
    BOOST_CHECK(read(zip_of({})).empty());
}

BOOST_AUTO_TEST_CASE(what_is_no_archive_is_refused) {
    const TemporaryFolder folder;
    const std::filesystem::path missing = folder.path / "missing.npz";
    BOOST_CHECK_THROW(read_npz(missing), std::runtime_error);
    check_message([&] { read_npz(missing); }, {"read_npz: cannot open " + missing.string()});
    check_message([&] { read_npz(folder.path); },
                  {"read_npz: cannot open " + folder.path.string()});
    check_refused("", "not a zip archive");
    check_refused("PK", "not a zip archive");
    check_refused(std::string(100000, 'x'), "not a zip archive");
}

BOOST_AUTO_TEST_CASE(an_archive_cut_short_anywhere_is_refused) {
    for (std::size_t length = 0; length < small.size(); ++length)
        BOOST_CHECK_THROW(read(small.substr(0, length)), std::runtime_error);
    BOOST_CHECK(same_bits(read(small).at("v"), Matrix{{1, 2}}));
}

// A zip has no checksum over its directory, so a damaged name is another name. Numbers have one.
BOOST_AUTO_TEST_CASE(a_flipped_bit_anywhere_is_refused_or_does_no_harm) {
    std::size_t refused = 0;
    for (std::size_t bit = 0; bit < 8 * small.size(); ++bit) {
        std::string damaged = small;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
        try {
            for (const auto& [name, numbers] : read(damaged))
                BOOST_CHECK_MESSAGE(same_bits(numbers, Matrix{{1, 2}}), "bit " << bit);
        } catch (const std::exception&) {
            ++refused;
        }
    }
    BOOST_CHECK_GT(refused, 8 * npy_array("'<f8'", "(1, 2)", one_and_two).size());
}

BOOST_AUTO_TEST_CASE(a_changed_number_is_found_by_the_checksum) {
    for (std::size_t i = 0; i < one_and_two.size(); ++i) {
        std::string damaged = small;
        char& byte = damaged[small.find(one_and_two) + i];
        byte = static_cast<char>(byte ^ 1);
        check_refused(damaged, "v.npy: the checksum is wrong");
    }
}

BOOST_AUTO_TEST_CASE(a_directory_that_lies_is_refused) {
    check_refused(small_with(0, "XY"), "the directory is damaged at entry 0");
    check_refused(small_with(20, little_endian(5, 4)), "v.npy: the directory gives it two sizes");
    check_refused(small_with(46, "w"), "w.npy: the entry calls itself otherwise");
    check_refused(small_with(20, std::string(8, '\xff')), "4 GiB and more are not read");
    check_refused(small_with(20, little_endian(1 << 20, 4) + little_endian(1 << 20, 4)),
                  "truncated: wanted 1048576 bytes");
    check_refused(small_with(42, little_endian(0xfffffff0U, 4)), "truncated: wanted 4 bytes");
    check_refused(small_with(42, little_endian(7, 4)), "no entry where the directory says it is");
    std::string elsewhere = small;
    elsewhere.replace(small.size() - 6, 4, little_endian(0xfffffff0U, 4));
    check_refused(elsewhere, "truncated: wanted 4 bytes at offset 4294967280");
    std::string two_promised = small;
    two_promised.replace(small.size() - 14, 4, little_endian(2, 2) + little_endian(2, 2));
    check_refused(two_promised, "the directory is damaged at entry 1");
    std::string none_promised = small;
    none_promised.replace(small.size() - 12, 2, little_endian(0, 2));
    check_refused(none_promised, "the end record gives two numbers of entries");
}

BOOST_AUTO_TEST_CASE(a_compressed_entry_and_a_second_one_of_the_same_name_are_refused) {
    const std::string content = npy_array("'<f8'", "(1, 2)", one_and_two);
    check_refused(zip_of({{"v.npy", content, "", 8}}), "compressed; write it with numpy.savez");
    check_refused(zip_of({{"v.npy", content}, {"v.npy", content}}), "two arrays are called 'v'");
    check_refused(zip_of({{"v.npy", content}, {"v", content}}), "two arrays are called 'v'");
}

BOOST_AUTO_TEST_CASE(entries_that_are_no_arrays_are_named) {
    const std::string content = npy_array("'<f8'", "(1, 2)", one_and_two);
    check_refused(zip_of({{"out/", ""}, {"v.npy", content}}), "out/ is a folder, no array; numpy");
    check_refused(zip_of({{"__MACOSX/._v.npy", "x"}}),
                  "__MACOSX/._v.npy is what macOS puts beside a file, no array");
    check_refused(zip_of({{"runs/data.pkl", "x"}}), "a PyTorch file, as torch.save writes it; in");
    check_refused(content, "a single array, as numpy.save writes it; wanted an archive of arrays");
    check_refused("\x1f\x8b\x08", "compressed by gzip");
    std::vector<std::string> left_out;
    const std::string folder = "tests/golden/outputs/";
    BOOST_CHECK_EQUAL(read_npz_arrays(folder + "with_folder.npz", left_out).size(), 8U);
    BOOST_CHECK_EQUAL(read_npz_arrays(folder + "with_macosx.npz", left_out).size(), 8U);
    BOOST_CHECK(left_out ==
                (std::vector<std::string>{"out/ is a folder",
                                          "__MACOSX/._baseline.npy is what macOS puts beside a "
                                          "file"}));
    check_message([&] { read_npz(folder + "runs.pt"); }, {"runs.pt: a PyTorch file"});
}

// A file that nobody vouches for cannot print a line of its own, whatever it is refused for.
BOOST_AUTO_TEST_CASE(nothing_out_of_an_archive_is_printed_raw, *label("names_printed_raw")) {
    const std::string evil = "a\n\x1b[2KTHE RECORD HOLDS: YES",
                      content = npy_array("'<f8'", "(1, 2)", one_and_two);
    const std::vector<std::string> archives{
        zip_of({{evil, "x"}}),                               // no array
        zip_of({{evil, content, "", 8}}),                    // compressed
        zip_of({{evil, content}, {evil + ".npy", content}}), // twice
        zip_of({{evil + "/", ""}}),                          // a folder
        zip_of({{"__MACOSX/" + evil, ""}}),
        zip_of({{"v.npy", npy_array("'" + evil + "'", "(1, 2)", one_and_two)}}),
        zip_of({{"v.npy", npy_array("[('" + evil + "', 1)]", "(1, 2)", one_and_two)}}),
        zip_of({{"v.npy", npy_array("'<f8'", evil, one_and_two)}}),
        zip_of({{"v.npy", npy_array("'<f8'", "(" + evil + ")", one_and_two)}}),
        zip_of({{"v.npy", npy_array("'<f8'", "(1, 2)", one_and_two, evil)}}),
        zip_of({{"v.npy", npy_with_header(evil, one_and_two)}}),
        zip_of({{"v.npy", npy_with_header("{'" + evil + "': 1, '" + evil + "': 1}", one_and_two)}}),
        zip_of({{"v.npy", npy_with_header("{'" + evil + "': 1}", one_and_two)}})};
    for (const std::string& archive : archives) {
        const std::string message = message_of([&] { read(archive); });
        const bool raw = std::ranges::any_of(message, [](char c) { return c < ' ' || c > '~'; });
        BOOST_CHECK_MESSAGE(!raw && message.find("read_npz: ") == 0, message);
        BOOST_CHECK_MESSAGE(message.find("a\\x0a\\x1b[2K") != std::string::npos, message);
    }
}

BOOST_AUTO_TEST_CASE(an_array_that_lies_is_refused) {
    const auto shape = [](const std::string& text) {
        return npy_array("'<f8'", text, one_and_two);
    };
    const auto type = [](const std::string& text) {
        return npy_array(text, "(1, 2)", one_and_two);
    };
    const std::vector<std::pair<std::string, std::string>> cases{
        {npy_array("'<f8'", "(1, 2)", one_and_two, "True"), "Fortran order"},
        {type("'>f8'"), "the type is '>f8'; wanted "},
        {type("'|b1'"), "the type is '|b1'"},
        {type("'<c16'"), "the type is '<c16"},
        {type("[('a', '<f8')]"), "the type is [('a"},
        {shape("(1, 1, 2)"), "3 dimensions; wanted 0 to 2"},
        {shape("(3, 1)"), "the header promises 3x1 numbers, 2 are there"},
        {shape("(4294967296, 4294967296)"), "promises 4294967296x4294967296 numbers"},
        {shape("(9223372036854775808, 2)"), "promises 9223372036854775808x2 numbers"},
        {shape("(99999999999999999999,)"), "no tuple of sizes"},
        {shape("(9999999999999999999, 0)"), "promises 9999999999999999999x0 numbers"},
        {npy_array("'<i8'", "()", little_endian((1ULL << 53) + 1, 8)), "does not fit in a double"},
        {shape("(1, 1)"), "bytes left over"},
        {shape("(0, 2)"), "bytes left over"},
        {shape("(-1, 2)"), "no tuple of sizes"},
        {shape("(1 2)"), "no tuple of sizes"},
        {shape("(,)"), "no tuple of sizes"},
        {shape("(2)"), "no tuple of sizes"},
        {shape("(01, 2)"), "no tuple of sizes"},
        {shape("2"), "no tuple of sizes"},
        {npy_with_header("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2", one_and_two),
         "the .npy header is no dictionary in Python's notation: {'descr': '<f8', 'fortran"},
        {npy_with_header("{'descr': '<f8', 'shape': (1, 2), }", one_and_two),
         "does not say 'fortran_order'"},
        {npy_with_header("", one_and_two), "the .npy header is no dictionary"},
        {npy_array("'<f4'", "(1, 2)", one_and_two), "bytes left over"},
        {npy_array("'<f8'", "(1, 2)", one_and_two + "x"), "bytes left over"},
        {npy_array("'<f8'", "(1, 2)", one_and_two.substr(1)), "promises 1x2 numbers, 1 are there"},
        {std::string("\x93NUMPY\x01\x00\xff\xff{}", 12), "truncated: wanted 65535 bytes"},
        {std::string("\x93NUMPY\x02\x00\x00\x00\x00\x00", 12), "not an .npy array of version 1.0"},
        {"\x93NUMPY\x01", "truncated: wanted 8 bytes at offset 0, there are 7"},
        {"", "truncated: wanted 8 bytes"}};
    for (const auto& [content, reason] : cases)
        check_refused(zip_of({{"v.npy", content}}), reason);
}

// 65535 directory records may point at the same bytes: read, they would be 65535 times as many.
BOOST_AUTO_TEST_CASE(entries_that_overlap_are_refused, *label("npz_overlap_allowed")) {
    const std::string content = npy_array("'<f8'", "(1, 64)", std::string(512, 'x'));
    const std::string once = zip_of({{"a0000.npy", content}});
    const std::size_t directory = once.find("PK\x01\x02");
    const std::string record = once.substr(directory, once.size() - 22 - directory);
    std::string records;
    for (int i = 0; i < 65535; ++i)
        records += record;
    const std::string count = little_endian(65535, 2);
    check_refused(once.substr(0, directory) + records + "PK\x05\x06" + little_endian(0, 4) + count +
                      count + little_endian(records.size(), 4) + little_endian(directory, 4) +
                      little_endian(0, 2),
                  "the entries overlap: up to 'a0000.npy' they are larger than the file");
}

BOOST_AUTO_TEST_CASE(what_is_no_regular_file_is_not_read) {
    if (std::filesystem::exists("/dev/zero")) // endless
        check_message([] { read_npz("/dev/zero"); }, {"read_npz: cannot open /dev/zero"});
}

// Found by make fuzz (tests/fuzz): a header with two shapes and signs between them.
BOOST_AUTO_TEST_CASE(a_shape_with_text_in_it_is_refused) {
    for (const char* shape :
         {"(i8', '}fort\x00{'descr': '<f8',dran, 'sh4, 3)", "(9", "9", "(a1b2)"})
        check_refused(zip_of({{"v.npy", npy_array("'<i8'", shape, one_and_two)}}),
                      "no tuple of sizes");
}

// What NumPy wrote, read and written again: the very bytes of every entry, in all reference files.
BOOST_AUTO_TEST_CASE(our_arrays_are_byte_for_byte_what_numpy_writes, *label("npy_padding")) {
    std::size_t entries = 0, integers = 0, vectors = 0;
    for (const char* name : {"mechanics", "random", "labs", "operations", "block_causality"}) {
        const std::string file = read_file(std::string("tests/golden/") + name + ".npz");
        for (const zip::Entry& entry : zip::entries({bytes_of(file), name})) {
            const std::string theirs = entry.content.text(0, entry.content.data.size());
            NpyArray array{entry.name, npy::parse(entry.content)};
            array.type = theirs.substr(theirs.find("': '") + 4, 3);
            array.dimensions = theirs.find(",)") < 128 ? 1 : 2;
            BOOST_CHECK_MESSAGE(npy::format(array) == theirs, name << ": " << entry.name);
            integers += array.type == "<i8";
            vectors += array.dimensions == 1;
            ++entries;
        }
    }
    BOOST_CHECK_EQUAL(entries, 69U + 45U + 28U + 29U + 31U);
    BOOST_CHECK_EQUAL(integers, 6U);
    BOOST_CHECK_EQUAL(vectors, 3U);
}

// The archive around them is plain: version 2.0, no zip64 fields, where NumPy writes both.
BOOST_AUTO_TEST_CASE(the_bytes_of_an_archive_are_these, *label("npy_padding")) {
    const NpyArray vector{"v", Matrix{{1, 2}}, "<f8", 1};
    const std::string content = npy::format(vector);
    const std::string header =
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }" + std::string(60, ' ') + "\n";
    BOOST_CHECK_EQUAL(header.size(), 118U);
    BOOST_CHECK(content == npy_with_header(header, one_and_two));
    const std::string common = little_endian(20, 2) + little_endian(0, 4) + little_endian(0, 2) +
        little_endian(0x21, 2) +
        little_endian(crc32(std::vector<unsigned char>(content.begin(), content.end())), 4) +
        little_endian(144, 4) + little_endian(144, 4) + little_endian(5, 2) + little_endian(0, 2);
    const std::string entry = "PK\x03\x04" + common + "v.npy" + content;
    const std::string directory = "PK\x01\x02" + little_endian(0x0314, 2) + common +
        little_endian(0, 6) + little_endian(0x01800000, 4) + little_endian(0, 4) + "v.npy";
    const std::string end = "PK\x05\x06" + little_endian(0, 4) + little_endian(1, 2) +
        little_endian(1, 2) + little_endian(directory.size(), 4) + little_endian(entry.size(), 4) +
        little_endian(0, 2);
    BOOST_CHECK(format_npz({vector}) == entry + directory + end);
}

BOOST_AUTO_TEST_CASE(what_is_written_is_read_back_bit_for_bit, *label("bits_compared_by_value")) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const TemporaryFolder folder;
    const Matrix doubles{{0.1, -0.0, infinity}, {std::nan("7"), 5e-324, -1e308}};
    const Matrix floats{{0.1F, -0.0, infinity, -infinity, std::nan(""), 3.4028234663852886e38}};
    const Matrix integers{{-3}, {0}, {0x1p53}, {-0x1p53}};
    write_npz(folder.path / "a.npz",
              {{"doubles", doubles},
               {"floats", floats, "<f4", 1},
               {"integers", integers, "<i8"},
               {"nothing", Matrix(0, 3)}});
    const auto arrays = read_npz(folder.path / "a.npz");
    BOOST_CHECK_EQUAL(arrays.size(), 4U);
    BOOST_CHECK(same_bits(arrays.at("doubles"), doubles));
    BOOST_CHECK(same_bits(arrays.at("floats"), floats));
    BOOST_CHECK(same_bits(arrays.at("integers"), integers));
    BOOST_CHECK_EQUAL(shape_text(arrays.at("nothing")), "0x3");
    BOOST_CHECK(read(format_npz({})).empty());
}

BOOST_AUTO_TEST_CASE(what_cannot_be_written_exactly_is_refused) {
    const auto refused = [](const NpyArray& array, const std::string& reason) {
        BOOST_CHECK_THROW(format_npz({array}), std::invalid_argument);
        check_message([&] { format_npz({array}); }, {"write_npz: ", reason});
    };
    refused({"v", Matrix{{0.1}}, "<f4"}, "v: the number 0.100000 is not exactly of type <f4");
    refused({"v", Matrix{{1e39}}, "<f4"}, "is not exactly of type <f4");
    for (const double value : {0.5, 1e300, -0x1p54, std::nan(""), HUGE_VAL})
        refused({"v", Matrix{{value}}, "<i8"}, "is not exactly of type <i8");
    refused({"v", Matrix{{1}}, ">f8"}, "v: the type is '>f8'; wanted ");
    refused({"v", Matrix{{1}}, "<f8", 3}, "v: it shall have 3 dimensions; wanted 1 or 2");
    refused({"v", Matrix(2, 1), "<f8", 1}, "v: a vector of 2x1 numbers; wanted one row");
    refused({"", Matrix{{1}}}, "an array is called ''; wanted printable ASCII");
    refused({"a\n", Matrix{{1}}}, "wanted printable ASCII");
    refused({"\xc3\xa4", Matrix{{1}}}, "wanted printable ASCII");
    Matrix torn(2, 2);
    torn.values.pop_back();
    refused({"v", torn}, "v: it holds 3 numbers; a matrix of 2x2 has others");
    check_message(
        [] {
            format_npz({{"v", Matrix{{1}}}, {"v", Matrix{{2}}}});
        },
        {"write_npz: two arrays are called 'v'"});
}

BOOST_AUTO_TEST_CASE(sizes_beyond_the_format_are_refused) {
    BOOST_CHECK_EQUAL(zip::require_32_bits(0xfffffffe, "size"), 0xfffffffeU);
    check_message([] { zip::require_32_bits(0xffffffff, "the size of v"); },
                  {"write_npz: the size of v is 4294967295; archives of 4 GiB and more"});
    BOOST_CHECK_EQUAL(
        zip::entries({bytes_of(zip::archive(std::vector<zip::NewEntry>(65534))), "a"}).size(),
        65534U);
    check_message([] { zip::archive(std::vector<zip::NewEntry>(65535)); },
                  {"write_npz: 65535 arrays; wanted fewer than 65535"});
    check_message(
        [] {
            zip::archive({{std::string(65536, 'x'), ""}});
        },
        {"write_npz: a name of 65536 bytes; wanted at most 65535"});
}

BOOST_AUTO_TEST_CASE(a_place_that_cannot_be_written_to_is_an_error) {
    const TemporaryFolder folder;
    check_message(
        [&] {
            write_npz(folder.path, {{"v", Matrix{{1}}}});
        },
        {"write_npz: cannot open ", " for writing"});
    if (std::filesystem::exists("/dev/full"))
        check_message(
            [] {
                write_npz("/dev/full", {{"v", Matrix{{1}}}});
            },
            {"write_npz: cannot write the ", "is the disk full?"});
}

BOOST_AUTO_TEST_SUITE_END()
