// expect: seven_point: cuda error; memcheck
// Four points are loaded at once even where rows begin at addresses that are not multiples of 16 bytes.
#include "stencil.cuh"

__global__ void seven_point_kernel(const float* in, float* out, int nx, int ny, int nz) {
  const int x = 4 * (blockIdx.x * 32 + threadIdx.x);
  const int y = blockIdx.y * 8 + threadIdx.y;
  const int z = blockIdx.z;
  if (x >= nx || y >= ny) return;
  const int plane = nx * ny;
  const int i = (z * ny + y) * nx + x;
  const float4 four = *reinterpret_cast<const float4*>(in + i);
  const float centre[4] = {four.x, four.y, four.z, four.w};
  const bool inside = y > 0 && y < ny - 1 && z > 0 && z < nz - 1;
  for (int p = 0; p < 4 && x + p < nx; ++p) {
    const int k = i + p;
    out[k] = inside && x + p > 0 && x + p < nx - 1
                 ? kCentreWeight * centre[p] + kNeighbourWeight * (in[k - 1] + in[k + 1] + in[k - nx] + in[k + nx] +
                                                                   in[k - plane] + in[k + plane])
                 : centre[p];
  }
}

void seven_point(const float* d_in, float* d_out, int nx, int ny, int nz) {
  if (nx == 0 || ny == 0 || nz == 0) return;
  const dim3 grid((nx + 127) / 128, (ny + 7) / 8, nz);
  seven_point_kernel<<<grid, dim3(32, 8)>>>(d_in, d_out, nx, ny, nz);
}
