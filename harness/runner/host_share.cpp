#include "harness/runner/host_share.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/lab/number_text.h"

namespace lanewise {
namespace {

// What raises no doubt: a few results, a thousandth of the input, and a flag or a count beside every launch.
constexpr std::uint64_t kBytesOfResults = 4 << 10;
constexpr std::uint64_t kShareOfInput = 1000;
constexpr std::uint64_t kBytesOfFlags = 16;
constexpr std::uint64_t kMostLaunchesWithFlags = 4096;

}  // namespace

std::string doubt_that_kernels_did_it(const Problem& problem, const CounterReport& counts) {
  if (problem.space != Space::kDevice) return "";
  std::uint64_t input = 0;
  for (const Array& array : problem.inputs) input += array.bytes.size();
  const std::uint64_t launches = std::min(sum_of({"launches"}, counts.sums), kMostLaunchesWithFlags);
  if (counts.host_bytes <= kBytesOfResults + input / kShareOfInput + launches * kBytesOfFlags) return "";
  return fmt::format(
      "{} bytes were copied between host and device, or in memory that both can reach: "
      "is the work done on the host?",
      with_commas(counts.host_bytes));
}

}  // namespace lanewise
