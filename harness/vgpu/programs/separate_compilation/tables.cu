// The other file in the static library.
#include "tables.cuh"

#include "geometry.cuh"

namespace {

__device__ int stamps = 200;
__device__ __noinline__ int stamp(int i) { return i * 2 + atomicAdd(&stamps, 1); }

}  // namespace

__constant__ float weights[4] = {1, 10, 100, 1000};
__device__ int visits;
__managed__ int scale = 3;

__device__ float looked_up(float x) {
  atomicAdd(&visits, stamp(0) >= 200 ? 1 : 1000);
  return weights[static_cast<int>(x) % 4] * static_cast<float>(scale) + static_cast<float>(ticket() < 0);
}

void fill_with_seven(int* out) { fill<7><<<1, 4>>>(out); }
