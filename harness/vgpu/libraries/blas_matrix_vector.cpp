// cuBLAS, level 2: a matrix and vectors.
#include "harness/vgpu/libraries/blas_call.h"

using namespace vgpu::libraries;

namespace {

bool is_op(int op) { return op >= 0 && op <= 2; }
bool is_half(int fill) { return fill == 0 || fill == 1; }  // CUBLAS_FILL_MODE_LOWER, _UPPER

/// y = alpha A x + beta y, for a matrix that `matrix` makes when its turn comes.
template <class T, class MakeMatrix>
std::function<void()> product_with_vector(BlasCall::Scalar<T> alpha, BlasCall::Scalar<T> beta, MakeMatrix matrix,
                                          const T* x, int x_count, int incx, T* y, int y_count, int incy) {
  return [=] {
    Matrix<T> sums(static_cast<std::size_t>(y_count), 1);
    if (alpha.value() != T(0)) {
      Matrix<T> column(static_cast<std::size_t>(x_count), 1);
      column.values = in_order(x, x_count, incx);
      sums = multiplied(matrix(), column);
    }
    straighten(y, y_count, incy);
    put_scaled(y, sums.values.data(), static_cast<std::size_t>(y_count), alpha.value(), beta.value());
    straighten(y, y_count, incy);
  };
}

template <class T>
int gemv(const char* name, BlasHandle* handle, int op, int m, int n, const T* alpha, const T* a, int lda, const T* x,
         int incx, const T* beta, T* y, int incy) {
  if (handle == nullptr) return kBlasNotInitialized;
  if (!is_op(op) || m < 0 || n < 0 || lda < std::max(1, m) || incx == 0 || incy == 0 || alpha == nullptr ||
      beta == nullptr)
    return kBlasInvalidValue;
  if (m == 0 || n == 0) return kBlasSuccess;
  BlasCall call(handle, name);
  const BlasCall::Scalar<T> by(call, alpha), keeps(call, beta);
  const int rows = op == 0 ? m : n, columns = op == 0 ? n : m;
  const bool is_read = !by.is_zero();
  const T* const stored = is_read ? call.matrix(a, m, n, lda, reads_of(by)) : nullptr;
  const T* const from = is_read ? call.vector(x, columns, incx, reads_of(by)) : nullptr;
  T* const to = call.vector(y, rows, incy, access_of(keeps));
  call.work().computes<T>(multiply_adds<T>(1.0 * m * n));
  const auto matrix = [=] {
    return applied(static_cast<Op>(op), stored, static_cast<std::size_t>(m), static_cast<std::size_t>(n));
  };
  return call.queue(product_with_vector(by, keeps, matrix, from, columns, incx, to, rows, incy));
}

/// With a symmetric or Hermitian matrix.
template <class T>
int symv(const char* name, Shape shape, BlasHandle* handle, int fill, int n, const T* alpha, const T* a, int lda,
         const T* x, int incx, const T* beta, T* y, int incy) {
  if (handle == nullptr) return kBlasNotInitialized;
  if (!is_half(fill) || n < 0 || lda < std::max(1, n) || incx == 0 || incy == 0 || alpha == nullptr || beta == nullptr)
    return kBlasInvalidValue;
  if (n == 0) return kBlasSuccess;
  BlasCall call(handle, name);
  const BlasCall::Scalar<T> by(call, alpha), keeps(call, beta);
  const bool is_read = !by.is_zero();
  const unsigned half = half_of(fill) | (shape == Shape::kHermitian ? unsigned{kVgpuKeeps} : reads_of(by));
  const T* const stored = is_read ? call.matrix(a, n, n, lda, half) : nullptr;
  const T* const from = is_read ? call.vector(x, n, incx, reads_of(by)) : nullptr;
  T* const to = call.vector(y, n, incy, access_of(keeps));
  call.work().computes<T>(multiply_adds<T>(1.0 * n * n));
  const auto matrix = [=] { return completed(shape, fill == 1, false, stored, static_cast<std::size_t>(n)); };
  return call.queue(product_with_vector(by, keeps, matrix, from, n, incx, to, n, incy));
}

/// A += alpha x y', with the conjugate of y if `conjugates`.
template <class T>
int ger(const char* name, bool conjugates, BlasHandle* handle, int m, int n, const T* alpha, const T* x, int incx,
        const T* y, int incy, T* a, int lda) {
  if (handle == nullptr) return kBlasNotInitialized;
  if (m < 0 || n < 0 || lda < std::max(1, m) || incx == 0 || incy == 0 || alpha == nullptr) return kBlasInvalidValue;
  if (m == 0 || n == 0) return kBlasSuccess;
  BlasCall call(handle, name);
  const BlasCall::Scalar<T> by(call, alpha);
  if (by.is_zero()) return kBlasSuccess;
  const T* const left = call.vector(x, m, incx, reads_of(by));
  const T* const right = call.vector(y, n, incy, reads_of(by));
  T* const to = call.matrix(a, m, n, lda, reads_of(by) | kVgpuWrites);
  call.work().computes<T>(multiply_adds<T>(1.0 * m * n));
  return call.queue([=] {
    if (by.value() == T(0)) return;
    const std::vector<T> column = in_order(left, m, incx), row = in_order(right, n, incy);
    for (int c = 0; c < n; ++c) {
      const T factor = product(by.value(), conjugates ? conjugate(row[c]) : row[c]);
      for (int r = 0; r < m; ++r) to[std::size_t(c) * m + r] += product(column[r], factor);
    }
  });
}

/// Half of A += alpha x x', Hermitian with a real alpha and the conjugate if `hermitian`.
template <class T, class F>
int syr(const char* name, bool hermitian, BlasHandle* handle, int fill, int n, const F* alpha, const T* x, int incx,
        T* a, int lda) {
  if (handle == nullptr) return kBlasNotInitialized;
  if (!is_half(fill) || n < 0 || lda < std::max(1, n) || incx == 0 || alpha == nullptr) return kBlasInvalidValue;
  if (n == 0) return kBlasSuccess;
  BlasCall call(handle, name);
  const BlasCall::Scalar<F> by(call, alpha);
  if (by.is_zero()) return kBlasSuccess;
  const T* const vector = call.vector(x, n, incx, reads_of(by));
  T* const to =
      call.matrix(a, n, n, lda, half_of(fill) | (hermitian ? unsigned{kVgpuKeeps} : reads_of(by)) | kVgpuWrites);
  call.work().computes<T>(multiply_adds<T>(0.5 * n * n));
  return call.queue([=] {
    if (by.value() == F(0)) return;
    const std::vector<T> v = in_order(vector, n, incx);
    for (int c = 0; c < n; ++c) {
      const T factor = product(T(by.value()), hermitian ? conjugate(v[c]) : v[c]);
      for (int r = fill == 1 ? 0 : c; r < (fill == 1 ? c + 1 : n); ++r) {
        T& element = to[std::size_t(c) * n + r];
        element += product(v[r], factor);
        if (hermitian && r == c) element = T(std::real(element));
      }
    }
  });
}

/// x = op(A) x, or the x of op(A) x = b, for a triangular A.
template <class T>
int triangular(const char* name, bool solves, BlasHandle* handle, int fill, int op, int diagonal, int n, const T* a,
               int lda, T* x, int incx) {
  if (handle == nullptr) return kBlasNotInitialized;
  if (!is_half(fill) || !is_op(op) || (diagonal != 0 && diagonal != 1) || n < 0 || lda < std::max(1, n) || incx == 0)
    return kBlasInvalidValue;
  if (n == 0) return kBlasSuccess;
  BlasCall call(handle, name);
  const T* const stored = call.matrix(a, n, n, lda, half_of(fill) | (diagonal == 1 ? kVgpuKeeps : kVgpuReads));
  T* const vector = call.vector(x, n, incx, kVgpuReads | kVgpuWrites);
  call.work().computes<T>(multiply_adds<T>(0.5 * n * n));
  return call.queue([=] {
    const auto size = static_cast<std::size_t>(n);
    const Matrix<T> whole = completed(Shape::kTriangular, fill == 1, diagonal == 1, stored, size);
    const Matrix<T> factor = applied(static_cast<Op>(op), whole.values.data(), size, size);
    Matrix<T> column(size, 1);
    column.values = in_order(vector, n, incx);
    if (solves)
      solve(factor, (fill == 1) == (op == 0), column);
    else
      column = multiplied(factor, column);
    std::copy(column.values.begin(), column.values.end(), vector);
    straighten(vector, n, incx);
  });
}

}  // namespace

using C = std::complex<float>;
using Z = std::complex<double>;

#define LEVEL2(T, L)                                                                                                 \
  VGPU_LIBRARY_API int cublas##L##gemv_v2(BlasHandle* h, int op, int m, int n, const T* alpha, const T* a, int lda,  \
                                          const T* x, int incx, const T* beta, T* y, int incy) {                     \
    return gemv("cublas" #L "gemv", h, op, m, n, alpha, a, lda, x, incx, beta, y, incy);                             \
  }                                                                                                                  \
  VGPU_LIBRARY_API int cublas##L##symv_v2(BlasHandle* h, int fill, int n, const T* alpha, const T* a, int lda,       \
                                          const T* x, int incx, const T* beta, T* y, int incy) {                     \
    return symv("cublas" #L "symv", Shape::kSymmetric, h, fill, n, alpha, a, lda, x, incx, beta, y, incy);           \
  }                                                                                                                  \
  VGPU_LIBRARY_API int cublas##L##syr_v2(BlasHandle* h, int fill, int n, const T* alpha, const T* x, int incx, T* a, \
                                         int lda) {                                                                  \
    return syr("cublas" #L "syr", false, h, fill, n, alpha, x, incx, a, lda);                                        \
  }                                                                                                                  \
  VGPU_LIBRARY_API int cublas##L##trmv_v2(BlasHandle* h, int fill, int op, int diagonal, int n, const T* a, int lda, \
                                          T* x, int incx) {                                                          \
    return triangular("cublas" #L "trmv", false, h, fill, op, diagonal, n, a, lda, x, incx);                         \
  }                                                                                                                  \
  VGPU_LIBRARY_API int cublas##L##trsv_v2(BlasHandle* h, int fill, int op, int diagonal, int n, const T* a, int lda, \
                                          T* x, int incx) {                                                          \
    return triangular("cublas" #L "trsv", true, h, fill, op, diagonal, n, a, lda, x, incx);                          \
  }
LEVEL2(float, S)
LEVEL2(double, D)
LEVEL2(C, C)
LEVEL2(Z, Z)

#define GER(T, name, conjugates)                                                                            \
  VGPU_LIBRARY_API int cublas##name##_v2(BlasHandle* h, int m, int n, const T* alpha, const T* x, int incx, \
                                         const T* y, int incy, T* a, int lda) {                             \
    return ger("cublas" #name, conjugates, h, m, n, alpha, x, incx, y, incy, a, lda);                       \
  }
GER(float, Sger, false)
GER(double, Dger, false)
GER(C, Cgeru, false)
GER(C, Cgerc, true)
GER(Z, Zgeru, false)
GER(Z, Zgerc, true)

#define HERMITIAN(T, L)                                                                                              \
  VGPU_LIBRARY_API int cublas##L##hemv_v2(BlasHandle* h, int fill, int n, const T* alpha, const T* a, int lda,       \
                                          const T* x, int incx, const T* beta, T* y, int incy) {                     \
    return symv("cublas" #L "hemv", Shape::kHermitian, h, fill, n, alpha, a, lda, x, incx, beta, y, incy);           \
  }                                                                                                                  \
  VGPU_LIBRARY_API int cublas##L##her_v2(BlasHandle* h, int fill, int n, const Real<T>* alpha, const T* x, int incx, \
                                         T* a, int lda) {                                                            \
    return syr("cublas" #L "her", true, h, fill, n, alpha, x, incx, a, lda);                                         \
  }
HERMITIAN(C, C)
HERMITIAN(Z, Z)
