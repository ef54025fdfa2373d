// A lane's part of a matrix as the registers of a PTX instruction, and how those are written in inline assembly.
#pragma once

#include "../cuda_runtime.h"

namespace lanewise {

/// Elements of up to 32 bits, packed.
template <int kCount>
struct MatrixRegisters {
  unsigned int r[kCount];

  MatrixRegisters() = default;
  template <class T>
  __device__ __forceinline__ explicit MatrixRegisters(const T& elements) {
    static_assert(sizeof elements == sizeof r, "the registers hold all elements");
    __builtin_memcpy(r, &elements, sizeof r);
  }
  template <class T>
  __device__ __forceinline__ void put(T& elements) const {
    static_assert(sizeof elements == sizeof r, "the registers hold all elements");
    __builtin_memcpy(&elements, r, sizeof r);
  }
};

}  // namespace lanewise

// The operand {a, b, ...} of as many registers, by name.
#define LANEWISE_NAMES_1(x) "{%[" #x "0]}"
#define LANEWISE_NAMES_2(x) "{%[" #x "0], %[" #x "1]}"
#define LANEWISE_NAMES_4(x) "{%[" #x "0], %[" #x "1], %[" #x "2], %[" #x "3]}"
#define LANEWISE_NAMES_8(x) \
  "{%[" #x "0], %[" #x "1], %[" #x "2], %[" #x "3], %[" #x "4], %[" #x "5], %[" #x "6], %[" #x "7]}"

#define LANEWISE_OUT_1(x) [x##0] "=r"(x.r[0])
#define LANEWISE_OUT_2(x) LANEWISE_OUT_1(x), [x##1] "=r"(x.r[1])
#define LANEWISE_OUT_4(x) LANEWISE_OUT_2(x), [x##2] "=r"(x.r[2]), [x##3] "=r"(x.r[3])
#define LANEWISE_OUT_8(x) \
  LANEWISE_OUT_4(x), [x##4] "=r"(x.r[4]), [x##5] "=r"(x.r[5]), [x##6] "=r"(x.r[6]), [x##7] "=r"(x.r[7])

#define LANEWISE_IN_1(x) [x##0] "r"(x.r[0])
#define LANEWISE_IN_2(x) LANEWISE_IN_1(x), [x##1] "r"(x.r[1])
#define LANEWISE_IN_4(x) LANEWISE_IN_2(x), [x##2] "r"(x.r[2]), [x##3] "r"(x.r[3])
#define LANEWISE_IN_8(x) \
  LANEWISE_IN_4(x), [x##4] "r"(x.r[4]), [x##5] "r"(x.r[5]), [x##6] "r"(x.r[6]), [x##7] "r"(x.r[7])
