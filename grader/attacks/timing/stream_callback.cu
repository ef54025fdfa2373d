// expect: vec_add_device: wrong
// timed: wrong
// Leaves the work to a callback of a stream, as host_function.cu does, by the older call.

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

static void add(const float* d_a, const float* d_b, float* d_c, std::size_t n, cudaStream_t stream = nullptr) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(d_a, d_b, d_c, n);
}

struct Call {
  const float *a, *b;
  float* c;
  std::size_t n;
};

static void work_later(cudaStream_t, cudaError_t, void* data) {
  const Call* const call = static_cast<Call*>(data);
  add(call->a, call->b, call->c, call->n);
  cudaGetLastError();
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  static Call call;
  static cudaStream_t stream = nullptr;
  if (stream == nullptr) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  call = {d_a, d_b, d_c, n};
  cudaStreamAddCallback(stream, work_later, &call, 0);
}
