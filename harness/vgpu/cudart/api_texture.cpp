// Texture and surface objects: making, asking, and ending them.
#include <cstring>
#include <string>

#include "harness/vgpu/cudart/entry.h"

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

/// Of a profile that does not say what it must be a multiple of, everything is one.
bool is_multiple(std::uint64_t value, std::uint64_t unit) { return unit == 0 || value % unit == 0; }

cudaError_t invalid(Runtime& runtime, const std::string& sentence, const std::string& advice = "") {
  runtime.note("invalid argument", sentence, advice);
  return cudaErrorInvalidValue;
}

cudaError_t not_available(Runtime& runtime, const std::string& what) {
  runtime.note("not available", what + " is not available on the virtual GPU", "");
  return cudaErrorNotSupported;
}

/// Whether `bytes` at `pointer` are device memory that textures can be made of.
cudaError_t check_memory(Runtime& runtime, const DeviceState& device, const void* pointer, std::uint64_t bytes) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const Allocation* const allocation = device.memory->find(address);
  if (allocation == nullptr) return invalid(runtime, "a texture was requested over memory that is not device memory");
  const std::uint64_t alignment = attribute(device.profile, "TextureAlignment");
  if (!is_multiple(address, alignment))
    return invalid(runtime,
                   "a texture was requested at an address that is not a multiple of " + std::to_string(alignment),
                   "Use a pointer from cudaMalloc itself.");
  if (bytes > allocation->address + allocation->bytes - address)
    return invalid(runtime, "a texture of " + std::to_string(bytes) + " bytes runs past the end of an allocation of " +
                                std::to_string(allocation->bytes) + " bytes");
  return cudaSuccess;
}

cudaError_t read_linear(Runtime& runtime, const DeviceState& device, const cudaResourceDesc& resource, Image& image) {
  const auto& linear = resource.res.linear;
  const std::optional<ElementFormat> format = element_format(linear.desc);
  if (!format) return cudaErrorInvalidChannelDescriptor;
  const std::uint64_t elements = linear.sizeInBytes / format->bytes();
  if (elements == 0 || elements > attribute(device.profile, "MaxTexture1DLinearWidth")) return cudaErrorInvalidValue;
  image.address = reinterpret_cast<std::uint64_t>(linear.devPtr);
  image.shape = ImageShape::kLinear;
  image.format = *format;
  image.width = static_cast<std::uint32_t>(elements);
  return check_memory(runtime, device, linear.devPtr, elements * format->bytes());
}

cudaError_t read_pitched(Runtime& runtime, const DeviceState& device, const cudaResourceDesc& resource, Image& image) {
  const auto& pitched = resource.res.pitch2D;
  const std::optional<ElementFormat> format = element_format(pitched.desc);
  if (!format) return cudaErrorInvalidChannelDescriptor;
  const std::uint64_t alignment = attribute(device.profile, "TexturePitchAlignment");
  if (pitched.width == 0 || pitched.width > attribute(device.profile, "MaxTexture2DLinearWidth") ||
      pitched.height == 0 || pitched.height > attribute(device.profile, "MaxTexture2DLinearHeight") ||
      pitched.pitchInBytes > attribute(device.profile, "MaxTexture2DLinearPitch") ||
      pitched.pitchInBytes < pitched.width * format->bytes())
    return cudaErrorInvalidValue;
  if (!is_multiple(pitched.pitchInBytes, alignment))
    return invalid(runtime,
                   "a texture was to have rows of " + std::to_string(pitched.pitchInBytes) +
                       " bytes, which is not a multiple of " + std::to_string(alignment),
                   "cudaMallocPitch gives a pitch that fits.");
  image.address = reinterpret_cast<std::uint64_t>(pitched.devPtr);
  image.shape = ImageShape::k2D;
  image.format = *format;
  image.width = static_cast<std::uint32_t>(pitched.width);
  image.height = static_cast<std::uint32_t>(pitched.height);
  image.row_bytes = pitched.pitchInBytes;
  return check_memory(runtime, device, pitched.devPtr,
                      pitched.pitchInBytes * (pitched.height - 1) + pitched.width * format->bytes());
}

cudaError_t read_resource(Runtime& runtime, const DeviceState& device, const cudaResourceDesc& resource,
                          Texture& texture) {
  switch (resource.resType) {
    case cudaResourceTypeArray: {
      const ArrayState* const array = device.images.array(resource.res.array.array);
      if (array == nullptr) return cudaErrorInvalidResourceHandle;
      texture.image = array->image;
      return cudaSuccess;
    }
    case cudaResourceTypeMipmappedArray: {
      const MipmappedArrayState* const mipmapped = device.images.mipmapped_array(resource.res.mipmap.mipmap);
      if (mipmapped == nullptr) return cudaErrorInvalidResourceHandle;
      texture.image = device.images.array(mipmapped->levels[0])->image;
      for (std::size_t n = 1; n < mipmapped->levels.size(); ++n)
        texture.smaller.push_back(device.images.array(mipmapped->levels[n])->image);
      return cudaSuccess;
    }
    case cudaResourceTypeLinear:
      return read_linear(runtime, device, resource, texture.image);
    case cudaResourceTypePitch2D:
      return read_pitched(runtime, device, resource, texture.image);
  }
  return cudaErrorInvalidValue;
}

/// How levels of a mipmapped array are chosen, and what becomes of elements and edges.
cudaError_t read_levels_and_conversion(Runtime& runtime, const cudaTextureDesc& description, Texture& texture) {
  const Image& image = texture.image;
  texture.linear_levels = !texture.smaller.empty() && description.mipmapFilterMode == cudaFilterModeLinear;
  texture.level_bias = description.mipmapLevelBias;
  texture.least_level = description.minMipmapLevelClamp;
  texture.greatest_level = description.maxMipmapLevelClamp;
  texture.srgb = description.sRGB != 0;
  if (texture.srgb && !(image.format.kind == ChannelKind::kUnsigned && image.format.channel_bytes == 1 &&
                        description.readMode == cudaReadModeNormalizedFloat))
    return not_available(runtime, "conversion from sRGB of anything but unsigned bytes that are read as fractions");
  if (description.seamlessCubemap == 0) return cudaSuccess;
  if (image.shape != ImageShape::kCube && image.shape != ImageShape::kCubeLayered)
    return invalid(runtime, "seamless filtering was requested for a texture that is not a cubemap");
  texture.modes.fill(texture.linear ? AddressMode::kSeam : AddressMode::kClamp);
  return cudaSuccess;
}

cudaError_t read_description(Runtime& runtime, cudaResourceType resource, const cudaTextureDesc& description,
                             Texture& texture) {
  for (std::size_t axis = 0; axis < texture.modes.size(); ++axis) {
    switch (description.addressMode[axis]) {
      case cudaAddressModeWrap:
        texture.modes[axis] = AddressMode::kWrap;
        break;
      case cudaAddressModeClamp:
        texture.modes[axis] = AddressMode::kClamp;
        break;
      case cudaAddressModeMirror:
        texture.modes[axis] = AddressMode::kMirror;
        break;
      case cudaAddressModeBorder:
        texture.modes[axis] = AddressMode::kBorder;
        break;
      default:
        return cudaErrorInvalidValue;
    }
  }
  static_assert(sizeof texture.border == sizeof description.borderColor, "one number a channel");
  std::memcpy(texture.border.data(), description.borderColor, sizeof description.borderColor);
  const bool linear_memory = texture.image.shape == ImageShape::kLinear;
  if (linear_memory) texture.border = {};  // what lies outside of it is zero
  texture.linear = !linear_memory && description.filterMode == cudaFilterModeLinear;
  // Levels differ in their extents: coordinates are taken as normalized there, whatever is said (read from an H200).
  texture.normalized = description.normalizedCoords != 0 || resource == cudaResourceTypeMipmappedArray;
  texture.fractions = description.readMode == cudaReadModeNormalizedFloat;
  texture.anisotropic = description.maxAnisotropy > 1;
  const cudaError_t error = read_levels_and_conversion(runtime, description, texture);
  if (error != cudaSuccess) return error;

  const ElementFormat& format = texture.image.format;
  const bool is_integer = format.kind != ChannelKind::kFloat;
  if (texture.fractions && is_integer && format.channel_bytes == 4) {
    invalid(runtime, "integers of 32 bits cannot be read as fractions", "");
    return cudaErrorInvalidNormSetting;
  }
  if ((texture.linear || texture.linear_levels) && is_integer && !texture.fractions) {
    invalid(runtime, "linear filtering of a texture of integers that are read as they are",
            "Filter with readMode = cudaReadModeNormalizedFloat, or store floats.");
    return cudaErrorInvalidFilterSetting;
  }
  return cudaSuccess;
}

}  // namespace

VGPU_API cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                             const cudaTextureDesc* description, const cudaResourceViewDesc* view) {
  return device_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    if (object == nullptr || resource == nullptr) return cudaErrorInvalidValue;
    if (description == nullptr) return cudaErrorInvalidResourceHandle;
    if (view != nullptr) return not_available(runtime, "a view of a texture's resource");
    Texture texture;
    cudaError_t error = read_resource(runtime, device, *resource, texture);
    if (error == cudaSuccess) error = read_description(runtime, resource->resType, *description, texture);
    if (error != cudaSuccess) return error;
    *object = device.images.handles.add_texture(texture);
    device.images.textures[*object] = {*resource, *description};
    return cudaSuccess;
  });
}

/// Launches are run when somebody waits for them: those that may use the object come first.
VGPU_API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return device_call([&](Runtime&, DeviceState& device) -> cudaError_t {
    device.timeline.finish_all();
    device.images.textures.erase(object);
    return device.images.handles.remove_texture(object) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

VGPU_API cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t object) {
  return device_call([&](Runtime&, DeviceState& device) -> cudaError_t {
    const auto found = device.images.textures.find(object);
    if (resource == nullptr || found == device.images.textures.end()) return cudaErrorInvalidValue;
    *resource = found->second.resource;
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* description, cudaTextureObject_t object) {
  return device_call([&](Runtime&, DeviceState& device) -> cudaError_t {
    const auto found = device.images.textures.find(object);
    if (description == nullptr || found == device.images.textures.end()) return cudaErrorInvalidValue;
    *description = found->second.description;
    return cudaSuccess;
  });
}
/// Textures are made without a view: what is to be had is an empty one.
VGPU_API cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* view, cudaTextureObject_t object) {
  return device_call([&](Runtime&, DeviceState& device) -> cudaError_t {
    if (view == nullptr || device.images.textures.count(object) == 0) return cudaErrorInvalidValue;
    *view = {};
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  return device_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    if (object == nullptr || resource == nullptr || resource->resType != cudaResourceTypeArray)
      return cudaErrorInvalidValue;
    const ArrayState* const array = device.images.array(resource->res.array.array);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    if ((array->flags & cudaArraySurfaceLoadStore) == 0)  // a GPU's runtime lets it pass, for later to go wrong
      runtime.note("invalid argument", "a surface was made of an array without the flag cudaArraySurfaceLoadStore",
                   "Pass the flag when the array is allocated.");
    *object = device.images.handles.add_surface(array->image);
    device.images.surfaces[*object] = *resource;
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return device_call([&](Runtime&, DeviceState& device) -> cudaError_t {
    device.timeline.finish_all();
    device.images.surfaces.erase(object);
    return device.images.handles.remove_surface(object) ? cudaSuccess : cudaErrorInvalidValue;
  });
}
VGPU_API cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t object) {
  return device_call([&](Runtime&, DeviceState& device) -> cudaError_t {
    const auto found = device.images.surfaces.find(object);
    if (resource == nullptr || found == device.images.surfaces.end()) return cudaErrorInvalidValue;
    *resource = found->second;
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t* elements, const cudaChannelFormatDesc* format, int) {
  return device_call([&](Runtime&, DeviceState& device) -> cudaError_t {
    if (elements == nullptr || format == nullptr || !element_format(*format)) return cudaErrorInvalidValue;
    *elements = attribute(device.profile, "MaxTexture1DLinearWidth");
    return cudaSuccess;
  });
}
