// expect: vec_add_device: refused by audit
// tries: to take the report of the virtual GPU before the worker does
// says: it calls 'vgpuTakeReport', which a submission does not need
// A weak reference links without a library. The functions that the worker calls are of no use to a submission.

#include "vecadd.cuh"

extern "C" __attribute__((weak)) std::size_t vgpuTakeReport(char* buffer, std::size_t capacity);

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
  static char report[1 << 16];
  if (vgpuTakeReport != nullptr) vgpuTakeReport(report, sizeof(report));
}
