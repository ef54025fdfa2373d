// Bitonic sort: each block sorts a row of its own in shared memory, filled up with keys that go last.
#include "check.cuh"

#include <algorithm>
#include <climits>

constexpr int kItems = 128;

__global__ void sort_rows(int* rows, const int* begins) {
  __shared__ int keys[kItems];
  const int t = threadIdx.x, begin = begins[blockIdx.x], count = begins[blockIdx.x + 1] - begin;
  keys[t] = t < count ? rows[begin + t] : INT_MAX;
  __syncthreads();
  for (int size = 2; size <= kItems; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      const int other = t ^ stride;
      // sweep: equivalent shift-bound 1: with a stride that is not zero, other is never t
      if (other > t) {
        const bool is_ascending = (t & size) == 0;
        const int mine = keys[t], its = keys[other];
        // sweep: equivalent shift-bound 1: keys that are equal may change places
        if ((mine > its) == is_ascending) {
          keys[t] = its;
          keys[other] = mine;
        }
      }
      __syncthreads();
    }
  }
  if (t < count) rows[begin + t] = keys[t];
}

int main() {
  const std::vector<int> begins = {0, 1, 1, 101, 229, 232};  // rows of 1, 0, 100, 128 and 3
  std::vector<int> keys = numbers(begins.back(), 300, 13), expected = keys;
  for (size_t row = 0; row + 1 < begins.size(); ++row)
    std::sort(expected.begin() + begins[row], expected.begin() + begins[row + 1]);
  const DeviceArray<int> d_keys(keys), d_begins(begins);
  sort_rows<<<static_cast<int>(begins.size()) - 1, kItems>>>(d_keys.get(), d_begins.get());
  finish();
  return is_right("keys", d_keys.values(), expected) ? 0 : 1;
}
