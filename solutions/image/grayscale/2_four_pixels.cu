// Step 2 of grayscale: four pixels per thread, three loads and one store of four bytes.
// Idea      four pixels are twelve bytes, three whole words. A pixel's grey does not depend on its row and column: the
//           picture is one line of pixels, so rows need not begin at a multiple of four.
// Gain      x 2.6 on an H200 (134 million pixels): 3.5 TB/s. A quarter of the load requests, half the instructions,
//           four times the bytes in flight.
// Traffic   4 bytes per pixel, as before.
// Wastes    the lanes of a warp read words twelve bytes apart: each of the three loads touches all 384 bytes.
#include "image.cuh"

namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kPixelsPerThread = 4;
static_assert(kThreadsPerBlock % 32 == 0, "a block is made of whole warps of 32 threads");
static_assert(3 * kPixelsPerThread % sizeof(std::uint32_t) == 0, "a thread's pixels must be whole words");

// Weights in hundredths make the arithmetic exact; + 50 rounds to the nearest. At most 25,550: no overflow.
__device__ std::uint32_t grey(std::uint32_t r, std::uint32_t g, std::uint32_t b) {
  return (21 * r + 72 * g + 7 * b + 50) / 100;
}

// Byte i of a word; byte 0 is the one at the lowest address.
__device__ std::uint32_t byte_of(std::uint32_t word, int i) { return word >> (8 * i) & 0xFF; }

// The grey of four pixels whose twelve bytes are the words rgbr, gbrg, brgb.
__device__ std::uint32_t grey_of_four(std::uint32_t rgbr, std::uint32_t gbrg, std::uint32_t brgb) {
  return grey(byte_of(rgbr, 0), byte_of(rgbr, 1), byte_of(rgbr, 2)) |
         grey(byte_of(rgbr, 3), byte_of(gbrg, 0), byte_of(gbrg, 1)) << 8 |
         grey(byte_of(gbrg, 2), byte_of(gbrg, 3), byte_of(brgb, 0)) << 16 |
         grey(byte_of(brgb, 1), byte_of(brgb, 2), byte_of(brgb, 3)) << 24;
}

__global__ void grayscale_kernel(const std::uint8_t* rgb, std::uint8_t* gray, std::size_t pixels) {
  const std::size_t groups = pixels / kPixelsPerThread;
  const std::size_t i = std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;  // 0 ... groups, and idle beyond
  if (i < groups) {
    const auto* words = reinterpret_cast<const std::uint32_t*>(rgb) + 3 * i;
    reinterpret_cast<std::uint32_t*>(gray)[i] = grey_of_four(words[0], words[1], words[2]);
  } else if (i == groups) {  // 0 to 3 pixels are left over
    for (std::size_t k = groups * kPixelsPerThread; k < pixels; ++k)
      gray[k] = static_cast<std::uint8_t>(grey(rgb[3 * k], rgb[3 * k + 1], rgb[3 * k + 2]));
  }
}

}  // namespace

void grayscale(const std::uint8_t* d_rgb, std::uint8_t* d_gray, int width, int height) {
  const std::size_t pixels = static_cast<std::size_t>(width) * height;
  if (pixels == 0) return;                                    // a grid of no blocks is an error
  const std::size_t threads = pixels / kPixelsPerThread + 1;  // one for what is left over
  const std::size_t blocks = (threads + kThreadsPerBlock - 1) / kThreadsPerBlock;
  grayscale_kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_rgb, d_gray, pixels);
  CHECK(cudaGetLastError());
}
