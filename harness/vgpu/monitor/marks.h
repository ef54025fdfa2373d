// Which bits of a warp's registers and local memory stem from memory that nobody wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "harness/vgpu/machine/code.h"
#include "harness/vgpu/machine/lanes.h"
#include "harness/vgpu/machine/warp.h"

namespace vgpu {

/// The read that a mark stems from; whoever hands them out knows it.
using OriginId = std::uint16_t;

/// Calls f(lane) for each of `lanes`.
template <class F>
void for_each_lane(Mask lanes, F f) {
  for (; lanes != 0; lanes &= lanes - 1) f(__builtin_ctz(lanes));
}

/// The marks of one frame, laid out as the frame itself: a bit is set where that bit of a register is marked. What
/// handlers do to registers they can thus do to marks. Every lane of a register has an origin, a predicate has one.
class FrameMarks {
 public:
  /// Room behind the frame for operands that are to hold values instead of marks.
  static constexpr std::uint32_t kStages = 4;

  explicit FrameMarks(const Code& code);

  /// Aligned as a frame is. The guard at offset 0 holds for all lanes.
  std::byte* bits() { return bits_; }
  std::uint32_t stage(std::uint32_t n) const { return stages_ + n * 16 * kLanes; }

  /// Those of `lanes` for which any bit of the operand is marked.
  Mask marked(const OperandSlot& slot, Mask lanes) const;
  void clear(const OperandSlot& slot, Mask lanes) { put(slot, lanes, std::byte{0}); }
  void mark(const OperandSlot& slot, Mask lanes) { put(slot, lanes, std::byte{0xFF}); }

  /// Bytes of one lane of a register: bit n is that of byte n.
  std::uint32_t marked_bytes(const OperandSlot& slot, int lane) const;
  void set_marked_bytes(const OperandSlot& slot, int lane, std::uint32_t marked);
  /// Of a register with 4 bytes a lane.
  void set_bits(const OperandSlot& slot, int lane, std::uint32_t marked);

  OriginId origin(const OperandSlot& slot, int lane) const { return origins_[place_of_origin(slot, lane)]; }
  void set_origin(const OperandSlot& slot, int lane, OriginId origin) {
    origins_[place_of_origin(slot, lane)] = origin;
  }

  bool any() const;

 private:
  void put(const OperandSlot& slot, Mask lanes, std::byte value);
  /// Registers have 2 bytes a lane at least, predicates 4 bytes for all.
  static std::size_t place_of_origin(const OperandSlot& slot, int lane) {
    return (slot.offset + slot.lane_bytes * static_cast<std::uint32_t>(lane)) / 2;
  }

  std::vector<std::byte> storage_;
  std::byte* bits_;
  std::uint32_t frame_bytes_, stages_;
  std::vector<OriginId> origins_;
};

/// The marks of one warp.
class WarpMarks {
 public:
  FrameMarks& of(const Frame& frame);
  Mask& carry() { return carry_; }

  bool has_local() const { return !local_.empty(); }
  /// Bytes of a lane's local memory that are marked: bit n is that of byte `address + n`, for up to 32 bytes.
  std::uint32_t local(const Warp& warp, int lane, std::uint64_t address, std::uint32_t bytes) const;
  OriginId local_origin(const Warp& warp, int lane, std::uint64_t address, std::uint32_t bytes) const;
  void set_local(const Warp& warp, int lane, std::uint64_t address, std::uint32_t bytes, std::uint32_t marked,
                 OriginId origin);
  void copy_local(const Warp& warp, int lane, std::uint64_t to, std::uint64_t from, std::uint32_t bytes);

  /// Forgets frames that do not exist any more; new ones may come to lie where they were.
  void prune(const Warp& warp);
  bool any() const;
  void clear();

 private:
  struct LocalMark {
    bool is_marked = false;
    OriginId origin = 0;
  };

  std::vector<std::pair<const Frame*, std::unique_ptr<FrameMarks>>> frames_;
  std::vector<LocalMark> local_;  ///< lane after lane, as local memory itself; empty as long as none is marked
  Mask carry_ = 0;                ///< lanes whose carry bit is marked
};

}  // namespace vgpu
