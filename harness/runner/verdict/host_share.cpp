#include "harness/runner/verdict/host_share.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/lab/number_text.h"

namespace lanewise {
namespace {

// What raises no doubt: a few results, a thousandth of the input, and a flag or a count beside every launch.
constexpr std::uint64_t kBytesOfResults = 4 << 10;
constexpr std::uint64_t kShareOfInput = 1000;
constexpr std::uint64_t kBytesOfFlags = 16;
constexpr std::uint64_t kMostLaunchesWithFlags = 512;
// No instruction of a thread does more than a multiplication and an addition.
constexpr double kOperationsOfInstruction = 2;

std::uint64_t bytes_of(const std::vector<Array>& arrays) {
  std::uint64_t bytes = 0;
  for (const Array& array : arrays) bytes += array.bytes.size();
  return bytes;
}

}  // namespace

std::string doubt_that_kernels_did_it(const Problem& problem, const CounterReport& counts) {
  if (problem.space != Space::kDevice) return "";
  const std::uint64_t input = bytes_of(problem.inputs);
  const std::uint64_t launches = std::min(sum_of({"launches"}, counts.sums), kMostLaunchesWithFlags);
  if (counts.host_bytes <= kBytesOfResults + input / kShareOfInput + launches * kBytesOfFlags) return "";
  return fmt::format(
      "{} bytes were copied between host and device, or in memory that both can reach: "
      "is the work done on the host?",
      with_commas(counts.host_bytes));
}

std::string work_without_kernels(const Problem& problem, double flops, const CounterReport& counts) {
  if (problem.space != Space::kHost) return "";
  const std::uint64_t input = bytes_of(problem.inputs);
  std::uint64_t output = 0;
  for (const ArrayShape& array : problem.outputs) output += byte_count(array);
  const std::uint64_t read = sum_of({"l2_read_sectors"}, counts.sums) * kSectorBytes;
  const std::uint64_t written = sum_of({"l2_write_sectors"}, counts.sums) * kSectorBytes;
  if (read < input || written < output)
    return fmt::format("kernels read {} of {} bytes of input and wrote {} of {} bytes of output",
                       with_commas(std::min(read, input)), with_commas(input), with_commas(std::min(written, output)),
                       with_commas(output));
  if (counts.host_bytes < input + output)
    return fmt::format("{} bytes were copied between host and device, and input and output have {}",
                       with_commas(counts.host_bytes), with_commas(input + output));
  const std::uint64_t executed = sum_of({"thread_executions"}, counts.sums);
  if (static_cast<double>(executed) * kOperationsOfInstruction < flops)
    return fmt::format("threads executed {} instructions, and the task takes {} operations", with_commas(executed),
                       with_commas(static_cast<std::uint64_t>(flops)));
  return "";
}

}  // namespace lanewise
