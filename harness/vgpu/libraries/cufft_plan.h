// Plans of the cuFFT stand-in: what is to be transformed, and where it lies.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <type_traits>

#include "harness/vgpu/libraries/array_layout.h"
#include "harness/vgpu/libraries/fft.h"

namespace vgpu::libraries {

/// As cufftResult and cufftType have them; a type with kDouble is of doubles.
enum FftStatus : int {
  kFftSuccess = 0,
  kFftInvalidPlan = 1,
  kFftAllocFailed = 2,
  kFftInvalidType = 3,
  kFftInvalidValue = 4,
  kFftExecFailed = 6,
  kFftInvalidSize = 8
};
enum : int { kComplexToComplex = 0x29, kRealToComplex = 0x2a, kComplexToReal = 0x2c, kDouble = 0x40 };
inline constexpr int kForward = -1, kInverse = 1;

/// A transform for each dimension, made when the first work with them is done.
template <class T>
class Transforms {
 public:
  const Fft<T>& along(std::size_t dimension, const std::array<std::size_t, 3>& lengths) {
    std::call_once(are_made_, [&] {
      for (std::size_t d = 0; d < 3; ++d) each_[d] = std::make_unique<Fft<T>>(lengths[d]);
    });
    return *each_[dimension];
  }

 private:
  std::once_flag are_made_;
  std::array<std::unique_ptr<Fft<T>>, 3> each_;
};

struct FftPlan {
  int type = 0;  ///< 0 until it is made
  std::array<std::size_t, 3> lengths{1, 1, 1};
  std::size_t batch = 1;
  ArrayLayout from{}, to{};
  /// Of the real side, where the caller gave no layout: in place, its lines are as long as the complex ones.
  ArrayLayout padded{};
  bool is_padded_in_place = false;
  cudaStream_t stream = nullptr;
  std::shared_ptr<Transforms<float>> floats = std::make_shared<Transforms<float>>();
  std::shared_ptr<Transforms<double>> doubles = std::make_shared<Transforms<double>>();

  template <class T>
  auto transforms() const {
    if constexpr (std::is_same_v<T, float>)
      return floats;
    else
      return doubles;
  }
};

/// Null if there is none.
std::shared_ptr<FftPlan> find_plan(int handle);

}  // namespace vgpu::libraries
