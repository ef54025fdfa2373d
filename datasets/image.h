// Pictures in memory, and reading and writing them as PNG, JPEG, PPM and PGM files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "datasets/data_error.h"

namespace lanewise {

/// A picture of 8-bit samples. `pixels` holds height rows from top to bottom, each of width pixels from left to right,
/// each of `channels` samples: 1 grey, 2 grey and alpha, 3 red green blue, 4 red green blue alpha.
struct Image {
  int width = 0;
  int height = 0;
  int channels = 0;
  std::vector<std::uint8_t> pixels;  ///< width * height * channels samples, no padding
};

/// Pictures of more pixels are refused, so that a corrupt header cannot request all memory.
inline constexpr std::int64_t kMaxImagePixels = std::int64_t{1} << 26;  // 8192 x 8192

/// The picture in `file`, whose format is recognised by its first bytes, not by its name: PNG, JPEG (baseline and
/// progressive) and binary PPM and PGM with a largest value of 255. PNG samples of 16 bits keep their upper 8.
/// With `channels` of 1, 3 or 4 the samples are converted; with 0 they stay as stored.
/// A file that is missing, empty, a folder, cut short, not a picture, or too large is a DataError.
std::variant<Image, DataError> read_image(const std::filesystem::path& file, int channels = 0);

/// The same from a file's contents, samples as stored; `name` is the beginning of an error's sentence.
std::variant<Image, DataError> decode_image(const std::vector<std::uint8_t>& contents, const std::string& name);

/// Writes `image` in the format of the name's extension: .png (1 to 4 channels), .ppm (3) or .pgm (1). Empty on
/// success; a picture without pixels cannot be written.
std::optional<DataError> write_image(const std::filesystem::path& file, const Image& image);

}  // namespace lanewise
