// One lane's call of a function that the system provides: its arguments and results, and the memory that they point to.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "harness/vgpu/machine/code.h"
#include "harness/vgpu/machine/device_math.h"
#include "harness/vgpu/machine/warp.h"

namespace vgpu {

/// Memory behind a generic address, as far as it goes: null and 0 bytes if there is none.
struct Bytes {
  const std::byte* at = nullptr;
  std::uint64_t count = 0;
};
Bytes bytes_at(const Warp& warp, int lane, std::uint64_t address);

/// The text that ends with a zero there, cut off if it is very long.
std::string string_at(const Warp& warp, int lane, std::uint64_t address);

/// Arguments and results lie where `site` says in the lane's local memory. What a hostile caller has not made, or made
/// too small, reads as zero.
class LaneCall {
 public:
  LaneCall(Warp& warp, int lane, const CallSite& site)
      : memory_(warp.local + static_cast<std::size_t>(lane) * warp.local_stride + warp.frame->local_base),
        bytes_(warp.local_stride - warp.frame->local_base),
        site_(site) {}

  template <class T>
  T argument(std::size_t n) const {
    T value{};
    if (n < site_.arguments.size() && fits(site_.arguments[n], sizeof value))
      std::memcpy(&value, memory_ + site_.arguments[n], sizeof value);
    return value;
  }
  void compute(const MathFunction& function) {
    const std::byte* arguments[4];
    for (std::size_t n = 0; n < function.arguments; ++n) arguments[n] = memory_ + site_.arguments[n];
    function.run(arguments, memory_ + site_.results[0]);
  }
  template <class T>
  void result(T value) {
    if (!site_.results.empty() && fits(site_.results[0], sizeof value))
      std::memcpy(memory_ + site_.results[0], &value, sizeof value);
  }

 private:
  bool fits(std::uint32_t offset, std::size_t bytes) const { return offset <= bytes_ && bytes <= bytes_ - offset; }

  std::byte* memory_;
  std::uint32_t bytes_;  ///< of the lane's local memory from there on
  const CallSite& site_;
};

}  // namespace vgpu
