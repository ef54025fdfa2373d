// NumPy's .npy files: one array of numbers, for data exchanged with Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "datasets/data_error.h"

namespace lanewise {

/// The supported element types: those of the labs' arrays.
enum class NpyType : std::uint8_t {
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat32,
  kFloat64
};

/// Bytes of one element.
std::size_t npy_size_of(NpyType type);

/// "float32", "uint8", ... as NumPy spells them.
const char* npy_name_of(NpyType type);

/// An array, row by row (the last extent varies fastest), its elements in the byte order of this machine. An empty
/// shape is a single element.
struct NpyArray {
  NpyType type = NpyType::kFloat32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
};

/// The array in `file`: format versions 1.0, 2.0 and 3.0, either byte order; arrays in Fortran order are transposed
/// into rows. Refused explicitly: Python objects (pickles, which can execute code when loaded), records, text, complex
/// and other types, archives (.npz). The header must promise exactly the bytes that follow it, which is checked before
/// any are copied. Every error names the file, and the byte if it is in the header.
/// Source of the format: numpy.lib.format of the NumPy manual.
std::variant<NpyArray, DataError> read_npy(const std::filesystem::path& file);

/// The same from a file's contents; `name` is the beginning of an error's sentence.
std::variant<NpyArray, DataError> decode_npy(std::string_view contents, const std::string& name);

/// Writes the array as version 1.0, little-endian, in C order, with the layout of numpy.save. An array whose bytes do
/// not fit its shape cannot be written.
std::optional<DataError> write_npy(const std::filesystem::path& file, const NpyArray& array);

}  // namespace lanewise
