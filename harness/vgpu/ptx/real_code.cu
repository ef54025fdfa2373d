// Device code for the tests of the PTX front end: a little of everything that nvcc writes. The tests find its lines by
// the words `// line: NAME`.
#include <cstdio>

struct Pair {
  char first;
  double second;
};

__constant__ float c_weights[4] = {0.5f, -1.25f, 3.0f, 1e-10f};
__device__ int d_table[2][3] = {{1, 2, 3}, {-4}};
__device__ double d_numbers[2] = {0.1, -2.5};
__device__ unsigned long long d_wide = 0xFEDCBA9876543210ull;
__device__ char d_letters[] = "lanes";
__device__ int* d_pointers[3] = {&d_table[1][2], nullptr, &d_table[0][1]};
__device__ int* const d_row = d_table[1];
__managed__ int m_flag = 7;
__device__ float d_scratch[1000];

__device__ __forceinline__ float weighed(float x, int i) {
  return x * c_weights[i & 3];  // line: weighed
}

__device__ __noinline__ int mixed(int a, Pair p) { return a + p.first + static_cast<int>(p.second); }  // line: mixed

__device__ int doubled(int x) { return 2 * x; }
__device__ int halved(int x) { return x / 2; }
__device__ int (*const d_ways[2])(int) = {doubled, halved};

extern "C" __global__ void sum_of_tile(const float* in, float* out, int n) {
  __shared__ float tile[256];
  extern __shared__ float more[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? weighed(in[i], i) : 0.0f;  // line: call of weighed
  more[threadIdx.x] = tile[threadIdx.x];
  __syncthreads();
  float sum = 0.0f;
  for (int k = 0; k < 256; ++k) sum += tile[k] * more[k];
  d_scratch[i % 1000] = sum;  // line: scratch
  if (i < n) out[i] = sum;
}

extern "C" __global__ void __launch_bounds__(128, 2) choose(const float4* in, double* out, int how) {
  const float4 v = in[threadIdx.x];
  double result = d_numbers[threadIdx.x & 1];
  switch (how) {
    case 0:
      result += v.x;
      break;
    case 1:
      result *= v.y;
      break;
    case 2:
      result -= v.z;
      break;
    case 3:
      result = v.w / result;
      break;
    case 4:
      result = sqrt(result);
      break;
    case 5:
      result = result * result + 1;
      break;
    case 6:
      result = fabs(result);
      break;
    case 7:
      asm volatile("trap;");
      break;
    case 8:
      printf("%d %s\n", m_flag, d_letters);
      break;
  }
  out[threadIdx.x] = result;
}

extern "C" __global__ void spilling(int* data, Pair pair, int n) {
  int window[64];
  for (int i = 0; i < 64; ++i) window[i] = data[i];
  for (int i = 0; i < n; ++i) window[data[i] & 63] += window[(data[i] >> 8) & 63];
  data[threadIdx.x] = window[threadIdx.x & 63] + mixed(n, pair) + d_ways[n & 1](n) + *d_pointers[n & 1] + d_row[n & 1];
  if (threadIdx.x == 0) atomicAdd(&d_wide, static_cast<unsigned long long>(__ballot_sync(~0u, n > 3)));
}

template <int kCount>
__global__ void two_tiles(short* out) {
  __shared__ short a[kCount];
  __shared__ alignas(16) double b[3];
  a[threadIdx.x % kCount] = static_cast<short>(threadIdx.x);
  b[threadIdx.x % 3] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = static_cast<short>(a[(threadIdx.x + 1) % kCount] + b[(threadIdx.x + 1) % 3]);
}
template __global__ void two_tiles<33>(short*);

extern "C" __global__ void __launch_bounds__(256, 8) crowded(float* data, int n) {
  float values[48];
  for (int i = 0; i < 48; ++i) values[i] = data[i * 256 + threadIdx.x];
  for (int round = 0; round < n; ++round) {
    for (int i = 0; i < 48; ++i) values[i] = values[i] * values[(7 * i + 3) % 48] + 1.0f;
  }
  for (int i = 0; i < 48; ++i) data[i * 256 + threadIdx.x] = values[i];
}
