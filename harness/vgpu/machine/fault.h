// What can stop a kernel, as data: the machine's own errors, which the runtime returns as NVIDIA's codes.
#pragma once

#include <cstdint>
#include <string>

#include "harness/vgpu/machine/lanes.h"

namespace vgpu {

enum class FaultKind : std::uint8_t {
  kNone,
  kIllegalAddress,       ///< CUDA error 700
  kMisalignedAddress,    ///< 716
  kInvalidAddressSpace,  ///< 717
  kInvalidPc,            ///< 718: a call through a pointer that is not a function
  kIllegalInstruction,   ///< 715: operands that no such instruction has
  kTrap,                 ///< 719: __trap() among others
  kAssert,               ///< 710; the only one that lets other threads go on
  kStackOverflow,        ///< 719 with a sentence
  kDeadlock,             ///< no warp can ever continue; the hardware would hang
  kLaneDeadlock,         ///< likewise, and some lanes wait for others of their warp
  kClusterDeadlock,      ///< no warp of a cluster can, likewise
  kEndlessLoop,          ///< a loop that never ends, as can be seen; the hardware would run on
  kEndlessWait,          ///< all threads wait for what none of them will do, as can be seen; likewise
  kBudget,               ///< the instruction budget is used up; likewise
  kRefused,              ///< something the virtual GPU does not support, met while running
};

/// Where a kernel stopped and why. The first fault counts, and all but failed assertions end the launch.
struct Fault {
  FaultKind kind = FaultKind::kNone;
  std::string sentence;  ///< what happened, without the place
  std::string file;      ///< CUDA source, empty if unknown
  std::uint32_t line = 0;
  std::uint32_t ptx_line = 0;
  bool explained = false;  ///< a checker has a finding that says more
  Extent3 block{0, 0, 0};
  Extent3 thread{0, 0, 0};
};

}  // namespace vgpu
