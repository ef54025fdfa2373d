// Reads and writes picture files: looks at the file, picks the decoder, and turns every failure into a sentence.
#include "datasets/image.h"

#define STBI_NO_STDIO
#include <stb_image.h>
#define STBI_WRITE_NO_STDIO
#include <stb_image_write.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>

#include "datasets/file_contents.h"
#include "datasets/pnm.h"
#include "datasets/stb_memory.h"
#include "datasets/text_lines.h"

namespace lanewise {
namespace {

using Bytes = std::vector<std::uint8_t>;

// More than any picture within kMaxImagePixels takes, and still an `int`, which is what stb_image counts in.
constexpr std::uintmax_t kMostImageBytes = std::uintmax_t{1} << 29;
static_assert(kMostImageBytes <= std::numeric_limits<int>::max(), "stb_image takes the length of a file as an int");
static_assert(kMaxImagePixels * 4 <= std::numeric_limits<int>::max(), "stb_image counts samples in an int");

constexpr std::initializer_list<std::uint8_t> kPngMagic = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

bool begins_with(const Bytes& bytes, std::initializer_list<std::uint8_t> magic) {
  return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin());
}

// True if every Huffman table of a JPEG's DHT segment (its length included) announces at most 256 codes and ends within
// the segment. stb_image up to 2.27 writes past its own table otherwise: it finds out that a table overran the segment
// only after having built it.
bool huffman_tables_fit(const std::uint8_t* segment, std::size_t length) {
  std::size_t at = 2;
  while (at + 17 <= length) {
    std::size_t codes = 0;
    for (std::size_t i = 1; i <= 16; ++i) codes += segment[at + i];
    if (codes > 256) return false;
    at += 17 + codes;
  }
  return at == length;
}

// What is wrong with a JPEG that stb_image would not notice; empty if nothing. stb_image fills what is missing with
// grey and calls that a success, so whether the end is there has to be found out by walking the markers: segments carry
// their length, entropy-coded data runs to the next marker that is neither a stuffed zero nor a restart. (ITU-T T.81,
// annex B.)
std::string jpeg_fault(const Bytes& bytes) {
  constexpr std::uint8_t kHuffmanTables = 0xC4, kEndOfImage = 0xD9, kTem = 0x01;
  std::size_t at = 2;  // after start-of-image
  while (at + 1 < bytes.size()) {
    const std::uint8_t marker = bytes[at + 1];
    const bool stands_alone = marker == 0x00 || marker == kTem || (marker >= 0xD0 && marker <= 0xD8);
    if (bytes[at] != 0xFF || marker == 0xFF) {
      ++at;  // entropy-coded data, fill bytes, or stray bytes that a decoder skips as well
    } else if (marker == kEndOfImage) {
      return "";
    } else if (stands_alone) {
      at += 2;
    } else {
      if (at + 3 >= bytes.size()) break;
      const auto length = static_cast<std::size_t>(bytes[at + 2] << 8 | bytes[at + 3]);
      if (length > bytes.size() - at - 2) break;
      if (marker == kHuffmanTables && !huffman_tables_fit(&bytes[at + 2], length)) return "a Huffman table is too long";
      at += 2 + length;
    }
  }
  return "its end marker is missing";
}

// What is wrong with the chunks of a PNG; empty if nothing. stb_image takes memory for as many bytes as a chunk claims
// to have, whether they are there or not. (ISO/IEC 15948, 5.3: length, type, data, checksum.)
std::string png_fault(const Bytes& bytes) {
  constexpr std::size_t kAround = 12;  // bytes of a chunk besides its data
  std::size_t at = 8;                  // after the magic
  while (bytes.size() - at >= kAround) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) length = length << 8 | bytes[at + i];
    const std::size_t left = bytes.size() - at - kAround;
    if (length > left)
      return "the chunk at byte " + std::to_string(at) + " claims to have " + std::to_string(length) + " bytes, but " +
             std::to_string(left) + " are left";
    if (std::equal(&bytes[at + 4], &bytes[at + 8], "IEND")) return "";
    at += kAround + length;
  }
  return "its end chunk is missing";
}

std::variant<Image, DataError> decode_with_stb(const Bytes& bytes, const std::string& name) {
  const int length = static_cast<int>(bytes.size());
  int width = 0;
  int height = 0;
  int channels = 0;
  if (stbi_info_from_memory(bytes.data(), length, &width, &height, &channels) == 0)
    return DataError{name + " begins like a picture, but its header is broken or cut short"};
  if (std::int64_t{width} * height > kMaxImagePixels)
    return DataError{name + " claims " + std::to_string(width) + " x " + std::to_string(height) + " pixels; at most " +
                     std::to_string(kMaxImagePixels) + " are read"};
  const std::string fault = begins_with(bytes, kPngMagic) ? png_fault(bytes) : "";
  if (!fault.empty()) return DataError{name + " is a PNG that is broken or cut short: " + fault};
  // Up to 8 bytes a pixel, one more a row, and the file itself, each twice, since buffers grow by doubling; and what a
  // JPEG of at most 65535 pixels a side needs to fill up blocks of 32 x 32.
  const StbMemoryLimit limit(16 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height) +
                             2 * static_cast<std::size_t>(height) + 2 * bytes.size() + (std::size_t{1} << 24));
  const std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> samples(
      stbi_load_from_memory(bytes.data(), length, &width, &height, &channels, 0), &stbi_image_free);
  if (!samples)
    return DataError{name + " is broken or cut short: its pixels cannot be decoded: " +
                     shown(stbi_failure_reason())};  // which may have bytes of the file in it
  Image image{width, height, channels, {}};
  const std::size_t count = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  image.pixels.assign(samples.get(), samples.get() + count * static_cast<std::size_t>(channels));
  return image;
}

// Grey becomes red = green = blue, colour becomes grey by the rule of the image lab (0.21, 0.72, 0.07, to nearest),
// a missing alpha becomes 255, one too many is dropped.
Image with_channels(const Image& from, int channels) {
  Image to{from.width, from.height, channels, {}};
  const std::size_t count = static_cast<std::size_t>(from.width) * static_cast<std::size_t>(from.height);
  to.pixels.resize(count * static_cast<std::size_t>(channels));
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t* in = &from.pixels[i * static_cast<std::size_t>(from.channels)];
    std::uint8_t* out = &to.pixels[i * static_cast<std::size_t>(channels)];
    const bool has_colour = from.channels >= 3;
    const std::array<std::uint8_t, 3> rgb = {in[0], has_colour ? in[1] : in[0], has_colour ? in[2] : in[0]};
    if (channels == 1) {
      out[0] = has_colour ? static_cast<std::uint8_t>((21 * rgb[0] + 72 * rgb[1] + 7 * rgb[2] + 50) / 100) : in[0];
    } else {
      std::copy(rgb.begin(), rgb.end(), out);
      if (channels == 4) out[3] = from.channels % 2 == 0 ? in[from.channels - 1] : 255;
    }
  }
  return to;
}

std::variant<Bytes, DataError> encode(const std::filesystem::path& file, const Image& image) {
  const std::string ending = file.extension().string();
  if ((ending == ".ppm" && image.channels == 3) || (ending == ".pgm" && image.channels == 1)) return encode_pnm(image);
  if (ending != ".png" || image.channels > 4)
    return DataError{quoted(file) + " cannot hold " + std::to_string(image.channels) +
                     " channels: use .png for 1 to 4, .ppm for 3, .pgm for 1"};
  Bytes bytes;
  const auto append = [](void* context, void* data, int size) {
    const auto* first = static_cast<const std::uint8_t*>(data);
    static_cast<Bytes*>(context)->insert(static_cast<Bytes*>(context)->end(), first, first + size);
  };
  if (stbi_write_png_to_func(append, &bytes, image.width, image.height, image.channels, image.pixels.data(),
                             image.width * image.channels) == 0)
    return DataError{quoted(file) + " was not written: memory ran out while compressing it"};
  return bytes;
}

}  // namespace

std::variant<Image, DataError> decode_image(const Bytes& bytes, const std::string& name) {
  if (looks_like_pnm(bytes)) return decode_pnm(bytes, name);
  if (begins_with(bytes, kPngMagic)) return decode_with_stb(bytes, name);
  if (begins_with(bytes, {0xFF, 0xD8, 0xFF})) {
    const std::string fault = jpeg_fault(bytes);
    if (!fault.empty()) return DataError{name + " is a JPEG that is broken or cut short: " + fault};
    return decode_with_stb(bytes, name);
  }
  return DataError{name + " is not a picture: it does not begin like a PNG, JPEG, PPM (P6) or PGM (P5)"};
}

std::variant<Image, DataError> read_image(const std::filesystem::path& file, int channels) {
  if (channels != 0 && channels != 1 && channels != 3 && channels != 4)
    return DataError{quoted(file) + " was requested with " + std::to_string(channels) +
                     " channels: 0, 1, 3 or 4 are possible"};
  auto bytes = read_contents(file, "picture", kMostImageBytes);
  if (auto* error = std::get_if<DataError>(&bytes)) return std::move(*error);
  auto decoded = decode_image(std::get<Bytes>(bytes), quoted(file));
  if (const auto* image = std::get_if<Image>(&decoded); image && channels != 0 && image->channels != channels)
    return with_channels(*image, channels);
  return decoded;
}

std::optional<DataError> write_image(const std::filesystem::path& file, const Image& image) {
  const std::int64_t count = std::int64_t{image.width} * image.height;
  if (image.width <= 0 || image.height <= 0 || image.channels <= 0)
    return DataError{quoted(file) + " was not written: the picture has no pixels"};
  if (count > kMaxImagePixels)
    return DataError{quoted(file) + " was not written: the picture has more than " + std::to_string(kMaxImagePixels) +
                     " pixels"};
  if (image.pixels.size() != static_cast<std::size_t>(count) * static_cast<std::size_t>(image.channels))
    return DataError{quoted(file) + " was not written: the picture's width, height and channels do not fit its " +
                     std::to_string(image.pixels.size()) + " samples"};
  const auto encoded = encode(file, image);
  if (const auto* error = std::get_if<DataError>(&encoded)) return *error;
  const auto& bytes = std::get<Bytes>(encoded);
  return write_contents(file, {as_text(bytes)});
}

}  // namespace lanewise
