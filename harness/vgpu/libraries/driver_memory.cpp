// Memory: allocating, copying, filling, and what a pointer is.
#include <algorithm>

#include "harness/vgpu/libraries/driver_calls.h"

using namespace vgpu::libraries;

namespace {

CUresult allocate(CUdeviceptr* pointer, size_t bytes) {
  if (pointer == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  return result_of(VGPU_RUNTIME(cudaMalloc)(reinterpret_cast<void**>(pointer), bytes));
}

/// One side of a copy of rows.
struct Side {
  void* begin = nullptr;
  size_t pitch = 0;
  CUmemorytype type = CU_MEMORYTYPE_UNIFIED;
};
Side side_of(CUmemorytype type, const void* host, CUdeviceptr device, size_t pitch, size_t x, size_t y, size_t width) {
  const size_t own_pitch = pitch != 0 ? pitch : x + width;
  const CUdeviceptr begin = type == CU_MEMORYTYPE_HOST ? address_of(host) : device;
  return {pointer_to(begin + y * own_pitch + x), own_pitch, type};
}

CUresult copy_rows(const CUDA_MEMCPY2D* copy, bool waits, CUstream stream) {
  if (copy == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_MEMCPY2D& c = *copy;
  for (const CUmemorytype type : {c.srcMemoryType, c.dstMemoryType}) {
    if (type == CU_MEMORYTYPE_ARRAY) return refuse("cuMemcpy2D with an array");
    if (type != CU_MEMORYTYPE_HOST && type != CU_MEMORYTYPE_DEVICE && type != CU_MEMORYTYPE_UNIFIED)
      return CUDA_ERROR_INVALID_VALUE;
  }
  const Side from = side_of(c.srcMemoryType, c.srcHost, c.srcDevice, c.srcPitch, c.srcXInBytes, c.srcY, c.WidthInBytes);
  const Side to = side_of(c.dstMemoryType, c.dstHost, c.dstDevice, c.dstPitch, c.dstXInBytes, c.dstY, c.WidthInBytes);
  if (c.WidthInBytes + c.srcXInBytes > from.pitch || c.WidthInBytes + c.dstXInBytes > to.pitch)
    return CUDA_ERROR_INVALID_VALUE;
  const bool from_host = from.type == CU_MEMORYTYPE_HOST, to_host = to.type == CU_MEMORYTYPE_HOST;
  const bool is_found_out = from.type == CU_MEMORYTYPE_UNIFIED || to.type == CU_MEMORYTYPE_UNIFIED;
  const cudaMemcpyKind kind = is_found_out ? cudaMemcpyDefault
                              : from_host  ? (to_host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice)
                                           : (to_host ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice);
  return result_of(
      waits ? VGPU_RUNTIME(cudaMemcpy2D)(to.begin, to.pitch, from.begin, from.pitch, c.WidthInBytes, c.Height, kind)
            : VGPU_RUNTIME(cudaMemcpy2DAsync)(to.begin, to.pitch, from.begin, from.pitch, c.WidthInBytes, c.Height,
                                              kind, stream));
}

CUresult copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return result_of(VGPU_RUNTIME(cudaMemcpy)(to, from, bytes, kind));
}
CUresult copy_in(CUstream stream, void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return result_of(VGPU_RUNTIME(cudaMemcpyAsync)(to, from, bytes, kind, stream));
}

/// Elements in a row, which need not have a pitch, or in several.
CUresult fill(CUstream stream, CUdeviceptr to, unsigned value, unsigned element_bytes, size_t width, size_t height = 1,
              size_t pitch = 0) {
  return result_of(VGPU_RUNTIME(vgpuFill)(pointer_to(to), height == 1 ? width * element_bytes : pitch, value,
                                          element_bytes, width, height, stream));
}

/// What the runtime knows of a pointer; in CUDA 12 there is less of it.
CUresult describe(const void* pointer, cudaPointerAttributes& attributes) {
  return result_of(VGPU_RUNTIME(cudaPointerGetAttributes)(&attributes, pointer));
}

CUresult range_of(CUdeviceptr* begin, size_t* bytes, CUdeviceptr pointer) {
  return result_of(VGPU_RUNTIME(vgpuAddressRange)(pointer_to(pointer), reinterpret_cast<void**>(begin), bytes));
}

CUresult pointer_attribute(void* to, CUpointer_attribute attribute, CUdeviceptr pointer) {
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  cudaPointerAttributes known{};
  const CUresult error = describe(pointer_to(pointer), known);
  if (error != CUDA_SUCCESS) return error;
  const bool is_known = known.type != cudaMemoryTypeUnregistered;
  if (attribute == CU_POINTER_ATTRIBUTE_MAPPED) return *static_cast<bool*>(to) = is_known, CUDA_SUCCESS;
  if (!is_known) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      *static_cast<CUcontext*>(to) = primary_context(known.device);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned*>(to) = known.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      *static_cast<CUdeviceptr*>(to) = address_of(known.devicePointer);
      return known.devicePointer != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      *static_cast<void**>(to) = known.hostPointer;
      return known.hostPointer != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      *static_cast<bool*>(to) = known.type == cudaMemoryTypeManaged;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *static_cast<int*>(to) = known.device;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return range_of(static_cast<CUdeviceptr*>(to), nullptr, pointer);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return range_of(nullptr, static_cast<size_t*>(to), pointer);
    default:
      return refuse("this attribute of cuPointerGetAttribute");
  }
}

}  // namespace

VGPU_DRIVER_API CUresult cuMemAlloc(CUdeviceptr* pointer, size_t bytes) { VGPU_IN_CONTEXT(allocate(pointer, bytes)); }
VGPU_DRIVER_API CUresult cuMemFree(CUdeviceptr pointer) {
  if (pointer == 0) VGPU_INITIALISED(CUDA_SUCCESS);  // even without a context
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaFree)(pointer_to(pointer)));
}
VGPU_DRIVER_API CUresult cuMemAllocPitch(CUdeviceptr* pointer, size_t* pitch, size_t width, size_t height,
                                         unsigned element_bytes) {
  const bool is_element = element_bytes == 4 || element_bytes == 8 || element_bytes == 16;
  VGPU_IN_CONTEXT(
      !is_element || width == 0 || height == 0
          ? CUDA_ERROR_INVALID_VALUE
          : result_of(VGPU_RUNTIME(cudaMallocPitch)(reinterpret_cast<void**>(pointer), pitch, width, height)));
}
VGPU_DRIVER_API CUresult cuMemAllocManaged(CUdeviceptr* pointer, size_t bytes, unsigned flags) {
  VGPU_IN_CONTEXT(bytes == 0
                      ? CUDA_ERROR_INVALID_VALUE
                      : result_of(VGPU_RUNTIME(cudaMallocManaged)(reinterpret_cast<void**>(pointer), bytes, flags)));
}
VGPU_DRIVER_API CUresult cuMemAllocHost(void** pointer, size_t bytes) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaMallocHost)(pointer, bytes));
}
VGPU_DRIVER_API CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaHostAlloc)(pointer, bytes, flags));
}
VGPU_DRIVER_API CUresult cuMemFreeHost(void* pointer) { VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaFreeHost)(pointer)); }
VGPU_DRIVER_API CUresult cuMemHostRegister(void* pointer, size_t bytes, unsigned flags) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaHostRegister)(pointer, bytes, flags));
}
VGPU_DRIVER_API CUresult cuMemHostUnregister(void* pointer) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaHostUnregister)(pointer));
}
VGPU_DRIVER_API CUresult cuMemHostGetDevicePointer(CUdeviceptr* device, void* host, unsigned flags) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaHostGetDevicePointer)(reinterpret_cast<void**>(device), host, flags));
}
VGPU_DRIVER_API CUresult cuMemHostGetFlags(unsigned* flags, void* pointer) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaHostGetFlags)(flags, pointer));
}
VGPU_DRIVER_API CUresult cuMemGetInfo(size_t* free, size_t* total) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaMemGetInfo)(free, total));
}
VGPU_DRIVER_API CUresult cuMemGetAddressRange(CUdeviceptr* begin, size_t* bytes, CUdeviceptr pointer) {
  VGPU_IN_CONTEXT(range_of(begin, bytes, pointer));
}

VGPU_DRIVER_API CUresult cuMemAllocAsync(CUdeviceptr* pointer, size_t bytes, CUstream stream) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaMallocAsync)(reinterpret_cast<void**>(pointer), bytes, stream));
}
VGPU_DRIVER_API CUresult cuMemAllocFromPoolAsync(CUdeviceptr* pointer, size_t bytes, CUmemoryPool pool,
                                                 CUstream stream) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaMallocFromPoolAsync)(reinterpret_cast<void**>(pointer), bytes, pool, stream));
}
VGPU_DRIVER_API CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaFreeAsync)(pointer_to(pointer), stream));
}

// --- copies ---

VGPU_DRIVER_API CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  VGPU_IN_CONTEXT(copy(pointer_to(to), pointer_to(from), bytes, cudaMemcpyDefault));
}
VGPU_DRIVER_API CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  VGPU_IN_CONTEXT(copy(pointer_to(to), from, bytes, cudaMemcpyHostToDevice));
}
VGPU_DRIVER_API CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
  VGPU_IN_CONTEXT(copy(to, pointer_to(from), bytes, cudaMemcpyDeviceToHost));
}
VGPU_DRIVER_API CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  VGPU_IN_CONTEXT(copy(pointer_to(to), pointer_to(from), bytes, cudaMemcpyDeviceToDevice));
}
VGPU_DRIVER_API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  VGPU_IN_CONTEXT(copy_in(stream, pointer_to(to), pointer_to(from), bytes, cudaMemcpyDefault));
}
VGPU_DRIVER_API CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  VGPU_IN_CONTEXT(copy_in(stream, pointer_to(to), from, bytes, cudaMemcpyHostToDevice));
}
VGPU_DRIVER_API CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  VGPU_IN_CONTEXT(copy_in(stream, to, pointer_to(from), bytes, cudaMemcpyDeviceToHost));
}
VGPU_DRIVER_API CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  VGPU_IN_CONTEXT(copy_in(stream, pointer_to(to), pointer_to(from), bytes, cudaMemcpyDeviceToDevice));
}
VGPU_DRIVER_API CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here, size_t bytes) {
  VGPU_IN_CONTEXT(device_of(there) == -1 || device_of(here) == -1
                      ? CUDA_ERROR_INVALID_CONTEXT
                      : result_of(VGPU_RUNTIME(cudaMemcpyPeer)(pointer_to(to), device_of(there), pointer_to(from),
                                                               device_of(here), bytes)));
}
VGPU_DRIVER_API CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here,
                                           size_t bytes, CUstream stream) {
  VGPU_IN_CONTEXT(device_of(there) == -1 || device_of(here) == -1
                      ? CUDA_ERROR_INVALID_CONTEXT
                      : result_of(VGPU_RUNTIME(cudaMemcpyPeerAsync)(pointer_to(to), device_of(there), pointer_to(from),
                                                                    device_of(here), bytes, stream)));
}
VGPU_DRIVER_API CUresult cuMemcpy2D(const CUDA_MEMCPY2D* copy) { VGPU_IN_CONTEXT(copy_rows(copy, true, nullptr)); }
VGPU_DRIVER_API CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* copy) {
  VGPU_IN_CONTEXT(copy_rows(copy, true, nullptr));
}
VGPU_DRIVER_API CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* copy, CUstream stream) {
  VGPU_IN_CONTEXT(copy_rows(copy, false, stream));
}

// --- filling ---

VGPU_DRIVER_API CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  VGPU_IN_CONTEXT(fill(nullptr, to, value, 1, count));
}
VGPU_DRIVER_API CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
  VGPU_IN_CONTEXT(fill(nullptr, to, value, 2, count));
}
VGPU_DRIVER_API CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
  VGPU_IN_CONTEXT(fill(nullptr, to, value, 4, count));
}
VGPU_DRIVER_API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  VGPU_IN_CONTEXT(fill(stream, to, value, 1, count));
}
VGPU_DRIVER_API CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  VGPU_IN_CONTEXT(fill(stream, to, value, 2, count));
}
VGPU_DRIVER_API CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  VGPU_IN_CONTEXT(fill(stream, to, value, 4, count));
}
VGPU_DRIVER_API CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) {
  VGPU_IN_CONTEXT(fill(nullptr, to, value, 1, width, height, pitch));
}
VGPU_DRIVER_API CUresult cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                                       size_t height) {
  VGPU_IN_CONTEXT(fill(nullptr, to, value, 2, width, height, pitch));
}
VGPU_DRIVER_API CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height) {
  VGPU_IN_CONTEXT(fill(nullptr, to, value, 4, width, height, pitch));
}

VGPU_DRIVER_API CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                                           size_t height, CUstream stream) {
  VGPU_IN_CONTEXT(fill(stream, to, value, 1, width, height, pitch));
}
VGPU_DRIVER_API CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                                            size_t height, CUstream stream) {
  VGPU_IN_CONTEXT(fill(stream, to, value, 2, width, height, pitch));
}
VGPU_DRIVER_API CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height,
                                            CUstream stream) {
  VGPU_IN_CONTEXT(fill(stream, to, value, 4, width, height, pitch));
}

VGPU_DRIVER_API CUresult cuPointerGetAttribute(void* to, CUpointer_attribute attribute, CUdeviceptr pointer) {
  VGPU_IN_CONTEXT(pointer_attribute(to, attribute, pointer));
}

// --- memory of other processes ---

VGPU_DRIVER_API CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr pointer) {
  VGPU_IN_CONTEXT(
      VGPU_RUNTIME(cudaIpcGetMemHandle)(reinterpret_cast<cudaIpcMemHandle_t*>(handle), pointer_to(pointer)));
}
VGPU_DRIVER_API CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* pointer, CUipcMemHandle handle, unsigned flags) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaIpcOpenMemHandle)(reinterpret_cast<void**>(pointer),
                                                     same_bytes<cudaIpcMemHandle_t>(handle), flags));
}
VGPU_DRIVER_API CUresult cuIpcCloseMemHandle(CUdeviceptr pointer) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaIpcCloseMemHandle)(pointer_to(pointer)));
}

#undef cuIpcOpenMemHandle
VGPU_DRIVER_API CUresult cuIpcOpenMemHandle(CUdeviceptr* pointer, CUipcMemHandle handle, unsigned flags) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaIpcOpenMemHandle)(reinterpret_cast<void**>(pointer),
                                                     same_bytes<cudaIpcMemHandle_t>(handle), flags));
}
