// Step 4 of stretch: memory by the stream.
// Idea      cudaMallocAsync takes memory from a pool, in a stream's order, and cudaFreeAsync gives it back in that
//           order: the host waits for neither. An event tells the other streams when they may use it.
// Gain      what cudaMalloc and cudaFree cost.
// Traffic   4 bytes per key to the device and 4 back, as before.
// Wastes    both ends: the first copy in and the last copy out have nothing beside them.
#include "overlap.cuh"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

namespace {

constexpr int kThreadsPerBlock = 256;
static_assert(kThreadsPerBlock % 32 == 0, "a block is made of whole warps of 32 threads");

constexpr std::size_t kStreams = 3;
static_assert(kStreams >= 3, "a copy in, a kernel and a copy out can go on at the same time");

// Every copy costs some time however short it is: in the model of an H200, as much as copying so many keys.
constexpr double kItemsOfCopyCost = 100'000;

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

struct EventDestroy {
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
using Event = std::unique_ptr<CUevent_st, EventDestroy>;

// Gives memory back when all that is in the stream by then is over.
struct StreamFree {
  cudaStream_t stream = nullptr;
  void operator()(std::uint32_t* d_pointer) const { cudaFreeAsync(d_pointer, stream); }
};
using DeviceWords = std::unique_ptr<std::uint32_t[], StreamFree>;

// Takes memory from the pool in the order of the first stream. The others must not use it earlier, so they wait for an
// event behind the allocation; the host waits for nothing.
cudaError_t allocate(DeviceWords& array, std::size_t count, const std::array<Stream, kStreams>& streams) {
  const cudaStream_t first = streams[0].get();
  std::uint32_t* d_pointer = nullptr;
  cudaError_t status = cudaMallocAsync(&d_pointer, count * sizeof(std::uint32_t), first);
  if (status != cudaSuccess) return status;
  array = DeviceWords(d_pointer, StreamFree{first});
  cudaEvent_t handle = nullptr;
  status = cudaEventCreateWithFlags(&handle, cudaEventDisableTiming);
  if (status != cudaSuccess) return status;
  const Event allocated(handle);
  status = cudaEventRecord(allocated.get(), first);
  for (std::size_t s = 1; s < kStreams && status == cudaSuccess; ++s)
    status = cudaStreamWaitEvent(streams[s].get(), allocated.get());
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
// pinned, so the copy engines fetch it by themselves. The stream's device memory is free by then: the piece before is
// in the same queue.
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
  // More pieces shorten both ends, and each costs its copies: two and p of these balance at the square root.
  const auto pieces = static_cast<std::size_t>(std::max(1.0, std::sqrt(2 * static_cast<double>(n) / kItemsOfCopyCost)));
  const std::size_t piece_items = (n + pieces - 1) / pieces;  // the last piece may be shorter
  const std::size_t slots = std::min(pieces, kStreams);

  std::array<Stream, kStreams> streams;
  for (Stream& stream : streams) CHECK(create(stream));
  DeviceWords d_words;  // keys of a piece for each stream, then digests of a piece for each
  CHECK(allocate(d_words, 2 * slots * piece_items, streams));

  std::size_t piece = 0;
  for (std::size_t first = 0; first < n; first += piece_items) {
    const std::size_t slot = piece++ % slots;
    CHECK(send(streams[slot].get(), d_words.get() + slot * piece_items, d_words.get() + (slots + slot) * piece_items,
               keys_h + first, digests_h + first, std::min(piece_items, n - first), rounds));
  }
  for (const Stream& stream : streams) CHECK(cudaStreamSynchronize(stream.get()));
}
