// expect: stretch: right; no points of efficient; no points of fast
// Everything in a row, and beside it, copies and a kernel that nobody needs: all engines are busy nearly all the time,
// so a share of busy time would be as good as that of three streams. The device time is not.
#include "overlap.cuh"

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
  const std::size_t bytes = n * sizeof(*keys_h);
  const auto blocks = static_cast<unsigned>((n + 255) / 256);
  std::uint32_t *keys, *digests, *unused;
  for (std::uint32_t** array : {&keys, &digests, &unused}) cudaMalloc(array, bytes);
  cudaStream_t work, copies, kernels;
  for (cudaStream_t* stream : {&work, &copies, &kernels}) cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
  cudaEvent_t copied_in, computed;
  for (cudaEvent_t* event : {&copied_in, &computed}) cudaEventCreate(event);

  cudaMemcpyAsync(keys, keys_h, bytes, cudaMemcpyHostToDevice, work);
  cudaEventRecord(copied_in, work);
  stretch_kernel<<<blocks, 256, 0, work>>>(keys, digests, n, rounds);
  cudaEventRecord(computed, work);
  cudaMemcpyAsync(digests_h, digests, bytes, cudaMemcpyDeviceToHost, work);

  cudaStreamWaitEvent(copies, copied_in);
  for (int again = 0; again < 2; ++again) cudaMemcpyAsync(unused, keys_h, bytes, cudaMemcpyHostToDevice, copies);
  cudaStreamWaitEvent(kernels, computed);
  stretch_kernel<<<blocks, 256, 0, kernels>>>(keys, keys, n, rounds);

  cudaDeviceSynchronize();
  for (cudaStream_t stream : {work, copies, kernels}) cudaStreamDestroy(stream);
  for (cudaEvent_t event : {copied_in, computed}) cudaEventDestroy(event);
  for (std::uint32_t* array : {keys, digests, unused}) cudaFree(array);
}
