// What copies of blocks of bytes have in common, be their source and destination plain bytes or boxes of a tensor.
#pragma once

#include "harness/vgpu/machine/builder.h"
#include "harness/vgpu/machine/opcodes/access.h"

namespace vgpu {

/// Bytes of copies arrive at the mbarrier at `object`, a shared address, by the hand of `lane`; false if the warp has
/// stopped.
bool bytes_arrive(Warp& warp, const Insn* insn, int lane, std::uint64_t object, std::uint32_t bytes);

/// The kernel's copies have used up its budget: see Launch::affords().
const Insn* too_much(Warp& warp, const Insn* insn, int lane);

/// cp.async.bulk.tensor and the instructions beside it, once `tensor` is taken.
void build_tensor_copy(Builder& b);

namespace {

constexpr std::uint32_t kBulkGrain = 16;           ///< addresses and sizes of bulk copies are multiples of it
constexpr std::uint32_t kMostBulkBytes = 1 << 18;  ///< what is further on is in no block's shared memory

/// `bytes` at `address`, by the hand of one lane: a piece of a bulk copy. `run`: how many bytes follow each other in
/// global memory, with the first piece of them; 0 with the others. `ahead`: see MemoryAccess.
template <ptx::Space S, bool Watched>
Reach reach_piece(Warp& warp, const Insn* insn, AccessKind kind, std::uint32_t bytes, int lane, std::uint64_t address,
                  std::uint32_t run, LaneAddresses<std::uint64_t>& at, std::uint32_t ahead = 0) {
  for (std::uint64_t& each : at.at) each = address;
  const Mask one = Mask{1} << lane;
  if constexpr (S == ptx::Space::kShared) return reach<S, Watched>(warp, insn, kind, bytes, one, at);
  if constexpr (Watched) {
    MemoryAccess access = event_of(warp, insn, S, kind, bytes, one, at);
    access.run = run;
    access.ahead = ahead;
    if (warp.observer->access(access) == 0) return {nullptr, 0, {}, false};
  }
  return reach<S, false>(warp, insn, kind, bytes, one, at);
}

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return a + b;
  }
};

/// The shared address that 64 bits stand for, be they a generic address or not. What lies elsewhere becomes an address
/// that no block has.
struct IntoSharedSpace {
  static std::uint32_t apply(std::uint64_t address, std::uint64_t offset) {
    address += offset;
    const bool is_shared = address < kWindowBytes || address - kSharedWindow < kWindowBytes;
    return is_shared ? static_cast<std::uint32_t>(address) : ~std::uint32_t{15};
  }
};
static_assert(static_cast<std::uint32_t>(kSharedWindow) == 0, "generic and shared addresses end alike");

/// An operand `[register + offset]` or `[name + offset]`, ready to be read as one slot of `size`: 64 bits for a global
/// address, 32 for a shared one. An offset behind a register is added by an instruction of its own, so this comes
/// before anything is put into b.insn.
class Address {
 public:
  Address(Builder& b, const ptx::Operand& operand, SlotSize size) : b_(b), operand_(operand), size_(size) {
    if (operand.kind != ptx::Operand::Kind::kAddress) b.refuse(b.spelled() + " without an address");
    if (base().kind == ptx::Operand::Kind::kSymbol) return;
    const bool narrows =
        size == SlotSize::k32 && b.is_register(base()) && slot_for(b.register_type(base())) == SlotSize::k64;
    if (operand.offset == 0 && !narrows) return;
    const SlotSize found = narrows ? SlotSize::k64 : size;
    sum_ = b.scratch(size);
    has_sum_ = true;
    b.write_scratch(b.insn.dst, sum_);
    b.read(b.insn.a, base(), found);
    b.constant(b.insn.b, static_cast<std::uint64_t>(operand.offset), found);
    b.emit(narrows                 ? &binary<IntoSharedSpace, std::uint32_t, std::uint64_t>
           : size == SlotSize::k64 ? &binary<Add, std::uint64_t, std::uint64_t>
                                   : &binary<Add, std::uint32_t, std::uint32_t>);
  }

  void read_into(std::uint32_t& where) const {
    if (has_sum_) return b_.read_scratch(where, sum_);
    if (base().kind != ptx::Operand::Kind::kSymbol) return b_.read(where, base(), size_);
    b_.constant(where, b_.symbol(base()).value + static_cast<std::uint64_t>(operand_.offset), size_);
  }

 private:
  const ptx::Operand& base() const { return operand_.elements.at(0); }

  Builder& b_;
  const ptx::Operand& operand_;
  SlotSize size_;
  std::uint32_t sum_ = 0;
  bool has_sum_ = false;
};

}  // namespace
}  // namespace vgpu
