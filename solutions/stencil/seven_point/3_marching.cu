// Step 3 of seven_point: threads march along z, with three values in registers.
// Idea      a thread takes a column of 16 points, plane by plane. What was above becomes the centre, the centre
//           becomes what is below, and only one value is loaded for z. Nobody needs to wait for anybody: neighbours in
//           x and y come from the first-level cache, where the lanes and warps beside have just put them.
// Gain      x 1.30 on an H200 (639 x 640 x 640): five loads per point instead of seven, and the two that are saved are
//           those that come from far away. The time no longer depends on how many planes fit into the cache.
// Traffic   8 bytes per point, and two planes again for every 16.
// Wastes    a thread has only 4 bytes on their way at a time, and waits for them in every plane.
#include "stencil.cuh"

namespace {

constexpr int kBlockX = 32;
constexpr int kBlockY = 8;
constexpr int kChunk = 16;  // planes that a block marches through
static_assert(kBlockX % 32 == 0, "the lanes of a warp have neighbouring x");
static_assert((kMaxExtent + kBlockY - 1) / kBlockY <= 65535, "a grid has at most 65,535 blocks in y and in z");

__global__ void seven_point_kernel(const float* in, float* out, int nx, int ny, int nz) {
  const int x = static_cast<int>(blockIdx.x * kBlockX + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * kBlockY + threadIdx.y);
  const int first = static_cast<int>(blockIdx.z) * kChunk;
  const int end = min(first + kChunk, nz);
  const int plane = nx * ny;
  if (x >= nx || y >= ny) return;                                  // there is no barrier to wait at
  const bool inside = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;  // of the plane

  int i = (first * ny + y) * nx + x;
  float below = first > 0 ? in[i - plane] : 0.0f;
  float centre = in[i];
  for (int z = first; z < end; ++z, i += plane) {
    const float above = z + 1 < nz ? in[i + plane] : 0.0f;
    if (inside && z > 0 && z < nz - 1)
      out[i] =
          kCentreWeight * centre + kNeighbourWeight * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + below + above);
    else
      out[i] = centre;
    below = centre;  // the order matters
    centre = above;
  }
}

}  // namespace

void seven_point(const float* d_in, float* d_out, int nx, int ny, int nz) {
  if (nx == 0 || ny == 0 || nz == 0) return;  // a grid of no blocks is an error
  const dim3 block(kBlockX, kBlockY);
  const dim3 grid((nx + kBlockX - 1) / kBlockX, (ny + kBlockY - 1) / kBlockY, (nz + kChunk - 1) / kChunk);
  seven_point_kernel<<<grid, block>>>(d_in, d_out, nx, ny, nz);
  CHECK(cudaGetLastError());
}
