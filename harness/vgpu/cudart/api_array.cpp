// CUDA arrays and mipmapped ones: allocating and describing them.
#include <algorithm>
#include <string>
#include <vector>

#include "harness/vgpu/cudart/entry.h"

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

/// Rows begin at multiples of this, so that a surface access of up to 16 bytes is aligned wherever its x is.
constexpr std::uint64_t kRowAlignment = 16;

/// Levels of a mipmapped array begin at multiples of this, as arrays of their own do.
constexpr std::uint64_t kLevelAlignment = 512;

constexpr unsigned kKnownFlags =
    cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather | cudaArrayColorAttachment;

/// The shape that extents and flags ask for; nothing if no array is so.
std::optional<ImageShape> shape_of(const cudaExtent& extent, unsigned flags) {
  const bool layered = (flags & cudaArrayLayered) != 0;
  if (extent.width == 0) return std::nullopt;
  if ((flags & cudaArrayCubemap) != 0) {
    const bool six = layered ? extent.depth != 0 && extent.depth % 6 == 0 : extent.depth == 6;
    if (extent.width != extent.height || !six) return std::nullopt;
    return layered ? ImageShape::kCubeLayered : ImageShape::kCube;
  }
  if (layered) {
    if (extent.depth == 0) return std::nullopt;
    return extent.height == 0 ? ImageShape::k1DLayered : ImageShape::k2DLayered;
  }
  if (extent.depth != 0) return extent.height == 0 ? std::nullopt : std::optional(ImageShape::k3D);
  return extent.height == 0 ? ImageShape::k1D : ImageShape::k2D;
}

bool fits(const DeviceProfile& profile, const cudaExtent& extent, const std::string& prefix, ImageShape shape,
          const std::string& mipmapped = "") {
  const auto within = [&](const std::string& width, const std::string& height, const std::string& depth) {
    const auto at_most = [&](std::size_t value, const std::string& name) {
      return name.empty() || value <= attribute(profile, prefix + name);
    };
    return at_most(extent.width, width) && at_most(extent.height, height) && at_most(extent.depth, depth);
  };
  switch (shape) {
    case ImageShape::k1D:
      return within("1D" + mipmapped + "Width", "", "");
    case ImageShape::k2D:
      return within("2D" + mipmapped + "Width", "2D" + mipmapped + "Height", "");
    case ImageShape::k3D:
      return within("3DWidth", "3DHeight", "3DDepth") ||
             (prefix == "MaxTexture" && within("3DWidthAlt", "3DHeightAlt", "3DDepthAlt"));
    case ImageShape::k1DLayered:
      return within("1DLayeredWidth", "", "1DLayeredLayers");
    case ImageShape::k2DLayered:
      return within("2DLayeredWidth", "2DLayeredHeight", "2DLayeredLayers");
    case ImageShape::kCube:
      return within("CubemapWidth", "CubemapWidth", "");
    case ImageShape::kCubeLayered:
      return within("CubemapLayeredWidth", "CubemapLayeredWidth", "CubemapLayeredLayers");
    case ImageShape::kLinear:
      break;
  }
  return false;
}

bool is_small_enough(const DeviceProfile& profile, const cudaExtent& extent, unsigned flags, ImageShape shape,
                     bool mipmapped) {
  if (!fits(profile, extent, "MaxTexture", shape, mipmapped ? "Mipmapped" : "")) return false;
  if ((flags & cudaArraySurfaceLoadStore) != 0 && !fits(profile, extent, "MaxSurface", shape)) return false;
  if ((flags & cudaArrayTextureGather) == 0) return true;
  return shape == ImageShape::k2D && extent.width <= attribute(profile, "MaxTexture2DGatherWidth") &&
         extent.height <= attribute(profile, "MaxTexture2DGatherHeight");
}

Image image_of(const ElementFormat& format, const cudaExtent& extent, ImageShape shape) {
  const bool slices_are_deep = shape == ImageShape::k3D;
  const auto count = [](std::size_t n) { return static_cast<std::uint32_t>(std::max<std::size_t>(n, 1)); };
  Image image;
  image.shape = shape;
  image.format = format;
  image.width = count(extent.width);
  image.height = count(extent.height);
  image.depth = slices_are_deep ? count(extent.depth) : 1;
  image.layers = slices_are_deep ? 1 : count(extent.depth);
  image.row_bytes = (std::uint64_t{image.width} * format.bytes() + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
  image.slice_bytes = image.row_bytes * image.height;
  return image;
}

/// What a call asks for, with its image, which has no memory yet.
cudaError_t read_request(Runtime& runtime, const DeviceState& device, const cudaChannelFormatDesc* format,
                         const cudaExtent& extent, unsigned flags, bool mipmapped, ArrayState& state) {
  if (format == nullptr) return cudaErrorInvalidValue;
  if ((flags & (cudaArraySparse | cudaArrayDeferredMapping)) != 0) {
    runtime.note("not available", "a CUDA array without memory of its own is not available on the virtual GPU", "");
    return cudaErrorNotSupported;
  }
  if (format->f > cudaChannelFormatKindNone) {
    runtime.note("not available",
                 "a CUDA array of a compressed, planar or packed format is not available on the virtual GPU", "");
    return cudaErrorNotSupported;
  }
  const std::optional<ElementFormat> element = element_format(*format);
  if (!element) return cudaErrorInvalidChannelDescriptor;
  const std::optional<ImageShape> shape = shape_of(extent, flags);
  if (!shape || (flags & ~kKnownFlags) != 0 || !is_small_enough(device.profile, extent, flags, *shape, mipmapped))
    return cudaErrorInvalidValue;
  state.format = *format;
  state.extent = extent;
  state.flags = flags;
  state.image = image_of(*element, extent, *shape);
  return cudaSuccess;
}

std::uint64_t bytes_of(const Image& image) { return image.slice_bytes * image.depth * image.layers; }

/// Memory for images with elements of this size; 0 if there is too little.
std::uint64_t allocate_images(DeviceState& device, std::uint64_t bytes, std::uint32_t element_bytes) {
  const std::uint64_t address = device.memory->allocate(bytes, MemoryKind::kDevice);
  if (address == 0) return 0;
  device.memory->name(address, "", element_bytes);
  device.memory->set_site(address, this_thread().site);
  return address;
}

cudaArray_t add_array(DeviceState& device, const ArrayState& state) {
  auto array = std::make_unique<ArrayState>(state);
  const auto handle = reinterpret_cast<cudaArray_t>(array.get());
  device.images.arrays[handle] = std::move(array);
  return handle;
}

/// A level and those after it, at most `count` of them and none after one of a single element a layer. Addresses count
/// from 0.
std::vector<ArrayState> levels_from(ArrayState level, unsigned count) {
  std::vector<ArrayState> levels;
  level.is_level = true;
  for (;;) {
    levels.push_back(level);
    const Image& image = level.image;
    if (levels.size() >= count || std::max({image.width, image.height, image.depth}) == 1) return levels;
    cudaExtent& extent = level.extent;
    const auto halve = [](std::size_t& size) { size = size > 1 ? size / 2 : size; };
    halve(extent.width);
    halve(extent.height);
    if (image.shape == ImageShape::k3D) halve(extent.depth);
    const std::uint64_t next =
        image.address + (bytes_of(image) + kLevelAlignment - 1) / kLevelAlignment * kLevelAlignment;
    level.image = image_of(image.format, extent, image.shape);
    level.image.address = next;
  }
}

}  // namespace

namespace vgpu::cudart {

std::uint64_t attribute(const DeviceProfile& profile, const std::string& name) {
  const auto found = profile.attributes.find(name);
  return found == profile.attributes.end() ? 0 : static_cast<std::uint64_t>(found->second);
}

std::optional<ElementFormat> element_format(const cudaChannelFormatDesc& format) {
  const int sizes[] = {format.x, format.y, format.z, format.w};
  ElementFormat element;
  element.channels = 0;
  while (element.channels < 4 && sizes[element.channels] != 0) ++element.channels;
  for (std::uint32_t c = 0; c < 4; ++c)
    if (sizes[c] != (c < element.channels ? format.x : 0)) return std::nullopt;
  if (element.channels != 1 && element.channels != 2 && element.channels != 4) return std::nullopt;
  const bool is_float = format.f == cudaChannelFormatKindFloat;
  if (!is_float && format.f != cudaChannelFormatKindSigned && format.f != cudaChannelFormatKindUnsigned)
    return std::nullopt;
  if (format.x != 32 && format.x != 16 && (format.x != 8 || is_float)) return std::nullopt;
  element.channel_bytes = static_cast<std::uint32_t>(format.x) / 8;
  element.kind = is_float                                  ? ChannelKind::kFloat
                 : format.f == cudaChannelFormatKindSigned ? ChannelKind::kSigned
                                                           : ChannelKind::kUnsigned;
  return element;
}

}  // namespace vgpu::cudart

VGPU_API cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}

VGPU_API cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent,
                                       unsigned flags) {
  return device_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    if (array == nullptr) return cudaErrorInvalidValue;
    ArrayState state;
    const cudaError_t error = read_request(runtime, device, format, extent, flags, false, state);
    if (error != cudaSuccess) return error;
    state.image.address = allocate_images(device, bytes_of(state.image), state.image.format.bytes());
    if (state.image.address == 0) return cudaErrorMemoryAllocation;
    *array = add_array(device, state);
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width,
                                     size_t height, unsigned flags) {
  if ((flags & (cudaArrayLayered | cudaArrayCubemap)) != 0) return call([](Runtime&) { return cudaErrorInvalidValue; });
  return cudaMalloc3DArray(array, format, {width, height, 0}, flags);
}

/// Freeing waits for all work, as cudaFree does.
VGPU_API cudaError_t cudaFreeArray(cudaArray_t array) {
  return device_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    if (array == nullptr) return cudaSuccess;
    device.timeline.finish_all();
    const ArrayState* const state = device.images.array(array);
    if (state == nullptr || state->is_level) {
      runtime.note("invalid free",
                   state == nullptr ? "cudaFreeArray was given an array that is not (or no longer) allocated"
                                    : "cudaFreeArray was given a level of a mipmapped array",
                   state == nullptr ? "Free each array once." : "cudaFreeMipmappedArray frees all levels.");
      return cudaErrorInvalidResourceHandle;
    }
    device.memory->release(state->image.address);
    device.images.arrays.erase(array);
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* mipmapped, const cudaChannelFormatDesc* format,
                                              cudaExtent extent, unsigned levels, unsigned flags) {
  return device_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    if (mipmapped == nullptr) return cudaErrorInvalidValue;
    ArrayState first;
    const cudaError_t error = read_request(runtime, device, format, extent, flags, true, first);
    if (error != cudaSuccess) return error;
    std::vector<ArrayState> made = levels_from(first, levels);
    const Image& last = made.back().image;
    const std::uint64_t address = allocate_images(device, last.address + bytes_of(last), last.format.bytes());
    if (address == 0) return cudaErrorMemoryAllocation;
    auto state = std::make_unique<MipmappedArrayState>();
    for (ArrayState& level : made) {
      level.image.address += address;
      state->levels.push_back(add_array(device, level));
    }
    *mipmapped = reinterpret_cast<cudaMipmappedArray_t>(state.get());
    device.images.mipmapped_arrays[*mipmapped] = std::move(state);
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* array, cudaMipmappedArray_const_t mipmapped,
                                                unsigned level) {
  return device_call([&](Runtime&, DeviceState& device) -> cudaError_t {
    const MipmappedArrayState* const state = device.images.mipmapped_array(mipmapped);
    if (state == nullptr) return cudaErrorInvalidResourceHandle;
    if (array == nullptr || level >= state->levels.size()) return cudaErrorInvalidValue;
    *array = state->levels[level];
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmapped) {
  return device_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    if (mipmapped == nullptr) return cudaSuccess;
    device.timeline.finish_all();
    const MipmappedArrayState* const state = device.images.mipmapped_array(mipmapped);
    if (state == nullptr) {
      runtime.note("invalid free",
                   "cudaFreeMipmappedArray was given a mipmapped array that is not (or no longer) allocated",
                   "Free each mipmapped array once.");
      return cudaErrorInvalidResourceHandle;
    }
    device.memory->release(device.images.array(state->levels[0])->image.address);
    for (const cudaArray_t level : state->levels) device.images.arrays.erase(level);
    device.images.mipmapped_arrays.erase(mipmapped);
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                                      cudaArray_t array) {
  return device_call([&](Runtime&, DeviceState& device) -> cudaError_t {
    const ArrayState* const state = device.images.array(array);
    if (state == nullptr) return cudaErrorInvalidResourceHandle;
    if (format != nullptr) *format = state->format;
    if (extent != nullptr) *extent = state->extent;
    if (flags != nullptr) *flags = state->flags;
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
  if (format == nullptr) return call([](Runtime&) { return cudaErrorInvalidValue; });
  return cudaArrayGetInfo(format, nullptr, nullptr, const_cast<cudaArray_t>(array));
}
