// Stream capture: work that is given to a stream becomes nodes of a graph instead of being done.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "harness/vgpu/cudart/graph.h"
#include "harness/vgpu/cudart/timeline.h"

namespace vgpu::cudart {

class Runtime;
struct DeviceState;
struct EventState;

/// One capture: begun in one stream, which others join by waiting for its events.
struct Capture {
  std::uint64_t id = 0;
  Graph* graph = nullptr;
  bool graph_is_new = true;  ///< else nodes are added to a graph that the program has made itself
  StreamState* origin = nullptr;
  std::vector<StreamState*> streams;  ///< all that take part, the origin first
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  bool valid = true;  ///< a forbidden call ends that; it remains to be ended
};

/// A stream's part in a capture.
struct CapturedStream {
  std::shared_ptr<Capture> capture;
  std::vector<Node*> last;  ///< what the next node depends on
};

cudaError_t begin_capture(Runtime& runtime, StreamState& stream, cudaStreamCaptureMode mode, Graph* into,
                          std::vector<Node*> after);
cudaError_t end_capture(Runtime& runtime, StreamState& stream, cudaGraph_t* graph);

/// Ends the captures that the stream, or any stream of the device, takes part in: it is about to go.
void drop_captures(Runtime& runtime, StreamState& stream);
void drop_captures(Runtime& runtime, DeviceState& device);

/// Makes a node of work that was given to a stream that is being captured.
cudaError_t capture_work(StreamState& stream, Work work);

/// An event stands for all that its stream has captured so far.
cudaError_t capture_record(EventState& event, StreamState& stream);
/// A stream waits for an event, and one of the two takes part in a capture.
cudaError_t capture_wait(EventState& event, StreamState& stream);

// What is forbidden meanwhile. Each returns the error to give, after which the captures that were meant are invalid;
// success if there is nothing to object to.

/// For a stream that was asked for its state or waited for.
cudaError_t refuse_if_captured(StreamState& stream);
cudaError_t refuse_if_captured(EventState& event);
/// For calls that wait for the whole device.
cudaError_t refuse_if_capturing(Runtime& runtime, DeviceState& device);
/// For calls that might wait for work elsewhere, which the thread's mode forbids during captures.
cudaError_t refuse_if_unsafe(Runtime& runtime);
/// For uses of the default stream, which a captured blocking stream makes impossible.
cudaError_t refuse_if_legacy_blocked(Runtime& runtime, DeviceState& device);
bool is_legacy_blocked(const Runtime& runtime, const DeviceState& device);

}  // namespace vgpu::cudart
