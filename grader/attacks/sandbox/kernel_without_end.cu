// tries: to keep the device's compiler busy for hours
// outcome: compile error: used more processor time than is allowed for compiling

#include "vecadd.cuh"

// Branches within branches, two thousand of them, each of which may change what all that come after depend
// on.
#define STEP(k)                    \
  if (x[(s + k) & 1023] > s) {     \
    s = s * 3 + x[(s ^ k) & 1023]; \
  } else {                         \
    s += x[s & 1023] - k;          \
  }
#define EIGHT(k) STEP(k) STEP(k + 1) STEP(k + 2) STEP(k + 3) STEP(k + 4) STEP(k + 5) STEP(k + 6) STEP(k + 7)
#define MANY(k) \
  EIGHT(k) EIGHT(k + 8) EIGHT(k + 16) EIGHT(k + 24) EIGHT(k + 32) EIGHT(k + 40) EIGHT(k + 48) EIGHT(k + 56)
#define MORE(k) MANY(k) MANY(k + 64) MANY(k + 128) MANY(k + 192) MANY(k + 256) MANY(k + 320) MANY(k + 384) MANY(k + 448)

static __global__ void endless_kernel(const int* x, float* c, std::size_t n) {
  int s = static_cast<int>(threadIdx.x);
  MORE(1) MORE(2) MORE(3) MORE(4) if (threadIdx.x < n) c[threadIdx.x] = static_cast<float>(s);
}

void vec_add_device(const float* d_a, const float*, float* d_c, std::size_t n) {
  endless_kernel<<<1, 256>>>(reinterpret_cast<const int*>(d_a), d_c, n);
}
