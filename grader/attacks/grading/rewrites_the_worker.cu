// expect: vec_add_device: right
// tries: to write other code over a function of the worker's libraries, through /proc/self/mem
// It may do with its own process as it likes. The clock and the comparison are not in it.

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <ctime>

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  constexpr unsigned char kReturnZero[] = {0x31, 0xc0, 0xc3};  // xor eax, eax; ret
  const int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  if (memory >= 0) {
    const auto place = reinterpret_cast<off_t>(&clock_gettime);
    static_cast<void>(pwrite(memory, kReturnZero, sizeof(kReturnZero), place));
    close(memory);
  }
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
