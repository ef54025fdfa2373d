// Kernels that are written to be counted, and what came of it.
#pragma once

#include <algorithm>
#include <string>

#include "harness/vgpu/machine/testing/program.h"
#include "harness/vgpu/monitor/counters.h"

namespace vgpu::test {

/// Two multiprocessors, and little enough second-level cache to be outgrown by small arrays.
inline constexpr CacheSizes kSmallCaches = {2, 4096, 64 << 10, 64};

struct CountedKernel {
  std::string body;  ///< see kernel_with; its first line is 100 of kernel.cu
  std::uint32_t threads = 32, blocks = 1;
  std::string outside = {};
  std::uint64_t buffer_bytes = 1 << 16;
  std::uint32_t blocks_of_cluster = 1;
};

inline Program program_of(const CountedKernel& kernel) {
  Program program;
  program.ptx = kernel_with(1, ".loc 1 100 0\n" + kernel.body, ".file 1 \"kernel.cu\"\n" + kernel.outside);
  program.shape = {{kernel.blocks, 1, 1}, {kernel.threads, 1, 1}, 0, false};
  program.shape.has_cluster = kernel.blocks_of_cluster > 1;
  program.shape.cluster = {kernel.blocks_of_cluster, 1, 1};
  return program;
}

inline KernelCounts counted(const CountedKernel& kernel) {
  Counters counters;
  counters.set_caches(kSmallCaches);
  Program program = program_of(kernel);
  program.options.observer = &counters;
  run_cleanly(program, {Bytes(kernel.buffer_bytes)});
  return counters.kernels().at(0);
}

inline Counts of_line(const KernelCounts& counts, std::uint32_t line) {
  const auto found =
      std::find_if(counts.lines.begin(), counts.lines.end(), [&](const LineCounts& l) { return l.line == line; });
  return found == counts.lines.end() ? Counts{} : found->counts;
}

/// "a=1 b=2": the counters that are not 0.
inline std::string spelled(const Counts& counts) {
  std::string text;
  for (const NamedCounter& counter : kNamedCounters)
    if (const std::uint64_t value = counts.*counter.value; value != 0)
      text += (text.empty() ? "" : " ") + std::string(counter.name) + "=" + std::to_string(value);
  return text;
}

/// %rd1 = the buffer + %r5 * bytes
inline std::string address(std::uint32_t bytes) {
  return "mul.wide.u32 %rd1, %r5, " + std::to_string(bytes) + ";\nadd.u64 %rd1, %rd1, %rd0;\n";
}

}  // namespace vgpu::test
