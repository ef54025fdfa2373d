// The contract of the stencil lab: the two functions to implement. Read it, but do not change it.
#pragma once

#include "../cuda_host.cuh"  // CHECK, and scratch memory

/// The largest radius of a mask: 15 x 15 = 225 taps.
inline constexpr int kMaxRadius = 7;

/// No extent of a picture or of a grid is larger. All pixels, or all points, can be counted with an int.
inline constexpr int kMaxExtent = 65535;

/// Weights of the seven-point stencil: that of the point itself, and that of each of its six neighbours.
inline constexpr float kCentreWeight = 0.25f;
inline constexpr float kNeighbourWeight = 0.125f;

/// Lays a mask of (2 * radius + 1) x (2 * radius + 1) taps over every pixel, and adds up the products:
///
///     out(row, col) = sum of mask(radius + i, radius + j) * in(row + i, col + j)   for -radius <= i, j <= radius
///
/// The mask is not turned: its first row lies above the pixel, its first column to the left. (Mathematicians call this
/// a correlation. A convolution turns the mask by 180 degrees first.) Pixels outside the picture count as 0.
///
/// @param d_in    width * height pixels in device memory, row by row, aligned to 256 bytes, as memory from cudaMalloc
///                is. Rows follow each other without a gap. Read-only.
/// @param d_mask  (2 * radius + 1)^2 taps in device memory, row by row, with the same alignment. Read-only.
/// @param d_out   width * height pixels, likewise. Its contents before the call are meaningless.
/// @param width, height  0 to kMaxExtent; their product fits into an int. Without pixels there is nothing to do.
/// @param radius  0 to kMaxRadius.
///
/// Pixels are integers from -4095 to 4095, taps integers from -15 to 15, all of them stored as floats. So no sum of
/// products is larger than 225 * 4095 * 15 < 2^24, and floats hold all such integers: additions in any order, fused
/// with the products or not, give the same result, and this is the one asked for. The arrays do not overlap. Write
/// nothing outside d_out, and read nothing outside the other two. The function may return before its kernels have
/// finished. The caller reports any CUDA error that the function leaves pending.
void convolve(const float* d_in, const float* d_mask, float* d_out, int width, int height, int radius);

/// One step of a seven-point stencil on a grid in three dimensions. Inside,
///
///     out(x, y, z) = kCentreWeight * in(x, y, z) + kNeighbourWeight * (in(x - 1, y, z) + in(x + 1, y, z)
///                    + in(x, y - 1, z) + in(x, y + 1, z) + in(x, y, z - 1) + in(x, y, z + 1))
///
/// Points on the border (those with x, y or z equal to 0, or x = nx - 1, y = ny - 1 or z = nz - 1) are copied.
///
/// @param d_in    nx * ny * nz points in device memory, aligned to 256 bytes: point (x, y, z) is d_in[(z * ny + y) * nx
///                + x]. Read-only.
/// @param d_out   as many points, with the same alignment. Its contents before the call are meaningless.
/// @param nx, ny, nz  0 to kMaxExtent; their product fits into an int. Without points there is nothing to do.
///
/// Values are integers from -2^20 to 2^20, stored as floats, and both weights are powers of two: every product and
/// every sum is a multiple of 1/8 that a float holds, so the result does not depend on the order of additions here
/// either. The rest is as for convolve.
void seven_point(const float* d_in, float* d_out, int nx, int ny, int nz);
