#include "harness/vgpu/cudart/kernel_launch.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "harness/vgpu/cost/occupancy.h"
#include "harness/vgpu/cost/register_estimate.h"
#include "harness/vgpu/cudart/device_clock.h"
#include "harness/vgpu/cudart/device_launches.h"
#include "harness/vgpu/cudart/host_process.h"
#include "harness/vgpu/cudart/interruption.h"
#include "harness/vgpu/machine/number_text.h"
#include "harness/vgpu/machine/symbol_names.h"
#include "harness/vgpu/monitor/array_names.h"

namespace vgpu::cudart {
namespace {

/// Registers assumed for whether kernels that come without machine code may be launched: they limit nothing, whereas an
/// estimate could refuse a launch that a GPU accepts.
constexpr std::uint32_t kRegistersIfUnknown = 32;

/// Bytes of the workspace that a cooperative grid's barrier lives in; cooperative groups uses the first few.
constexpr std::uint64_t kGridWorkspaceBytes = 256;

/// What goes beyond this much of a launch's arguments is data that the host hands over.
constexpr std::size_t kArgumentBytes = 512;

cudaError_t error_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kNone:
      return cudaSuccess;
    case FaultKind::kIllegalAddress:
      return cudaErrorIllegalAddress;
    case FaultKind::kMisalignedAddress:
      return cudaErrorMisalignedAddress;
    case FaultKind::kInvalidAddressSpace:
      return cudaErrorInvalidAddressSpace;
    case FaultKind::kInvalidPc:
      return cudaErrorInvalidPc;
    case FaultKind::kIllegalInstruction:
      return cudaErrorIllegalInstruction;
    case FaultKind::kAssert:
      return cudaErrorAssert;
    case FaultKind::kTrap:
    case FaultKind::kStackOverflow:
      return cudaErrorLaunchFailure;
    case FaultKind::kDeadlock:
    case FaultKind::kLaneDeadlock:
    case FaultKind::kClusterDeadlock:
    case FaultKind::kEndlessLoop:
    case FaultKind::kEndlessWait:
    case FaultKind::kBudget:
      return cudaErrorLaunchTimeout;
    case FaultKind::kRefused:
      return cudaErrorNotSupported;
  }
  return cudaErrorUnknown;
}

const char* kind_name(FaultKind kind) {
  switch (kind) {
    case FaultKind::kIllegalAddress:
      return "illegal address";
    case FaultKind::kMisalignedAddress:
      return "misaligned address";
    case FaultKind::kInvalidAddressSpace:
      return "invalid address space";
    case FaultKind::kInvalidPc:
      return "invalid call";
    case FaultKind::kIllegalInstruction:
      return "illegal instruction";
    case FaultKind::kAssert:
      return "assertion failed";
    case FaultKind::kStackOverflow:
      return "stack overflow";
    case FaultKind::kDeadlock:
    case FaultKind::kLaneDeadlock:
    case FaultKind::kClusterDeadlock:
      return "deadlock";
    case FaultKind::kEndlessLoop:
      return "endless loop";
    case FaultKind::kEndlessWait:
      return "endless wait";
    case FaultKind::kBudget:
      return "endless kernel";
    case FaultKind::kRefused:
      return "not available";
    default:
      return "trap";
  }
}

const char* advice_for(FaultKind kind) {
  switch (kind) {
    case FaultKind::kEndlessLoop:
      return "Does every loop end, for every thread and every size? One that waits for another thread must read anew "
             "each time: through a volatile pointer, or with an atomic.";
    case FaultKind::kEndlessWait:
      return "Which thread is to write what these wait for, and what does that one wait for? It must be able to get "
             "there: not behind a barrier that they have to reach first, and in a block that has room on the device. "
             "(The virtual GPU runs one kernel at a time, so none can wait for a kernel of another stream.)";
    case FaultKind::kBudget:
      return "Does every loop end, for every thread and every size? Does each thread do only its own share of the "
             "work?";
    case FaultKind::kDeadlock:
      return "Every thread of the block must reach the same __syncthreads(): move it out of the condition.";
    case FaultKind::kLaneDeadlock:
      return "A shuffle, a vote or __syncwarp() waits for all lanes in its mask. Move it out of the condition, or give "
             "it the mask of those that get there: 0xff, say, for the first eight.";
    case FaultKind::kClusterDeadlock:
      return "Every thread of every block of the cluster must call cluster.sync() the same number of times, or return.";
    default:
      return "";
  }
}

void report(Runtime& runtime, const Kernel& kernel, const Fault& fault, const std::string& whereabouts) {
  if (fault.kind == FaultKind::kNone || fault.explained) return;
  Finding finding;
  finding.tool = "runtime";
  finding.kind = kind_name(fault.kind);
  if (!runtime.findings.is_new(finding.kind, fault.file, fault.line, "", 1)) return;
  finding.kernel = kernel.readable_name();
  finding.file = fault.file;
  finding.line = fault.line;
  finding.block = fault.block;
  finding.thread = fault.thread;
  finding.sentence = fault.sentence + (whereabouts.empty() ? "" : "; " + whereabouts);
  finding.advice = advice_for(fault.kind);
  runtime.findings.add(std::move(finding));
}

/// What ptxas has said of the kernel; null if nothing.
const ptx::KernelResources* resources_of(const DeviceState& device, const KernelHandle& handle) {
  const auto& resources = handle.program->images.at(device.number).resources;
  const auto found = resources.find(handle.name);
  return found != resources.end() && found->second.registers != 0 ? &found->second : nullptr;
}

/// What the kernel's first launch takes of a multiprocessor, if ptxas has said how many registers that is.
void note_resources(Runtime& runtime, const DeviceState& device, const KernelHandle& handle, const Kernel& kernel,
                    const LaunchShape& shape) {
  const ptx::KernelResources* const resources = resources_of(device, handle);
  if (resources == nullptr || runtime.resources_of_kernels.count(handle.name) != 0) return;
  const auto threads = static_cast<std::uint32_t>(shape.block.count());
  const std::uint32_t registers = resources->registers;
  const BlockResources block{threads, registers, kernel.shared_bytes() + shape.dynamic_shared};
  runtime.resources_of_kernels[handle.name] = {registers, (threads + kLanes - 1) / kLanes,
                                               occupancy_of(device.profile, block)};
}

/// Blocks that are on the device at a time as far as time is concerned: without machine code, as many as an estimate of
/// the registers leaves room for, at least one on each multiprocessor.
std::uint32_t modelled_resident_blocks(DeviceState& device, const KernelHandle& handle, const Kernel& kernel,
                                       KernelLimits limits, const LaunchShape& shape, std::uint32_t resident) {
  if (resources_of(device, handle) != nullptr) return resident;
  const auto [registers, is_new] = handle.program->images.at(device.number).occupied_registers.try_emplace(handle.name);
  if (is_new) registers->second = occupied_registers(kernel.function());
  limits.registers = registers->second;
  return std::min(resident, std::max(resident_blocks(device.profile, kernel, limits, shape), device.profile.sm_count));
}

/// A launch that has been checked.
struct ReadyLaunch {
  const Kernel* kernel = nullptr;
  std::uint32_t resident = 1;
  std::uint32_t modelled_resident = 1;
  bool is_in_graph = false;
  KernelWork work;
};

cudaError_t make_ready(Runtime& runtime, DeviceState& device, KernelWork work, ReadyLaunch& ready) {
  cudaError_t error = cudaSuccess;
  ready.kernel = prepare_kernel(runtime, device, *work.kernel, error);
  if (ready.kernel == nullptr) return error;
  const KernelLimits limits = limits_of(device, *work.kernel, *ready.kernel);
  if (work.shape.has_cluster && !cluster_problem(device.profile, *ready.kernel, limits, work.shape).empty())
    return cudaErrorInvalidClusterSize;  // its settings have changed since
  ready.resident = resident_blocks(device.profile, *ready.kernel, limits, work.shape);
  ready.modelled_resident =
      modelled_resident_blocks(device, *work.kernel, *ready.kernel, limits, work.shape, ready.resident);
  if (runtime.counters() != nullptr) note_resources(runtime, device, *work.kernel, *ready.kernel, work.shape);
  ready.work = std::move(work);
  return cudaSuccess;
}

/// Kernels that launch each other without an end are stopped as one that runs without an end is.
void stop_family(Runtime& runtime, DeviceState& device, const Kernel& kernel, DeviceLaunches::Family& family,
                 std::uint64_t budget) {
  device.sticky = cudaErrorLaunchTimeout;
  if (std::exchange(family.was_stopped, true)) return;
  runtime.note(
      "endless kernel",
      kernel.readable_name() +
          " was stopped, and so was every kernel above and below it: kernels that kernels launch have executed " +
          with_commas(family.instructions) + " warp instructions, with " +
          with_commas(DeviceLaunches::kInstructionsOfLaunch) + " for each launch (the limit here is " +
          with_commas(budget) + "): it seems that they launch each other forever",
      "Before a kernel launches another, let it test whether there is work left.", kernel.readable_name());
}

/// Runs a launch when its turn comes on the timeline, and then what it launches in turn. `depth` and `family` are as
/// DeviceLaunches has them.
void run(Runtime& runtime, DeviceState& device, ReadyLaunch launch, bool monitored, HostProcess& process, int depth,
         DeviceLaunches::Family& family) {
  const Kernel& kernel = *launch.kernel;
  const LaunchShape& shape = launch.work.shape;
  DeviceLaunches launches(runtime, device, *launch.work.kernel->program, depth, family);
  if (*interruption())
    end_interrupted(runtime);  // a host that slept was woken by the signal and went on to this launch
  if (device.sticky != cudaSuccess) return;
  LaunchOptions options;
  options.resident_blocks = launch.resident;
  options.sm_count = device.profile.sm_count;
  options.compute_capability = device.profile.compute_major * 10 + device.profile.compute_minor;
  options.max_warps_per_sm = device.profile.sm_max_threads / kLanes;
  options.instruction_budget =
      runtime.options.instruction_budget != 0 ? runtime.options.instruction_budget : kDefaultBudget;
  options.schedule_seed = runtime.options.schedule_seed;
  options.starts_in_order = runtime.options.starts_in_order;
  options.grid_id = device.next_grid_id++;
  options.nanoseconds = static_cast<std::uint64_t>(device.timeline.now());
  options.stack_bytes = static_cast<std::uint32_t>(device.limits[cudaLimitStackSize]);
  options.observer = monitored ? runtime.observer() : nullptr;
  options.interrupt = interruption();
  options.images = &device.images.handles;
  options.name_element = [](const Launch& of, ptx::Space space, std::uint64_t address, std::uint32_t bytes) {
    const NamedElement element = element_at(of, space, address, bytes);
    return element.array.empty() ? std::string() : element.text();
  };
  options.print = [&runtime, &device, &process](const std::string& text) {
    device.timeline.passes_to_or_from_host(text.size());
    if (runtime.printing) process.print(text);
  };
  options.print_assertion = [&runtime, &process](const std::string& line) {
    if (runtime.printing) process.print_error(line + "\n");
  };
  options.heap_allocate = [&device](std::uint64_t bytes) -> std::uint64_t {
    if (bytes == 0 || device.heap_used + bytes > device.limits[cudaLimitMallocHeapSize]) return 0;
    const std::uint64_t address = device.memory->allocate(bytes, MemoryKind::kHeap);
    if (address != 0) device.heap_used += bytes;
    return address;
  };
  options.heap_free = [&device](std::uint64_t address) {
    const Allocation* const allocation = device.memory->find(address);
    if (allocation == nullptr || allocation->kind != MemoryKind::kHeap || allocation->address != address) return false;
    device.heap_used -= allocation->bytes;
    return device.memory->release(address);
  };
  if (shape.cooperative) {
    options.grid_workspace = device.memory->allocate(kGridWorkspaceBytes, MemoryKind::kVariable, "grid barrier");
    std::memset(device.memory->host(options.grid_workspace), 0, kGridWorkspaceBytes);
  }
  Counters* const counters = monitored ? runtime.counters() : nullptr;
  if (counters != nullptr) {
    counters->set_caches(cache_sizes_of(device.profile));
    counters->set_profile(&device.profile);
    counters->set_resources(resources_of(device, *launch.work.kernel));
    counters->set_resident_blocks(launch.modelled_resident);
    counters->set_is_in_graph(launch.is_in_graph);
  }
  if (DeviceContents* const contents = runtime.contents()) {
    if (options.observer == nullptr) contents->trust(*device.memory);
    contents->pass(*device.memory, launch.work.parameters);
  }
  const std::uint64_t budget = options.instruction_budget;
  const std::uint64_t workspace = options.grid_workspace;
  const LaunchOutcome outcome = [&] {
    KernelTurn turn(runtime.devices, budget);
    if (turn.is_shared()) options.between_turns = [&turn](bool waits) { return turn.yield(waits); };
    Launch grid(kernel, *device.memory, shape, std::move(launch.work.parameters), std::move(options));
    grid.set_device_runtime(&launches);
    return grid.run();
  }();
  if (outcome.interrupted) {
    if (!outcome.whereabouts.empty())
      runtime.note("interrupted", kernel.readable_name() + " was still running: " + outcome.whereabouts, "",
                   kernel.readable_name());
    end_interrupted(runtime);
  }
  if (workspace != 0) device.memory->release(workspace);
  TimeSpan time = kernel_time(device.profile, outcome.warp_instructions, launch.is_in_graph);
  if (counters != nullptr) {
    const LaunchTime& modelled = counters->last_time();
    time = {modelled.nanoseconds, modelled.at_scale, modelled.serial};
  }
  device.timeline.takes(Busy::kKernel, time, {kernel.readable_name()});
  device.sticky = error_of(outcome.fault.kind);
  report(runtime, kernel, outcome.fault, outcome.whereabouts);
  runtime.write_report();
  process.flush();
  family.instructions += outcome.warp_instructions + DeviceLaunches::kInstructionsOfLaunch;
  for (KernelWork& child : launches.take()) {
    --family.pending;
    if (device.sticky != cudaSuccess) continue;
    if (family.instructions > budget) {
      stop_family(runtime, device, kernel, family, budget);
      continue;
    }
    ReadyLaunch next;
    device.sticky = make_ready(runtime, device, std::move(child), next);
    if (device.sticky == cudaSuccess) run(runtime, device, std::move(next), monitored, process, depth + 1, family);
  }
}

}  // namespace

const Kernel* prepare_kernel(Runtime& runtime, DeviceState& device, KernelHandle& handle, cudaError_t& error) {
  LoadedModule* const module = runtime.module(*handle.program, device, error);
  if (module == nullptr) return nullptr;
  try {
    const Kernel* const kernel = module->kernel(handle.name, runtime.observer() != nullptr);
    if (kernel == nullptr) error = cudaErrorInvalidDeviceFunction;
    return kernel;
  } catch (const Refusal& refusal) {
    const std::string name = readable_function_name(handle.name);
    const std::string sentence = "the kernel " + name + " uses " + refusal.what +
                                 ", which the virtual GPU does not support (PTX line " +
                                 std::to_string(refusal.ptx_line) + ")";
    const std::string place = refusal.line != 0 ? refusal.file + ":" + std::to_string(refusal.line) + ": " : "";
    if (runtime.note("not available", sentence, "", name, refusal.file, refusal.line)) say(place + sentence);
    error = cudaErrorNotSupported;
    return nullptr;
  }
}

KernelLimits limits_of(const DeviceState& device, const KernelHandle& handle, const Kernel& kernel) {
  KernelLimits limits;
  const ptx::KernelResources* const resources = resources_of(device, handle);
  limits.registers = resources != nullptr ? resources->registers : kRegistersIfUnknown;
  const std::uint32_t* bounds = kernel.function().max_threads;
  limits.max_threads = bounds[0] != 0 ? bounds[0] * bounds[1] * bounds[2] : device.profile.block_max_threads;
  const std::uint32_t shared = kernel.shared_bytes();
  const int max_dynamic_shared = handle.settings_on(device.number).max_dynamic_shared;
  limits.max_dynamic_shared = max_dynamic_shared >= 0
                                  ? static_cast<std::uint32_t>(max_dynamic_shared)
                                  : device.profile.block_shared - std::min(device.profile.block_shared, shared);
  const KernelSettings settings = handle.settings_on(device.number);
  if (device.profile.compute_major >= 9)
    limits.max_cluster = settings.allows_large_clusters ? kLargestCluster : kPortableCluster;
  for (int i = 0; i < 3; ++i) {
    const std::uint32_t compiled = kernel.function().required_cluster[i];
    limits.required_cluster[i] = compiled != 0 ? compiled : static_cast<std::uint32_t>(settings.required_cluster[i]);
  }
  return limits;
}

void take_required_cluster(const KernelLimits& limits, LaunchShape& shape) {
  const std::uint32_t* const required = limits.required_cluster;
  if (shape.has_cluster || required[0] == 0) return;
  shape.has_cluster = true;
  shape.cluster = {required[0], required[1], required[2]};
}

std::uint32_t registers_of(const DeviceState& device, const KernelHandle& handle, const Kernel& kernel) {
  if (const ptx::KernelResources* const resources = resources_of(device, handle)) return resources->registers;
  DeviceImage& image = handle.program->images.at(device.number);
  const auto [estimate, is_new] = image.estimated_registers.try_emplace(handle.name);
  if (is_new) estimate->second = estimated_registers(kernel.function());
  return estimate->second;
}

cudaError_t prepare_device_launch(Runtime& runtime, DeviceState& device, KernelHandle& handle, const LaunchShape& asked,
                                  KernelWork& work) {
  cudaError_t error = cudaSuccess;
  const Kernel* const kernel = prepare_kernel(runtime, device, handle, error);
  if (kernel == nullptr) return error;
  const KernelLimits limits = limits_of(device, handle, *kernel);
  LaunchShape shape = asked;
  take_required_cluster(limits, shape);
  std::string problem = launch_problem(device.profile, *kernel, limits, shape);
  const bool is_of_clusters = problem.empty();
  if (is_of_clusters) problem = cluster_problem(device.profile, *kernel, limits, shape);
  if (!problem.empty()) {
    runtime.note("launch refused", readable_function_name(handle.name) + " was not launched: " + problem,
                 refused_launch_advice(shape));
    if (is_of_clusters) return cudaErrorInvalidClusterSize;
    const bool too_many_blocks = shape.cooperative && problem.find("cooperative grid") != std::string::npos;
    return too_many_blocks ? cudaErrorCooperativeLaunchTooLarge : cudaErrorInvalidValue;
  }
  work.kernel = &handle;
  work.device = device.number;
  work.shape = shape;
  work.parameters.assign(kernel->function().parameter_bytes, std::byte{0});
  return cudaSuccess;
}

cudaError_t prepare_launch(Runtime& runtime, DeviceState& device, KernelHandle& handle, const LaunchShape& shape,
                           void** arguments, KernelWork& work) {
  cudaError_t error = prepare_device_launch(runtime, device, handle, shape, work);
  if (error != cudaSuccess) return error;
  const ptx::Function& function = prepare_kernel(runtime, device, handle, error)->function();
  if (arguments == nullptr && !function.parameters.empty()) return cudaErrorInvalidValue;
  for (const ptx::Parameter& parameter : function.parameters) {
    const void* const argument = *arguments++;  // NOLINT(clang-analyzer-core.NullDereference): looked at above
    std::memcpy(work.parameters.data() + parameter.offset, argument, parameter.bytes);
  }
  return cudaSuccess;
}

cudaError_t enqueue_launch(Runtime& runtime, Timeline& timeline, StreamState& stream, KernelWork work,
                           bool is_in_graph) {
  cudaError_t error = cudaSuccess;
  DeviceState* const device = runtime.devices.get(work.device, error);
  if (device == nullptr) return error;
  ReadyLaunch ready;
  error = make_ready(runtime, *device, std::move(work), ready);
  if (error != cudaSuccess) return error;
  ready.is_in_graph = is_in_graph;
  const std::size_t bytes = ready.work.parameters.size();
  if (bytes > kArgumentBytes) timeline.passes_to_or_from_host(bytes - kArgumentBytes);
  const bool monitored = runtime.observer() != nullptr;
  timeline.enqueue(stream,
                   [&runtime, device, monitored, &process = host_process(), ready = std::move(ready)]() mutable {
                     DeviceLaunches::Family family;
                     run(runtime, *device, std::move(ready), monitored, process, 0, family);
                     device->instructions += family.instructions;
                     DeviceLaunches::release_buffers(*device, family);
                   });
  return cudaSuccess;
}

cudaError_t launch(Runtime& runtime, DeviceState& device, StreamState& stream, KernelHandle& handle,
                   const LaunchShape& shape, void** arguments) {
  KernelWork work;
  const cudaError_t error = prepare_launch(runtime, device, handle, shape, arguments, work);
  if (error != cudaSuccess) return error;
  work.function = &handle;
  if (stream.capture) return capture_work(stream, std::move(work));
  device.timeline.takes(Busy::kLaunching, once(device.profile.rates.launch_host_nanoseconds), {"kernel launch"});
  return enqueue_launch(runtime, device.timeline, stream, std::move(work), false);
}

}  // namespace vgpu::cudart
