// The pattern of the addresses in one access, and the words for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/vgpu/report/document.h"

namespace vgpu::report {

/// How far the addresses of neighbouring threads are apart.
struct AccessShape {
  std::uint32_t lanes = 0;             ///< active ones
  std::optional<std::int64_t> stride;  ///< bytes, if nearly all neighbours are equally far apart
  std::uint32_t longest_run = 0;       ///< of neighbours with consecutive addresses
  std::uint32_t banks = 0;             ///< how many of shared memory's 32 banks hold the first words
};
AccessShape shape_of(const Pattern& pattern);

/// "neighbouring threads read addresses 4,096 bytes apart"
std::string words_for_distance(const Pattern& pattern);

/// "all 32 threads read words in the same bank of shared memory"
std::string words_for_banks(const Pattern& pattern);

/// "Thread 0 reads d_in[0], thread 1 d_in[1024], thread 2 d_in[2048]."; empty if the array has no name.
std::string words_for_first_elements(const Pattern& pattern);

/// The usual fix for an access of that shape to global memory, or for one with bank conflicts.
std::string advice_for_global(const Pattern& pattern);
std::string advice_for_banks(const Pattern& pattern);

/// "reads", "writes", "updates"
std::string verb_of(const Pattern& pattern);

}  // namespace vgpu::report
