// One of the two files in the static library.
#include "geometry.cuh"

#include <cstdio>

#include "tables.cuh"

namespace {

__device__ int stamps = 100;  // the other files have variables and functions of this name
__device__ __noinline__ int stamp(int i) { return i + atomicAdd(&stamps, 1); }
__global__ void write_stamp(int* out) {
  out[0] = stamp(1);
  printf("geometry: %d\n", out[0]);
}

}  // namespace

__device__ Shape::Shape(float s) : size(s) {}
__device__ Shape::~Shape() {}
__device__ float Shape::area() const { return 0; }
__device__ Square::Square(float s) : Shape(s) {}
__device__ float Square::area() const { return size * size; }

static __device__ float doubled(float x) { return 2 * x; }
static __device__ float shifted(float x) { return x + weights[1]; }
__device__ Transform transforms[3] = {doubled, shifted, looked_up};

__device__ float block_sum(float value) {
  __shared__ float partial[64];
  const unsigned me = threadIdx.x;
  partial[me] = value;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (me < half) partial[me] += partial[me + half];
    __syncthreads();
  }
  const float sum = partial[0];
  __syncthreads();
  return sum;
}

extern __shared__ float dynamic[];
__device__ float first_of_dynamic_shared() { return dynamic[0]; }

void launch_geometry_stamp(int* out) { write_stamp<<<1, 1>>>(out); }
