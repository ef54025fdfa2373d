// The outcome of comparing one case's outputs with the oracle's, and the comparisons that labs share.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/lab/array.h"

namespace lanewise {

/// One wrong element, as text ready for display.
struct Mismatch {
  std::string output;               ///< name of the array
  std::int64_t flat_index = 0;      ///< row-major position
  std::vector<std::int64_t> index;  ///< the same position, one entry per dimension
  std::string expected;
  std::string got;  ///< kNeverWritten where the element still holds the poison (types of four bytes or more)
};

/// Shown as the value of an element that still holds the bytes from before the run.
inline constexpr const char* kNeverWritten = "never written";

/// All mismatches are counted; the first few are kept.
struct Judgement {
  bool right = true;
  std::int64_t compared = 0;  ///< elements compared, over all outputs
  std::int64_t wrong = 0;
  std::vector<Mismatch> first;  ///< at most kMismatchesKept, in index order
  std::string rule;             ///< what counts as right: "exactly equal", "at most 1 level apart"
  std::string region;  ///< where the wrong elements lie: "from 1024 to the end", "the last column"; may be empty
};

inline constexpr std::size_t kMismatchesKept = 5;

/// Right where `got` equals `expected` bit for bit in every output.
Judgement judge_exact(const std::vector<Array>& expected, const std::vector<Array>& got);

/// Right where integers differ by at most `levels`.
Judgement judge_levels(const std::vector<Array>& expected, const std::vector<Array>& got, std::int64_t levels);

/// Right where floats differ by at most `ulps` units in the last place of the expected value. NaN and infinity in
/// `got` are never right unless expected bit for bit.
Judgement judge_ulps(const std::vector<Array>& expected, const std::vector<Array>& got, std::int64_t ulps);

/// Right where |got - expected| <= bound(output, flat index), in double. NaN never passes.
Judgement judge_bound(const std::vector<Array>& expected, const std::vector<Array>& got,
                      const std::function<double(std::size_t output, std::size_t index)>& bound, std::string rule);

}  // namespace lanewise
