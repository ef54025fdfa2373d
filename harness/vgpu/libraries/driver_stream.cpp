// Streams, events and graphs: the runtime's, by the same handles.
#include "harness/vgpu/libraries/driver_calls.h"

using namespace vgpu::libraries;

namespace {

CUresult context_of(CUstream stream, CUcontext* context) {
  int device = 0;
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const bool is_special = stream == nullptr || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
  const CUresult error = result_of(VGPU_RUNTIME(cudaStreamGetDevice)(stream, &device));
  if (error != CUDA_SUCCESS) return error;
  const CUcontext current = current_context();
  *context = is_special || device_of(current) == device ? current : primary_context(device);
  return CUDA_SUCCESS;
}

}  // namespace

VGPU_DRIVER_API CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaStreamCreateWithFlags)(stream, flags));
}
VGPU_DRIVER_API CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaStreamCreateWithPriority)(stream, flags, priority));
}
VGPU_DRIVER_API CUresult cuStreamDestroy(CUstream stream) { VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaStreamDestroy)(stream)); }
VGPU_DRIVER_API CUresult cuStreamSynchronize(CUstream stream) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaStreamSynchronize)(stream));
}
VGPU_DRIVER_API CUresult cuStreamQuery(CUstream stream) { VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaStreamQuery)(stream)); }
VGPU_DRIVER_API CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaStreamWaitEvent)(stream, event, flags));
}
/// The status that the function is given has the same number in both interfaces.
VGPU_DRIVER_API CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback function, void* data, unsigned flags) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaStreamAddCallback)(
      stream, reinterpret_cast<cudaStreamCallback_t>(reinterpret_cast<void*>(function)), data, flags));
}
VGPU_DRIVER_API CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaStreamGetFlags)(stream, flags));
}
VGPU_DRIVER_API CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaStreamGetPriority)(stream, priority));
}
VGPU_DRIVER_API CUresult cuStreamGetId(CUstream stream, unsigned long long* id) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaStreamGetId)(stream, id));
}
VGPU_DRIVER_API CUresult cuStreamGetDevice(CUstream stream, CUdevice* device) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaStreamGetDevice)(stream, device));
}
VGPU_DRIVER_API CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  VGPU_IN_CONTEXT(context_of(stream, context));
}
VGPU_DRIVER_API CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr pointer, size_t bytes, unsigned flags) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaStreamAttachMemAsync)(stream, pointer_to(pointer), bytes, flags));
}

VGPU_DRIVER_API CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaStreamCopyAttributes)(to, from));
}
VGPU_DRIVER_API CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue* value) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaStreamGetAttribute)(stream, static_cast<cudaStreamAttrID>(attribute),
                                                       reinterpret_cast<cudaStreamAttrValue*>(value)));
}
VGPU_DRIVER_API CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute,
                                              const CUstreamAttrValue* value) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaStreamSetAttribute)(stream, static_cast<cudaStreamAttrID>(attribute),
                                                       reinterpret_cast<const cudaStreamAttrValue*>(value)));
}

VGPU_DRIVER_API CUresult cuEventCreate(CUevent* event, unsigned flags) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaEventCreateWithFlags)(event, flags));
}
VGPU_DRIVER_API CUresult cuEventRecord(CUevent event, CUstream stream) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaEventRecord)(event, stream));
}
VGPU_DRIVER_API CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaEventRecordWithFlags)(event, stream, flags));
}
VGPU_DRIVER_API CUresult cuEventQuery(CUevent event) { VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaEventQuery)(event)); }
VGPU_DRIVER_API CUresult cuEventSynchronize(CUevent event) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaEventSynchronize)(event));
}
VGPU_DRIVER_API CUresult cuEventDestroy(CUevent event) { VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaEventDestroy)(event)); }
VGPU_DRIVER_API CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent begin, CUevent end) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaEventElapsedTime)(milliseconds, begin, end));
}

VGPU_DRIVER_API CUresult cuIpcGetEventHandle(CUipcEventHandle* handle, CUevent event) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaIpcGetEventHandle)(reinterpret_cast<cudaIpcEventHandle_t*>(handle), event));
}
VGPU_DRIVER_API CUresult cuIpcOpenEventHandle(CUevent* event, CUipcEventHandle handle) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaIpcOpenEventHandle)(event, same_bytes<cudaIpcEventHandle_t>(handle)));
}

VGPU_DRIVER_API CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaThreadExchangeStreamCaptureMode)(reinterpret_cast<cudaStreamCaptureMode*>(mode)));
}
VGPU_DRIVER_API CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaStreamBeginCapture)(stream, static_cast<cudaStreamCaptureMode>(mode)));
}
VGPU_DRIVER_API CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaStreamEndCapture)(stream, graph));
}
VGPU_DRIVER_API CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaStreamIsCapturing)(stream, reinterpret_cast<cudaStreamCaptureStatus*>(status)));
}
VGPU_DRIVER_API CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long flags) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaGraphInstantiateWithFlags)(executable, graph, flags));
}
VGPU_DRIVER_API CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaGraphLaunch)(executable, stream));
}
VGPU_DRIVER_API CUresult cuGraphExecDestroy(CUgraphExec executable) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaGraphExecDestroy)(executable));
}
VGPU_DRIVER_API CUresult cuGraphDestroy(CUgraph graph) { VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaGraphDestroy)(graph)); }

#undef cuEventElapsedTime
VGPU_DRIVER_API CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaEventElapsedTime)(milliseconds, begin, end));
}
