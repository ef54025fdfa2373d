// Other formats of a sparse matrix than compressed rows (CSR): ELL, hybrid and JDS, with their conversions. A worked
// example to read, run and change; none of it is to be submitted.
//
//   build/lanewise nvcc -std=c++17 -O2 -lineinfo -arch=sm_90 -o formats labs/spmv/formats.cu
//   build/lanewise run --monitor counters -- ./formats 40 14    on the virtual GPU: 40^3 points, 2^14 vertices
//   ./formats 256 22                                            on a GPU: 256^3 points, 2^22 vertices
//
// It sorts with Thrust, so it needs NVIDIA's toolkit.
//
// Multiplies two matrices by a vector in every format: the seven-point stencil of a cube, whose rows are all alike, and
// the links of a network (R-MAT), some of whose rows are very long. Prints for each format its memory, the times of
// conversion and product, and ends with code 1 if a product is wrong.
#include <cuda_runtime.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#define CHECK(call)                                                                                 \
  do {                                                                                              \
    const cudaError_t status = (call);                                                              \
    if (status != cudaSuccess) {                                                                    \
      std::fprintf(stderr, "formats.cu:%d: %s: %s\n", __LINE__, #call, cudaGetErrorString(status)); \
      std::exit(1);                                                                                 \
    }                                                                                               \
  } while (false)

namespace {

constexpr int kThreads = 256;
constexpr int kWarp = 32;
constexpr int kLengths = 1024;
constexpr std::int32_t kNoColumn = -1;  // of a padding entry
constexpr std::int32_t kNoRow = -1;     // of a thread without an entry

unsigned blocks_for(std::int64_t threads) { return static_cast<unsigned>((threads + kThreads - 1) / kThreads); }
__device__ std::int64_t thread_in_grid() { return std::int64_t{blockIdx.x} * kThreads + threadIdx.x; }

// An array in device memory.
template <class T>
class Device {
 public:
  explicit Device(std::size_t count) : count_(count) {
    if (count != 0) CHECK(cudaMalloc(&data_, count * sizeof(T)));
  }
  explicit Device(const std::vector<T>& values) : Device(values.size()) {
    if (count_ != 0) CHECK(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice));
  }
  Device(Device&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  Device& operator=(Device&&) = delete;
  ~Device() { cudaFree(data_); }

  T* get() const { return data_; }
  std::size_t bytes() const { return count_ * sizeof(T); }
  std::vector<T> to_host() const {
    std::vector<T> values(count_);
    if (count_ != 0) CHECK(cudaMemcpy(values.data(), data_, bytes(), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

// ---- CSR: the entries of row r are at row_offsets[r] to row_offsets[r + 1] - 1.

struct Csr {
  std::vector<std::int32_t> row_offsets, columns;
  std::vector<float> values;
  int rows() const { return static_cast<int>(row_offsets.size()) - 1; }
};

struct DeviceCsr {
  explicit DeviceCsr(const Csr& matrix)
      : rows(matrix.rows()), row_offsets(matrix.row_offsets), columns(matrix.columns), values(matrix.values) {}
  int rows;
  Device<std::int32_t> row_offsets, columns;
  Device<float> values;
  std::size_t bytes() const { return row_offsets.bytes() + columns.bytes() + values.bytes(); }
};

// Neighbouring lanes have neighbouring rows: if rows are short and alike, they share sectors.
__global__ void csr_thread_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, const float* values,
                                  int rows, const float* x, float* y) {
  const std::int64_t row = thread_in_grid();
  if (row >= rows) return;
  float sum = 0;
  for (int j = row_offsets[row]; j < row_offsets[row + 1]; ++j) sum += values[j] * x[columns[j]];
  y[row] = sum;
}

// Neighbouring lanes have neighbouring entries of one row.
__global__ void csr_warp_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, const float* values,
                                int rows, const float* x, float* y) {
  const std::int64_t row = thread_in_grid() / kWarp;
  if (row >= rows) return;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  float sum = 0;
  for (int j = row_offsets[row] + lane; j < row_offsets[row + 1]; j += kWarp) sum += values[j] * x[columns[j]];
  for (int distance = kWarp / 2; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  if (lane == 0) y[row] = sum;
}

__global__ void lengths_kernel(const std::int32_t* row_offsets, int rows, std::int32_t* lengths) {
  const std::int64_t row = thread_in_grid();
  if (row < rows) lengths[row] = row_offsets[row + 1] - row_offsets[row];
}

Device<std::int32_t> lengths_of(const DeviceCsr& matrix) {
  Device<std::int32_t> lengths(static_cast<std::size_t>(matrix.rows));
  lengths_kernel<<<blocks_for(matrix.rows), kThreads>>>(matrix.row_offsets.get(), matrix.rows, lengths.get());
  CHECK(cudaGetLastError());
  return lengths;
}

// ---- ELL: all rows have `width` entries, short ones by padding. Entry k of row r is at k * rows + r: neighbouring
// lanes, which have neighbouring rows, read neighbouring entries, whatever the matrix. The price is the padding.

struct Ell {
  Ell(int rows_given, int width_given) : rows(rows_given), width(width_given), columns(slots()), values(slots()) {}
  int rows, width;
  Device<std::int32_t> columns;
  Device<float> values;
  std::size_t slots() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(width); }
  std::size_t bytes() const { return columns.bytes() + values.bytes(); }
};

// The first `width` entries of each row.
__global__ void ell_from_csr_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, const float* values,
                                    int rows, int width, std::int32_t* ell_columns, float* ell_values) {
  const std::int64_t row = thread_in_grid();
  if (row >= rows) return;
  const int first = row_offsets[row];
  const int length = row_offsets[row + 1] - first;
  for (int k = 0; k < width; ++k) {
    const std::int64_t slot = std::int64_t{k} * rows + row;
    ell_columns[slot] = k < length ? columns[first + k] : kNoColumn;
    ell_values[slot] = k < length ? values[first + k] : 0;
  }
}

Ell ell_from_csr(const DeviceCsr& matrix, int width) {
  Ell ell(matrix.rows, width);
  ell_from_csr_kernel<<<blocks_for(matrix.rows), kThreads>>>(matrix.row_offsets.get(), matrix.columns.get(),
                                                             matrix.values.get(), matrix.rows, width, ell.columns.get(),
                                                             ell.values.get());
  CHECK(cudaGetLastError());
  return ell;
}

__global__ void ell_kernel(const std::int32_t* columns, const float* values, int rows, int width, const float* x,
                           float* y) {
  const std::int64_t row = thread_in_grid();
  if (row >= rows) return;
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < width; ++k) {
    const std::int64_t slot = std::int64_t{k} * rows + row;
    const std::int32_t column = columns[slot];
    const float value = values[slot];  // also of padding: loads that wait for nothing can be under way together
    if (column != kNoColumn) sum += value * x[column];
  }
  y[row] = sum;
}

void multiply(const Ell& ell, const float* x, float* y) {
  ell_kernel<<<blocks_for(ell.rows), kThreads>>>(ell.columns.get(), ell.values.get(), ell.rows, ell.width, x, y);
}

// ---- Hybrid: an ELL part as wide as most rows need; what is left of longer rows goes into a list of entries with
// their rows (coordinates, COO), a thread for each.

struct Hybrid {
  Ell ell;
  std::int64_t rest;
  Device<std::int32_t> row, column;
  Device<float> value;
  std::size_t bytes() const { return ell.bytes() + row.bytes() + column.bytes() + value.bytes(); }
};

__global__ void rest_lengths_kernel(const std::int32_t* lengths, int rows, int width, std::int32_t* rests) {
  const std::int64_t row = thread_in_grid();
  if (row < rows) rests[row] = max(lengths[row] - width, 0);
}

// A warp per row, for these rows are the long ones.
__global__ void rest_from_csr_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, const float* values,
                                     int rows, int width, const std::int32_t* rest_offsets, std::int32_t* rest_rows,
                                     std::int32_t* rest_columns, float* rest_values) {
  const std::int64_t row = thread_in_grid() / kWarp;
  if (row >= rows) return;
  const int from = row_offsets[row] + width;
  const int count = row_offsets[row + 1] - from;
  for (int k = static_cast<int>(threadIdx.x) % kWarp; k < count; k += kWarp) {
    const int to = rest_offsets[row] + k;
    rest_rows[to] = static_cast<std::int32_t>(row);
    rest_columns[to] = columns[from + k];
    rest_values[to] = values[from + k];
  }
}

// How many rows there are of each length; those of kLengths - 1 and more count as one.
__global__ void length_counts_kernel(const std::int32_t* lengths, int rows, unsigned* counts) {
  __shared__ unsigned mine[kLengths];
  for (int i = static_cast<int>(threadIdx.x); i < kLengths; i += kThreads) mine[i] = 0;
  __syncthreads();
  for (std::int64_t row = thread_in_grid(); row < rows; row += std::int64_t{gridDim.x} * kThreads)
    atomicAdd(&mine[min(lengths[row], kLengths - 1)], 1u);
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < kLengths; i += kThreads)
    if (mine[i] != 0) atomicAdd(&counts[i], mine[i]);
}

// The least width that two thirds of the rows do not exceed.
int usual_width(const Device<std::int32_t>& lengths, int rows) {
  const Device<unsigned> counts{std::vector<unsigned>(kLengths)};
  const unsigned blocks = std::min(blocks_for(rows), 1024u);
  length_counts_kernel<<<blocks, kThreads>>>(lengths.get(), rows, counts.get());
  CHECK(cudaGetLastError());
  std::int64_t shorter = 0;
  int width = 0;
  for (const unsigned count : counts.to_host()) {
    shorter += count;
    if (3 * shorter >= 2 * std::int64_t{rows}) break;
    ++width;
  }
  return width;
}

Hybrid hybrid_from_csr(const DeviceCsr& matrix) {
  const Device<std::int32_t> lengths = lengths_of(matrix);
  const int width = usual_width(lengths, matrix.rows);
  Device<std::int32_t> rests(static_cast<std::size_t>(matrix.rows));
  rest_lengths_kernel<<<blocks_for(matrix.rows), kThreads>>>(lengths.get(), matrix.rows, width, rests.get());
  CHECK(cudaGetLastError());
  std::int32_t last[2];  // offset and length of the last row's rest: together, how many entries are left
  const auto from = thrust::device_pointer_cast(rests.get());
  CHECK(cudaMemcpy(&last[1], rests.get() + matrix.rows - 1, sizeof last[1], cudaMemcpyDeviceToHost));
  thrust::exclusive_scan(thrust::device, from, from + matrix.rows, from);
  CHECK(cudaMemcpy(&last[0], rests.get() + matrix.rows - 1, sizeof last[0], cudaMemcpyDeviceToHost));
  const auto count = static_cast<std::size_t>(last[0]) + static_cast<std::size_t>(last[1]);
  Hybrid hybrid{ell_from_csr(matrix, width), static_cast<std::int64_t>(count), Device<std::int32_t>(count),
                Device<std::int32_t>(count), Device<float>(count)};
  rest_from_csr_kernel<<<blocks_for(std::int64_t{matrix.rows} * kWarp), kThreads>>>(
      matrix.row_offsets.get(), matrix.columns.get(), matrix.values.get(), matrix.rows, width, rests.get(),
      hybrid.row.get(), hybrid.column.get(), hybrid.value.get());
  CHECK(cudaGetLastError());
  return hybrid;
}

// Entries of one row are side by side. So the lanes of a warp often have the same row, and then add only once to y.
__global__ void coordinates_kernel(const std::int32_t* rows, const std::int32_t* columns, const float* values,
                                   std::int64_t count, const float* x, float* y) {
  const std::int64_t j = thread_in_grid();
  const std::int32_t row = j < count ? rows[j] : kNoRow;
  float product = j < count ? values[j] * x[columns[j]] : 0;
  int is_same = 0;
  __match_all_sync(~0u, row, &is_same);
  if (is_same != 0)
    for (int distance = kWarp / 2; distance > 0; distance /= 2) product += __shfl_down_sync(~0u, product, distance);
  const bool adds = is_same == 0 || threadIdx.x % kWarp == 0;
  if (adds && row != kNoRow) atomicAdd(&y[row], product);
}

void multiply(const Hybrid& hybrid, const float* x, float* y) {
  multiply(hybrid.ell, x, y);
  if (hybrid.rest == 0) return;  // a grid of no blocks is an error
  coordinates_kernel<<<blocks_for(hybrid.rest), kThreads>>>(hybrid.row.get(), hybrid.column.get(), hybrid.value.get(),
                                                            hybrid.rest, x, y);
}

// ---- JDS (jagged diagonals): rows sorted by length, the longest first. Entry k of all rows that have one is a
// diagonal: an array as long as there are such rows. No padding, dense reads, and lanes of a warp with rows of nearly
// the same length. The price is the sort, and that y is stored in another order.

struct Jds {
  int rows, width;                 // as many diagonals as the longest row has entries
  Device<std::int32_t> order;      // the row that is at each place
  Device<std::int32_t> lengths;    // by place, descending
  Device<std::int32_t> diagonals;  // where each begins
  Device<std::int32_t> columns;
  Device<float> values;
  std::size_t bytes() const {
    return order.bytes() + lengths.bytes() + diagonals.bytes() + columns.bytes() + values.bytes();
  }
};

// Diagonal k has as many entries as there are rows of more than k: a binary search in descending lengths.
__global__ void diagonal_lengths_kernel(const std::int32_t* lengths, int rows, int width, std::int32_t* diagonals) {
  const std::int64_t k = thread_in_grid();
  if (k >= width) return;
  int low = 0, high = rows;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (lengths[middle] > k)
      low = middle + 1;
    else
      high = middle;
  }
  diagonals[k] = low;
}

// A warp per place: the lanes read neighbouring entries of its row.
__global__ void jds_from_csr_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, const float* values,
                                    int rows, const std::int32_t* order, const std::int32_t* lengths,
                                    const std::int32_t* diagonals, std::int32_t* jds_columns, float* jds_values) {
  const std::int64_t place = thread_in_grid() / kWarp;
  if (place >= rows) return;
  const int first = row_offsets[order[place]];
  for (int k = static_cast<int>(threadIdx.x) % kWarp; k < lengths[place]; k += kWarp) {
    jds_columns[diagonals[k] + place] = columns[first + k];
    jds_values[diagonals[k] + place] = values[first + k];
  }
}

Jds jds_from_csr(const DeviceCsr& matrix, std::size_t entries) {
  const auto rows = static_cast<std::size_t>(matrix.rows);
  Device<std::int32_t> order(rows);
  Device<std::int32_t> lengths = lengths_of(matrix);
  const auto first_length = thrust::device_pointer_cast(lengths.get());
  const auto first_row = thrust::device_pointer_cast(order.get());
  thrust::sequence(thrust::device, first_row, first_row + matrix.rows);
  thrust::stable_sort_by_key(thrust::device, first_length, first_length + matrix.rows, first_row,
                             thrust::greater<std::int32_t>());
  std::int32_t width = 0;
  CHECK(cudaMemcpy(&width, lengths.get(), sizeof width, cudaMemcpyDeviceToHost));
  Device<std::int32_t> diagonals(static_cast<std::size_t>(width));
  diagonal_lengths_kernel<<<blocks_for(width), kThreads>>>(lengths.get(), matrix.rows, width, diagonals.get());
  CHECK(cudaGetLastError());
  const auto first_diagonal = thrust::device_pointer_cast(diagonals.get());
  thrust::exclusive_scan(thrust::device, first_diagonal, first_diagonal + width, first_diagonal);
  Jds jds{matrix.rows,           width,
          std::move(order),      std::move(lengths),
          std::move(diagonals),  Device<std::int32_t>(entries),
          Device<float>(entries)};
  jds_from_csr_kernel<<<blocks_for(std::int64_t{matrix.rows} * kWarp), kThreads>>>(
      matrix.row_offsets.get(), matrix.columns.get(), matrix.values.get(), matrix.rows, jds.order.get(),
      jds.lengths.get(), jds.diagonals.get(), jds.columns.get(), jds.values.get());
  CHECK(cudaGetLastError());
  return jds;
}

__global__ void jds_kernel(const std::int32_t* order, const std::int32_t* lengths, const std::int32_t* diagonals,
                           const std::int32_t* columns, const float* values, int rows, const float* x, float* y) {
  const std::int64_t place = thread_in_grid();
  if (place >= rows) return;
  const int length = lengths[place];
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < length; ++k) {
    const std::int64_t j = diagonals[k] + place;
    sum += values[j] * x[columns[j]];
  }
  y[order[place]] = sum;
}

void multiply(const Jds& jds, const float* x, float* y) {
  jds_kernel<<<blocks_for(jds.rows), kThreads>>>(jds.order.get(), jds.lengths.get(), jds.diagonals.get(),
                                                 jds.columns.get(), jds.values.get(), jds.rows, x, y);
}

// ---- The two matrices.

class Draw {  // splitmix64
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  float value() { return static_cast<float>(static_cast<std::int64_t>(next()) >> 40) / (1 << 23); }  // [-1, 1)

 private:
  std::uint64_t state_;
};

// Every point of an n x n x n cube and its up to six neighbours.
Csr stencil(int n) {
  Csr matrix;
  matrix.row_offsets.push_back(0);
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        const std::int32_t row = (z * n + y) * n + x;
        const auto add = [&](bool is_inside, std::int32_t column, float value) {
          if (!is_inside) return;
          matrix.columns.push_back(column);
          matrix.values.push_back(value);
        };
        add(z > 0, row - n * n, -1);
        add(y > 0, row - n, -1);
        add(x > 0, row - 1, -1);
        add(true, row, 6);
        add(x + 1 < n, row + 1, -1);
        add(y + 1 < n, row + n, -1);
        add(z + 1 < n, row + n * n, -1);
        matrix.row_offsets.push_back(static_cast<std::int32_t>(matrix.columns.size()));
      }
  return matrix;
}

// R-MAT: 32 links per vertex on average. Each halves the matrix `scale` times and goes to a quarter with probability
// 0.57, 0.19, 0.19 or 0.05. Multiplied by an odd number, vertices with many links lie all over the matrix.
Csr network(int scale) {
  const std::int64_t vertices = std::int64_t{1} << scale, links = 32 * vertices;
  Draw draw(28);
  std::vector<std::int32_t> from, to;
  for (std::int64_t link = 0; link < links; ++link) {
    std::uint64_t row = 0, column = 0;
    for (int level = 0; level < scale; ++level) {
      const std::uint64_t percent = (draw.next() >> 32) * 100 >> 32;
      row = row << 1 | (percent >= 76 ? 1 : 0);
      column = column << 1 | ((percent >= 57 && percent < 76) || percent >= 95 ? 1 : 0);
    }
    const auto scattered = [&](std::uint64_t vertex) {
      return static_cast<std::int32_t>(vertex * 0x9e3779b1 % static_cast<std::uint64_t>(vertices));
    };
    from.push_back(scattered(row));
    to.push_back(scattered(column));
  }
  Csr matrix;
  matrix.row_offsets.resize(static_cast<std::size_t>(vertices) + 1);
  for (const std::int32_t row : from) ++matrix.row_offsets[static_cast<std::size_t>(row) + 1];
  for (std::size_t row = 0; row < static_cast<std::size_t>(vertices); ++row)
    matrix.row_offsets[row + 1] += matrix.row_offsets[row];
  std::vector<std::int32_t> next(matrix.row_offsets.begin(), matrix.row_offsets.end() - 1);
  matrix.columns.resize(to.size());
  for (std::size_t link = 0; link < to.size(); ++link)
    matrix.columns[static_cast<std::size_t>(next[static_cast<std::size_t>(from[link])]++)] = to[link];
  for (std::size_t j = 0; j < to.size(); ++j) matrix.values.push_back(draw.value());
  return matrix;
}

// ---- Measuring.

// Twice the L2 cache: overwriting it leaves nothing else in the cache.
std::size_t flush_bytes() {
  int device = 0, l2 = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device));
  return 2 * static_cast<std::size_t>(l2);
}

// The least of a few samples, each of which begins with an L2 cache that holds nothing of use.
double milliseconds(int samples, const std::function<void()>& work) {
  static const Device<char> flush(flush_bytes());
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  float least = INFINITY;
  for (int sample = 0; sample < samples; ++sample) {
    CHECK(cudaMemset(flush.get(), sample, flush.bytes()));
    CHECK(cudaEventRecord(begin));
    work();
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float time = 0;
    CHECK(cudaEventElapsedTime(&time, begin, end));
    least = std::min(least, time);
  }
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  return least;
}

// One matrix in every format.
class Comparison {
 public:
  explicit Comparison(const Csr& matrix)
      : matrix_(matrix),
        device_(matrix),
        x_(vector_for(matrix.rows())),
        device_x_(x_),
        device_y_(static_cast<std::size_t>(matrix.rows())) {}

  bool run(const char* name) {
    std::int64_t longest = 0;
    for (int row = 0; row < matrix_.rows(); ++row) longest = std::max(longest, length(row));
    const std::int64_t rows = matrix_.rows(), entries = static_cast<std::int64_t>(matrix_.columns.size());
    std::printf("%s: %lld rows, %lld entries, %.1f per row, %lld in the longest\n", name, static_cast<long long>(rows),
                static_cast<long long>(entries), static_cast<double>(entries) / static_cast<double>(rows),
                static_cast<long long>(longest));
    std::printf("%-22s %10s %9s %11s %11s\n", "format", "MB", "of CSR", "convert ms", "product ms");
    const float* const x = device_x_.get();
    float* const y = device_y_.get();
    const std::int32_t* const offsets = device_.row_offsets.get();
    const std::int32_t* const columns = device_.columns.get();
    const float* const values = device_.values.get();
    measure("CSR, a thread a row", device_.bytes(), 0,
            [&] { csr_thread_kernel<<<blocks_for(rows), kThreads>>>(offsets, columns, values, device_.rows, x, y); });
    measure("CSR, a warp a row", device_.bytes(), 0, [&] {
      csr_warp_kernel<<<blocks_for(rows * kWarp), kThreads>>>(offsets, columns, values, device_.rows, x, y);
    });
    const double ell_bytes = 8.0 * static_cast<double>(rows) * static_cast<double>(longest);
    if (ell_bytes <= kMostPadding * static_cast<double>(device_.bytes()))
      format("ELL", [&] { return ell_from_csr(device_, static_cast<int>(longest)); });
    else
      std::printf("%-22s %10.1f %8.2fx  too large\n", "ELL", ell_bytes / 1e6,
                  ell_bytes / static_cast<double>(device_.bytes()));
    format("hybrid", [&] { return hybrid_from_csr(device_); });
    format("JDS", [&] { return jds_from_csr(device_, matrix_.columns.size()); });
    std::printf("\n");
    return is_right_;
  }

 private:
  static constexpr double kMostPadding = 8;
  static constexpr int kSamples = 5;

  std::int64_t length(int row) const {
    const auto r = static_cast<std::size_t>(row);
    return matrix_.row_offsets[r + 1] - matrix_.row_offsets[r];
  }

  static std::vector<float> vector_for(int count) {
    Draw draw(14);
    std::vector<float> values;
    for (int i = 0; i < count; ++i) values.push_back(draw.value());
    return values;
  }

  template <class Convert>
  void format(const char* name, const Convert& convert) {
    const double time = milliseconds(2, [&] { convert(); });  // the first one also loads the kernels
    const auto converted = convert();
    measure(name, converted.bytes(), time, [&] { multiply(converted, device_x_.get(), device_y_.get()); });
  }

  void measure(const char* name, std::size_t bytes, double convert, const std::function<void()>& product) {
    const double time = milliseconds(kSamples, product);
    const char* const verdict = is_product() ? "" : "  WRONG";
    std::printf("%-22s %10.1f %8.2fx %11.3f %11.4f%s\n", name, static_cast<double>(bytes) / 1e6,
                static_cast<double>(bytes) / static_cast<double>(device_.bytes()), convert, time, verdict);
  }

  // A sum of n products in any order is within about n units of rounding of the sum of their absolute values.
  bool is_product() {
    const std::vector<float> y = device_y_.to_host();
    for (int row = 0; row < matrix_.rows(); ++row) {
      double sum = 0, absolute = 0;
      for (int j = matrix_.row_offsets[row]; j < matrix_.row_offsets[row + 1]; ++j) {
        const double product = double{matrix_.values[j]} * x_[matrix_.columns[j]];
        sum += product;
        absolute += std::abs(product);
      }
      const double bound = static_cast<double>(length(row) + 1) * 0x1p-24 * absolute;
      if (!(std::abs(y[row] - sum) <= bound)) return is_right_ = false;
    }
    return true;
  }

  const Csr& matrix_;
  DeviceCsr device_;
  std::vector<float> x_;
  Device<float> device_x_, device_y_;
  bool is_right_ = true;
};

int number(const char* text, int least, int greatest) {
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (*text != '\0' && *end == '\0' && value >= least && value <= greatest) return static_cast<int>(value);
  std::fprintf(stderr, "formats: '%s' is not a number from %d to %d\n", text, least, greatest);
  std::exit(2);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 1 && count != 3) {
    std::fprintf(stderr,
                 "usage: formats [POINTS SCALE], for a cube of POINTS^3 points and a network of 2^SCALE vertices\n");
    return 2;
  }
  const int points = count == 3 ? number(arguments[1], 1, 600) : 16;
  const int scale = count == 3 ? number(arguments[2], 1, 25) : 10;
  const Csr cube = stencil(points);
  const bool is_right = Comparison(cube).run("seven-point stencil");
  const Csr links = network(scale);
  return Comparison(links).run("network") && is_right ? 0 : 1;
}
