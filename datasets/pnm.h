// Binary PGM and PPM, the simplest picture formats: a text header, then the samples.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "datasets/data_error.h"
#include "datasets/image.h"

namespace lanewise {

/// True if `bytes` begin like a binary PGM (P5) or PPM (P6) file.
bool looks_like_pnm(const std::vector<std::uint8_t>& bytes);

/// Reads a whole file's bytes; `name` is used in error messages.
/// Source of the format: the Netpbm manual pages pgm(5) and ppm(5).
std::variant<Image, DataError> decode_pnm(const std::vector<std::uint8_t>& bytes, const std::string& name);

/// The bytes of a PGM (1 channel) or PPM (3 channels) file.
std::vector<std::uint8_t> encode_pnm(const Image& image);

}  // namespace lanewise
