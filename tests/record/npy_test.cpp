// Single .npy arrays: float16, dimensions, and the messages that tell what to do instead. What an
// archive adds is in npz_test.cpp.
#include "support.hpp"

#include "record/npy.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

using namespace glassbox;

namespace {

// An .npy array with this header and these bytes.
std::string npy_of(const std::string& type, const std::string& shape, const std::string& data) {
    const std::string header =
        "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
    return std::string("\x93NUMPY\x01\x00", 8) + encoded(header.size(), 2) + header + data;
}

npy::Array parsed(const std::string& bytes) {
    return npy::parse_array({bytes_of(bytes), "a.npy", "read_npy"});
}

std::string doubles(const std::vector<double>& values) {
    std::string data;
    for (const double value : values)
        data += encoded(std::bit_cast<std::uint64_t>(value), 8);
    return data;
}

npy::Array with_header(const std::string& header) {
    return parsed(std::string("\x93NUMPY\x01\x00", 8) + encoded(header.size(), 2) + header +
                  doubles({1, 2}));
}

} // namespace

BOOST_AUTO_TEST_SUITE(npy_arrays)

BOOST_AUTO_TEST_CASE(float16_has_these_values, *label("half_without_small_numbers")) {
    const std::vector<std::pair<std::uint64_t, double>> cases{{0x0000, 0.0},
                                                              {0x3c00, 1.0},
                                                              {0x3c01, 1.0 + 1.0 / 1024},
                                                              {0xc000, -2.0},
                                                              {0x3555, 0x1.554p-2},
                                                              {0x7bff, 65504.0},
                                                              {0x0400, 0x1p-14},
                                                              {0x03ff, 1023 * 0x1p-24},
                                                              {0x0001, 0x1p-24},
                                                              {0x8001, -0x1p-24},
                                                              {0x8000, -0.0},
                                                              {0x2e66, 0x1.998p-4}};
    for (const auto& [bits, value] : cases)
        BOOST_CHECK_MESSAGE(same_bits(npy::half_precision(bits), value),
                            bits << " is " << npy::half_precision(bits) << ", not " << value);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    BOOST_CHECK_EQUAL(npy::half_precision(0x7c00), infinity);
    BOOST_CHECK_EQUAL(npy::half_precision(0xfc00), -infinity);
    BOOST_CHECK(std::isnan(npy::half_precision(0x7c01)));
    BOOST_CHECK(std::isnan(npy::half_precision(0xffff)));
}

// The formula of the standard, digit by digit, for all 65536 of them.
BOOST_AUTO_TEST_CASE(every_float16_is_what_the_standard_says,
                     *label("half_without_small_numbers")) {
    std::size_t wrong = 0;
    for (std::uint64_t bits = 0; bits < 65536; ++bits) {
        const std::uint64_t sign = bits >> 15, e = bits >> 10 & 31, f = bits & 1023;
        if (e == 31)
            continue;
        double value = e == 0 ? 0.0 : 1.0;
        for (int digit = 1; digit <= 10; ++digit)
            value += static_cast<double>(f >> (10 - digit) & 1) * std::pow(2.0, -digit);
        value *= std::pow(2.0, e == 0 ? -14.0 : static_cast<double>(e) - 15.0);
        wrong += !same_bits(npy::half_precision(bits), sign == 1 ? -value : value);
    }
    BOOST_CHECK_EQUAL(wrong, 0U);
}

BOOST_AUTO_TEST_CASE(an_array_keeps_its_dimensions_and_type) {
    const npy::Array cube = parsed(npy_of("<f8", "(2, 1, 3)", doubles({1, 2, 3, 4, 5, 6})));
    BOOST_CHECK(cube.shape == (std::vector<std::size_t>{2, 1, 3}));
    BOOST_CHECK(cube.values == (std::vector<double>{1, 2, 3, 4, 5, 6}));
    BOOST_CHECK_EQUAL(cube.type, "<f8");
    BOOST_CHECK(parsed(npy_of("<f8", "()", doubles({7}))).shape.empty());
    BOOST_CHECK(parsed(npy_of("<f8", "(1, 1, 1, 1)", doubles({7}))).shape.size() == 4);
    const npy::Array half = parsed(npy_of("<f2", "(2,)", encoded(0x3c00, 2) + encoded(0xc000, 2)));
    BOOST_CHECK(half.values == (std::vector<double>{1, -2}));
    const npy::Array none = parsed(npy_of("<f4", "(5, 0, 3)", ""));
    BOOST_CHECK(none.values.empty());
    BOOST_CHECK(none.shape == (std::vector<std::size_t>{5, 0, 3}));
}

BOOST_AUTO_TEST_CASE(what_numpy_wrote_is_read, *label("half_without_small_numbers")) {
    const std::string folder = "tests/golden/outputs/";
    const npy::Array exact = read_npy(folder + "before.npy");
    BOOST_CHECK(exact.shape == (std::vector<std::size_t>{6, 4}));
    BOOST_CHECK(read_npy(folder + "batch_before.npy").shape == (std::vector<std::size_t>{2, 6, 4}));
    BOOST_CHECK(read_npy(folder + "zero_d.npy").values == std::vector<double>{1});
    const npy::Array floats = read_npy(folder + "before_float32.npy");
    const npy::Array halves = read_npy(folder + "before_float16.npy");
    for (std::size_t i = 0; i < exact.values.size(); ++i) {
        BOOST_CHECK_EQUAL(floats.values[i], static_cast<float>(exact.values[i]));
        BOOST_CHECK_SMALL(halves.values[i] - exact.values[i], 0x1p-11 * std::abs(exact.values[i]));
    }
    const std::vector<double> tiny{0x1p-24, 0x1.8p-15, -0x1p-14};
    BOOST_CHECK(read_npy(folder + "tiny_float16.npy").values == tiny);
}

BOOST_AUTO_TEST_CASE(a_refusal_names_reader_file_and_fix, *label("npy_errors_name_the_archive")) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"fortran", "the array is in Fortran order; save numpy.ascontiguousarray of it"},
        {"big_endian", "the type is '>f8'; wanted '<f8', '<f4', '<f2' or '<i8': save"},
        {"objects", "the array holds Python objects ('|O'), which are not read; save numpy.array"},
        {"dictionary", "and a dict of arrays with numpy.savez(file, **it)"},
        {"complex", "the type is '<c16', complex; save array.astype('<c16').view('<f8')"},
        {"version_2", "not an .npy array of version 1.0, but of 2.0; numpy.save of a plain"},
        {"version_3", "not an .npy array of version 1.0, but of 3.0"},
        {"text", "not an .npy array of version 1.0; numpy.save writes one"},
        {"truncated", "promises 6x4 numbers, 23 are there; was the file cut short?"},
        {"cut_header", "truncated: wanted 118 bytes at offset 10, there are 40"},
        {"empty", "truncated: wanted 8 bytes at offset 0, there are 0"},
        {"huge", "promises 6000000000x4000000000 numbers, 0 are there"},
        {"bfloat16_before",
         "the type is '|V2', two raw bytes a number, which NumPy has no name "
         "for: probably bfloat16. With v = numpy.load(file), save "
         "(v.view('<u2').astype('<u4') << 16).view('<f4')"},
        {"both", "another array begins behind the first, as when numpy.save wrote twice"},
        {"crlf", "its line ends were translated on the way; transfer the file as binary"},
        {"structured",
         "the type is [('a', '<f8'), ('b', '<f4')], several numbers under one name; "
         "import numpy.lib.recfunctions, save "
         "numpy.lib.recfunctions.structured_to_unstructured(array, '<f8')"},
        {"longer", "bytes left over"}};
    for (const auto& [name, reason] : cases) {
        const std::string file = "tests/golden/outputs/" + name + ".npy";
        BOOST_CHECK_THROW(read_npy(file), std::runtime_error);
        check_message([&] { read_npy(file); }, {"read_npy: " + file + ": ", reason});
    }
    check_message([] { read_npy("tests/golden/outputs/runs.npz"); },
                  {"read_npy: ", "a zip archive (.npz, .pt); wanted a single array"});
    check_message([] { read_npy("tests/golden"); }, {"read_npy: cannot open tests/golden"});
}

// Whatever numpy.load reads as float64 of shape (1, 2), tried with NumPy 1.24.
BOOST_AUTO_TEST_CASE(headers_of_other_writers_are_read, *label("python2_sizes_refused")) {
    for (const char* header :
         {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }\n",
          "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)}",
          "{'descr':'<f8','fortran_order':False,'shape':(1,2)}\n",
          "{\"descr\": \"<f8\", \"fortran_order\": False, \"shape\": (1, 2), }\n",
          "{'shape': (1, 2), 'fortran_order': False, 'descr': '<f8'}\n",
          "{'descr': '<f8', 'fortran_order': False, 'shape': (1L, 2L), }\n",
          "  { 'descr' : '<f8' , 'fortran_order' : False , 'shape' : ( 1 , 2 , ) , }  \n"}) {
        const npy::Array array = with_header(header);
        BOOST_CHECK_MESSAGE(array.type == "<f8" && array.values == (std::vector<double>{1, 2}) &&
                                array.shape == (std::vector<std::size_t>{1, 2}),
                            header);
    }
    const std::vector<double> after = read_npy("tests/golden/outputs/header_quotes_a.npy").values;
    for (const char* kind : {"python2", "no_blanks", "shape_tight", "descr_last"})
        BOOST_CHECK(
            read_npy(std::string("tests/golden/outputs/header_") + kind + "_a.npy").values ==
            after);
}

BOOST_AUTO_TEST_CASE(a_header_that_says_something_else_is_refused_with_what_it_says) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"{'descr': '<f8', 'shape': (1, 2)}",
         "does not say 'fortran_order': {'descr': '<f8', 'shape': (1, 2)}"},
        {"{'fortran_order': False, 'shape': (1, 2)}", "does not say 'descr': {'fortran"},
        {"{'descr': '<f8', 'fortran_order': False}", "does not say 'shape': {'descr"},
        {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)}",
         "the .npy header says 'descr' twice"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), 'x': 1}",
         "says more than descr, fortran_order and shape: {'descr"},
        {"{'descr': '<f8', 'fortran_order': 0, 'shape': (1, 2)}",
         "'fortran_order' in the .npy header is 0; wanted True or False"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2),, }", "is no dictionary"},
        {"{descr: '<f8', 'fortran_order': False, 'shape': (1, 2)}", "is no dictionary"},
        {"{'descr' '<f8', 'fortran_order': False, 'shape': (1, 2)}", "is no dictionary"},
        {"['<f8', False, (1, 2)]", "is no dictionary in Python's notation: ['<f8'"},
        {"{", "is no dictionary"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)},\r",
         "its line ends were translated on the way"}};
    for (const auto& [header, reason] : cases)
        check_message([&h = header] { with_header(h); }, {"read_npy: a.npy: ", reason});
}

BOOST_AUTO_TEST_CASE(what_people_hand_in_for_an_npy_is_told_apart) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"PK\x03\x04 runs/data.pkl", "a PyTorch file, as torch.save writes it; in Python, numpy"},
        {"PK\x03\x04 runs/version", "a zip archive (.npz, .pt); wanted a single array"},
        {"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20", "as torch.save wrote it before 1.6"},
        {"\x80\x04\x95", "a Python pickle; save what pickle.load gives"},
        {"\x1f\x8b\x08", "compressed by gzip; gunzip -c FILE > OTHER"},
        {"\x89HDF\r\n", "an HDF5 file"},
        {std::string("\x30\0\0\0\0\0\0\0", 8) +
             "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
         "a safetensors file"},
        {"\xc2\x93NUMPY\x01", "an .npy whose first byte was changed, as by a transfer as text"},
        {"\xef\xbf\xbdNUMPY\x01", "an .npy whose first byte was changed"},
        {"1.0 2.0 3.0\n", "not an .npy array of version 1.0; numpy.save writes one"}};
    for (const auto& [bytes, reason] : cases)
        check_message([&b = bytes] { parsed(b); }, {"read_npy: a.npy: ", reason});
}

BOOST_AUTO_TEST_CASE(a_shape_that_overflows_is_refused) {
    for (const char* shape :
         {"(4294967296, 4294967296, 4294967296)", "(2, 9223372036854775808, 2)", "(3,)",
          "(1, 1, 3)", "(0, 1000001)", "(18446744073709551615, 0)", "(0, 1000, 1001)"})
        check_message(
            [&] {
                parsed(npy_of("<f8", shape, doubles({1, 2})));
            },
            {"read_npy: a.npy: the header promises "});
    check_message([&] { parsed(npy_of("<f8", "()", "")); },
                  {"the header promises a number, and none is there"});
}

BOOST_AUTO_TEST_SUITE_END()
