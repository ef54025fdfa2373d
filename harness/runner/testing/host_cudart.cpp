// A CUDA runtime without a device: memory is host memory and nothing can be launched. With it the conversation between
// runner and worker is tested apart from any GPU, virtual or not.
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int /*device*/) {
  *properties = {};
  std::strcpy(properties->name, "host memory");
  properties->major = 9;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  *pointer = bytes == 0 ? nullptr : std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return cudaSuccess;
}

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t /*stream*/) {
  return cudaMalloc(pointer, bytes);
}

cudaError_t cudaFree(void* pointer) {
  std::free(pointer);
  return cudaSuccess;
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t /*stream*/) { return cudaFree(pointer); }

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind /*kind*/) {
  std::memmove(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}

// A test leaves an error behind by calling cudaFuncSetCacheConfig, which nothing else here needs.
static cudaError_t last_error = cudaSuccess;
cudaError_t cudaFuncSetCacheConfig(const void* /*function*/, cudaFuncCache /*config*/) {
  last_error = cudaErrorInvalidConfiguration;
  return last_error;
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}

const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaErrorInvalidConfiguration ? "cudaErrorInvalidConfiguration" : "cudaErrorUnknown";
}

const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorInvalidConfiguration ? "invalid configuration argument" : "unknown error";
}

cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = nullptr;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t /*stream*/) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t /*stream*/) { return cudaSuccess; }
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = nullptr;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t /*event*/, cudaStream_t /*stream*/) { return cudaSuccess; }
cudaError_t cudaEventDestroy(cudaEvent_t /*event*/) { return cudaSuccess; }
// As after a call of a millisecond.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t /*start*/, cudaEvent_t /*end*/) {
  *milliseconds = 1;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int /*device*/) {
  *value = attribute == cudaDevAttrL2CacheSize ? 1 << 20 : 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit /*limit*/) {
  *value = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit /*limit*/, size_t /*value*/) { return cudaSuccess; }
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }
cudaError_t cudaHostRegister(void* /*pointer*/, size_t /*bytes*/, unsigned /*flags*/) { return cudaSuccess; }
cudaError_t cudaHostUnregister(void* /*pointer*/) { return cudaSuccess; }

}  // extern "C"
