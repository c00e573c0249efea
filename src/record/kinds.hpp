// What people hand in for a file of NumPy's, told apart by its first bytes.
#pragma once

#include <string>
#include <string_view>

namespace glassbox {

// What these bytes are, and how the numbers get out of them; nothing for an .npy, for a zip that is
// no PyTorch file, and for what is not known.
inline std::string foreign_kind(std::string_view bytes) {
    const auto starts = [&](std::string_view magic) { return bytes.starts_with(magic); };
    const std::string torch_load = "; in Python, numpy.savez('runs.npz', **{k: "
                                   "v.detach().cpu().numpy() for k, v in torch.load(file).items()})"
                                   " for a dict of tensors, numpy.save for a single one";
    if (starts("PK") && bytes.find("/data.pkl") != std::string_view::npos)
        return "a PyTorch file, as torch.save writes it" + torch_load;
    if (starts("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9"))
        return "a PyTorch file, as torch.save wrote it before 1.6" + torch_load;
    if (bytes.size() > 1 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5)
        return "a Python pickle; save what pickle.load gives with numpy.save, or a dict of arrays "
               "with numpy.savez('runs.npz', **it)";
    if (starts("\x1f\x8b"))
        return "compressed by gzip; gunzip -c FILE > OTHER unpacks it";
    if (starts("\x89HDF"))
        return "an HDF5 file; save its arrays with numpy.savez('runs.npz', name=array, ...)";
    if (bytes.size() > 8 && bytes.substr(8).starts_with("{\"") &&
        bytes.find("\"data_offsets\"") < bytes.size())
        return "a safetensors file; in Python, numpy.savez('runs.npz', "
               "**safetensors.numpy.load_file(file))";
    const std::size_t word = bytes.substr(0, 12).find("NUMPY");
    if (word != std::string_view::npos && !starts("\x93NUMPY"))
        return "an .npy whose first byte was changed, as by a transfer as text; transfer the file "
               "as binary";
    return "";
}

} // namespace glassbox
