// initcheck: what a kernel branches on or stores must have been written.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/vgpu/machine/observer.h"
#include "harness/vgpu/monitor/device_contents.h"
#include "harness/vgpu/monitor/finding.h"
#include "harness/vgpu/monitor/mark_flow.h"
#include "harness/vgpu/monitor/marks.h"
#include "harness/vgpu/monitor/written_bytes.h"

namespace vgpu {

/// Reports values from shared or device memory that was never written, and those that a shuffle takes from a lane that
/// has no part in it, at the point where they are used: where they decide a branch, are part of an address, take part
/// in an atomic operation, or are all that a thread stores to global memory in one access. Reading alone is not a
/// mistake (vectors reach past what is needed, structures have gaps), nor is passing the value on through registers,
/// selections, votes, shuffles, local and shared memory: it is tracked there, bit by bit.
///
/// A warp is tracked instruction by instruction only while it holds such a value. contents() must be told what the host
/// does with device memory.
class Initcheck : public Observer {
 public:
  explicit Initcheck(FindingList& findings) : findings_(findings) {}

  DeviceContents& contents() { return contents_; }

  void launch_begins(const Launch& launch) override;
  void launch_ends(Launch& launch) override;
  void block_begins(const Block& block) override;
  void barrier_opens(const Block& block, std::uint32_t id, const std::vector<Mask>& arrived) override;
  void instruction(Warp& warp, const Insn* at) override;
  void lanes_exchange(Warp& warp, const std::vector<Participant>& participants) override;
  void values_are_undefined(Warp& warp, const Participant& receivers, const LaneNumbers& sources) override;
  Mask access(const MemoryAccess& access) override;
  void copy_arrives(const MemoryAccess& store, const Code& code, const Insn* awaited_at) override;
  QuietRange quiet_range(const MemoryAccess& access) override;

 private:
  /// A read of bytes that nobody has written; or a shuffle that took what a lane that takes no part in it held.
  struct Origin {
    const Code* code = nullptr;
    const Insn* insn = nullptr;
    ptx::Space space = ptx::Space::kGlobal;
    std::uint64_t address = 0;  ///< of the element
    std::uint32_t bytes = 0;    ///< of the element
    std::uint32_t thread = 0;   ///< its number in the block
    Extent3 block;
    Extent3 home;           ///< whose shared memory was read
    int absent_lane = -1;   ///< of a shuffle
    bool is_whole = false;  ///< what still has a mark of it counts as marked all over
  };
  /// What never changes about an instruction, worked out once: thousands of warps come by.
  struct Facts {
    Conduct conduct = Conduct::kNothing;
    bool is_copy = false;
    bool is_library_business = false;
    std::vector<OperandSlot> loaded, stored;  ///< registers; `stored` as soon as it has stored any
  };
  /// Bytes of a lane that nobody has written, on their way from memory to memory within one instruction.
  struct InFlight {
    const Insn* insn = nullptr;
    std::array<std::uint32_t, kLanes> missing{};
    std::array<OriginId, kLanes> origins{};
    std::array<std::uint64_t, kLanes> targets{};
    std::uint32_t receivers = 0;  ///< blocks it has yet to arrive in; 0 until the first arrival
  };
  using CopiesUnderWay = std::unordered_map<std::uint64_t, InFlight>;  ///< by warp and number of the copy
  struct BlockState {
    std::unique_ptr<WrittenBytes> shared;
    std::vector<std::int32_t> carried;  ///< origins of marks that came to lie in shared memory, by word; -1: none
    CopiesUnderWay copies;              ///< asynchronous ones of bytes that nobody has written
    std::vector<WarpMarks> warps;
    std::vector<std::uint32_t> steps;  ///< by warp
    bool has_lost_threads = false;     ///< some had returned when the latest barrier opened
  };
  struct KnownRange {
    const Insn* insn = nullptr;
    DeviceContents::Range range;
  };
  /// A mistake, and how often it was seen.
  struct Reported {
    std::string kind, file, array;
    std::uint32_t line = 0;
    std::uint64_t count = 0;
  };
  /// Missing bytes of each lane, and the lanes that have any.
  struct Missing {
    std::array<std::uint32_t, kLanes> bytes{};
    Mask lanes = 0;
  };

  BlockState& state_of(const Block& block);
  /// That of the block whose shared memory is accessed.
  BlockState& home_of(const MemoryAccess& access);
  WarpMarks& marks_of(const Warp& warp) { return state_of(*warp.block).warps[warp.index]; }
  Facts& facts(const Code& code, const Insn& insn);
  const std::vector<OperandSlot>& stored_by(const Code& code, const Insn& insn);
  DeviceContents::Range range_of(const MemoryAccess& access, std::uint64_t address);
  bool is_written(const MemoryAccess& access);
  bool is_written_shared(const MemoryAccess& access);
  Missing missing_of(const MemoryAccess& access);

  void load(const MemoryAccess& access);
  void store(const MemoryAccess& access);
  void change(const MemoryAccess& access);
  void access_local(const MemoryAccess& access);
  void mark_loaded(const MemoryAccess& access, const Missing& missing, const OriginId* origins);
  Missing marked_in_stored(const MemoryAccess& access, OriginId* origins);
  bool is_extended(const MemoryAccess& access, int lane, std::uint32_t marked, OriginId origin) const;
  void set_written(const MemoryAccess& access);
  void note_width(const MemoryAccess& access, DeviceContents::Use* use);
  void carry(const MemoryAccess& access, const Missing& marked, const OriginId* origins);
  void land(const MemoryAccess& access, const InFlight& copied);
  void find_origins(const MemoryAccess& access, const Missing& missing, OriginId* origins);
  std::int32_t carried_to(const MemoryAccess& access, std::uint64_t word);
  OriginId number_of(const Origin& origin);

  void call(const Warp& warp, const Insn* at, Mask lanes, WarpMarks& marks);
  void leave(const Warp& warp, Mask lanes, WarpMarks& marks);
  void use(const Warp& warp, const Frame& frame, const Insn* at, const OperandSlot* slot, Mask lanes, const char* how);
  void use_all(const Warp& warp, const Insn* at, Mask lanes, const char* how);
  void use_address(const Warp& warp, const Insn* at, Mask lanes);
  bool is_first_seen(const Insn* at, OriginId origin);
  void report(const Warp& warp, const Code& code, const Insn* at, OriginId origin, const std::string& how);

  FindingList& findings_;
  DeviceContents contents_;
  const Launch* launch_ = nullptr;
  std::string kernel_name_;
  std::uint64_t generation_ = 0;  ///< of the address space that the known ranges hold for
  std::array<KnownRange, 1024> known_{};
  std::unordered_map<const Block*, BlockState> blocks_;
  const Block* last_block_ = nullptr;
  BlockState* last_state_ = nullptr;
  std::unordered_map<std::uint64_t, OriginId> carried_;  ///< likewise, in device memory
  InFlight in_flight_;
  std::vector<Origin> origins_;  ///< by number; the oldest are replaced when there are too many
  std::size_t next_origin_ = 0;
  std::unordered_map<const Insn*, Facts> facts_;
  std::unordered_map<const Insn*, std::unordered_map<const Insn*, Reported>> reported_;  ///< by read and use
  const Insn *last_read_ = nullptr, *last_use_ = nullptr;
  Reported* last_reported_ = nullptr;  ///< that use of that read
};

}  // namespace vgpu
