// Reads and writes binary PGM and PPM.
#include "datasets/pnm.h"

#include <optional>

namespace lanewise {
namespace {

bool is_space(std::uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

// The header's cursor: numbers parted by white space, with comments from '#' to the end of the line.
class Header {
 public:
  explicit Header(const std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

  // The next number, or nothing if there is none or it is larger than any header may hold.
  std::optional<std::int64_t> number() {
    skip_space_and_comments();
    constexpr std::int64_t kLargest = 1'000'000'000;
    std::int64_t value = 0;
    const std::size_t first = at_;
    while (at_ < bytes_.size() && bytes_[at_] >= '0' && bytes_[at_] <= '9') {
      value = value * 10 + (bytes_[at_++] - '0');
      if (value > kLargest) return std::nullopt;
    }
    if (at_ == first) return std::nullopt;
    return value;
  }

  // Where the samples begin: after exactly one white-space byte, since a sample may itself look like one.
  std::optional<std::size_t> samples() const {
    if (at_ >= bytes_.size() || !is_space(bytes_[at_])) return std::nullopt;
    return at_ + 1;
  }

 private:
  void skip_space_and_comments() {
    while (at_ < bytes_.size()) {
      if (is_space(bytes_[at_])) {
        ++at_;
      } else if (bytes_[at_] == '#') {
        while (at_ < bytes_.size() && bytes_[at_] != '\n') ++at_;
      } else {
        return;
      }
    }
  }

  const std::vector<std::uint8_t>& bytes_;
  std::size_t at_ = 2;  // after the magic
};

}  // namespace

bool looks_like_pnm(const std::vector<std::uint8_t>& bytes) {
  return bytes.size() > 2 && bytes[0] == 'P' && (bytes[1] == '5' || bytes[1] == '6') && is_space(bytes[2]);
}

std::variant<Image, DataError> decode_pnm(const std::vector<std::uint8_t>& bytes, const std::string& name) {
  Header header(bytes);
  const auto width = header.number();
  const auto height = header.number();
  const auto largest = header.number();
  const auto samples = header.samples();
  if (!width || !height || !largest || !samples)
    return DataError{name + " begins like a PGM or PPM picture, but its header is broken or cut short"};
  if (*width == 0 || *height == 0) return DataError{name + " is a picture without pixels"};
  if (*width * *height > kMaxImagePixels)
    return DataError{name + " claims " + std::to_string(*width) + " x " + std::to_string(*height) +
                     " pixels; at most " + std::to_string(kMaxImagePixels) + " are read"};
  if (*largest != 255)
    return DataError{name + " has samples up to " + std::to_string(*largest) + "; only 255 is supported"};

  Image image;
  image.width = static_cast<int>(*width);
  image.height = static_cast<int>(*height);
  image.channels = bytes[1] == '6' ? 3 : 1;
  const std::size_t needed = static_cast<std::size_t>(*width * *height) * static_cast<std::size_t>(image.channels);
  if (bytes.size() - *samples < needed)
    return DataError{name + " is cut short: " + std::to_string(needed) + " bytes of pixels were announced, " +
                     std::to_string(bytes.size() - *samples) + " are present"};
  const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(*samples);
  image.pixels.assign(first, first + static_cast<std::ptrdiff_t>(needed));
  return image;
}

std::vector<std::uint8_t> encode_pnm(const Image& image) {
  const std::string header = std::string(image.channels == 3 ? "P6" : "P5") + "\n" + std::to_string(image.width) + " " +
                             std::to_string(image.height) + "\n255\n";
  std::vector<std::uint8_t> bytes(header.begin(), header.end());
  bytes.insert(bytes.end(), image.pixels.begin(), image.pixels.end());
  return bytes;
}

}  // namespace lanewise
