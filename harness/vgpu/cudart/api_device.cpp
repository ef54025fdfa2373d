// Devices: how many, which one, what it can do, its limits, waiting for it.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "harness/vgpu/cost/attribute_names.h"
#include "harness/vgpu/cudart/entry.h"

using vgpu::cudart::call;
using vgpu::cudart::device_call;
using vgpu::cudart::DeviceState;
using vgpu::cudart::Runtime;
using vgpu::cudart::this_thread;

namespace {

/// Body with a device by number, made if need be.
template <class Body>
cudaError_t call_with(int number, Body body) {
  return call([&](Runtime& runtime) -> cudaError_t {
    if (!runtime.devices.has(number)) return cudaErrorInvalidDevice;
    cudaError_t error = cudaSuccess;
    const DeviceState* const device = runtime.devices.get(number, error);
    return device != nullptr ? body(*device) : error;
  });
}

/// The depth to which kernels could wait for kernels of their own went with that feature.
bool is_limit(cudaLimit limit) { return limit >= 0 && limit < 8 && limit != cudaLimitDevRuntimeSyncDepth; }

/// An attribute by number; false if the device has none of that number. Devices differ in their place on the bus.
bool attribute_of(const DeviceState& device, cudaDeviceAttr attribute, int& value) {
  const vgpu::DeviceProfile& profile = device.profile;
  for (const vgpu::AttributeName& row : vgpu::kAttributeNames) {
    if (row.attribute != attribute) continue;
    const auto found = profile.attributes.find(row.name);
    if (found == profile.attributes.end()) return false;
    value = static_cast<int>(found->second) + (attribute == cudaDevAttrPciDeviceId ? device.number : 0);
    return true;
  }
  return false;
}

void fill_properties(const DeviceState& device, cudaDeviceProp& p) {
  const vgpu::DeviceProfile& profile = device.profile;
  const auto number = [&](cudaDeviceAttr attribute) {
    int value = 0;
    attribute_of(device, attribute, value);
    return value;
  };
  const auto size = [&](cudaDeviceAttr attribute) { return static_cast<std::size_t>(number(attribute)); };
  p = {};
  std::snprintf(p.name, sizeof p.name, "%s", profile.name.c_str());
  std::memcpy(p.uuid.bytes, "lanewise-vgpu-00", sizeof p.uuid.bytes);
  p.uuid.bytes[14] = static_cast<char>('0' + device.number / 10);
  p.uuid.bytes[15] = static_cast<char>('0' + device.number % 10);
  p.totalGlobalMem = profile.memory;
  p.sharedMemPerBlock = size(cudaDevAttrMaxSharedMemoryPerBlock);
  p.regsPerBlock = number(cudaDevAttrMaxRegistersPerBlock);
  p.warpSize = number(cudaDevAttrWarpSize);
  p.memPitch = size(cudaDevAttrMaxPitch);
  p.maxThreadsPerBlock = number(cudaDevAttrMaxThreadsPerBlock);
  p.maxThreadsDim[0] = number(cudaDevAttrMaxBlockDimX);
  p.maxThreadsDim[1] = number(cudaDevAttrMaxBlockDimY);
  p.maxThreadsDim[2] = number(cudaDevAttrMaxBlockDimZ);
  p.maxGridSize[0] = number(cudaDevAttrMaxGridDimX);
  p.maxGridSize[1] = number(cudaDevAttrMaxGridDimY);
  p.maxGridSize[2] = number(cudaDevAttrMaxGridDimZ);
  p.totalConstMem = size(cudaDevAttrTotalConstantMemory);
  p.major = number(cudaDevAttrComputeCapabilityMajor);
  p.minor = number(cudaDevAttrComputeCapabilityMinor);
  p.textureAlignment = size(cudaDevAttrTextureAlignment);
  p.texturePitchAlignment = size(cudaDevAttrTexturePitchAlignment);
  p.multiProcessorCount = number(cudaDevAttrMultiProcessorCount);
  p.integrated = number(cudaDevAttrIntegrated);
  p.canMapHostMemory = number(cudaDevAttrCanMapHostMemory);
  p.maxTexture1D = number(cudaDevAttrMaxTexture1DWidth);
  p.maxTexture1DMipmap = number(cudaDevAttrMaxTexture1DMipmappedWidth);
  p.maxTexture2D[0] = number(cudaDevAttrMaxTexture2DWidth);
  p.maxTexture2D[1] = number(cudaDevAttrMaxTexture2DHeight);
  p.maxTexture2DMipmap[0] = number(cudaDevAttrMaxTexture2DMipmappedWidth);
  p.maxTexture2DMipmap[1] = number(cudaDevAttrMaxTexture2DMipmappedHeight);
  p.maxTexture2DLinear[0] = number(cudaDevAttrMaxTexture2DLinearWidth);
  p.maxTexture2DLinear[1] = number(cudaDevAttrMaxTexture2DLinearHeight);
  p.maxTexture2DLinear[2] = number(cudaDevAttrMaxTexture2DLinearPitch);
  p.maxTexture2DGather[0] = number(cudaDevAttrMaxTexture2DGatherWidth);
  p.maxTexture2DGather[1] = number(cudaDevAttrMaxTexture2DGatherHeight);
  p.maxTexture3D[0] = number(cudaDevAttrMaxTexture3DWidth);
  p.maxTexture3D[1] = number(cudaDevAttrMaxTexture3DHeight);
  p.maxTexture3D[2] = number(cudaDevAttrMaxTexture3DDepth);
  p.maxTexture3DAlt[0] = number(cudaDevAttrMaxTexture3DWidthAlt);
  p.maxTexture3DAlt[1] = number(cudaDevAttrMaxTexture3DHeightAlt);
  p.maxTexture3DAlt[2] = number(cudaDevAttrMaxTexture3DDepthAlt);
  p.maxTextureCubemap = number(cudaDevAttrMaxTextureCubemapWidth);
  p.maxTexture1DLayered[0] = number(cudaDevAttrMaxTexture1DLayeredWidth);
  p.maxTexture1DLayered[1] = number(cudaDevAttrMaxTexture1DLayeredLayers);
  p.maxTexture2DLayered[0] = number(cudaDevAttrMaxTexture2DLayeredWidth);
  p.maxTexture2DLayered[1] = number(cudaDevAttrMaxTexture2DLayeredHeight);
  p.maxTexture2DLayered[2] = number(cudaDevAttrMaxTexture2DLayeredLayers);
  p.maxTextureCubemapLayered[0] = number(cudaDevAttrMaxTextureCubemapLayeredWidth);
  p.maxTextureCubemapLayered[1] = number(cudaDevAttrMaxTextureCubemapLayeredLayers);
  p.maxSurface1D = number(cudaDevAttrMaxSurface1DWidth);
  p.maxSurface2D[0] = number(cudaDevAttrMaxSurface2DWidth);
  p.maxSurface2D[1] = number(cudaDevAttrMaxSurface2DHeight);
  p.maxSurface3D[0] = number(cudaDevAttrMaxSurface3DWidth);
  p.maxSurface3D[1] = number(cudaDevAttrMaxSurface3DHeight);
  p.maxSurface3D[2] = number(cudaDevAttrMaxSurface3DDepth);
  p.maxSurface1DLayered[0] = number(cudaDevAttrMaxSurface1DLayeredWidth);
  p.maxSurface1DLayered[1] = number(cudaDevAttrMaxSurface1DLayeredLayers);
  p.maxSurface2DLayered[0] = number(cudaDevAttrMaxSurface2DLayeredWidth);
  p.maxSurface2DLayered[1] = number(cudaDevAttrMaxSurface2DLayeredHeight);
  p.maxSurface2DLayered[2] = number(cudaDevAttrMaxSurface2DLayeredLayers);
  p.maxSurfaceCubemap = number(cudaDevAttrMaxSurfaceCubemapWidth);
  p.maxSurfaceCubemapLayered[0] = number(cudaDevAttrMaxSurfaceCubemapLayeredWidth);
  p.maxSurfaceCubemapLayered[1] = number(cudaDevAttrMaxSurfaceCubemapLayeredLayers);
  p.surfaceAlignment = size(cudaDevAttrSurfaceAlignment);
  p.concurrentKernels = number(cudaDevAttrConcurrentKernels);
  p.ECCEnabled = number(cudaDevAttrEccEnabled);
  p.pciBusID = number(cudaDevAttrPciBusId);
  p.pciDeviceID = number(cudaDevAttrPciDeviceId);
  p.pciDomainID = number(cudaDevAttrPciDomainId);
  p.tccDriver = number(cudaDevAttrTccDriver);
  p.asyncEngineCount = number(cudaDevAttrAsyncEngineCount);
  p.unifiedAddressing = number(cudaDevAttrUnifiedAddressing);
  p.memoryBusWidth = number(cudaDevAttrGlobalMemoryBusWidth);
  p.l2CacheSize = number(cudaDevAttrL2CacheSize);
  p.persistingL2CacheMaxSize = number(cudaDevAttrMaxPersistingL2CacheSize);
  p.maxThreadsPerMultiProcessor = number(cudaDevAttrMaxThreadsPerMultiProcessor);
  p.streamPrioritiesSupported = number(cudaDevAttrStreamPrioritiesSupported);
  p.globalL1CacheSupported = number(cudaDevAttrGlobalL1CacheSupported);
  p.localL1CacheSupported = number(cudaDevAttrLocalL1CacheSupported);
  p.sharedMemPerMultiprocessor = size(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  p.regsPerMultiprocessor = number(cudaDevAttrMaxRegistersPerMultiprocessor);
  p.managedMemory = number(cudaDevAttrManagedMemory);
  p.isMultiGpuBoard = number(cudaDevAttrIsMultiGpuBoard);
  p.multiGpuBoardGroupID = number(cudaDevAttrMultiGpuBoardGroupID);
  p.hostNativeAtomicSupported = number(cudaDevAttrHostNativeAtomicSupported);
  p.pageableMemoryAccess = number(cudaDevAttrPageableMemoryAccess);
  p.concurrentManagedAccess = number(cudaDevAttrConcurrentManagedAccess);
  p.computePreemptionSupported = number(cudaDevAttrComputePreemptionSupported);
  p.canUseHostPointerForRegisteredMem = number(cudaDevAttrCanUseHostPointerForRegisteredMem);
  p.cooperativeLaunch = number(cudaDevAttrCooperativeLaunch);
  p.sharedMemPerBlockOptin = size(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  p.pageableMemoryAccessUsesHostPageTables = number(cudaDevAttrPageableMemoryAccessUsesHostPageTables);
  p.directManagedMemAccessFromHost = number(cudaDevAttrDirectManagedMemAccessFromHost);
  p.maxBlocksPerMultiProcessor = number(cudaDevAttrMaxBlocksPerMultiprocessor);
  p.accessPolicyMaxWindowSize = number(cudaDevAttrMaxAccessPolicyWindowSize);
  p.reservedSharedMemPerBlock = size(cudaDevAttrReservedSharedMemoryPerBlock);
  p.hostRegisterSupported = number(cudaDevAttrHostRegisterSupported);
  p.sparseCudaArraySupported = number(cudaDevAttrSparseCudaArraySupported);
  p.hostRegisterReadOnlySupported = number(cudaDevAttrHostRegisterReadOnlySupported);
  p.timelineSemaphoreInteropSupported = number(cudaDevAttrTimelineSemaphoreInteropSupported);
  p.memoryPoolsSupported = number(cudaDevAttrMemoryPoolsSupported);
  p.gpuDirectRDMASupported = number(cudaDevAttrGPUDirectRDMASupported);
  p.gpuDirectRDMAFlushWritesOptions = static_cast<unsigned>(number(cudaDevAttrGPUDirectRDMAFlushWritesOptions));
  p.gpuDirectRDMAWritesOrdering = number(cudaDevAttrGPUDirectRDMAWritesOrdering);
  p.memoryPoolSupportedHandleTypes = static_cast<unsigned>(number(cudaDevAttrMemoryPoolSupportedHandleTypes));
  p.deferredMappingCudaArraySupported = number(cudaDevAttrDeferredMappingCudaArraySupported);
  p.ipcEventSupported = number(cudaDevAttrIpcEventSupport);
  p.clusterLaunch = number(cudaDevAttrClusterLaunch);
  p.unifiedFunctionPointers = 1;
  p.deviceNumaConfig = number(cudaDevAttrNumaConfig);
  p.deviceNumaId = number(cudaDevAttrNumaId);
  p.mpsEnabled = number(cudaDevAttrMpsEnabled);
  p.hostNumaId = number(cudaDevAttrHostNumaId);
  p.gpuPciDeviceID = static_cast<unsigned>(number(cudaDevAttrGpuPciDeviceId));
  p.gpuPciSubsystemID = static_cast<unsigned>(number(cudaDevAttrGpuPciSubsystemId));
}

}  // namespace

VGPU_API cudaError_t cudaGetDeviceCount(int* count) {
  return call([&](Runtime& runtime) -> cudaError_t {
    if (count == nullptr) return cudaErrorInvalidValue;
    *count = runtime.devices.count();
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaGetDevice(int* device) {
  return call([&](Runtime&) -> cudaError_t {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = this_thread().device;
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaSetDevice(int device) {
  return call([&](Runtime& runtime) -> cudaError_t {
    if (!runtime.devices.has(device)) return cudaErrorInvalidDevice;
    this_thread().device = device;
    cudaError_t error = cudaSuccess;
    const DeviceState* const made = runtime.device(error);
    return made != nullptr ? made->sticky : error;
  });
}

VGPU_API cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return call_with(device, [](const DeviceState& made) { return made.sticky; });
}

VGPU_API cudaError_t cudaSetValidDevices(int* devices, int count) {
  return call([&](Runtime& runtime) -> cudaError_t {
    if (devices == nullptr || count < 1) return cudaErrorInvalidValue;
    return std::all_of(devices, devices + count, [&](int d) { return runtime.devices.has(d); })
               ? cudaSuccess
               : cudaErrorInvalidDevice;
  });
}

VGPU_API cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
  return call([&](Runtime&) -> cudaError_t {
    if (device == nullptr || wanted == nullptr) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return call_with(device, [&](const DeviceState& made) -> cudaError_t {
    if (properties == nullptr) return cudaErrorInvalidValue;
    fill_properties(made, *properties);
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return call_with(device, [&](const DeviceState& made) {
    return value != nullptr && attribute_of(made, attribute, *value) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

VGPU_API cudaError_t cudaDeviceSynchronize() {
  return device_call([](Runtime& runtime, DeviceState& device) -> cudaError_t {
    if (const cudaError_t refused = refuse_if_capturing(runtime, device); refused != cudaSuccess) return refused;
    device.timeline.finish_all();
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaDeviceReset() {
  return call([](Runtime& runtime) -> cudaError_t {
    if (DeviceState* const device = runtime.devices.if_made(this_thread().device)) runtime.reset_device(*device);
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return device_call([&](Runtime&, DeviceState& device) -> cudaError_t {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (!is_limit(limit)) return cudaErrorInvalidValue;
    *value = device.limits[limit];
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return device_call([&](Runtime&, DeviceState& device) -> cudaError_t {
    if (!is_limit(limit)) return cudaErrorInvalidValue;
    device.limits[limit] = value;
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaDriverGetVersion(int* version) {
  return call([&](Runtime&) -> cudaError_t {
    if (version == nullptr) return cudaErrorInvalidValue;
    *version = CUDART_VERSION;
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }

// Caches, scheduling and profiling: settings that change no result here.

VGPU_API cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return device_call([&](Runtime&, DeviceState& device) -> cudaError_t {
    if (config == nullptr) return cudaErrorInvalidValue;
    *config = device.cache_config;
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return device_call([&](Runtime&, DeviceState& device) -> cudaError_t {
    if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual) return cudaErrorInvalidValue;
    device.cache_config = config;
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return device_call([&](Runtime&, DeviceState&) -> cudaError_t {
    if (config == nullptr) return cudaErrorInvalidValue;
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return device_call([](Runtime&, DeviceState&) { return cudaSuccess; });
}
VGPU_API cudaError_t cudaCtxResetPersistingL2Cache() {
  return device_call([](Runtime&, DeviceState&) { return cudaSuccess; });
}
VGPU_API cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return call([&](Runtime& runtime) -> cudaError_t {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = runtime.device_flags[this_thread().device] | cudaDeviceMapHost;
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return call([&](Runtime& runtime) -> cudaError_t {
    const unsigned schedule = flags & cudaDeviceScheduleMask;
    const bool one_schedule = (schedule & (schedule - 1)) == 0;
    if ((flags & ~static_cast<unsigned>(cudaDeviceMask)) != 0 || !one_schedule) return cudaErrorInvalidValue;
    runtime.device_flags[this_thread().device] = flags;
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaProfilerStart() { return cudaSuccess; }
VGPU_API cudaError_t cudaProfilerStop() { return cudaSuccess; }

VGPU_API cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  return call_with(device, [&](const DeviceState& made) -> cudaError_t {
    if (id == nullptr || length < 13) return cudaErrorInvalidValue;
    int domain = 0, bus = 0, slot = 0;
    attribute_of(made, cudaDevAttrPciDomainId, domain);
    attribute_of(made, cudaDevAttrPciBusId, bus);
    attribute_of(made, cudaDevAttrPciDeviceId, slot);
    std::snprintf(id, static_cast<std::size_t>(length), "%04x:%02x:%02x.0", domain, bus, slot);
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  return call([&](Runtime& runtime) -> cudaError_t {
    if (device == nullptr || id == nullptr) return cudaErrorInvalidValue;
    for (int number = 0; number < runtime.devices.count(); ++number) {
      char own[32];
      const cudaError_t error = cudaDeviceGetPCIBusId(own, sizeof own, number);
      if (error != cudaSuccess) return error;
      if (std::strcmp(own, id) != 0) continue;
      *device = number;
      return cudaSuccess;
    }
    return cudaErrorInvalidDevice;
  });
}
