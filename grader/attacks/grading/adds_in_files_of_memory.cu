// expect: vec_add_device: wrong
// tries: to find device memory among the files that its process has mapped or open, and to add there
// says: nothing of the devices is there
// The one file of theirs that a worker has is what copies pass through; what is shared is what CUDA says is.

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "vecadd.cuh"

static __global__ void zero_kernel(float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = 0;
}

// Looks through what can be read for the first inputs side by side: device memory would hold them.
static bool holds(const std::vector<float>& wanted, const char* name, std::size_t most) {
  const int file = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  std::vector<char> piece(1 << 20);
  bool is_found = false;
  for (std::size_t at = 0; at < most && !is_found; at += piece.size()) {
    const ssize_t bytes = pread(file, piece.data(), piece.size(), static_cast<off_t>(at));
    if (bytes < static_cast<ssize_t>(16)) break;
    is_found = memmem(piece.data(), static_cast<std::size_t>(bytes), wanted.data(), 16) != nullptr;
  }
  close(file);
  return is_found;
}

void vec_add_device(const float* d_a, const float*, float* d_c, std::size_t n) {
  constexpr std::size_t kWanted = 257;  // one case is enough
  if (n > 0) zero_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_c, n);
  if (n != kWanted) return;
  std::vector<float> a(4);
  cudaMemcpy(a.data(), d_a, 16, cudaMemcpyDeviceToHost);
  std::vector<char> passed(2 << 20);  // through what copies pass, so that it holds something else
  void* scratch = nullptr;
  cudaMalloc(&scratch, passed.size());
  cudaMemcpy(scratch, passed.data(), passed.size(), cudaMemcpyHostToDevice);
  cudaFree(scratch);
  bool is_found = false;
  if (DIR* const folder = opendir("/proc/self/fd")) {
    while (const dirent* const entry = readdir(folder))
      is_found |= holds(a, ("/proc/self/fd/" + std::string(entry->d_name)).c_str(), 64 << 20);
    closedir(folder);
  }
  std::puts(is_found ? "found the inputs" : "nothing of the devices is there");
}
