#include "harness/vgpu/cudart/device_launches.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "harness/vgpu/cudart/kernel_launch.h"
#include "harness/vgpu/machine/symbol_names.h"

namespace vgpu::cudart {
namespace {

// cudaStream_t as cuda_device_runtime_api.h has them for device code.
constexpr std::uint64_t kTailLaunch = 3, kFireAndForget = 4;  // 0 to 2 are the default streams

/// Handles of streams and events look like addresses where nothing is.
constexpr std::uint64_t kHandles = 0x1000, kHandleStep = 16;

}  // namespace

DeviceLaunches::~DeviceLaunches() {
  for (const auto& [buffer, work] : prepared_) device_.memory->release(buffer);
}

void DeviceLaunches::release_buffers(DeviceState& device, Family& family) {
  for (const auto& [purpose, buffers] : family.spare)
    for (const std::uint64_t buffer : buffers) device.memory->release(buffer);
  family.spare.clear();
}

std::vector<KernelWork> DeviceLaunches::take() {
  for (const auto& [purpose, buffer] : used_) family_.spare[purpose].push_back(buffer);
  used_.clear();
  std::move(tail_.begin(), tail_.end(), std::back_inserter(launched_));
  tail_.clear();
  return std::exchange(launched_, {});
}

int DeviceLaunches::last_error(const Caller& caller, bool forgets) {
  const auto found = errors_.find({caller.block, caller.thread});
  if (found == errors_.end()) return cudaSuccess;
  const cudaError_t error = found->second;
  if (forgets) errors_.erase(found);
  return error;
}

int DeviceLaunches::note_error(const Caller& caller, cudaError_t error) {
  if (error != cudaSuccess && errors_.size() < kMostErrors) errors_[{caller.block, caller.thread}] = error;
  return error;
}

bool DeviceLaunches::has_room(const std::string& kernel) {
  const std::uint64_t waiting = family_.pending + prepared_.size();
  if (waiting < device_.limits[cudaLimitDevRuntimePendingLaunchCount]) return true;
  if (!std::exchange(family_.was_full, true))
    runtime_.note("launch refused",
                  kernel + " could not be launched from a kernel: " + std::to_string(waiting) +
                      " device-side launches were already pending",
                  "Raise the limit in host code: cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, ...).");
  return false;
}

cudaError_t DeviceLaunches::check(KernelHandle& handle, const LaunchShape& shape, KernelWork& work) {
  const std::string launch = std::to_string(depth_) + handle.name + spelled(shape.grid) + spelled(shape.block) +
                             std::to_string(shape.dynamic_shared);
  if (const auto known = family_.refused.find(launch); known != family_.refused.end()) return known->second;
  cudaError_t error = cudaErrorLaunchMaxDepthExceeded;
  if (depth_ < kDeepest)
    error = prepare_device_launch(runtime_, device_, handle, shape, work);
  else
    runtime_.note("launch refused",
                  readable_function_name(handle.name) +
                      " could not be launched from a kernel: it would be nested more than " + std::to_string(kDeepest) +
                      " levels below the launch from the host",
                  "");
  if (error != cudaSuccess) family_.refused[launch] = error;
  return error;
}

cudaError_t DeviceLaunches::prepare(std::uint64_t kernel, const LaunchShape& shape, std::uint64_t& buffer) {
  cudaError_t error = cudaSuccess;
  const LoadedModule* const module = runtime_.module(program_, device_, error);
  const std::string* const name = module != nullptr ? module->kernel_at(kernel) : nullptr;
  if (name == nullptr) return cudaErrorInvalidDeviceFunction;
  const std::string readable = readable_function_name(*name);
  if (!has_room(readable)) return cudaErrorLaunchPendingCountExceeded;
  KernelWork work;
  error = check(runtime_.kernel_named(program_, *name), shape, work);
  if (error != cudaSuccess) return error;
  const std::string purpose = "arguments of " + readable;
  const std::size_t bytes = std::max<std::size_t>(work.parameters.size(), 1);
  std::vector<std::uint64_t>& spare = family_.spare[{purpose, bytes}];
  if (spare.empty()) {
    buffer = device_.memory->allocate(bytes, MemoryKind::kArguments, purpose);
  } else {
    buffer = spare.back();
    spare.pop_back();
  }
  if (buffer == 0) return cudaErrorLaunchOutOfResources;
  prepared_[buffer] = std::move(work);
  return cudaSuccess;
}

std::uint64_t DeviceLaunches::parameter_buffer(const Caller& caller, std::uint64_t kernel, const LaunchShape& shape) {
  std::uint64_t buffer = 0;
  return note_error(caller, prepare(kernel, shape, buffer)) == cudaSuccess ? buffer : 0;
}

bool DeviceLaunches::is_stream(std::uint64_t stream) const {
  return stream <= kFireAndForget || streams_.count(stream) != 0;
}

int DeviceLaunches::launch(const Caller& caller, std::uint64_t buffer, std::uint64_t stream) {
  const auto found = prepared_.find(buffer);
  if (found == prepared_.end()) return note_error(caller, cudaErrorInvalidValue);
  KernelWork work = std::move(found->second);
  prepared_.erase(found);
  std::memcpy(work.parameters.data(), device_.memory->host(buffer), work.parameters.size());
  const Allocation* const allocation = device_.memory->find(buffer);
  used_.push_back({{allocation->name, allocation->bytes}, buffer});
  if (!is_stream(stream)) return note_error(caller, cudaErrorInvalidResourceHandle);
  ++family_.pending;
  (stream == kTailLaunch ? tail_ : launched_).push_back(std::move(work));
  return cudaSuccess;
}

int DeviceLaunches::create_stream(const Caller& caller, std::uint32_t flags, std::uint64_t& stream) {
  // An H200 takes cudaStreamDefault, too, although the programming guide has no blocking streams in device code.
  if (flags != cudaStreamNonBlocking && flags != cudaStreamDefault) return note_error(caller, cudaErrorInvalidValue);
  stream = kHandles + kHandleStep * next_handle_++;
  streams_.insert(stream);
  return cudaSuccess;
}

int DeviceLaunches::destroy_stream(const Caller& caller, std::uint64_t stream) {
  return note_error(caller, streams_.erase(stream) != 0 ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

int DeviceLaunches::create_event(const Caller& caller, std::uint32_t flags, std::uint64_t& event) {
  if (flags != cudaEventDisableTiming) return note_error(caller, cudaErrorInvalidValue);
  event = kHandles + kHandleStep * next_handle_++;
  events_.insert(event);
  return cudaSuccess;
}

int DeviceLaunches::destroy_event(const Caller& caller, std::uint64_t event) {
  return note_error(caller, events_.erase(event) != 0 ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

int DeviceLaunches::use_event(const Caller& caller, std::uint64_t event, std::uint64_t stream) {
  const bool may_wait = stream != kTailLaunch && stream != kFireAndForget;  // neither can have events
  const bool is_known = events_.count(event) != 0 && is_stream(stream) && may_wait;
  return note_error(caller, is_known ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

bool DeviceLaunches::set_conditional(std::uint64_t handle, std::uint32_t value) {
  const auto found = runtime_.conditions.find(handle);
  if (found == runtime_.conditions.end()) return false;
  found->second->value = value;
  found->second->is_set = true;
  return true;
}

}  // namespace vgpu::cudart
