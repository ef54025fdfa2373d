#include "harness/vgpu/cudart/capture.h"

#include <algorithm>

#include "harness/vgpu/cudart/runtime.h"

namespace vgpu::cudart {
namespace {

/// Ends a capture without asking whether it went well.
void finish(Runtime& runtime, Capture& capture) {
  const std::vector<StreamState*> streams = capture.streams;
  runtime.captures.erase(std::find_if(runtime.captures.begin(), runtime.captures.end(),
                                      [&](const auto& other) { return other.get() == &capture; }));
  for (StreamState* const stream : streams) stream->capture.reset();  // the last one takes the capture with it
}

/// Whether each of `nodes` is one of `ends`, or comes before one of them.
bool lead_to(const std::vector<Node*>& nodes, const std::vector<Node*>& ends) {
  std::set<const Node*> reached(ends.begin(), ends.end());
  std::vector<const Node*> open(ends.begin(), ends.end());
  while (!open.empty()) {
    const Node* const node = open.back();
    open.pop_back();
    for (const Node* const earlier : node->after)
      if (reached.insert(earlier).second) open.push_back(earlier);
  }
  return std::all_of(nodes.begin(), nodes.end(), [&](const Node* node) { return reached.count(node) != 0; });
}

void append(std::vector<Node*>& to, const std::vector<Node*>& nodes) {
  for (Node* const node : nodes)
    if (std::find(to.begin(), to.end(), node) == to.end()) to.push_back(node);
}

}  // namespace

cudaError_t begin_capture(Runtime& runtime, StreamState& stream, cudaStreamCaptureMode mode, Graph* into,
                          std::vector<Node*> after) {
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
  if (stream.capture) return cudaErrorIllegalState;
  auto capture = std::make_shared<Capture>();
  capture->id = ++runtime.captures_begun;
  capture->graph_is_new = into == nullptr;
  capture->graph = into != nullptr ? into : &runtime.keep(std::make_unique<Graph>());
  capture->origin = &stream;
  capture->streams = {&stream};
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  runtime.captures.push_back(capture);
  stream.capture = std::make_shared<CapturedStream>(CapturedStream{std::move(capture), std::move(after)});
  return cudaSuccess;
}

cudaError_t end_capture(Runtime& runtime, StreamState& stream, cudaGraph_t* graph) {
  if (!stream.capture) return cudaErrorIllegalState;
  const std::shared_ptr<Capture> capture = stream.capture->capture;
  if (capture->origin != &stream) {
    capture->valid = false;
    return cudaErrorStreamCaptureUnmatched;
  }
  if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id())
    return cudaErrorStreamCaptureWrongThread;
  cudaError_t error = capture->valid ? cudaSuccess : cudaErrorStreamCaptureInvalidated;
  const std::vector<Node*> ends = stream.capture->last;
  for (const StreamState* const other : capture->streams)
    if (error == cudaSuccess && !lead_to(other->capture->last, ends)) error = cudaErrorStreamCaptureUnjoined;
  finish(runtime, *capture);
  *graph = error == cudaSuccess ? reinterpret_cast<cudaGraph_t>(capture->graph) : nullptr;
  if (error != cudaSuccess && capture->graph_is_new)
    runtime.destroy_graph(reinterpret_cast<cudaGraph_t>(capture->graph));
  return error;
}

void drop_captures(Runtime& runtime, StreamState& stream) {
  if (!stream.capture) return;
  const std::shared_ptr<Capture> capture = stream.capture->capture;
  finish(runtime, *capture);
  if (capture->graph_is_new) runtime.destroy_graph(reinterpret_cast<cudaGraph_t>(capture->graph));
}

void drop_captures(Runtime& runtime, DeviceState& device) {
  for (const std::shared_ptr<Capture>& capture : std::vector<std::shared_ptr<Capture>>(runtime.captures))
    if (const auto part = std::find_if(capture->streams.begin(), capture->streams.end(),
                                       [&](const StreamState* stream) { return device.timeline.owns(stream); });
        part != capture->streams.end())
      drop_captures(runtime, **part);
}

cudaError_t capture_work(StreamState& stream, Work work) {
  CapturedStream& captured = *stream.capture;
  if (!captured.capture->valid) return cudaErrorStreamCaptureInvalidated;
  captured.last = {&captured.capture->graph->add(std::move(work), captured.last)};
  return cudaSuccess;
}

cudaError_t capture_record(EventState& event, StreamState& stream) {
  if (!stream.capture->capture->valid) return cudaErrorStreamCaptureInvalidated;
  event.capture = stream.capture->capture;
  event.was_captured = true;
  event.captured = stream.capture->last;
  return cudaSuccess;
}

cudaError_t capture_wait(EventState& event, StreamState& stream) {
  const std::shared_ptr<Capture> from = event.capture.lock();
  if (!from) {
    if (event.was_captured) return cudaErrorCapturedEvent;
    if (!event.recorded) return cudaSuccess;
    stream.capture->capture->valid = false;
    return cudaErrorStreamCaptureIsolation;
  }
  if (!from->valid || (stream.capture && !stream.capture->capture->valid)) return cudaErrorStreamCaptureInvalidated;
  if (!stream.capture) {
    from->streams.push_back(&stream);
    stream.capture = std::make_shared<CapturedStream>(CapturedStream{from, event.captured});
    return cudaSuccess;
  }
  if (stream.capture->capture != from) {
    from->valid = stream.capture->capture->valid = false;
    return cudaErrorStreamCaptureMerge;
  }
  append(stream.capture->last, event.captured);
  return cudaSuccess;
}

cudaError_t refuse_if_captured(StreamState& stream) {
  if (!stream.capture) return cudaSuccess;
  stream.capture->capture->valid = false;
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t refuse_if_captured(EventState& event) {
  if (const std::shared_ptr<Capture> capture = event.capture.lock()) capture->valid = false;
  return event.was_captured ? cudaErrorCapturedEvent : cudaSuccess;
}

cudaError_t refuse_if_capturing(Runtime& runtime, DeviceState& device) {
  cudaError_t error = cudaSuccess;
  for (const std::shared_ptr<Capture>& capture : runtime.captures)
    for (const StreamState* const stream : capture->streams)
      if (device.timeline.owns(stream)) {
        capture->valid = false;
        error = cudaErrorStreamCaptureUnsupported;
      }
  return error;
}

cudaError_t refuse_if_unsafe(Runtime& runtime) {
  const cudaStreamCaptureMode own = this_thread().capture_mode;
  if (own == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  cudaError_t error = cudaSuccess;
  for (const std::shared_ptr<Capture>& capture : runtime.captures) {
    const bool is_own = capture->thread == std::this_thread::get_id();
    const bool forbids = is_own ? capture->mode != cudaStreamCaptureModeRelaxed
                                : capture->mode == cudaStreamCaptureModeGlobal && own == cudaStreamCaptureModeGlobal;
    if (!forbids) continue;
    capture->valid = false;
    error = cudaErrorStreamCaptureUnsupported;
  }
  return error;
}

bool is_legacy_blocked(const Runtime& runtime, const DeviceState& device) {
  return std::any_of(runtime.captures.begin(), runtime.captures.end(), [&](const auto& capture) {
    return std::any_of(capture->streams.begin(), capture->streams.end(),
                       [&](const StreamState* stream) { return stream->blocking && device.timeline.owns(stream); });
  });
}

cudaError_t refuse_if_legacy_blocked(Runtime& runtime, DeviceState& device) {
  if (!is_legacy_blocked(runtime, device)) return cudaSuccess;
  for (const std::shared_ptr<Capture>& capture : runtime.captures)
    for (const StreamState* const stream : capture->streams)
      if (stream->blocking && device.timeline.owns(stream)) capture->valid = false;
  return cudaErrorStreamCaptureImplicit;
}

}  // namespace vgpu::cudart
