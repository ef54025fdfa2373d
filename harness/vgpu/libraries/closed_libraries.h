// NVIDIA's libraries that have machine code alone and run it through the driver: the virtual GPU cannot execute them.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

namespace vgpu::libraries {

struct ClosedLibrary {
  std::string_view name;       ///< as NVIDIA spells it
  std::string_view file;       ///< how the names of its files begin
  std::string_view functions;  ///< how the names of its functions begin
};

/// Names that begin like another's come first.
inline constexpr ClosedLibrary kClosedLibraries[] = {
    {"cuBLASLt", "libcublasLt", "cublasLt"},
    {"cuBLAS", "libcublas", "cublas"},
    {"NVBLAS", "libnvblas", "nvblas"},
    {"cuFFT", "libcufft", "cufft"},
    {"cuRAND", "libcurand", "curand"},
    {"cuSPARSELt", "libcusparseLt", "cusparseLt"},
    {"cuSPARSE", "libcusparse", "cusparse"},
    {"cuSOLVER", "libcusolver", "cusolver"},
    {"NPP", "libnpp", "npp"},
    {"cuDNN", "libcudnn", "cudnn"},
    {"cuTENSOR", "libcutensor", "cutensor"},
    {"nvJPEG", "libnvjpeg", "nvjpeg"},
    {"NCCL", "libnccl", "nccl"},
};

/// Exit code of a program that was ended, or not begun, because it needs one of them.
inline constexpr int kExitClosedLibrary = 4;

inline constexpr bool begins(std::string_view text, std::string_view beginning) {
  return text.substr(0, beginning.size()) == beginning;
}

/// Whose file this is, such as "/usr/local/cuda/lib64/libcublas.so.13"; null if it is none of these libraries'.
inline constexpr const ClosedLibrary* library_of_file(std::string_view path) {
  const std::size_t folder = path.rfind('/');
  const std::string_view file = folder == std::string_view::npos ? path : path.substr(folder + 1);
  const std::string_view stem = file.substr(0, file.find(".so"));
  if (stem.size() == file.size()) return nullptr;
  for (const ClosedLibrary& library : kClosedLibraries) {
    if (!begins(stem, library.file)) continue;
    // Somebody else's, such as "libnccl-net.so"; the parts of cuDNN are called "libcudnn_ops.so".
    const std::string_view rest = stem.substr(library.file.size());
    const bool is_anothers = begins(rest, "-") || (begins(rest, "_") && library.name != "cuDNN");
    return is_anothers ? nullptr : &library;
  }
  return nullptr;
}

/// Whether this is a file of the driver's API, such as "libcuda.so.1".
inline constexpr bool is_driver(std::string_view path) {
  const std::size_t folder = path.rfind('/');
  const std::string_view file = folder == std::string_view::npos ? path : path.substr(folder + 1);
  return file == "libcuda.so" || begins(file, "libcuda.so.");
}

/// Whose function this is, by its C name; null if it is none of theirs.
inline constexpr const ClosedLibrary* library_of_function(std::string_view function) {
  for (const ClosedLibrary& library : kClosedLibraries) {
    if (!begins(function, library.functions) || function.size() == library.functions.size()) continue;
    const char next = function[library.functions.size()];
    const bool is_word = (next >= 'A' && next <= 'Z') || next == '_';
    if (is_word || (library.name == "NPP" && (next == 'i' || next == 's'))) return &library;
  }
  return nullptr;
}

/// The library that is linked into a program which defines these functions; null if there is none. A program may have a
/// few such names of its own: what takes NCCL's place in a test, say.
template <class Functions>
const ClosedLibrary* library_defined_by(const Functions& functions) {
  constexpr int kEnough = 5;
  std::array<int, std::size(kClosedLibraries)> defined{};
  for (const auto& function : functions)
    if (const ClosedLibrary* const library = library_of_function(function);
        library != nullptr && ++defined[static_cast<std::size_t>(library - kClosedLibraries)] == kEnough)
      return library;
  return nullptr;
}

/// What `who` is told.
inline std::string refusal(const ClosedLibrary& library, std::string_view who) {
  return std::string(who) + " uses " + std::string(library.name) +
         ", which needs NVIDIA's driver and a GPU: the virtual GPU executes PTX, and " + std::string(library.name) +
         " has none. Run it on an NVIDIA GPU, or write these steps as kernels; header-only libraries such as CUB, "
         "Thrust and curand_kernel.h do work";
}

}  // namespace vgpu::libraries
