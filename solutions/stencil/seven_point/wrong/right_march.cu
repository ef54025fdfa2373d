// expect: seven_point: right
// Blocks march along z, with a tile of the plane in shared memory and the column's three values in registers.
// The differences next to it spoil it in one way each.
#include "stencil.cuh"

constexpr int kTileX = 32;
constexpr int kTileY = 8;
constexpr int kChunk = 16;

__global__ void seven_point_kernel(const float* in, float* out, int nx, int ny, int nz) {
  __shared__ float tile[kTileY + 2][kTileX + 2];
  const int tx = threadIdx.x + 1;
  const int ty = threadIdx.y + 1;
  const int x = blockIdx.x * kTileX + threadIdx.x;
  const int y = blockIdx.y * kTileY + threadIdx.y;
  const int first = blockIdx.z * kChunk;
  const int end = min(first + kChunk, nz);
  const int plane = nx * ny;
  const bool exists = x < nx && y < ny;
  const bool inside = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
  int i = (first * ny + y) * nx + x;
  float below = exists && first > 0 ? in[i - plane] : 0.0f;
  float centre = exists ? in[i] : 0.0f;
  for (int z = first; z < end; ++z, i += plane) {
    const float above = exists && z + 1 < nz ? in[i + plane] : 0.0f;
    tile[ty][tx] = centre;
    if (inside && tx == 1) tile[ty][0] = in[i - 1];
    if (inside && tx == kTileX) tile[ty][kTileX + 1] = in[i + 1];
    if (inside && ty == 1) tile[0][tx] = in[i - nx];
    if (inside && ty == kTileY) tile[kTileY + 1][tx] = in[i + nx];
    __syncthreads();
    float result = centre;
    if (inside && z > 0 && z < nz - 1) {
      const float in_plane = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx];
      result = kCentreWeight * centre + kNeighbourWeight * (in_plane + below + above);
    }
    if (exists) out[i] = result;
    __syncthreads();
    below = centre;
    centre = above;
  }
}

void seven_point(const float* d_in, float* d_out, int nx, int ny, int nz) {
  if (nx == 0 || ny == 0 || nz == 0) return;
  const dim3 grid((nx + kTileX - 1) / kTileX, (ny + kTileY - 1) / kTileY, (nz + kChunk - 1) / kChunk);
  seven_point_kernel<<<grid, dim3(kTileX, kTileY)>>>(d_in, d_out, nx, ny, nz);
}
