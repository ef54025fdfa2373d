// Sparse matrix times vector, rows in compressed form: a warp for each row.
#include "check.cuh"

constexpr int kWarps = 4;  // a block

__global__ void spmv(const int* row_begins, const int* columns, const int* values, const int* x, int* y, int rows) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * kWarps + threadIdx.x / 32;
  if (row >= rows) return;
  int sum = 0;
  for (int i = row_begins[row] + lane; i < row_begins[row + 1]; i += 32) sum += values[i] * x[columns[i]];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) y[row] = sum;
}

bool test(const std::vector<int>& lengths, int width) {
  std::vector<int> begins(1, 0);
  for (int length : lengths) begins.push_back(begins.back() + length);
  std::vector<int> columns = numbers(begins.back(), width, 16);
  for (int& column : columns) --column;
  const std::vector<int> values = numbers(begins.back(), 1000, 17), x = numbers(width, 1000, 18);
  const int rows = static_cast<int>(lengths.size());
  std::vector<int> expected(rows, 0);
  for (int row = 0; row < rows; ++row)
    for (int i = begins[row]; i < begins[row + 1]; ++i) expected[row] += values[i] * x[columns[i]];
  const DeviceArray<int> d_begins(begins), d_columns(columns), d_values(values), d_x(x), d_y(rows);
  spmv<<<(rows + kWarps - 1) / kWarps, 32 * kWarps>>>(d_begins.get(), d_columns.get(), d_values.get(), d_x.get(),
                                                      d_y.get(), rows);
  finish();
  return is_right("product", d_y.values(), expected);
}

int main() { return test({5, 0, 32, 33, 100, 1, 64, 7, 3}, 50) && test({1}, 1) && test({40, 31, 2, 9}, 41) ? 0 : 1; }
