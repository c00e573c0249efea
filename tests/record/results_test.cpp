// The texts of a record: numbers that read back, JSON and CSV, names and shapes of the arrays.
#include "record/results.hpp"
#include "support.hpp"

#include <cmath>
#include <limits>
#include <string>

using namespace glassbox;

namespace {

Metrics some_metrics() {
    Metrics m;
    m.seed = 7;
    m.unmasked_future_change = 0.1;
    m.cropped_recompute_error = 1e-13;
    m.prefix_projected_rows = 1800;
    m.window_kv_bytes = 2048;
    return m;
}

const char* const names =
    "seed,causal_future_error,unmasked_future_change,prefix_error,cache_error,"
    "chunk_error,wrong_chunk_mask_error,sliding_error,reset_position_error,"
    "cropped_recompute_error,prefix_projected_rows,cached_projected_rows,"
    "prefix_score_elements,cached_score_elements,full_kv_bytes,"
    "window_kv_bytes\n";

std::map<std::string, Matrix> all_arrays() {
    std::map<std::string, Matrix> arrays;
    for (const std::uint32_t seed : protocol::seeds)
        for (const ArrayFormat& format : array_formats())
            arrays[array_name(seed, format.name)] = Matrix(format.rows, format.cols);
    return arrays;
}

} // namespace

BOOST_AUTO_TEST_SUITE(results)

BOOST_AUTO_TEST_CASE(a_number_is_written_as_the_shortest_text_that_reads_back,
                     *label("numbers_rounded")) {
    BOOST_CHECK_EQUAL(shortest(0.0), "0");
    BOOST_CHECK_EQUAL(shortest(0.1), "0.1");
    BOOST_CHECK_EQUAL(shortest(1e-12), "1e-12");
    BOOST_CHECK_EQUAL(shortest(0.1 + 0.2), "0.30000000000000004");
    std::mt19937_64 bits(1);
    for (int i = 0; i < 10000; ++i) {
        const double value = std::bit_cast<double>(bits());
        if (std::isfinite(value)) {
            const double back = std::strtod(shortest(value).c_str(), nullptr);
            BOOST_REQUIRE_MESSAGE(same_bits(back, value), shortest(value));
        }
    }
}

BOOST_AUTO_TEST_CASE(what_json_cannot_write_is_refused) {
    for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()})
        check_message([&] { shortest(value); }, {"shortest: ", "wanted a finite number"});
}

BOOST_AUTO_TEST_CASE(a_text_is_escaped_as_json_wants_it) {
    BOOST_CHECK_EQUAL(json_string("a \"b\" \\ c"), "\"a \\\"b\\\" \\\\ c\"");
    BOOST_CHECK_EQUAL(json_string("a\n\x1f"), "\"a\\u000a\\u001f\"");
    BOOST_CHECK_EQUAL(json_string("\xc3\xa4"), "\"\xc3\xa4\"");
}

BOOST_AUTO_TEST_CASE(results_json_is_a_list_of_objects_with_sixteen_fields) {
    BOOST_CHECK_EQUAL(results_json({}), "[\n]\n");
    const std::string one = results_json({some_metrics()});
    BOOST_CHECK(one.starts_with("[\n  {\n    \"seed\": 7,\n    \"causal_future_error\": 0,\n"
                                "    \"unmasked_future_change\": 0.1,\n"));
    BOOST_CHECK(
        one.ends_with("    \"full_kv_bytes\": 0,\n    \"window_kv_bytes\": 2048\n  }\n]\n"));
    BOOST_CHECK_EQUAL(std::ranges::count(one, ':'), 16);
    const std::string two = results_json({some_metrics(), some_metrics()});
    BOOST_CHECK(two.find("  },\n  {\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(results_csv_is_a_line_of_names_and_a_line_for_each_seed) {
    BOOST_CHECK_EQUAL(results_csv({}), names);
    const std::string line = "7,0,0.1,0,0,0,0,0,0,1e-13,1800,0,0,0,0,2048\n";
    BOOST_CHECK_EQUAL(results_csv({some_metrics(), some_metrics()}), names + line + line);
}

BOOST_AUTO_TEST_CASE(sha256_json_names_three_files_and_their_hashes) {
    const Files files{{"arrays.npz", "abc"}, {"results.csv", ""}, {"results.json", "abc"}};
    const std::string abc = sha256("abc"), nothing = sha256("");
    BOOST_CHECK_EQUAL(sha256_json(files),
                      "{\n  \"results.csv\": \"" + nothing + "\",\n  \"results.json\": \"" + abc +
                          "\",\n  \"arrays.npz\": \"" + abc + "\"\n}\n");
    BOOST_CHECK_THROW(sha256_json({{"arrays.npz", "abc"}}), std::out_of_range);
}

BOOST_AUTO_TEST_CASE(the_seal_is_the_hash_of_all_before_it) {
    BOOST_CHECK_EQUAL(seal_of("{\n"), "  \"seal\": \"" + sha256("{\n") + "\"\n}\n");
}

BOOST_AUTO_TEST_CASE(the_protocol_is_written_down) {
    BOOST_CHECK_EQUAL(protocol_json(),
                      "  \"protocol\": {\n    \"id\": \"glassbox-mechanics-1\",\n"
                      "    \"seeds\": [7, 19, 41],\n    \"length\": 24,\n    \"dimension\": 16,\n"
                      "    \"layers\": 2,\n    \"vocabulary\": 32,\n    \"window\": 4,\n"
                      "    \"dtype\": \"float64\",\n    \"tolerance\": 1e-12\n  },\n");
}

// The reference file has the same 48 arrays first, then the weights.
BOOST_AUTO_TEST_CASE(the_arrays_have_the_names_and_the_order_of_the_reference,
                     *label("npy_padding")) {
    const std::string reference = read_file("tests/golden/mechanics.npz");
    const std::string ours = arrays_npz(all_arrays());
    const auto theirs = zip::entries({bytes_of(reference), "reference"});
    const auto written = zip::entries({bytes_of(ours), "ours"});
    BOOST_REQUIRE_EQUAL(written.size(), 48U);
    for (std::size_t i = 0; i < written.size(); ++i) {
        BOOST_CHECK_EQUAL(written[i].name, theirs[i].name);
        BOOST_CHECK_EQUAL(written[i].content.text(0, 128), theirs[i].content.text(0, 128));
    }
}

BOOST_AUTO_TEST_CASE(arrays_that_do_not_make_a_record_are_refused) {
    std::map<std::string, Matrix> arrays = all_arrays();
    arrays["s7_more"] = Matrix(1, 1);
    check_message([&] { arrays_npz(arrays); }, {"arrays_npz: there are 49 arrays; wanted 48"});
    arrays.erase("s19_full");
    check_message([&] { arrays_npz(arrays); }, {"arrays_npz: the array s19_full is missing"});
    arrays["s19_full"] = Matrix(16, 24);
    check_message([&] { arrays_npz(arrays); }, {"arrays_npz: s19_full is 16x24, wanted 24x16"});
}

BOOST_AUTO_TEST_SUITE_END()
