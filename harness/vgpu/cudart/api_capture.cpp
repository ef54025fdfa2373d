// Stream capture as programs ask for it.
#include "harness/vgpu/cudart/graph_calls.h"

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

/// Body with a stream that is asked what it is doing: no use of it, but of the default stream there is nothing to say
/// while a blocking stream is captured.
template <class Body>
cudaError_t status_call(cudaStream_t handle, Body body) {
  return device_call([&](Runtime& runtime, DeviceState& current) -> cudaError_t {
    const Runtime::StreamPlace place = runtime.stream(current, handle);
    if (place.stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (place.stream == &place.device->timeline.legacy() && is_legacy_blocked(runtime, *place.device))
      return cudaErrorStreamCaptureImplicit;
    return body(*place.stream);
  });
}

cudaStreamCaptureStatus status_of(const StreamState& stream) {
  if (!stream.capture) return cudaStreamCaptureStatusNone;
  return stream.capture->capture->valid ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated;
}

cudaError_t begin(cudaStream_t handle, cudaStreamCaptureMode mode, Graph* into, std::vector<Node*> after) {
  return device_call([&](Runtime& runtime, DeviceState& current) -> cudaError_t {
    const Runtime::StreamPlace place = runtime.stream(current, handle);
    if (place.stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (place.stream == &place.device->timeline.legacy()) return cudaErrorStreamCaptureUnsupported;
    return begin_capture(runtime, *place.stream, mode, into, std::move(after));
  });
}

}  // namespace

VGPU_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return begin(stream, mode, nullptr, {});
}
VGPU_API cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return cudaStreamBeginCapture(per_thread(stream), mode);
}

VGPU_API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t handle,
                                                   const cudaGraphNode_t* after, const cudaGraphEdgeData*, size_t count,
                                                   cudaStreamCaptureMode mode) {
  return graph_call(handle, [&](Runtime&, DeviceState&, Graph& graph) -> cudaError_t {
    std::vector<Node*> nodes;
    if (!nodes_of(graph, after, count, nodes)) return cudaErrorInvalidValue;
    return begin(stream, mode, &graph, std::move(nodes));
  });
}
VGPU_API cudaError_t cudaStreamBeginCaptureToGraph_ptsz(cudaStream_t stream, cudaGraph_t graph,
                                                        const cudaGraphNode_t* after, const cudaGraphEdgeData* data,
                                                        size_t count, cudaStreamCaptureMode mode) {
  return cudaStreamBeginCaptureToGraph(per_thread(stream), graph, after, data, count, mode);
}

VGPU_API cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return device_call([&](Runtime& runtime, DeviceState& current) -> cudaError_t {
    const Runtime::StreamPlace place = runtime.stream(current, handle);
    if (place.stream == nullptr) return cudaErrorInvalidResourceHandle;
    return graph != nullptr ? end_capture(runtime, *place.stream, graph) : cudaErrorInvalidValue;
  });
}
VGPU_API cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t stream, cudaGraph_t* graph) {
  return cudaStreamEndCapture(per_thread(stream), graph);
}

VGPU_API cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return status_call(handle, [&](const StreamState& stream) -> cudaError_t {
    if (status == nullptr) return cudaErrorInvalidValue;
    *status = status_of(stream);
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return cudaStreamIsCapturing(per_thread(stream), status);
}

/// The list of dependencies is the stream's own: good until the next call that uses it.
VGPU_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                              unsigned long long* id, cudaGraph_t* graph, const cudaGraphNode_t** after,
                                              const cudaGraphEdgeData** data, size_t* count) {
  return status_call(handle, [&](const StreamState& stream) -> cudaError_t {
    if (status == nullptr) return cudaErrorInvalidValue;
    *status = status_of(stream);
    if (*status != cudaStreamCaptureStatusActive) return cudaSuccess;
    // A list of nodes is a list of their handles: a handle is its node's address.
    const CapturedStream& captured = *stream.capture;
    if (id != nullptr) *id = captured.capture->id;
    if (graph != nullptr) *graph = handle_of(captured.capture->graph);
    if (after != nullptr) *after = reinterpret_cast<const cudaGraphNode_t*>(captured.last.data());
    if (data != nullptr) *data = nullptr;
    if (count != nullptr) *count = captured.last.size();
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                   unsigned long long* id, cudaGraph_t* graph,
                                                   const cudaGraphNode_t** after, const cudaGraphEdgeData** data,
                                                   size_t* count) {
  return cudaStreamGetCaptureInfo(per_thread(stream), status, id, graph, after, data, count);
}

VGPU_API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t* after,
                                                         const cudaGraphEdgeData*, size_t count, unsigned flags) {
  return status_call(handle, [&](const StreamState& stream) -> cudaError_t {
    if (!stream.capture) return cudaErrorIllegalState;
    CapturedStream& captured = *stream.capture;
    std::vector<Node*> nodes;
    if (!nodes_of(*captured.capture->graph, after, count, nodes)) return cudaErrorInvalidValue;
    switch (flags) {
      case cudaStreamSetCaptureDependencies:
        captured.last = std::move(nodes);
        return cudaSuccess;
      case cudaStreamAddCaptureDependencies:
        for (Node* const node : nodes)
          if (std::find(captured.last.begin(), captured.last.end(), node) == captured.last.end())
            captured.last.push_back(node);
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}
VGPU_API cudaError_t cudaStreamUpdateCaptureDependencies_ptsz(cudaStream_t stream, cudaGraphNode_t* after,
                                                              const cudaGraphEdgeData* data, size_t count,
                                                              unsigned flags) {
  return cudaStreamUpdateCaptureDependencies(per_thread(stream), after, data, count, flags);
}

VGPU_API cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return call([&](Runtime&) -> cudaError_t {
    if (mode == nullptr || *mode < cudaStreamCaptureModeGlobal || *mode > cudaStreamCaptureModeRelaxed)
      return cudaErrorInvalidValue;
    std::swap(this_thread().capture_mode, *mode);
    return cudaSuccess;
  });
}
