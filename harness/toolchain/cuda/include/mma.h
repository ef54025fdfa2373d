// Matrices that a warp multiplies together: nvcuda::wmma, CUDA C++ Programming Guide, "Warp Matrix Functions".
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "lanewise/matrix_registers.h"

// Instructions count for the line that calls for them.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}

}  // namespace wmma
}  // namespace nvcuda

namespace lanewise {

template <class T>
struct MatrixStorage {
  using type = T;
};
template <>
struct MatrixStorage<nvcuda::wmma::precision::tf32> {
  using type = float;
};

template <class A, class B>
inline constexpr bool kSame = false;
template <class A>
inline constexpr bool kSame<A, A> = true;

/// Elements that a lane holds. Those of half are held several times over.
template <class Use, int kM, int kN, int kK, class T>
inline constexpr int kMatrixElements = kSame<Use, nvcuda::wmma::accumulator> ? kM* kN / 32
                                       : kSame<T, __half>                    ? 16
                                       : kSame<Use, nvcuda::wmma::matrix_a>  ? kM* kK / 32
                                                                             : kN* kK / 32;

template <int kM, int kN, int kK, class T>
inline constexpr bool kIsMatrixShape = kSame<T, double> ? kM == 8 && kN == 8 && kK == 4
                                       : kSame<T, nvcuda::wmma::precision::tf32>
                                           ? kM == 16 && kN == 16 && kK == 8
                                           : ((kM == 16 && kN == 16) || (kM == 32 && kN == 8) ||
                                              (kM == 8 && kN == 32)) &&
                                                 (kK == 16 || (kSame<T, float> && kM == 16 && kN == 16 && kK == 8));

}  // namespace lanewise

namespace nvcuda {
namespace wmma {

/// One lane's part of a matrix. Which elements those are is the hardware's own affair.
template <class Use, int m, int n, int k, class T, class Layout = void>
class __attribute__((aligned(8))) fragment {
  static_assert(lanewise::kIsMatrixShape<m, n, k, T>, "tensor cores multiply no matrices of this shape and type");

 public:
  using element_type = T;
  using storage_element_type = typename lanewise::MatrixStorage<T>::type;
  enum { num_elements = lanewise::kMatrixElements<Use, m, n, k, T>, num_storage_elements = num_elements };
  storage_element_type x[num_elements];
};

template <class Use, int m, int n, int k, class T, class Layout>
static inline __device__ void fill_fragment(fragment<Use, m, n, k, T, Layout>& f,
                                            const typename lanewise::MatrixStorage<T>::type& value) {
#pragma unroll
  for (int i = 0; i < fragment<Use, m, n, k, T, Layout>::num_elements; ++i) f.x[i] = value;
}

/// Rounds to what a tensor core reads of a float.
static inline __device__ float __float_to_tf32(float value) {
  unsigned int r;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(value));
  return __uint_as_float(r);
}

// --- loads, stores and products; shape: m16n16k16, type: as PTX spells it, then the number of registers ---

#define LANEWISE_LOAD(Layout, layout, Use, use, shape, m, n, k, T, Memory, type, registers)             \
  static inline __device__ void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& f, const Memory* p, \
                                                 unsigned ldm) {                                        \
    lanewise::MatrixRegisters<registers> d;                                                             \
    asm volatile("wmma.load." use ".sync.aligned." layout "." shape "." type                            \
                 " " LANEWISE_NAMES_##registers(d) ", [%[p]], %[ldm];"                                  \
                 : LANEWISE_OUT_##registers(d)                                                          \
                 : [p] "l"(p), [ldm] "r"(ldm)                                                           \
                 : "memory");                                                                           \
    d.put(f.x);                                                                                         \
  }
#define LANEWISE_OPERANDS(shape, m, n, k, T, Memory, type, a_registers, b_registers)           \
  LANEWISE_LOAD(row_major, "row", matrix_a, "a", shape, m, n, k, T, Memory, type, a_registers) \
  LANEWISE_LOAD(col_major, "col", matrix_a, "a", shape, m, n, k, T, Memory, type, a_registers) \
  LANEWISE_LOAD(row_major, "row", matrix_b, "b", shape, m, n, k, T, Memory, type, b_registers) \
  LANEWISE_LOAD(col_major, "col", matrix_b, "b", shape, m, n, k, T, Memory, type, b_registers)

#define LANEWISE_LOAD_SUMS(layout, shape, type, registers)           \
  asm volatile("wmma.load.c.sync.aligned." layout "." shape "." type \
               " " LANEWISE_NAMES_##registers(d) ", [%[p]], %[ldm];" \
               : LANEWISE_OUT_##registers(d)                         \
               : [p] "l"(p), [ldm] "r"(ldm)                          \
               : "memory")
#define LANEWISE_STORE_SUMS(layout, shape, type, registers)             \
  asm volatile("wmma.store.d.sync.aligned." layout "." shape "." type   \
               " [%[p]], " LANEWISE_NAMES_##registers(c) ", %[ldm];"    \
               :                                                        \
               : [p] "l"(p), LANEWISE_IN_##registers(c), [ldm] "r"(ldm) \
               : "memory")
#define LANEWISE_SUMS(shape, m, n, k, T, type, registers)                                                         \
  static inline __device__ void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, const T* p, unsigned ldm,  \
                                                 layout_t layout) {                                               \
    lanewise::MatrixRegisters<registers> d;                                                                       \
    if (layout == mem_row_major)                                                                                  \
      LANEWISE_LOAD_SUMS("row", shape, type, registers);                                                          \
    else                                                                                                          \
      LANEWISE_LOAD_SUMS("col", shape, type, registers);                                                          \
    d.put(f.x);                                                                                                   \
  }                                                                                                               \
  static inline __device__ void store_matrix_sync(T* p, const fragment<accumulator, m, n, k, T>& f, unsigned ldm, \
                                                  layout_t layout) {                                              \
    const lanewise::MatrixRegisters<registers> c(f.x);                                                            \
    if (layout == mem_row_major)                                                                                  \
      LANEWISE_STORE_SUMS("row", shape, type, registers);                                                         \
    else                                                                                                          \
      LANEWISE_STORE_SUMS("col", shape, type, registers);                                                         \
  }

#define LANEWISE_MULTIPLY(layouts, suffix, na, nb, nd, nc)                                                      \
  asm volatile("wmma.mma.sync.aligned." layouts "." suffix " " LANEWISE_NAMES_##nd(d) ", " LANEWISE_NAMES_##na( \
                   a) ", " LANEWISE_NAMES_##nb(b) ", " LANEWISE_NAMES_##nc(c) ";"                               \
               : LANEWISE_OUT_##nd(d)                                                                           \
               : LANEWISE_IN_##na(a), LANEWISE_IN_##nb(b), LANEWISE_IN_##nc(c))
#define LANEWISE_PRODUCT_OF(ALayout, BLayout, layouts, m, n, k, T, D, C, suffix, na, nb, nd, nc)             \
  static inline __device__ void mma_sync(                                                                    \
      fragment<accumulator, m, n, k, D>& to, const fragment<matrix_a, m, n, k, T, ALayout>& left,            \
      const fragment<matrix_b, m, n, k, T, BLayout>& right, const fragment<accumulator, m, n, k, C>& from) { \
    const lanewise::MatrixRegisters<na> a(left.x);                                                           \
    const lanewise::MatrixRegisters<nb> b(right.x);                                                          \
    const lanewise::MatrixRegisters<nc> c(from.x);                                                           \
    lanewise::MatrixRegisters<nd> d;                                                                         \
    LANEWISE_MULTIPLY(layouts, suffix, na, nb, nd, nc);                                                      \
    d.put(to.x);                                                                                             \
  }
#define LANEWISE_PRODUCT(m, n, k, T, D, C, suffix, na, nb, nd, nc)                               \
  LANEWISE_PRODUCT_OF(row_major, row_major, "row.row", m, n, k, T, D, C, suffix, na, nb, nd, nc) \
  LANEWISE_PRODUCT_OF(row_major, col_major, "row.col", m, n, k, T, D, C, suffix, na, nb, nd, nc) \
  LANEWISE_PRODUCT_OF(col_major, row_major, "col.row", m, n, k, T, D, C, suffix, na, nb, nd, nc) \
  LANEWISE_PRODUCT_OF(col_major, col_major, "col.col", m, n, k, T, D, C, suffix, na, nb, nd, nc)

// Of integers, the sums may stop at the ends of their range.
#define LANEWISE_INTEGER_PRODUCT_OF(ALayout, BLayout, layouts, shape, m, n, k, T, types, na, nb)                    \
  static inline __device__ void mma_sync(fragment<accumulator, m, n, k, int>& to,                                   \
                                         const fragment<matrix_a, m, n, k, T, ALayout>& left,                       \
                                         const fragment<matrix_b, m, n, k, T, BLayout>& right,                      \
                                         const fragment<accumulator, m, n, k, int>& from, bool saturates = false) { \
    const lanewise::MatrixRegisters<na> a(left.x);                                                                  \
    const lanewise::MatrixRegisters<nb> b(right.x);                                                                 \
    const lanewise::MatrixRegisters<8> c(from.x);                                                                   \
    lanewise::MatrixRegisters<8> d;                                                                                 \
    if (saturates)                                                                                                  \
      LANEWISE_MULTIPLY(layouts, shape "." types ".satfinite", na, nb, 8, 8);                                       \
    else                                                                                                            \
      LANEWISE_MULTIPLY(layouts, shape "." types, na, nb, 8, 8);                                                    \
    d.put(to.x);                                                                                                    \
  }
#define LANEWISE_INTEGERS(shape, m, n, k, T, type, na, nb)                                                             \
  LANEWISE_OPERANDS(shape, m, n, k, T, T, type, na, nb)                                                                \
  LANEWISE_INTEGER_PRODUCT_OF(row_major, row_major, "row.row", shape, m, n, k, T, "s32." type "." type ".s32", na, nb) \
  LANEWISE_INTEGER_PRODUCT_OF(row_major, col_major, "row.col", shape, m, n, k, T, "s32." type "." type ".s32", na, nb) \
  LANEWISE_INTEGER_PRODUCT_OF(col_major, row_major, "col.row", shape, m, n, k, T, "s32." type "." type ".s32", na, nb) \
  LANEWISE_INTEGER_PRODUCT_OF(col_major, col_major, "col.col", shape, m, n, k, T, "s32." type "." type ".s32", na, nb)

// Registers of A and B for bf16 and for bytes.
#define LANEWISE_SHAPE(shape, m, n, k, bf16_a, bf16_b, byte_a, byte_b)                                     \
  LANEWISE_OPERANDS(shape, m, n, k, __half, __half, "f16", 8, 8)                                           \
  LANEWISE_OPERANDS(shape, m, n, k, __nv_bfloat16, __nv_bfloat16, "bf16", bf16_a, bf16_b)                  \
  LANEWISE_SUMS(shape, m, n, k, __half, "f16", 4)                                                          \
  LANEWISE_SUMS(shape, m, n, k, float, "f32", 8)                                                           \
  LANEWISE_SUMS(shape, m, n, k, int, "s32", 8)                                                             \
  LANEWISE_PRODUCT(m, n, k, __half, float, float, shape ".f32.f32", 8, 8, 8, 8)                            \
  LANEWISE_PRODUCT(m, n, k, __half, float, __half, shape ".f32.f16", 8, 8, 8, 4)                           \
  LANEWISE_PRODUCT(m, n, k, __half, __half, float, shape ".f16.f32", 8, 8, 4, 8)                           \
  LANEWISE_PRODUCT(m, n, k, __half, __half, __half, shape ".f16.f16", 8, 8, 4, 4)                          \
  LANEWISE_PRODUCT(m, n, k, __nv_bfloat16, float, float, shape ".f32.bf16.bf16.f32", bf16_a, bf16_b, 8, 8) \
  LANEWISE_INTEGERS(shape, m, n, k, signed char, "s8", byte_a, byte_b)                                     \
  LANEWISE_INTEGERS(shape, m, n, k, unsigned char, "u8", byte_a, byte_b)
LANEWISE_SHAPE("m16n16k16", 16, 16, 16, 4, 4, 2, 2)
LANEWISE_SHAPE("m32n8k16", 32, 8, 16, 8, 2, 4, 1)
LANEWISE_SHAPE("m8n32k16", 8, 32, 16, 2, 8, 1, 4)

LANEWISE_OPERANDS("m16n16k8", 16, 16, 8, precision::tf32, float, "tf32", 4, 4)
LANEWISE_SUMS("m16n16k8", 16, 16, 8, float, "f32", 8)
LANEWISE_PRODUCT(16, 16, 8, precision::tf32, float, float, "m16n16k8.f32.tf32.tf32.f32", 4, 4, 8, 8)

// Doubles take registers of their own kind, one for A and B, two for the sums.
#define LANEWISE_LOAD_DOUBLE(Layout, layout, Use, use)                                                       \
  static inline __device__ void load_matrix_sync(fragment<Use, 8, 8, 4, double, Layout>& f, const double* p, \
                                                 unsigned ldm) {                                             \
    asm volatile("wmma.load." use ".sync.aligned." layout ".m8n8k4.f64 {%0}, [%1], %2;"                      \
                 : "=d"(f.x[0])                                                                              \
                 : "l"(p), "r"(ldm)                                                                          \
                 : "memory");                                                                                \
  }
LANEWISE_LOAD_DOUBLE(row_major, "row", matrix_a, "a")
LANEWISE_LOAD_DOUBLE(col_major, "col", matrix_a, "a")
LANEWISE_LOAD_DOUBLE(row_major, "row", matrix_b, "b")
LANEWISE_LOAD_DOUBLE(col_major, "col", matrix_b, "b")
static inline __device__ void load_matrix_sync(fragment<accumulator, 8, 8, 4, double>& f, const double* p, unsigned ldm,
                                               layout_t layout) {
  if (layout == mem_row_major)
    asm volatile("wmma.load.c.sync.aligned.row.m8n8k4.f64 {%0, %1}, [%2], %3;"
                 : "=d"(f.x[0]), "=d"(f.x[1])
                 : "l"(p), "r"(ldm)
                 : "memory");
  else
    asm volatile("wmma.load.c.sync.aligned.col.m8n8k4.f64 {%0, %1}, [%2], %3;"
                 : "=d"(f.x[0]), "=d"(f.x[1])
                 : "l"(p), "r"(ldm)
                 : "memory");
}
static inline __device__ void store_matrix_sync(double* p, const fragment<accumulator, 8, 8, 4, double>& f,
                                                unsigned ldm, layout_t layout) {
  if (layout == mem_row_major)
    asm volatile("wmma.store.d.sync.aligned.row.m8n8k4.f64 [%0], {%1, %2}, %3;"
                 :
                 : "l"(p), "d"(f.x[0]), "d"(f.x[1]), "r"(ldm)
                 : "memory");
  else
    asm volatile("wmma.store.d.sync.aligned.col.m8n8k4.f64 [%0], {%1, %2}, %3;"
                 :
                 : "l"(p), "d"(f.x[0]), "d"(f.x[1]), "r"(ldm)
                 : "memory");
}
#define LANEWISE_DOUBLE_PRODUCT(ALayout, BLayout, layouts)                                                      \
  static inline __device__ void mma_sync(                                                                       \
      fragment<accumulator, 8, 8, 4, double>& d, const fragment<matrix_a, 8, 8, 4, double, ALayout>& a,         \
      const fragment<matrix_b, 8, 8, 4, double, BLayout>& b, const fragment<accumulator, 8, 8, 4, double>& c) { \
    double low, high;                                                                                           \
    asm volatile("wmma.mma.sync.aligned." layouts ".m8n8k4.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"     \
                 : "=d"(low), "=d"(high)                                                                        \
                 : "d"(a.x[0]), "d"(b.x[0]), "d"(c.x[0]), "d"(c.x[1]));                                         \
    d.x[0] = low;                                                                                               \
    d.x[1] = high;                                                                                              \
  }
LANEWISE_DOUBLE_PRODUCT(row_major, row_major, "row.row")
LANEWISE_DOUBLE_PRODUCT(row_major, col_major, "row.col")
LANEWISE_DOUBLE_PRODUCT(col_major, row_major, "col.row")
LANEWISE_DOUBLE_PRODUCT(col_major, col_major, "col.col")

}  // namespace wmma
}  // namespace nvcuda

#undef LANEWISE_LOAD
#undef LANEWISE_OPERANDS
#undef LANEWISE_LOAD_SUMS
#undef LANEWISE_STORE_SUMS
#undef LANEWISE_SUMS
#undef LANEWISE_MULTIPLY
#undef LANEWISE_PRODUCT_OF
#undef LANEWISE_PRODUCT
#undef LANEWISE_INTEGER_PRODUCT_OF
#undef LANEWISE_INTEGERS
#undef LANEWISE_SHAPE
#undef LANEWISE_LOAD_DOUBLE
#undef LANEWISE_DOUBLE_PRODUCT
#pragma clang attribute pop
