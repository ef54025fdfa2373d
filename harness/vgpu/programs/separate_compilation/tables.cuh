// What tables.cu, a file of the static library, offers to device code in other files.
#pragma once

extern __constant__ float weights[4];
extern __device__ int visits;
extern __managed__ int scale;

__device__ float looked_up(float x);

template <int N>
__global__ void fill(int* out) {
  out[threadIdx.x] = N + static_cast<int>(threadIdx.x);
}
void fill_with_seven(int* out);
