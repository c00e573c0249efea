// The audit: a record passes, and whatever is changed in it is found, with hashes or without.
#include "record/audit.hpp"
#include "record/folder.hpp"
#include "support.hpp"

#include <functional>

using namespace glassbox;

namespace {

using Arrays = std::map<std::string, Matrix>;

// The article's own arrays, written by NumPy, so that no mistake of our own decoder can hide behind
// the audit or spoil its tests. Where ours agree to the bit, these agree to rounding.
const Arrays& arrays() {
    static const Arrays all = [] {
        Arrays chosen;
        for (const std::uint32_t seed : protocol::seeds)
            for (const ArrayFormat& format : array_formats()) {
                const std::string name = array_name(seed, format.name);
                chosen[name] = golden("mechanics", name);
            }
        return chosen;
    }();
    return all;
}

const Provenance provenance{
    "2000-01-01T00:00:00Z",
    "a \"compiler\"",
    "-O0 \\ \x01",
    {{recorder_source, std::string(64, '0')}, {"src/a.hpp", std::string(64, 'f')}}};

const Files& record() {
    static const Files files = [] {
        std::vector<Metrics> metrics;
        for (const std::uint32_t seed : protocol::seeds) {
            metrics.push_back(auditing::recomputed(arrays(), seed));
            auditing::add_closed_forms(metrics.back());
        }
        Files made{{"arrays.npz", arrays_npz(arrays())},
                   {"manifest.json", manifest_json(provenance)},
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
    BOOST_CHECK_EQUAL(result.checked.size(), 12U);
    const TemporaryFolder folder;
    write_record(record(), folder.path / "run");
    BOOST_CHECK(audit(folder.path / "run").passed());
}

// Every byte where the compiler optimises, which makes the hashes fast; a sample where it does not.
BOOST_AUTO_TEST_CASE(any_changed_byte_of_the_small_files_is_found) {
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
    found("more does not belong to a record");
    std::filesystem::remove(run / "more");
    const char* forged = "x\nTHE RECORD HOLDS: YES\x1b[2K"; // its name is asked before its size
    write_file(run / forged, std::string((1 << 20) + 1, 'x'));
    found("x\\x0aTHE RECORD HOLDS: YES\\x1b[2K does not belong to a record");
    std::filesystem::remove(run / forged);
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
                "results.json, line 5: recorded is '\"unmasked_future_change\": 0.0396");
    check_found(with("results.json", record().at("results.json") + "\n"),
                "results.json, line 57: recorded is '', wanted is nothing; they part at byte ");
    check_found(with("results.json", ""),
                "results.json, line 1: recorded is nothing, wanted is '['; they part at byte 0");
    const std::string indented = "[\n " + record().at("results.json").substr(2);
    check_found(with("results.json", indented),
                "recorded is '{', wanted is '{'; they part at byte 4");
    std::string table = record().at("results.csv");
    table.replace(table.find(",9800,") + 1, 1, "8");
    check_found(with("results.csv", table), ", field prefix_score_elements");
    check_found(with("results.csv", "X" + record().at("results.csv")), "at byte 0, field seed");
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
                "row 0 of s7_reset and s7_full differ by");
}

BOOST_AUTO_TEST_CASE(arrays_that_break_a_rule_are_found_whatever_their_hashes_say,
                     *label("diagonal_not_checked") * label("audit_of_other_rows")) {
    const auto set = [](const char* name, std::size_t r, std::size_t c, double value) {
        return with_arrays([=](Arrays& a) { a.at(name)(r, c) = value; });
    };
    check_found(set("s41_tokens", 0, 3, 25), "s41_tokens: token 3 is another");
    check_found(set("s7_cache_bytes", 2, 0, 4), "s7_cache_bytes: row 2 is not what");
    check_found(set("s7_cache_bytes", 2, 1, 1535), "s7_cache_bytes: row 2 is not what");
    check_found(set("s19_attention", 3, 4, 1e-300), "s19_attention (3, 4) is above the diagonal");
    check_found(set("s19_attention", 3, 4, -0.0), "s19_attention (3, 4) is above the diagonal");
    check_found(set("s19_attention", 3, 4, std::nan("")), "s19_attention (3, 4) is above");
    check_found(set("s19_attention", 0, 0, 1 - 2e-12), "s19_attention: row 0 does not sum to 1");
    check_found(set("s19_attention", 3, 3, -0.5), "s19_attention (3, 3) is no share of 1");
    check_found(set("s19_attention", 3, 3, 0.0), "s19_attention (3, 3) is no share of 1");
    check_found(with_arrays([](Arrays& a) { // those of a window of 4 have the right shares, too
                    Matrix& weights = a.at("s7_attention");
                    const double forgotten = weights(4, 0);
                    for (std::size_t s = 0; s <= 4; ++s)
                        weights(4, s) = s == 0 ? 0.0 : weights(4, s) / (1 - forgotten);
                }),
                "s7_attention (4, 0) is no share of 1, though position 4 may read it");
    check_found(set("s7_good", 0, 0, arrays().at("s7_good")(0, 0) + 2e-12),
                "s7_good is not rows 5 to 7 of s7_full");
    check_found(with_arrays([](Arrays& a) {
                    Matrix& weights = a.at("s41_attention");
                    for (std::size_t s = 0; s <= 9; ++s)
                        weights(9, s) = 0.1;
                }),
                "s41_attention: row 9 has equal weights, as if no score had mattered");
    BOOST_CHECK(audit(set("s7_tokens", 0, 0, 3)).passed()); // 3 is what stood there
}

BOOST_AUTO_TEST_CASE(errors_above_the_tolerance_are_found, *label("results_not_compared")) {
    std::size_t turn = 0;
    for (const char* route : {"masked", "prefix", "cached", "chunked", "sliding_cached"}) {
        const std::string name = array_name(protocol::seeds[turn++ % 3], route);
        check_found(with_arrays([&](Arrays& a) { a.at(name)(11, 15) += 2e-12; }),
                    "e-12; wanted at most 1e-12");
        check_found(with_arrays([&](Arrays& a) { a.at(name)(11, 15) += 5e-13; }),
                    "results.json, line "); // tolerated, and not the recorded number
    }
}

// What a slip of the pen in the recorder would put into an array, and the words that name it.
struct Slip {
    const char *array, *holds, *found;
};

BOOST_AUTO_TEST_CASE(an_experiment_that_was_not_run_is_found, *label("future_edit_not_demanded")) {
    for (const std::uint32_t seed : protocol::seeds)
        for (const Slip& slip : {
                 Slip{"masked", "full", "row 12 of s_masked and s_full differ by 0"},
                 Slip{"unmasked", "full", "row 0 of s_unmasked and s_full differ by 0"},
                 Slip{"unmasked", "masked", "row 0 of s_unmasked and s_full differ by 0"},
                 Slip{"unmasked", "perturbed_unmasked", "row 0 of s_perturbed_unmasked and s_unm"},
                 Slip{"perturbed_unmasked", "unmasked", "row 0 of s_perturbed_unmasked and s_unm"},
                 Slip{"perturbed_unmasked", "masked", "row 0 of s_perturbed_unmasked and s_masked"},
                 Slip{"perturbed_unmasked", "full", "row 0 of s_perturbed_unmasked and s_masked"},
                 Slip{"prefix", "masked", "s_prefix and s_full differ by"},
                 Slip{"cached", "sliding", "s_cached and s_full differ by"},
                 Slip{"chunked", "reset", "s_chunked and s_full differ by"},
                 Slip{"wrong", "good", "s_wrong and s_good differ by 0"},
                 Slip{"good", "wrong", "s_good is not rows 5 to 7 of s_full"},
                 Slip{"sliding", "full", "row 4 of s_sliding and s_full differ by 0"},
                 Slip{"sliding", "cropped", "row 4 of s_cropped and s_sliding differ by 0"},
                 Slip{"sliding_cached", "full", "s_sliding_cached and s_sliding differ by"},
                 Slip{"reset", "sliding", "row 1 of s_reset and s_sliding differ by 0"},
                 Slip{"cropped", "sliding", "row 4 of s_cropped and s_sliding differ by 0"},
                 Slip{"cropped", "full", "row 4 of s_cropped and s_full differ by 0"},
             }) {
            std::string words = slip.found;
            for (std::size_t at = 0; (at = words.find("s_", at)) != std::string::npos;)
                if (at == 0 || words[at - 1] == ' ')
                    words.replace(at, 2, array_name(seed, ""));
                else
                    ++at;
            check_found(with_arrays([&](Arrays& a) {
                            a.at(array_name(seed, slip.array)) = a.at(array_name(seed, slip.holds));
                        }),
                        words);
        }
}

// Two routes without a window at once, as a forgotten mask would leave them.
BOOST_AUTO_TEST_CASE(a_window_that_is_forgotten_on_both_routes_is_found) {
    check_found(with_arrays([](Arrays& a) {
                    a.at("s7_sliding") = a.at("s7_full");
                    a.at("s7_sliding_cached") = a.at("s7_full");
                }),
                "row 4 of s7_sliding and s7_full differ by 0; they must be seen to differ");
    check_found(with_arrays([](Arrays& a) {
                    for (const ArrayFormat& format : array_formats())
                        a.at(array_name(41, format.name)) = a.at(array_name(7, format.name));
                }),
                "s7_full and s41_full hold the same; two seeds have different weights");
    check_found(with_arrays([](Arrays& a) { a.at("s19_attention") = a.at("s7_attention"); }),
                "s7_attention and s19_attention hold the same");
}

// Each array of a seed in the place of every other of its shape. Routes that must agree can be
// copies of each other: that no auditor can know who does not run the decoder, and the text of the
// lesson says so. All other copies are found.
BOOST_AUTO_TEST_CASE(an_array_in_the_place_of_another_is_found_unless_they_must_agree,
                     *label("future_edit_not_demanded")) {
    const std::string full = " full prefix cached chunked ", window = " sliding sliding_cached ";
    const auto agree = [](const std::string& routes, const std::string& a, const std::string& b) {
        return routes.find(" " + a + " ") != std::string::npos &&
            routes.find(" " + b + " ") != std::string::npos;
    };
    std::size_t copies = 0;
    Arrays changed = arrays();
    for (const ArrayFormat& place : array_formats())
        for (const ArrayFormat& other : array_formats()) {
            const std::string name = array_name(19, place.name);
            if (place.name == other.name || place.rows != other.rows || place.cols != other.cols)
                continue;
            changed.at(name) = arrays().at(array_name(19, other.name));
            std::vector<std::string> checked;
            const std::string found = message_of([&] {
                auditing::check_arrays(changed, checked);
                auditing::recomputed(changed, 19);
            });
            const bool equal =
                agree(full, place.name, other.name) || agree(window, place.name, other.name);
            BOOST_CHECK_MESSAGE((found == "(no exception)") == equal,
                                name << " holds " << other.name << ": " << found);
            changed.at(name) = arrays().at(name);
            ++copies;
        }
    BOOST_TEST(copies == 11U * 10U + 2U);
    std::swap(changed.at("s7_attention"), changed.at("s41_attention")); // nor can it know whose
    BOOST_CHECK_EQUAL(audit(with_arrays([&](Arrays& a) { a = changed; })).failure, "");
}

// The first and the last row of every array becomes one number throughout: 48 arrays, 8 tamperings.
BOOST_AUTO_TEST_CASE(whatever_is_written_into_a_row_is_found) {
    std::size_t tried = 0;
    Arrays changed = arrays();
    for (auto& [name, numbers] : changed)
        for (const std::size_t row : {std::size_t{0}, numbers.rows - 1})
            for (const double value : {std::nan(""), 1e300, -0.0, 0.5}) {
                std::ranges::fill(numbers.row(row), value);
                std::vector<std::string> checked;
                const std::string found =
                    message_of([&] { auditing::check_arrays(changed, checked); });
                BOOST_CHECK_MESSAGE(found.starts_with(name),
                                    name << ", row " << row << " is " << value << ": " << found);
                std::ranges::copy(arrays().at(name).row(row), numbers.row(row).begin());
                ++tried;
            }
    BOOST_TEST(tried == 48U * 8U);
    for (const double zero : {0.0, -0.0}) // alone, in a row that no difference reads
        check_found(with_arrays([&](Arrays& a) { a.at("s7_unmasked")(12, 3) = zero; }),
                    "s7_unmasked (12, 3) is ");
}

// The rows of a control that are not its largest difference count as well.
BOOST_AUTO_TEST_CASE(a_last_row_of_the_experiment_that_it_must_differ_from_is_found,
                     *label("future_edit_not_demanded")) {
    struct Splice {
        const char *control, *truth;
    };
    for (const Splice& s :
         {Splice{"masked", "full"}, Splice{"unmasked", "full"},
          Splice{"perturbed_unmasked", "unmasked"}, Splice{"wrong", "good"},
          Splice{"sliding", "full"}, Splice{"cropped", "full"}, Splice{"cropped", "sliding"},
          Splice{"reset", "full"}, Splice{"reset", "sliding"}}) {
        const std::string control = array_name(19, s.control), truth = array_name(19, s.truth);
        const std::size_t last = arrays().at(control).rows - 1;
        const Files spliced = with_arrays([&](Arrays& a) {
            std::ranges::copy(a.at(truth).row(last), a.at(control).row(last).begin());
        });
        check_found(spliced, "row " + std::to_string(last) + " of " + control + " and " + truth);
    }
}

// The record with this manifest in place of its own, sealed anew.
Files with_manifest(const std::string& old, const std::string& replacement) {
    const std::string& manifest = record().at("manifest.json");
    std::string edited = manifest.substr(0, manifest.size() - seal_of("").size());
    BOOST_REQUIRE(edited.find(old) != std::string::npos);
    edited.replace(edited.find(old), old.size(), replacement);
    Files files = record();
    files["manifest.json"] = edited + seal_of(edited);
    return files;
}

BOOST_AUTO_TEST_CASE(another_manifest_is_found_unless_it_is_sealed_anew,
                     *label("seal_not_checked")) {
    Files files = with_manifest("2000", "1999");
    BOOST_CHECK_EQUAL(audit(files).failure, ""); // nothing can be said against it
    std::string& manifest = files.at("manifest.json");
    manifest.replace(manifest.find("1999"), 4, "1998");
    check_found(files, "manifest.json: its seal is not the hash of the bytes before it");
    files["manifest.json"] = "{}";
    check_found(files, "manifest.json is too short to have a seal");
}

BOOST_AUTO_TEST_CASE(a_sealed_manifest_says_what_it_must_and_nothing_else,
                     *label("results_not_compared")) {
    const auto found = [](const std::string& old, const std::string& replacement,
                          const std::string& failure) {
        check_found(with_manifest(old, replacement), failure);
    };
    const std::string protocol = protocol_json();
    found("1e-12", "1e-02", "manifest.json, line 14: recorded is '\"tolerance\": 1e-02'");
    found(protocol, protocol + protocol, "manifest.json, line 16: recorded is '\"protocol\": {'");
    found(protocol, "", "manifest.json, line 5: ");
    found("  \"time\"", "  \"note\": \"\",\n  \"time\"", "manifest.json, line 2: ");
    found("{\n", "\n{\n", "manifest.json, line 1: recorded is '', wanted is '{'");
    found("  \"sources\"", "  \"protocol\": 7,\n  \"sources\"", "manifest.json, line 16: ");
    found("\"src/a.hpp\": ", "\"src/a.hpp\": \"\",\n    \"src/a.hpp\": ", "manifest.json, line ");
    found("\"time\": \"2000-01-01T00:00:00Z\"", "\"time\": \"2000-01-01T00:00:00Z\", \"x\": \"\"",
          "manifest.json, line 2: ");
    found("2000-01-01T", "2000-01-01 ",
          "manifest.json: the time is '2000-01-01 00:00:00Z'; wanted");
    for (const char* time : {"2000-13-01T00:00:00Z", "2000-01-00T00:00:00Z", "2000-01-01T24:00:00Z",
                             "2000-01-01T00:60:00Z", "2000-01-01T00:00:61Z"})
        found(provenance.time, time, std::string("manifest.json: the time is '") + time);
    found("a \\\"compiler\\\"", "", "manifest.json names no compiler or no flags");
    found(recorder_source, "lessons/other.cpp", "manifest.json names no source lessons/");
    found(std::string(64, 'f'), std::string(64, 'F'),
          "manifest.json: the hash of src/a.hpp is 'FFFF");
    found(std::string(64, 'f'), "", "manifest.json: the hash of src/a.hpp is ''; wanted 64");
}

BOOST_AUTO_TEST_CASE(the_sources_are_compared_where_they_are) {
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder.path / "src");
    std::filesystem::create_directories(folder.path / "lessons");
    write_file(folder.path / recorder_source, "\n#include \"a.hpp\"\n");
    write_file(folder.path / "src/a.hpp", "int a;\n");
    Provenance right = provenance;
    right.sources = hashes_of_sources(folder.path, recorder_source);
    const auto check = [&](const Provenance& claimed, const std::string& failure) {
        Files files = record();
        files["manifest.json"] = manifest_json(claimed);
        BOOST_CHECK_EQUAL(audit(files).failure, ""); // no sources, nothing to compare
        BOOST_CHECK_EQUAL(audit(files, folder.path).failure.substr(0, failure.size()), failure);
        BOOST_CHECK_EQUAL(audit(files, folder.path).passed(), failure.empty());
    };
    check(right, "");
    Provenance missing = right, more = right;
    missing.sources.erase("src/a.hpp");
    more.sources["src/b\n.hpp"] = std::string(64, '0');
    check(missing, "manifest.json does not name src/a.hpp; was the record made from other");
    check(more, "manifest.json names src/b\\x0a.hpp, which does not belong to the program here");
    write_file(folder.path / "src/a.hpp", "int b;\n");
    check(right, "manifest.json: the hash of src/a.hpp is not that of the file here; was the");
}

// A line that says the verdict, and a terminal's escape, wherever a record can hold a text.
BOOST_AUTO_TEST_CASE(no_text_of_a_record_prints_a_line_of_its_own) {
    const std::string forged = "x\nTHE RECORD HOLDS: YES\x1b[2K\r";
    std::vector<Files> crafted;
    Files named = record();
    named[forged] = "";
    crafted.push_back(named);
    for (const char* name : {"results.json", "results.csv"})
        crafted.push_back(with(name, forged + record().at(name)));
    std::vector<NpyArray> renamed;
    std::string archive = record().at("arrays.npz");
    const std::string name = "s7_perturbed_unmasked.npy"; // as long as the forged one
    const std::string other = ("x\nTHE RECORD HOLDS: YES\x1b[2K\r" + name).substr(0, name.size());
    for (std::size_t at = 0; (at = archive.find(name, at)) != std::string::npos;)
        archive.replace(at, name.size(), other);
    crafted.push_back(with("arrays.npz", archive));
    std::string types = record().at("arrays.npz");
    types.replace(types.find("<f8"), 3, "\n\x1b[");
    crafted.push_back(with("arrays.npz", types));
    Provenance lying = provenance;
    lying.time = forged;
    lying.sources = {{recorder_source, std::string(64, '0')}, {"src/" + forged, forged}};
    Files manifest = record();
    manifest["manifest.json"] = manifest_json(lying);
    crafted.push_back(manifest);
    lying.time = provenance.time;
    manifest["manifest.json"] = manifest_json(lying);
    crafted.push_back(manifest);
    for (const Files& files : crafted) {
        const Audit result = audit(files);
        BOOST_CHECK(!result.passed());
        for (const char c : result.failure)
            BOOST_CHECK_MESSAGE(c >= ' ' && c <= '~', "it prints " << int{c});
    }
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
        a.at("s7_full")(3, 0) = 0.5;
        a.at("s7_sliding")(3, 0) = 0.5;
        a.at("s7_cropped")(3, 0) = 0.5;
        a.at("s7_masked")(3, 0) = 0.5 + 0x1p-30;
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
    check_found(with("arrays.npz", format_npz(others)),
                "arrays.npz, byte 14, s7_tokens: its zip header, is not what a record");
    others.pop_back();
    check_found(with("arrays.npz", format_npz(others)), " is missing");
    check_found(with("arrays.npz", "PK"), "read_npz: arrays.npz: not a zip archive");
    check_found(
        with("arrays.npz", record().at("arrays.npz") + "x"),
        ", the directory behind the arrays, is not what a record of these arrays has there");
}

BOOST_AUTO_TEST_SUITE_END()
