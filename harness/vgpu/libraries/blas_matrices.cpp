// cuBLAS, level 3: matrices, and what cuBLAS adds to BLAS: batches, geam and dgmm.
#include "harness/vgpu/libraries/blas_call.h"

using namespace vgpu::libraries;

namespace {

bool is_op(int op) { return op >= 0 && op <= 2; }
bool is_half(int fill) { return fill == 0 || fill == 1; }  // CUBLAS_FILL_MODE_LOWER, _UPPER
bool is_side(int side) { return side == 0 || side == 1; }  // CUBLAS_SIDE_LEFT, _RIGHT
std::size_t size(int n) { return static_cast<std::size_t>(n); }

template <class T>
struct Gemm {
  int op_a, op_b, m, n, k;
  int lda, ldb, ldc;

  int a_rows() const { return op_a == 0 ? m : k; }
  int a_columns() const { return op_a == 0 ? k : m; }
  int b_rows() const { return op_b == 0 ? k : n; }
  int b_columns() const { return op_b == 0 ? n : k; }
  bool is_valid() const {
    return is_op(op_a) && is_op(op_b) && m >= 0 && n >= 0 && k >= 0 && lda >= std::max(1, a_rows()) &&
           ldb >= std::max(1, b_rows()) && ldc >= std::max(1, m);
  }
};

/// The products of several pairs of matrices, in one piece of work.
template <class T>
int gemm(const char* name, BlasHandle* handle, const Gemm<T>& g, const T* alpha, const std::vector<const T*>& a,
         const std::vector<const T*>& b, const T* beta, const std::vector<T*>& c) {
  if (handle == nullptr) return kBlasNotInitialized;
  if (!g.is_valid() || alpha == nullptr || beta == nullptr) return kBlasInvalidValue;
  if (g.m == 0 || g.n == 0 || c.empty()) return kBlasSuccess;
  BlasCall call(handle, name);
  const BlasCall::Scalar<T> by(call, alpha), keeps(call, beta);
  struct Product {
    const T *a, *b;
    T* c;
  };
  std::vector<Product> products;
  const bool reads = !by.is_zero() && g.k > 0;
  for (std::size_t i = 0; i < c.size(); ++i)
    products.push_back({reads ? call.matrix(a[i], g.a_rows(), g.a_columns(), g.lda, reads_of(by)) : nullptr,
                        reads ? call.matrix(b[i], g.b_rows(), g.b_columns(), g.ldb, reads_of(by)) : nullptr,
                        call.matrix(c[i], g.m, g.n, g.ldc, access_of(keeps))});
  call.work().template computes<T>(multiply_adds<T>(1.0 * g.m * g.n * g.k * static_cast<double>(c.size())));
  return call.queue([=] {
    for (const Product& each : products) {
      Matrix<T> sums(size(g.m), size(g.n));
      if (reads && by.value() != T(0))
        sums = multiplied(applied(static_cast<Op>(g.op_a), each.a, size(g.a_rows()), size(g.a_columns())),
                          applied(static_cast<Op>(g.op_b), each.b, size(g.b_rows()), size(g.b_columns())));
      put_scaled(each.c, sums.values.data(), sums.values.size(), by.value(), keeps.value());
    }
  });
}

/// C = alpha A B + beta C with a symmetric or Hermitian A, or with B A.
template <class T>
int symm(const char* name, Shape shape, BlasHandle* handle, int side, int fill, int m, int n, const T* alpha,
         const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {
  if (handle == nullptr) return kBlasNotInitialized;
  const int order = side == 0 ? m : n;
  if (!is_side(side) || !is_half(fill) || m < 0 || n < 0 || lda < std::max(1, order) || ldb < std::max(1, m) ||
      ldc < std::max(1, m) || alpha == nullptr || beta == nullptr)
    return kBlasInvalidValue;
  if (m == 0 || n == 0) return kBlasSuccess;
  BlasCall call(handle, name);
  const BlasCall::Scalar<T> by(call, alpha), keeps(call, beta);
  const bool reads = !by.is_zero();
  const unsigned access = half_of(fill) | (shape == Shape::kHermitian ? unsigned{kVgpuKeeps} : reads_of(by));
  const T* const half = reads ? call.matrix(a, order, order, lda, access) : nullptr;
  const T* const other = reads ? call.matrix(b, m, n, ldb, reads_of(by)) : nullptr;
  T* const to = call.matrix(c, m, n, ldc, access_of(keeps));
  call.work().template computes<T>(multiply_adds<T>(1.0 * m * n * order));
  return call.queue([=] {
    Matrix<T> sums(size(m), size(n));
    if (by.value() != T(0)) {
      const Matrix<T> whole = completed(shape, fill == 1, false, half, size(order));
      const Matrix<T> dense = applied(Op::kPlain, other, size(m), size(n));
      sums = side == 0 ? multiplied(whole, dense) : multiplied(dense, whole);
    }
    put_scaled(to, sums.values.data(), sums.values.size(), by.value(), keeps.value());
  });
}

/// Half of C = alpha op(A) op(A)' + beta C. `two`: alpha (op(A) op(B)' + op(B) op(A)'), each with its own conjugation.
template <class T, class A, class B>
int syrk(const char* name, bool hermitian, bool two, BlasHandle* handle, int fill, int op, int n, int k, const A* alpha,
         const T* a, int lda, const T* b, int ldb, const B* beta, T* c, int ldc) {
  if (handle == nullptr) return kBlasNotInitialized;
  const int rows = op == 0 ? n : k, columns = op == 0 ? k : n;
  // Complex ones have only one way of turning.
  const bool turns_otherwise = kIsComplex<T> && op == (hermitian ? 1 : 2);
  if (!is_half(fill) || !is_op(op) || turns_otherwise || n < 0 || k < 0 || lda < std::max(1, rows) ||
      (two && ldb < std::max(1, rows)) || ldc < std::max(1, n) || alpha == nullptr || beta == nullptr)
    return kBlasInvalidValue;
  if (n == 0) return kBlasSuccess;
  BlasCall call(handle, name);
  const BlasCall::Scalar<A> by(call, alpha);
  const BlasCall::Scalar<B> keeps(call, beta);
  const bool reads = !by.is_zero() && k > 0;
  const T* const first = reads ? call.matrix(a, rows, columns, lda, reads_of(by)) : nullptr;
  const T* const second = reads && two ? call.matrix(b, rows, columns, ldb, reads_of(by)) : first;
  const unsigned kept = hermitian && !keeps.is_zero() ? kVgpuKeeps | kVgpuWrites : access_of(keeps);
  T* const to = call.matrix(c, n, n, ldc, half_of(fill) | kept);
  call.work().template computes<T>(multiply_adds<T>((two ? 1.0 : 0.5) * n * n * k));
  return call.queue([=] {
    const Op turned = hermitian ? Op::kAdjoint : Op::kTransposed;
    const auto side = [&](const T* stored) {
      return op == 0 ? applied(Op::kPlain, stored, size(rows), size(columns))
                     : applied(turned, stored, size(rows), size(columns));
    };
    const auto times = [&](const T* left, const T* right) {
      const Matrix<T> l = side(left), r = side(right);
      return multiplied(l, applied(turned, r.values.data(), size(n), size(k)));
    };
    const T factor(by.value());
    const bool adds = reads && factor != T(0);
    const Matrix<T> sums = adds ? times(first, second) : Matrix<T>(size(n), size(n));
    const Matrix<T> mirrored = adds && two ? times(second, first) : Matrix<T>(size(n), size(n));
    for (int column = 0; column < n; ++column)
      for (int row = fill == 1 ? 0 : column; row < (fill == 1 ? column + 1 : n); ++row) {
        T& element = to[size(column) * size(n) + size(row)];
        T sum = product(factor, sums.at(size(row), size(column)));
        if (two) sum += product(hermitian ? conjugate(factor) : factor, mirrored.at(size(row), size(column)));
        element = keeps.value() == B(0) ? sum : sum + product(T(keeps.value()), element);
        if (hermitian && row == column) element = T(std::real(element));
      }
  });
}

/// C = alpha op(A) B with a triangular A, or B op(A); and what of it solves op(A) X = alpha B.
template <class T>
int triangular(const char* name, bool solves, BlasHandle* handle, int side, int fill, int op, int diagonal, int m,
               int n, const T* alpha, const T* a, int lda, const T* b, int ldb, T* c, int ldc) {
  if (handle == nullptr) return kBlasNotInitialized;
  const int order = side == 0 ? m : n;
  if (!is_side(side) || !is_half(fill) || !is_op(op) || (diagonal != 0 && diagonal != 1) || m < 0 || n < 0 ||
      lda < std::max(1, order) || ldb < std::max(1, m) || ldc < std::max(1, m) || alpha == nullptr)
    return kBlasInvalidValue;
  if (m == 0 || n == 0) return kBlasSuccess;
  BlasCall call(handle, name);
  const BlasCall::Scalar<T> by(call, alpha);
  const bool reads = !by.is_zero();
  const unsigned access = half_of(fill) | (diagonal == 1 ? unsigned{kVgpuKeeps} : reads_of(by));
  const T* const half = reads ? call.matrix(a, order, order, lda, access) : nullptr;
  const T* const from = reads ? call.matrix(b, m, n, ldb, reads_of(by)) : nullptr;
  T* const to = call.matrix(c, m, n, ldc, kVgpuWrites);
  call.work().template computes<T>(multiply_adds<T>(0.5 * m * n * order));
  return call.queue([=] {
    if (by.value() == T(0)) {
      std::fill(to, to + size(m) * size(n), T{});
      return;
    }
    const Matrix<T> whole = completed(Shape::kTriangular, fill == 1, diagonal == 1, half, size(order));
    // What is on the right is, transposed, on the left.
    Matrix<T> factor = applied(static_cast<Op>(op), whole.values.data(), size(order), size(order));
    bool upper = (fill == 1) == (op == 0);
    if (side == 1) {
      factor = applied(Op::kTransposed, factor.values.data(), size(order), size(order));
      upper = !upper;
    }
    Matrix<T> dense = applied(side == 0 ? Op::kPlain : Op::kTransposed, from, size(m), size(n));
    for (T& value : dense.values) value = product(by.value(), value);
    if (solves)
      solve(factor, upper, dense);
    else
      dense = multiplied(factor, dense);
    if (side == 1) dense = applied(Op::kTransposed, dense.values.data(), size(n), size(m));
    std::copy(dense.values.begin(), dense.values.end(), to);
  });
}

/// C = alpha op(A) + beta op(B).
template <class T>
int geam(const char* name, BlasHandle* handle, int op_a, int op_b, int m, int n, const T* alpha, const T* a, int lda,
         const T* beta, const T* b, int ldb, T* c, int ldc) {
  if (handle == nullptr) return kBlasNotInitialized;
  const auto rows = [m, n](int op) { return op == 0 ? m : n; };
  const auto columns = [m, n](int op) { return op == 0 ? n : m; };
  if (!is_op(op_a) || !is_op(op_b) || m < 0 || n < 0 || ldc < std::max(1, m) || alpha == nullptr || beta == nullptr)
    return kBlasInvalidValue;
  if (m == 0 || n == 0) return kBlasSuccess;
  BlasCall call(handle, name);
  const BlasCall::Scalar<T> by(call, alpha), other(call, beta);
  // A factor of zero leaves its matrix unread: it may then be null.
  if ((!by.is_zero() && lda < std::max(1, rows(op_a))) || (!other.is_zero() && ldb < std::max(1, rows(op_b))))
    return kBlasInvalidValue;
  const T* const first = by.is_zero() ? nullptr : call.matrix(a, rows(op_a), columns(op_a), lda, reads_of(by));
  const T* const second = other.is_zero() ? nullptr : call.matrix(b, rows(op_b), columns(op_b), ldb, reads_of(other));
  T* const to = call.matrix(c, m, n, ldc, kVgpuWrites);
  call.work().template computes<T>(multiply_adds<T>(1.5 * m * n));
  return call.queue([=] {
    std::fill(to, to + size(m) * size(n), T{});
    const auto add = [&](const T* stored, int op, const T& factor) {
      if (stored == nullptr || factor == T(0)) return;
      const Matrix<T> turned = applied(static_cast<Op>(op), stored, size(rows(op)), size(columns(op)));
      for (std::size_t i = 0; i < turned.values.size(); ++i) to[i] += product(factor, turned.values[i]);
    };
    add(first, op_a, by.value());
    add(second, op_b, other.value());
  });
}

/// C = A diag(x), or diag(x) A.
template <class T>
int dgmm(const char* name, BlasHandle* handle, int side, int m, int n, const T* a, int lda, const T* x, int incx, T* c,
         int ldc) {
  if (handle == nullptr) return kBlasNotInitialized;
  if (!is_side(side) || m < 0 || n < 0 || lda < std::max(1, m) || ldc < std::max(1, m)) return kBlasInvalidValue;
  if (m == 0 || n == 0) return kBlasSuccess;
  BlasCall call(handle, name);
  const int length = side == 0 ? m : n;
  const T* const from = call.matrix(a, m, n, lda, kVgpuReads);
  const T* const factors = call.vector(x, length, incx, kVgpuReads);
  T* const to = call.matrix(c, m, n, ldc, kVgpuWrites);
  call.work().template computes<T>(multiply_adds<T>(0.5 * m * n));
  return call.queue([=] {
    const std::vector<T> diagonal = in_order(factors, length, incx);
    for (std::size_t i = 0; i < size(m) * size(n); ++i)
      to[i] = product(from[i], diagonal[side == 0 ? i % size(m) : i / size(m)]);
  });
}

/// Matrices at equal distances.
template <class P>
std::vector<P> at_distance(P first, long long distance, int count) {
  std::vector<P> all(static_cast<std::size_t>(std::max(count, 0)), first);
  for (std::size_t i = 1; i < all.size(); ++i) all[i] = all[i - 1] + distance;
  return all;
}

/// Pointers that lie in device memory, once what comes before has been done.
template <class P>
std::vector<P> fetched(BlasHandle* handle, const P* device, int count, int& status) {
  std::vector<P> all(size(std::max(count, 0)));
  const std::size_t bytes = all.size() * sizeof(P);
  if (count <= 0 || status != kBlasSuccess) return all;
  if (copy_rows_in(handle->stream, all.data(), bytes, device, bytes, bytes, 1, cudaMemcpyDeviceToHost) != cudaSuccess)
    status = kBlasExecutionFailed;
  return all;
}

// A message to the devices has room for so many products.
constexpr int kMostProducts = 300;

}  // namespace

using C = std::complex<float>;
using Z = std::complex<double>;

#define LEVEL3(T, L)                                                                                                   \
  VGPU_LIBRARY_API int cublas##L##gemm_v2(BlasHandle* h, int op_a, int op_b, int m, int n, int k, const T* alpha,      \
                                          const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {    \
    return gemm<T>("cublas" #L "gemm", h, {op_a, op_b, m, n, k, lda, ldb, ldc}, alpha, {a}, {b}, beta, {c});           \
  }                                                                                                                    \
  VGPU_LIBRARY_API int cublas##L##gemmStridedBatched(                                                                  \
      BlasHandle* h, int op_a, int op_b, int m, int n, int k, const T* alpha, const T* a, int lda, long long step_a,   \
      const T* b, int ldb, long long step_b, const T* beta, T* c, int ldc, long long step_c, int count) {              \
    int status = count < 0 ? kBlasInvalidValue : kBlasSuccess;                                                         \
    for (int i = 0; i < count && status == kBlasSuccess; i += kMostProducts) {                                         \
      const int part = std::min(kMostProducts, count - i);                                                             \
      status = gemm<T>("cublas" #L "gemmStridedBatched", h, {op_a, op_b, m, n, k, lda, ldb, ldc}, alpha,               \
                       at_distance(a + step_a * i, step_a, part), at_distance(b + step_b * i, step_b, part), beta,     \
                       at_distance(c + step_c * i, step_c, part));                                                     \
    }                                                                                                                  \
    return status;                                                                                                     \
  }                                                                                                                    \
  VGPU_LIBRARY_API int cublas##L##gemmBatched(BlasHandle* h, int op_a, int op_b, int m, int n, int k, const T* alpha,  \
                                              const T* const* a, int lda, const T* const* b, int ldb, const T* beta,   \
                                              T* const* c, int ldc, int count) {                                       \
    if (h == nullptr) return kBlasNotInitialized;                                                                      \
    int status = count < 0 ? kBlasInvalidValue : kBlasSuccess;                                                         \
    for (int i = 0; i < count && status == kBlasSuccess; i += kMostProducts) {                                         \
      const int part = std::min(kMostProducts, count - i);                                                             \
      const auto left = fetched(h, a + i, part, status), right = fetched(h, b + i, part, status);                      \
      const auto to = fetched(h, c + i, part, status);                                                                 \
      if (status == kBlasSuccess)                                                                                      \
        status =                                                                                                       \
            gemm<T>("cublas" #L "gemmBatched", h, {op_a, op_b, m, n, k, lda, ldb, ldc}, alpha, left, right, beta, to); \
    }                                                                                                                  \
    return status;                                                                                                     \
  }                                                                                                                    \
  VGPU_LIBRARY_API int cublas##L##symm_v2(BlasHandle* h, int side, int fill, int m, int n, const T* alpha, const T* a, \
                                          int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {                \
    return symm("cublas" #L "symm", Shape::kSymmetric, h, side, fill, m, n, alpha, a, lda, b, ldb, beta, c, ldc);      \
  }                                                                                                                    \
  VGPU_LIBRARY_API int cublas##L##syrk_v2(BlasHandle* h, int fill, int op, int n, int k, const T* alpha, const T* a,   \
                                          int lda, const T* beta, T* c, int ldc) {                                     \
    return syrk<T>("cublas" #L "syrk", false, false, h, fill, op, n, k, alpha, a, lda, a, lda, beta, c, ldc);          \
  }                                                                                                                    \
  VGPU_LIBRARY_API int cublas##L##syr2k_v2(BlasHandle* h, int fill, int op, int n, int k, const T* alpha, const T* a,  \
                                           int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {               \
    return syrk<T>("cublas" #L "syr2k", false, true, h, fill, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc);          \
  }                                                                                                                    \
  VGPU_LIBRARY_API int cublas##L##trmm_v2(BlasHandle* h, int side, int fill, int op, int diagonal, int m, int n,       \
                                          const T* alpha, const T* a, int lda, const T* b, int ldb, T* c, int ldc) {   \
    return triangular("cublas" #L "trmm", false, h, side, fill, op, diagonal, m, n, alpha, a, lda, b, ldb, c, ldc);    \
  }                                                                                                                    \
  VGPU_LIBRARY_API int cublas##L##trsm_v2(BlasHandle* h, int side, int fill, int op, int diagonal, int m, int n,       \
                                          const T* alpha, const T* a, int lda, T* b, int ldb) {                        \
    return triangular<T>("cublas" #L "trsm", true, h, side, fill, op, diagonal, m, n, alpha, a, lda, b, ldb, b, ldb);  \
  }                                                                                                                    \
  VGPU_LIBRARY_API int cublas##L##geam(BlasHandle* h, int op_a, int op_b, int m, int n, const T* alpha, const T* a,    \
                                       int lda, const T* beta, const T* b, int ldb, T* c, int ldc) {                   \
    return geam("cublas" #L "geam", h, op_a, op_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc);                         \
  }                                                                                                                    \
  VGPU_LIBRARY_API int cublas##L##dgmm(BlasHandle* h, int side, int m, int n, const T* a, int lda, const T* x,         \
                                       int incx, T* c, int ldc) {                                                      \
    return dgmm("cublas" #L "dgmm", h, side, m, n, a, lda, x, incx, c, ldc);                                           \
  }
LEVEL3(float, S)
LEVEL3(double, D)
LEVEL3(C, C)
LEVEL3(Z, Z)

#define HERMITIAN(T, L)                                                                                                \
  VGPU_LIBRARY_API int cublas##L##hemm_v2(BlasHandle* h, int side, int fill, int m, int n, const T* alpha, const T* a, \
                                          int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {                \
    return symm("cublas" #L "hemm", Shape::kHermitian, h, side, fill, m, n, alpha, a, lda, b, ldb, beta, c, ldc);      \
  }                                                                                                                    \
  VGPU_LIBRARY_API int cublas##L##herk_v2(BlasHandle* h, int fill, int op, int n, int k, const Real<T>* alpha,         \
                                          const T* a, int lda, const Real<T>* beta, T* c, int ldc) {                   \
    return syrk<T>("cublas" #L "herk", true, false, h, fill, op, n, k, alpha, a, lda, a, lda, beta, c, ldc);           \
  }                                                                                                                    \
  VGPU_LIBRARY_API int cublas##L##her2k_v2(BlasHandle* h, int fill, int op, int n, int k, const T* alpha, const T* a,  \
                                           int lda, const T* b, int ldb, const Real<T>* beta, T* c, int ldc) {         \
    return syrk<T>("cublas" #L "her2k", true, true, h, fill, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc);           \
  }
HERMITIAN(C, C)
HERMITIAN(Z, Z)
