// memcheck: every access must be aligned and inside an existing array.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "harness/vgpu/machine/address_space.h"
#include "harness/vgpu/machine/fault.h"
#include "harness/vgpu/machine/observer.h"
#include "harness/vgpu/monitor/finding.h"

namespace vgpu {

/// Reports reads, writes and atomics outside allocations (global), __shared__ arrays (shared) and a thread's own memory
/// (local); uses of freed memory; writes to inputs; misaligned addresses. Accesses that the hardware would let pass (a
/// stray address inside device memory) go ahead; those it would trap are suppressed, so that one run shows everything
/// that is wrong, and the launch ends with the hardware's error. What such a read gives is made up, and may lead loops
/// astray that would end on the hardware: after many accesses outside of arrays, or long after the first one that the
/// hardware would have trapped, the kernel is stopped.
class Memcheck : public Observer {
 public:
  /// Invalid accesses by the lanes of a warp in one launch: a thread that is led astray makes thousands, one that
  /// counts wrongly makes a few. And warp instructions after the first one that was suppressed.
  static constexpr std::uint32_t kMostInvalidOfWarp = 1 << 17;
  static constexpr std::uint64_t kLongestAfter = 20'000'000;

  explicit Memcheck(FindingList& findings) : findings_(findings) {}

  void launch_begins(const Launch& launch) override;
  void launch_ends(Launch& launch) override;
  Mask access(const MemoryAccess& access) override;
  bool block_is_missing(const MemoryAccess& access, std::uint32_t rank) override;
  QuietRange quiet_range(const MemoryAccess& access) override;

 private:
  /// The range that an instruction's last accesses lay in: most of the next ones do, too.
  struct KnownRange {
    const Insn* insn = nullptr;
    std::uint64_t begin = 0, end = 0;

    /// The last access may begin so near the greatest address that its end wraps around to 0.
    bool holds(std::uint64_t lowest, std::uint64_t highest, std::uint32_t bytes) const {
      return lowest >= begin && highest < end && highest + bytes <= end;
    }
  };

  KnownRange& known_range(const Insn* insn) {
    return known_[(reinterpret_cast<std::uintptr_t>(insn) / sizeof(Insn)) % known_.size()];
  }
  Mask check_lanes(const MemoryAccess& access, KnownRange& known);
  bool refuse_misaligned(const MemoryAccess& access, int lane);
  bool check_global(const MemoryAccess& access, int lane, KnownRange& known);
  bool check_shared(const MemoryAccess& access, int lane, KnownRange& known);
  bool refuse_peer(const MemoryAccess& access, int lane, const AddressSpace& peer);
  /// `what()` says what happened, and is asked only the first time: a loop may go astray a million times.
  template <class What>
  void report(const MemoryAccess& access, int lane, const std::string& kind, const std::string& array,
              std::int64_t index, const What& what, const char* advice, bool is_invalid = true);
  void hold_back(const MemoryAccess& access, int lane, FaultKind kind);
  void stop_if_astray(const MemoryAccess& access, int lane);

  FindingList& findings_;
  std::string kernel_name_;
  std::uint64_t generation_ = 0;  ///< of the address space that the known ranges hold for
  std::array<KnownRange, 1024> known_{};
  Fault first_fault_;
  std::uint64_t invalid_ = 0;                          ///< accesses of threads in this launch
  std::array<std::uint32_t, 4096> invalid_of_warp_{};  ///< those of warps that share a place, which hardly matters
  std::uint64_t held_back_from_ = 0;                   ///< the launch's clock at the first one that was suppressed
  bool has_stopped_it_ = false;                        ///< the launch
};

}  // namespace vgpu
