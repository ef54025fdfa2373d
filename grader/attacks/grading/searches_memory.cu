// expect: vec_add_device: wrong
// tries: to find the expected output somewhere in its process and hand that in
// says: found nothing
// It is not there: the worker knows inputs and nothing else.

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "vecadd.cuh"

// Whether the first sums stand side by side anywhere in memory that can be written, but where this
// function has them.
static bool is_there(const std::vector<float>& sums) {
  const int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  std::FILE* const maps = std::fopen("/proc/self/maps", "r");
  std::vector<float> piece(1 << 18);
  bool is_found = false;
  char line[512];
  while (memory >= 0 && maps && std::fgets(line, sizeof(line), maps)) {
    unsigned long begin = 0;
    unsigned long end = 0;
    if (std::sscanf(line, "%lx-%lx rw", &begin, &end) != 2 || end - begin > (64UL << 20)) continue;
    for (unsigned long at = begin; at < end; at += piece.size() * sizeof(float)) {
      const ssize_t bytes = pread(memory, piece.data(), piece.size() * sizeof(float), static_cast<off_t>(at));
      for (ssize_t i = 0; i + 3 <= bytes / 4; ++i) {
        const auto* const place = reinterpret_cast<const float*>(at) + i;
        const bool is_own = place == sums.data() || (place >= piece.data() && place < piece.data() + piece.size());
        is_found |= !is_own && std::memcmp(&piece[static_cast<std::size_t>(i)], sums.data(), 3 * sizeof(float)) == 0;
      }
    }
  }
  if (maps) std::fclose(maps);
  close(memory);
  return is_found;
}

static __global__ void zero_kernel(float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = 0;
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  constexpr std::size_t kWanted = 257;  // one case is enough
  if (n > 0) zero_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_c, n);
  if (n != kWanted) return;
  std::vector<float> a(n);
  std::vector<float> sums(n);
  cudaMemcpy(a.data(), d_a, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(sums.data(), d_b, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (std::size_t i = 0; i < n; ++i) sums[i] += a[i];
  // Whoever finds them could as well add them up; what counts is that they are not there.
  std::puts(is_there(sums) ? "found the sums" : "found nothing");
}
