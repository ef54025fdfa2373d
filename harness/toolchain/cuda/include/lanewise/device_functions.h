// Intrinsics that clang's headers leave to NVIDIA's, and those that they ask for before they declare them.
#pragma once

/// For what carries the address of shared memory to an instruction.
__device__ inline size_t __cvta_generic_to_shared(const void* pointer) {
  return (size_t)(__attribute__((address_space(3))) const void*)pointer;
}
__device__ inline size_t __cvta_generic_to_global(const void* pointer) {
  return (size_t)(__attribute__((address_space(1))) const void*)pointer;
}
__device__ inline void* __cvta_shared_to_generic(size_t address) {
  return (void*)(__attribute__((address_space(3))) void*)address;
}
__device__ inline void* __cvta_global_to_generic(size_t address) {
  return (void*)(__attribute__((address_space(1))) void*)address;
}

__device__ inline unsigned int __isGlobal(const void* pointer) { return __nvvm_isspacep_global(pointer); }
__device__ inline unsigned int __isShared(const void* pointer) { return __nvvm_isspacep_shared(pointer); }
__device__ inline unsigned int __isConstant(const void* pointer) { return __nvvm_isspacep_const(pointer); }
__device__ inline unsigned int __isLocal(const void* pointer) { return __nvvm_isspacep_local(pointer); }

__device__ inline void __nanosleep(unsigned int nanoseconds) { asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds)); }

/// A dot product of four bytes or of two halves of words, added to c.
#define LANEWISE_DOT(name, instruction, type, result)                       \
  __device__ inline result name(type a, type b, result c) {                 \
    result r;                                                               \
    asm(instruction " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); \
    return r;                                                               \
  }
LANEWISE_DOT(__dp4a, "dp4a.s32.s32", int, int)
LANEWISE_DOT(__dp4a, "dp4a.u32.u32", unsigned int, unsigned int)
LANEWISE_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, int)
LANEWISE_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int, unsigned int)
LANEWISE_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, int)
LANEWISE_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int, unsigned int)
#undef LANEWISE_DOT

/// The larger or smaller of halves of words, and of 0.
__device__ inline unsigned int __vimax_s16x2_relu(unsigned int a, unsigned int b) {
  return __vmaxs2(__vmaxs2(a, b), 0);
}
__device__ inline unsigned int __vimin_s16x2_relu(unsigned int a, unsigned int b) {
  return __vmaxs2(__vmins2(a, b), 0);
}
__device__ inline int __vimax_s32_relu(int a, int b) { return max(max(a, b), 0); }
__device__ inline int __vimin_s32_relu(int a, int b) { return max(min(a, b), 0); }
