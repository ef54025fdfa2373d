// The contract of the image lab: the two functions to implement. Read it, but do not change it.
#pragma once

#include <cstdint>

#include "../cuda_host.cuh"  // CHECK, and scratch memory

/// No picture is wider or higher than this, so a grid of blocks 16 or 32 pixels wide and high never exceeds the limits
/// of the hardware. A picture of this size has more pixels than an int can count: index with std::size_t.
inline constexpr int kMaxExtent = 65535;

/// No blur has a larger radius than this.
inline constexpr int kMaxRadius = 64;

/// Turns a colour picture grey: L = 0.21 r + 0.72 g + 0.07 b, rounded to the nearest whole number.
///
/// Pictures are row-major and without padding: pixel (row, col) is at index row * width + col.
///
/// @param d_rgb   device memory, 3 * width * height bytes: red, green and blue of the first pixel, of the second, ...
///                Aligned to 256 bytes, as memory from cudaMalloc is. Read-only.
/// @param d_gray  device memory, width * height bytes, with the same alignment: one grey level per pixel, from 0
///                (black) to 255 (white). Its contents before the call are meaningless.
/// @param width, height  in pixels, each in [0, kMaxExtent]. Without pixels there is nothing to do.
///
/// The arrays do not overlap. Read and write nothing outside them. A level may be off by one. The function may return
/// before its kernel has finished. The caller reports any CUDA error that the function leaves pending.
void grayscale(const std::uint8_t* d_rgb, std::uint8_t* d_gray, int width, int height);

/// Blurs a grey picture: every pixel becomes the mean of those pixels of the square window around it that are inside
/// the picture, rounded to the nearest whole number.
///
/// The window of pixel (row, col) is rows row - radius ... row + radius and columns col - radius ... col + radius, both
/// ends included: (2 * radius + 1) squared pixels, not all of which are inside the picture near a border. With
/// radius 1, the mean is that of 9 pixels inside, 6 at an edge and 4 in a corner. The sum is divided by the number of
/// pixels in it.
///
/// @param d_in   device memory, width * height bytes, row-major, no padding, aligned to 256 bytes. Read-only.
/// @param d_out  device memory, width * height bytes, with the same alignment. Its contents before the call are
///               meaningless.
/// @param width, height  in pixels, each in [0, kMaxExtent]. Without pixels there is nothing to do.
/// @param radius in pixels, in [0, kMaxRadius]; 0 copies the picture. May be larger than the picture.
///
/// The arrays do not overlap. Read and write nothing outside them. A level may be off by one. The function must
/// allocate and free any scratch memory itself. It may return before its kernels have finished.
void blur(const std::uint8_t* d_in, std::uint8_t* d_out, int width, int height, int radius);
