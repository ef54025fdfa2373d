// cuFFT: transforms of arrays in device memory, dimension by dimension.
#include <cmath>
#include <memory>

#include "harness/vgpu/libraries/cufft_plan.h"

using namespace vgpu::libraries;

namespace {

/// The transforms of a batch. Those along the last dimension come first, and of a complex-to-real one last, where the
/// lines are real; an inverse one is that of the conjugates, conjugated.
template <class From, class To>
void transform(const FftPlan& plan, Transforms<Real<From>>& transforms, const ArrayCopy<From>& from,
               const ArrayCopy<To>& to, bool is_inverse) {
  using Complex = std::complex<Real<From>>;
  const std::size_t planes = plan.lengths[0], lines = plan.lengths[1], length = plan.lengths[2];
  const std::size_t kept = kIsComplex<From> && kIsComplex<To> ? length : length / 2 + 1;
  std::vector<Complex> all(planes * lines * kept), line(length), scratch;
  const auto conjugate_if = [is_inverse](const Complex& z) { return is_inverse ? std::conj(z) : z; };
  const auto along = [&](std::size_t d) -> const Fft<Real<From>>& { return transforms.along(d, plan.lengths); };
  const auto for_each_line = [&](const auto& body) {
    for (std::size_t i = 0; i < planes; ++i)
      for (std::size_t j = 0; j < lines; ++j) body(i, j, all.data() + (i * lines + j) * kept);
  };
  /// The first and the middle sum over a line of reals are real.
  const auto drop_imaginary = [length](Complex* values) {
    values[0].imag(0);
    if (length % 2 == 0) values[length / 2].imag(0);
  };

  for (std::size_t b = 0; b < plan.batch; ++b) {
    for_each_line([&](std::size_t i, std::size_t j, Complex* values) {
      const From* const source = from.line(b, i, j);
      if constexpr (kIsComplex<To>) {
        for (std::size_t k = 0; k < length; ++k) line[k] = conjugate_if(source[k * from.stride()]);
        along(2).transform(line.data(), 1, scratch);
        if constexpr (!kIsComplex<From>) drop_imaginary(line.data());
        std::copy_n(line.begin(), kept, values);
      } else {
        for (std::size_t k = 0; k < kept; ++k) values[k] = std::conj(source[k * from.stride()]);
      }
    });
    for (std::size_t i = 0; i < planes; ++i) along(1).transform(all.data() + i * lines * kept, kept, scratch);
    along(0).transform(all.data(), lines * kept, scratch);
    for_each_line([&](std::size_t i, std::size_t j, Complex* values) {
      To* const target = to.line(b, i, j);
      if constexpr (kIsComplex<To>) {
        for (std::size_t k = 0; k < kept; ++k) target[k * to.stride()] = conjugate_if(values[k]);
      } else {
        drop_imaginary(values);
        for (std::size_t k = 0; k < kept; ++k) line[k] = values[k];
        for (std::size_t k = kept; k < length; ++k) line[k] = std::conj(values[length - k]);
        along(2).transform(line.data(), 1, scratch);
        for (std::size_t k = 0; k < length; ++k) target[k * to.stride()] = line[k].real();
      }
    });
  }
}

template <class From, class To>
int execute(const char* function, int handle, int type, const From* from, To* to, int direction) {
  using T = Real<From>;
  const std::shared_ptr<const FftPlan> plan = find_plan(handle);
  if (plan == nullptr || plan->type == 0) return kFftInvalidPlan;
  if (plan->type != type) return kFftInvalidType;
  if (from == nullptr || to == nullptr || (direction != kForward && direction != kInverse)) return kFftInvalidValue;
  const bool is_padded = plan->is_padded_in_place && static_cast<const void*>(from) == static_cast<const void*>(to);
  const ArrayRows source = rows_of(is_padded && !kIsComplex<From> ? plan->padded : plan->from);
  const ArrayRows target = rows_of(is_padded && !kIsComplex<To> ? plan->padded : plan->to);
  if (source.offsets.empty() || target.offsets.empty())
    refuse_function("cuFFT", function, " for arrays in more than 512 pieces with gaps between them");
  auto work = std::make_unique<DeviceWork>("cuFFT", function);
  const ArrayCopy<From> input(*work, from, source, kVgpuReads);
  const ArrayCopy<To> output(*work, to, target, kVgpuWrites);
  const double count = 1.0 * plan->lengths[0] * plan->lengths[1] * plan->lengths[2];
  work->computes<T>((kIsComplex<From> && kIsComplex<To> ? 5 : 2.5) * count * std::log2(count) * plan->batch);
  const cudaError_t error = DeviceWork::queue(
      std::move(work), plan->stream, [made = *plan, transforms = plan->transforms<T>(), input, output, direction] {
        transform(made, *transforms, input, output, direction == kInverse);
      });
  if (error == cudaErrorMemoryAllocation) return kFftAllocFailed;
  return error == cudaSuccess ? kFftSuccess : kFftExecFailed;
}

using C = std::complex<float>;
using Z = std::complex<double>;

}  // namespace

VGPU_LIBRARY_API int cufftExecC2C(int plan, C* from, C* to, int direction) {
  return execute("cufftExecC2C", plan, kComplexToComplex, from, to, direction);
}
VGPU_LIBRARY_API int cufftExecR2C(int plan, float* from, C* to) {
  return execute("cufftExecR2C", plan, kRealToComplex, from, to, kForward);
}
VGPU_LIBRARY_API int cufftExecC2R(int plan, C* from, float* to) {
  return execute("cufftExecC2R", plan, kComplexToReal, from, to, kInverse);
}
VGPU_LIBRARY_API int cufftExecZ2Z(int plan, Z* from, Z* to, int direction) {
  return execute("cufftExecZ2Z", plan, kComplexToComplex | kDouble, from, to, direction);
}
VGPU_LIBRARY_API int cufftExecD2Z(int plan, double* from, Z* to) {
  return execute("cufftExecD2Z", plan, kRealToComplex | kDouble, from, to, kForward);
}
VGPU_LIBRARY_API int cufftExecZ2D(int plan, Z* from, double* to) {
  return execute("cufftExecZ2D", plan, kComplexToReal | kDouble, from, to, kInverse);
}
