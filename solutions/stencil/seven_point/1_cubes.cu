// Step 1 of seven_point: one thread for each point, in blocks of 8 x 8 x 8.
// Idea      three loops become three coordinates of the grid, and a cube is the block with the smallest surface.
// Gain      the yardstick of the ladder: 1.32 ms for 1024 x 512 x 512 points on an H200, 1.6 TB/s.
// Traffic   8 bytes per point would do; the caches serve most of the other six reads.
// Wastes    a warp is 8 points wide and 4 high: each of its loads touches four rows, and gathers four pieces of 32
//           bytes where one piece of 128 would be at hand.
#include "stencil.cuh"

namespace {

constexpr int kBlockX = 8;
constexpr int kBlockY = 8;
constexpr int kBlockZ = 8;
static_assert(kBlockX * kBlockY * kBlockZ <= 1024, "a block has at most 1024 threads");
static_assert((kMaxExtent + kBlockZ - 1) / kBlockZ <= 65535, "a grid has at most 65,535 blocks in y and in z");

__global__ void seven_point_kernel(const float* in, float* out, int nx, int ny, int nz) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int z = static_cast<int>(blockIdx.z * blockDim.z + threadIdx.z);
  if (x >= nx || y >= ny || z >= nz) return;
  const int i = (z * ny + y) * nx + x;
  const int plane = nx * ny;
  if (x == 0 || x == nx - 1 || y == 0 || y == ny - 1 || z == 0 || z == nz - 1)
    out[i] = in[i];
  else
    out[i] = kCentreWeight * in[i] +
             kNeighbourWeight * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - plane] + in[i + plane]);
}

}  // namespace

void seven_point(const float* d_in, float* d_out, int nx, int ny, int nz) {
  if (nx == 0 || ny == 0 || nz == 0) return;  // a grid of no blocks is an error
  const dim3 block(kBlockX, kBlockY, kBlockZ);
  const dim3 grid((nx + kBlockX - 1) / kBlockX, (ny + kBlockY - 1) / kBlockY, (nz + kBlockZ - 1) / kBlockZ);
  seven_point_kernel<<<grid, block>>>(d_in, d_out, nx, ny, nz);
  CHECK(cudaGetLastError());
}
