// Makes pictures from random numbers or from files.
#include "labs/image/pictures.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "datasets/data_path.h"
#include "datasets/image.h"
#include "datasets/random.h"
#include "labs/image/image.cuh"

namespace lanewise::labs::image_lab {
namespace {

using Pixels = std::vector<std::uint8_t>;

// A value from the case's table that must lie in [0, most].
int bounded(const Parameters& parameters, const char* key, int most) {
  const std::int64_t value = parameters.integer(key);
  if (value < 0 || value > most)
    throw std::invalid_argument(std::string("the key '") + key + "' of a picture must lie between 0 and " +
                                std::to_string(most));
  return static_cast<int>(value);
}

void fill_noise(Pixels& pixels, Random& random) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < pixels.size(); ++i, bits >>= 8) {
    if (i % 8 == 0) bits = random.next();
    pixels[i] = static_cast<std::uint8_t>(bits);
  }
}

void fill_extremes(Pixels& pixels, Random& random) {
  fill_noise(pixels, random);
  for (auto& level : pixels) level = level < 128 ? 0 : 255;
}

// Enough for the means of 17 x 17 pixels to differ between seeds by more than the level that a judge forgives.
constexpr int kMostNoise = 24;

// From 24 to 231 without the noise: two thirds of the way from left to right, one third from top to bottom. The noise
// keeps a symmetrical window of another size from having the same mean.
void fill_ramp(Image& image, Random& random) {
  std::size_t i = 0;
  for (int row = 0; row < image.height; ++row)
    for (int col = 0; col < image.width; ++col) {
      const int across = 138 * col / std::max(1, image.width - 1);
      const int down = 69 * row / std::max(1, image.height - 1);
      for (int channel = 0; channel < image.channels; ++channel)
        image.pixels[i++] = static_cast<std::uint8_t>(24 + across + down + random.between(-kMostNoise, kMostNoise));
    }
}

void add_noise(Pixels& pixels, Random& random) {
  for (auto& level : pixels)
    level =
        static_cast<std::uint8_t>(std::clamp<std::int64_t>(level + random.between(-kMostNoise, kMostNoise), 0, 255));
}

std::variant<Image, MissingData> photograph(const Parameters& parameters, int channels, std::uint64_t seed) {
  const auto found = find_data(parameters.text("file"));
  if (const auto* error = std::get_if<DataError>(&found)) return MissingData{error->sentence};
  auto read = read_image(std::get<std::filesystem::path>(found), channels);
  if (const auto* error = std::get_if<DataError>(&read)) return MissingData{error->sentence};
  Image image = std::get<Image>(std::move(read));
  Random random(seed);
  add_noise(image.pixels, random);
  return image;
}

std::variant<Image, MissingData> make_image(const Parameters& parameters, int channels, std::uint64_t seed) {
  const std::string& kind = parameters.text("kind");
  if (kind == "photograph") return photograph(parameters, channels, seed);

  Image image;
  image.width = bounded(parameters, "width", kMaxExtent);
  image.height = bounded(parameters, "height", kMaxExtent);
  image.channels = channels;
  image.pixels.resize(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) *
                      static_cast<std::size_t>(channels));
  Random random(seed);
  if (kind == "noise")
    fill_noise(image.pixels, random);
  else if (kind == "extremes")
    fill_extremes(image.pixels, random);
  else if (kind == "constant")
    std::fill(image.pixels.begin(), image.pixels.end(), static_cast<std::uint8_t>(bounded(parameters, "level", 255)));
  else if (kind == "ramp")
    fill_ramp(image, random);
  else
    throw std::invalid_argument(
        "the kind of a picture is 'noise', 'extremes', 'constant', 'ramp' or 'photograph', not '" + kind + "'");
  return image;
}

// Input, output and extents of a problem that holds `image`.
Problem problem_of(const Image& image, const char* input, const char* output) {
  const std::int64_t width = image.width;
  const std::int64_t height = image.height;
  Array array = make_array<std::uint8_t>(input, {height, width});
  if (image.channels > 1) {
    array.shape.push_back(image.channels);
    array.bytes.resize(byte_count(array));
  }
  std::transform(image.pixels.begin(), image.pixels.end(), array.bytes.begin(),
                 [](std::uint8_t level) { return std::byte{level}; });
  Problem problem;
  problem.inputs.push_back(std::move(array));
  problem.outputs = {{output, DType::kUint8, {height, width}}};
  problem.scalars = {{"width", width}, {"height", height}};
  return problem;
}

}  // namespace

std::variant<Problem, MissingData> make_colour(const Parameters& parameters, std::uint64_t seed) {
  const auto image = make_image(parameters, 3, seed);
  if (const auto* missing = std::get_if<MissingData>(&image)) return *missing;
  return problem_of(std::get<Image>(image), "rgb", "gray");
}

std::variant<Problem, MissingData> make_grey(const Parameters& parameters, std::uint64_t seed) {
  const std::int64_t radius = bounded(parameters, "radius", kMaxRadius);
  const auto image = make_image(parameters, 1, seed);
  if (const auto* missing = std::get_if<MissingData>(&image)) return *missing;
  Problem problem = problem_of(std::get<Image>(image), "in", "out");
  problem.scalars.push_back({"radius", radius});
  return problem;
}

}  // namespace lanewise::labs::image_lab
