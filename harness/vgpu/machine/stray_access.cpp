#include "harness/vgpu/machine/stray_access.h"

#include <string>

#include "harness/vgpu/machine/access_words.h"
#include "harness/vgpu/machine/address_windows.h"
#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/machine/launch.h"

namespace vgpu {
namespace {

std::string why_not(std::uint64_t address, const Warp& warp) {
  const AddressSpace& memory = warp.block->launch().memory();
  if (address < 65536) return "a null pointer";
  if (address >= std::uint64_t{0} - 65536) return "a null pointer with a negative index";
  if (address - kSharedWindow < kWindowBytes) return "a pointer to shared memory, used as a pointer to global memory";
  if (address - kLocalWindow < kWindowBytes) return "a pointer to local memory, used as a pointer to global memory";
  if (memory.in_reservation(address)) return "device memory that is not allocated";
  if (&memory.home_of(address) != &memory) return "memory of another device, which this one cannot access";
  return "not device memory; a host pointer?";
}

/// Addresses whose bytes the machine finds `shift` further.
struct Range {
  std::uint64_t begin = 0, bytes = 0, shift = 0;

  bool holds(std::uint64_t address, std::uint64_t count) const {
    return address - begin < bytes && count <= bytes - (address - begin);
  }
};

}  // namespace

StrayAccess look_at_stray_access(Warp& warp, const Insn* insn, ptx::Space space, AccessKind kind, std::uint32_t bytes,
                                 Mask lanes, std::uint64_t* addresses) {
  const auto what = [&] { return "a " + std::string(verb(kind)) + " of " + std::to_string(bytes) + " bytes at "; };
  const AddressSpace& memory = warp.block->launch().memory();
  Range known;  // where a lane was last found to be: neighbours are there, too
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const std::uint64_t address = addresses[lane];
    if ((address & (bytes - 1)) != 0) {
      warp.fault(insn, FaultKind::kMisalignedAddress, lane,
                 what() + "address " + hexadecimal(address) + ", which is not a multiple of " + std::to_string(bytes));
      return {true};
    }
    if (space == ptx::Space::kShared) {
      const std::uint64_t beyond = address - warp.shared_low;
      if (beyond < warp.shared_span && bytes <= warp.shared_span - beyond) continue;
      warp.fault(insn, FaultKind::kIllegalAddress, lane,
                 what() + "shared address " + hexadecimal(address) + ": the block has " +
                     std::to_string(warp.block->launch().shared_bytes()) + " bytes of shared memory");
      return {true};
    }
    if (space == ptx::Space::kLocal) {
      if (address < warp.local_stride && bytes <= warp.local_stride - address) continue;
      warp.fault(insn, FaultKind::kIllegalAddress, lane,
                 what() + "local address " + hexadecimal(address) + ", which is outside the thread's local memory");
      return {true};
    }
    const std::uint64_t beyond = address - warp.global_low;
    if (beyond < warp.global_span && bytes <= warp.global_span - beyond) continue;
    warp.block->launch().moves();  // the host or another device may write there meanwhile
    if (known.holds(address, bytes)) {
      addresses[lane] = address + known.shift;
      continue;
    }
    if (const std::byte* const at = memory.pinned_host(address, bytes)) {
      addresses[lane] = reinterpret_cast<std::uint64_t>(at) - static_cast<std::uint64_t>(warp.global_delta);
      continue;
    }
    const AddressSpace& home = memory.home_of(address);
    if (&home != &memory && memory.reaches(home, address, bytes)) {
      const std::uint64_t shift =
          static_cast<std::uint64_t>(home.delta()) - static_cast<std::uint64_t>(warp.global_delta);
      if (const Allocation* const allocation = home.find(address))
        known = {allocation->address, allocation->bytes, shift};
      addresses[lane] = address + shift;
      continue;
    }
    warp.fault(insn, FaultKind::kIllegalAddress, lane, what() + hexadecimal(address) + ": " + why_not(address, warp));
    return {true};
  }
  // The other lanes stand where one that takes part does.
  for (int lane = 0; lane < kLanes; ++lane)
    if ((lanes >> lane & 1) == 0) addresses[lane] = addresses[__builtin_ctz(lanes)];
  return {false};
}

}  // namespace vgpu
