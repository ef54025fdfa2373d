// Kernels that the speed of the virtual GPU is measured with: typical first versions, as students write them.

/// The yardstick: 16 x 16 tiles, n a multiple of 16.
extern "C" __global__ void matmul_tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float a_tile[16][16], b_tile[16][16];
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += 16) {
    a_tile[threadIdx.y][threadIdx.x] = a[row * n + k0 + threadIdx.x];
    b_tile[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

/// Later steps read vectors: 64 x 64 tiles, of which a thread computes 4 x 4; n a multiple of 64.
extern "C" __global__ void matmul_registers(const float* a, const float* b, float* c, int n) {
  __shared__ float4 a_columns[16][16], b_rows[16][16];
  const int thread = threadIdx.y * 16 + threadIdx.x;
  const int row = blockIdx.y * 64, col = blockIdx.x * 64;
  float sums[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
    for (int m = 0; m < 4; ++m)
      reinterpret_cast<float*>(a_columns[thread % 16])[thread / 16 * 4 + m] =
          a[(row + thread / 16 * 4 + m) * n + k0 + thread % 16];
    b_rows[thread / 16][thread % 16] =
        *reinterpret_cast<const float4*>(b + (k0 + thread / 16) * n + col + thread % 16 * 4);
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      const float4 left = a_columns[k][threadIdx.y], right = b_rows[k][threadIdx.x];
      const float lefts[4] = {left.x, left.y, left.z, left.w}, rights[4] = {right.x, right.y, right.z, right.w};
      for (int m = 0; m < 4; ++m)
        for (int n4 = 0; n4 < 4; ++n4) sums[m][n4] += lefts[m] * rights[n4];
    }
    __syncthreads();
  }
  for (int m = 0; m < 4; ++m)
    *reinterpret_cast<float4*>(c + (row + threadIdx.y * 4 + m) * n + col + threadIdx.x * 4) =
        make_float4(sums[m][0], sums[m][1], sums[m][2], sums[m][3]);
}

/// Memory-bound: one element a thread.
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

/// Barriers and divergence: Kogge-Stone in shared memory, one block of 256 elements each.
extern "C" __global__ void block_scan(const int* in, int* out, int n) {
  __shared__ int values[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  values[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    const int add = threadIdx.x >= d ? values[threadIdx.x - d] : 0;
    __syncthreads();
    values[threadIdx.x] += add;
    __syncthreads();
  }
  if (i < n) out[i] = values[threadIdx.x];
}

/// Atomics in shared memory, scattered addresses.
extern "C" __global__ void byte_histogram(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned own[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[in[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], own[b]);
}

/// Bytes, and branches at the border.
extern "C" __global__ void blur(const unsigned char* in, unsigned char* out, int width, int height) {
  const int x = blockIdx.x * 16 + threadIdx.x;
  const int y = blockIdx.y * 16 + threadIdx.y;
  if (x >= width || y >= height) return;
  int sum = 0, count = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height) {
        sum += in[(y + dy) * width + x + dx];
        ++count;
      }
  out[y * width + x] = static_cast<unsigned char>(sum / count);
}
