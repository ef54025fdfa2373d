// Making arrays, textures and surfaces, and comparing what kernels got from them, for the test programs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "check.cuh"

template <class T>
using Values = std::vector<T>;

template <class T>
struct DeviceValues {
  T* data = nullptr;
  size_t count;
  explicit DeviceValues(size_t n) : count(n) { CHECK(cudaMalloc(&data, n * sizeof(T))); }
  explicit DeviceValues(const Values<T>& values) : DeviceValues(values.size()) {
    CHECK(cudaMemcpy(data, values.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
  DeviceValues(const DeviceValues&) = delete;
  ~DeviceValues() { cudaFree(data); }
  Values<T> get() const {
    Values<T> values(count);
    CHECK(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }
};

inline void show(const char* what, const Values<float>& got, const Values<float>& expected, float tolerance = 0) {
  size_t wrong = 0, first = 0;
  for (size_t i = expected.size(); i-- > 0;)
    if (got[i] != expected[i] && !(std::fabs(got[i] - expected[i]) <= tolerance)) ++wrong, first = i;
  if (got.size() == expected.size() && wrong == 0)
    std::printf("%s: ok, %zu values\n", what, got.size());
  else
    std::printf("%s: %zu of %zu differ, number %zu is %.9g instead of %.9g\n", what, wrong, expected.size(), first,
                got[first], expected[first]);
}

// --- making textures ---

struct Sampling {
  cudaTextureAddressMode mode = cudaAddressModeClamp;
  cudaTextureFilterMode filter = cudaFilterModePoint;
  bool normalized = false;
  bool fractions = false;
  float border = 0;
  cudaTextureFilterMode between_levels = cudaFilterModePoint;
  float bias = 0, least = 0, greatest = 0;  ///< of levels
  bool srgb = false;
  bool seamless = false;
};

inline cudaTextureObject_t texture_of(const cudaResourceDesc& resource, const Sampling& sampling) {
  cudaTextureDesc description{};
  for (auto& mode : description.addressMode) mode = sampling.mode;
  description.filterMode = sampling.filter;
  description.readMode = sampling.fractions ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  description.normalizedCoords = sampling.normalized;
  for (auto& channel : description.borderColor) channel = sampling.border;
  description.sRGB = sampling.srgb;
  description.mipmapFilterMode = sampling.between_levels;
  description.mipmapLevelBias = sampling.bias;
  description.minMipmapLevelClamp = sampling.least;
  description.maxMipmapLevelClamp = sampling.greatest;
  // The optimisation would round what lies close to a level.
  description.disableTrilinearOptimization = sampling.between_levels == cudaFilterModeLinear;
  description.seamlessCubemap = sampling.seamless;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}

inline cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

inline cudaSurfaceObject_t surface_of(cudaArray_t array) {
  const cudaResourceDesc resource = resource_of(array);
  cudaSurfaceObject_t surface;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  return surface;
}

/// Fills an array, or a level of one, of this extent.
template <class T>
void fill(cudaArray_t array, const Values<T>& values, cudaExtent extent) {
  cudaMemcpy3DParms copy{};
  const size_t rows = std::max<size_t>(extent.height, 1);
  copy.srcPtr = make_cudaPitchedPtr(const_cast<T*>(values.data()), extent.width * sizeof(T), extent.width, rows);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(extent.width, rows, std::max<size_t>(extent.depth, 1));
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
}

/// A 1-D, 2-D, 3-D, layered or cubemap array filled with `values`.
template <class T>
cudaArray_t array_of(const Values<T>& values, cudaExtent extent, unsigned flags = 0,
                     cudaChannelFormatDesc format = cudaCreateChannelDesc<T>()) {
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &format, extent, flags));
  fill(array, values, extent);
  return array;
}

// --- the guide's formulas ---

inline int addressed(int i, int n, cudaTextureAddressMode mode) {
  if (mode == cudaAddressModeClamp) return std::min(std::max(i, 0), n - 1);
  if (mode == cudaAddressModeBorder) return i < 0 || i >= n ? -1 : i;
  while (i < 0 || i >= n) {
    if (mode == cudaAddressModeWrap) i += i < 0 ? n : -n;
    if (mode == cudaAddressModeMirror) i = i < 0 ? -1 - i : 2 * n - 1 - i;
  }
  return i;
}

/// T(i) for every i, blended at x; `x` counts elements.
template <class Element>
float along(float x, int n, const Sampling& how, Element element) {
  const auto at = [&](int i) {
    const int inside = addressed(i, n, how.mode);
    return inside < 0 ? how.border : element(inside);
  };
  if (how.filter == cudaFilterModePoint) return at(static_cast<int>(std::floor(x)));
  const float begin = std::floor(x - 0.5f), alpha = x - 0.5f - begin;
  return (1 - alpha) * at(static_cast<int>(begin)) + alpha * at(static_cast<int>(begin) + 1);
}
