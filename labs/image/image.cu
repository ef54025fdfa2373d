// Lab image: a picture turned grey, and a picture blurred. This is the only file you edit. README.md is the handout;
// image.cuh specifies exactly what each function must do.
//
//   make check LAB=image           builds this file, runs it on many pictures, and reports what is wrong and where
//
// The two tasks are graded separately. Start with grayscale: blur uses the same grid.
#include "image.cuh"

// ---------------------------------------------------------------------------------------------------------------------
// One thread turns ONE pixel grey.
__global__ void grayscale_kernel(const std::uint8_t* rgb, std::uint8_t* gray, int width, int height) {
  // TODO 1  Which pixel is this thread's? x runs along a row: compute col from blockIdx.x, blockDim.x and threadIdx.x,
  //         and row from the y members. (Mind the order: x is the column, y is the row.)
  // TODO 2  Blocks at the right and bottom borders extend beyond the picture. Threads outside it must do nothing.
  // TODO 3  Compute the index of the pixel in `gray` (one byte per pixel), and that of its first byte in `rgb` (three).
  // TODO 4  Weight, add, round to the nearest: a conversion to an integer type truncates, it does not round.
}

// Task grayscale: launch the kernel over the whole picture.
void grayscale(const std::uint8_t* d_rgb, std::uint8_t* d_gray, int width, int height) {
  // Not implemented yet: as it stands, this launches nothing and leaves d_gray as it was.
  //
  // TODO 1  Without pixels there is nothing to launch: a grid of no blocks is an error.
  // TODO 2  dim3 block(16, 16);  and a dim3 grid with enough blocks in x for the width and enough in y for the height.
  //         Round up. (Give the 16 a name: you need it in three places.)
  // TODO 3  Launch, then  CHECK(cudaGetLastError());
}

// ---------------------------------------------------------------------------------------------------------------------
// One thread computes ONE pixel of the blurred picture: it reads the whole window around its pixel.
__global__ void blur_kernel(const std::uint8_t* in, std::uint8_t* out, int width, int height, int radius) {
  // TODO 1  Row and column, and the test that they are inside the picture: as above.
  // TODO 2  Two nested loops over the window, from -radius to +radius, both ends included.
  // TODO 3  Only window pixels inside the picture count: sum their values in an int (a byte would overflow), and
  //         count them.
  // TODO 4  Divide by the count, and round to the nearest. The centre always counts, so the count is never 0.
}

// Task blur: launch the kernel over the whole picture.
void blur(const std::uint8_t* d_in, std::uint8_t* d_out, int width, int height, int radius) {
  // Not implemented yet: as it stands, this launches nothing and leaves d_out as it was.
  //
  // TODO    The same launch as above, but of the other kernel.
}
