// cuBLAS, level 1: vectors.
#include <cstdlib>

#include "harness/vgpu/libraries/blas_call.h"

using namespace vgpu::libraries;

namespace {

/// What cuBLAS compares in amax and amin, and sums in asum: |re| + |im|.
template <class T>
Real<T> magnitude(const T& value) {
  if constexpr (kIsComplex<T>)
    return std::abs(value.real()) + std::abs(value.imag());
  else
    return std::abs(value);
}

/// The index, from 1, of the first element that is ahead of all; 0 of an empty vector.
template <class T, class IsAhead>
int index_of(const char* name, BlasHandle* handle, int n, const T* x, int incx, int* result, IsAhead is_ahead) {
  if (handle == nullptr) return kBlasNotInitialized;
  if (result == nullptr) return kBlasInvalidValue;
  BlasCall call(handle, name);
  const int count = incx > 0 ? std::max(n, 0) : 0;
  const T* const values = call.vector(x, count, incx, kVgpuReads);
  return call.queue_result<int>(result, [=] {
    int best = 0;
    for (int i = 1; i < count; ++i)
      if (is_ahead(magnitude(values[i]), magnitude(values[best]))) best = i;
    return count > 0 ? best + 1 : 0;
  });
}
template <class T>
int largest(const char* name, BlasHandle* handle, int n, const T* x, int incx, int* result) {
  return index_of(name, handle, n, x, incx, result, [](Real<T> a, Real<T> b) { return a > b; });
}
template <class T>
int smallest(const char* name, BlasHandle* handle, int n, const T* x, int incx, int* result) {
  return index_of(name, handle, n, x, incx, result, [](Real<T> a, Real<T> b) { return a < b; });
}

template <class T>
int sum_of_magnitudes(const char* name, BlasHandle* handle, int n, const T* x, int incx, Real<T>* result) {
  if (handle == nullptr) return kBlasNotInitialized;
  if (result == nullptr) return kBlasInvalidValue;
  BlasCall call(handle, name);
  const int count = incx > 0 ? std::max(n, 0) : 0;
  const T* const values = call.vector(x, count, incx, kVgpuReads);
  call.work().computes<T>(2.0 * count);
  return call.queue_result<Real<T>>(result, [=] {
    Real<T> sum = 0;
    for (int i = 0; i < count; ++i) sum += magnitude(values[i]);
    return sum;
  });
}

/// Scaled by the largest, so that squares neither overflow nor vanish.
template <class T>
int euclidean_norm(const char* name, BlasHandle* handle, int n, const T* x, int incx, Real<T>* result) {
  if (handle == nullptr) return kBlasNotInitialized;
  if (result == nullptr) return kBlasInvalidValue;
  BlasCall call(handle, name);
  const int count = incx > 0 ? std::max(n, 0) : 0;
  const T* const values = call.vector(x, count, incx, kVgpuReads);
  call.work().computes<T>(multiply_adds<T>(count));
  return call.queue_result<Real<T>>(result, [=]() -> Real<T> {
    Real<T> scale = 0;
    for (int i = 0; i < count; ++i)
      scale = std::max({scale, std::abs(std::real(values[i])), std::abs(std::imag(values[i]))});
    if (scale == 0 || !std::isfinite(scale)) {
      Real<T> plain = scale;
      for (int i = 0; i < count; ++i) plain += magnitude(values[i]);  // a NaN among them shows
      return plain;
    }
    Real<T> sum = 0;
    for (int i = 0; i < count; ++i) {
      const Real<T> re = std::real(values[i]) / scale, im = std::imag(values[i]) / scale;
      sum += re * re + im * im;
    }
    return scale * std::sqrt(sum);
  });
}

template <class T>
int dot(const char* name, BlasHandle* handle, int n, const T* x, int incx, const T* y, int incy, T* result,
        bool conjugates) {
  if (handle == nullptr) return kBlasNotInitialized;
  if (result == nullptr) return kBlasInvalidValue;
  BlasCall call(handle, name);
  const T* const a = call.vector(x, n, incx, kVgpuReads);
  const T* const b = call.vector(y, n, incy, kVgpuReads);
  call.work().computes<T>(multiply_adds<T>(n));
  return call.queue_result<T>(result, [=] {
    const std::vector<T> left = in_order(a, n, incx), right = in_order(b, n, incy);
    T sum{};
    for (std::size_t i = 0; i < left.size(); ++i) sum += product(conjugates ? conjugate(left[i]) : left[i], right[i]);
    return sum;
  });
}

template <class T>
int add_scaled(const char* name, BlasHandle* handle, int n, const T* alpha, const T* x, int incx, T* y, int incy) {
  if (handle == nullptr) return kBlasNotInitialized;
  if (alpha == nullptr) return kBlasInvalidValue;
  BlasCall call(handle, name);
  const BlasCall::Scalar<T> factor(call, alpha);
  const T* const from = call.vector(x, n, incx, kVgpuReads);
  T* const to = call.vector(y, n, incy, kVgpuReads | kVgpuWrites);
  call.work().computes<T>(multiply_adds<T>(n));
  return call.queue([=] {
    const std::vector<T> values = in_order(from, n, incx);
    straighten(to, n, incy);
    for (std::size_t i = 0; i < values.size(); ++i) to[i] += product(factor.value(), values[i]);
    straighten(to, n, incy);
  });
}

template <class T>
int copy(const char* name, BlasHandle* handle, int n, const T* x, int incx, T* y, int incy) {
  if (handle == nullptr) return kBlasNotInitialized;
  BlasCall call(handle, name);
  const T* const from = call.vector(x, n, incx, kVgpuReads);
  T* const to = call.vector(y, n, incy, kVgpuWrites);
  return call.queue([=] {
    const std::vector<T> values = in_order(from, n, incx);
    std::copy(values.begin(), values.end(), to);
    straighten(to, n, incy);
  });
}

template <class T>
int swap(const char* name, BlasHandle* handle, int n, T* x, int incx, T* y, int incy) {
  if (handle == nullptr) return kBlasNotInitialized;
  BlasCall call(handle, name);
  T* const a = call.vector(x, n, incx, kVgpuReads | kVgpuWrites);
  T* const b = call.vector(y, n, incy, kVgpuReads | kVgpuWrites);
  return call.queue([=] {
    const bool turns = (incx < 0) != (incy < 0);
    for (int i = 0; i < n; ++i) std::swap(a[i], b[turns ? n - 1 - i : i]);
  });
}

/// By a factor of the vector's type, or a real one.
template <class T, class F>
int scale(const char* name, BlasHandle* handle, int n, const F* alpha, T* x, int incx) {
  if (handle == nullptr) return kBlasNotInitialized;
  if (alpha == nullptr) return kBlasInvalidValue;
  BlasCall call(handle, name);
  const BlasCall::Scalar<F> factor(call, alpha);
  const int count = incx > 0 ? std::max(n, 0) : 0;
  T* const values = call.vector(x, count, incx, kVgpuReads | kVgpuWrites);
  call.work().computes<T>(multiply_adds<T>(count) / 2);
  return call.queue([=] {
    for (int i = 0; i < count; ++i)
      if constexpr (std::is_same_v<T, F>)
        values[i] = product(factor.value(), values[i]);
      else
        values[i] *= factor.value();
  });
}

/// A plane rotation, with a sine that may be complex.
template <class T, class S>
int rotate(const char* name, BlasHandle* handle, int n, T* x, int incx, T* y, int incy, const Real<T>* c, const S* s) {
  if (handle == nullptr) return kBlasNotInitialized;
  if (c == nullptr || s == nullptr) return kBlasInvalidValue;
  BlasCall call(handle, name);
  const BlasCall::Scalar<Real<T>> cosine(call, c);
  const BlasCall::Scalar<S> sine(call, s);
  T* const a = call.vector(x, n, incx, kVgpuReads | kVgpuWrites);
  T* const b = call.vector(y, n, incy, kVgpuReads | kVgpuWrites);
  call.work().computes<T>(2 * multiply_adds<T>(n));
  return call.queue([=] {
    const bool turns = (incx < 0) != (incy < 0);
    for (int i = 0; i < n; ++i) {
      T& right = b[turns ? n - 1 - i : i];
      const T left = a[i];
      a[i] = cosine.value() * left + product(T(sine.value()), right);
      right = cosine.value() * right - product(conjugate(T(sine.value())), left);
    }
  });
}

}  // namespace

using C = std::complex<float>;
using Z = std::complex<double>;

#define LEVEL1(T, L, l, R)                                                                                       \
  VGPU_LIBRARY_API int cublasI##l##amax_v2(BlasHandle* h, int n, const T* x, int incx, int* r) {                 \
    return largest("cublasI" #l "amax", h, n, x, incx, r);                                                       \
  }                                                                                                              \
  VGPU_LIBRARY_API int cublasI##l##amin_v2(BlasHandle* h, int n, const T* x, int incx, int* r) {                 \
    return smallest("cublasI" #l "amin", h, n, x, incx, r);                                                      \
  }                                                                                                              \
  VGPU_LIBRARY_API int cublas##R##asum_v2(BlasHandle* h, int n, const T* x, int incx, Real<T>* r) {              \
    return sum_of_magnitudes("cublas" #R "asum", h, n, x, incx, r);                                              \
  }                                                                                                              \
  VGPU_LIBRARY_API int cublas##R##nrm2_v2(BlasHandle* h, int n, const T* x, int incx, Real<T>* r) {              \
    return euclidean_norm("cublas" #R "nrm2", h, n, x, incx, r);                                                 \
  }                                                                                                              \
  VGPU_LIBRARY_API int cublas##L##axpy_v2(BlasHandle* h, int n, const T* alpha, const T* x, int incx, T* y,      \
                                          int incy) {                                                            \
    return add_scaled("cublas" #L "axpy", h, n, alpha, x, incx, y, incy);                                        \
  }                                                                                                              \
  VGPU_LIBRARY_API int cublas##L##copy_v2(BlasHandle* h, int n, const T* x, int incx, T* y, int incy) {          \
    return copy("cublas" #L "copy", h, n, x, incx, y, incy);                                                     \
  }                                                                                                              \
  VGPU_LIBRARY_API int cublas##L##swap_v2(BlasHandle* h, int n, T* x, int incx, T* y, int incy) {                \
    return swap("cublas" #L "swap", h, n, x, incx, y, incy);                                                     \
  }                                                                                                              \
  VGPU_LIBRARY_API int cublas##L##scal_v2(BlasHandle* h, int n, const T* alpha, T* x, int incx) {                \
    return scale("cublas" #L "scal", h, n, alpha, x, incx);                                                      \
  }                                                                                                              \
  VGPU_LIBRARY_API int cublas##L##rot_v2(BlasHandle* h, int n, T* x, int incx, T* y, int incy, const Real<T>* c, \
                                         const T* s) {                                                           \
    return rotate("cublas" #L "rot", h, n, x, incx, y, incy, c, s);                                              \
  }

LEVEL1(float, S, s, S)
LEVEL1(double, D, d, D)
LEVEL1(C, C, c, Sc)
LEVEL1(Z, Z, z, Dz)

#define DOT(T, name, conjugates)                                                                                   \
  VGPU_LIBRARY_API int cublas##name##_v2(BlasHandle* h, int n, const T* x, int incx, const T* y, int incy, T* r) { \
    return dot("cublas" #name, h, n, x, incx, y, incy, r, conjugates);                                             \
  }
DOT(float, Sdot, false)
DOT(double, Ddot, false)
DOT(C, Cdotu, false)
DOT(C, Cdotc, true)
DOT(Z, Zdotu, false)
DOT(Z, Zdotc, true)

VGPU_LIBRARY_API int cublasCsscal_v2(BlasHandle* h, int n, const float* alpha, C* x, int incx) {
  return scale("cublasCsscal", h, n, alpha, x, incx);
}
VGPU_LIBRARY_API int cublasZdscal_v2(BlasHandle* h, int n, const double* alpha, Z* x, int incx) {
  return scale("cublasZdscal", h, n, alpha, x, incx);
}
VGPU_LIBRARY_API int cublasCsrot_v2(BlasHandle* h, int n, C* x, int incx, C* y, int incy, const float* c,
                                    const float* s) {
  return rotate("cublasCsrot", h, n, x, incx, y, incy, c, s);
}
VGPU_LIBRARY_API int cublasZdrot_v2(BlasHandle* h, int n, Z* x, int incx, Z* y, int incy, const double* c,
                                    const double* s) {
  return rotate("cublasZdrot", h, n, x, incx, y, incy, c, s);
}
