// Kernels: launching them, their attributes, how many blocks fit.
#include <algorithm>
#include <climits>
#include <optional>

#include "harness/vgpu/cost/occupancy.h"
#include "harness/vgpu/cudart/entry.h"
#include "harness/vgpu/cudart/kernel_launch.h"

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

Extent3 extent(dim3 d) { return {d.x, d.y, d.z}; }

/// `cluster`: null if the launch does not ask for any.
cudaError_t launch_by_key(const void* key, cudaError_t error_if_unknown, dim3 grid, dim3 block, void** arguments,
                          size_t shared, cudaStream_t stream, bool cooperative, const dim3* cluster = nullptr) {
  return stream_call(stream, [&](Runtime& runtime, DeviceState& device, StreamState& state) -> cudaError_t {
    if (key == nullptr) return cudaErrorInvalidDeviceFunction;
    KernelHandle* const handle = runtime.kernel(key);
    if (handle == nullptr) return error_if_unknown;
    const LaunchShape shape{
        extent(grid), extent(block),      static_cast<std::uint32_t>(std::min<size_t>(shared, UINT32_MAX)),
        cooperative,  cluster != nullptr, cluster != nullptr ? extent(*cluster) : Extent3{}};
    return launch(runtime, device, state, *handle, shape, arguments);
  });
}

/// Body with the kernel behind `function`, loaded.
template <class Body>
cudaError_t kernel_call(const void* function, Body body) {
  return device_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    KernelHandle* const handle = function != nullptr ? runtime.kernel(function) : nullptr;
    if (handle == nullptr) return cudaErrorInvalidDeviceFunction;
    cudaError_t error = cudaSuccess;
    const Kernel* const kernel = prepare_kernel(runtime, device, *handle, error);
    if (kernel == nullptr) return error;
    return body(device, *handle, *kernel);
  });
}

std::optional<dim3> cluster_of(const cudaLaunchConfig_t& config) {
  std::optional<dim3> cluster;
  for (unsigned i = 0; i < config.numAttrs; ++i)
    if (const auto& attribute = config.attrs[i]; attribute.id == cudaLaunchAttributeClusterDimension)
      cluster = dim3(attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z);
  return cluster;
}

std::uint32_t blocks_per_sm(const DeviceState& device, const KernelHandle& handle, const Kernel& kernel, int block,
                            size_t shared) {
  const KernelLimits limits = limits_of(device, handle, kernel);
  if (shared > limits.max_dynamic_shared) return 0;
  return occupancy_of(device.profile, {static_cast<std::uint32_t>(block), registers_of(device, handle, kernel),
                                       kernel.shared_bytes() + static_cast<std::uint32_t>(shared)})
      .blocks_per_sm;
}

}  // namespace

VGPU_API cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
  return call([&](Runtime& runtime) -> cudaError_t {
    KernelHandle* const handle = runtime.kernel(host_function);
    if (kernel == nullptr || handle == nullptr) return cudaErrorInvalidDeviceFunction;
    *kernel = reinterpret_cast<cudaKernel_t>(handle);
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
  return __cudaGetKernel(kernel, host_function);
}

VGPU_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* host_function) {
  return __cudaGetKernel(reinterpret_cast<cudaKernel_t*>(function), host_function);
}

VGPU_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                                        cudaStream_t stream) {
  return launch_by_key(kernel, cudaErrorInvalidResourceHandle, grid, block, arguments, shared, stream, false);
}
VGPU_API cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                             size_t shared, cudaStream_t stream) {
  return __cudaLaunchKernel(kernel, grid, block, arguments, shared, per_thread(stream));
}
VGPU_API cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                                      cudaStream_t stream) {
  return launch_by_key(function, cudaErrorInvalidResourceHandle, grid, block, arguments, shared, stream, false);
}
VGPU_API cudaError_t cudaLaunchKernel_ptsz(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                                           cudaStream_t stream) {
  return cudaLaunchKernel(function, grid, block, arguments, shared, per_thread(stream));
}
VGPU_API cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                                 size_t shared, cudaStream_t stream) {
  return launch_by_key(function, cudaErrorInvalidResourceHandle, grid, block, arguments, shared, stream, true);
}
VGPU_API cudaError_t cudaLaunchCooperativeKernel_ptsz(const void* function, dim3 grid, dim3 block, void** arguments,
                                                      size_t shared, cudaStream_t stream) {
  return cudaLaunchCooperativeKernel(function, grid, block, arguments, shared, per_thread(stream));
}

VGPU_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  if (config == nullptr) return call([](Runtime&) { return cudaErrorInvalidValue; });
  bool cooperative = false;
  const std::optional<dim3> cluster = cluster_of(*config);
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config->attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative) cooperative = attribute.val.cooperative != 0;
    if (attribute.id == cudaLaunchAttributeProgrammaticEvent ||
        attribute.id == cudaLaunchAttributeLaunchCompletionEvent)
      return call([](Runtime& runtime) {
        runtime.note("not available",
                     "a launch asked for an event while it runs, which is not available on the virtual GPU", "");
        return cudaErrorNotSupported;
      });
  }
  return launch_by_key(function, cudaErrorInvalidResourceHandle, config->gridDim, config->blockDim, arguments,
                       config->dynamicSmemBytes, config->stream, cooperative, cluster ? &*cluster : nullptr);
}
VGPU_API cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t* config, const void* function,
                                              void** arguments) {
  if (config == nullptr) return cudaLaunchKernelExC(config, function, arguments);
  cudaLaunchConfig_t own = *config;
  own.stream = per_thread(own.stream);
  return cudaLaunchKernelExC(&own, function, arguments);
}

VGPU_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return kernel_call(
      function, [&](const DeviceState& device, const KernelHandle& handle, const Kernel& kernel) -> cudaError_t {
        if (attributes == nullptr) return cudaErrorInvalidValue;
        const KernelLimits limits = limits_of(device, handle, kernel);
        const auto& all_resources = handle.program->images.at(device.number).resources;
        const auto resources = all_resources.find(handle.name);
        const ptx::Module& module = kernel.module();
        *attributes = {};
        attributes->sharedSizeBytes = kernel.shared_bytes();
        for (const ptx::Variable& variable : module.variables)
          if (variable.space == ptx::Space::kConst) attributes->constSizeBytes += variable.bytes;
        attributes->localSizeBytes = resources != all_resources.end() ? resources->second.local_bytes : 0;
        attributes->maxThreadsPerBlock = static_cast<int>(limits.max_threads);
        attributes->numRegs = static_cast<int>(registers_of(device, handle, kernel));
        attributes->ptxVersion = static_cast<int>(module.target);
        attributes->binaryVersion = static_cast<int>(device.profile.compute_major * 10 + device.profile.compute_minor);
        attributes->maxDynamicSharedSizeBytes = static_cast<int>(limits.max_dynamic_shared);
        const KernelSettings settings = handle.settings_on(device.number);
        attributes->preferredShmemCarveout = settings.carveout;
        attributes->clusterDimMustBeSet = kernel.function().needs_cluster ? 1 : 0;
        attributes->requiredClusterWidth = static_cast<int>(limits.required_cluster[0]);
        attributes->requiredClusterHeight = static_cast<int>(limits.required_cluster[1]);
        attributes->requiredClusterDepth = static_cast<int>(limits.required_cluster[2]);
        attributes->clusterSchedulingPolicyPreference = settings.cluster_policy;
        attributes->nonPortableClusterSizeAllowed = settings.allows_large_clusters ? 1 : 0;
        return cudaSuccess;
      });
}

VGPU_API cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return kernel_call(
      function, [&](const DeviceState& device, KernelHandle& handle, const Kernel& kernel) -> cudaError_t {
        switch (attribute) {
          case cudaFuncAttributeMaxDynamicSharedMemorySize:
            if (value < 0 ||
                static_cast<std::uint32_t>(value) + kernel.shared_bytes() > device.profile.block_shared_opt_in)
              return cudaErrorInvalidValue;
            handle.settings[device.number].max_dynamic_shared = value;
            return cudaSuccess;
          case cudaFuncAttributePreferredSharedMemoryCarveout:
            if (value < -1 || value > 100) return cudaErrorInvalidValue;
            handle.settings[device.number].carveout = value;
            return cudaSuccess;
          case cudaFuncAttributeRequiredClusterWidth:
          case cudaFuncAttributeRequiredClusterHeight:
          case cudaFuncAttributeRequiredClusterDepth:
            if (kernel.function().required_cluster[0] != 0) return cudaErrorInvalidValue;
            if (value < 0) return cudaErrorInvalidValue;
            handle.settings[device.number].required_cluster[attribute - cudaFuncAttributeRequiredClusterWidth] = value;
            return cudaSuccess;
          case cudaFuncAttributeNonPortableClusterSizeAllowed:
            if (value != 0 && value != 1) return cudaErrorInvalidValue;
            handle.settings[device.number].allows_large_clusters = value != 0;
            return cudaSuccess;
          case cudaFuncAttributeClusterSchedulingPolicyPreference:
            if (value < cudaClusterSchedulingPolicyDefault || value > cudaClusterSchedulingPolicyLoadBalancing)
              return cudaErrorInvalidValue;
            handle.settings[device.number].cluster_policy = value;
            return cudaSuccess;
          default:
            return cudaErrorInvalidValue;
        }
      });
}

VGPU_API cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return kernel_call(function, [](const DeviceState&, const KernelHandle&, const Kernel&) { return cudaSuccess; });
}
VGPU_API cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
  return kernel_call(function, [](const DeviceState&, const KernelHandle&, const Kernel&) { return cudaSuccess; });
}

VGPU_API cudaError_t cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset, size_t* bytes) {
  return kernel_call(function, [&](const DeviceState&, const KernelHandle&, const Kernel& kernel) -> cudaError_t {
    const auto& parameters = kernel.function().parameters;
    if (offset == nullptr || index >= parameters.size()) return cudaErrorInvalidValue;
    *offset = parameters[index].offset;
    if (bytes != nullptr) *bytes = parameters[index].bytes;
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return call([&](Runtime& runtime) -> cudaError_t {
    const KernelHandle* const handle = function != nullptr ? runtime.kernel(function) : nullptr;
    if (name == nullptr) return cudaErrorInvalidValue;
    if (handle == nullptr) return cudaErrorInvalidDeviceFunction;
    *name = handle->name.c_str();
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block,
                                                                   size_t shared) {
  return kernel_call(function,
                     [&](const DeviceState& device, const KernelHandle& handle, const Kernel& kernel) -> cudaError_t {
                       if (blocks == nullptr || block <= 0) return cudaErrorInvalidValue;
                       *blocks = static_cast<int>(blocks_per_sm(device, handle, kernel, block, shared));
                       return cudaSuccess;
                     });
}
VGPU_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                            int block, size_t shared, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block, shared);
}

VGPU_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks,
                                                               int block) {
  return kernel_call(
      function, [&](const DeviceState& device, const KernelHandle& handle, const Kernel& kernel) -> cudaError_t {
        if (bytes == nullptr || blocks <= 0 || block <= 0) return cudaErrorInvalidValue;
        // The largest amount at which the wanted number still fits; what fits only shrinks as the amount grows.
        size_t low = 0, high = limits_of(device, handle, kernel).max_dynamic_shared + size_t{1};
        if (blocks_per_sm(device, handle, kernel, block, 0) < static_cast<std::uint32_t>(blocks))
          return cudaErrorInvalidValue;
        while (high - low > 1) {
          const size_t middle = low + (high - low) / 2;
          (blocks_per_sm(device, handle, kernel, block, middle) >= static_cast<std::uint32_t>(blocks) ? low : high) =
              middle;
        }
        *bytes = low;
        return cudaSuccess;
      });
}

/// What the two calls below have in common, in a form that crosses to the devices: `cluster` is null if the launch does
/// not ask for any. The largest cluster that can be launched, or how many of the launch's fit on the device.
VGPU_API cudaError_t vgpuFitClusters(int* result, const void* function, dim3 block, size_t shared, const dim3* cluster,
                                     int largest) {
  return kernel_call(
      function, [&](const DeviceState& device, const KernelHandle& handle, const Kernel& kernel) -> cudaError_t {
        if (result == nullptr || extent(block).count() == 0 || extent(block).count() > INT_MAX)
          return cudaErrorInvalidValue;
        const KernelLimits limits = limits_of(device, handle, kernel);
        const std::uint64_t fit =
            std::uint64_t{blocks_per_sm(device, handle, kernel, static_cast<int>(extent(block).count()), shared)} *
            device.profile.sm_count;
        LaunchShape shape{{1, 1, 1}, extent(block), static_cast<std::uint32_t>(std::min<size_t>(shared, UINT32_MAX))};
        if (cluster != nullptr && largest == 0) shape.has_cluster = true, shape.cluster = extent(*cluster);
        take_required_cluster(limits, shape);
        if (largest != 0) {
          const std::uint32_t bound = kernel.function().max_cluster;
          const std::uint64_t most =
              std::min<std::uint64_t>(fit, bound != 0 ? std::min(bound, limits.max_cluster) : limits.max_cluster);
          *result = static_cast<int>(shape.has_cluster ? shape.cluster.count() : most);
          return cudaSuccess;
        }
        shape.grid = shape.cluster;
        if (fit == 0) {
          *result = 0;
          return cudaSuccess;
        }
        if (!cluster_problem(device.profile, kernel, limits, shape).empty()) return cudaErrorInvalidClusterSize;
        *result = static_cast<int>(fit / shape.cluster.count());
        return cudaSuccess;
      });
}

VGPU_API cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* function,
                                                          const cudaLaunchConfig_t* config) {
  if (config == nullptr) return call([](Runtime&) { return cudaErrorInvalidValue; });
  return vgpuFitClusters(size, function, config->blockDim, config->dynamicSmemBytes, nullptr, 1);
}

VGPU_API cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                                    const cudaLaunchConfig_t* config) {
  if (config == nullptr) return call([](Runtime&) { return cudaErrorInvalidValue; });
  const std::optional<dim3> cluster = cluster_of(*config);
  return vgpuFitClusters(clusters, function, config->blockDim, config->dynamicSmemBytes, cluster ? &*cluster : nullptr,
                         0);
}
