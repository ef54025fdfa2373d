// expect: vec_add_device: right; lockdown
// tries: to attach to the process that grades it and write into its memory
// says: look into another process (ptrace)
// A worker may not look into other processes, and sees none but its own.

#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  char byte = 0;
  const iovec here{&byte, 1};
  const iovec there{&byte, 1};
  ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr);
  process_vm_writev(getppid(), &here, 1, &there, 1, 0);
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
