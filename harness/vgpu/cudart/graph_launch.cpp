#include "harness/vgpu/cudart/graph_launch.h"

#include <map>

#include "harness/vgpu/cudart/device_launches.h"
#include "harness/vgpu/cudart/graph_memory.h"
#include "harness/vgpu/cudart/host_process.h"
#include "harness/vgpu/cudart/interruption.h"
#include "harness/vgpu/cudart/kernel_launch.h"
#include "harness/vgpu/machine/number_text.h"
#include "harness/vgpu/monitor/array_names.h"

namespace vgpu::cudart {
namespace {

/// Of a copy or a memset in a loop: what a warp instruction moves.
constexpr std::uint64_t kBytesOfInstruction = 512;

/// What is left to do after all nodes are queued.
struct Launching {
  Runtime& runtime;
  DeviceState& device;
  StreamState& stream;
  std::shared_ptr<Operation> last_host_function;

  // Of the conditional node whose turn has come; those in its bodies are a part of it.
  bool is_in_conditional = false;
  std::uint64_t instructions_before = 0, iterations = 0;
  std::uint64_t moved = 0;  ///< bytes, by copies and fills

  cudaError_t operator()(const KernelWork& work) const {
    return enqueue_launch(runtime, device.timeline, stream, work, true);
  }
  cudaError_t operator()(const CopyWork& work) {
    const cudaExtent& extent = work.parameters.extent;
    moved += std::max<std::uint64_t>(extent.width, kBytesOfInstruction) * extent.height * extent.depth;
    return enqueue_copy(runtime, device, stream, work.parameters);
  }
  cudaError_t operator()(const FillWork& work) {
    const std::uint64_t row = work.parameters.elementSize * work.parameters.width;
    moved += std::max(row, kBytesOfInstruction) * work.parameters.height;
    return enqueue_fill(runtime, device, stream, work.parameters);
  }
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
  cudaError_t operator()(const AllocationWork& work) const {
    work.memory->in_use = true;
    device.timeline.enqueue(stream, [&r = runtime, memory = work.memory] { begin_use(r, *memory); });
    return cudaSuccess;
  }
  cudaError_t operator()(const ReleaseWork& work) const {
    work.memory->in_use = false;
    device.timeline.enqueue(stream, [&r = runtime, memory = work.memory] { end_use(r, *memory); });
    return cudaSuccess;
  }
  /// The bodies are done when it is known which: in one operation, one piece of work after another.
  cudaError_t operator()(const ConditionalWork& work) {
    if (is_in_conditional) return decide(work);
    ConditionalWork own = work;  // the executable graph may change before its turn comes
    for (std::shared_ptr<Graph>& body : own.bodies) body = body->clone();
    device.timeline.enqueue(stream, [launching = *this, own = std::move(own)]() mutable {
      launching.is_in_conditional = true;
      launching.moved = launching.iterations = 0;
      launching.instructions_before = launching.device.instructions;
      const cudaError_t error = launching.decide(own);
      if (error != cudaSuccess && launching.device.sticky == cudaSuccess) launching.device.sticky = error;
    });
    return cudaSuccess;
  }

  cudaError_t decide(const ConditionalWork& work) {
    const auto body = [&](std::size_t n) {
      return n < work.bodies.size() && device.sticky == cudaSuccess ? all_of(*work.bodies[n]) : cudaSuccess;
    };
    if (work.type == cudaGraphCondTypeIf) return body(value_of(*work.condition) != 0 ? 0 : 1);
    if (work.type == cudaGraphCondTypeSwitch) return body(value_of(*work.condition));
    cudaError_t error = cudaSuccess;
    while (error == cudaSuccess && device.sticky == cudaSuccess && !*interruption() && value_of(*work.condition) != 0) {
      error = is_spent() ? cudaErrorLaunchTimeout : body(0);
      ++iterations;
    }
    return error;
  }

  unsigned value_of(const Condition& condition) const {
    if (condition.is_set) return condition.value;
    runtime.note("undefined condition",
                 "a conditional node was reached before anything had set its condition in this launch of the graph; "
                 "here it counts as zero; on a GPU it may be anything",
                 "Create the handle with a default value and cudaGraphCondAssignDefault, or call "
                 "cudaGraphSetConditional in a kernel that comes before the node.");
    return 0;
  }

  /// Whether a loop is to be stopped as a kernel that runs without an end is, with a note.
  bool is_spent() const {
    const std::uint64_t budget =
        runtime.options.instruction_budget != 0 ? runtime.options.instruction_budget : kDefaultBudget;
    const std::uint64_t spent = device.instructions - instructions_before +
                                iterations * DeviceLaunches::kInstructionsOfLaunch + moved / kBytesOfInstruction;
    if (spent <= budget) return false;
    runtime.note(
        "endless graph",
        "a WHILE node was stopped after " + with_commas(iterations) + " iterations and " + with_commas(spent) +
            " warp instructions, with " + with_commas(DeviceLaunches::kInstructionsOfLaunch) +
            " for each iteration and each launch, and one for each " + with_commas(kBytesOfInstruction) +
            " bytes that are copied or set (the limit here is " + with_commas(budget) +
            "): its condition seems never to become zero",
        "Does a kernel in the body call cudaGraphSetConditional with 0 in the end, and with the handle of this "
        "node?");
    return true;
  }

  cudaError_t all_of(const Graph& graph) {
    const auto order = graph.order(runtime.options.schedule_seed);
    if (!order) return cudaErrorInvalidValue;
    for (const Node* const node : *order) {
      if (!node->enabled) continue;
      if (is_in_conditional && (*interruption() || is_spent())) return cudaErrorLaunchTimeout;
      const cudaError_t error = std::visit(*this, node->work);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  }
};

/// Begins every condition in the graph anew.
void begin_conditions(const Graph& graph) {
  for (const std::unique_ptr<Node>& node : graph.nodes()) {
    if (const auto* const conditional = std::get_if<ConditionalWork>(&node->work)) {
      Condition& condition = *conditional->condition;
      condition.value = condition.initial;
      condition.is_set = condition.has_initial;
    }
    for (const std::shared_ptr<Graph>& inner : inner_graphs(node->work)) begin_conditions(*inner);
  }
}

/// Whether all that the graph allocates is free when its node's turn comes, and all that it frees is not. `in_use`
/// knows what nodes before these have changed. There are no memory nodes in bodies.
cudaError_t check_memory(Runtime& runtime, const Graph& graph, bool frees, std::map<const GraphMemory*, bool>& in_use) {
  const auto order = graph.order(runtime.options.schedule_seed);
  for (const Node* const node : order.value_or(std::vector<Node*>{})) {
    const auto* const allocation = std::get_if<AllocationWork>(&node->work);
    const auto* const release = std::get_if<ReleaseWork>(&node->work);
    if (const auto* const child = std::get_if<GraphWork>(&node->work))
      if (const cudaError_t error = check_memory(runtime, *child->graph, frees, in_use); error != cudaSuccess)
        return error;
    if (allocation == nullptr && release == nullptr) continue;
    const GraphMemory& memory = allocation != nullptr ? *allocation->memory : *release->memory;
    const bool is_in_use =
        in_use.try_emplace(&memory, memory.in_use && (allocation == nullptr || !frees)).first->second;
    if (!memory.lost && is_in_use == (release != nullptr)) {
      in_use[&memory] = allocation != nullptr;
      continue;
    }
    if (allocation != nullptr && !memory.lost)
      runtime.note("not freed",
                   "a graph was launched again, although " + name_of(memory.allocation) +
                       ", which its last launch has allocated, was not freed",
                   "Free it between launches or in the graph, or instantiate the graph with "
                   "cudaGraphInstantiateFlagAutoFreeOnLaunch.");
    else if (!memory.lost)
      runtime.note("invalid free",
                   "a graph was launched that frees " + name_of(memory.allocation) + ", which is not allocated", "");
    return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

/// Frees what earlier launches of the graph have left.
void free_unfreed(const Launching& launching, const Graph& graph) {
  for (const std::unique_ptr<Node>& node : graph.nodes()) {
    if (const auto* const allocation = std::get_if<AllocationWork>(&node->work))
      if (allocation->memory->in_use) static_cast<void>(launching(ReleaseWork{allocation->memory}));
    if (const auto* const child = std::get_if<GraphWork>(&node->work)) free_unfreed(launching, *child->graph);
  }
}

}  // namespace

cudaError_t launch_graph(Runtime& runtime, DeviceState& device, StreamState& stream, const Graph& graph, bool frees) {
  std::map<const GraphMemory*, bool> in_use;
  if (const cudaError_t error = check_memory(runtime, graph, frees, in_use); error != cudaSuccess) return error;
  Launching launching{runtime, device, stream, nullptr};
  device.timeline.takes(Busy::kLaunching, once(device.profile.rates.launch_host_nanoseconds), {"graph launch"});
  if (frees) free_unfreed(launching, graph);
  if (graph.has<ConditionalWork>()) {
    const std::shared_ptr<Graph> own = graph.clone();  // it may change before its turn comes
    device.timeline.enqueue(stream, [own] { begin_conditions(*own); });
  }
  const cudaError_t error = launching.all_of(graph);
  // The program may be waiting for what a host function does without asking the device.
  if (launching.last_host_function) device.timeline.finish(launching.last_host_function);
  return error;
}

}  // namespace vgpu::cudart
