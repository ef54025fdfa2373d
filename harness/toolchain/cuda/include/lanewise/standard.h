// cuda::std, where it is no more than std: what is constexpr there can be called on the device.
#pragma once

namespace cuda {
namespace std {
using namespace ::std;
}  // namespace std
}  // namespace cuda
