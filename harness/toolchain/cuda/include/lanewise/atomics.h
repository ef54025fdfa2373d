// Atomic functions: CUDA C++ Programming Guide, "Atomic Functions". Relaxed, for the device, a block or the system.
#pragma once

// `scope` is part of the name of clang's builtins, `suffix` of CUDA's functions.
#define LANEWISE_ATOMICS(scope, suffix)                                                                                \
  __device__ inline int atomicAdd##suffix(int* address, int value) {                                                   \
    return __nvvm_atom_##scope##add_gen_i(address, value);                                                             \
  }                                                                                                                    \
  __device__ inline unsigned int atomicAdd##suffix(unsigned int* address, unsigned int value) {                        \
    return __nvvm_atom_##scope##add_gen_i(reinterpret_cast<int*>(address), value);                                     \
  }                                                                                                                    \
  __device__ inline unsigned long long atomicAdd##suffix(unsigned long long* address, unsigned long long value) {      \
    return __nvvm_atom_##scope##add_gen_ll(reinterpret_cast<long long*>(address), value);                              \
  }                                                                                                                    \
  __device__ inline float atomicAdd##suffix(float* address, float value) {                                             \
    return __nvvm_atom_##scope##add_gen_f(address, value);                                                             \
  }                                                                                                                    \
  __device__ inline double atomicAdd##suffix(double* address, double value) {                                          \
    return __nvvm_atom_##scope##add_gen_d(address, value);                                                             \
  }                                                                                                                    \
  __device__ inline int atomicSub##suffix(int* address, int value) { return atomicAdd##suffix(address, -value); }      \
  __device__ inline unsigned int atomicSub##suffix(unsigned int* address, unsigned int value) {                        \
    return atomicAdd##suffix(address, 0u - value);                                                                     \
  }                                                                                                                    \
  __device__ inline int atomicExch##suffix(int* address, int value) {                                                  \
    return __nvvm_atom_##scope##xchg_gen_i(address, value);                                                            \
  }                                                                                                                    \
  __device__ inline unsigned int atomicExch##suffix(unsigned int* address, unsigned int value) {                       \
    return __nvvm_atom_##scope##xchg_gen_i(reinterpret_cast<int*>(address), value);                                    \
  }                                                                                                                    \
  __device__ inline unsigned long long atomicExch##suffix(unsigned long long* address, unsigned long long value) {     \
    return __nvvm_atom_##scope##xchg_gen_ll(reinterpret_cast<long long*>(address), value);                             \
  }                                                                                                                    \
  __device__ inline float atomicExch##suffix(float* address, float value) {                                            \
    return __int_as_float(atomicExch##suffix(reinterpret_cast<int*>(address), __float_as_int(value)));                 \
  }                                                                                                                    \
  __device__ inline int atomicMin##suffix(int* address, int value) {                                                   \
    return __nvvm_atom_##scope##min_gen_i(address, value);                                                             \
  }                                                                                                                    \
  __device__ inline unsigned int atomicMin##suffix(unsigned int* address, unsigned int value) {                        \
    return __nvvm_atom_##scope##min_gen_ui(address, value);                                                            \
  }                                                                                                                    \
  __device__ inline long long atomicMin##suffix(long long* address, long long value) {                                 \
    return __nvvm_atom_##scope##min_gen_ll(address, value);                                                            \
  }                                                                                                                    \
  __device__ inline unsigned long long atomicMin##suffix(unsigned long long* address, unsigned long long value) {      \
    return __nvvm_atom_##scope##min_gen_ull(address, value);                                                           \
  }                                                                                                                    \
  __device__ inline int atomicMax##suffix(int* address, int value) {                                                   \
    return __nvvm_atom_##scope##max_gen_i(address, value);                                                             \
  }                                                                                                                    \
  __device__ inline unsigned int atomicMax##suffix(unsigned int* address, unsigned int value) {                        \
    return __nvvm_atom_##scope##max_gen_ui(address, value);                                                            \
  }                                                                                                                    \
  __device__ inline long long atomicMax##suffix(long long* address, long long value) {                                 \
    return __nvvm_atom_##scope##max_gen_ll(address, value);                                                            \
  }                                                                                                                    \
  __device__ inline unsigned long long atomicMax##suffix(unsigned long long* address, unsigned long long value) {      \
    return __nvvm_atom_##scope##max_gen_ull(address, value);                                                           \
  }                                                                                                                    \
  __device__ inline unsigned int atomicInc##suffix(unsigned int* address, unsigned int value) {                        \
    return __nvvm_atom_##scope##inc_gen_ui(address, value);                                                            \
  }                                                                                                                    \
  __device__ inline unsigned int atomicDec##suffix(unsigned int* address, unsigned int value) {                        \
    return __nvvm_atom_##scope##dec_gen_ui(address, value);                                                            \
  }                                                                                                                    \
  __device__ inline int atomicAnd##suffix(int* address, int value) {                                                   \
    return __nvvm_atom_##scope##and_gen_i(address, value);                                                             \
  }                                                                                                                    \
  __device__ inline unsigned int atomicAnd##suffix(unsigned int* address, unsigned int value) {                        \
    return __nvvm_atom_##scope##and_gen_i(reinterpret_cast<int*>(address), value);                                     \
  }                                                                                                                    \
  __device__ inline long long atomicAnd##suffix(long long* address, long long value) {                                 \
    return __nvvm_atom_##scope##and_gen_ll(address, value);                                                            \
  }                                                                                                                    \
  __device__ inline unsigned long long atomicAnd##suffix(unsigned long long* address, unsigned long long value) {      \
    return __nvvm_atom_##scope##and_gen_ll(reinterpret_cast<long long*>(address), value);                              \
  }                                                                                                                    \
  __device__ inline int atomicOr##suffix(int* address, int value) {                                                    \
    return __nvvm_atom_##scope##or_gen_i(address, value);                                                              \
  }                                                                                                                    \
  __device__ inline unsigned int atomicOr##suffix(unsigned int* address, unsigned int value) {                         \
    return __nvvm_atom_##scope##or_gen_i(reinterpret_cast<int*>(address), value);                                      \
  }                                                                                                                    \
  __device__ inline long long atomicOr##suffix(long long* address, long long value) {                                  \
    return __nvvm_atom_##scope##or_gen_ll(address, value);                                                             \
  }                                                                                                                    \
  __device__ inline unsigned long long atomicOr##suffix(unsigned long long* address, unsigned long long value) {       \
    return __nvvm_atom_##scope##or_gen_ll(reinterpret_cast<long long*>(address), value);                               \
  }                                                                                                                    \
  __device__ inline int atomicXor##suffix(int* address, int value) {                                                   \
    return __nvvm_atom_##scope##xor_gen_i(address, value);                                                             \
  }                                                                                                                    \
  __device__ inline unsigned int atomicXor##suffix(unsigned int* address, unsigned int value) {                        \
    return __nvvm_atom_##scope##xor_gen_i(reinterpret_cast<int*>(address), value);                                     \
  }                                                                                                                    \
  __device__ inline long long atomicXor##suffix(long long* address, long long value) {                                 \
    return __nvvm_atom_##scope##xor_gen_ll(address, value);                                                            \
  }                                                                                                                    \
  __device__ inline unsigned long long atomicXor##suffix(unsigned long long* address, unsigned long long value) {      \
    return __nvvm_atom_##scope##xor_gen_ll(reinterpret_cast<long long*>(address), value);                              \
  }                                                                                                                    \
  __device__ inline int atomicCAS##suffix(int* address, int expected, int value) {                                     \
    return __nvvm_atom_##scope##cas_gen_i(address, expected, value);                                                   \
  }                                                                                                                    \
  __device__ inline unsigned int atomicCAS##suffix(unsigned int* address, unsigned int expected, unsigned int value) { \
    return __nvvm_atom_##scope##cas_gen_i(reinterpret_cast<int*>(address), expected, value);                           \
  }                                                                                                                    \
  __device__ inline unsigned long long atomicCAS##suffix(unsigned long long* address, unsigned long long expected,     \
                                                         unsigned long long value) {                                   \
    return __nvvm_atom_##scope##cas_gen_ll(reinterpret_cast<long long*>(address), expected, value);                    \
  }
LANEWISE_ATOMICS(, )
LANEWISE_ATOMICS(cta_, _block)
LANEWISE_ATOMICS(sys_, _system)
#undef LANEWISE_ATOMICS
