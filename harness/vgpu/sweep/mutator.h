// Small mistakes, introduced into correct kernels one at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/vgpu/sweep/device_code.h"

namespace vgpu::sweep {

enum class Operator : std::uint8_t {
  kDropBarrier,         ///< __syncthreads(), __syncwarp(), a fence or group.sync() is removed
  kShiftBound,          ///< < becomes <=, >= becomes >, and so on
  kWidenIndex,          ///< a[e] becomes a[(e) + 1], and a[(e) - 1]
  kSwapIndices,         ///< a[y][x] becomes a[x][y]; threadIdx.x and .y are swapped
  kDropInitialisation,  ///< a number is not assigned to shared memory
  kPlainAtomic,         ///< an atomic becomes a read, an operation and a write
  kDropGuard,           ///< what an if guards always happens; an early exit is never taken
  kShrinkMask           ///< lanes 16 to 31 are removed from the mask of a .sync function
};
inline constexpr std::array<Operator, 8> kOperators = {
    Operator::kDropBarrier,        Operator::kShiftBound,  Operator::kWidenIndex, Operator::kSwapIndices,
    Operator::kDropInitialisation, Operator::kPlainAtomic, Operator::kDropGuard,  Operator::kShrinkMask};

/// As in `// sweep: equivalent shift-bound 2: ...`.
const char* name_of(Operator op);

struct Mutation {
  Operator op = Operator::kDropBarrier;
  std::uint32_t line = 0;    ///< where the changed text begins
  std::uint32_t number = 1;  ///< counts the mutations of this operator in this line
  std::string function;
  std::size_t begin = 0, end = 0;  ///< the changed text in the source
  std::string replacement;         ///< has as many lines as what it replaces
};

/// All mutations of the device functions of a source, by place and operator.
std::vector<Mutation> mutations_of(std::string_view source, const DeviceCode& code);

std::string mutated(std::string_view source, const Mutation& mutation);

}  // namespace vgpu::sweep
