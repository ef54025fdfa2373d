// expect: seven_point: right
// Each thread makes four points of a row where vectors of them are aligned, and otherwise one.
// The difference next to it spoils it.
#include "stencil.cuh"

__global__ void seven_point_kernel(const float* in, float* out, int nx, int ny, int nz, int points) {
  const int x = points * (blockIdx.x * 32 + threadIdx.x);
  const int y = blockIdx.y * 8 + threadIdx.y;
  const int z = blockIdx.z;
  if (x >= nx || y >= ny) return;
  const int plane = nx * ny;
  const int i = (z * ny + y) * nx + x;
  float centre[4] = {};
  if (points == 4) {
    const float4 four = *reinterpret_cast<const float4*>(in + i);
    centre[0] = four.x, centre[1] = four.y, centre[2] = four.z, centre[3] = four.w;
  } else {
    centre[0] = in[i];
  }
  const bool inside = y > 0 && y < ny - 1 && z > 0 && z < nz - 1;
  for (int p = 0; p < points; ++p) {
    const int k = i + p;
    out[k] = inside && x + p > 0 && x + p < nx - 1
                 ? kCentreWeight * centre[p] + kNeighbourWeight * (in[k - 1] + in[k + 1] + in[k - nx] + in[k + nx] +
                                                                   in[k - plane] + in[k + plane])
                 : centre[p];
  }
}

void seven_point(const float* d_in, float* d_out, int nx, int ny, int nz) {
  if (nx == 0 || ny == 0 || nz == 0) return;
  const int points = nx % 4 == 0 ? 4 : 1;
  const dim3 grid((nx + 32 * points - 1) / (32 * points), (ny + 7) / 8, nz);
  seven_point_kernel<<<grid, dim3(32, 8)>>>(d_in, d_out, nx, ny, nz, points);
}
