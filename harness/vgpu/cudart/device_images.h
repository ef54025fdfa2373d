// CUDA arrays, textures and surfaces of one device, as the runtime API knows them.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/vgpu/cost/profile.h"
#include "harness/vgpu/machine/image_handles.h"

namespace vgpu::cudart {

/// A CUDA array: an image in device memory that only copies, textures and surfaces reach.
struct ArrayState {
  cudaChannelFormatDesc format{};
  cudaExtent extent{};  ///< as it was asked for: 0 where the array has no such dimension
  unsigned flags = 0;
  bool is_level = false;  ///< of a mipmapped array, which it is freed with
  Image image;
};

/// Arrays in memory of one allocation, which is where the first one begins.
struct MipmappedArrayState {
  std::vector<cudaArray_t> levels;
};

struct TextureObject {
  cudaResourceDesc resource{};
  cudaTextureDesc description{};
};

struct DeviceImages {
  ImageHandles handles;
  std::map<const void*, std::unique_ptr<ArrayState>> arrays;  ///< by handle, which is the state's own address
  std::map<const void*, std::unique_ptr<MipmappedArrayState>> mipmapped_arrays;  ///< likewise
  std::map<cudaTextureObject_t, TextureObject> textures;
  std::map<cudaSurfaceObject_t, cudaResourceDesc> surfaces;

  /// The array behind a handle; null if there is none.
  const ArrayState* array(cudaArray_const_t handle) const {
    const auto found = arrays.find(handle);
    return found == arrays.end() ? nullptr : found->second.get();
  }
  const MipmappedArrayState* mipmapped_array(cudaMipmappedArray_const_t handle) const {
    const auto found = mipmapped_arrays.find(handle);
    return found == mipmapped_arrays.end() ? nullptr : found->second.get();
  }
};

/// A number that the device's profile gives, such as "MaxTexture1DWidth"; 0 if it gives none.
std::uint64_t attribute(const DeviceProfile& profile, const std::string& name);

/// What a channel descriptor says, if elements can be so: 1, 2 or 4 channels of one size that their kind has.
std::optional<ElementFormat> element_format(const cudaChannelFormatDesc& format);

/// Puts linear memory in the place of the arrays in a 3-D copy: addresses and pitches for handles, bytes for elements.
cudaError_t resolve_arrays(const DeviceImages& images, cudaMemcpy3DParms& copy);

}  // namespace vgpu::cudart
