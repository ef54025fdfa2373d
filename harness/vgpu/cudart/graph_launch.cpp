#include "harness/vgpu/cudart/graph_launch.h"

#include "harness/vgpu/cudart/host_process.h"
#include "harness/vgpu/cudart/kernel_launch.h"

namespace vgpu::cudart {
namespace {

/// What is left to do after all nodes are queued.
struct Launching {
  Runtime& runtime;
  DeviceState& device;
  StreamState& stream;
  std::shared_ptr<Operation> last_host_function;

  cudaError_t operator()(const KernelWork& work) const {
    return enqueue_launch(runtime, device.timeline, stream, work);
  }
  cudaError_t operator()(const CopyWork& work) const { return enqueue_copy(runtime, device, stream, work.parameters); }
  cudaError_t operator()(const FillWork& work) const { return enqueue_fill(runtime, device, stream, work.parameters); }
  cudaError_t operator()(const HostWork& work) {
    last_host_function =
        device.timeline.enqueue(stream, [work, &process = host_process()] { process.call(work.function, work.data); });
    return cudaSuccess;
  }
  cudaError_t operator()(const EventRecordWork& work) const {
    return enqueue_record(runtime, device, stream, work.event);
  }
  cudaError_t operator()(const EventWaitWork& work) const { return enqueue_wait(runtime, stream, work.event); }
  cudaError_t operator()(const EmptyWork&) const { return cudaSuccess; }
  cudaError_t operator()(const GraphWork& work) { return all_of(*work.graph); }

  cudaError_t all_of(const Graph& graph) {
    const auto order = graph.order(runtime.options.schedule_seed);
    if (!order) return cudaErrorInvalidValue;
    for (const Node* const node : *order) {
      if (!node->enabled) continue;
      const cudaError_t error = std::visit(*this, node->work);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  }
};

}  // namespace

cudaError_t launch_graph(Runtime& runtime, DeviceState& device, StreamState& stream, const Graph& graph) {
  Launching launching{runtime, device, stream, nullptr};
  device.timeline.takes(Busy::kLaunching, once(device.profile.rates.launch_host_nanoseconds), {"graph launch"});
  const cudaError_t error = launching.all_of(graph);
  // The program may be waiting for what a host function does without asking the device.
  if (launching.last_host_function) device.timeline.finish(launching.last_host_function);
  return error;
}

}  // namespace vgpu::cudart
