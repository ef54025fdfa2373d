// Pictures that show a wrong picture better than numbers do.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::image_lab {

/// Writes expected.png, got.png and difference.png into `folder` and gives the names of those written: none where the
/// picture has no pixels or the disk is full.
///
/// Small pictures are magnified until they can be seen, large ones reduced to about kLongestSide; a single wrong pixel
/// of a large picture still shows, because of each group of pixels the worst is drawn.
///
/// difference.png: the expected picture, darkened, where the level is right; orange where it is too bright, blue where
/// it is too dark, the stronger the further off.
std::vector<std::string> illustrate(const Array& expected, const Array& got, const std::filesystem::path& folder);

inline constexpr int kLongestSide = 1600;  ///< pixels; what a report can show without scrolling

}  // namespace lanewise::labs::image_lab
