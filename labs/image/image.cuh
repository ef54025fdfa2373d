// The contract of the lab image: the two functions to implement. Read it; there is nothing to change in it.
#pragma once

#include <cstdint>

/// No picture is wider or higher than this, so that a grid of blocks 16 or 32 pixels on a side always fits the
/// hardware's limits. A picture of this size holds more pixels than an int can count: index with std::size_t.
inline constexpr int kMaxExtent = 65535;

/// No blur reaches further than this many pixels.
inline constexpr int kMaxRadius = 64;

/// Turns a colour picture grey: L = 0.21 r + 0.72 g + 0.07 b, rounded to the nearest whole number.
///
/// Pictures are row-major and without padding: pixel (row, col) is the (row * width + col)-th.
///
/// @param d_rgb   device memory, 3 * width * height bytes: red, green and blue of the first pixel, of the second, ...
///                Aligned to 256 bytes, as cudaMalloc gives it. Read only.
/// @param d_gray  device memory, width * height bytes, aligned likewise: one level of grey a pixel, 0 black, 255 white.
///                What it holds before the call has no meaning.
/// @param width, height  in pixels, each in [0, kMaxExtent]. Without pixels there is nothing to do.
///
/// The arrays do not overlap. Nothing outside them may be read or written. A level may be off by one. The function may
/// return before its kernel has finished; a CUDA error that is left behind is reported by whoever called.
void grayscale(const std::uint8_t* d_rgb, std::uint8_t* d_gray, int width, int height);

/// Blurs a grey picture: every pixel becomes the mean of those pixels of the square window around it that lie inside
/// the picture, rounded to the nearest whole number.
///
/// The window of pixel (row, col) is rows row - radius ... row + radius and columns col - radius ... col + radius, both
/// ends included: (2 * radius + 1) squared pixels, of which fewer lie inside the picture near a border. With radius 1
/// that is 9 pixels inside, 6 at an edge and 4 in a corner. The sum is divided by the number of pixels in it.
///
/// @param d_in   device memory, width * height bytes, row-major, no padding, aligned to 256 bytes. Read only.
/// @param d_out  device memory, width * height bytes, aligned likewise. What it holds before the call has no meaning.
/// @param width, height  in pixels, each in [0, kMaxExtent]. Without pixels there is nothing to do.
/// @param radius in pixels, in [0, kMaxRadius]; 0 copies the picture. May be larger than the picture.
///
/// The arrays do not overlap. Nothing outside them may be read or written. A level may be off by one. Scratch memory is
/// the function's own to allocate and to free. The function may return before its kernels have finished.
void blur(const std::uint8_t* d_in, std::uint8_t* d_out, int width, int height, int radius);
