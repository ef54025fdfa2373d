// Streams and events, and host functions in streams.
#include <memory>

#include "harness/vgpu/cudart/entry.h"
#include "harness/vgpu/cudart/graph_launch.h"
#include "harness/vgpu/cudart/host_process.h"

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

constexpr int kLowestPriority = 0, kHighestPriority = -5;

cudaError_t create_stream(cudaStream_t* stream, unsigned flags, int priority) {
  return device_call([&](Runtime&, DeviceState& device) -> cudaError_t {
    if (stream == nullptr || (flags & ~static_cast<unsigned>(cudaStreamNonBlocking)) != 0) return cudaErrorInvalidValue;
    const int clamped = priority < kHighestPriority  ? kHighestPriority
                        : priority > kLowestPriority ? kLowestPriority
                                                     : priority;
    *stream =
        reinterpret_cast<cudaStream_t>(&device.timeline.create((flags & cudaStreamNonBlocking) == 0, flags, clamped));
    return cudaSuccess;
  });
}

EventState* find_event(Runtime& runtime, cudaEvent_t event) {
  const auto found = runtime.events.find(event);
  return found == runtime.events.end() ? nullptr : found->second.get();
}

}  // namespace

VGPU_API cudaError_t cudaStreamCreate(cudaStream_t* stream) { return create_stream(stream, cudaStreamDefault, 0); }
VGPU_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return create_stream(stream, flags, 0);
}
VGPU_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return create_stream(stream, flags, priority);
}
VGPU_API cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread)
    return call([](Runtime&) { return cudaErrorInvalidResourceHandle; });
  return stream_call(handle, [](Runtime& runtime, DeviceState& device, StreamState& stream) {
    drop_captures(runtime, stream);
    device.timeline.destroy(stream);
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return stream_call(handle, [](Runtime&, DeviceState& device, StreamState& stream) {
    if (const cudaError_t refused = refuse_if_captured(stream); refused != cudaSuccess) return refused;
    if (&stream == &device.timeline.legacy())
      device.timeline.finish_all();  // the default stream waits for the others
    else
      device.timeline.finish(stream);
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream) {
  return cudaStreamSynchronize(per_thread(stream));
}

/// A program that asks again and again whether work is done is waiting for it.
VGPU_API cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
VGPU_API cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream) { return cudaStreamSynchronize(per_thread(stream)); }

VGPU_API cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  return stream_call(handle, [&](Runtime&, DeviceState&, StreamState& stream) -> cudaError_t {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = stream.flags;
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaStreamGetFlags_ptsz(cudaStream_t handle, unsigned* flags) {
  return cudaStreamGetFlags(per_thread(handle), flags);
}
VGPU_API cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return stream_call(handle, [&](Runtime&, DeviceState&, StreamState& stream) -> cudaError_t {
    if (priority == nullptr) return cudaErrorInvalidValue;
    *priority = stream.priority;
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaStreamGetPriority_ptsz(cudaStream_t handle, int* priority) {
  return cudaStreamGetPriority(per_thread(handle), priority);
}
VGPU_API cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  return stream_call(handle, [&](Runtime&, DeviceState&, StreamState& stream) -> cudaError_t {
    if (id == nullptr) return cudaErrorInvalidValue;
    *id = stream.id;
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaStreamGetId_ptsz(cudaStream_t handle, unsigned long long* id) {
  return cudaStreamGetId(per_thread(handle), id);
}
VGPU_API cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device_number) {
  return stream_call(handle, [&](Runtime&, DeviceState& device, StreamState&) -> cudaError_t {
    if (device_number == nullptr) return cudaErrorInvalidValue;
    *device_number = device.number;
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaStreamGetDevice_ptsz(cudaStream_t handle, int* device_number) {
  return cudaStreamGetDevice(per_thread(handle), device_number);
}
VGPU_API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return device_call([&](Runtime&, DeviceState&) -> cudaError_t {
    if (least != nullptr) *least = kLowestPriority;
    if (greatest != nullptr) *greatest = kHighestPriority;
    return cudaSuccess;
  });
}

// --- host functions: they run as soon as their turn can come, for the program may be waiting for them without asking
// ---

VGPU_API cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  return stream_call(handle, [&](Runtime&, DeviceState& device, StreamState& stream) -> cudaError_t {
    if (function == nullptr) return cudaErrorInvalidValue;
    if (stream.capture) return capture_work(stream, HostWork{function, data});
    device.timeline.finish(
        device.timeline.enqueue(stream, [function, data, &process = host_process()] { process.call(function, data); }));
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t handle, cudaHostFn_t function, void* data) {
  return cudaLaunchHostFunc(per_thread(handle), function, data);
}
VGPU_API cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* data,
                                           unsigned flags) {
  return stream_call(handle, [&](Runtime&, DeviceState& device, StreamState& stream) -> cudaError_t {
    if (callback == nullptr || flags != 0) return cudaErrorInvalidValue;
    if (const cudaError_t refused = refuse_if_captured(stream); refused != cudaSuccess) return refused;
    device.timeline.finish(
        device.timeline.enqueue(stream, [&device, handle, callback, data, &process = host_process()] {
          process.call(callback, handle, device.sticky, data);
        }));
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t handle, cudaStreamCallback_t callback, void* data,
                                                unsigned flags) {
  return cudaStreamAddCallback(per_thread(handle), callback, data, flags);
}

// --- events ---

VGPU_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return device_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    constexpr unsigned kKnown = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (event == nullptr || (flags & ~kKnown) != 0) return cudaErrorInvalidValue;
    const bool between_processes = (flags & cudaEventInterprocess) != 0;
    if (between_processes && (flags & cudaEventDisableTiming) == 0) return cudaErrorInvalidValue;
    auto state = std::make_unique<EventState>();
    state->device = device.number;
    state->timing = (flags & cudaEventDisableTiming) == 0;
    state->is_interprocess = between_processes;
    *event = reinterpret_cast<cudaEvent_t>(state.get());
    runtime.events[*event] = std::move(state);
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

VGPU_API cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return device_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    EventState* const state = find_event(runtime, event);
    if (state == nullptr) return cudaErrorInvalidResourceHandle;
    if (state->operation) device.timeline.finish(state->operation);
    runtime.events.erase(event);
    return cudaSuccess;
  });
}

cudaError_t vgpu::cudart::enqueue_record(Runtime& runtime, DeviceState& device, StreamState& stream,
                                         cudaEvent_t event) {
  EventState* const state = find_event(runtime, event);
  if (state == nullptr || state->device != device.number) return cudaErrorInvalidResourceHandle;
  state->recorded = true;
  state->was_captured = false;
  state->capture.reset();
  state->operation = device.timeline.enqueue(stream, [&runtime, &device, event] {
    if (EventState* const later = find_event(runtime, event)) later->nanoseconds = device.timeline.now();
  });
  if (state->is_interprocess) device.timeline.run_down(std::shared_ptr<Operation>(state->operation));
  return cudaSuccess;
}

cudaError_t vgpu::cudart::enqueue_wait(Runtime& runtime, StreamState& stream, cudaEvent_t event) {
  const EventState* const state = find_event(runtime, event);
  if (state == nullptr) return cudaErrorInvalidResourceHandle;
  if (state->operation && !state->operation->done) stream.awaits.push_back(state->operation);
  return cudaSuccess;
}

VGPU_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t handle, unsigned flags) {
  return stream_call(handle, [&](Runtime& runtime, DeviceState& device, StreamState& stream) -> cudaError_t {
    if ((flags & ~static_cast<unsigned>(cudaEventRecordExternal)) != 0) return cudaErrorInvalidValue;
    EventState* const state = find_event(runtime, event);
    if (state == nullptr || state->device != device.number) return cudaErrorInvalidResourceHandle;
    if (!stream.capture) return enqueue_record(runtime, device, stream, event);
    if (flags == cudaEventRecordExternal) return capture_work(stream, EventRecordWork{event});
    return capture_record(*state, stream);
  });
}
VGPU_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}
VGPU_API cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, per_thread(stream), 0);
}
VGPU_API cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return cudaEventRecordWithFlags(event, per_thread(stream), flags);
}

VGPU_API cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return device_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    EventState* const state = find_event(runtime, event);
    if (state == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t refused = refuse_if_captured(*state); refused != cudaSuccess) return refused;
    if (state->operation) device.timeline.finish(std::shared_ptr<Operation>(state->operation));
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaEventQuery(cudaEvent_t event) {
  return unsafe_call([&](Runtime&, DeviceState&) { return cudaEventSynchronize(event); });
}

VGPU_API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return device_call([&](Runtime& runtime, DeviceState&) -> cudaError_t {
    if (milliseconds == nullptr) return cudaErrorInvalidValue;
    const EventState* const first = find_event(runtime, start);
    const EventState* const second = find_event(runtime, end);
    if (first != nullptr && second != nullptr && (first->was_captured || second->was_captured))
      return cudaErrorCapturedEvent;
    if (first == nullptr || second == nullptr || first->device != second->device || !first->timing || !second->timing ||
        !first->recorded || !second->recorded)
      return cudaErrorInvalidResourceHandle;
    if ((first->operation && !first->operation->done) || (second->operation && !second->operation->done))
      return cudaErrorNotReady;
    // What an event came after may have been timed again since it was recorded.
    const auto time_of = [](const EventState& event) {
      return event.operation ? event.operation->ends.nanoseconds : event.nanoseconds;
    };
    *milliseconds = static_cast<float>((time_of(*second) - time_of(*first)) * 1e-6);
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned flags) {
  return stream_call(handle, [&](Runtime& runtime, DeviceState& device, StreamState& stream) -> cudaError_t {
    if ((flags & ~static_cast<unsigned>(cudaEventWaitExternal)) != 0) return cudaErrorInvalidValue;
    EventState* const state = find_event(runtime, event);
    if (state == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream.capture && flags == cudaEventWaitExternal) return capture_work(stream, EventWaitWork{event});
    if (!stream.capture && !state->was_captured) return enqueue_wait(runtime, stream, event);
    if (&stream == &device.timeline.legacy()) return cudaErrorStreamCaptureUnsupported;
    return capture_wait(*state, stream);
  });
}
VGPU_API cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return cudaStreamWaitEvent(per_thread(stream), event, flags);
}
