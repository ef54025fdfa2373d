// The mistakes that are typical of turning a picture grey and of blurring one, and what each of them gives.
#pragma once

#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::image_lab {

/// Pixels that no thread computes hold the poison. Entries with the same name are the same mistake made in different
/// ways: with other blocks, or on the reading instead of the writing side.
std::vector<Misconception> grayscale_mistakes();
std::vector<Misconception> blur_mistakes();

}  // namespace lanewise::labs::image_lab
