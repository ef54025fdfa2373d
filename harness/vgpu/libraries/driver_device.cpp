// Devices.
#include <cudaProfiler.h>
#include <cuda_profiler_api.h>

#include <cstring>

#include "harness/vgpu/libraries/driver_calls.h"

using namespace vgpu::libraries;

namespace {

/// The beginning of cudaDeviceProp, which is the same in CUDA 12, and room for what follows there.
struct Properties {
  cudaDeviceProp beginning;
  char rest[2048];
};

/// Body with a device's properties.
template <class Body>
CUresult with_properties(CUdevice device, bool has_results, Body body) {
  if (!has_results) return CUDA_ERROR_INVALID_VALUE;
  Properties properties{};
  const CUresult error = result_of(VGPU_RUNTIME(cudaGetDeviceProperties)(&properties.beginning, device));
  if (error == CUDA_SUCCESS) body(properties.beginning);
  return error;
}

CUresult attribute_of(int* value, CUdevice_attribute attribute, CUdevice device) {
  if (value == nullptr || attribute <= 0 || attribute >= CU_DEVICE_ATTRIBUTE_MAX) return CUDA_ERROR_INVALID_VALUE;
  // The runtime's attributes have the same numbers, and the driver has more: features that are not there.
  *value = 0;
  const cudaError_t error = VGPU_RUNTIME(cudaDeviceGetAttribute)(value, static_cast<cudaDeviceAttr>(attribute), device);
  const CUresult result = result_of(error);
  return error == cudaErrorInvalidValue ? CUDA_SUCCESS : result;
}

}  // namespace

VGPU_DRIVER_API CUresult cuDeviceGetCount(int* count) { VGPU_INITIALISED(VGPU_RUNTIME(cudaGetDeviceCount)(count)); }
VGPU_DRIVER_API CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return called_from<&need_initialised>(__builtin_return_address(0), [&] {
    int count = 0;
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUresult error = result_of(VGPU_RUNTIME(cudaGetDeviceCount)(&count));
    if (error != CUDA_SUCCESS) return error;
    if (ordinal < 0 || ordinal >= count) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
  });
}
VGPU_DRIVER_API CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  VGPU_INITIALISED(with_properties(device, name != nullptr && length > 0, [&](const cudaDeviceProp& properties) {
    std::strncpy(name, properties.name, static_cast<std::size_t>(length));
    name[length - 1] = '\0';
  }));
}
VGPU_DRIVER_API CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  VGPU_INITIALISED(with_properties(device, bytes != nullptr,
                                   [&](const cudaDeviceProp& properties) { *bytes = properties.totalGlobalMem; }));
}
VGPU_DRIVER_API CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  VGPU_INITIALISED(
      with_properties(device, uuid != nullptr, [&](const cudaDeviceProp& properties) { *uuid = properties.uuid; }));
}
VGPU_DRIVER_API CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  VGPU_INITIALISED(attribute_of(value, attribute, device));
}
VGPU_DRIVER_API CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  return called_from<&need_initialised>(__builtin_return_address(0), [&] {
    const CUresult error = attribute_of(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    return error == CUDA_SUCCESS ? attribute_of(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) : error;
  });
}
VGPU_DRIVER_API CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  VGPU_INITIALISED(VGPU_RUNTIME(cudaDeviceCanAccessPeer)(can, device, peer));
}
VGPU_DRIVER_API CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice from,
                                                 CUdevice to) {
  VGPU_INITIALISED(VGPU_RUNTIME(cudaDeviceGetP2PAttribute)(value, static_cast<cudaDeviceP2PAttr>(attribute), from, to));
}
VGPU_DRIVER_API CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice device) {
  VGPU_INITIALISED(VGPU_RUNTIME(cudaDeviceGetPCIBusId)(id, length, device));
}
VGPU_DRIVER_API CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* id) {
  VGPU_INITIALISED(VGPU_RUNTIME(cudaDeviceGetByPCIBusId)(device, id));
}
VGPU_DRIVER_API CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  VGPU_INITIALISED(VGPU_RUNTIME(cudaDeviceGetDefaultMemPool)(pool, device));
}
VGPU_DRIVER_API CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  VGPU_INITIALISED(VGPU_RUNTIME(cudaDeviceGetMemPool)(pool, device));
}
VGPU_DRIVER_API CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  VGPU_INITIALISED(VGPU_RUNTIME(cudaDeviceSetMemPool)(device, pool));
}
VGPU_DRIVER_API CUresult cuProfilerStart() { VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaProfilerStart)()); }
VGPU_DRIVER_API CUresult cuProfilerStop() { VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaProfilerStop)()); }

#undef cuDeviceGetUuid
VGPU_DRIVER_API CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  VGPU_INITIALISED(
      with_properties(device, uuid != nullptr, [&](const cudaDeviceProp& properties) { *uuid = properties.uuid; }));
}
