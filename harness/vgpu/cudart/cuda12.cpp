// What libcudart.so.12 has and libcudart.so.13 has not, or has otherwise: calls as CUDA 12 declares them, made of those
// of 13. Those named cuda12... have the name of another call in 13, and get it from cuda12.names.
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>

#include "harness/vgpu/cudart/extensions.h"

#define VGPU_API extern "C" __attribute__((visibility("default")))

namespace vgpu::cudart12 {

/// cudaDeviceProp of CUDA 12.
struct Properties {
  char name[256];
  cudaUUID_t uuid;
  char luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode,
      maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2],
      maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap,
      maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2],
      maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount, unifiedAddressing,
      memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor,
      streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported,
      singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported,
      canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor,
      accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported, timelineSemaphoreInteropSupported,
      memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers, reserved[63];
};
static_assert(sizeof(Properties) == 1032 && offsetof(Properties, sharedMemPerBlockOptin) == 696,
              "programs have it as it lies in memory");

}  // namespace vgpu::cudart12

namespace {

using vgpu::cudart12::Properties;

/// The call that is still exported by its plain name filled no more, before CUDA 12.
constexpr size_t kBytesBefore12 = offsetof(Properties, hostRegisterSupported);
static_assert(kBytesBefore12 == 728, "programs have it as it lies in memory");

/// Properties that follow each other in both versions.
struct Range {
  size_t to, from, bytes;
};
constexpr Range range(size_t to, size_t to_end, size_t from, size_t from_end) {
  return to_end - to == from_end - from ? Range{to, from, to_end - to} : throw "there is something between them";
}
#define END_OF(type, field) offsetof(type, field) + sizeof type::field
#define RANGE(first, last)                                                                      \
  range(offsetof(Properties, first), END_OF(Properties, last), offsetof(cudaDeviceProp, first), \
        END_OF(cudaDeviceProp, last))
constexpr Range kRanges[] = {RANGE(name, maxGridSize),
                             RANGE(totalConstMem, texturePitchAlignment),
                             RANGE(multiProcessorCount, multiProcessorCount),
                             RANGE(integrated, canMapHostMemory),
                             RANGE(maxTexture1D, maxTexture1DMipmap),
                             RANGE(maxTexture2D, maxSurfaceCubemapLayered),
                             RANGE(surfaceAlignment, unifiedAddressing),
                             RANGE(memoryBusWidth, localL1CacheSupported),
                             RANGE(sharedMemPerMultiprocessor, hostNativeAtomicSupported),
                             RANGE(pageableMemoryAccess, cooperativeLaunch),
                             RANGE(sharedMemPerBlockOptin, unifiedFunctionPointers)};
#undef RANGE
#undef END_OF

/// What 13 has as attributes alone.
constexpr struct {
  int Properties::*property;
  cudaDeviceAttr attribute;
} kAttributesNow[] = {{&Properties::clockRate, cudaDevAttrClockRate},
                      {&Properties::deviceOverlap, cudaDevAttrGpuOverlap},
                      {&Properties::kernelExecTimeoutEnabled, cudaDevAttrKernelExecTimeout},
                      {&Properties::computeMode, cudaDevAttrComputeMode},
                      {&Properties::maxTexture1DLinear, cudaDevAttrMaxTexture1DLinearWidth},
                      {&Properties::memoryClockRate, cudaDevAttrMemoryClockRate},
                      {&Properties::singleToDoublePrecisionPerfRatio, cudaDevAttrSingleToDoublePrecisionPerfRatio}};

cudaError_t properties_of(int device, Properties& to) {
  cudaDeviceProp from{};
  cudaError_t error = cudaGetDeviceProperties(&from, device);
  to = {};
  for (const Range& range : kRanges)
    std::memcpy(reinterpret_cast<char*>(&to) + range.to, reinterpret_cast<const char*>(&from) + range.from,
                range.bytes);
  for (const auto& row : kAttributesNow)
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&(to.*row.property), row.attribute, device);
  return error;
}

/// How long a structure was in CUDA 12 that is longer in 13 and begins in the same way.
template <class T>
constexpr size_t kBytes = 0;
template <>
constexpr size_t kBytes<cudaPointerAttributes> = 24;
template <>
constexpr size_t kBytes<cudaResourceDesc> = 64;
template <>
constexpr size_t kBytes<cudaResourceViewDesc> = 48;

/// `all` begins with what the program has, and goes on with zeros; null stays null.
template <class T>
const T* extended(const void* structure, T& all) {
  if (structure != nullptr) std::memcpy(&all, structure, kBytes<T>);
  return structure != nullptr ? &all : nullptr;
}

/// Gives the program as much of what `fill(T*)` fills as it has room for.
template <class T, class Fill>
cudaError_t fill_beginning(void* structure, Fill fill) {
  T all{};
  const cudaError_t error = fill(structure != nullptr ? &all : nullptr);
  if (error == cudaSuccess && structure != nullptr) std::memcpy(structure, &all, kBytes<T>);
  return error;
}

/// The place that a device's number meant: cudaCpuDeviceId is the host.
cudaMemLocation location_of(int device) {
  return {device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
          device == cudaCpuDeviceId ? 0 : device};
}

cudaStream_t per_thread(cudaStream_t stream) { return stream == nullptr ? cudaStreamPerThread : stream; }

constexpr int kRuntimeVersion = 12090;  // the last of 12: it has all their calls

}  // namespace

// --- devices ---

VGPU_API cudaError_t cudaGetDeviceProperties_v2(Properties* properties, int device) {
  if (properties == nullptr) return cudaGetDeviceProperties(nullptr, device);
  Properties all;
  const cudaError_t error = properties_of(device, all);
  if (error == cudaSuccess) *properties = all;
  return error;
}
VGPU_API cudaError_t cuda12GetDeviceProperties(void* properties, int device) {
  if (properties == nullptr) return cudaGetDeviceProperties(nullptr, device);
  Properties all;
  const cudaError_t error = properties_of(device, all);
  if (error == cudaSuccess) std::memcpy(properties, &all, kBytesBefore12);
  return error;
}
VGPU_API cudaError_t cuda12RuntimeGetVersion(int* version) {
  const cudaError_t error = cudaRuntimeGetVersion(version);
  if (error == cudaSuccess) *version = kRuntimeVersion;
  return error;
}

// --- structures that have grown ---

VGPU_API cudaError_t cuda12PointerGetAttributes(void* attributes, const void* pointer) {
  return fill_beginning<cudaPointerAttributes>(
      attributes, [&](cudaPointerAttributes* all) { return cudaPointerGetAttributes(all, pointer); });
}
VGPU_API cudaError_t cuda12CreateTextureObject(cudaTextureObject_t* object, const void* resource,
                                               const cudaTextureDesc* description, const void* view) {
  cudaResourceDesc all_resource{};
  cudaResourceViewDesc all_view{};
  return cudaCreateTextureObject(object, extended(resource, all_resource), description, extended(view, all_view));
}
VGPU_API cudaError_t cuda12GetTextureObjectResourceDesc(void* resource, cudaTextureObject_t object) {
  return fill_beginning<cudaResourceDesc>(
      resource, [&](cudaResourceDesc* all) { return cudaGetTextureObjectResourceDesc(all, object); });
}
VGPU_API cudaError_t cuda12GetTextureObjectResourceViewDesc(void* view, cudaTextureObject_t object) {
  return fill_beginning<cudaResourceViewDesc>(
      view, [&](cudaResourceViewDesc* all) { return cudaGetTextureObjectResourceViewDesc(all, object); });
}
VGPU_API cudaError_t cuda12CreateSurfaceObject(cudaSurfaceObject_t* object, const void* resource) {
  cudaResourceDesc all{};
  return cudaCreateSurfaceObject(object, extended(resource, all));
}
VGPU_API cudaError_t cuda12GetSurfaceObjectResourceDesc(void* resource, cudaSurfaceObject_t object) {
  return fill_beginning<cudaResourceDesc>(
      resource, [&](cudaResourceDesc* all) { return cudaGetSurfaceObjectResourceDesc(all, object); });
}

// --- managed memory ---

VGPU_API cudaError_t cuda12MemPrefetchAsync(const void* pointer, size_t bytes, int device, cudaStream_t stream) {
  return cudaMemPrefetchAsync(pointer, bytes, location_of(device), 0, stream);
}
VGPU_API cudaError_t cuda12MemPrefetchAsync_ptsz(const void* pointer, size_t bytes, int device, cudaStream_t stream) {
  return cuda12MemPrefetchAsync(pointer, bytes, device, per_thread(stream));
}
VGPU_API cudaError_t cuda12MemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(pointer, bytes, advice, location_of(device));
}

// --- graphs, before their edges had data ---

VGPU_API cudaError_t cuda12GraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                        size_t count, cudaGraphNodeParams* p) {
  return cudaGraphAddNode(node, graph, after, nullptr, count, p);
}
VGPU_API cudaError_t cuda12GraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                const cudaGraphNode_t* to, size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
VGPU_API cudaError_t cuda12GraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                   const cudaGraphNode_t* to, size_t count) {
  return cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}
VGPU_API cudaError_t cuda12GraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* count) {
  return cudaGraphGetEdges(graph, from, to, nullptr, count);
}
VGPU_API cudaError_t cuda12GraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, size_t* count) {
  return cudaGraphNodeGetDependencies(node, nodes, nullptr, count);
}
VGPU_API cudaError_t cuda12GraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, size_t* count) {
  return cudaGraphNodeGetDependentNodes(node, nodes, nullptr, count);
}
/// The two changed places.
VGPU_API cudaError_t cuda12GraphKernelNodeCopyAttributes(cudaGraphNode_t from, cudaGraphNode_t to) {
  return cudaGraphKernelNodeCopyAttributes(to, from);
}

// --- captures ---

VGPU_API cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                 unsigned long long* id, cudaGraph_t* graph,
                                                 const cudaGraphNode_t** after, size_t* count) {
  return cudaStreamGetCaptureInfo(stream, status, id, graph, after, nullptr, count);
}
VGPU_API cudaError_t cudaStreamGetCaptureInfo_v2_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                      unsigned long long* id, cudaGraph_t* graph,
                                                      const cudaGraphNode_t** after, size_t* count) {
  return cudaStreamGetCaptureInfo_v2(per_thread(stream), status, id, graph, after, count);
}
VGPU_API cudaError_t cuda12StreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                unsigned long long* id) {
  return cudaStreamGetCaptureInfo(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}
VGPU_API cudaError_t cuda12StreamGetCaptureInfo_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                     unsigned long long* id) {
  return cuda12StreamGetCaptureInfo(per_thread(stream), status, id);
}
VGPU_API cudaError_t cuda12StreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* after, size_t count,
                                                           unsigned flags) {
  return cudaStreamUpdateCaptureDependencies(stream, after, nullptr, count, flags);
}
VGPU_API cudaError_t cuda12StreamUpdateCaptureDependencies_ptsz(cudaStream_t stream, cudaGraphNode_t* after,
                                                                size_t count, unsigned flags) {
  return cuda12StreamUpdateCaptureDependencies(per_thread(stream), after, count, flags);
}
VGPU_API cudaError_t cudaEventElapsedTime_v2(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return cudaEventElapsedTime(milliseconds, start, end);
}

// --- calls that 13 has no more ---

VGPU_API cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
VGPU_API cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
VGPU_API cudaError_t cudaThreadGetLimit(size_t* value, cudaLimit limit) { return cudaDeviceGetLimit(value, limit); }
VGPU_API cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
VGPU_API cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* config) { return cudaDeviceGetCacheConfig(config); }
VGPU_API cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) { return cudaDeviceSetCacheConfig(config); }
/// For devices without double precision, of which there are none.
VGPU_API cudaError_t cudaSetDoubleForDevice(double*) { return cudaSuccess; }
VGPU_API cudaError_t cudaSetDoubleForHost(double*) { return cudaSuccess; }

#define REFUSED(name) \
  VGPU_API int name() { return vgpuRefuseCall(#name); }
REFUSED(cudaLaunchCooperativeKernelMultiDevice)
REFUSED(cudaSignalExternalSemaphoresAsync_v2)
REFUSED(cudaSignalExternalSemaphoresAsync_v2_ptsz)
REFUSED(cudaWaitExternalSemaphoresAsync_v2)
REFUSED(cudaWaitExternalSemaphoresAsync_v2_ptsz)
