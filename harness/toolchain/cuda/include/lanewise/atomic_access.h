// Atomic loads, stores and operations of any order and scope, each as one PTX instruction: PTX ISA, "ld", "st", "atom".
#pragma once

#include "memory_order.h"

// Instructions count for the line that calls for them.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace lanewise {

using cuda::memory_order;
using cuda::thread_scope;

// X(order, scope, ...) with the order and the scope as PTX spells them; sequential consistency is a fence before.
#define LANEWISE_BY_SCOPE(order, scope, X, ...)              \
  do {                                                       \
    if constexpr ((scope) == cuda::thread_scope_system)      \
      X(order, "sys", __VA_ARGS__);                          \
    else if constexpr ((scope) == cuda::thread_scope_device) \
      X(order, "gpu", __VA_ARGS__);                          \
    else                                                     \
      X(order, "cta", __VA_ARGS__);                          \
  } while (0)
#define LANEWISE_BY_ORDER(order, scope, ...)                                            \
  do {                                                                                  \
    if ((order) == cuda::memory_order_seq_cst) cuda::atomic_thread_fence(order, scope); \
    if ((order) == cuda::memory_order_relaxed)                                          \
      LANEWISE_BY_SCOPE("relaxed", scope, __VA_ARGS__);                                 \
    else if ((order) == cuda::memory_order_release)                                     \
      LANEWISE_BY_SCOPE("release", scope, __VA_ARGS__);                                 \
    else if ((order) == cuda::memory_order_acq_rel)                                     \
      LANEWISE_BY_SCOPE("acq_rel", scope, __VA_ARGS__);                                 \
    else                                                                                \
      LANEWISE_BY_SCOPE("acquire", scope, __VA_ARGS__);                                 \
  } while (0)
#define LANEWISE_LOAD(order, scope, type, letter) \
  asm volatile("ld." order "." scope "." type " %0, [%1];" : "=" letter(word) : "l"(at) : "memory")
#define LANEWISE_STORE(order, scope, type, letter) \
  asm volatile("st." order "." scope "." type " [%0], %1;" ::"l"(at), letter(word) : "memory")
#define LANEWISE_ATOM(order, scope, operation, letter)                \
  asm volatile("atom." order "." scope "." operation " %0, [%1], %2;" \
               : "=" letter(old)                                      \
               : "l"(at), letter(value)                               \
               : "memory")
#define LANEWISE_CAS(order, scope, type, letter)                         \
  asm volatile("atom." order "." scope ".cas." type " %0, [%1], %2, %3;" \
               : "=" letter(old)                                         \
               : "l"(at), letter(wanted), letter(word)                   \
               : "memory")

/// What holds a T in a register, and as what it is stored.
template <int kBytes>
struct WordOf;
template <>
struct WordOf<1> {
  using Type = unsigned int;
  using Stored = unsigned char;
};
template <>
struct WordOf<2> {
  using Type = unsigned short;
  using Stored = unsigned short;
};
template <>
struct WordOf<4> {
  using Type = unsigned int;
  using Stored = unsigned int;
};
template <>
struct WordOf<8> {
  using Type = unsigned long long;
  using Stored = unsigned long long;
};
template <class T>
using Word = typename WordOf<sizeof(T)>::Type;
template <class T>
using Stored = typename WordOf<sizeof(T)>::Stored;

template <class T>
__host__ __device__ constexpr bool has_same_bits(T a, T b) {
  return __builtin_bit_cast(Stored<T>, a) == __builtin_bit_cast(Stored<T>, b);
}

template <thread_scope kScope, class T>
__device__ __forceinline__ T atomic_load(const T* at, memory_order order) {
  Word<T> word = 0;
  if constexpr (sizeof(T) == 1) LANEWISE_BY_ORDER(order, kScope, LANEWISE_LOAD, "u8", "r");
  if constexpr (sizeof(T) == 2) LANEWISE_BY_ORDER(order, kScope, LANEWISE_LOAD, "u16", "h");
  if constexpr (sizeof(T) == 4) LANEWISE_BY_ORDER(order, kScope, LANEWISE_LOAD, "u32", "r");
  if constexpr (sizeof(T) == 8) LANEWISE_BY_ORDER(order, kScope, LANEWISE_LOAD, "u64", "l");
  return __builtin_bit_cast(T, static_cast<Stored<T>>(word));
}

template <thread_scope kScope, class T>
__device__ __forceinline__ void atomic_store(T* at, T value, memory_order order) {
  const Word<T> word = __builtin_bit_cast(Stored<T>, value);
  if constexpr (sizeof(T) == 1) LANEWISE_BY_ORDER(order, kScope, LANEWISE_STORE, "u8", "r");
  if constexpr (sizeof(T) == 2) LANEWISE_BY_ORDER(order, kScope, LANEWISE_STORE, "u16", "h");
  if constexpr (sizeof(T) == 4) LANEWISE_BY_ORDER(order, kScope, LANEWISE_STORE, "u32", "r");
  if constexpr (sizeof(T) == 8) LANEWISE_BY_ORDER(order, kScope, LANEWISE_STORE, "u64", "l");
}

/// What was there before. Bytes and halves of words are changed with the word around them.
template <thread_scope kScope, class T>
__device__ __forceinline__ T atomic_cas(T* at, T expected, T desired, memory_order order) {
  if constexpr (sizeof(T) < 4) {
    const unsigned long long address = reinterpret_cast<unsigned long long>(at);
    unsigned int* const around = reinterpret_cast<unsigned int*>(address & ~3ull);
    const int shift = static_cast<int>(address & 3) * 8;
    const unsigned int mask = ((1u << 8 * sizeof(T)) - 1) << shift;
    const unsigned int wanted = __builtin_bit_cast(Stored<T>, expected), word = __builtin_bit_cast(Stored<T>, desired);
    unsigned int seen = atomic_load<kScope>(around, cuda::memory_order_relaxed);
    while ((seen & mask) >> shift == wanted) {
      const unsigned int old = atomic_cas<kScope>(around, seen, (seen & ~mask) | word << shift, order);
      if (old == seen) break;
      seen = old;
    }
    return __builtin_bit_cast(T, static_cast<Stored<T>>((seen & mask) >> shift));
  } else {
    const Word<T> wanted = __builtin_bit_cast(Word<T>, expected), word = __builtin_bit_cast(Word<T>, desired);
    Word<T> old = 0;
    if constexpr (sizeof(T) == 4) LANEWISE_BY_ORDER(order, kScope, LANEWISE_CAS, "b32", "r");
    if constexpr (sizeof(T) == 8) LANEWISE_BY_ORDER(order, kScope, LANEWISE_CAS, "b64", "l");
    return __builtin_bit_cast(T, old);
  }
}

/// Whatever operation it is, by comparing and swapping.
template <thread_scope kScope, class T, class Change>
__device__ __forceinline__ T atomic_change(T* at, memory_order order, Change change) {
  T seen = atomic_load<kScope>(at, cuda::memory_order_relaxed);
  while (true) {
    const T old = atomic_cas<kScope>(at, seen, change(seen), order);
    if (has_same_bits(old, seen)) return old;
    seen = old;
  }
}

/// One instruction where PTX has it for the type.
#define LANEWISE_OPERATION(name, operation, type, letter)                          \
  template <thread_scope kScope>                                                   \
  __device__ __forceinline__ type name(type* at, type value, memory_order order) { \
    type old;                                                                      \
    LANEWISE_BY_ORDER(order, kScope, LANEWISE_ATOM, operation, letter);            \
    return old;                                                                    \
  }
#define LANEWISE_INTEGERS(name, operation, s32, u32, s64, u64)         \
  LANEWISE_OPERATION(name, operation "." s32, int, "r")                \
  LANEWISE_OPERATION(name, operation "." u32, unsigned int, "r")       \
  LANEWISE_OPERATION(name, operation "." s64, long long, "l")          \
  LANEWISE_OPERATION(name, operation "." u64, unsigned long long, "l") \
  LANEWISE_OPERATION(name, operation "." s64, long, "l")               \
  LANEWISE_OPERATION(name, operation "." u64, unsigned long, "l")
LANEWISE_INTEGERS(atomic_add, "add", "s32", "u32", "u64", "u64")
LANEWISE_INTEGERS(atomic_min, "min", "s32", "u32", "s64", "u64")
LANEWISE_INTEGERS(atomic_max, "max", "s32", "u32", "s64", "u64")
LANEWISE_INTEGERS(atomic_and, "and", "b32", "b32", "b64", "b64")
LANEWISE_INTEGERS(atomic_or, "or", "b32", "b32", "b64", "b64")
LANEWISE_INTEGERS(atomic_xor, "xor", "b32", "b32", "b64", "b64")
LANEWISE_INTEGERS(atomic_swap, "exch", "b32", "b32", "b64", "b64")
LANEWISE_OPERATION(atomic_add, "add.f32", float, "f")
LANEWISE_OPERATION(atomic_add, "add.f64", double, "d")
#undef LANEWISE_INTEGERS
#undef LANEWISE_OPERATION

/// Otherwise by comparing and swapping.
#define LANEWISE_OTHERWISE(name, expression)                                          \
  template <thread_scope kScope, class T>                                             \
  __device__ __forceinline__ T name(T* at, T value, memory_order order) {             \
    return atomic_change<kScope>(at, order, [&](T seen) -> T { return expression; }); \
  }
LANEWISE_OTHERWISE(atomic_add, static_cast<T>(seen + value))
LANEWISE_OTHERWISE(atomic_min, seen < value ? seen : value)
LANEWISE_OTHERWISE(atomic_max, seen > value ? seen : value)
LANEWISE_OTHERWISE(atomic_and, static_cast<T>(seen& value))
LANEWISE_OTHERWISE(atomic_or, static_cast<T>(seen | value))
LANEWISE_OTHERWISE(atomic_xor, static_cast<T>(seen ^ value))
LANEWISE_OTHERWISE(atomic_swap, value)
#undef LANEWISE_OTHERWISE
#undef LANEWISE_LOAD
#undef LANEWISE_STORE
#undef LANEWISE_ATOM
#undef LANEWISE_CAS
#undef LANEWISE_BY_ORDER
#undef LANEWISE_BY_SCOPE

}  // namespace lanewise

#pragma clang attribute pop
