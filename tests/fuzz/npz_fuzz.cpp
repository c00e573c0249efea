// Feeds damaged bytes to the readers of .npz and .npy (make fuzz): every input is read or refused
// with an exception, and what was read can be written and read again, to the last bit.
//
// An input is tried as an archive, as one array inside a sound archive (the checksum of an archive
// would keep nearly every damaged array from being looked at), and as the outputs of a model.
#include "numbers/matrix.hpp"
#include "record/npz.hpp"
#include "record/outputs.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>
#include <string_view>

using namespace glassbox;

namespace {

// Reads the bytes; ends the program if what comes out is more than went in, or not kept in writing.
void try_archive(std::string_view archive) {
    std::map<std::string, Matrix> arrays;
    try {
        arrays = parse_npz(bytes_of(archive), "fuzz");
    } catch (const std::exception&) {
        return; // refused, as it should be
    }
    std::size_t numbers = 0;
    for (const auto& [name, m] : arrays) {
        numbers += m.values.size();
        const std::string written = format_npz({{"array", m}});
        if (!same_bits(parse_npz(bytes_of(written), "written").at("array"), m))
            std::abort();
    }
    if (numbers > archive.size() / 2) // a number has two bytes at least
        std::abort();
}

// The same for a single array, and for two of them as before and after of an experiment.
void try_outputs(std::string_view array) {
    try {
        const npy::Array numbers = npy::parse_array({bytes_of(array), "fuzz", "read_npy"});
        if (numbers.values.size() > array.size() / 2)
            std::abort();
        const Outputs outputs = outputs_of(numbers, "fuzz");
        if (outputs.rows.values.size() != numbers.values.size())
            std::abort();
        moved_outputs(experiment_of(outputs, outputs, 1), 0.0);
    } catch (const std::exception&) {
        return; // refused, as it should be
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string input(data, data + size);
    try_archive(input);
    try_archive(zip::archive({{"array.npy", input}}));
    try_outputs(input);
    return 0;
}
