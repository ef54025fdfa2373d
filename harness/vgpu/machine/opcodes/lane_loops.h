// Loops over the 32 lanes of a register, written so that the compiler turns each into a few vector instructions.
//
// Files under opcodes/ are compiled several times, for different instruction sets; everything in them and in the
// headers they share has internal linkage, so that no function compiled for a newer processor can stand in for one that
// must run everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "harness/vgpu/machine/builder.h"
#include "harness/vgpu/machine/code.h"
#include "harness/vgpu/machine/lanes.h"
#include "harness/vgpu/machine/warp.h"

#ifndef VGPU_ISA
#error "files under opcodes/ are compiled with VGPU_ISA set to the name of the instruction set"
#endif

namespace vgpu {
namespace {

/// Goes on with the next instruction: in optimised builds straight from handler to handler, which the processor's
/// branch prediction likes better than one common loop. Handlers that do much work may just as well return `insn + 1`.
#if defined(__OPTIMIZE__) && !defined(LANEWISE_SANITIZED)
#define VGPU_NEXT(warp, insn) return (insn)[1].run((warp), (insn) + 1)
#else
#define VGPU_NEXT(warp, insn) return (insn) + 1
#endif

/// The 32 lanes of a slot.
template <class T>
inline T* lanes_at(Warp& warp, std::uint32_t offset) {
  return static_cast<T*>(
      __builtin_assume_aligned(warp.registers + offset, sizeof(T) * kLanes < 64 ? sizeof(T) * kLanes : 64));
}

inline Mask& mask_at(Warp& warp, std::uint32_t offset) { return *reinterpret_cast<Mask*>(warp.registers + offset); }

/// to[lane] = from[lane] for the lanes in `mask`.
template <class T>
inline void blend(T* to, const T* from, Mask mask) {
  if constexpr (sizeof(T) == 16) {
    for (int lane = 0; lane < kLanes; ++lane)
      if ((mask >> lane & 1) != 0) to[lane] = from[lane];
  } else {
    for (int lane = 0; lane < kLanes; ++lane) to[lane] = (mask >> lane & 1) != 0 ? from[lane] : to[lane];
  }
}

/// The rarer half of set_lanes(), by itself so that the usual one needs no room on the stack.
template <class T, class F>
__attribute__((noinline)) void set_some_lanes(T* to, Mask mask, F value) {
  alignas(64) T all[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) all[lane] = value(lane);
  blend(to, all, mask);
}

/// to[lane] = value(lane) for the lanes in `mask`. `value` is evaluated for every lane and must be harmless for all;
/// `to` may be one of the registers it reads, since a lane's value depends on that lane only.
template <class T, class F>
inline __attribute__((always_inline)) void set_lanes(T* to, Mask mask, F value) {
  if (mask == kAllLanes) {
#pragma GCC ivdep
    for (int lane = 0; lane < kLanes; ++lane) to[lane] = value(lane);
  } else {
    set_some_lanes(to, mask, value);
  }
}

/// Calls f(lane) for the lanes in `mask`, lowest first.
template <class F>
inline __attribute__((always_inline)) void each_lane(Mask mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(__builtin_ctz(mask));
}

/// One bit a lane from one integer a lane that is 0 or 1.
template <class T>
inline Mask pack(const T* flags) {
#if defined(__AVX512F__) && defined(__AVX512BW__)
  if constexpr (sizeof(T) == 4) {
    const __m512i low = _mm512_loadu_si512(flags), high = _mm512_loadu_si512(flags + 16);
    return static_cast<Mask>(_mm512_test_epi32_mask(low, low)) | static_cast<Mask>(_mm512_test_epi32_mask(high, high))
                                                                     << 16;
  }
#elif defined(__AVX2__)
  if constexpr (sizeof(T) == 4) {
    Mask none = 0;
    for (int lane = 0; lane < kLanes; lane += 8) {
      const __m256i some = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(flags + lane));
      const __m256i is_none = _mm256_cmpeq_epi32(some, _mm256_setzero_si256());
      none |= static_cast<Mask>(_mm256_movemask_ps(_mm256_castsi256_ps(is_none))) << lane;
    }
    return ~none;
  }
#endif
  Mask mask = 0;
  for (int lane = 0; lane < kLanes; ++lane) mask |= static_cast<Mask>(flags[lane] != 0) << lane;
  return mask;
}

/// Replaces the bits of `mask` in a predicate.
inline void set_mask(Mask& to, Mask mask, Mask bits) { to = (to & ~mask) | (bits & mask); }

// --- handlers made of an operation on one lane ---

/// Op::apply(a) -> D
template <class Op, class D, class A>
const Insn* unary(Warp& warp, const Insn* insn) {
  const A* a = lanes_at<A>(warp, insn->a);
  set_lanes(lanes_at<D>(warp, insn->dst), guarded_lanes(warp, insn),
            [=](int lane) { return static_cast<D>(Op::apply(a[lane])); });
  VGPU_NEXT(warp, insn);
}

/// Op::apply(a, b) -> D
template <class Op, class D, class A, class B = A>
const Insn* binary(Warp& warp, const Insn* insn) {
  const A* a = lanes_at<A>(warp, insn->a);
  const B* b = lanes_at<B>(warp, insn->b);
  set_lanes(lanes_at<D>(warp, insn->dst), guarded_lanes(warp, insn),
            [=](int lane) { return static_cast<D>(Op::apply(a[lane], b[lane])); });
  VGPU_NEXT(warp, insn);
}

/// Op::apply(a, b, c) -> D
template <class Op, class D, class A, class B = A, class C = A>
const Insn* ternary(Warp& warp, const Insn* insn) {
  const A* a = lanes_at<A>(warp, insn->a);
  const B* b = lanes_at<B>(warp, insn->b);
  const C* c = lanes_at<C>(warp, insn->c);
  set_lanes(lanes_at<D>(warp, insn->dst), guarded_lanes(warp, insn),
            [=](int lane) { return static_cast<D>(Op::apply(a[lane], b[lane], c[lane])); });
  VGPU_NEXT(warp, insn);
}

// --- operands of the usual shapes ---

/// d, a
inline void emit_unary(Builder& b, Handler handler, SlotSize d, SlotSize a) {
  b.write(b.insn.dst, b.operand(0), d);
  b.read(b.insn.a, b.operand(1), a);
  b.emit(handler);
}

/// d, a, b
inline void emit_binary(Builder& b, Handler handler, SlotSize d, SlotSize a, SlotSize second) {
  b.write(b.insn.dst, b.operand(0), d);
  b.read(b.insn.a, b.operand(1), a);
  b.read(b.insn.b, b.operand(2), second);
  b.emit(handler);
}

/// d, a, b, c
inline void emit_ternary(Builder& b, Handler handler, SlotSize d, SlotSize a, SlotSize second, SlotSize third) {
  b.write(b.insn.dst, b.operand(0), d);
  b.read(b.insn.a, b.operand(1), a);
  b.read(b.insn.b, b.operand(2), second);
  b.read(b.insn.c, b.operand(3), third);
  b.emit(handler);
}

// --- choosing a handler by type ---

template <class T>
struct TypeTag {
  using type = T;
};

/// pick(TypeTag<T>{}) for the C++ integer type of `type`; refuses types that are no integers of 16 to 64 bits.
template <class F>
Handler for_integer(Builder& b, ptx::Type type, F pick) {
  switch (type) {
    case ptx::Type::kU16:
    case ptx::Type::kB16:
      return pick(TypeTag<std::uint16_t>{});
    case ptx::Type::kU32:
    case ptx::Type::kB32:
      return pick(TypeTag<std::uint32_t>{});
    case ptx::Type::kU64:
    case ptx::Type::kB64:
      return pick(TypeTag<std::uint64_t>{});
    case ptx::Type::kS16:
      return pick(TypeTag<std::int16_t>{});
    case ptx::Type::kS32:
      return pick(TypeTag<std::int32_t>{});
    case ptx::Type::kS64:
      return pick(TypeTag<std::int64_t>{});
    default:
      b.refuse(b.spelled());
  }
}

inline bool is_integer(ptx::Type type) { return type >= ptx::Type::kU8 && type <= ptx::Type::kS64; }
inline bool is_signed(ptx::Type type) { return type >= ptx::Type::kS8 && type <= ptx::Type::kS64; }
inline bool is_half(ptx::Type type) { return type >= ptx::Type::kF16 && type <= ptx::Type::kBF16x2; }

}  // namespace
}  // namespace vgpu

#define VGPU_JOINED_(name, isa) name##_##isa
#define VGPU_JOINED(name, isa) VGPU_JOINED_(name, isa)

/// What this name is for the instruction set a file is compiled for: of things that other files of the same
/// instruction set use.
#define VGPU_OF_ISA(name) VGPU_JOINED(name, VGPU_ISA)

/// Names a file's table of rows for the instruction set it is compiled for.
#define VGPU_ROWS(family) VGPU_OF_ISA(family##_rows)
