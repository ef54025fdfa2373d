// Launches, and how many blocks fit.
#include <algorithm>
#include <cstring>
#include <vector>

#include "harness/vgpu/libraries/driver_calls.h"

using namespace vgpu::libraries;

namespace {

static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute), "an attribute is the same to both interfaces");

/// A pointer to each parameter in a buffer that holds them as the kernel expects them.
CUresult unpack(CUfunction function, void** extra, std::vector<void*>& parameters) {
  char* buffer = nullptr;
  const size_t* bytes = nullptr;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = static_cast<char*>(extra[1]);
    else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
      bytes = static_cast<const size_t*>(extra[1]);
    else
      return CUDA_ERROR_INVALID_VALUE;
  }
  if (buffer == nullptr || bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
  size_t end = 0;  // of the last parameter
  for (size_t index = 0, offset = 0, own = 0;; ++index) {
    const cudaError_t error = VGPU_RUNTIME(cudaFuncGetParamInfo)(function, index, &offset, &own);
    if (error == cudaErrorInvalidValue) {  // there are no more
      VGPU_RUNTIME(cudaGetLastError)();
      break;
    }
    if (error != cudaSuccess) return result_of(error);
    if (own > *bytes || offset > *bytes - own) return CUDA_ERROR_INVALID_VALUE;
    parameters.push_back(buffer + offset);
    end = offset + own;
  }
  if (*bytes > end) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;  // too many arguments, says the driver in this way
  parameters.push_back(nullptr);                                // a kernel without parameters has a list, too
  return CUDA_SUCCESS;
}

CUresult launch(const cudaLaunchConfig_t& config, CUfunction function, void** parameters, void** extra) {
  std::vector<void*> unpacked;
  if (extra != nullptr && *extra != CU_LAUNCH_PARAM_END) {
    if (parameters != nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUresult error = unpack(function, extra, unpacked);
    if (error != CUDA_SUCCESS) return error;
    parameters = unpacked.data();
  }
  return result_of(VGPU_RUNTIME(cudaLaunchKernelExC)(&config, function, parameters));
}

cudaLaunchConfig_t configuration(dim3 grid, dim3 block, unsigned shared, CUstream stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  return config;
}

CUresult launch_extended(const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra) {
  if (config == nullptr || (config->numAttrs != 0 && config->attrs == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  std::vector<cudaLaunchAttribute> attributes(config->numAttrs);
  if (!attributes.empty()) std::memcpy(attributes.data(), config->attrs, attributes.size() * sizeof attributes[0]);
  cudaLaunchConfig_t own =
      configuration({config->gridDimX, config->gridDimY, config->gridDimZ},
                    {config->blockDimX, config->blockDimY, config->blockDimZ}, config->sharedMemBytes, config->hStream);
  own.attrs = attributes.data();
  own.numAttrs = config->numAttrs;
  return launch(own, function, parameters, extra);
}

CUresult blocks_of(int* blocks, CUfunction function, int threads, size_t shared) {
  return result_of(VGPU_RUNTIME(cudaOccupancyMaxActiveBlocksPerMultiprocessor)(blocks, function, threads, shared));
}

/// The block size with which the most threads are resident, the largest of several; all sizes are whole warps but the
/// limit itself.
CUresult best_block(int* grid, int* block, CUfunction function, CUoccupancyB2DSize shared_for, size_t shared,
                    int limit) {
  constexpr int kWarp = 32;
  if (grid == nullptr || block == nullptr) return CUDA_ERROR_INVALID_VALUE;
  cudaFuncAttributes attributes{};
  int device = 0, processors = 0, most = 0;
  CUresult error = result_of(VGPU_RUNTIME(cudaFuncGetAttributes)(&attributes, function));
  if (error == CUDA_SUCCESS) error = result_of(VGPU_RUNTIME(cudaGetDevice)(&device));
  if (error == CUDA_SUCCESS)
    error = result_of(VGPU_RUNTIME(cudaDeviceGetAttribute)(&processors, cudaDevAttrMultiProcessorCount, device));
  if (error != CUDA_SUCCESS) return error;
  const int largest = limit > 0 ? std::min(limit, attributes.maxThreadsPerBlock) : attributes.maxThreadsPerBlock;
  for (int aligned = (largest + kWarp - 1) / kWarp * kWarp; aligned > 0; aligned -= kWarp) {
    const int size = std::min(aligned, largest);
    int blocks = 0;
    error = blocks_of(&blocks, function, size, shared_for != nullptr ? shared_for(size) : shared);
    if (error != CUDA_SUCCESS) return error;
    if (blocks * size <= most) continue;
    most = blocks * size;
    *block = size;
    *grid = blocks * processors;
  }
  return most != 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

VGPU_DRIVER_API CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                        CUstream stream, void** parameters, void** extra) {
  VGPU_IN_CONTEXT(launch(configuration({grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream), function,
                         parameters, extra));
}
VGPU_DRIVER_API CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters,
                                          void** extra) {
  VGPU_IN_CONTEXT(launch_extended(config, function, parameters, extra));
}
VGPU_DRIVER_API CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                                   unsigned block_z, unsigned shared, CUstream stream,
                                                   void** parameters) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaLaunchCooperativeKernel)(function, {grid_x, grid_y, grid_z},
                                                            {block_x, block_y, block_z}, parameters, shared, stream));
}
VGPU_DRIVER_API CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaLaunchHostFunc)(stream, function, data));
}

VGPU_DRIVER_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                                     size_t shared) {
  VGPU_IN_CONTEXT(blocks_of(blocks, function, threads, shared));
}
VGPU_DRIVER_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function,
                                                                              int threads, size_t shared, unsigned) {
  VGPU_IN_CONTEXT(blocks_of(blocks, function, threads, shared));
}
VGPU_DRIVER_API CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function,
                                                          CUoccupancyB2DSize shared_for, size_t shared, int limit) {
  VGPU_IN_CONTEXT(best_block(grid, block, function, shared_for, shared, limit));
}
VGPU_DRIVER_API CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction function,
                                                                   CUoccupancyB2DSize shared_for, size_t shared,
                                                                   int limit, unsigned) {
  VGPU_IN_CONTEXT(best_block(grid, block, function, shared_for, shared, limit));
}
VGPU_DRIVER_API CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, CUfunction function, int blocks,
                                                                 int threads) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaOccupancyAvailableDynamicSMemPerBlock)(bytes, function, blocks, threads));
}
