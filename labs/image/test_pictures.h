// What the tests of the lab image share: problems made by hand, and blurs written down a second time as plain loops.
#pragma once

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/lab/lab.h"

namespace lanewise {

namespace labs {
Lab image();
}

namespace image_test {

using Bytes = std::vector<std::uint8_t>;
inline constexpr std::uint8_t kUntouched = 0xA5;

inline const Task& task(const std::string& name) {
  static const Lab kLab = labs::image();
  for (const Task& each : kLab.tasks)
    if (each.name == name) return each;
  throw std::invalid_argument("the lab has no task " + name);
}

inline Parameters picture(const std::string& kind, std::int64_t width, std::int64_t height, std::int64_t radius = 0) {
  Parameters parameters;
  parameters.set("kind", kind);
  parameters.set("width", width);
  parameters.set("height", height);
  parameters.set("radius", radius);
  return parameters;
}

inline Problem made(const std::string& name, const Parameters& parameters, std::uint64_t seed = 3) {
  auto result = task(name).make(parameters, seed);
  if (const auto* missing = std::get_if<MissingData>(&result)) throw std::invalid_argument(missing->sentence);
  return std::get<Problem>(std::move(result));
}

inline Bytes bytes_of(const Array& array) {
  const std::uint8_t* first = elements<std::uint8_t>(array);
  return {first, first + element_count(array)};
}

// A grey picture of the given levels.
inline Problem grey_picture(int width, int height, int radius, const Bytes& levels) {
  Problem problem = made("blur", picture("noise", width, height, radius));
  std::copy(levels.begin(), levels.end(), elements<std::uint8_t>(problem.inputs[0]));
  return problem;
}

inline Bytes oracle(const std::string& name, const Problem& problem) {
  return bytes_of(task(name).oracle(problem).at(0));
}

// What the first entry of that name gives, or the one after it.
inline Bytes outcome(const std::string& name, const std::string& misconception, const Problem& problem, int which = 0) {
  for (const Misconception& mistake : task(name).misconceptions)
    if (mistake.name == misconception && which-- == 0) return bytes_of(mistake.outcome(problem).at(0));
  throw std::invalid_argument("no misconception is called " + misconception);
}

// A blur as a student would write it: `add(r, c, sum, count)` is called for every position of the whole window.
using Add = std::function<void(int r, int c, long& sum, long& count)>;
inline Bytes student_blur(int width, int height, int low, int high, const Add& add) {
  Bytes result;
  for (int row = 0; row < height; ++row)
    for (int col = 0; col < width; ++col) {
      long sum = 0;
      long count = 0;
      for (int r = row + low; r <= row + high; ++r)
        for (int c = col + low; c <= col + high; ++c) add(r, c, sum, count);
      result.push_back(count == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>((2 * sum + count) / (2 * count)));
    }
  return result;
}

struct Grey {
  int width, height, radius;
  Problem problem;
  Bytes in;
  bool inside(int r, int c) const { return r >= 0 && r < height && c >= 0 && c < width; }
  int at(int r, int c) const { return in[static_cast<std::size_t>(r * width + c)]; }
};

// Sizes: one pixel, one row, one column, smaller than the window, across a border of 16, not square.
inline std::vector<Grey> small_pictures() {
  std::vector<Grey> all;
  for (const auto& [width, height] : {std::pair{1, 1}, {9, 1}, {1, 9}, {5, 4}, {17, 33}, {33, 17}})
    for (const int radius : {0, 1, 3, 10}) {
      Problem problem = made("blur", picture("noise", width, height, radius));
      Bytes in = bytes_of(problem.inputs[0]);
      all.push_back({width, height, radius, std::move(problem), std::move(in)});
    }
  return all;
}

}  // namespace image_test
}  // namespace lanewise
