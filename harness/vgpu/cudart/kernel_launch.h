// Launching a kernel: from a handle and arguments to work on the timeline.
#pragma once

#include <cuda_runtime_api.h>

#include <optional>

#include "harness/vgpu/cudart/runtime.h"

namespace vgpu::cudart {

/// The kernel behind a handle, loaded and decoded; null with `error`, and with a note that says why.
const Kernel* prepare_kernel(Runtime& runtime, DeviceState& device, KernelHandle& handle, cudaError_t& error);

/// Registers of a thread as programs are told: what ptxas has allotted, or else an estimate. Whether a kernel may
/// be launched does not depend on the estimate.
std::uint32_t registers_of(const DeviceState& device, const KernelHandle& handle, const Kernel& kernel);

/// What limits a kernel's launches on this device.
KernelLimits limits_of(const DeviceState& device, const KernelHandle& handle, const Kernel& kernel);

/// Clusters of the size that the kernel requires, if the launch does not ask for any.
void take_required_cluster(const KernelLimits& limits, LaunchShape& shape);

/// Checks the launch and keeps in `work` what it takes to do it. `arguments` points to one pointer a parameter.
cudaError_t prepare_launch(Runtime& runtime, DeviceState& device, KernelHandle& handle, const LaunchShape& shape,
                           void** arguments, KernelWork& work);

/// The same for a launch by a kernel, which fills the parameters in later.
cudaError_t prepare_device_launch(Runtime& runtime, DeviceState& device, KernelHandle& handle, const LaunchShape& shape,
                                  KernelWork& work);

/// Puts a launch into the stream, which may be another device's.
cudaError_t enqueue_launch(Runtime& runtime, Timeline& timeline, StreamState& stream, KernelWork work,
                           bool is_in_graph);

/// Checks the launch and puts it into the stream, or into the graph that the stream is captured into.
cudaError_t launch(Runtime& runtime, DeviceState& device, StreamState& stream, KernelHandle& handle,
                   const LaunchShape& shape, void** arguments);

}  // namespace vgpu::cudart
