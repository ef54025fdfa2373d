// Several steps of a relaxation in one launch: the whole grid meets between reading its neighbours and writing.
#include <cooperative_groups.h>

#include "check.cuh"

constexpr int kThreads = 64;
constexpr int kSteps = 3;

__global__ void relax(int* values, int n) {
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  const int i = blockIdx.x * kThreads + threadIdx.x;
  for (int step = 0; step < kSteps; ++step) {
    int sum = 0;
    if (i < n) {
      sum = 2 * values[i];
      if (i > 0) sum += 3 * values[i - 1];
      if (i < n - 1) sum += 5 * values[i + 1];
    }
    grid.sync();
    if (i < n) values[i] = sum;
    grid.sync();
  }
}

bool test(int n) {
  std::vector<int> values = numbers(n, 1000, 20), expected = values;
  for (int step = 0; step < kSteps; ++step) {
    const std::vector<int> before = expected;
    for (int i = 0; i < n; ++i)
      expected[i] = 2 * before[i] + (i > 0 ? 3 * before[i - 1] : 0) + (i < n - 1 ? 5 * before[i + 1] : 0);
  }
  const DeviceArray<int> d_values(values);
  int* data = d_values.get();
  void* arguments[] = {&data, &n};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(relax), dim3((n + kThreads - 1) / kThreads), dim3(kThreads),
                                    arguments, 0, nullptr));
  finish();
  return is_right("values", d_values.values(), expected);
}

int main() { return test(1) && test(200) && test(2 * kThreads) ? 0 : 1; }
