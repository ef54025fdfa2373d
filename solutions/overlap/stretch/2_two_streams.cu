// Step 2 of stretch: piece by piece, in two streams.
// Idea      a stream is a queue: the work in it runs in order, but work in different streams need not wait for each
//           other. While one piece is computed, the next is copied in.
// Gain      two of the three engines work at any time, instead of one.
// Traffic   4 bytes per key to the device and 4 back, as in step 1, in eight pieces.
// Wastes    a piece is copied in once the piece before last is copied out: each stream does one of three things, and
//           two streams leave one engine idle.
#include "overlap.cuh"

#include <algorithm>
#include <array>
#include <memory>

namespace {

constexpr int kThreadsPerBlock = 256;
static_assert(kThreadsPerBlock % 32 == 0, "a block is made of whole warps of 32 threads");

constexpr std::size_t kStreams = 2;
static_assert(kStreams >= 2, "with one stream there is nothing to overlap with");

constexpr std::size_t kPieces = 8;

// Frees device memory when its owner goes out of scope, also on the way out after an error.
struct DeviceFree {
  void operator()(std::uint32_t* d_pointer) const { cudaFree(d_pointer); }
};
using DeviceWords = std::unique_ptr<std::uint32_t[], DeviceFree>;

cudaError_t allocate(DeviceWords& array, std::size_t count) {
  std::uint32_t* d_pointer = nullptr;
  const cudaError_t status = cudaMalloc(&d_pointer, count * sizeof(std::uint32_t));
  array.reset(d_pointer);
  return status;
}

struct StreamDestroy {
  void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
};
using Stream = std::unique_ptr<CUstream_st, StreamDestroy>;

cudaError_t create(Stream& stream) {
  cudaStream_t handle = nullptr;
  const cudaError_t status = cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking);
  stream.reset(handle);
  return status;
}

__global__ void stretch_kernel(const std::uint32_t* keys, std::uint32_t* digests, std::size_t n, int rounds) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;  // 0 ... n - 1, and idle threads beyond
  if (i >= n) return;
  std::uint32_t x = keys[i];
  for (int round = 0; round < rounds; ++round) {
    x = (x ^ (x >> 15)) * kFactor + kTerm;
    x = x ^ (x >> 13);
  }
  digests[i] = x;
}

unsigned blocks_for(std::size_t items) {
  return static_cast<unsigned>((items + kThreadsPerBlock - 1) / kThreadsPerBlock);
}

// Queues a piece's way to the device, through the kernel, and back. None of these calls waits: the host's memory is
// pinned, so the copy engines fetch it by themselves.
cudaError_t send(cudaStream_t stream, std::uint32_t* d_keys, std::uint32_t* d_digests, const std::uint32_t* keys_h,
                 std::uint32_t* digests_h, std::size_t items, int rounds) {
  const std::size_t bytes = items * sizeof(std::uint32_t);
  cudaError_t status = cudaMemcpyAsync(d_keys, keys_h, bytes, cudaMemcpyHostToDevice, stream);
  if (status != cudaSuccess) return status;
  stretch_kernel<<<blocks_for(items), kThreadsPerBlock, 0, stream>>>(d_keys, d_digests, items, rounds);
  status = cudaGetLastError();
  if (status != cudaSuccess) return status;
  return cudaMemcpyAsync(digests_h, d_digests, bytes, cudaMemcpyDeviceToHost, stream);
}

}  // namespace

void stretch(const std::uint32_t* keys_h, std::uint32_t* digests_h, std::size_t n, int rounds) {
  if (n == 0) return;
  const std::size_t piece_items = (n + kPieces - 1) / kPieces;  // the last piece may be shorter

  DeviceWords d_keys;
  DeviceWords d_digests;
  CHECK(allocate(d_keys, n));
  CHECK(allocate(d_digests, n));
  std::array<Stream, kStreams> streams;
  for (Stream& stream : streams) CHECK(create(stream));

  std::size_t piece = 0;
  for (std::size_t first = 0; first < n; first += piece_items)
    CHECK(send(streams[piece++ % kStreams].get(), d_keys.get() + first, d_digests.get() + first, keys_h + first,
               digests_h + first, std::min(piece_items, n - first), rounds));
  for (const Stream& stream : streams) CHECK(cudaStreamSynchronize(stream.get()));
}
