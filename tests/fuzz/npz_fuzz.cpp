// Feeds damaged bytes to the .npz reader (make fuzz): every input is read or refused with an
// exception, and what was read can be written and read again, to the last bit.
//
// An input is tried as an archive, and as one array inside a sound archive: the checksum of an
// archive would keep nearly every damaged array from being looked at.
#include "numbers/matrix.hpp"
#include "record/npz.hpp"

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
    if (numbers > archive.size() / 4)
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string input(data, data + size);
    try_archive(input);
    try_archive(zip::archive({{"array.npy", input}}));
    return 0;
}
