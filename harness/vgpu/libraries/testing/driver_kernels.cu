// Kernels and variables that driver_program.cu loads as PTX; with SECOND, of another file that it links with them.
#ifdef SECOND

extern "C" __device__ int scaled(int value) { return value * 10; }

#else

struct Pair {
  double scale;
  int shift;
};

__constant__ int factor = 3;
__device__ int total;
__device__ int table[4] = {1, 2, 3, 4};

// Parameters of different sizes, so that there are gaps between them.
extern "C" __global__ void combine(int* y, const int* x, char few, Pair pair, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += factor * x[i] * static_cast<int>(pair.scale) + pair.shift + few;
}

extern "C" __global__ void sum(const int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&total, x[i] + table[i % 4]);
}

extern "C" __global__ void nothing() {}

extern "C" __global__ void neighbours(int* x) { x[threadIdx.x] = x[threadIdx.x + 1]; }

extern "C" __global__ void beyond(int* x, int n) { x[(1 << 20) + n] = 1; }

extern "C" __global__ void shared_bytes(int* x) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

#ifdef CALLS_SECOND
extern "C" __device__ int scaled(int value);
extern "C" __global__ void scale(int* x) { x[threadIdx.x] = scaled(x[threadIdx.x]); }
#endif

#endif
