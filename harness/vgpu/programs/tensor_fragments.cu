// Which element of a matrix each lane holds in each place of a wmma fragment, which PTX leaves to the hardware, and
// what wmma computes. A digest stands for each; with the argument `all`, every number is printed.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "check.cuh"

namespace wmma = nvcuda::wmma;
using Half = __half;
using Brain = __nv_bfloat16;
using Byte = signed char;
using Tensor = wmma::precision::tf32;
using U64 = unsigned long long;

bool print_all = false;

void print(const char* name, const std::vector<U64>& numbers, size_t a_line) {
  std::printf("%s %zu %016llx\n", name, a_line, digest(numbers.data(), numbers.size() * sizeof(U64)));
  for (size_t i = 0; print_all && i < numbers.size(); ++i)
    std::printf("%llx%c", numbers[i], i % a_line == a_line - 1 ? '\n' : ' ');
}

/// A device's copy of host data.
template <class T>
struct OnDevice {
  explicit OnDevice(const std::vector<T>& from) : count(from.size()) {
    CHECK(cudaMalloc(&at, count * sizeof(T)));
    CHECK(cudaMemcpy(at, from.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
  OnDevice(const OnDevice&) = delete;
  ~OnDevice() { cudaFree(at); }
  std::vector<T> back() const {
    std::vector<T> to(count);
    CHECK(cudaMemcpy(to.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
  }
  T* at;
  size_t count;
};

template <class Use, int M, int N, int K, class T, class Layout>
struct Operand {
  using Fragment = wmma::fragment<Use, M, N, K, T, Layout>;
  template <class Memory>
  static __device__ void load(Fragment& fragment, const Memory* matrix, int stride) {
    wmma::load_matrix_sync(fragment, matrix, stride);
  }
};
template <int M, int N, int K, class T, wmma::layout_t Order>
struct Sums {
  using Fragment = wmma::fragment<wmma::accumulator, M, N, K, T>;
  template <class Memory>
  static __device__ void load(Fragment& fragment, const Memory* matrix, int stride) {
    wmma::load_matrix_sync(fragment, matrix, stride, Order);
  }
};

template <class How, class Memory>
__global__ void load(const Memory* matrix, int stride, U64* places) {
  typename How::Fragment fragment;
  How::load(fragment, matrix, stride);
  for (int i = 0; i < fragment.num_elements; ++i) {
    U64 bits = 0;
    memcpy(&bits, &fragment.x[i], sizeof fragment.x[i]);
    places[threadIdx.x * fragment.num_elements + i] = bits;
  }
}

/// Element n of the matrix, as it lies in memory, is the number n. Bytes show its lower half, then its upper half.
template <class How, class Memory>
void fragment_of(const char* name, int stride, int lines) {
  constexpr size_t kPlaces = How::Fragment::num_elements;
  std::vector<U64> seen(32 * kPlaces, 0);
  for (int half = 0; half < (sizeof(Memory) == 1 ? 2 : 1); ++half) {
    std::vector<Memory> matrix(stride * lines);
    for (size_t n = 0; n < matrix.size(); ++n) {
      const U64 bits = half == 0 ? n : n >> 8;
      memcpy(static_cast<void*>(&matrix[n]), &bits, sizeof(Memory));
    }
    const OnDevice<Memory> device(matrix);
    const OnDevice<U64> places(std::vector<U64>(seen.size(), 0));
    load<How><<<1, 32>>>(device.at, stride, places.at);
    CHECK(cudaGetLastError());
    const std::vector<U64> now = places.back();
    for (size_t i = 0; i < seen.size(); ++i) seen[i] |= now[i] << (8 * half);
  }
  print(name, seen, kPlaces);
}

template <int M, int N, int K, class T, class Memory>
void operands(const char* name) {
  const std::string text(name);
  fragment_of<Operand<wmma::matrix_a, M, N, K, T, wmma::row_major>, Memory>((text + " a row").c_str(), K, M);
  fragment_of<Operand<wmma::matrix_a, M, N, K, T, wmma::col_major>, Memory>((text + " a col").c_str(), M, K);
  fragment_of<Operand<wmma::matrix_b, M, N, K, T, wmma::row_major>, Memory>((text + " b row").c_str(), N, K);
  fragment_of<Operand<wmma::matrix_b, M, N, K, T, wmma::col_major>, Memory>((text + " b col").c_str(), K, N);
}
template <int M, int N, int K, class T>
void sums(const char* name) {
  const std::string text(name);
  fragment_of<Sums<M, N, K, T, wmma::mem_row_major>, T>((text + " c row").c_str(), N, M);
  fragment_of<Sums<M, N, K, T, wmma::mem_col_major>, T>((text + " c col").c_str(), M, N);
}

// --- products ---

template <int M, int N, int K, class T, class Sum, class Memory>
__global__ void multiply(const Memory* a, const Memory* b, const Sum* c, Sum* d) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
  wmma::load_matrix_sync(left, a + blockIdx.x * M * K, K);
  wmma::load_matrix_sync(right, b + blockIdx.x * N * K, K);
  wmma::load_matrix_sync(sum, c + blockIdx.x * M * N, N, wmma::mem_row_major);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(d + blockIdx.x * M * N, sum, N, wmma::mem_row_major);
}

struct Generator {
  U64 state = 0x9E3779B97F4A7C15ull;
  U64 next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 2685821657736338717ull;
  }
};

/// Sixteenths or so, with exponents that differ by 2^16 at most; integers as they come.
template <class T>
T random_number(Generator& random) {
  const U64 bits = random.next() >> 20;
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(bits);
  } else {
    const double fraction = static_cast<double>(bits & 0xFFFFFFF) / 0x8000000 - 1;
    const double scaled = fraction / static_cast<double>(1 << (bits >> 28 & 15));
    if constexpr (std::is_same_v<T, double>)
      return scaled;
    else
      return T(static_cast<float>(scaled));
  }
}

template <int M, int N, int K, class T, class Sum, class Memory>
void products(const char* name) {
  constexpr int kProducts = 4;
  Generator random;
  std::vector<Memory> a(kProducts * M * K), b(kProducts * N * K);
  std::vector<Sum> c(kProducts * M * N);
  for (Memory& each : a) each = random_number<Memory>(random);
  for (Memory& each : b) each = random_number<Memory>(random);
  for (Sum& each : c) each = random_number<Sum>(random);
  const OnDevice<Memory> d_a(a), d_b(b);
  const OnDevice<Sum> d_c(c), d_d(c);
  multiply<M, N, K, T, Sum><<<kProducts, 32>>>(d_a.at, d_b.at, d_c.at, d_d.at);
  CHECK(cudaGetLastError());
  std::vector<U64> bits;
  for (const Sum each : d_d.back()) {
    bits.push_back(0);
    memcpy(&bits.back(), &each, sizeof each);
  }
  print(name, bits, 16);
}

int main(int count, char** arguments) {
  print_all = count > 1 && std::strcmp(arguments[1], "all") == 0;
  operands<16, 16, 16, Half, Half>("f16 16 16 16");
  operands<32, 8, 16, Half, Half>("f16 32 8 16");
  operands<8, 32, 16, Half, Half>("f16 8 32 16");
  operands<16, 16, 16, Brain, Brain>("bf16 16 16 16");
  operands<32, 8, 16, Brain, Brain>("bf16 32 8 16");
  operands<8, 32, 16, Brain, Brain>("bf16 8 32 16");
  operands<16, 16, 8, Tensor, float>("tf32 16 16 8");
  operands<16, 16, 16, Byte, Byte>("s8 16 16 16");
  operands<32, 8, 16, Byte, Byte>("s8 32 8 16");
  operands<8, 32, 16, Byte, Byte>("s8 8 32 16");
  fragment_of<Operand<wmma::matrix_a, 8, 8, 4, double, wmma::row_major>, double>("f64 a row", 4, 8);
  fragment_of<Operand<wmma::matrix_a, 8, 8, 4, double, wmma::col_major>, double>("f64 a col", 8, 4);
  fragment_of<Operand<wmma::matrix_b, 8, 8, 4, double, wmma::row_major>, double>("f64 b row", 8, 4);
  fragment_of<Operand<wmma::matrix_b, 8, 8, 4, double, wmma::col_major>, double>("f64 b col", 4, 8);
  sums<16, 16, 16, Half>("f16 16 16 16");
  sums<32, 8, 16, Half>("f16 32 8 16");
  sums<8, 32, 16, Half>("f16 8 32 16");
  sums<16, 16, 16, float>("f32 16 16 16");
  sums<32, 8, 16, float>("f32 32 8 16");
  sums<8, 32, 16, float>("f32 8 32 16");
  sums<16, 16, 8, float>("f32 16 16 8");
  sums<16, 16, 16, int>("s32 16 16 16");
  sums<32, 8, 16, int>("s32 32 8 16");
  sums<8, 32, 16, int>("s32 8 32 16");
  sums<8, 8, 4, double>("f64 8 8 4");
  products<16, 16, 16, Half, float, Half>("f16 16 16 16 f32");
  products<32, 8, 16, Half, float, Half>("f16 32 8 16 f32");
  products<8, 32, 16, Half, float, Half>("f16 8 32 16 f32");
  products<16, 16, 16, Half, Half, Half>("f16 16 16 16 f16");
  products<32, 8, 16, Half, Half, Half>("f16 32 8 16 f16");
  products<8, 32, 16, Half, Half, Half>("f16 8 32 16 f16");
  products<16, 16, 16, Brain, float, Brain>("bf16 16 16 16");
  products<32, 8, 16, Brain, float, Brain>("bf16 32 8 16");
  products<8, 32, 16, Brain, float, Brain>("bf16 8 32 16");
  products<16, 16, 8, Tensor, float, float>("tf32 16 16 8");
  products<16, 16, 16, Byte, int, Byte>("s8 16 16 16");
  products<32, 8, 16, Byte, int, Byte>("s8 32 8 16");
  products<8, 32, 16, Byte, int, Byte>("s8 8 32 16");
  products<8, 8, 4, double, double, double>("f64 8 8 4");
}
