// Atomic memory operations: atom and red. One processor runs all lanes, so each lane's operation is atomic by itself;
// lanes take their turn in order, or with a schedule seed in another one.
#include <optional>
#include <type_traits>

#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/machine/opcodes/access.h"
#include "harness/vgpu/machine/opcodes/half_lanes.h"
#include "harness/vgpu/machine/opcodes/tables.h"

namespace vgpu {
namespace {

struct alignas(16) Bits128 {
  std::uint64_t low, high;
  bool operator==(const Bits128& other) const { return low == other.low && high == other.high; }
};

/// Bits, one or two 16-bit floats in them.
template <class Format, class Bits>
struct Halves {
  Bits bits;

  /// Elements are added each by itself, and rounded as `add` does.
  Halves plus(Halves other) const {
    Bits sum = 0;
    for (unsigned at = 0; at < 8 * sizeof(Bits); at += 16) {
      const float a = Format::widened(static_cast<std::uint16_t>(bits >> at));
      const float b = Format::widened(static_cast<std::uint16_t>(other.bits >> at));
      sum = static_cast<Bits>(sum | static_cast<Bits>(Format::nearest(a + b)) << at);
    }
    return {sum};
  }
};
template <class T>
struct IsHalves : std::false_type {};
template <class Format, class Bits>
struct IsHalves<Halves<Format, Bits>> : std::true_type {};

// What becomes of the old value, given one operand (and a second for cas).
struct AtomicAdd {
  template <class T>
  static T apply(T old, T a, T) {
    if constexpr (IsHalves<T>::value)
      return old.plus(a);
    else if constexpr (std::is_floating_point_v<T>)
      return canonical(old + a);
    else
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(old) + static_cast<std::make_unsigned_t<T>>(a));
  }
};
struct AtomicMinimum {
  template <class T>
  static T apply(T old, T a, T) {
    return a < old ? a : old;
  }
};
struct AtomicMaximum {
  template <class T>
  static T apply(T old, T a, T) {
    return old < a ? a : old;
  }
};
struct AtomicIncrement {
  template <class T>
  static T apply(T old, T a, T) {
    return old >= a ? T{0} : static_cast<T>(old + 1);
  }
};
struct AtomicDecrement {
  template <class T>
  static T apply(T old, T a, T) {
    return old == 0 || old > a ? a : static_cast<T>(old - 1);
  }
};
struct AtomicAnd {
  template <class T>
  static T apply(T old, T a, T) {
    return static_cast<T>(old & a);
  }
};
struct AtomicOr {
  template <class T>
  static T apply(T old, T a, T) {
    return static_cast<T>(old | a);
  }
};
struct AtomicXor {
  template <class T>
  static T apply(T old, T a, T) {
    return static_cast<T>(old ^ a);
  }
};
struct AtomicExchange {
  template <class T>
  static T apply(T, T a, T) {
    return a;
  }
};
struct AtomicCompareAndSwap {
  template <class T>
  static T apply(T old, T compare, T value) {
    return old == compare ? value : old;
  }
};

/// One operation on one type, with handlers for what programs do mostly, and by itself for everything else.
struct Operating {
  std::uint32_t bytes;
  bool overwrites;  ///< whatever is there
  Mask (*operate)(Warp& warp, const Insn* insn, const Reach& on, const LaneAddresses<std::uint64_t>& addresses);
  bool (*tries_to_change)(Warp& warp, const Insn* insn, int lane);
  Handler global[2], shared[2];  ///< the second ones are for watched kernels; shared addresses are 32 bits wide
};

const Operating& operating_of(const Insn* insn) { return *static_cast<const Operating*>(insn->extra); }

template <class T>
bool has_same_bits(const T& a, const T& b) {
  return std::memcmp(reinterpret_cast<const std::byte*>(&a), reinterpret_cast<const std::byte*>(&b), sizeof a) == 0;
}

template <class Op, class T, class A>
inline Mask operate(Warp& warp, const Insn* insn, const Reach& on, const LaneAddresses<A>& addresses) {
  Mask changed = 0;
  const T* a = lanes_at<T>(warp, insn->b);
  const T* b = lanes_at<T>(warp, insn->c);
  T* old_values = insn->dst != 0 ? lanes_at<T>(warp, insn->dst) : nullptr;  // red has no destination
  each_lane(on.lanes, [&](int lane) {
    std::byte* const at = on.base + addresses.at[lane];
    const T old = load_one<T>(at);
    const T updated = Op::apply(old, a[lane], b[lane]);
    std::memcpy(at, &updated, sizeof updated);
    if (old_values != nullptr) old_values[lane] = old;
    changed |= Mask{!has_same_bits(updated, old)} << lane;
  });
  return changed;
}

/// Whether the operation would change any word, other than an addition of 0, say. If it has changed nothing, it has
/// tried to take what others have, as those do who wait for a lock.
template <class Op, class T>
bool tries_to_change(Warp& warp, const Insn* insn, int lane) {
  const T a = lanes_at<T>(warp, insn->b)[lane], b = lanes_at<T>(warp, insn->c)[lane];
  T none, all;
  std::memset(&none, 0, sizeof none);
  std::memset(&all, 0xFF, sizeof all);
  const auto changes = [&](const T& old) { return !has_same_bits(Op::apply(old, a, b), old); };
  return changes(none) || changes(all) || changes(a);
}

/// Lanes that are held back read zeros.
VGPU_INLINE void zero_results(Warp& warp, const Insn* insn, std::uint32_t bytes, Mask held_back) {
  if (insn->dst == 0) return;
  each_lane(held_back, [&](int lane) {
    std::memset(warp.registers + insn->dst + static_cast<std::uint32_t>(lane) * bytes, 0, bytes);
  });
}

/// With a schedule seed: from any lane on, for a GPU promises no order.
template <class A>
__attribute__((noinline)) Mask operate_in_turns(Warp& warp, const Insn* insn, const Reach& on,
                                                const LaneAddresses<A>& addresses) {
  Mask changed = 0;
  LaneAddresses<std::uint64_t> wide;
  for (int lane = 0; lane < kLanes; ++lane) wide.at[lane] = addresses.at[lane];
  const std::uint64_t first = warp.block->launch().chance();
  for (std::uint64_t n = 0; n < kLanes; ++n) {
    Reach one = on;
    one.lanes &= Mask{1} << (first + n) % kLanes;
    changed |= operating_of(insn).operate(warp, insn, one, wide);
  }
  return changed;
}

/// `lanes` are those that were let go ahead, `addresses` those that the observer was shown.
template <class A>
__attribute__((noinline)) void tell_observer(const Warp& warp, const Insn* insn, ptx::Space space, std::uint32_t bytes,
                                             Mask lanes, LaneAddresses<A> addresses, Mask changed) {
  stand_in(addresses, lanes);
  if (space == ptx::Space::kShared && *std::max_element(std::begin(addresses.at), std::end(addresses.at)) >= kRankBytes)
    return;  // in another block of the cluster: nobody's time follows it
  warp.tell_of_atomic(event_of(warp, insn, space, AccessKind::kAtomic, bytes, lanes, addresses), changed);
}

/// What it returned may be what the warp waits for, and may be out of date. A warp that has left everything as it was
/// may be polling; one that has changed global memory may keep others waiting.
template <ptx::Space S, class A>
const Insn* behind_atomic(Warp& warp, const Insn* insn, Mask lanes, const LaneAddresses<A>& addresses,
                          Mask changed_shared, Mask changed_global, bool (*tries_to_change)(Warp&, const Insn*, int)) {
  if (insn->dst == 0) return insn + 1;
  if (changed_global != 0) {
    warp.took_at = addresses.at[__builtin_ctz(changed_global)];
    return warp.let_others_in(insn, Warp::Did::kChangeGlobal);
  }
  if (changed_shared != 0) return warp.let_others_in(insn, Warp::Did::kChangeShared);
  note_poll<S>(warp, insn, lanes, addresses);
  warp.polls_to_take = tries_to_change(warp, insn, __builtin_ctz(lanes));
  return warp.let_others_in(insn, Warp::Did::kRead);
}

/// Whether others would come to an atomic in global memory before this warp does, whose result may say what is left to
/// do. One that polls by this very instruction waits for them anyway.
VGPU_INLINE bool is_early(const Warp& warp, const Insn* insn) {
  return insn->dst != 0 && !warp.resumed && warp.polled_by != insn && warp.block->launch().is_ahead(warp);
}

template <ptx::Space S, class Op, class T, bool Watched, class A>
const Insn* atomic(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  if (S == ptx::Space::kGlobal && is_early(warp, insn)) return warp.let_others_catch_up(insn);
  LaneAddresses<A> addresses;
  compute_addresses(warp, insn, lanes, addresses);
  constexpr bool kOverwrites = std::is_same_v<Op, AtomicExchange>;
  if (S == ptx::Space::kGlobal && lets_others_look_first(warp, insn, lanes, kOverwrites, addresses))
    return warp.let_others_look(insn);
  const LaneAddresses<A> shown = addresses;
  const Reach on = reach<S, Watched>(warp, insn, AccessKind::kAtomic, sizeof(T), lanes, addresses);
  if (on.faulted) return nullptr;
  if (Watched) zero_results(warp, insn, sizeof(T), lanes & ~on.lanes);
  const Mask changed = __builtin_expect(warp.is_mixed, 0) ? operate_in_turns(warp, insn, on, addresses)
                                                          : operate<Op, T>(warp, insn, on, addresses);
  if (Watched && warp.run_observer != nullptr && on.lanes != 0)
    tell_observer(warp, insn, S, sizeof(T), on.lanes, shown, changed);
  constexpr bool kGlobal = S == ptx::Space::kGlobal;
  if (changed != 0) warp.block->launch().moves();
  if (kGlobal) note_written(warp, changed, shown);
  return behind_atomic<S>(warp, insn, lanes, shown, kGlobal ? 0 : changed, kGlobal ? changed : 0,
                          &tries_to_change<Op, T>);
}

template <class Op, class T>
constexpr Operating kOperating = {sizeof(T),
                                  std::is_same_v<Op, AtomicExchange>,
                                  &operate<Op, T, std::uint64_t>,
                                  &tries_to_change<Op, T>,
                                  {&atomic<ptx::Space::kGlobal, Op, T, false, std::uint64_t>,
                                   &atomic<ptx::Space::kGlobal, Op, T, true, std::uint64_t>},
                                  {&atomic<ptx::Space::kShared, Op, T, false, std::uint32_t>,
                                   &atomic<ptx::Space::kShared, Op, T, true, std::uint32_t>}};

/// Gives which lanes changed what was there; nothing if the kernel has stopped.
template <ptx::Space S>
std::optional<Mask> operate_at(Warp& warp, const Insn* insn, Mask lanes, LaneAddresses<std::uint64_t>& addresses) {
  const Operating& operating = operating_of(insn);
  const LaneAddresses<std::uint64_t> shown = addresses;
  const Reach on = reach_as_watched<S>(warp, insn, AccessKind::kAtomic, operating.bytes, lanes, addresses);
  if (on.faulted) return std::nullopt;
  zero_results(warp, insn, operating.bytes, lanes & ~on.lanes);
  const Mask changed =
      warp.is_mixed ? operate_in_turns(warp, insn, on, addresses) : operating.operate(warp, insn, on, addresses);
  if (changed != 0) warp.block->launch().moves();
  if (S == ptx::Space::kGlobal) note_written(warp, changed, shown);
  if (warp.run_observer != nullptr && on.lanes != 0)
    tell_observer(warp, insn, S, operating.bytes, on.lanes, shown, changed);
  return changed;
}

/// By addresses of 64 bits: generic ones, or ones in shared memory, which few programs have. Those in shared memory of
/// the whole cluster may come from registers of 32 bits.
template <bool Generic, class Base = std::uint64_t>
const Insn* atomic_by_wide_address(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  LaneAddresses<Base> given;
  compute_addresses(warp, insn, lanes, given);
  LaneAddresses<std::uint64_t> addresses;
  for (int lane = 0; lane < kLanes; ++lane) addresses.at[lane] = given.at[lane];
  Mask shared = lanes;
  if (Generic) {
    shared = 0;
    each_lane(lanes, [&](int lane) {
      shared |= static_cast<Mask>(addresses.at[lane] - kSharedWindow < kWindowBytes) << lane;
    });
  }
  const Mask global = lanes & ~shared;
  std::optional<Mask> changed_shared = 0, changed_global = 0;
  const LaneAddresses<std::uint64_t> asked = addresses;
  if (global != 0) {
    if (is_early(warp, insn)) return warp.let_others_catch_up(insn);
    LaneAddresses<std::uint64_t> part = addresses;
    stand_in(part, global);
    if (lets_others_look_first(warp, insn, global, operating_of(insn).overwrites, part))
      return warp.let_others_look(insn);
    changed_global = operate_at<ptx::Space::kGlobal>(warp, insn, global, part);
    if (!changed_global) return nullptr;
  }
  if (shared != 0) {
    if (Generic)
      for (std::uint64_t& address : addresses.at) address -= kSharedWindow;
    stand_in(addresses, shared);
    changed_shared = operate_at<ptx::Space::kShared>(warp, insn, shared, addresses);
    if (!changed_shared) return nullptr;
  }
  return shared == 0 ? behind_atomic<ptx::Space::kGlobal>(warp, insn, lanes, asked, 0, *changed_global,
                                                          operating_of(insn).tries_to_change)
                     : behind_atomic<ptx::Space::kShared>(warp, insn, lanes, asked, *changed_shared, *changed_global,
                                                          operating_of(insn).tries_to_change);
}

Handler handler_for(Builder& b, const Operating& operating, ptx::Space space, SlotSize base) {
  switch (space) {
    case ptx::Space::kGlobal:
      return operating.global[b.monitored()];
    case ptx::Space::kGeneric:
      return &atomic_by_wide_address<true>;
    case ptx::Space::kShared:
      if (base == SlotSize::k64) return &atomic_by_wide_address<false>;
      return ptx::has_modifier(b.instruction(), "shared::cluster") ? &atomic_by_wide_address<false, std::uint32_t>
                                                                   : operating.shared[b.monitored()];
    default:
      b.refuse(b.spelled());
  }
}

/// In the order build_atomic looks for them.
enum class Operation { kAdd, kMinimum, kMaximum, kIncrement, kDecrement, kAnd, kOr, kXor, kExchange, kCompareAndSwap };

template <class T>
const Operating* extremum(Operation operation) {
  if (operation == Operation::kMinimum) return &kOperating<AtomicMinimum, T>;
  return operation == Operation::kMaximum ? &kOperating<AtomicMaximum, T> : nullptr;
}

template <class T>
const Operating* exchange(Operation operation) {
  if (operation == Operation::kExchange) return &kOperating<AtomicExchange, T>;
  return operation == Operation::kCompareAndSwap ? &kOperating<AtomicCompareAndSwap, T> : nullptr;
}

template <class T>
const Operating* unsigned_operation(Operation operation) {
  switch (operation) {
    case Operation::kAdd:
      return &kOperating<AtomicAdd, T>;
    case Operation::kIncrement:
      return &kOperating<AtomicIncrement, T>;
    case Operation::kDecrement:
      return &kOperating<AtomicDecrement, T>;
    case Operation::kAnd:
      return &kOperating<AtomicAnd, T>;
    case Operation::kOr:
      return &kOperating<AtomicOr, T>;
    case Operation::kXor:
      return &kOperating<AtomicXor, T>;
    case Operation::kExchange:
    case Operation::kCompareAndSwap:
      return exchange<T>(operation);
    default:
      return extremum<T>(operation);
  }
}

/// Sums of two's complement are those of the same bits without a sign.
template <class T>
const Operating* signed_operation(Operation operation) {
  if (operation == Operation::kAdd) return &kOperating<AtomicAdd, std::make_unsigned_t<T>>;
  return extremum<T>(operation);
}

/// Null where PTX has no such operation.
const Operating* operating_on(Builder& b, Operation operation, ptx::Type type) {
  const bool adds = operation == Operation::kAdd;
  switch (type) {
    case ptx::Type::kB16:
    case ptx::Type::kU16:
      return exchange<std::uint16_t>(operation);
    case ptx::Type::kB128:
      return exchange<Bits128>(operation);
    case ptx::Type::kU32:
    case ptx::Type::kB32:
      return unsigned_operation<std::uint32_t>(operation);
    case ptx::Type::kU64:
    case ptx::Type::kB64:
      return unsigned_operation<std::uint64_t>(operation);
    case ptx::Type::kS32:
      return signed_operation<std::int32_t>(operation);
    case ptx::Type::kS64:
      return signed_operation<std::int64_t>(operation);
    case ptx::Type::kF32:
      return adds ? &kOperating<AtomicAdd, float> : nullptr;
    case ptx::Type::kF64:
      return adds ? &kOperating<AtomicAdd, double> : nullptr;
    default:
      break;
  }
  if (!adds || !b.take("noftz")) return nullptr;  // PTX has those of halves with .noftz alone: subnormals are kept
  switch (type) {
    case ptx::Type::kF16:
      return &kOperating<AtomicAdd, Halves<Half, std::uint16_t>>;
    case ptx::Type::kF16x2:
      return &kOperating<AtomicAdd, Halves<Half, std::uint32_t>>;
    case ptx::Type::kBF16:
      return &kOperating<AtomicAdd, Halves<Bfloat16, std::uint16_t>>;
    case ptx::Type::kBF16x2:
      return &kOperating<AtomicAdd, Halves<Bfloat16, std::uint32_t>>;
    default:
      return nullptr;
  }
}

/// atom.global.add.v2.f32 {d, e}, [a], {b, c}: every element by itself. The list holds results, which red has none of,
/// then operands; one of those may be a result's register.
template <bool Watched, std::size_t Count>
const Insn* add_vectors(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  LaneAddresses<std::uint64_t> addresses;
  compute_addresses(warp, insn, lanes, addresses);
  const LaneAddresses<std::uint64_t> shown = addresses;
  const Reach on =
      reach<ptx::Space::kGlobal, Watched>(warp, insn, AccessKind::kAtomic, Count * sizeof(float), lanes, addresses);
  if (on.faulted) return nullptr;
  const auto& list = *static_cast<const std::vector<std::uint32_t>*>(insn->extra);
  const std::size_t results = list.size() - Count;
  Mask changed = 0;
  each_lane(lanes, [&](int lane) {
    float old[Count] = {};  // lanes that are held back read zeros
    if ((on.lanes >> lane & 1) != 0) {
      std::byte* const at = on.base + addresses.at[lane];
      std::memcpy(old, at, sizeof old);
      float sums[Count];
      for (std::size_t n = 0; n < Count; ++n) {
        const float more = lanes_at<float>(warp, list[results + n])[lane];
        sums[n] = canonical(old[n] + more);
      }
      std::memcpy(at, sums, sizeof sums);
      changed |= Mask{!has_same_bits(sums, old)} << lane;
    }
    for (std::size_t n = 0; n < results; ++n) lanes_at<float>(warp, list[n])[lane] = old[n];
  });
  if (changed != 0) warp.block->launch().moves();
  note_written(warp, changed, shown);
  if (Watched && warp.run_observer != nullptr && on.lanes != 0)
    tell_observer(warp, insn, ptx::Space::kGlobal, Count * sizeof(float), on.lanes, shown, changed);
  return insn + 1;
}

/// What is left of an instruction whose address has been read. Of vectors there are sums of floats, in global memory.
void build_vector(Builder& b, std::size_t count, bool returns, Operation operation, ptx::Space space) {
  if (operation != Operation::kAdd || space != ptx::Space::kGlobal || b.take_type() != ptx::Type::kF32)
    b.refuse(b.spelled());
  const ptx::Operand& values = b.operand(returns ? 2 : 1);
  if (values.elements.size() != count || (returns && b.operand(0).elements.size() != count) ||
      b.operand_count() != (returns ? 3 : 2))
    b.refuse(b.spelled() + " with vectors of another size");
  std::vector<std::uint32_t>& list = b.operand_list(returns ? 2 * count : count);
  std::size_t n = 0;
  if (returns)
    for (const ptx::Operand& result : b.operand(0).elements) b.write(list[n++], result, SlotSize::k32);
  for (const ptx::Operand& value : values.elements) b.read(list[n++], value, SlotSize::k32);
  b.insn.extra = &list;
  if (count == 2)
    b.emit(b.monitored() ? &add_vectors<true, 2> : &add_vectors<false, 2>);
  else
    b.emit(b.monitored() ? &add_vectors<true, 4> : &add_vectors<false, 4>);
}

struct Place {
  ptx::Space space;
  SlotSize base;  ///< of the register that holds the address
};

/// Reads [register + offset] or [name + offset]; a name tells the space by itself.
Place read_address(Builder& b, const ptx::Operand& address, ptx::Space space) {
  if (address.kind != ptx::Operand::Kind::kAddress) b.refuse(b.spelled() + " without an address");
  b.insn.offset = address.offset;
  if (address.elements.at(0).kind != ptx::Operand::Kind::kSymbol)
    return {space, b.read_any(b.insn.a, address.elements[0], SlotSize::k64)};
  const Builder::Symbol symbol = b.symbol(address.elements[0]);
  const bool is_shared = symbol.kind == Builder::Symbol::Kind::kShared;
  const Place place = is_shared ? Place{ptx::Space::kShared, SlotSize::k32} : Place{ptx::Space::kGlobal, SlotSize::k64};
  b.constant(b.insn.a, symbol.value, place.base);
  return place;
}

/// Operands: atom d, [a], b {, c}; red [a], b.
void build_atomic(Builder& b, bool returns) {
  b.take_one_of({"relaxed", "acquire", "release", "acq_rel"});
  b.take_one_of({"cta", "cluster", "gpu", "sys"});
  const ptx::Space space = b.take_space();
  const int found = b.take_one_of({"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"});
  if (found < 0) b.refuse(b.spelled());
  const auto operation = static_cast<Operation>(found);
  const std::size_t operands = b.operand_count() - (b.take("L2::cache_hint") ? 1 : 0);  // a policy changes no value
  const int vector = b.take_one_of({"v2", "v4"});
  const Place place = read_address(b, b.operand(returns ? 1 : 0), space);
  if (vector >= 0) return build_vector(b, vector == 0 ? 2 : 4, returns, operation, place.space);
  const ptx::Type type = b.take_type();
  const SlotSize size = slot_for(type);

  std::size_t n = 0;
  if (returns) {
    // A sink still needs a slot of its own: offset 0 means "no destination".
    b.write(b.insn.dst, b.operand(n++), size);
  }
  ++n;  // the address
  const ptx::Operand& value = b.operand(n++);
  b.read(b.insn.b, value, size);
  if (operation == Operation::kCompareAndSwap)
    b.read(b.insn.c, b.operand(n++), size);
  else
    b.read(b.insn.c, value, size);
  if (operands > n) b.refuse(b.spelled() + " with more operands");

  const Operating* const operating = operating_on(b, operation, type);
  if (operating == nullptr) b.refuse(b.spelled());
  b.insn.extra = operating;
  b.emit(handler_for(b, *operating, place.space, place.base));
}

void build_atom(Builder& b) { build_atomic(b, true); }
void build_red(Builder& b) { build_atomic(b, false); }

constexpr OpcodeRow kRows[] = {
    {"atom", &build_atom},
    {"red", &build_red},
};

}  // namespace

const OpcodeTable VGPU_ROWS(atomics) = {kRows, sizeof kRows / sizeof kRows[0]};

}  // namespace vgpu
