// Lab stencil: a mask laid over a picture, and seven points of a grid. This is the only file you edit. README.md is the
// handout; stencil.cuh specifies exactly what each function must do.
//
//   make check LAB=stencil         builds this file, runs it on many pictures and grids, and reports what is wrong
//
// The two tasks are graded separately. For each, write the plain version first: one thread for each pixel, or point. It
// can earn full marks for "correct" and "clean". The handout then makes it fast, part by part.
#include "stencil.cuh"

// Constant memory for the mask: room for the largest one. A kernel reads it like any array; only the host can fill it.
__constant__ float taps[(2 * kMaxRadius + 1) * (2 * kMaxRadius + 1)];

// ---------------------------------------------------------------------------------------------------------------------
// Task convolve: what ONE thread does.
__global__ void convolve_kernel(const float* in, float* out, int width, int height, int radius) {
  // TODO 1  Which pixel is this thread's? Threads outside the picture have none.
  // TODO 2  Two loops over the taps: tap (i, j) belongs to pixel (row - radius + i, col - radius + j). Leave out what
  //         lies outside the picture: test the row AND the column.
  // TODO 3  Store the sum.
  //
  // Part 2 of the handout: load the block's tile and its halo into shared memory first. Part 3: several outputs for
  // each thread, and the radius as a template parameter.
}

void convolve(const float* d_in, const float* d_mask, float* d_out, int width, int height, int radius) {
  // Not implemented yet: as it stands, this launches nothing and leaves d_out as it was.
  //
  // TODO 1  Without pixels there is nothing to launch: a grid of no blocks is an error.
  // TODO 2  Copy the mask: CHECK(cudaMemcpyToSymbolAsync(taps, d_mask, BYTES, 0, cudaMemcpyDeviceToDevice)). The kernel
  //         that you launch afterwards waits for it.
  // TODO 3  Launch enough blocks for the picture in both directions, and ask for the launch's status:
  //         CHECK(cudaGetLastError()).
}

// ---------------------------------------------------------------------------------------------------------------------
// Task seven_point.
__global__ void seven_point_kernel(const float* in, float* out, int nx, int ny, int nz) {
  // TODO 1  Which point is this thread's? Let x come from threadIdx.x, so that the lanes of a warp lie side by side.
  // TODO 2  A point on the border is copied.
  // TODO 3  Any other: neighbours in x are 1 apart, in y nx, and in z nx * ny.
  //
  // Part 5 of the handout: march along z, and keep three values in registers. Part 6: four points for each thread.
}

void seven_point(const float* d_in, float* d_out, int nx, int ny, int nz) {
  // Not implemented yet: as it stands, this launches nothing and leaves d_out as it was.
  //
  // TODO 1  Without points there is nothing to launch.
  // TODO 2  Launch enough blocks in all three directions, and ask for the launch's status.
}
