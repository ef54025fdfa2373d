// Pictures of a wrong histogram beside the right one, for the report.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/lab/array.h"

namespace lanewise::labs::histogram_lab {

/// Pictures are at most this wide: with more bins than that, a bar stands for several neighbouring ones.
inline constexpr std::int64_t kMostBars = 512;

/// Writes expected.png, got.png and difference.png into `folder`: bars whose heights are square roots of counts, so
/// that rare values are seen beside frequent ones. In the difference, orange bars up are counts too high, blue bars
/// down counts too low. Gives the names of the files written.
std::vector<std::string> illustrate(const Array& expected, const Array& got, const std::filesystem::path& folder);

}  // namespace lanewise::labs::histogram_lab
