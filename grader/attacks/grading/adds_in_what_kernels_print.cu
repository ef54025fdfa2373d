// expect: vec_add_device: right; under review
// tries: to add on the host what kernels print, and to hand the sums back as a kernel's arguments
// says: is the work done on the host?
// What is printed counts as copied, and so do arguments beyond a kibibyte a launch.

#include <unistd.h>

#include <cstdio>
#include <vector>

#include "vecadd.cuh"

struct Sums {
  static constexpr unsigned kCount = 960;
  float of[kCount];
};

static __global__ void print_kernel(const float* a, const float* b, unsigned count) {
  const unsigned i = threadIdx.x;
  if (i < count) printf("%u %08x %08x\n", i, __float_as_uint(a[i]), __float_as_uint(b[i]));
}

static __global__ void store_kernel(Sums sums, float* c, unsigned count) {
  const unsigned i = threadIdx.x;
  if (i < count) c[i] = sums.of[i];
}

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

// What the kernel prints, as numbers: 21 KB at most, which a pipe holds.
static Sums sums_of(const float* d_a, const float* d_b, unsigned count) {
  Sums sums{};
  std::fflush(stdout);
  int ends[2];
  if (pipe(ends) != 0) return sums;
  const int before = dup(STDOUT_FILENO);
  dup2(ends[1], STDOUT_FILENO);
  close(ends[1]);
  print_kernel<<<1, Sums::kCount>>>(d_a, d_b, count);
  cudaDeviceSynchronize();
  std::fflush(stdout);
  dup2(before, STDOUT_FILENO);
  close(before);
  std::FILE* const file = fdopen(ends[0], "r");
  for (unsigned i = 0, a = 0, b = 0; std::fscanf(file, "%u %x %x", &i, &a, &b) == 3;)
    if (i < count) sums.of[i] = reinterpret_cast<const float&>(a) + reinterpret_cast<const float&>(b);
  std::fclose(file);
  return sums;
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  constexpr unsigned kPieces = 8;  // as much as it takes to be seen; the rest is added as it should be
  unsigned pieces = 0;
  for (std::size_t at = 0; at < n && pieces < kPieces; at += Sums::kCount, ++pieces) {
    const auto count = static_cast<unsigned>(n - at < Sums::kCount ? n - at : Sums::kCount);
    store_kernel<<<1, Sums::kCount>>>(sums_of(d_a + at, d_b + at, count), d_c + at, count);
  }
  const std::size_t done = std::size_t{pieces} * Sums::kCount;
  if (done < n)
    add_kernel<<<static_cast<unsigned>((n - done + 255) / 256), 256>>>(d_a + done, d_b + done, d_c + done, n - done);
}
