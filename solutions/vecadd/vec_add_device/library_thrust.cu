// peer: thrust::transform
// What a user of Thrust writes: the algorithm of the C++ standard library with an execution policy. Not a submission:
// the lab forbids the library.
#include "vecadd.cuh"

#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/system_error.h>
#include <thrust/transform.h>
#include <cstdio>

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  try {
    // par_nosync: return when the work is queued, like a kernel launch.
    thrust::transform(thrust::cuda::par_nosync, d_a, d_a + n, d_b, d_c, thrust::plus<float>{});
  } catch (const thrust::system_error& error) {
    std::fprintf(stderr, "%s:%d: thrust::transform: %s\n", __FILE__, __LINE__, error.what());
  }
}
