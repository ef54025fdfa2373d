// expect: vec_add: crash
// A pointer that was never given memory, written through on the host.
#include "vecadd.cuh"

void vec_add(const float* a_h, const float* b_h, float* c_h, int n) {
  if (n == 0) return;
  float* volatile sums = nullptr;
  for (int i = 0; i < n; ++i) sums[i] = a_h[i] + b_h[i];
  for (int i = 0; i < n; ++i) c_h[i] = sums[i];
}
