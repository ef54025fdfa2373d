// expect: seven_point: right
// One thread for each point.
// The differences next to it spoil it in one way each.
#include "stencil.cuh"

constexpr int kBlockX = 32;
constexpr int kBlockY = 8;

__global__ void seven_point_kernel(const float* in, float* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * kBlockX + threadIdx.x;
  const int y = blockIdx.y * kBlockY + threadIdx.y;
  const int z = blockIdx.z;
  if (x >= nx || y >= ny) return;
  const int plane = nx * ny;
  const auto at = [&](int a, int b, int c) { return in[(c * ny + b) * nx + a]; };
  float value = at(x, y, z);
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) {
    const float in_plane = at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z);
    const float in_z = in[z * plane + y * nx + x - plane] + in[z * plane + y * nx + x + plane];
    value = kCentreWeight * value + kNeighbourWeight * (in_plane + in_z);
  }
  out[(z * ny + y) * nx + x] = value;
}

void seven_point(const float* d_in, float* d_out, int nx, int ny, int nz) {
  if (nx == 0 || ny == 0 || nz == 0) return;
  const dim3 grid((nx + kBlockX - 1) / kBlockX, (ny + kBlockY - 1) / kBlockY, nz);
  seven_point_kernel<<<grid, dim3(kBlockX, kBlockY)>>>(d_in, d_out, nx, ny, nz);
}
