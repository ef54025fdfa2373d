// What the addresses of one access have in common, and how to say it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/vgpu/report/document.h"

namespace vgpu::report {

/// How far the addresses of neighbouring threads are apart.
struct AccessShape {
  std::uint32_t lanes = 0;             ///< that take part
  std::optional<std::int64_t> stride;  ///< bytes, where nearly all neighbours are equally far apart
  std::uint32_t longest_run = 0;       ///< of neighbours whose addresses follow each other without a gap
  std::uint32_t banks = 0;             ///< different ones of shared memory's 32 that hold the first words
};
AccessShape shape_of(const Pattern& pattern);

/// "neighbouring threads read addresses 4,096 bytes apart"
std::string words_for_distance(const Pattern& pattern);

/// "all 32 threads read words that lie in the same bank of shared memory"
std::string words_for_banks(const Pattern& pattern);

/// "Thread 0 reads d_in[0], thread 1 d_in[1024], thread 2 d_in[2048]."; empty if the array has no name.
std::string words_for_first_elements(const Pattern& pattern);

/// What usually mends an access to global memory, or one with bank conflicts, of that shape.
std::string advice_for_global(const Pattern& pattern);
std::string advice_for_banks(const Pattern& pattern);

/// "reads", "writes", "updates"
std::string verb_of(const Pattern& pattern);

}  // namespace vgpu::report
