// Step 5 of blur: a warp runs down a strip on its own, with its sums in registers, two to a register.
// Idea      a lane owns 16 columns. Their sums fit into 16 bits, so one addition moves two of them one row down. Rows
//           wait in shared memory from before they enter the window until they have left it: each is loaded only once,
//           by an asynchronous copy. The sums of the columns next to a lane's own come from its neighbours, by shuffle.
//           No barrier, and a fifth of the instructions.
// Leap      another design from the first line to the last: what a lane owns, where rows wait, how sums come from a
//           neighbour. No half of it would run. Radii beyond 16 bring a kernel of their own.
// Gain      x 5.2 on an H200 (radius 8): 2.6 TB/s.
// Traffic   2 bytes per pixel. The 2 r rows where one strip meets the next are read twice, but strips run down and up
//           in turn, so the two that begin there read them at the same time, and the second finds them in the L2 cache.
// Wastes    two lanes on each side compute no pixels. One would do for the sums, but with two, a warp's copies begin
//           with a whole sector. A radius beyond 16 reaches further than the next lane, and takes a simpler kernel.
#include "image.cuh"

#include <cuda_pipeline.h>
#include <algorithm>

namespace {

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xFFFFFFFF;
constexpr int kPixels = 16;  // neighbours in a row that one lane computes: the bytes of four words
constexpr int kPairs = kPixels / 2;
constexpr int kHaloLanes = 2;  // on each side
constexpr int kStripCols = (kWarp - 2 * kHaloLanes) * kPixels;
constexpr int kLeastStripRows = 16;
constexpr int kRowsAhead = 8;       // whose copies are on their way
constexpr int kWarpsPerBlock = 2;   // on neighbouring strips
constexpr int kLargestPacked = 16;  // radius
// Blocks on a multiprocessor at a time. With more of them, strips would be shorter, and each begins with 2 r extra
// rows.
constexpr int kMostBlocksEach = 6;
static_assert(kLargestPacked <= kPixels, "windows must not reach further than the neighbouring lane");
static_assert(255 * (2 * kLargestPacked + 1) <= 32767, "a column's sum must fit into 16 bits, one of which is a sign");

// What dp2a multiplies a pair of 16-bit sums by before it adds them to its third operand: two bytes, each with a sign.
constexpr int kPlusFirst = 0x0001;
constexpr int kPlusSecond = 0x0100;
constexpr int kMinusFirst = 0x00FF;
constexpr int kMinusSecond = 0xFF00;

__device__ int inside(int centre, int radius, int extent) {  // rows or columns of a window that are in the picture
  return min(centre + radius, extent - 1) - max(centre - radius, 0) + 1;
}

// A row that waits in shared memory: for each lane, the vector of 16 bytes that contains the first of its pixels.
struct WaitingRow {
  uint4 vector[kWarp];
};

// Starts to copy a lane's vector of a row. Outside the picture, pixels are 0: they add nothing.
template <bool kAligned>
__device__ void start_copy(WaitingRow& to, const std::uint8_t* in, int width, int height, int row, int col, int lane) {
  const auto size = static_cast<std::ptrdiff_t>(width) * height;
  std::ptrdiff_t from = static_cast<std::ptrdiff_t>(row) * width + col;
  if (!kAligned) from &= -16;
  const bool has_vector = kAligned ? col >= 0 && col < width : from >= 0 && from < size;
  const int beyond_end = !kAligned && from + 16 > size ? static_cast<int>(from + 16 - size) : 0;  // bytes not to read
  if (row >= 0 && row < height && has_vector)
    __pipeline_memcpy_async(&to.vector[lane], in + from, 16, beyond_end);
  else
    to.vector[lane] = make_uint4(0, 0, 0, 0);
}

// A lane's 16 pixels of a row that has arrived. If rows begin anywhere, they are in two vectors, and those beyond the
// ends of the row are another row's: mask clears them.
template <bool kAligned>
__device__ uint4 pixels(const WaitingRow& row, int lane, unsigned first, uint4 mask) {
  if (kAligned) return row.vector[lane];
  const auto* words = reinterpret_cast<const unsigned*>(&row.vector[min(lane, kWarp - 2)]) + first % 16 / 4;
  const unsigned shift = 8 * (first % 4);
  return make_uint4(
      __funnelshift_r(words[0], words[1], shift) & mask.x, __funnelshift_r(words[1], words[2], shift) & mask.y,
      __funnelshift_r(words[2], words[3], shift) & mask.z, __funnelshift_r(words[3], words[4], shift) & mask.w);
}

// Four bytes of ones for each of four columns that are inside the picture.
__device__ unsigned mask_of(int col, int width) {
  unsigned mask = 0;
  for (int i = 0; i < 4; ++i)
    if (col + i >= 0 && col + i < width) mask |= 0xFFu << (8 * i);
  return mask;
}

// Stores those of a lane's 16 means that are inside the picture.
template <bool kAligned>
__device__ void store(std::uint8_t* out, int width, int row, int col, uint4 means) {
  std::uint8_t* mine = out + static_cast<std::size_t>(row) * width + col;
  if (kAligned) {
    *reinterpret_cast<uint4*>(mine) = means;
    return;
  }
  const unsigned word[4] = {means.x, means.y, means.z, means.w};
  const int ahead = static_cast<int>(reinterpret_cast<std::uintptr_t>(mine) %
                                     4);  // bytes of the first word that belong to the lane before
  const bool whole = col + kPixels <= width;
  if (whole) {  // the three words in memory that belong to this lane alone
#pragma unroll
    for (int i = 1; i < 4; ++i)
      *reinterpret_cast<unsigned*>(mine + 4 * i - ahead) = __funnelshift_l(word[i - 1], word[i], 8 * ahead);
  }
#pragma unroll
  for (int i = 0; i < kPixels; ++i)
    if (col + i < width && !(whole && i >= 4 - ahead && i < kPixels - ahead))
      mine[i] = static_cast<std::uint8_t>(word[i / 4] >> (8 * (i % 4)));
}

// Adds a row to column sums and subtracts another. 0x4140 widens the lower two bytes of a word to 16 bits each, 0x4342
// the upper two. 32-bit arithmetic is right for both halves, because both are from 0 to 65,535 in the end.
__device__ void move(unsigned (&pairs)[kPairs], uint4 enters, uint4 leaves) {
  const unsigned more[4] = {enters.x, enters.y, enters.z, enters.w};
  const unsigned less[4] = {leaves.x, leaves.y, leaves.z, leaves.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    pairs[2 * i] += __byte_perm(more[i], 0, 0x4140) - __byte_perm(less[i], 0, 0x4140);
    pairs[2 * i + 1] += __byte_perm(more[i], 0, 0x4342) - __byte_perm(less[i], 0, 0x4342);
  }
}

// The means of a lane's 16 windows. A window's sum times its inverse, in units of 2^-24 and rounded up, plus one half:
// the mean is the uppermost of four bytes. Exact up to 194 pixels; with more, some means are one level too high.
template <int kRadius>
__device__ uint4 means(const unsigned (&own)[kPairs], const unsigned (&inverse)[kPixels]) {
  constexpr int kHalo = (kRadius + 1) / 2;  // pairs on each side
  unsigned pairs[kHalo + kPairs + kHalo];
#pragma unroll
  for (int i = 0; i < kPairs; ++i) pairs[kHalo + i] = own[i];
#pragma unroll
  for (int i = 0; i < kHalo; ++i) {
    pairs[i] = __shfl_up_sync(kAllLanes, own[kPairs - kHalo + i], 1);
    pairs[kHalo + kPairs + i] = __shfl_down_sync(kAllLanes, own[i], 1);
  }
  constexpr int kFirst = 2 * kHalo - kRadius;  // of the first window's columns, counted from the first sum in pairs
  constexpr int kLast = 2 * kHalo + kRadius;
  int sum = 0;
#pragma unroll
  for (int i = kFirst / 2; i <= kLast / 2; ++i)
    sum = __dp2a_lo(static_cast<int>(pairs[i]),
                    (2 * i >= kFirst ? kPlusFirst : 0) | (2 * i + 1 <= kLast ? kPlusSecond : 0), sum);
  unsigned mean[kPixels];
#pragma unroll
  for (int i = 0; i < kPixels; ++i) {
    mean[i] = static_cast<unsigned>(sum) * inverse[i] + (1u << 23);
    if (i == kPixels - 1) break;
    const int enters = kLast + i + 1;
    const int leaves = kFirst + i;
    sum = __dp2a_lo(static_cast<int>(pairs[enters / 2]), enters % 2 == 0 ? kPlusFirst : kPlusSecond, sum);
    sum = __dp2a_lo(static_cast<int>(pairs[leaves / 2]), leaves % 2 == 0 ? kMinusFirst : kMinusSecond, sum);
  }
  unsigned word[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {  // the uppermost bytes of four, by way of two halves
    const unsigned lower = __byte_perm(mean[4 * i], mean[4 * i + 1], 0x0073);
    word[i] = __byte_perm(lower, __byte_perm(mean[4 * i + 2], mean[4 * i + 3], 0x0073), 0x5410);
  }
  return make_uint4(word[0], word[1], word[2], word[3]);
}

template <int kRadius, bool kAligned>
__global__ void __launch_bounds__(kWarp* kWarpsPerBlock)
    packed_kernel(const std::uint8_t* in, std::uint8_t* out, int width, int height, int strip_rows) {
  constexpr int kSlots = 2 * kRadius + kRowsAhead + 1;  // a row more than the window, and those on their way
  __shared__ WaitingRow queues[kWarpsPerBlock][kSlots];
  __shared__ unsigned inverses[kWarpsPerBlock][2 * kRadius + 2];  // of windows with this many columns
  static_assert(sizeof(queues) + sizeof(inverses) <= 48 * 1024, "shared memory of a block");
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int strip_col = (static_cast<int>(blockIdx.x) * kWarpsPerBlock + warp) * kStripCols;
  if (strip_col >= width) return;  // the entire warp
  const int col = strip_col + (lane - kHaloLanes) * kPixels;
  const bool has_pixels = lane >= kHaloLanes && lane < kWarp - kHaloLanes && col < width;
  const uint4 mask =
      make_uint4(mask_of(col, width), mask_of(col + 4, width), mask_of(col + 8, width), mask_of(col + 12, width));

  const int top = static_cast<int>(blockIdx.y) * strip_rows;
  const int rows = min(strip_rows, height - top);
  const int down = blockIdx.y % 2 == 0 ? 1 : -1;
  const int begin = (down == 1 ? top : top + rows - 1) - down * kRadius;  // row 0 of those that the strip needs
  WaitingRow* queue = queues[warp];
  const auto request = [&](int i, int slot) {
    if (i < rows + 2 * kRadius) start_copy<kAligned>(queue[slot], in, width, height, begin + down * i, col, lane);
    __pipeline_commit();
  };
  const auto pixels_of = [&](int i, int slot) {
    const int row = begin + down * i;
    return pixels<kAligned>(queue[slot], lane, static_cast<unsigned>(row) * width + col, mask);
  };

  for (int i = 0; i < 2 * kRadius + kRowsAhead; ++i) request(i, i);
  queue[kSlots - 1].vector[lane] = make_uint4(0, 0, 0, 0);  // the row that leaves when the first window is complete
  unsigned pairs[kPairs] = {};
  __pipeline_wait_prior(kRowsAhead);
  if (!kAligned) __syncwarp();  // other lanes' vectors have arrived, too
  for (int i = 0; i < 2 * kRadius; ++i) move(pairs, pixels_of(i, i), make_uint4(0, 0, 0, 0));

  unsigned inverse[kPixels] = {};
  int window_rows = 0;
  int enters = 2 * kRadius;
  int leaves = kSlots - 1;
  for (int i = 0; i < rows; ++i) {
    __pipeline_wait_prior(kRowsAhead - 1);
    if (!kAligned) __syncwarp();
    move(pairs, pixels_of(i + 2 * kRadius, enters), pixels_of(i - 1, leaves));
    if (!kAligned) __syncwarp();  // other lanes, too, have read the row that leaves
    request(i + 2 * kRadius + kRowsAhead, leaves);
    enters = enters + 1 == kSlots ? 0 : enters + 1;
    leaves = leaves + 1 == kSlots ? 0 : leaves + 1;

    const int row = begin + down * (i + kRadius);
    if (inside(row, kRadius, height) != window_rows) {  // only near the upper and lower border, and in the beginning
      window_rows = inside(row, kRadius, height);
      for (int cols = lane + 1; cols <= 2 * kRadius + 1; cols += kWarp)
        inverses[warp][cols] = ((1u << 24) + window_rows * cols - 1) / (window_rows * cols);
      __syncwarp();
#pragma unroll
      for (int k = 0; k < kPixels; ++k) inverse[k] = inverses[warp][max(1, inside(col + k, kRadius, width))];
      __syncwarp();
    }
    const uint4 result = means<kRadius>(pairs, inverse);
    if (has_pixels) store<kAligned>(out, width, row, col, result);
  }
  __pipeline_wait_prior(0);
}

// Any radius: a thread runs down a column. Along the row, prefix sums turn every window into a difference of two.
constexpr int kThreadsOfAny = 256;
constexpr int kRowsOfAny = 128;
static_assert(kThreadsOfAny > 2 * kMaxRadius, "a block must compute pixels, not only their halo");

__global__ void __launch_bounds__(kThreadsOfAny)
    any_radius_kernel(const std::uint8_t* in, std::uint8_t* out, int width, int height, int radius) {
  __shared__ int totals[kThreadsOfAny / kWarp];
  __shared__ int prefix[kThreadsOfAny + 1];  // prefix[i]: sum of the columns of threads 0 ... i - 1
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % kWarp;
  const int col = static_cast<int>(blockIdx.x) * (kThreadsOfAny - 2 * radius) + thread - radius;
  const bool has_pixel = thread >= radius && thread < kThreadsOfAny - radius && col < width;
  const auto pixel = [=](int row) {
    const bool is_inside = row >= 0 && row < height && col >= 0 && col < width;
    return is_inside ? static_cast<int>(in[static_cast<std::size_t>(row) * width + col]) : 0;
  };
  const int top = static_cast<int>(blockIdx.y) * kRowsOfAny;
  int sum = 0;
  for (int row = top - radius; row < top + radius; ++row) sum += pixel(row);
  if (thread == 0) prefix[0] = 0;
  for (int row = top; row < min(top + kRowsOfAny, height); ++row) {
    sum += pixel(row + radius);
    int running = sum;
    for (int distance = 1; distance < kWarp; distance *= 2) {
      const int before = __shfl_up_sync(kAllLanes, running, distance);
      if (lane >= distance) running += before;
    }
    if (lane == kWarp - 1) totals[thread / kWarp] = running;
    __syncthreads();  // the warps' totals are there, and nobody reads the prefix sums of the row above any more
    for (int warp = 0; warp < thread / kWarp; ++warp) running += totals[warp];
    prefix[thread + 1] = running;
    __syncthreads();  // the prefix sums are there, and nobody reads the totals any more
    if (has_pixel) {
      const int count = inside(row, radius, height) * inside(col, radius, width);
      const int window = prefix[thread + radius + 1] - prefix[thread - radius];
      out[static_cast<std::size_t>(row) * width + col] = static_cast<std::uint8_t>((window + count / 2) / count);
    }
    sum -= pixel(row - radius);
  }
}

int ceil_div(int a, int b) { return (a + b - 1) / b; }

// Strips are no higher than needed for all of them to run at the same time.
template <int kRadius, bool kAligned>
void launch(const std::uint8_t* in, std::uint8_t* out, int width, int height) {
  static int blocks = 0;  // that run at the same time: asked only once, for the answer takes microseconds
  if (blocks == 0) {
    int device = 0;
    int multiprocessors = 0;
    int blocks_each = 0;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_each, packed_kernel<kRadius, kAligned>,
                                                        kWarp * kWarpsPerBlock, 0));
    blocks = multiprocessors * std::clamp(blocks_each, 1, kMostBlocksEach);
  }
  const int across = ceil_div(width, kWarpsPerBlock * kStripCols);
  const int rows = std::max(kLeastStripRows, ceil_div(height, std::max(1, blocks / across)));
  packed_kernel<kRadius, kAligned>
      <<<dim3(across, ceil_div(height, rows)), kWarp * kWarpsPerBlock>>>(in, out, width, height, rows);
}

// Finds the kernel for the radius, which is kRadius or a larger one.
template <int kRadius = 1>
void launch_packed(const std::uint8_t* in, std::uint8_t* out, int width, int height, int radius) {
  if constexpr (kRadius <= kLargestPacked) {
    if (radius != kRadius) return launch_packed<kRadius + 1>(in, out, width, height, radius);
    if (width % kPixels == 0) return launch<kRadius, true>(in, out, width, height);
    launch<kRadius, false>(in, out, width, height);
  }
}

}  // namespace

void blur(const std::uint8_t* d_in, std::uint8_t* d_out, int width, int height, int radius) {
  if (width == 0 || height == 0) return;  // a grid of no blocks is an error
  if (radius >= 1 && radius <= kLargestPacked) {
    launch_packed(d_in, d_out, width, height, radius);
  } else {
    const dim3 grid(ceil_div(width, kThreadsOfAny - 2 * radius), ceil_div(height, kRowsOfAny));
    any_radius_kernel<<<grid, kThreadsOfAny>>>(d_in, d_out, width, height, radius);
  }
  CHECK(cudaGetLastError());
}
