// What programs call that are compiled for a default stream of each thread: the same functions, where null is another
// stream.
#include "harness/vgpu/libraries/driver_calls.h"

using namespace vgpu::libraries;

namespace {

CUstream own_stream() { return CU_STREAM_PER_THREAD; }

/// For a copy that waits: it was put into the thread's own stream.
CUresult waited_for(CUresult result) { return result == CUDA_SUCCESS ? cuStreamSynchronize(own_stream()) : result; }

}  // namespace

/// A function of these `parameters`: `call` makes the one for all threads.
#define VGPU_PER_THREAD(name, parameters, call)            \
  VGPU_DRIVER_API CUresult name parameters {               \
    const CallSite call_site(__builtin_return_address(0)); \
    return call;                                           \
  }

VGPU_PER_THREAD(cuMemcpy_ptds, (CUdeviceptr to, CUdeviceptr from, size_t bytes),
                waited_for(cuMemcpyAsync(to, from, bytes, own_stream())))
VGPU_PER_THREAD(cuMemcpyHtoD_v2_ptds, (CUdeviceptr to, const void* from, size_t bytes),
                waited_for(cuMemcpyHtoDAsync(to, from, bytes, own_stream())))
VGPU_PER_THREAD(cuMemcpyDtoH_v2_ptds, (void* to, CUdeviceptr from, size_t bytes),
                waited_for(cuMemcpyDtoHAsync(to, from, bytes, own_stream())))
VGPU_PER_THREAD(cuMemcpyDtoD_v2_ptds, (CUdeviceptr to, CUdeviceptr from, size_t bytes),
                cuMemcpyDtoDAsync(to, from, bytes, own_stream()))
VGPU_PER_THREAD(cuMemcpy2D_v2_ptds, (const CUDA_MEMCPY2D* copy), waited_for(cuMemcpy2DAsync(copy, own_stream())))
VGPU_PER_THREAD(cuMemcpyAsync_ptsz, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
                cuMemcpyAsync(to, from, bytes, per_thread(stream)))
VGPU_PER_THREAD(cuMemcpyHtoDAsync_v2_ptsz, (CUdeviceptr to, const void* from, size_t bytes, CUstream stream),
                cuMemcpyHtoDAsync(to, from, bytes, per_thread(stream)))
VGPU_PER_THREAD(cuMemcpyDtoHAsync_v2_ptsz, (void* to, CUdeviceptr from, size_t bytes, CUstream stream),
                cuMemcpyDtoHAsync(to, from, bytes, per_thread(stream)))
VGPU_PER_THREAD(cuMemcpyDtoDAsync_v2_ptsz, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
                cuMemcpyDtoDAsync(to, from, bytes, per_thread(stream)))
VGPU_PER_THREAD(cuMemcpy2DAsync_v2_ptsz, (const CUDA_MEMCPY2D* copy, CUstream stream),
                cuMemcpy2DAsync(copy, per_thread(stream)))
VGPU_PER_THREAD(cuMemsetD8_v2_ptds, (CUdeviceptr to, unsigned char value, size_t count),
                cuMemsetD8Async(to, value, count, own_stream()))
VGPU_PER_THREAD(cuMemsetD16_v2_ptds, (CUdeviceptr to, unsigned short value, size_t count),
                cuMemsetD16Async(to, value, count, own_stream()))
VGPU_PER_THREAD(cuMemsetD32_v2_ptds, (CUdeviceptr to, unsigned value, size_t count),
                cuMemsetD32Async(to, value, count, own_stream()))
VGPU_PER_THREAD(cuMemsetD8Async_ptsz, (CUdeviceptr to, unsigned char value, size_t count, CUstream stream),
                cuMemsetD8Async(to, value, count, per_thread(stream)))
VGPU_PER_THREAD(cuMemsetD16Async_ptsz, (CUdeviceptr to, unsigned short value, size_t count, CUstream stream),
                cuMemsetD16Async(to, value, count, per_thread(stream)))
VGPU_PER_THREAD(cuMemsetD32Async_ptsz, (CUdeviceptr to, unsigned value, size_t count, CUstream stream),
                cuMemsetD32Async(to, value, count, per_thread(stream)))
VGPU_PER_THREAD(cuMemAllocAsync_ptsz, (CUdeviceptr * pointer, size_t bytes, CUstream stream),
                cuMemAllocAsync(pointer, bytes, per_thread(stream)))
VGPU_PER_THREAD(cuMemFreeAsync_ptsz, (CUdeviceptr pointer, CUstream stream),
                cuMemFreeAsync(pointer, per_thread(stream)))
VGPU_PER_THREAD(cuStreamSynchronize_ptsz, (CUstream stream), cuStreamSynchronize(per_thread(stream)))
VGPU_PER_THREAD(cuStreamQuery_ptsz, (CUstream stream), cuStreamQuery(per_thread(stream)))
VGPU_PER_THREAD(cuStreamWaitEvent_ptsz, (CUstream stream, CUevent event, unsigned flags),
                cuStreamWaitEvent(per_thread(stream), event, flags))
VGPU_PER_THREAD(cuEventRecord_ptsz, (CUevent event, CUstream stream), cuEventRecord(event, per_thread(stream)))
VGPU_PER_THREAD(cuGraphLaunch_ptsz, (CUgraphExec executable, CUstream stream),
                cuGraphLaunch(executable, per_thread(stream)))
VGPU_PER_THREAD(cuLaunchHostFunc_ptsz, (CUstream stream, CUhostFn function, void* data),
                cuLaunchHostFunc(per_thread(stream), function, data))
VGPU_PER_THREAD(cuLaunchCooperativeKernel_ptsz,
                (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                 unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void** parameters),
                cuLaunchCooperativeKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared,
                                          per_thread(stream), parameters))
VGPU_PER_THREAD(cuLaunchKernel_ptsz,
                (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                 unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void** parameters, void** extra),
                cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, per_thread(stream),
                               parameters, extra))

VGPU_DRIVER_API CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig* config, CUfunction function, void** parameters,
                                               void** extra) {
  const CallSite call_site(__builtin_return_address(0));
  if (config == nullptr) return cuLaunchKernelEx(config, function, parameters, extra);
  CUlaunchConfig own = *config;
  own.hStream = per_thread(own.hStream);
  return cuLaunchKernelEx(&own, function, parameters, extra);
}
