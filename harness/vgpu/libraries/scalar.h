// Factors of BLAS operations, alpha and beta, and what need not be there because of them.
#pragma once

#include "harness/vgpu/libraries/device_work.h"

namespace vgpu::libraries {

template <class T>
class Scalar {
 public:
  Scalar(DeviceWork& work, bool is_on_device, const T* pointer) {
    if (!is_on_device)
      value_ = *pointer;
    else
      on_device_ = work.operand(pointer, 1, 1, 1, kVgpuReads);
  }
  T value() const { return on_device_ != nullptr ? *on_device_ : value_; }
  /// Before the work is done.
  bool is_known() const { return on_device_ == nullptr; }
  /// Known to be: then what it multiplies need not be there.
  bool is_zero() const { return is_known() && value_ == T(0); }

 private:
  T value_{};
  const T* on_device_ = nullptr;
};

/// How something is read that a factor of zero would leave unread.
template <class T>
unsigned reads_of(const Scalar<T>& factor) {
  return factor.is_known() ? kVgpuReads : kVgpuKeeps;
}
/// How results are written where `beta` times what is there may be added.
template <class T>
unsigned access_of(const Scalar<T>& beta) {
  return beta.is_zero() ? unsigned{kVgpuWrites} : reads_of(beta) | kVgpuWrites;
}

}  // namespace vgpu::libraries
