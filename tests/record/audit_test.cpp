// The audit: a record passes, and whatever is changed in it is found, with hashes or without.
#include "record/audit.hpp"
#include "record/folder.hpp"
#include "support.hpp"

#include <functional>

using namespace glassbox;

namespace {

using Arrays = std::map<std::string, Matrix>;

// NumPy's arrays, so that no mistake of our own decoder can hide behind the audit or spoil its
// tests. Its chunk agrees with its full pass to rounding only; a record's has the same bits.
const Arrays& arrays() {
    static const Arrays all = [] {
        Arrays chosen;
        for (const std::uint32_t seed : protocol::seeds) {
            for (const ArrayFormat& format : array_formats()) {
                const std::string name = array_name(seed, format.name);
                chosen[name] = golden("mechanics", name);
            }
            chosen[array_name(seed, "good")] =
                rows_of(chosen.at(array_name(seed, "full")), protocol::cached, protocol::chunk);
        }
        return chosen;
    }();
    return all;
}

const Files& record() {
    static const Files files = [] {
        std::vector<Metrics> metrics;
        for (const std::uint32_t seed : protocol::seeds) {
            metrics.push_back(auditing::recomputed(arrays(), seed));
            auditing::add_closed_forms(metrics.back());
        }
        const std::string manifest = "{\n  \"time\": \"2000-01-01T00:00:00Z\",\n" + protocol_json();
        Files made{{"arrays.npz", arrays_npz(arrays())},
                   {"manifest.json", manifest + seal_of(manifest)},
                   {"results.csv", results_csv(metrics)},
                   {"results.json", results_json(metrics)}};
        made["sha256.json"] = sha256_json(made);
        return made;
    }();
    return files;
}

void check_found(const Files& files, const std::string& failure) {
    const Audit result = audit(files);
    BOOST_CHECK_MESSAGE(result.failure.find(failure) != std::string::npos,
                        "found: " << result.failure << "; expected: " << failure);
}

// With this file and all hashes as they then have to be.
Files with(const std::string& name, const std::string& content) {
    Files files = record();
    files[name] = content;
    files["sha256.json"] = sha256_json(files);
    return files;
}

// With arrays after this change, and all hashes as they then have to be.
Files with_arrays(const std::function<void(Arrays&)>& change) {
    Arrays changed = arrays();
    change(changed);
    return with("arrays.npz", arrays_npz(changed));
}

// Changes every byte from `first` on, one after the other in steps, and counts what goes unnoticed.
std::size_t unnoticed(const std::string& name, std::size_t first, std::size_t end,
                      std::size_t stride = 1) {
    Files files = record();
    std::string& content = files.at(name);
    std::size_t count = 0;
    for (std::size_t i = first; i < end; i += stride) {
        const char before = content[i];
        content[i] = static_cast<char>(before ^ (1 << i % 8));
        if (audit(files).passed()) {
            BOOST_TEST_MESSAGE(name << ": byte " << i);
            ++count;
        }
        content[i] = before;
    }
    return count;
}

} // namespace

BOOST_AUTO_TEST_SUITE(auditing_a_record)

BOOST_AUTO_TEST_CASE(a_record_passes_all_checks) {
    const Audit result = audit(record());
    BOOST_CHECK_EQUAL(result.failure, "");
    BOOST_CHECK_EQUAL(result.checked.size(), 9U);
    const TemporaryFolder folder;
    write_record(record(), folder.path / "run");
    BOOST_CHECK(audit(folder.path / "run").passed());
}

// Every byte where the compiler optimises, which makes the hashes fast; a sample where it does not.
BOOST_AUTO_TEST_CASE(any_changed_byte_of_the_small_files_is_found, *label("seal_not_checked")) {
#ifdef __OPTIMIZE__
    const std::size_t stride = 1;
#else
    const std::size_t stride = 13;
#endif
    for (const char* name : {"manifest.json", "results.csv", "results.json", "sha256.json"})
        BOOST_CHECK_EQUAL(unnoticed(name, 0, record().at(name).size(), stride), 0U);
}

// Headers and directory in full and the numbers in small steps, or again a sample.
BOOST_AUTO_TEST_CASE(any_changed_byte_of_the_arrays_is_found) {
    const std::string& content = record().at("arrays.npz");
    const std::size_t directory = content.find("PK\x01\x02");
#ifdef __OPTIMIZE__
    const std::size_t stride = 97, headers = 48, records = content.size() - directory;
#else
    const std::size_t stride = 9973, headers = 1, records = 22;
#endif
    BOOST_CHECK_EQUAL(unnoticed("arrays.npz", 0, content.size(), stride), 0U);
    BOOST_CHECK_EQUAL(unnoticed("arrays.npz", content.size() - records, content.size()), 0U);
    std::size_t at = 0;
    for (std::size_t i = 0; i < headers; ++i) {
        at = content.find("PK\x03\x04", at);
        BOOST_REQUIRE_LT(at, directory);
        const std::size_t numbers = content.find('\n', at) + 1; // behind the .npy header
        BOOST_CHECK_EQUAL(unnoticed("arrays.npz", at, numbers), 0U);
        at = numbers;
    }
}

BOOST_AUTO_TEST_CASE(a_byte_added_or_taken_away_is_found) {
    for (const auto& [name, content] : record()) {
        Files longer = record(), shorter = record(), empty = record();
        longer[name] += '\n';
        shorter[name].pop_back();
        empty[name].clear();
        for (const Files& files : {longer, shorter, empty})
            BOOST_CHECK_MESSAGE(!audit(files).passed(), name);
    }
}

BOOST_AUTO_TEST_CASE(a_missing_file_and_one_too_many_are_found, *label("names_printed_raw")) {
    for (const auto& [name, content] : record()) {
        Files files = record();
        files.erase(name);
        check_found(files, name + " is missing");
    }
    Files files = record();
    files["notes\x1b.txt"] = "";
    check_found(files, "notes\\x1b.txt does not belong to a record");
}

BOOST_AUTO_TEST_CASE(a_folder_with_something_else_in_it_is_found) {
    const TemporaryFolder folder;
    const std::filesystem::path run = folder.path / "run";
    write_record(record(), run);
    const auto found = [&](const std::string& failure) {
        const Audit result = audit(run);
        BOOST_CHECK_MESSAGE(result.failure.find(failure) != std::string::npos, result.failure);
    };
    std::filesystem::create_directory(run / "more");
    found("more is no regular file");
    std::filesystem::remove(run / "more");
    write_file(run / "more", "");
    found("m"); // which one of six is named depends on the order of the folder
    std::filesystem::remove(run / "more");
    write_file(run / "results.csv", std::string((1 << 20) + 1, 'x'));
    found("results.csv has 1048577 bytes; no file of a record is larger than 1048576");
    std::filesystem::remove(run / "results.csv");
    found("results.csv is missing");
    std::filesystem::create_symlink(run / "results.json", run / "results.csv");
    found("results.csv is no regular file");
    check_message([&] { audit(folder.path / "nowhere"); }, {"audit: there is no folder "});
}

BOOST_AUTO_TEST_CASE(an_edited_result_is_found_even_with_its_new_hash,
                     *label("results_not_compared")) {
    for (const char* name : {"results.json", "results.csv"}) {
        std::string edited = record().at(name);
        const std::size_t at = edited.find("1800");
        edited.replace(at, 4, "1799");
        Files files = record();
        files[name] = edited;
        check_found(files, std::string(name) + ": its hash is not the one in sha256.json");
        check_found(with(name, edited), std::string(name) + ", line ");
    }
    std::string smaller = record().at("results.json");
    smaller.replace(smaller.find("0.1396"), 6, "0.0396");
    check_found(with("results.json", smaller),
                "results.json, line 5: recorded is \"unmasked_future_change\": 0.0396");
    check_found(with("results.json", record().at("results.json") + "\n"),
                "results.json, line 57: recorded is  where");
    check_found(with("results.json", ""), "results.json, line 1: recorded is  where");
}

// The last digit of a number is another, under a new hash. Every third of the 48 numbers, and so
// each of the 16 fields once.
BOOST_AUTO_TEST_CASE(an_edited_number_is_found_in_every_field, *label("results_not_compared")) {
    const std::string& json = record().at("results.json");
    std::size_t at = 0, edits = 0;
    for (std::size_t number = 0; number < 48; ++number) {
        at = json.find(": ", at + 1);
        const std::size_t last = std::min(json.find(",\n", at), json.find("\n  }", at)) - 1;
        std::string edited = json;
        edited[last] = edited[last] == '0' ? '1' : static_cast<char>(edited[last] - 1);
        if (number % 3 == 0) {
            const std::size_t line = 3 + number + 2 * (number / 16);
            check_found(with("results.json", edited),
                        "results.json, line " + std::to_string(line) + ": ");
            ++edits;
        }
    }
    BOOST_CHECK_EQUAL(edits, 16U);
}

BOOST_AUTO_TEST_CASE(exchanged_arrays_are_found_with_old_and_with_new_hashes) {
    const Files forged =
        with_arrays([](Arrays& a) { std::swap(a.at("s7_full"), a.at("s19_full")); });
    check_found(forged, "s7_good is not rows 5 to 7 of s7_full");
    Files old_hashes = forged;
    old_hashes["sha256.json"] = record().at("sha256.json");
    check_found(old_hashes, "arrays.npz: its hash is not the one in sha256.json");
    check_found(with_arrays([](Arrays& a) { std::swap(a.at("s7_reset"), a.at("s41_reset")); }),
                "results.json, line 11: recorded is \"reset_position_error\"");
}

BOOST_AUTO_TEST_CASE(arrays_that_break_a_rule_are_found_whatever_their_hashes_say,
                     *label("diagonal_not_checked") * label("chunk_checked_roughly")) {
    const auto set = [](const char* name, std::size_t r, std::size_t c, double value) {
        return with_arrays([=](Arrays& a) { a.at(name)(r, c) = value; });
    };
    check_found(set("s41_tokens", 0, 3, 25), "s41_tokens: token 3 is another");
    check_found(set("s7_cache_bytes", 2, 0, 4), "s7_cache_bytes: row 2 is not what");
    check_found(set("s7_cache_bytes", 2, 1, 1535), "s7_cache_bytes: row 2 is not what");
    check_found(set("s19_attention", 3, 4, 1e-300), "s19_attention (3, 4) is above the diagonal");
    check_found(set("s19_attention", 3, 4, std::nan("")), "s19_attention (3, 4) is above");
    check_found(set("s19_attention", 0, 0, 1 + 2e-12), "s19_attention: row 0 does not sum to 1");
    check_found(set("s19_attention", 3, 3, -0.5), "s19_attention (3, 3) is no share of 1");
    check_found(set("s19_attention", 3, 3, std::nan("")), "s19_attention (3, 3) is no share of 1");
    check_found(set("s7_good", 0, 0, std::nextafter(arrays().at("s7_good")(0, 0), 2)),
                "s7_good is not rows 5 to 7 of s7_full");
    BOOST_CHECK(audit(set("s7_tokens", 0, 0, 3)).passed()); // 3 is what stood there
}

BOOST_AUTO_TEST_CASE(errors_above_the_tolerance_are_found, *label("results_not_compared")) {
    std::size_t turn = 0;
    for (const char* route : {"masked", "prefix", "cached", "chunked", "sliding_cached"}) {
        const std::string name = array_name(protocol::seeds[turn++ % 3], route);
        check_found(with_arrays([&](Arrays& a) { a.at(name)(11, 15) += 2e-12; }),
                    "e-12; wanted at most 1e-12");
        check_found(with_arrays([&](Arrays& a) { a.at(name)(11, 15) = std::nan(""); }),
                    " differ by nan; wanted at most 1e-12");
        check_found(with_arrays([&](Arrays& a) { a.at(name)(11, 15) += 5e-13; }),
                    "results.json, line "); // tolerated, and not the recorded number
    }
}

BOOST_AUTO_TEST_CASE(controls_that_vanish_are_found) {
    struct Control {
        const char *control, *truth;
    };
    std::size_t turn = 0;
    for (const Control& c : {Control{"perturbed_unmasked", "unmasked"}, Control{"wrong", "good"},
                             Control{"reset", "sliding"}, Control{"cropped", "sliding"}}) {
        const std::uint32_t seed = protocol::seeds[turn++ % 3];
        const std::string control = array_name(seed, c.control), truth = array_name(seed, c.truth);
        check_found(with_arrays([&](Arrays& a) { a.at(control) = a.at(truth); }),
                    "differ by 0, a control that must be seen; wanted at least 0.01");
    }
}

BOOST_AUTO_TEST_CASE(another_manifest_is_found_unless_it_is_sealed_anew,
                     *label("seal_not_checked")) {
    const std::string& manifest = record().at("manifest.json");
    const std::string sealed = manifest.substr(0, manifest.size() - seal_of("").size());
    Files files = record();
    std::string edited = sealed;
    edited.replace(edited.find("2000"), 4, "1999");
    files["manifest.json"] = edited + seal_of(sealed);
    check_found(files, "manifest.json: its seal is not the hash of the bytes before it");
    files["manifest.json"] = edited + seal_of(edited); // nothing can be said against it
    BOOST_CHECK_EQUAL(audit(files).failure, "");
    edited.replace(edited.find("1e-12"), 5, "1e-02"); // but the protocol is fixed
    files["manifest.json"] = edited + seal_of(edited);
    check_found(files, "manifest.json speaks of another protocol");
}

BOOST_AUTO_TEST_CASE(the_largest_difference_is_looked_for_in_all_rows_that_count,
                     *label("audit_of_other_rows")) {
    using auditing::difference;
    const Matrix a{{1, 2}, {3, 4}, {5, 6}};
    BOOST_CHECK_EQUAL(difference(a, {{1.5, 2}, {3, 4}, {5, 6}}, 3), 0.5);
    BOOST_CHECK_EQUAL(difference(a, {{1.5, 2}, {3, 4}, {5, 9}}, 3), 3.0);
    BOOST_CHECK_EQUAL(difference(a, {{1.5, 2}, {3, 4}, {5, 9}}, 2), 0.5);
    BOOST_CHECK(std::isnan(difference(a, {{1, std::nan("")}, {3, 4}, {5, 9}}, 3)));
}

BOOST_AUTO_TEST_CASE(a_difference_too_large_is_told_in_full, *label("numbers_rounded")) {
    const Audit result = audit(with_arrays([](Arrays& a) {
        a.at("s7_full") = Matrix(24, 16, 0.5);
        a.at("s7_good") = Matrix(3, 16, 0.5);
        a.at("s7_masked") = Matrix(24, 16, 0.5 + 0x1p-30);
    }));
    BOOST_CHECK_EQUAL(result.failure,
                      "s7_full and s7_masked differ by 9.313225746154785e-10; "
                      "wanted at most 1e-12");
}

// A sound zip under sound hashes, and yet not what a record's arrays.npz is.
BOOST_AUTO_TEST_CASE(an_archive_in_another_form_is_found) {
    std::vector<NpyArray> others;
    for (const auto& [name, numbers] : arrays())
        others.push_back({name, numbers});
    check_found(with("arrays.npz", format_npz(others)), "arrays.npz is not written as a record's");
    others.pop_back();
    check_found(with("arrays.npz", format_npz(others)), " is missing");
    check_found(with("arrays.npz", "PK"), "read_npz: arrays.npz: not a zip archive");
    check_found(with("arrays.npz", record().at("arrays.npz") + "x"), "arrays.npz is not written");
}

BOOST_AUTO_TEST_SUITE_END()
