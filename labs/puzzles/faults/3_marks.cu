// How many students have which mark, from 0 to 7: every thread counts one student.
#include <cstdio>
#include <vector>

constexpr int kMarks = 8;

__global__ void count_marks(const int* marks, int* counts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[marks[i]], 1);
}

int main() {
  constexpr int n = 500;
  std::vector<int> marks(n);
  for (int i = 0; i < n; ++i) marks[i] = i % kMarks;
  int counts[kMarks] = {};
  int* d_marks;
  int* d_counts;
  cudaMalloc(&d_marks, n * sizeof(int));
  cudaMalloc(&d_counts, kMarks * sizeof(int));
  cudaMemcpy(d_marks, marks.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  count_marks<<<(n + 127) / 128, 128>>>(d_marks, d_counts, n);
  cudaMemcpy(counts, d_counts, kMarks * sizeof(int), cudaMemcpyDeviceToHost);
  int students = 0;
  for (const int count : counts) students += count;
  std::printf(students == n ? "every student is counted once\n" : "the counts are wrong\n");
  cudaFree(d_marks);
  cudaFree(d_counts);
}
