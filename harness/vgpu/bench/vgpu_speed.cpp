// How fast the virtual GPU executes: warp and thread instructions a second for typical kernels, unwatched, under
// memcheck, under every checker, and with everything counted besides. Processor time of one thread; the best of several
// runs, since what disturbs only slows down. Usage: vgpu_speed [KERNEL ...]
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/machine/loaded_module.h"
#include "harness/vgpu/monitor/counters.h"
#include "harness/vgpu/monitor/initcheck.h"
#include "harness/vgpu/monitor/memcheck.h"
#include "harness/vgpu/monitor/racecheck.h"
#include "harness/vgpu/monitor/synccheck.h"
#include "harness/vgpu/monitor/watchers.h"

namespace {

using vgpu::Extent3;

constexpr int kRuns = 7;

struct Case {
  const char* kernel;
  const char* what;
  Extent3 grid, block;
  std::vector<std::uint64_t> buffers;  // bytes of each array argument
  std::vector<std::int32_t> numbers;   // arguments behind them
  bool floats = false;                 // what the arrays hold; else bytes
};

// Ordinary values: hosts take long over subnormals and NaN, and students' data has none.
void fill(std::byte* data, std::uint64_t bytes, bool floats) {
  for (std::uint64_t i = 0; i < bytes; i += floats ? 4 : 1) {
    const auto random = static_cast<std::uint32_t>(i * 2654435761u >> 24);
    if (floats) {
      const float value = static_cast<float>(random & 255) / 16 - 8;
      std::memcpy(data + i, &value, sizeof value);
    } else {
      data[i] = static_cast<std::byte>(random);
    }
  }
}

double thread_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

struct Measured {
  double milliseconds = 1e300;
  vgpu::LaunchOutcome outcome;
};

enum class Checkers { kNone, kMemcheck, kAll, kAllAndCounters };

Measured measure(vgpu::LoadedModule& module, vgpu::AddressSpace& memory, const Case& c, Checkers checkers) {
  const vgpu::Kernel* const kernel = module.kernel(c.kernel, checkers != Checkers::kNone);
  std::vector<std::byte> parameters;
  const auto append = [&](const void* data, std::size_t bytes) {
    const auto* from = static_cast<const std::byte*>(data);
    parameters.insert(parameters.end(), from, from + bytes);
  };
  std::vector<std::uint64_t> addresses;
  for (const std::uint64_t bytes : c.buffers) {
    addresses.push_back(memory.allocate(bytes, vgpu::MemoryKind::kDevice));
    fill(memory.host(addresses.back()), bytes, c.floats);
    append(&addresses.back(), 8);
  }
  for (const std::int32_t number : c.numbers) append(&number, 4);

  Measured best;
  vgpu::FindingList findings;
  vgpu::Memcheck memcheck(findings);
  vgpu::Initcheck initcheck(findings);
  vgpu::Racecheck racecheck(findings);
  vgpu::Synccheck synccheck(findings);
  for (std::size_t i = 0; i < addresses.size(); ++i) initcheck.contents().write(memory, addresses[i], c.buffers[i]);
  vgpu::Counters counters;
  counters.set_caches({132, 128 << 10, 26 << 20, 64});  // an H200's
  vgpu::Watchers all;
  if (checkers == Checkers::kAllAndCounters)
    all.watch_with({&memcheck, &initcheck, &racecheck, &synccheck, &counters});
  else
    all.watch_with({&memcheck, &initcheck, &racecheck, &synccheck});
  for (int run = 0; run < kRuns; ++run) {
    vgpu::LaunchOptions options;
    options.resident_blocks = 8 * 132;
    options.sm_count = 132;
    if (checkers == Checkers::kMemcheck) options.observer = &memcheck;
    if (checkers == Checkers::kAll || checkers == Checkers::kAllAndCounters) options.observer = &all;
    const double begin = thread_milliseconds();
    best.outcome = vgpu::Launch(*kernel, memory, {c.grid, c.block, 0, false}, parameters, options).run();
    best.milliseconds = std::min(best.milliseconds, thread_milliseconds() - begin);
  }
  for (const std::uint64_t address : addresses) memory.release(address);
  if (best.outcome.fault.kind != vgpu::FaultKind::kNone || !findings.empty())
    std::printf("%s went wrong: %s\n", c.kernel, best.outcome.fault.sentence.c_str());
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  std::ifstream file(VGPU_BENCH_PTX);
  std::stringstream text;
  text << file.rdbuf();
  std::string error;
  const auto memory = vgpu::AddressSpace::reserve(0x200000000000, std::uint64_t{4} << 30, error);
  if (memory == nullptr) {
    std::fprintf(stderr, "vgpu_speed: %s\n", error.c_str());
    return 3;
  }
  auto loaded = vgpu::LoadedModule::load(text.str(), *memory);
  if (const auto* problem = std::get_if<vgpu::ptx::Diagnostic>(&loaded)) {
    std::fprintf(stderr, "vgpu_speed: %s, line %u: %s\n", VGPU_BENCH_PTX, problem->line, problem->message.c_str());
    return 3;
  }
  vgpu::LoadedModule& module = *std::get<0>(loaded);

  const std::vector<Case> cases = {
      {"matmul_tiled", "tiled matmul, n = 256", {16, 16, 1}, {16, 16, 1}, {262144, 262144, 262144}, {256}, true},
      {"matmul_registers", "4 x 4 a thread, n = 256", {4, 4, 1}, {16, 16, 1}, {262144, 262144, 262144}, {256}, true},
      {"vector_add", "vector add, 2^20", {4096, 1, 1}, {256, 1, 1}, {4 << 20, 4 << 20, 4 << 20}, {1 << 20}, true},
      {"block_scan", "block scan, 2^18", {1024, 1, 1}, {256, 1, 1}, {1 << 20, 1 << 20}, {1 << 18}},
      {"byte_histogram", "histogram, 2^20 bytes", {128, 1, 1}, {256, 1, 1}, {1 << 20, 1024}, {1 << 20}},
      {"blur", "3 x 3 blur, 640 x 427", {40, 27, 1}, {16, 16, 1}, {640 * 427, 640 * 427}, {640, 427}},
  };
  std::printf("%-24s %12s %10s %14s %12s %13s %16s %14s\n", "kernel", "warp insns", "ms", "ns/warp insn", "G thread/s",
              "memcheck, ms", "all checkers, ms", "and counters");
  for (const Case& c : cases) {
    const auto is_it = [&](const char* kernel) { return std::strcmp(kernel, c.kernel) == 0; };
    if (argc > 1 && std::none_of(argv + 1, argv + argc, is_it)) continue;
    const Measured plain = measure(module, *memory, c, Checkers::kNone);
    const Measured memcheck = measure(module, *memory, c, Checkers::kMemcheck);
    const Measured all = measure(module, *memory, c, Checkers::kAll);
    const Measured counted = measure(module, *memory, c, Checkers::kAllAndCounters);
    const auto warps = static_cast<double>(plain.outcome.warp_instructions);
    std::printf("%-24s %12.0f %10.2f %14.2f %12.2f %13.2f %16.2f %14.2f\n", c.what, warps, plain.milliseconds,
                plain.milliseconds * 1e6 / warps,
                static_cast<double>(plain.outcome.thread_instructions) / plain.milliseconds * 1e-6,
                memcheck.milliseconds, all.milliseconds, counted.milliseconds);
  }
}
