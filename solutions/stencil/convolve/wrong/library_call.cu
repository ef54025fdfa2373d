// expect: convolve: refused by audit
// The lab is about writing the kernel and its launch: a call of CUB, which lab.toml forbids.
#include "stencil.cuh"

#include <cub/device/device_for.cuh>

struct Pixel {
  const float* in;
  const float* mask;
  float* out;
  int width, height, radius;

  __device__ void operator()(int k) const {
    const int side = 2 * radius + 1;
    float sum = 0;
    for (int t = 0; t < side * side; ++t) {
      const int r = k / width - radius + t / side;
      const int c = k % width - radius + t % side;
      if (r >= 0 && r < height && c >= 0 && c < width) sum += mask[t] * in[r * width + c];
    }
    out[k] = sum;
  }
};

void convolve(const float* d_in, const float* d_mask, float* d_out, int width, int height, int radius) {
  if (width * height > 0) cub::DeviceFor::Bulk(width * height, Pixel{d_in, d_mask, d_out, width, height, radius});
}
