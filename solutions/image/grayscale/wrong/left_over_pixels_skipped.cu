// expect: grayscale: wrong; misconception = "pixels left over after the last group skipped"
// Sixteen pixels per thread, and nobody computes the up to fifteen that are left over.
#include "image.cuh"

__device__ unsigned grey(unsigned r, unsigned g, unsigned b) { return (21 * r + 72 * g + 7 * b + 50) / 100; }

__device__ unsigned four(unsigned a, unsigned b, unsigned c) {
  return grey(a & 255, a >> 8 & 255, a >> 16 & 255) | grey(a >> 24, b & 255, b >> 8 & 255) << 8 |
         grey(b >> 16 & 255, b >> 24, c & 255) << 16 | grey(c >> 8 & 255, c >> 16 & 255, c >> 24) << 24;
}

__global__ void grayscale_kernel(const uint4* rgb, uint4* gray, std::size_t groups) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= groups) return;
  const uint4 x = rgb[3 * i], y = rgb[3 * i + 1], z = rgb[3 * i + 2];
  gray[i] = make_uint4(four(x.x, x.y, x.z), four(x.w, y.x, y.y), four(y.z, y.w, z.x), four(z.y, z.z, z.w));
}

void grayscale(const std::uint8_t* d_rgb, std::uint8_t* d_gray, int width, int height) {
  if (width == 0 || height == 0) return;
  const std::size_t groups = std::size_t(width) * height / 16;
  grayscale_kernel<<<groups / 256 + 1, 256>>>((const uint4*)d_rgb, (uint4*)d_gray, groups);
}
