// Step 4 of grayscale: the block's pixels go through shared memory, so that global loads are dense.
// Idea      neighbouring lanes load neighbouring vectors, in memory order, into a tile in shared memory. Each thread
//           then picks the three vectors of its own sixteen pixels out of the tile.
// Gain      half the sectors; x 0.99 in time on an H200, whose first-level cache hides what step 3 wastes.
// Traffic   4 bytes per pixel through device memory; 6 more in and out of shared memory.
// Wastes    a barrier between loading and computing; with several blocks per multiprocessor, others fill the gap.
#include "image.cuh"

namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kPixelsPerThread = 16;
constexpr int kTilePixels = kThreadsPerBlock * kPixelsPerThread;
constexpr int kVectorsPerThread = 3;  // of the coloured picture
static_assert(kThreadsPerBlock % 32 == 0, "a block is made of whole warps of 32 threads");
static_assert(3 * kPixelsPerThread == kVectorsPerThread * sizeof(uint4), "a thread's pixels must be whole vectors");
static_assert(alignof(uint4) <= 256, "the contract aligns pictures to 256 bytes, so byte 0 begins a whole vector");
static_assert(3 * kTilePixels <= 48 * 1024, "the tile must fit into 48 KiB of shared memory");

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

// The grey of sixteen pixels whose 48 bytes are the vectors x, y, z.
__device__ uint4 grey_of_sixteen(uint4 x, uint4 y, uint4 z) {
  return make_uint4(grey_of_four(x.x, x.y, x.z), grey_of_four(x.w, y.x, y.y), grey_of_four(y.z, y.w, z.x),
                    grey_of_four(z.y, z.z, z.w));
}

__global__ void grayscale_kernel(const std::uint8_t* rgb, std::uint8_t* gray, std::size_t pixels) {
  __shared__ uint4 tile[kThreadsPerBlock * kVectorsPerThread];
  const std::size_t first = std::size_t{blockIdx.x} * kTilePixels;  // pixel
  const int t = static_cast<int>(threadIdx.x);

  if (first + kTilePixels <= pixels) {  // the same for the whole block: no thread misses the barrier
    const auto* vectors = reinterpret_cast<const uint4*>(rgb + 3 * first);
#pragma unroll
    for (int v = 0; v < kVectorsPerThread; ++v) tile[t + v * kThreadsPerBlock] = vectors[t + v * kThreadsPerBlock];
    __syncthreads();
    // Vectors 48 bytes apart: the eight lanes that are served together access each of the 32 banks once.
    const uint4* mine = &tile[kVectorsPerThread * t];
    reinterpret_cast<uint4*>(gray + first)[t] = grey_of_sixteen(mine[0], mine[1], mine[2]);
  } else {  // the last tile: pixel by pixel
    for (std::size_t k = first + t; k < pixels; k += kThreadsPerBlock)
      gray[k] = static_cast<std::uint8_t>(grey(rgb[3 * k], rgb[3 * k + 1], rgb[3 * k + 2]));
  }
}

}  // namespace

void grayscale(const std::uint8_t* d_rgb, std::uint8_t* d_gray, int width, int height) {
  const std::size_t pixels = static_cast<std::size_t>(width) * height;
  if (pixels == 0) return;  // a grid of no blocks is an error
  const std::size_t blocks = (pixels + kTilePixels - 1) / kTilePixels;
  grayscale_kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_rgb, d_gray, pixels);
  CHECK(cudaGetLastError());
}
