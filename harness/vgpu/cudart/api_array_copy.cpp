// Copies to and from CUDA arrays. Their elements lie in device memory row by row, so these are copies of linear memory.
#include <algorithm>
#include <string>

#include "harness/vgpu/cudart/entry.h"

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

/// A rectangle of an array as rows of linear memory: x and width in bytes, y and height in rows.
struct ArrayRows {
  std::byte* at = nullptr;  ///< a device address
  size_t pitch = 0;
};

cudaError_t find_rows(cudaArray_const_t array, size_t x, size_t y, size_t width, size_t height, ArrayRows& rows) {
  return device_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    const ArrayState* const state = device.images.array(array);
    if (state == nullptr) return cudaErrorInvalidResourceHandle;
    const Image& image = state->image;
    const size_t row = size_t{image.width} * image.format.bytes();
    const size_t count = size_t{image.height} * image.depth * image.layers;
    if (x > row || width > row - x || y > count || height > count - y) {
      runtime.note("invalid argument",
                   "a copy of " + std::to_string(height) + " rows of " + std::to_string(width) + " bytes at byte " +
                       std::to_string(x) + " of row " + std::to_string(y) + " runs past the end of a CUDA array of " +
                       std::to_string(count) + " rows of " + std::to_string(row) + " bytes",
                   "Widths and x offsets are in bytes: count * sizeof(element).");
      return cudaErrorInvalidValue;
    }
    rows = {reinterpret_cast<std::byte*>(image.address + y * image.row_bytes + x), image.row_bytes};
    return cudaSuccess;
  });
}

/// How a copy is to be made.
struct Manner {
  cudaMemcpyKind kind;
  cudaStream_t stream;
  bool asynchronous;
};

/// An array is device memory, whatever the caller says.
bool leads_to_array(cudaMemcpyKind kind) { return kind != cudaMemcpyHostToHost && kind != cudaMemcpyDeviceToHost; }
bool leads_from_array(cudaMemcpyKind kind) { return kind != cudaMemcpyHostToHost && kind != cudaMemcpyHostToDevice; }

cudaError_t move_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                      const Manner& how) {
  if (!how.asynchronous && how.stream == nullptr)
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, how.kind);
  const cudaError_t error = cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, how.kind, how.stream);
  return error == cudaSuccess && !how.asynchronous ? cudaStreamSynchronize(how.stream) : error;
}

cudaError_t copy_to_array(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                          size_t height, const Manner& how) {
  ArrayRows rows;
  if (!leads_to_array(how.kind)) return cudaErrorInvalidMemcpyDirection;
  const cudaError_t error = find_rows(to, x, y, width, height, rows);
  return error != cudaSuccess ? error : move_rows(rows.at, rows.pitch, from, pitch, width, height, how);
}

cudaError_t copy_from_array(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                            size_t height, const Manner& how) {
  ArrayRows rows;
  if (!leads_from_array(how.kind)) return cudaErrorInvalidMemcpyDirection;
  const cudaError_t error = find_rows(from, x, y, width, height, rows);
  return error != cudaSuccess ? error : move_rows(to, pitch, rows.at, rows.pitch, width, height, how);
}

cudaError_t copy_between_arrays(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                size_t from_y, size_t width, size_t height, const Manner& how) {
  ArrayRows target, source;
  cudaError_t error = find_rows(to, to_x, to_y, width, height, target);
  if (error == cudaSuccess) error = find_rows(from, from_x, from_y, width, height, source);
  if (error != cudaSuccess) return error;
  return move_rows(target.at, target.pitch, source.at, source.pitch, width, height, how);
}

/// Calls part(x, y, width, height, bytes before it) for the rest of a first row, whole rows and the begin of a last one
/// that `bytes` bytes from byte x of row y on make up.
template <class Part>
cudaError_t in_parts(cudaArray_const_t array, size_t x, size_t y, size_t bytes, Part part) {
  size_t row = 0;
  const cudaError_t found = device_call([&](Runtime&, DeviceState& device) -> cudaError_t {
    const ArrayState* const state = device.images.array(array);
    if (state == nullptr) return cudaErrorInvalidResourceHandle;
    row = size_t{state->image.width} * state->image.format.bytes();
    return x < row || bytes == 0 ? cudaSuccess : cudaErrorInvalidValue;
  });
  cudaError_t error = found;
  for (size_t done = 0; error == cudaSuccess && done < bytes;) {
    const size_t left = bytes - done;
    const bool whole = x == 0 && left >= row;
    const size_t width = whole ? row : std::min(left, row - x), height = whole ? left / row : 1;
    error = part(x, y, width, height, done);
    done += width * height;
    y += height;
    x = 0;
  }
  return error;
}

cudaError_t copy_bytes_to_array(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes, const Manner& how) {
  return in_parts(to, x, y, bytes, [&](size_t at, size_t row, size_t width, size_t height, size_t done) {
    return copy_to_array(to, at, row, static_cast<const std::byte*>(from) + done, width, width, height, how);
  });
}

cudaError_t copy_bytes_from_array(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                  const Manner& how) {
  return in_parts(from, x, y, bytes, [&](size_t at, size_t row, size_t width, size_t height, size_t done) {
    return copy_from_array(static_cast<std::byte*>(to) + done, width, from, at, row, width, height, how);
  });
}

}  // namespace

namespace vgpu::cudart {

cudaError_t resolve_arrays(const DeviceImages& images, cudaMemcpy3DParms& copy) {
  if (copy.srcArray == nullptr && copy.dstArray == nullptr) return cudaSuccess;
  std::uint64_t element_bytes = 0;
  const auto resolve = [&](cudaArray_t& array, cudaPitchedPtr& memory, cudaPos& position) -> cudaError_t {
    if (array == nullptr) return cudaSuccess;
    const ArrayState* const state = images.array(array);
    if (state == nullptr) return cudaErrorInvalidResourceHandle;
    const Image& image = state->image;
    const std::uint64_t bytes = image.format.bytes();
    if (memory.ptr != nullptr || (element_bytes != 0 && element_bytes != bytes)) return cudaErrorInvalidValue;
    const auto inside = [](std::size_t begin, std::size_t count, std::size_t extent) {
      return begin <= extent && count <= extent - begin;
    };
    if (!inside(position.x, copy.extent.width, image.width) || !inside(position.y, copy.extent.height, image.height) ||
        !inside(position.z, copy.extent.depth, std::size_t{image.depth} * image.layers))
      return cudaErrorInvalidValue;
    element_bytes = bytes;
    memory = {reinterpret_cast<void*>(image.address), image.row_bytes, image.width * bytes, image.height};
    position.x *= bytes;
    array = nullptr;
    return cudaSuccess;
  };
  cudaError_t error = resolve(copy.srcArray, copy.srcPtr, copy.srcPos);
  if (error == cudaSuccess) error = resolve(copy.dstArray, copy.dstPtr, copy.dstPos);
  copy.extent.width *= element_bytes;
  return error;
}

}  // namespace vgpu::cudart

// --- rectangles ---

VGPU_API cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                         size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_to_array(to, x, y, from, pitch, width, height, {kind, nullptr, false});
}
VGPU_API cudaError_t cudaMemcpy2DToArray_ptds(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                              size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_to_array(to, x, y, from, pitch, width, height, {kind, cudaStreamPerThread, false});
}
VGPU_API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                              size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_to_array(to, x, y, from, pitch, width, height, {kind, stream, true});
}
VGPU_API cudaError_t cudaMemcpy2DToArrayAsync_ptsz(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                                   size_t width, size_t height, cudaMemcpyKind kind,
                                                   cudaStream_t stream) {
  return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, per_thread(stream));
}
VGPU_API cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                           size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_from_array(to, pitch, from, x, y, width, height, {kind, nullptr, false});
}
VGPU_API cudaError_t cudaMemcpy2DFromArray_ptds(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                                size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_from_array(to, pitch, from, x, y, width, height, {kind, cudaStreamPerThread, false});
}
VGPU_API cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                                size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_from_array(to, pitch, from, x, y, width, height, {kind, stream, true});
}
VGPU_API cudaError_t cudaMemcpy2DFromArrayAsync_ptsz(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                                     size_t width, size_t height, cudaMemcpyKind kind,
                                                     cudaStream_t stream) {
  return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, per_thread(stream));
}
VGPU_API cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                              size_t from_x, size_t from_y, size_t width, size_t height,
                                              cudaMemcpyKind kind) {
  return copy_between_arrays(to, to_x, to_y, from, from_x, from_y, width, height, {kind, nullptr, false});
}

// --- bytes that run on from row to row ---

VGPU_API cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                                       cudaMemcpyKind kind) {
  return copy_bytes_to_array(to, x, y, from, bytes, {kind, nullptr, false});
}
VGPU_API cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                                            cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_bytes_to_array(to, x, y, from, bytes, {kind, stream, true});
}
VGPU_API cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                         cudaMemcpyKind kind) {
  return copy_bytes_from_array(to, from, x, y, bytes, {kind, nullptr, false});
}
VGPU_API cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                              cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_bytes_from_array(to, from, x, y, bytes, {kind, stream, true});
}
