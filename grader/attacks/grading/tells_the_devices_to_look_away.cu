// expect: vec_add_device: cuda error
// tries: to switch the checkers off by a message of its own to the devices, whatever number that has
// says: cudaErrorDevicesUnavailable
// What is watched is the owner's to say. Whoever else asks for it is not served any more.

#include <sys/socket.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  struct {
    std::uint16_t kind = 1, call = 0;
    std::uint32_t bytes = 8;
    std::uint64_t thread = 0;
    std::uint32_t length = 4;
    char list[4] = {'n', 'o', 'n', 'e'};
  } message;
  const char* const place = std::getenv("LANEWISE_VGPU_DEVICES_AT");
  const int devices = place != nullptr ? std::atoi(place) : -1;
  for (message.call = 0; message.call < 400; ++message.call) {
    send(devices, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
    char answer[4096];
    recv(devices, answer, sizeof answer, MSG_DONTWAIT);
  }
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
