// Loads and stores: ld, ldu, st, prefetch, discard.
#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/machine/opcodes/access.h"
#include "harness/vgpu/machine/opcodes/tables.h"

namespace vgpu {
namespace {

struct alignas(16) Bits128 {
  std::uint64_t low, high;
};

/// The registers an access reads or writes: one, or the list of a vector.
struct Registers {
  std::uint32_t count;
  const std::uint32_t* offsets;

  explicit Registers(const Insn* insn) : count(1), offsets(&insn->dst) {
    if (insn->extra == nullptr) return;
    const auto& list = *static_cast<const std::vector<std::uint32_t>*>(insn->extra);
    count = static_cast<std::uint32_t>(list.size());
    offsets = list.data();
  }
};

template <class Reg>
inline void zero_lanes(Warp& warp, const Registers& registers, Mask lanes) {
  for (std::uint32_t n = 0; lanes != 0 && n < registers.count; ++n)
    each_lane(lanes, [&](int lane) { lanes_at<Reg>(warp, registers.offsets[n])[lane] = Reg{}; });
}

// --- global and shared ---

template <ptx::Space S>
VGPU_INLINE std::byte* base_of(const Warp& warp) {
  return S == ptx::Space::kGlobal ? reinterpret_cast<std::byte*>(warp.global_delta) : warp.shared;
}

/// Reads that may be waiting for another thread (insn->b) are always shown.
VGPU_INLINE bool may_be_noted(const Insn* insn, const Shape& shape) {
  return (shape.contiguous | shape.uniform) == 3 && insn->b == 0;
}

/// A read of shared memory by all lanes that observers need not be shown now.
template <class A>
VGPU_INLINE bool is_noted(Warp& warp, const Insn* insn, std::uint32_t bytes, const LaneAddresses<A>& addresses,
                          Shape& shape) {
  NotedReads& noted = warp.block->noted_reads();
  const QuietRange range = noted.range_of(insn);
  if (range.high == 0) return false;
  shape = examine(addresses, range.low, range.high - range.low, bytes);
  if (!shape.fine || !may_be_noted(insn, shape)) return false;
  if (!noted.are_wanted()) return true;
  if (__builtin_expect(noted.is_full(), 0)) warp.block->show_noted_reads();
  noted.note_rows(warp, insn, bytes, shape.contiguous, shape.uniform, static_cast<std::uint32_t>(addresses.at[0]),
                  static_cast<std::uint32_t>(addresses.at[kHalf]));
  return true;
}

/// All 32 lanes, one register, nothing odd about the addresses: true if it was so and the access is done.
template <ptx::Space S, class Mem, bool Watched, class A>
VGPU_INLINE bool whole_warp_is_fine(Warp& warp, const Insn* insn, AccessKind kind, const LaneAddresses<A>& addresses,
                                    Shape& shape) {
  constexpr bool kGlobal = S == ptx::Space::kGlobal;
  if constexpr (Watched && !kGlobal)
    if (kind == AccessKind::kLoad && is_noted(warp, insn, sizeof(Mem), addresses, shape)) return true;
  shape = examine(addresses, kGlobal ? warp.global_low : warp.shared_low, kGlobal ? warp.global_span : warp.shared_span,
                  sizeof(Mem));
  if (!shape.fine) return false;
  if constexpr (Watched) {
    const MemoryAccess event = event_of(warp, insn, S, kind, sizeof(Mem), kAllLanes, addresses, shape);
    if (warp.observer->access(event) != kAllLanes) return false;
    if (!kGlobal && kind == AccessKind::kLoad && may_be_noted(insn, shape)) warp.block->ask_for_quiet_range(event);
  }
  return true;
}

template <ptx::Space S, class Mem, class Reg, bool Watched, class A>
inline bool load_at(Warp& warp, const Insn* insn, Mask lanes, LaneAddresses<A>& addresses) {
  const Registers registers(insn);
  const Reach from = reach<S, Watched>(warp, insn, AccessKind::kLoad, sizeof(Mem) * registers.count, lanes, addresses);
  if (from.faulted) return false;
  if (Watched && from.lanes != lanes) zero_lanes<Reg>(warp, registers, lanes & ~from.lanes);
  if (from.lanes == 0) return true;
  for (std::uint32_t n = 0; n < registers.count; ++n)
    load_lanes<Mem>(from, addresses, n, lanes_at<Reg>(warp, registers.offsets[n]));
  return true;
}

template <ptx::Space S, class A, class Mem, class Reg, bool Watched>
__attribute__((noinline)) const Insn* load_some_lanes(Warp& warp, const Insn* insn, Mask lanes) {
  LaneAddresses<A> addresses;
  compute_addresses(warp, insn, lanes, addresses);
  return load_at<S, Mem, Reg, Watched>(warp, insn, lanes, addresses) ? insn + 1 : nullptr;
}

template <ptx::Space S, class A, class Mem, class Reg, bool Watched>
const Insn* load(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  warp.polls += insn->b;
  if (__builtin_expect(lanes == kAllLanes && insn->extra == nullptr, 1)) {
    LaneAddresses<A> addresses;
    compute_addresses(warp, insn, kAllLanes, addresses);
    Shape shape;
    if (__builtin_expect(whole_warp_is_fine<S, Mem, Watched>(warp, insn, AccessKind::kLoad, addresses, shape), 1)) {
      load_whole_warp<Mem>(base_of<S>(warp), shape, addresses, lanes_at<Reg>(warp, insn->dst));
      if (Watched && warp.stepping) return insn + 1;  // since this very access
      VGPU_NEXT(warp, insn);
    }
  }
  return lanes == 0 ? insn + 1 : load_some_lanes<S, A, Mem, Reg, Watched>(warp, insn, lanes);
}

template <ptx::Space S, class Mem, class Reg, bool Watched, class A>
inline bool store_at(Warp& warp, const Insn* insn, Mask lanes, LaneAddresses<A>& addresses) {
  const Registers registers(insn);
  const Reach to = reach<S, Watched>(warp, insn, AccessKind::kStore, sizeof(Mem) * registers.count, lanes, addresses);
  if (to.faulted) return false;
  for (std::uint32_t n = 0; n < registers.count; ++n)
    store_lanes<Mem>(to, addresses, n, lanes_at<Reg>(warp, registers.offsets[n]));
  return true;
}

template <ptx::Space S, class A, class Mem, class Reg, bool Watched>
__attribute__((noinline)) const Insn* store_some_lanes(Warp& warp, const Insn* insn, Mask lanes) {
  LaneAddresses<A> addresses;
  compute_addresses(warp, insn, lanes, addresses);
  return store_at<S, Mem, Reg, Watched>(warp, insn, lanes, addresses) ? insn + 1 : nullptr;
}

template <ptx::Space S, class A, class Mem, class Reg, bool Watched>
const Insn* store(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (__builtin_expect(lanes == kAllLanes && insn->extra == nullptr, 1)) {
    LaneAddresses<A> addresses;
    compute_addresses(warp, insn, kAllLanes, addresses);
    Shape shape;
    if (__builtin_expect(whole_warp_is_fine<S, Mem, Watched>(warp, insn, AccessKind::kStore, addresses, shape), 1)) {
      store_whole_warp<Mem>(base_of<S>(warp), shape, addresses, lanes_at<Reg>(warp, insn->dst));
      VGPU_NEXT(warp, insn);
    }
  }
  return lanes == 0 ? insn + 1 : store_some_lanes<S, A, Mem, Reg, Watched>(warp, insn, lanes);
}

// --- local memory and parameters: each lane its own bytes ---

/// A lane's byte at `address` of its local memory. Names of a function's own variables count from its frame.
template <bool Watched>
inline Mask check_local(Warp& warp, const Insn* insn, AccessKind kind, std::uint32_t bytes, Mask lanes,
                        LaneAddresses<std::uint64_t>& addresses, bool& faulted) {
  if constexpr (Watched)
    lanes = warp.observer->access(event_of(warp, insn, ptx::Space::kLocal, kind, bytes, lanes, addresses));
  if (lanes == 0) return 0;
  if constexpr (Watched) stand_in(addresses, lanes);
  if (!examine(addresses, 0, warp.local_stride, bytes).fine)
    faulted = look_at_stray_access(warp, insn, ptx::Space::kLocal, kind, bytes, lanes, addresses.at).faulted;
  return lanes;
}

template <class Mem, class Reg, bool Watched>
inline bool load_local_at(Warp& warp, const Insn* insn, Mask lanes, LaneAddresses<std::uint64_t>& addresses) {
  const Registers registers(insn);
  bool faulted = false;
  const Mask allowed =
      check_local<Watched>(warp, insn, AccessKind::kLoad, sizeof(Mem) * registers.count, lanes, addresses, faulted);
  if (faulted) return false;
  zero_lanes<Reg>(warp, registers, lanes & ~allowed);
  for (std::uint32_t n = 0; n < registers.count; ++n) {
    Reg* to = lanes_at<Reg>(warp, registers.offsets[n]);
    each_lane(allowed, [&](int lane) {
      const std::byte* memory = warp.local + static_cast<std::size_t>(lane) * warp.local_stride;
      to[lane] = static_cast<Reg>(load_one<Mem>(memory + addresses.at[lane] + n * sizeof(Mem)));
    });
  }
  return true;
}

template <class Mem, class Reg, bool Watched>
inline bool store_local_at(Warp& warp, const Insn* insn, Mask lanes, LaneAddresses<std::uint64_t>& addresses) {
  const Registers registers(insn);
  bool faulted = false;
  const Mask allowed =
      check_local<Watched>(warp, insn, AccessKind::kStore, sizeof(Mem) * registers.count, lanes, addresses, faulted);
  if (faulted) return false;
  for (std::uint32_t n = 0; n < registers.count; ++n) {
    const Reg* from = lanes_at<Reg>(warp, registers.offsets[n]);
    each_lane(allowed, [&](int lane) {
      std::byte* memory = warp.local + static_cast<std::size_t>(lane) * warp.local_stride;
      const auto value = static_cast<Mem>(from[lane]);
      std::memcpy(memory + addresses.at[lane] + n * sizeof(Mem), &value, sizeof value);
    });
  }
  return true;
}

/// insn->c is 1 where the address is a name's, which counts from the function's frame.
template <class Base>
inline LaneAddresses<std::uint64_t> local_addresses(Warp& warp, const Insn* insn, Mask lanes) {
  LaneAddresses<Base> own;
  compute_addresses(warp, insn, lanes, own);
  const std::uint64_t frame = insn->c != 0 ? warp.frame->local_base : 0;
  LaneAddresses<std::uint64_t> addresses;
  for (int lane = 0; lane < kLanes; ++lane) addresses.at[lane] = own.at[lane] + frame;
  return addresses;
}

template <class Base, class Mem, class Reg, bool Watched>
const Insn* load_local(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  LaneAddresses<std::uint64_t> addresses = local_addresses<Base>(warp, insn, lanes);
  return load_local_at<Mem, Reg, Watched>(warp, insn, lanes, addresses) ? insn + 1 : nullptr;
}

template <class Base, class Mem, class Reg, bool Watched>
const Insn* store_local(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  LaneAddresses<std::uint64_t> addresses = local_addresses<Base>(warp, insn, lanes);
  return store_local_at<Mem, Reg, Watched>(warp, insn, lanes, addresses) ? insn + 1 : nullptr;
}

/// Parameters of the kernel: the same bytes for all lanes, at addresses that may differ.
template <class Mem, class Reg, class A>
inline bool load_parameter_at(Warp& warp, const Insn* insn, Mask lanes, const LaneAddresses<A>& addresses) {
  const Registers registers(insn);
  const std::uint32_t bytes = sizeof(Mem) * registers.count;
  if (!examine(addresses, 0, warp.parameter_bytes, bytes).fine) {
    warp.fault(insn, FaultKind::kIllegalAddress, __builtin_ctz(lanes), "a read outside of the kernel's parameters");
    return false;
  }
  for (std::uint32_t n = 0; n < registers.count; ++n)
    set_lanes(lanes_at<Reg>(warp, registers.offsets[n]), lanes, [&](int lane) {
      return static_cast<Reg>(load_one<Mem>(warp.parameters + addresses.at[lane] + n * sizeof(Mem)));
    });
  return true;
}

template <class Base, class Mem, class Reg>
const Insn* load_parameter(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  LaneAddresses<Base> addresses;
  compute_addresses(warp, insn, lanes, addresses);
  return load_parameter_at<Mem, Reg>(warp, insn, lanes, addresses) ? insn + 1 : nullptr;
}

/// A parameter by its name: its place, in insn->offset, was checked when the kernel was decoded.
template <class Mem, class Reg>
const Insn* load_named_parameter(Warp& warp, const Insn* insn) {
  const auto value = static_cast<Reg>(load_one<Mem>(warp.parameters + insn->offset));
  set_lanes(lanes_at<Reg>(warp, insn->dst), guarded_lanes(warp, insn), [=](int) { return value; });
  VGPU_NEXT(warp, insn);
}

// --- generic addresses: each lane may mean another space ---

struct Spaces {
  Mask shared = 0, local = 0, parameter = 0;
};

inline Spaces sort_by_window(const LaneAddresses<std::uint64_t>& addresses, Mask lanes) {
  std::uint64_t any = 0;
  for (const std::uint64_t address : addresses.at) any |= address;
  if (any < kSharedWindow) return {};  // no bit that a window has: all global
  Spaces spaces;
  each_lane(lanes, [&](int lane) {
    const std::uint64_t address = addresses.at[lane];
    if (address - kSharedWindow < kWindowBytes) spaces.shared |= Mask{1} << lane;
    if (address - kLocalWindow < kWindowBytes) spaces.local |= Mask{1} << lane;
    if (address - kParameterWindow < kWindowBytes) spaces.parameter |= Mask{1} << lane;
  });
  return spaces;
}

/// The addresses of `part` of the lanes, counted from the window's begin.
inline LaneAddresses<std::uint64_t> inside_window(const LaneAddresses<std::uint64_t>& generic, Mask part,
                                                  std::uint64_t window) {
  LaneAddresses<std::uint64_t> inside;
  const std::uint64_t stand_in = generic.at[__builtin_ctz(part)];
  for (int lane = 0; lane < kLanes; ++lane)
    inside.at[lane] = ((part >> lane & 1) != 0 ? generic.at[lane] : stand_in) - window;
  return inside;
}

template <class Mem, class Reg, bool Watched>
const Insn* load_generic(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  warp.polls += insn->b;
  LaneAddresses<std::uint64_t> addresses;
  compute_addresses(warp, insn, lanes, addresses);
  const Spaces spaces = sort_by_window(addresses, lanes);
  const Mask global = lanes & ~(spaces.shared | spaces.local | spaces.parameter);
  bool fine = true;
  if (global == lanes) {
    fine = load_at<ptx::Space::kGlobal, Mem, Reg, Watched>(warp, insn, lanes, addresses);
  } else {
    // A register that is both address and destination must be read for all spaces before it is written: addresses has
    // it.
    if (fine && global != 0) {
      LaneAddresses<std::uint64_t> part = inside_window(addresses, global, 0);
      fine = load_at<ptx::Space::kGlobal, Mem, Reg, Watched>(warp, insn, global, part);
    }
    if (fine && spaces.shared != 0) {
      LaneAddresses<std::uint64_t> part = inside_window(addresses, spaces.shared, kSharedWindow);
      fine = load_at<ptx::Space::kShared, Mem, Reg, Watched>(warp, insn, spaces.shared, part);
    }
    if (fine && spaces.local != 0) {
      LaneAddresses<std::uint64_t> part = inside_window(addresses, spaces.local, kLocalWindow);
      fine = load_local_at<Mem, Reg, Watched>(warp, insn, spaces.local, part);
    }
    if (fine && spaces.parameter != 0) {
      const LaneAddresses<std::uint64_t> part = inside_window(addresses, spaces.parameter, kParameterWindow);
      fine = load_parameter_at<Mem, Reg>(warp, insn, spaces.parameter, part);
    }
  }
  return fine ? insn + 1 : nullptr;
}

template <class Mem, class Reg, bool Watched>
const Insn* store_generic(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  LaneAddresses<std::uint64_t> addresses;
  compute_addresses(warp, insn, lanes, addresses);
  const Spaces spaces = sort_by_window(addresses, lanes);
  const Mask global = lanes & ~(spaces.shared | spaces.local);
  bool fine = true;
  if (global == lanes) {
    fine = store_at<ptx::Space::kGlobal, Mem, Reg, Watched>(warp, insn, lanes, addresses);
  } else {
    if (global != 0) {
      LaneAddresses<std::uint64_t> part = inside_window(addresses, global, 0);
      fine = store_at<ptx::Space::kGlobal, Mem, Reg, Watched>(warp, insn, global, part);
    }
    if (fine && spaces.shared != 0) {
      LaneAddresses<std::uint64_t> part = inside_window(addresses, spaces.shared, kSharedWindow);
      fine = store_at<ptx::Space::kShared, Mem, Reg, Watched>(warp, insn, spaces.shared, part);
    }
    if (fine && spaces.local != 0) {
      LaneAddresses<std::uint64_t> part = inside_window(addresses, spaces.local, kLocalWindow);
      fine = store_local_at<Mem, Reg, Watched>(warp, insn, spaces.local, part);
    }
  }
  return fine ? insn + 1 : nullptr;
}

// --- choosing a handler ---

/// pick(TypeTag<Mem>, TypeTag<Reg>) for a memory type and the slot it is loaded into.
template <class F>
Handler for_load(Builder& b, ptx::Type type, SlotSize slot, F pick) {
  const auto widening = [&](auto mem_tag) -> Handler {
    using Mem = typename decltype(mem_tag)::type;
    constexpr bool kSigned = std::is_signed_v<Mem>;
    switch (slot) {
      case SlotSize::k16:
        if constexpr (sizeof(Mem) <= 2)
          return pick(mem_tag, TypeTag<std::conditional_t<kSigned, std::int16_t, std::uint16_t>>{});
        break;
      case SlotSize::k32:
        if constexpr (sizeof(Mem) <= 4)
          return pick(mem_tag, TypeTag<std::conditional_t<kSigned, std::int32_t, std::uint32_t>>{});
        break;
      case SlotSize::k64:
        return pick(mem_tag, TypeTag<std::conditional_t<kSigned, std::int64_t, std::uint64_t>>{});
      default:
        break;
    }
    b.refuse(b.spelled() + " into a register of another size");
  };
  switch (type) {
    case ptx::Type::kS8:
      return widening(TypeTag<std::int8_t>{});
    case ptx::Type::kS16:
      return widening(TypeTag<std::int16_t>{});
    case ptx::Type::kS32:
      return widening(TypeTag<std::int32_t>{});
    default:
      break;
  }
  switch (ptx::size_of(type)) {
    case 1:
      return widening(TypeTag<std::uint8_t>{});
    case 2:
      return widening(TypeTag<std::uint16_t>{});
    case 4:
      return widening(TypeTag<std::uint32_t>{});
    case 8:
      return widening(TypeTag<std::uint64_t>{});
    case 16:
      if (slot == SlotSize::k128) return pick(TypeTag<Bits128>{}, TypeTag<Bits128>{});
      break;
    default:
      break;
  }
  b.refuse(b.spelled());
}

/// Likewise for stores: what is stored is the low part of the register.
template <class F>
Handler for_store(Builder& b, ptx::Type type, SlotSize slot, F pick) {
  const auto narrowing = [&](auto mem_tag) -> Handler {
    using Mem = typename decltype(mem_tag)::type;
    switch (slot) {
      case SlotSize::k16:
        if constexpr (sizeof(Mem) <= 2) return pick(mem_tag, TypeTag<std::uint16_t>{});
        break;
      case SlotSize::k32:
        if constexpr (sizeof(Mem) <= 4) return pick(mem_tag, TypeTag<std::uint32_t>{});
        break;
      case SlotSize::k64:
        return pick(mem_tag, TypeTag<std::uint64_t>{});
      default:
        break;
    }
    b.refuse(b.spelled() + " from a register of another size");
  };
  switch (ptx::size_of(type)) {
    case 1:
      return narrowing(TypeTag<std::uint8_t>{});
    case 2:
      return narrowing(TypeTag<std::uint16_t>{});
    case 4:
      return narrowing(TypeTag<std::uint32_t>{});
    case 8:
      return narrowing(TypeTag<std::uint64_t>{});
    case 16:
      if (slot == SlotSize::k128) return pick(TypeTag<Bits128>{}, TypeTag<Bits128>{});
      break;
    default:
      break;
  }
  b.refuse(b.spelled());
}

/// Cache hints and scopes say how fast, not what: one processor, one memory. Returns true if the access polls, that is,
/// may be waiting for what another thread writes.
bool take_hints(Builder& b) {
  b.take("nc");
  b.take("weak");
  b.take("mmio");  // stands before one of the following
  bool polls = b.take_one_of({"volatile", "relaxed", "acquire", "release"}) >= 0;
  b.take_one_of({"cta", "cluster", "gpu", "sys"});
  polls |= b.take_one_of({"cg", "cv"}) >= 0;
  b.take_one_of({"ca", "cs", "lu", "wb", "wt"});
  b.take_one_of({"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate"});
  b.take_one_of({"L2::evict_normal", "L2::evict_first", "L2::evict_last"});
  b.take_one_of({"L2::64B", "L2::128B", "L2::256B"});
  b.take("L2::cache_hint");  // one operand more: a policy
  return polls;
}

/// Base register (or name) and offset of `[a + n]`. Returns the slot size of the base.
SlotSize read_address(Builder& b, const ptx::Operand& operand, ptx::Space& space) {
  if (operand.kind != ptx::Operand::Kind::kAddress) b.refuse(b.spelled() + " without an address");
  const ptx::Operand& base = operand.elements.at(0);
  b.insn.offset = operand.offset;
  if (base.kind != ptx::Operand::Kind::kSymbol) return b.read_any(b.insn.a, base, SlotSize::k64);
  const Builder::Symbol symbol = b.symbol(base);
  b.constant(b.insn.a, symbol.value, SlotSize::k64);
  const auto expect = [&](ptx::Space found) {  // a name from another space than the instruction says
    if (space != ptx::Space::kGeneric && space != found)
      b.refuse(b.spelled() + " of " + std::string(base.name) + ", which is not there");
    space = found;
  };
  switch (symbol.kind) {
    case Builder::Symbol::Kind::kLocal:
      if (space == ptx::Space::kGeneric) b.refuse(b.spelled() + " of a name in local memory");
      space = ptx::Space::kLocal;
      b.insn.c = 1;
      break;
    case Builder::Symbol::Kind::kKernelParameter:
      expect(ptx::Space::kParam);
      break;
    case Builder::Symbol::Kind::kShared:
      expect(ptx::Space::kShared);
      break;
    case Builder::Symbol::Kind::kAddress:
      if (space != ptx::Space::kConst) expect(ptx::Space::kGlobal);
      break;
    case Builder::Symbol::Kind::kFunction:
      b.refuse(b.spelled() + " of a function");
  }
  return SlotSize::k64;
}

/// The register, or the registers of {a, b, c, d}, behind `operand`. All must have slots of one size, which is
/// returned.
template <bool Reading>
SlotSize take_registers(Builder& b, const ptx::Operand& operand, int vector, SlotSize natural) {
  const auto one = [&](std::uint32_t& where, const ptx::Operand& reg) {
    return Reading ? b.read_any(where, reg, natural) : b.write_any(where, reg, natural);
  };
  if (vector < 0) return one(b.insn.dst, operand);
  const std::size_t count = vector == 0 ? 2 : vector == 1 ? 4 : 8;
  if (operand.kind != ptx::Operand::Kind::kVector || operand.elements.size() != count)
    b.refuse(b.spelled() + " of another number of registers");
  std::vector<std::uint32_t>& list = b.operand_list(count);
  b.insn.extra = &list;
  SlotSize size = natural;
  bool known = false;
  for (std::size_t n = 0; n < count; ++n) {
    const bool is_sink = operand.elements[n].kind == ptx::Operand::Kind::kSink;
    const SlotSize found = one(list[n], operand.elements[n]);
    if (is_sink && !known) continue;
    if (!is_sink && known && found != size) b.refuse(b.spelled() + " into registers of several sizes");
    if (!is_sink) {
      size = found;
      known = true;
    }
  }
  return size;
}

/// `ld.param.u32 d, [name + n]` of a kernel, into one register: true if that is what it is and it was emitted.
bool emit_named_parameter(Builder& b, ptx::Type type, int vector) {
  const ptx::Operand& address = b.operand(1);
  if (vector >= 0 || address.kind != ptx::Operand::Kind::kAddress ||
      address.elements.at(0).kind != ptx::Operand::Kind::kSymbol)
    return false;
  const Builder::Symbol symbol = b.symbol(address.elements[0]);
  if (symbol.kind != Builder::Symbol::Kind::kKernelParameter) return false;
  const std::uint64_t offset = symbol.value + static_cast<std::uint64_t>(address.offset);
  const std::uint32_t bytes = ptx::size_of(type);
  if (offset % bytes != 0 || offset + bytes > b.parameter_bytes()) return false;
  b.insn.offset = static_cast<std::int64_t>(offset);
  const SlotSize slot = b.write_any(b.insn.dst, b.operand(0), slot_for(type));
  b.emit(for_load(b, type, slot, [](auto mem_tag, auto reg_tag) -> Handler {
    return &load_named_parameter<typename decltype(mem_tag)::type, typename decltype(reg_tag)::type>;
  }));
  return true;
}

template <bool Watched>
void emit_load(Builder& b, ptx::Space space, SlotSize base, SlotSize slot, ptx::Type type) {
  const bool narrow = base == SlotSize::k32;
  b.emit(for_load(b, type, slot, [&](auto mem_tag, auto reg_tag) -> Handler {
    using Mem = typename decltype(mem_tag)::type;
    using Reg = typename decltype(reg_tag)::type;
    using U32 = std::uint32_t;
    using U64 = std::uint64_t;
    switch (space) {
      case ptx::Space::kGlobal:
      case ptx::Space::kConst:
        return &load<ptx::Space::kGlobal, U64, Mem, Reg, Watched>;
      case ptx::Space::kShared:
        return narrow ? &load<ptx::Space::kShared, U32, Mem, Reg, Watched>
                      : &load<ptx::Space::kShared, U64, Mem, Reg, Watched>;
      case ptx::Space::kLocal:
        return narrow ? &load_local<U32, Mem, Reg, Watched> : &load_local<U64, Mem, Reg, Watched>;
      case ptx::Space::kParam:
        return narrow ? &load_parameter<U32, Mem, Reg> : &load_parameter<U64, Mem, Reg>;
      default:
        return &load_generic<Mem, Reg, Watched>;
    }
  }));
}

template <bool Watched>
void emit_store(Builder& b, ptx::Space space, SlotSize base, SlotSize slot, ptx::Type type) {
  const bool narrow = base == SlotSize::k32;
  b.emit(for_store(b, type, slot, [&](auto mem_tag, auto reg_tag) -> Handler {
    using Mem = typename decltype(mem_tag)::type;
    using Reg = typename decltype(reg_tag)::type;
    using U32 = std::uint32_t;
    using U64 = std::uint64_t;
    switch (space) {
      case ptx::Space::kGlobal:
        return &store<ptx::Space::kGlobal, U64, Mem, Reg, Watched>;
      case ptx::Space::kShared:
        return narrow ? &store<ptx::Space::kShared, U32, Mem, Reg, Watched>
                      : &store<ptx::Space::kShared, U64, Mem, Reg, Watched>;
      case ptx::Space::kLocal:
        return narrow ? &store_local<U32, Mem, Reg, Watched> : &store_local<U64, Mem, Reg, Watched>;
      case ptx::Space::kGeneric:
        return &store_generic<Mem, Reg, Watched>;
      default:
        b.refuse(b.spelled());
    }
  }));
}

void check_base(Builder& b, ptx::Space space, SlotSize base) {
  const bool may_be_narrow = space == ptx::Space::kShared || space == ptx::Space::kLocal || space == ptx::Space::kParam;
  if (base != SlotSize::k64 && !(base == SlotSize::k32 && may_be_narrow))
    b.refuse(b.spelled() + " with an address of another size");
}

void build_load(Builder& b) {
  ptx::Space space = b.take_space();
  const bool polls = take_hints(b);
  const int vector = b.take_one_of({"v2", "v4", "v8"});
  const ptx::Type type = b.take_type();
  if (emit_named_parameter(b, type, vector)) return;
  const SlotSize base = read_address(b, b.operand(1), space);
  check_base(b, space, base);
  b.insn.b = polls ? 1 : 0;
  const SlotSize slot = take_registers<false>(b, b.operand(0), vector, slot_for(type));
  if (b.monitored())
    emit_load<true>(b, space, base, slot, type);
  else
    emit_load<false>(b, space, base, slot, type);
}

void build_store(Builder& b) {
  ptx::Space space = b.take_space();
  take_hints(b);
  const int vector = b.take_one_of({"v2", "v4", "v8"});
  const ptx::Type type = b.take_type();
  const SlotSize base = read_address(b, b.operand(0), space);
  check_base(b, space, base);
  const SlotSize slot = take_registers<true>(b, b.operand(1), vector, slot_for(type));
  if (b.monitored())
    emit_store<true>(b, space, base, slot, type);
  else
    emit_store<false>(b, space, base, slot, type);
}

const Insn* do_nothing(Warp&, const Insn* insn) { return insn + 1; }

/// Hints about caches: they change no value.
void build_cache_hint(Builder& b) {
  b.take_space();
  b.take_one_of({"L1", "L2", "L2::evict_last", "L2::evict_normal", "L2::128B"});
  b.take("tensormap");
  b.take("L2");
  b.emit(&do_nothing);
}

/// Which bits stand for which policy is the device's own affair; no access here asks for them.
const Insn* make_policy(Warp& warp, const Insn* insn) {
  set_lanes(lanes_at<std::uint64_t>(warp, insn->dst), guarded_lanes(warp, insn), [](int) { return std::uint64_t{0}; });
  return insn + 1;
}

void build_policy(Builder& b) {
  b.take_one_of({"range", "fractional", "cvt"});
  b.take("global");
  b.take("L2");
  for (int priorities = 0; priorities < 2; ++priorities)
    b.take_one_of({"L2::evict_first", "L2::evict_last", "L2::evict_normal", "L2::evict_unchanged"});
  b.take_type();
  b.write(b.insn.dst, b.operand(0), SlotSize::k64);
  b.emit(&make_policy);
}

constexpr OpcodeRow kRows[] = {
    {"ld", &build_load},
    {"ldu", &build_load},
    {"st", &build_store},
    {"prefetch", &build_cache_hint},
    {"prefetchu", &build_cache_hint},
    {"applypriority", &build_cache_hint},
    {"discard", &build_cache_hint},
    {"createpolicy", &build_policy},
};

}  // namespace

const OpcodeTable VGPU_ROWS(memory) = {kRows, sizeof kRows / sizeof kRows[0]};

}  // namespace vgpu
