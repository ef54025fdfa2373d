// Calls that take more than packing their arguments: those of nvcc's start-up code, launches, and what hands out memory
// of the runtime's own.
#include <link.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "harness/vgpu/cudart/error_table.h"
#include "harness/vgpu/cudart/loaded_objects.h"
#include "harness/vgpu/cudart/registered_code.h"
#include "harness/vgpu/link/crash_explanation.h"
#include "harness/vgpu/link/idle_watch.h"
#include "harness/vgpu/link/launch_message.h"
#include "harness/vgpu/link/own_devices.h"
#include "harness/vgpu/link/remote_call.h"

using namespace vgpu::link;

namespace {

struct Configuration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
  const void* site;  // the launch in the program: what pops a configuration is made by the compiler
};
thread_local std::vector<Configuration> configurations;  // <<< >>> that were pushed and not yet popped
thread_local const void* popped_site = nullptr;          // of the configuration that the next launch uses

/// Sends a call whose reply is looked at only for that it came.
void tell(Call number, const Writer& arguments) {
  program().call(number, arguments, [](const Reader&) {});
}

const vgpu::cudart::ErrorRow* find(cudaError_t error) {
  for (const vgpu::cudart::ErrorRow& row : vgpu::cudart::ErrorTable())
    if (row.code == static_cast<int>(error)) return &row;
  return nullptr;
}

/// For a function that returns to `site`: where the program launches.
const void* launched_from(const void* site) {
  const void* const popped = std::exchange(popped_site, nullptr);
  return popped != nullptr ? popped : site;
}

cudaStream_t per_thread(cudaStream_t stream) { return stream == nullptr ? cudaStreamPerThread : stream; }

/// The program or the shared object of this process that an address lies in.
vgpu::cudart::LoadedObject object_holding(const void* address) {
  struct Search {
    std::uint64_t address;
    vgpu::cudart::LoadedObject found;
  } search{reinterpret_cast<std::uintptr_t>(address), {}};
  const auto look = [](dl_phdr_info* info, std::size_t, void* argument) {
    auto& [wanted, found] = *static_cast<Search*>(argument);
    vgpu::cudart::LoadedObject object{info->dlpi_addr, info->dlpi_addr, info->dlpi_name};
    for (int i = 0; i < info->dlpi_phnum; ++i)
      if (const auto& part = info->dlpi_phdr[i]; part.p_type == PT_LOAD)
        object.end = std::max(object.end, info->dlpi_addr + part.p_vaddr + part.p_memsz);
    if (wanted < object.begin || wanted >= object.end) return 0;
    found = std::move(object);
    return 1;
  };
  dl_iterate_phdr(look, &search);
  if (search.found.end == 0 || !search.found.path.empty()) return search.found;
  char path[4096];  // the program itself has no name
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length > 0) search.found.path.assign(path, static_cast<std::size_t>(length));
  return search.found;
}

/// How long the parameters of kernels are, as the devices said at their first launch.
std::map<const void*, std::vector<std::uint32_t>>& known_parameters() {
  static auto* const kKnown = new std::map<const void*, std::vector<std::uint32_t>>();
  return *kKnown;
}
std::mutex& known_parameters_mutex() {
  static auto* const kMutex = new std::mutex();
  return *kMutex;
}

cudaError_t launch(LaunchMessage message, const cudaLaunchAttribute* attributes, void** arguments) {
  const void* const kernel = message.kernel;
  message.arguments = arguments;
  Writer packed;
  bool is_known = false;
  {
    const std::lock_guard<std::mutex> lock(known_parameters_mutex());
    const auto known = known_parameters().find(kernel);
    is_known = known != known_parameters().end() && arguments != nullptr;
    if (is_known)
      for (std::size_t i = 0; i < known->second.size(); ++i) packed.put_bytes(arguments[i], known->second[i]);
  }
  message.has_arguments = is_known ? 1 : 0;
  Writer call;
  call.put(message);
  call.put_bytes(attributes, message.attribute_count * sizeof *attributes);
  call.put_bytes(packed.bytes().data(), packed.bytes().size());
  if (call.bytes().size() > kMostBytes) return cudaErrorInvalidValue;
  cudaError_t error = cudaErrorDevicesUnavailable;
  program().call(Call::cudaLaunchKernel, call, [&](Reader reply) {
    reply.get(error);
    if (reply.get<std::uint8_t>() == 0) return;
    std::vector<std::uint32_t> bytes(reply.get<std::uint32_t>());
    reply.get_bytes(bytes.data(), bytes.size() * sizeof bytes[0]);
    const std::lock_guard<std::mutex> lock(known_parameters_mutex());
    known_parameters()[kernel] = std::move(bytes);
  });
  return error;
}

cudaError_t launch(LaunchMessage::Manner manner, const void* kernel, dim3 grid, dim3 block, void** arguments,
                   size_t shared, cudaStream_t stream) {
  return launch({manner, 0, 0, kernel, grid, block, shared, stream, nullptr}, nullptr, arguments);
}

}  // namespace

Program& vgpu::link::program() {
  static Program* const kProgram = [] {
    Program* made = nullptr;  // never destroyed: destructors may use CUDA
    if (std::getenv("LANEWISE_VGPU_DEVICES_AT") != nullptr) {
      made = new Program(devices_of_this_program());
    } else {
      made = new Program(devices_of_this_program(), [] {
        watch_idle_program(program());
        return devices_of_this_program();
      });
    }
    explain_crashes();  // not before: of several runtimes that are preloaded, a program uses one
    std::atexit([] {
      if (program().has_devices()) tell(Call::kEnd, {});
    });
    pthread_atfork([] { program().prepare_to_fork(); }, [] { program().go_on_after_fork(); },
                   [] { program().leave_to_parent(); });
    watch_idle_program(*made);
    return made;
  }();
  return *kProgram;
}

// --- start-up code ---

VGPU_API void** __cudaRegisterFatBinary(void* wrapper) {
  using vgpu::cudart::FatBinaryWrapper;
  const auto* const binary = static_cast<const FatBinaryWrapper*>(wrapper);
  const vgpu::cudart::RegisteredCode code =
      binary->magic == FatBinaryWrapper::kMagic ? binary->code() : vgpu::cudart::RegisteredCode{};
  Writer arguments;
  arguments.put(code.linked);
  arguments.put(static_cast<std::uint32_t>(code.units.size()));
  arguments.put_bytes(code.units.data(), code.units.size() * sizeof code.units[0]);
  const vgpu::cudart::LoadedObject object = object_holding(wrapper);
  arguments.put(object.begin);
  arguments.put(object.end);
  arguments.put_text(object.path.c_str());
  void** handle = nullptr;
  program().call(Call::__cudaRegisterFatBinary, arguments, [&](Reader reply) { reply.get(handle); });
  return handle;
}
VGPU_API void __cudaRegisterFunction(void** handle, const char* host_function, char*, const char* device_name, int,
                                     uint3*, uint3*, dim3*, dim3*, int*) {
  Writer arguments;
  arguments.put(handle);
  arguments.put(static_cast<const void*>(host_function));
  arguments.put_text(device_name);
  tell(Call::__cudaRegisterFunction, arguments);
}
VGPU_API void __cudaRegisterVar(void** handle, char* host_variable, char*, const char* device_name, int, size_t bytes,
                                int, int) {
  Writer arguments;
  arguments.put(handle);
  arguments.put(static_cast<const void*>(host_variable));
  arguments.put_text(device_name);
  arguments.put(bytes);
  tell(Call::__cudaRegisterVar, arguments);
}
VGPU_API void __cudaRegisterManagedVar(void** handle, void** host_pointer, char*, const char* device_name, int,
                                       size_t bytes, int, int) {
  Writer arguments;
  arguments.put(handle);
  arguments.put(static_cast<const void*>(host_pointer));
  arguments.put_text(device_name);
  arguments.put(bytes);
  tell(Call::__cudaRegisterManagedVar, arguments);
}
VGPU_API void __cudaRegisterFatBinaryEnd(void**) { tell(Call::__cudaRegisterFatBinaryEnd, {}); }
VGPU_API void __cudaUnregisterFatBinary(void** handle) {
  Writer arguments;
  arguments.put(handle);
  tell(Call::__cudaUnregisterFatBinary, arguments);
}
VGPU_API char __cudaInitModule(void**) {
  tell(Call::__cudaInitModule, {});
  return 1;
}

VGPU_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  configurations.push_back({grid, block, shared, stream, __builtin_return_address(0)});
  return 0;
}
VGPU_API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  if (configurations.empty()) return cudaErrorMissingConfiguration;
  *grid = configurations.back().grid;
  *block = configurations.back().block;
  *shared = configurations.back().shared;
  *static_cast<cudaStream_t*>(stream) = configurations.back().stream;
  popped_site = configurations.back().site;
  configurations.pop_back();
  return cudaSuccess;
}

// --- launches ---

VGPU_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                                        cudaStream_t stream) {
  const HostCall host_call(launched_from(__builtin_return_address(0)));
  return launch(LaunchMessage::kPlain, kernel, grid, block, arguments, shared, stream);
}
VGPU_API cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                             size_t shared, cudaStream_t stream) {
  const HostCall host_call(launched_from(__builtin_return_address(0)));
  return __cudaLaunchKernel(kernel, grid, block, arguments, shared, per_thread(stream));
}
VGPU_API cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                                      cudaStream_t stream) {
  const HostCall host_call(launched_from(__builtin_return_address(0)));
  return launch(LaunchMessage::kPlain, function, grid, block, arguments, shared, stream);
}
VGPU_API cudaError_t cudaLaunchKernel_ptsz(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                                           cudaStream_t stream) {
  const HostCall host_call(launched_from(__builtin_return_address(0)));
  return cudaLaunchKernel(function, grid, block, arguments, shared, per_thread(stream));
}
VGPU_API cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                                 size_t shared, cudaStream_t stream) {
  const HostCall host_call(launched_from(__builtin_return_address(0)));
  return launch(LaunchMessage::kCooperative, function, grid, block, arguments, shared, stream);
}
VGPU_API cudaError_t cudaLaunchCooperativeKernel_ptsz(const void* function, dim3 grid, dim3 block, void** arguments,
                                                      size_t shared, cudaStream_t stream) {
  const HostCall host_call(launched_from(__builtin_return_address(0)));
  return cudaLaunchCooperativeKernel(function, grid, block, arguments, shared, per_thread(stream));
}
VGPU_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  const HostCall host_call(launched_from(__builtin_return_address(0)));
  static const cudaLaunchConfig_t kNone{};
  const cudaLaunchConfig_t& c = config != nullptr ? *config : kNone;
  return launch({config != nullptr ? LaunchMessage::kExtended : LaunchMessage::kNoConfiguration, 0, c.numAttrs,
                 function, c.gridDim, c.blockDim, c.dynamicSmemBytes, c.stream, nullptr},
                c.attrs, arguments);
}
VGPU_API cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t* config, const void* function,
                                              void** arguments) {
  const HostCall host_call(launched_from(__builtin_return_address(0)));
  if (config == nullptr) return cudaLaunchKernelExC(config, function, arguments);
  cudaLaunchConfig_t own = *config;
  own.stream = per_thread(own.stream);
  return cudaLaunchKernelExC(&own, function, arguments);
}

VGPU_API cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* function,
                                                          const cudaLaunchConfig_t* config) {
  VGPU_HOST_CALL();
  if (config == nullptr) return cudaErrorInvalidValue;
  return remote<Call::vgpuFitClusters, &vgpuFitClusters>(size, function, config->blockDim, config->dynamicSmemBytes,
                                                         static_cast<const dim3*>(nullptr), 1);
}
VGPU_API cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                                    const cudaLaunchConfig_t* config) {
  VGPU_HOST_CALL();
  if (config == nullptr) return cudaErrorInvalidValue;
  dim3 cluster;
  bool has_cluster = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config->attrs[i];
    if (attribute.id != cudaLaunchAttributeClusterDimension) continue;
    has_cluster = true;
    cluster = dim3(attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z);
  }
  return remote<Call::vgpuFitClusters, &vgpuFitClusters>(clusters, function, config->blockDim, config->dynamicSmemBytes,
                                                         has_cluster ? static_cast<const dim3*>(&cluster) : nullptr, 0);
}

// --- what lies in memory of the runtime's own ---

VGPU_API const char* cudaGetErrorName(cudaError_t error) {
  const auto* row = find(error);
  return row != nullptr ? row->name : "unrecognized error code";
}
VGPU_API const char* cudaGetErrorString(cudaError_t error) {
  const auto* row = find(error);
  return row != nullptr ? row->description : "unrecognized error code";
}

VGPU_API cudaError_t cudaFuncGetName(const char** name, const void* function) {
  VGPU_HOST_CALL();
  static auto* const kMutex = new std::mutex();
  static auto* const kNames = new std::set<std::string>();
  Writer arguments;
  arguments.put(static_cast<std::uint8_t>(name != nullptr));
  arguments.put(function);
  cudaError_t error = cudaErrorDevicesUnavailable;
  program().call(Call::cudaFuncGetName, arguments, [&](Reader reply) {
    reply.get(error);
    std::string text;
    if (error != cudaSuccess || !reply.get_text(text)) return;
    const std::lock_guard<std::mutex> lock(*kMutex);
    *name = kNames->insert(text).first->c_str();
  });
  return error;
}

/// The list of dependencies is good until the thread's next call of this function.
VGPU_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                              unsigned long long* id, cudaGraph_t* graph, const cudaGraphNode_t** after,
                                              const cudaGraphEdgeData** data, size_t* count) {
  VGPU_HOST_CALL();
  thread_local std::vector<cudaGraphNode_t> nodes;
  Writer arguments;
  arguments.put(stream);
  arguments.put(static_cast<std::uint8_t>(status != nullptr));
  cudaError_t error = cudaErrorDevicesUnavailable;
  program().call(Call::cudaStreamGetCaptureInfo, arguments, [&](Reader reply) {
    reply.get(error);
    if (status == nullptr) return;
    reply.get(*status);
    const auto its_id = reply.get<unsigned long long>();
    const auto its_graph = reply.get<cudaGraph_t>();
    if (error != cudaSuccess || *status != cudaStreamCaptureStatusActive) return;
    nodes.resize(reply.get<std::uint32_t>());
    reply.get_bytes(nodes.data(), nodes.size() * sizeof nodes[0]);
    if (id != nullptr) *id = its_id;
    if (graph != nullptr) *graph = its_graph;
    if (after != nullptr) *after = nodes.data();
    if (data != nullptr) *data = nullptr;
    if (count != nullptr) *count = nodes.size();
  });
  return error;
}
VGPU_API cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                   unsigned long long* id, cudaGraph_t* graph,
                                                   const cudaGraphNode_t** after, const cudaGraphEdgeData** data,
                                                   size_t* count) {
  VGPU_HOST_CALL();
  return cudaStreamGetCaptureInfo(per_thread(stream), status, id, graph, after, data, count);
}

/// The arguments are good until the next call of this function for the node.
VGPU_API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* p) {
  VGPU_HOST_CALL();
  struct Arguments {
    std::vector<std::vector<std::byte>> values;
    std::vector<void*> pointers;
  };
  static auto* const kMutex = new std::mutex();
  static auto* const kOfNodes = new std::map<cudaGraphNode_t, Arguments>();
  Writer arguments;
  arguments.put(node);
  arguments.put(static_cast<std::uint8_t>(p != nullptr));
  cudaError_t error = cudaErrorDevicesUnavailable;
  program().call(Call::cudaGraphKernelNodeGetParams, arguments, [&](Reader reply) {
    reply.get(error);
    if (error != cudaSuccess || p == nullptr) return;
    reply.get(*p);
    const std::lock_guard<std::mutex> lock(*kMutex);
    Arguments& own = (*kOfNodes)[node];
    own = {};
    own.values.resize(reply.get<std::uint32_t>());
    for (std::vector<std::byte>& value : own.values) {
      value.resize(reply.get<std::uint32_t>());
      reply.get_bytes(value.data(), value.size());
      own.pointers.push_back(value.data());
    }
    p->kernelParams = own.pointers.data();
  });
  return error;
}

/// Also says where an allocation lies and which graphs a conditional node has: their list is good until the node is
/// gone.
VGPU_API cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                      const cudaGraphEdgeData* data, size_t count, cudaGraphNodeParams* p) {
  VGPU_HOST_CALL();
  const cudaError_t error = remote<Call::cudaGraphAddNode, &cudaGraphAddNode>(node, graph, after, data, count, p);
  if (error != cudaSuccess) return error;
  if (p->type == cudaGraphNodeTypeMemAlloc) {
    cudaMemAllocNodeParams made{};
    const cudaError_t unknown = cudaGraphMemAllocNodeGetParams(*node, &made);
    p->alloc.dptr = made.dptr;
    return unknown;
  }
  if (p->type != cudaGraphNodeTypeConditional) return cudaSuccess;
  static auto* const kMutex = new std::mutex();
  static auto* const kBodies = new std::map<cudaGraphNode_t, std::vector<cudaGraph_t>>();
  std::vector<cudaGraph_t> bodies(p->conditional.size);
  for (unsigned n = 0; n < p->conditional.size; ++n)
    if (const cudaError_t unknown = vgpuGraphBody(*node, n, &bodies[n]); unknown != cudaSuccess) return unknown;
  const std::lock_guard<std::mutex> lock(*kMutex);
  std::vector<cudaGraph_t>& own = (*kBodies)[*node];
  own = std::move(bodies);
  p->conditional.phGraph_out = own.data();
  return cudaSuccess;
}

VGPU_API cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned) {
  VGPU_HOST_CALL();
  if (path == nullptr) return cudaErrorInvalidValue;
  std::string text(vgpuGraphText(graph, nullptr, 0), '\0');
  if (text.empty()) return cudaErrorInvalidValue;
  vgpuGraphText(graph, text.data(), text.size());
  std::ofstream file(path);
  file << text;
  file.flush();
  return file.good() ? cudaSuccess : cudaErrorOperatingSystem;
}

/// Its kernels are not launched any more, and their parameters need not be known.
VGPU_API cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  VGPU_HOST_CALL();
  {
    const std::lock_guard<std::mutex> lock(known_parameters_mutex());
    known_parameters().clear();
  }
  return remote<Call::cudaLibraryUnload, &::cudaLibraryUnload>(library);
}
