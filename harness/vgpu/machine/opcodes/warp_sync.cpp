// Lanes of a warp talking to each other: shfl, vote, match, redux, elect, activemask.
#include "harness/vgpu/machine/opcodes/exchange.h"
#include "harness/vgpu/machine/opcodes/tables.h"

namespace vgpu {
namespace {

// --- shfl: a value from another lane ---

enum class Direction { kUp, kDown, kButterfly, kIndex };

/// dst: value; a: source; b: lane or distance; more[0]: clamp and segment; more[1]: predicate, if wanted.
template <Direction To>
struct Shuffle {
  /// For each lane the one that it asks for, and whether that lies in its segment.
  struct Aim {
    alignas(64) std::uint32_t wanted[kLanes];
    alignas(64) std::uint32_t in_range[kLanes];
    Aim(Warp& warp, const Insn* insn) {
      const std::uint32_t* by = lanes_at<std::uint32_t>(warp, insn->b);
      const std::uint32_t* clamp = lanes_at<std::uint32_t>(warp, insn->more[0]);
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t distance = by[lane] & 31;
        const std::uint32_t segment = clamp[lane] >> 8 & 31;
        const std::uint32_t last = (lane & segment) | (clamp[lane] & 31 & ~segment);
        wanted[lane] = To == Direction::kUp          ? lane - distance
                       : To == Direction::kDown      ? lane + distance
                       : To == Direction::kButterfly ? lane ^ distance
                                                     : (lane & segment) | (distance & ~segment);
        in_range[lane] = To == Direction::kUp
                             ? static_cast<std::int32_t>(wanted[lane]) >= static_cast<std::int32_t>(last)
                             : wanted[lane] <= last;
      }
    }
  };

  static void collect(Warp& warp, const Insn* insn, Mask lanes, Exchange& all) {
    blend(all.value32, lanes_at<std::uint32_t>(warp, insn->a), lanes);
  }
  static void finish(Warp& warp, const Insn* insn, Mask lanes, const Exchange& all) {
    const Aim aim(warp, insn);
    alignas(64) std::uint32_t source[kLanes], result[kLanes];
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      // What a lane that takes no part would give is undefined; the lane's own value is as good.
      const bool takes_part = (all.lanes >> (aim.wanted[lane] & 31) & 1) != 0;
      source[lane] = (aim.in_range[lane] != 0) & takes_part ? aim.wanted[lane] : lane;
    }
    for (int lane = 0; lane < kLanes; ++lane) result[lane] = all.value32[source[lane]];
    blend(lanes_at<std::uint32_t>(warp, insn->dst), result, lanes);
    if (insn->more[1] != 0) set_mask(mask_at(warp, insn->more[1]), lanes, pack(aim.in_range));
  }
  static Mask undefined(Warp& warp, const Insn* insn, Mask lanes, Mask present, LaneNumbers& sources) {
    const Aim aim(warp, insn);
    Mask undefined = 0;
    each_lane(lanes, [&](int lane) {
      sources[static_cast<std::size_t>(lane)] = static_cast<std::uint8_t>(aim.wanted[lane]);
      const bool is_absent = aim.in_range[lane] != 0 && (present >> (aim.wanted[lane] & 31) & 1) == 0;
      undefined |= static_cast<Mask>(is_absent) << lane;
    });
    return undefined;
  }
};

void build_shuffle(Builder& b) {
  if (!b.take("sync")) b.refuse(b.spelled() + " without .sync");
  const int direction = b.take_one_of({"up", "down", "bfly", "idx"});
  b.take_type();
  const ptx::Operand& to = b.operand(0);
  if (to.kind == ptx::Operand::Kind::kVector) {
    b.write(b.insn.dst, to.elements.at(0), SlotSize::k32);
    b.write(b.insn.more[1], to.elements.at(1), SlotSize::kMask);
  } else {
    b.write(b.insn.dst, to, SlotSize::k32);
  }
  b.read(b.insn.a, b.operand(1), SlotSize::k32);
  b.read(b.insn.b, b.operand(2), SlotSize::k32);
  b.read(b.insn.more[0], b.operand(3), SlotSize::k32);
  b.read(b.insn.c, b.operand(4), SlotSize::k32);
  switch (direction) {
    case 0:
      return emit_exchange<Shuffle<Direction::kUp>>(b);
    case 1:
      return emit_exchange<Shuffle<Direction::kDown>>(b);
    case 2:
      return emit_exchange<Shuffle<Direction::kButterfly>>(b);
    case 3:
      return emit_exchange<Shuffle<Direction::kIndex>>(b);
    default:
      b.refuse(b.spelled());
  }
}

// --- vote ---

enum class Vote { kAll, kAny, kUniform, kBallot };

/// a: predicate, offset: all ones if it is negated.
template <Vote Asked>
struct TakeVote {
  static void collect(Warp& warp, const Insn* insn, Mask lanes, Exchange& all) {
    set_mask(all.votes, lanes, mask_at(warp, insn->a) ^ static_cast<Mask>(insn->offset));
  }
  static void finish(Warp& warp, const Insn* insn, Mask lanes, const Exchange& all) {
    const Mask yes = all.votes & all.lanes;
    if constexpr (Asked == Vote::kBallot) {
      set_lanes(lanes_at<std::uint32_t>(warp, insn->dst), lanes, [=](int) { return yes; });
    } else {
      const bool outcome = Asked == Vote::kAll   ? yes == all.lanes
                           : Asked == Vote::kAny ? yes != 0
                                                 : yes == 0 || yes == all.lanes;
      set_mask(mask_at(warp, insn->dst), lanes, outcome ? kAllLanes : 0);
    }
  }
};

void build_vote(Builder& b) {
  if (!b.take("sync")) b.refuse(b.spelled() + " without .sync");
  const int vote = b.take_one_of({"all", "any", "uni", "ballot"});
  b.take_type();
  Mask flip;
  b.write(b.insn.dst, b.operand(0), vote == 3 ? SlotSize::k32 : SlotSize::kMask);
  b.read_predicate(b.insn.a, flip, b.operand(1));
  b.read(b.insn.c, b.operand(2), SlotSize::k32);
  b.insn.offset = flip;
  switch (vote) {
    case 0:
      return emit_exchange<TakeVote<Vote::kAll>>(b);
    case 1:
      return emit_exchange<TakeVote<Vote::kAny>>(b);
    case 2:
      return emit_exchange<TakeVote<Vote::kUniform>>(b);
    case 3:
      return emit_exchange<TakeVote<Vote::kBallot>>(b);
    default:
      b.refuse(b.spelled());
  }
}

// --- match ---

template <class T>
inline void collect_values(Warp& warp, const Insn* insn, Mask lanes, Exchange& all) {
  const T* value = lanes_at<T>(warp, insn->a);
  each_lane(lanes, [&](int lane) { all.value[lane] = static_cast<std::uint64_t>(value[lane]); });
}

/// Lanes that hold the same value as this one.
template <class T>
struct MatchAny {
  static void collect(Warp& warp, const Insn* insn, Mask lanes, Exchange& all) {
    collect_values<T>(warp, insn, lanes, all);
  }
  static void finish(Warp& warp, const Insn* insn, Mask lanes, const Exchange& all) {
    std::uint32_t* to = lanes_at<std::uint32_t>(warp, insn->dst);
    std::uint32_t different = 0;
    for (Mask left = all.lanes; left != 0; ++different) {
      const std::uint64_t value = all.value[__builtin_ctz(left)];
      Mask same = 0;
      each_lane(left, [&](int lane) { same |= static_cast<Mask>(all.value[lane] == value) << lane; });
      each_lane(same & lanes, [&](int lane) { to[lane] = same; });
      left &= ~same;
    }
    const bool has_first = (lanes >> __builtin_ctz(all.lanes) & 1) != 0;  // of the groups that have met, one tells
    if (warp.run_observer != nullptr && has_first) warp.tell_of_match(different);
  }
};

/// All lanes if all hold the same value, else none; the predicate says which.
template <class T>
struct MatchAll {
  static void collect(Warp& warp, const Insn* insn, Mask lanes, Exchange& all) {
    collect_values<T>(warp, insn, lanes, all);
  }
  static void finish(Warp& warp, const Insn* insn, Mask lanes, const Exchange& all) {
    const std::uint64_t value = all.value[__builtin_ctz(all.lanes)];
    bool equal = true;
    each_lane(all.lanes, [&](int lane) { equal &= all.value[lane] == value; });
    const Mask outcome = equal ? all.lanes : 0;
    set_lanes(lanes_at<std::uint32_t>(warp, insn->dst), lanes, [=](int) { return outcome; });
    if (insn->more[1] != 0) set_mask(mask_at(warp, insn->more[1]), lanes, equal ? kAllLanes : 0);
  }
};

void build_match(Builder& b) {
  if (!b.take("sync")) b.refuse(b.spelled() + " without .sync");
  const bool all = b.take("all");
  if (!all && !b.take("any")) b.refuse(b.spelled());
  const bool wide = slot_for(b.take_type()) == SlotSize::k64;
  const ptx::Operand& to = b.operand(0);
  if (to.kind == ptx::Operand::Kind::kVector) {
    b.write(b.insn.dst, to.elements.at(0), SlotSize::k32);
    b.write(b.insn.more[1], to.elements.at(1), SlotSize::kMask);
  } else {
    b.write(b.insn.dst, to, SlotSize::k32);
  }
  b.read(b.insn.a, b.operand(1), wide ? SlotSize::k64 : SlotSize::k32);
  b.read(b.insn.c, b.operand(2), SlotSize::k32);
  if (all) return wide ? emit_exchange<MatchAll<std::uint64_t>>(b) : emit_exchange<MatchAll<std::uint32_t>>(b);
  return wide ? emit_exchange<MatchAny<std::uint64_t>>(b) : emit_exchange<MatchAny<std::uint32_t>>(b);
}

// --- redux: one value out of all lanes' ---

struct Sum {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  }
};
struct Smallest {
  template <class T>
  static T apply(T a, T b) {
    return b < a ? b : a;
  }
};
struct Largest {
  template <class T>
  static T apply(T a, T b) {
    return a < b ? b : a;
  }
};
struct BitAnd {
  template <class T>
  static T apply(T a, T b) {
    return a & b;
  }
};
struct BitOr {
  template <class T>
  static T apply(T a, T b) {
    return a | b;
  }
};
struct BitXor {
  template <class T>
  static T apply(T a, T b) {
    return a ^ b;
  }
};

template <class Op, class T>
struct Reduce {
  static void collect(Warp& warp, const Insn* insn, Mask lanes, Exchange& all) {
    collect_values<T>(warp, insn, lanes, all);
  }
  static void finish(Warp& warp, const Insn* insn, Mask lanes, const Exchange& all) {
    T total = static_cast<T>(all.value[__builtin_ctz(all.lanes)]);
    each_lane(all.lanes & (all.lanes - 1),
              [&](int lane) { total = Op::apply(total, static_cast<T>(all.value[lane])); });
    set_lanes(lanes_at<T>(warp, insn->dst), lanes, [=](int) { return total; });
  }
};

void build_reduce(Builder& b) {
  if (!b.take("sync")) b.refuse(b.spelled() + " without .sync");
  const int op = b.take_one_of({"add", "min", "max", "and", "or", "xor"});
  const ptx::Type type = b.take_type();
  if (slot_for(type) != SlotSize::k32 || !(is_integer(type) || type == ptx::Type::kB32)) b.refuse(b.spelled());
  b.write(b.insn.dst, b.operand(0), SlotSize::k32);
  b.read(b.insn.a, b.operand(1), SlotSize::k32);
  b.read(b.insn.c, b.operand(2), SlotSize::k32);
  const bool is_s = is_signed(type);
  switch (op) {
    case 0:
      return emit_exchange<Reduce<Sum, std::uint32_t>>(b);
    case 1:
      return is_s ? emit_exchange<Reduce<Smallest, std::int32_t>>(b)
                  : emit_exchange<Reduce<Smallest, std::uint32_t>>(b);
    case 2:
      return is_s ? emit_exchange<Reduce<Largest, std::int32_t>>(b) : emit_exchange<Reduce<Largest, std::uint32_t>>(b);
    case 3:
      return emit_exchange<Reduce<BitAnd, std::uint32_t>>(b);
    case 4:
      return emit_exchange<Reduce<BitOr, std::uint32_t>>(b);
    case 5:
      return emit_exchange<Reduce<BitXor, std::uint32_t>>(b);
    default:
      b.refuse(b.spelled());
  }
}

// --- elect and activemask ---

/// elect.sync d|p, mask: p holds in the lowest lane, whose number is d.
struct Elect {
  static void collect(Warp&, const Insn*, Mask, Exchange&) {}
  static void finish(Warp& warp, const Insn* insn, Mask lanes, const Exchange& all) {
    const auto leader = static_cast<std::uint32_t>(__builtin_ctz(all.lanes));
    set_lanes(lanes_at<std::uint32_t>(warp, insn->dst), lanes, [=](int) { return leader; });
    set_mask(mask_at(warp, insn->more[1]), lanes, Mask{1} << leader);
  }
};

void build_elect(Builder& b) {
  if (!b.take("sync")) b.refuse(b.spelled());
  const ptx::Operand& to = b.operand(0);
  if (to.kind != ptx::Operand::Kind::kVector) b.refuse(b.spelled());
  b.write(b.insn.dst, to.elements.at(0), SlotSize::k32);
  b.write(b.insn.more[1], to.elements.at(1), SlotSize::kMask);
  b.read(b.insn.c, b.operand(1), SlotSize::k32);
  emit_exchange<Elect>(b);
}

const Insn* active_mask(Warp& warp, const Insn* insn) {
  const Mask executing = guarded_lanes(warp, insn);
  set_lanes(lanes_at<std::uint32_t>(warp, insn->dst), executing, [=](int) { return executing; });
  return insn + 1;
}

void build_active_mask(Builder& b) {
  b.take_type();
  b.write(b.insn.dst, b.operand(0), SlotSize::k32);
  b.emit(&active_mask);
}

constexpr OpcodeRow kRows[] = {
    {"shfl", &build_shuffle}, {"vote", &build_vote},   {"match", &build_match},
    {"redux", &build_reduce}, {"elect", &build_elect}, {"activemask", &build_active_mask},
};

}  // namespace

const OpcodeTable VGPU_ROWS(warp_sync) = {kRows, sizeof kRows / sizeof kRows[0]};

}  // namespace vgpu
