// The runtime's functions as C++ calls them, with types: CUDA Runtime API, "C++ API Routines".
#pragma once

template <class T>
inline cudaError_t cudaMalloc(T** pointer, size_t bytes) {
  return ::cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
}
template <class T>
inline cudaError_t cudaMallocHost(T** pointer, size_t bytes, unsigned int = 0) {
  return ::cudaMallocHost(reinterpret_cast<void**>(pointer), bytes);
}
template <class T>
inline cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned int flags) {
  return ::cudaHostAlloc(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T>
inline cudaError_t cudaHostGetDevicePointer(T** device_pointer, void* host_pointer, unsigned int flags) {
  return ::cudaHostGetDevicePointer(reinterpret_cast<void**>(device_pointer), host_pointer, flags);
}
template <class T>
inline cudaError_t cudaMallocManaged(T** pointer, size_t bytes, unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T>
inline cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height) {
  return ::cudaMallocPitch(reinterpret_cast<void**>(pointer), pitch, width, height);
}
template <class T>
inline cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t stream) {
  return ::cudaMallocAsync(reinterpret_cast<void**>(pointer), bytes, stream);
}
template <class T>
inline cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(reinterpret_cast<void**>(pointer), bytes, pool, stream);
}
template <class T>
inline cudaError_t cudaMallocFromPoolAsync(T** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(reinterpret_cast<void**>(pointer), bytes, pool, stream);
}

// Variables of device code, by name. A pointer is taken for the variable itself, as the C functions take it.
template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol(static_cast<const void*>(&symbol), from, bytes, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
  return ::cudaMemcpyToSymbolAsync(static_cast<const void*>(&symbol), from, bytes, offset, kind, stream);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(to, static_cast<const void*>(&symbol), bytes, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
  return ::cudaMemcpyFromSymbolAsync(to, static_cast<const void*>(&symbol), bytes, offset, kind, stream);
}
template <class T>
inline cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol) {
  return ::cudaGetSymbolAddress(pointer, static_cast<const void*>(&symbol));
}
template <class T>
inline cudaError_t cudaGetSymbolSize(size_t* bytes, const T& symbol) {
  return ::cudaGetSymbolSize(bytes, static_cast<const void*>(&symbol));
}
template <class T>
inline cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                  const cudaGraphNode_t* after, size_t count, const T& symbol,
                                                  const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, after, count, static_cast<const void*>(&symbol), from, bytes,
                                          offset, kind);
}
template <class T>
inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                    const cudaGraphNode_t* after, size_t count, void* to,
                                                    const T& symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, after, count, to, static_cast<const void*>(&symbol), bytes,
                                            offset, kind);
}

// Kernels.
template <class T>
inline cudaError_t cudaLaunchKernel(T* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes = 0,
                                    cudaStream_t stream = 0) {
  return ::cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared_bytes, stream);
}
template <class T>
inline cudaError_t cudaLaunchCooperativeKernel(T* kernel, dim3 grid, dim3 block, void** arguments,
                                               size_t shared_bytes = 0, cudaStream_t stream = 0) {
  return ::cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared_bytes,
                                       stream);
}
template <class... Parameters, class... Arguments>
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                                      Arguments&&... arguments) {
  return [&](Parameters... converted) {
    void* pointers[] = {static_cast<void*>(&converted)..., nullptr};
    return ::cudaLaunchKernelExC(config, reinterpret_cast<const void*>(kernel), pointers);
  }(static_cast<Arguments&&>(arguments)...);
}
template <class T>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* kernel) {
  return ::cudaFuncGetAttributes(attributes, reinterpret_cast<const void*>(kernel));
}
template <class T>
inline cudaError_t cudaFuncSetAttribute(T* kernel, cudaFuncAttribute attribute, int value) {
  return ::cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}
template <class T>
inline cudaError_t cudaFuncSetCacheConfig(T* kernel, cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig(reinterpret_cast<const void*>(kernel), config);
}
template <class T>
inline cudaError_t cudaFuncGetName(const char** name, T* kernel) {
  return ::cudaFuncGetName(name, reinterpret_cast<const void*>(kernel));
}
template <class T>
inline cudaError_t cudaFuncGetParamInfo(T* kernel, size_t index, size_t* offset, size_t* bytes) {
  return ::cudaFuncGetParamInfo(reinterpret_cast<const void*>(kernel), index, offset, bytes);
}

// Occupancy.
template <class T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T* kernel, int threads_per_block,
                                                                 size_t shared_bytes) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, reinterpret_cast<const void*>(kernel),
                                                         threads_per_block, shared_bytes);
}
template <class T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, T* kernel, int threads_per_block,
                                                                          size_t shared_bytes, unsigned int flags) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, reinterpret_cast<const void*>(kernel),
                                                                  threads_per_block, shared_bytes, flags);
}
template <class T>
inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, T* kernel, int blocks,
                                                             int threads_per_block) {
  return ::cudaOccupancyAvailableDynamicSMemPerBlock(bytes, reinterpret_cast<const void*>(kernel), blocks,
                                                     threads_per_block);
}

/// The size of block, a multiple of a warp, with which most threads fit on a multiprocessor; the largest of equals. And
/// the least number of blocks that fills the device then.
template <class T, class SharedBytes>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, T* kernel,
                                                                  SharedBytes shared_bytes_for, int limit = 0) {
  int device = 0, multiprocessors = 0;
  cudaFuncAttributes attributes;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, kernel);
  if (error != cudaSuccess) return error;
  const int largest = limit > 0 && limit < attributes.maxThreadsPerBlock ? limit : attributes.maxThreadsPerBlock;
  int most_threads = 0;
  for (int threads = (largest + 31) / 32 * 32; threads > 0; threads -= 32) {
    const int size = threads < largest ? threads : largest;
    int blocks = 0;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, size, shared_bytes_for(size));
    if (error != cudaSuccess) return error;
    if (blocks * size <= most_threads) continue;
    most_threads = blocks * size;
    *block = size;
    *grid = blocks * multiprocessors;
  }
  return cudaSuccess;
}
template <class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, T* kernel, size_t shared_bytes = 0,
                                                      int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      grid, block, kernel, [=](int) { return shared_bytes; }, limit);
}

// Events, graphs, memory.
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}
inline cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch, size_t width, size_t height) {
  return {pointer, pitch, width, height};
}
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }

namespace lanewise {
/// How many numbers a texel has, and what kind they are.
template <class T>
struct Texel {
  static constexpr int kNumbers = 1;
  using Number = T;
};
#define LANEWISE_TEXEL(name, type)     \
  template <>                          \
  struct Texel<name##1> {              \
    static constexpr int kNumbers = 1; \
    using Number = type;               \
  };                                   \
  template <>                          \
  struct Texel<name##2> {              \
    static constexpr int kNumbers = 2; \
    using Number = type;               \
  };                                   \
  template <>                          \
  struct Texel<name##4> {              \
    static constexpr int kNumbers = 4; \
    using Number = type;               \
  };
LANEWISE_TEXEL(char, signed char)
LANEWISE_TEXEL(uchar, unsigned char)
LANEWISE_TEXEL(short, short)
LANEWISE_TEXEL(ushort, unsigned short)
LANEWISE_TEXEL(int, int)
LANEWISE_TEXEL(uint, unsigned int)
LANEWISE_TEXEL(float, float)
#undef LANEWISE_TEXEL
}  // namespace lanewise

template <class T>
inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  using Number = typename lanewise::Texel<T>::Number;
  const int bits = sizeof(Number) * 8, numbers = lanewise::Texel<T>::kNumbers;
  const cudaChannelFormatKind kind = static_cast<Number>(0.5) != 0                      ? cudaChannelFormatKindFloat
                                     : static_cast<Number>(-1) < static_cast<Number>(0) ? cudaChannelFormatKindSigned
                                                                                        : cudaChannelFormatKindUnsigned;
  return {bits, numbers > 1 ? bits : 0, numbers > 2 ? bits : 0, numbers > 2 ? bits : 0, kind};
}
