// Memory pools, and advice about managed memory: the runtime's, whose structures and numbers are the driver's.
#include "harness/vgpu/libraries/driver_calls.h"

using namespace vgpu::libraries;

namespace {

static_assert(sizeof(CUmemPoolProps) == sizeof(cudaMemPoolProps));
static_assert(sizeof(CUmemAccessDesc) == sizeof(cudaMemAccessDesc));
static_assert(sizeof(CUmemLocation) == sizeof(cudaMemLocation));

/// A function of the runtime's that has a name of its own in CUDA 12, where the plain one is another's.
template <class Function>
Function* newer(const char* name_in_12, const char* name) {
  void* const found = find_in_runtime_if_any(name_in_12);
  return reinterpret_cast<Function*>(found != nullptr ? found : find_in_runtime(name));
}

cudaMemLocation place(CUmemLocation location) { return {static_cast<cudaMemLocationType>(location.type), location.id}; }

cudaError_t advise(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUmemLocation location) {
  static auto* const kAdvise = newer<decltype(cudaMemAdvise)>("cudaMemAdvise_v2", "cudaMemAdvise");
  return kAdvise(pointer_to(pointer), bytes, static_cast<cudaMemoryAdvise>(advice), place(location));
}

cudaError_t prefetch(CUdeviceptr pointer, size_t bytes, CUmemLocation location, unsigned flags, CUstream stream) {
  static auto* const kPrefetch =
      newer<decltype(cudaMemPrefetchAsync)>("cudaMemPrefetchAsync_v2", "cudaMemPrefetchAsync");
  return kPrefetch(pointer_to(pointer), bytes, place(location), flags, stream);
}

}  // namespace

VGPU_DRIVER_API CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaMemPoolCreate)(pool, reinterpret_cast<const cudaMemPoolProps*>(properties)));
}
VGPU_DRIVER_API CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaMemPoolDestroy)(pool));
}
VGPU_DRIVER_API CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaMemPoolTrimTo)(pool, bytes));
}
VGPU_DRIVER_API CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaMemPoolGetAttribute)(pool, static_cast<cudaMemPoolAttr>(attribute), value));
}
VGPU_DRIVER_API CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaMemPoolSetAttribute)(pool, static_cast<cudaMemPoolAttr>(attribute), value));
}
VGPU_DRIVER_API CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* descriptions, size_t count) {
  VGPU_IN_CONTEXT(
      VGPU_RUNTIME(cudaMemPoolSetAccess)(pool, reinterpret_cast<const cudaMemAccessDesc*>(descriptions), count));
}
VGPU_DRIVER_API CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool pool, CUmemLocation* location) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaMemPoolGetAccess)(reinterpret_cast<cudaMemAccessFlags*>(flags), pool,
                                                     reinterpret_cast<cudaMemLocation*>(location)));
}

VGPU_DRIVER_API CUresult cuMemAdvise(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUmemLocation location) {
  VGPU_IN_CONTEXT(advise(pointer, bytes, advice, location));
}
VGPU_DRIVER_API CUresult cuMemPrefetchAsync(CUdeviceptr pointer, size_t bytes, CUmemLocation location, unsigned flags,
                                            CUstream stream) {
  VGPU_IN_CONTEXT(prefetch(pointer, bytes, location, flags, stream));
}
VGPU_DRIVER_API CUresult cuMemRangeGetAttribute(void* data, size_t data_bytes, CUmem_range_attribute attribute,
                                                CUdeviceptr pointer, size_t bytes) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaMemRangeGetAttribute)(
      data, data_bytes, static_cast<cudaMemRangeAttribute>(attribute), pointer_to(pointer), bytes));
}
VGPU_DRIVER_API CUresult cuMemRangeGetAttributes(void** data, size_t* data_bytes, CUmem_range_attribute* attributes,
                                                 size_t count, CUdeviceptr pointer, size_t bytes) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaMemRangeGetAttributes)(
      data, data_bytes, reinterpret_cast<cudaMemRangeAttribute*>(attributes), count, pointer_to(pointer), bytes));
}
