// Runs one PTX kernel over buffers: what every test of the machine is written with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/machine/observer.h"

namespace vgpu::test {

using Bytes = std::vector<std::byte>;

/// Which handlers of memory instructions are chosen, and who watches.
enum class Watch : std::uint8_t {
  kNobody,
  kEverything,  ///< an observer that lets every access go ahead
  kEveryStep,   ///< the same one, which wants to see every instruction, too
};

/// A module and one launch of a kernel in it. The kernel's parameters are all `.u64`: the addresses of the buffers, in
/// order, then the numbers.
struct Program {
  std::string ptx;
  std::string kernel = "test";
  LaunchShape shape{{1, 1, 1}, {32, 1, 1}, 0, false};
  std::vector<std::uint64_t> numbers;
  Watch watch = Watch::kNobody;
  LaunchOptions options;  ///< an observer given here is kept, and chooses the watched handlers
  DeviceRuntime* device_runtime = nullptr;
};

/// What came of a launch.
struct Result {
  std::string refusal;  ///< not empty: the module or the kernel was refused, and nothing ran
  std::uint32_t refused_ptx_line = 0;
  LaunchOutcome outcome;
  std::vector<Bytes> buffers;  ///< as the kernel left them
  std::string printed;
  std::vector<std::string> assertions;
  std::uint64_t accesses_seen = 0;  ///< by the observer
  std::uint64_t steps_seen = 0;     ///< likewise, of Watch::kEveryStep
};

/// Loads the module into a fresh device, copies the buffers there, launches, and copies them back.
Result run(const Program& program, const std::vector<Bytes>& buffers);

/// The same; a refusal or a fault fails the test.
std::vector<Bytes> run_cleanly(const Program& program, const std::vector<Bytes>& buffers);

/// The lines every module begins with, then `functions`.
std::string module_with(const std::string& functions);

/// A module with one kernel called `test` that takes `parameters` u64 parameters p0, p1, ... Registers %p<20> (pred),
/// %h<40> (b16), %r<80> (b32) and %rd<80> (b64) are declared; the parameters are already in %rd0, %rd1, ...; %r0 is the
/// thread's number in its block, %r1 that in the grid. `outside` comes before the kernel.
std::string kernel_with(int parameters, const std::string& body, const std::string& outside = {});

/// The body's end that stores %r5 as this thread's result, in buffer 0.
inline constexpr const char* kStoreResult =
    "mul.wide.u32 %rd9, %r1, 4;\nadd.u64 %rd9, %rd9, %rd0;\nst.global.u32 [%rd9], %r5;\n";

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>, "buffers hold plain values");
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
std::vector<T> values_of(const Bytes& bytes) {
  static_assert(std::is_trivially_copyable_v<T>, "buffers hold plain values");
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

/// Runs a program whose first buffer is `count` values of T, zeros at first, and returns what the kernel wrote there.
template <class T>
std::vector<T> results_of(const Program& program, std::size_t count, const std::vector<Bytes>& more_buffers = {}) {
  std::vector<Bytes> buffers{Bytes(count * sizeof(T))};
  buffers.insert(buffers.end(), more_buffers.begin(), more_buffers.end());
  return values_of<T>(run_cleanly(program, buffers).at(0));
}

}  // namespace vgpu::test
