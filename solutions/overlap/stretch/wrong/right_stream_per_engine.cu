// expect: stretch: right
// A stream for each kind of work, and events from one to the next. Device memory for four pieces: the copy in of a
// piece also waits until the copy out of the piece that had the memory before is over.
#include "overlap.cuh"

#include <algorithm>

__global__ void stretch_kernel(const std::uint32_t* keys, std::uint32_t* digests, std::size_t n, int rounds) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  std::uint32_t x = keys[i];
  for (int round = 0; round < rounds; ++round) {
    x = (x ^ (x >> 15)) * kFactor + kTerm;
    x = x ^ (x >> 13);
  }
  digests[i] = x;
}

void stretch(const std::uint32_t* keys_h, std::uint32_t* digests_h, std::size_t n, int rounds) {
  if (n == 0) return;
  constexpr int kSlots = 4;
  const std::size_t items = (n + 11) / 12;
  std::uint32_t* memory = nullptr;
  cudaMalloc(&memory, 2 * kSlots * items * sizeof(*memory));
  cudaStream_t in, compute, out;
  for (cudaStream_t* stream : {&in, &compute, &out}) cudaStreamCreate(stream);
  cudaEvent_t copied_in[kSlots], computed[kSlots], copied_out[kSlots];
  for (int slot = 0; slot < kSlots; ++slot)
    for (cudaEvent_t* event : {&copied_in[slot], &computed[slot], &copied_out[slot]})
      cudaEventCreateWithFlags(event, cudaEventDisableTiming);

  int piece = 0;
  for (std::size_t first = 0; first < n; first += items) {
    const int slot = piece++ % kSlots;
    const std::size_t count = std::min(items, n - first);
    std::uint32_t* const keys = memory + 2 * slot * items;
    std::uint32_t* const digests = keys + items;
    if (piece > kSlots) cudaStreamWaitEvent(in, copied_out[slot]);
    cudaMemcpyAsync(keys, keys_h + first, count * sizeof(*keys), cudaMemcpyHostToDevice, in);
    cudaEventRecord(copied_in[slot], in);
    cudaStreamWaitEvent(compute, copied_in[slot]);
    stretch_kernel<<<(count + 255) / 256, 256, 0, compute>>>(keys, digests, count, rounds);
    cudaEventRecord(computed[slot], compute);
    cudaStreamWaitEvent(out, computed[slot]);
    cudaMemcpyAsync(digests_h + first, digests, count * sizeof(*keys), cudaMemcpyDeviceToHost, out);
    cudaEventRecord(copied_out[slot], out);
  }
  cudaStreamSynchronize(out);
  for (cudaStream_t stream : {in, compute, out}) cudaStreamDestroy(stream);
  for (int slot = 0; slot < kSlots; ++slot)
    for (cudaEvent_t event : {copied_in[slot], computed[slot], copied_out[slot]}) cudaEventDestroy(event);
  cudaFree(memory);
}
