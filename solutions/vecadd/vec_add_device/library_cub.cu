// peer: cub::DeviceTransform
// What a user of the CUDA Core Compute Libraries writes. On sm_90 it moves the inputs with bulk copies into shared
// memory. Not a submission: the lab forbids the library.
#include "vecadd.cuh"

#include <cub/device/device_transform.cuh>
#include <cuda/std/functional>
#include <cuda/std/tuple>

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n == 0) return;
  CHECK(cub::DeviceTransform::Transform(cuda::std::make_tuple(d_a, d_b), d_c, n, cuda::std::plus<float>{}));
}
