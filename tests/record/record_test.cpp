// The record: its numbers against NumPy's and the published ones, and what is left on the disk.
#include "record/audit.hpp"
#include "record/folder.hpp"
#include "record/record.hpp"
#include "support.hpp"

#include <csignal>
#include <sys/resource.h>

using namespace glassbox;

namespace {

const Provenance provenance{
    "2000-01-01T00:00:00Z", "a compiler", "-O0", {{recorder_source, std::string(64, 'a')}}};

const Files& record() {
    static const Files files = record_files(provenance);
    return files;
}

// For the tests of what happens on the disk.
const Files some_files{{"arrays.npz", std::string(5000, 'a')},
                       {"manifest.json", "{}\n"},
                       {"results.csv", "seed\n"},
                       {"results.json", "[]\n"},
                       {"sha256.json", "{}\n"}};

const SeedRun& run_of(std::uint32_t seed) {
    static std::map<std::uint32_t, SeedRun> runs;
    if (!runs.contains(seed))
        runs[seed] = run_seed(seed);
    return runs[seed];
}

std::size_t entries_in(const std::filesystem::path& folder) {
    const std::filesystem::directory_iterator all(folder);
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// While it lives no file can grow beyond so many bytes: a disk that is full.
struct FullDisk {
    rlimit before{};
    void (*handler)(int) = std::signal(SIGXFSZ, SIG_IGN);

    explicit FullDisk(rlim_t bytes) {
        getrlimit(RLIMIT_FSIZE, &before);
        const rlimit small{bytes, before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
    }
    ~FullDisk() {
        setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, handler);
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(recording)

BOOST_AUTO_TEST_CASE(all_48_arrays_are_those_of_numpy,
                     *label("mask_removed") * label("mask_one_too_far") * label("scale_left_out") *
                         label("sine_and_cosine_swapped") * label("window_one_too_wide") *
                         label("value_of_the_wrong_key") * label("decoder_reads_local_positions") *
                         label("positions_restart") * label("first_position_forgotten") *
                         label("newest_keys_evicted") * label("cache_not_kept") *
                         label("key_and_value_swapped") * label("tanh_forgotten") *
                         label("decoder_residual_forgotten") * label("weights_of_the_last_layer") *
                         label("reset_control_does_not_fire") *
                         label("chunk_control_does_not_fire") *
                         label("cropped_one_token_too_long")) {
    std::size_t compared = 0;
    for (const std::uint32_t seed : protocol::seeds)
        for (const auto& [name, numbers] : run_of(seed).arrays) {
            BOOST_TEST_CONTEXT(array_name(seed, name)) {
                check_close(numbers, golden("mechanics", array_name(seed, name)), 1e-12);
            }
            ++compared;
        }
    BOOST_CHECK_EQUAL(compared, 48U);
}

BOOST_AUTO_TEST_CASE(the_controls_show_the_published_figures,
                     *label("mask_removed") * label("mask_one_too_far") * label("scale_left_out") *
                         label("sine_and_cosine_swapped") * label("window_one_too_wide") *
                         label("value_of_the_wrong_key") * label("decoder_reads_local_positions") *
                         label("first_position_forgotten") * label("newest_keys_evicted") *
                         label("cache_not_kept") * label("key_and_value_swapped") *
                         label("tanh_forgotten") * label("decoder_residual_forgotten") *
                         label("reset_control_does_not_fire") *
                         label("chunk_control_does_not_fire") *
                         label("cropped_one_token_too_long")) {
    const Matrix published{
        {0.13961894822489077, 0.5898382535636, 1.6396440968706636, 0.32219499143376756},
        {0.08197973311104023, 0.7398334029674688, 1.5815179218701074, 0.41295788573721953},
        {0.3286221719585457, 0.6487032211675517, 1.4836566654305905, 0.3918651930538199}};
    for (std::size_t i = 0; i < protocol::seeds.size(); ++i) {
        const Metrics& m = run_of(protocol::seeds[i]).metrics;
        check_close(Matrix{{m.unmasked_future_change, m.wrong_chunk_mask_error,
                            m.reset_position_error, m.cropped_recompute_error}},
                    rows_of(published, i, 1), 1e-12);
    }
}

BOOST_AUTO_TEST_CASE(the_five_errors_are_exactly_0,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("value_of_the_wrong_key") * label("decoder_reads_local_positions") *
                         label("positions_restart") * label("first_position_forgotten") *
                         label("newest_keys_evicted") * label("cache_not_kept")) {
    for (const std::uint32_t seed : protocol::seeds) {
        const Metrics& m = run_of(seed).metrics;
        const Matrix errors{
            {m.causal_future_error, m.prefix_error, m.cache_error, m.chunk_error, m.sliding_error}};
        BOOST_CHECK_MESSAGE(same_bits(errors, Matrix(1, 5)), "seed " << seed);
    }
}

BOOST_AUTO_TEST_CASE(the_work_and_the_bytes_are_the_published_ones,
                     *label("decoder_reads_local_positions") * label("first_position_forgotten") *
                         label("one_position_too_few_evicted") *
                         label("one_position_too_many_evicted") * label("cache_not_kept") *
                         label("cached_scores_not_counted")) {
    for (const std::uint32_t seed : protocol::seeds) {
        const Metrics& m = run_of(seed).metrics;
        BOOST_CHECK_EQUAL(m.seed, seed);
        BOOST_CHECK_EQUAL(m.prefix_projected_rows, 1800U);
        BOOST_CHECK_EQUAL(m.cached_projected_rows, 144U);
        BOOST_CHECK_EQUAL(m.prefix_score_elements, 9800U);
        BOOST_CHECK_EQUAL(m.cached_score_elements, 600U);
        BOOST_CHECK_EQUAL(m.full_kv_bytes, 12288U);
        BOOST_CHECK_EQUAL(m.window_kv_bytes, 2048U);
    }
}

BOOST_AUTO_TEST_CASE(a_record_passes_the_audit,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("value_of_the_wrong_key") * label("decoder_reads_local_positions") *
                         label("positions_restart") * label("first_position_forgotten") *
                         label("one_position_too_few_evicted") *
                         label("one_position_too_many_evicted") * label("newest_keys_evicted") *
                         label("cache_not_kept") * label("cached_scores_not_counted") *
                         label("reset_control_does_not_fire") *
                         label("chunk_control_does_not_fire") * label("audit_of_other_rows")) {
    BOOST_CHECK_EQUAL(audit(record()).failure, "");
}

BOOST_AUTO_TEST_CASE(two_records_differ_in_the_time_and_the_seal_alone,
                     *label("decoder_reads_local_positions") * label("first_position_forgotten") *
                         label("cache_not_kept")) {
    Provenance later = provenance;
    later.time = "2000-01-01T00:00:01Z";
    const Files second = record_files(later);
    BOOST_REQUIRE_EQUAL(second.size(), 5U);
    for (const auto& [name, content] : second)
        BOOST_CHECK_MESSAGE((content == record().at(name)) == (name != "manifest.json"), name);
    std::istringstream a(record().at("manifest.json")), b(second.at("manifest.json"));
    std::vector<std::string> different;
    for (std::string line, other; std::getline(a, line) && std::getline(b, other);)
        if (line != other)
            different.push_back(line.substr(0, line.find(':')));
    const std::vector<std::string> expected{"  \"time\"", "  \"seal\""};
    BOOST_CHECK_EQUAL_COLLECTIONS(different.begin(), different.end(), expected.begin(),
                                  expected.end());
}

BOOST_AUTO_TEST_CASE(the_manifest_holds_what_it_was_given_and_ends_in_its_seal) {
    const std::string text = "{\n  \"time\": \"2000-01-01T00:00:00Z\",\n"
                             "  \"compiler\": \"a compiler\",\n  \"flags\": \"-O0\",\n" +
        protocol_json() + "  \"sources\": {\n    \"" + recorder_source + "\": \"" +
        std::string(64, 'a') + "\"\n  },\n";
    BOOST_CHECK_EQUAL(manifest_json(provenance), text + seal_of(text));
}

BOOST_AUTO_TEST_CASE(the_time_is_written_as_iso_8601_in_utc) {
    const std::string time = time_now(), pattern = "2000-00-00T00:00:00Z";
    BOOST_REQUIRE_EQUAL(time.size(), pattern.size());
    for (std::size_t i = 0; i < time.size(); ++i) {
        const bool digit = time[i] >= '0' && time[i] <= '9';
        BOOST_CHECK_EQUAL(digit ? '0' : time[i], pattern[i] == '2' ? '0' : pattern[i]);
    }
}

BOOST_AUTO_TEST_CASE(the_sources_are_the_program_and_all_that_it_includes) {
    const auto hashes = hashes_of_sources(".", "lessons/16_record.cpp");
    for (const char* file : {"lessons/16_record.cpp", "src/record/record.hpp",
                             "src/model/decoder.hpp", "src/numbers/random.hpp"})
        BOOST_CHECK_MESSAGE(hashes.contains(file), file);
    BOOST_CHECK(!hashes.contains("src/record/audit.hpp"));
    BOOST_CHECK_EQUAL(hashes.at("src/model/mask.hpp"), sha256_of_file("src/model/mask.hpp"));
    check_message([] { hashes_of_sources("nowhere", "lessons/16_record.cpp"); },
                  {"hashes_of_sources: cannot open nowhere/lessons/16_record.cpp"});
}

// The files that a source includes, directly or not.
std::string includes_of(const std::string& source) {
    std::string all;
    for (const auto& [file, hash] : hashes_of_sources(".", source))
        all += file + "\n";
    return all;
}

BOOST_AUTO_TEST_CASE(the_audit_includes_nothing_of_the_model) {
    for (const char* source : {"src/record/audit.hpp", "lessons/17_audit.cpp"}) {
        const std::string files = includes_of(source);
        BOOST_CHECK_MESSAGE(files.find("src/model/") == std::string::npos, files);
        BOOST_CHECK_MESSAGE(files.find("src/record/experiment.hpp") == std::string::npos, files);
        BOOST_CHECK_MESSAGE(files.find("src/record/results.hpp") != std::string::npos, files);
    }
    BOOST_CHECK(includes_of("lessons/16_record.cpp").find("src/model/") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_record_is_written_as_it_is) {
    const TemporaryFolder folder;
    write_record(some_files, folder.path / "with blanks" / "and above" / "run");
    const std::filesystem::path run = folder.path / "with blanks" / "and above" / "run";
    BOOST_CHECK_EQUAL(entries_in(run), 5U);
    for (const auto& [name, content] : some_files)
        BOOST_CHECK(read_file(run / name) == content);
    BOOST_CHECK_EQUAL(entries_in(folder.path / "with blanks" / "and above"), 1U);
    write_record(some_files, folder.path / "slash" / "");
    BOOST_CHECK_EQUAL(entries_in(folder.path / "slash"), 5U);
}

BOOST_AUTO_TEST_CASE(what_is_there_already_is_refused_and_not_touched) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder.path / "empty");
    write_file(folder.path / "file", "precious");
    std::filesystem::create_symlink(folder.path / "nowhere", folder.path / "link");
    for (const char* name : {"empty", "file", "link", ".", ".."})
        check_message([&] { write_record(some_files, folder.path / name); },
                      {"write_record: ", name, " is there already; wanted a new folder"});
    BOOST_CHECK_EQUAL(entries_in(folder.path), 3U);
    BOOST_CHECK_EQUAL(read_file(folder.path / "file"), "precious");
    BOOST_CHECK(std::filesystem::is_empty(folder.path / "empty"));
}

BOOST_AUTO_TEST_CASE(a_full_disk_leaves_nothing, *label("record_left_half_done")) {
    const TemporaryFolder folder;
    std::string message;
    {
        const FullDisk full(1024); // arrays.npz does not fit
        message = message_of([&] { write_record(some_files, folder.path / "above" / "run"); });
    }
    BOOST_CHECK_MESSAGE(message.starts_with("write_record: cannot write the "), message);
    BOOST_CHECK_MESSAGE(message.ends_with("arrays.npz; is the disk full?"), message);
    BOOST_CHECK_EQUAL(entries_in(folder.path), 0U);
    write_record(some_files, folder.path / "above" / "run"); // with room again it works
    BOOST_CHECK_EQUAL(entries_in(folder.path / "above" / "run"), 5U);
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_made_leaves_nothing, *label("record_left_half_done")) {
    const TemporaryFolder folder;
    const Files broken{{"arrays.npz", "written"}, {"nowhere/results.csv", "not written"}};
    check_message([&] { write_record(broken, folder.path / "run"); },
                  {"write_record: cannot open ", "results.csv for writing"});
    BOOST_CHECK_EQUAL(entries_in(folder.path), 0U);
}

BOOST_AUTO_TEST_CASE(what_a_killed_run_left_is_replaced) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder.path / ".run.partial");
    write_file(folder.path / ".run.partial" / "arrays.npz", "half of it");
    write_record(some_files, folder.path / "run");
    BOOST_CHECK_EQUAL(entries_in(folder.path), 1U);
    BOOST_CHECK(read_file(folder.path / "run" / "arrays.npz") == some_files.at("arrays.npz"));
}

BOOST_AUTO_TEST_CASE(what_somebody_else_put_there_is_not_deleted) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder.path / ".run.partial");
    write_file(folder.path / ".run.partial" / "thesis.txt", "precious");
    write_file(folder.path / ".other.partial", "precious too");
    std::filesystem::create_directories(folder.path / ".third.partial" / "arrays.npz");
    for (const char* name : {"run", "other", "third"})
        check_message([&] { write_record(some_files, folder.path / name); },
                      {"write_record: ", " is in the way"});
    const char* forged = "x\nTHE RECORD HOLDS: YES\x1b[2K"; // printed as what it is
    std::filesystem::create_directory(folder.path / ".fourth.partial");
    write_file(folder.path / ".fourth.partial" / forged, "precious");
    check_message([&] { write_record(some_files, folder.path / "fourth"); },
                  {"/x\\x0aTHE RECORD HOLDS: YES\\x1b[2K is in the way"});
    BOOST_CHECK_EQUAL(entries_in(folder.path), 4U);
    BOOST_CHECK_EQUAL(read_file(folder.path / ".run.partial" / "thesis.txt"), "precious");
    BOOST_CHECK_EQUAL(read_file(folder.path / ".other.partial"), "precious too");
}

BOOST_AUTO_TEST_SUITE_END()
