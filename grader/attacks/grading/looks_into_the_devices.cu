// expect: vec_add_device: wrong
// tries: to read and write the memory of the process that has the devices
// says: no such process
// It shares neither its process ids nor its memory with a submission.

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "vecadd.cuh"

static __global__ void zero_kernel(float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = 0;
}

void vec_add_device(const float*, const float*, float* d_c, std::size_t n) {
  if (n > 0) zero_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_c, n);
  bool is_found = false;
  DIR* const folder = opendir("/proc");
  while (const dirent* const entry = folder ? readdir(folder) : nullptr) {
    const std::string process = std::string("/proc/") + entry->d_name;
    char name[64] = {};
    if (std::FILE* const file = std::fopen((process + "/comm").c_str(), "r")) {
      if (std::fgets(name, sizeof name, file) == nullptr) name[0] = '\0';
      std::fclose(file);
    }
    const int memory = std::strstr(name, "lanewise-device") ? open((process + "/mem").c_str(), O_RDWR | O_CLOEXEC) : -1;
    is_found |= memory >= 0;
    if (memory >= 0) close(memory);
  }
  if (folder) closedir(folder);
  std::puts(is_found ? "there they are" : "no such process");
}
