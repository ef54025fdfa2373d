// Lab nbody: the gravity of many bodies, each of which attracts all others. This is the only file you edit. README.md
// is the handout; nbody.cuh specifies exactly what the function must do.
//
//   make check LAB=nbody           builds this file, runs it on many sets of bodies, and says what is wrong and where
//
// There are three parts. Part 1 is a kernel that reads everything from global memory: get it right first. Part 2 adds
// tiles in shared memory, part 3 makes every interaction cheaper. Keep each part until the next one is right.
#include "nbody.cuh"

constexpr int kThreadsPerBlock = 256;

// ---------------------------------------------------------------------------------------------------------------------
// One thread computes the acceleration of ONE body. bodies[j].x, .y and .z are the position of body j, bodies[j].w is
// its mass. softening2 is the softening squared.
__global__ void accelerations_kernel(const float4* bodies, float* acceleration, int n, int first, int count,
                                     float softening2) {
  // Part 1, from global memory:
  //
  // TODO 1  Which result does this thread compute? k, from blockIdx.x, kThreadsPerBlock and threadIdx.x. Threads with
  //         k >= count return. The result belongs to body first + k: load it as a float4.
  // TODO 2  Three floats that start at 0, and a loop over ALL bodies j, from 0 to n - 1. Load body j as a float4; its
  //         coordinates minus those of your own body are dx, dy and dz. r2 = dx * dx + dy * dy + dz * dz + softening2.
  // TODO 3  factor = mass of body j / sqrtf(r2 * r2 * r2). Add factor * dx, factor * dy and factor * dz to the sums.
  // TODO 4  After the loop, store the sums at acceleration[3 * k], [3 * k + 1] and [3 * k + 2].
  //
  // Part 2, with tiles:
  //
  // TODO 5  A tile in shared memory:  __shared__ float4 tile[kThreadsPerBlock];
  // TODO 6  The loop over j becomes a loop over tiles: begin = 0, kThreadsPerBlock, ... while begin < n. In this loop:
  //           - each thread loads body begin + threadIdx.x into the tile; where there is no such body, it stores one of
  //             mass 0: make_float4(0, 0, 0, 0)
  //           - barrier: __syncthreads();
  //           - a loop over j from 0 to kThreadsPerBlock - 1 adds up the tile's bodies
  //           - barrier.
  // TODO 7  Threads with k >= count now have work to do: they load what others need. Move the test of TODO 1 to the
  //         store, and do not read body first + k where there is none.
  //
  // Part 3, cheaper interactions:
  //
  // TODO 8  rsqrtf(r2) is 1 / sqrt(r2), in one instruction. Its third power times the mass is the factor. Begin r2 with
  //         softening2, so that the compiler can use three multiply-adds. #pragma unroll the loop over j.
}

// Task accelerations: launch the kernel over all bodies that are attracted.
void accelerations(const float* d_bodies, float* d_acceleration, int n, int first, int count, float softening) {
  // Not implemented yet: as it stands, this launches nothing and leaves d_acceleration as it was.
  //
  // TODO 1  With count == 0 there is nothing to launch.
  // TODO 2  reinterpret_cast<const float4*>(d_bodies) is the same memory, seen as an array of float4.
  // TODO 3  Enough blocks for `count` threads: round up. Launch, then  CHECK(cudaGetLastError());
}
