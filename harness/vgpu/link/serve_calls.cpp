// What each call does here: most are made as they came, with their arguments unpacked; the others read and write the
// program's memory themselves.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "harness/vgpu/cudart/entry.h"
#include "harness/vgpu/cudart/extensions.h"
#include "harness/vgpu/cudart/kernel_launch.h"
#include "harness/vgpu/link/launch_message.h"
#include "harness/vgpu/link/marshal.h"
#include "harness/vgpu/link/server.h"
#include "harness/vgpu/ptx/fat_binary.h"

namespace vgpu::link {
namespace {

constexpr std::size_t kMostElements = 4096;               // of an array that is handed out
constexpr std::size_t kMostText = std::size_t{64} << 20;  // of a report or a graph
constexpr std::size_t kMostFatBinary = std::size_t{1} << 30;

/// What a call's arguments point to, for as long as it lasts.
struct Scratch {
  std::vector<std::vector<std::byte>> bytes;
  std::vector<std::vector<void*>> pointers;
};

/// The parameters of a kernel that was registered and can run; nothing, without a word, if it is none.
std::optional<std::vector<std::uint32_t>> parameter_bytes(const void* kernel) {
  cudart::Runtime& runtime = cudart::Runtime::get();
  cudaError_t error = cudaSuccess;
  cudart::DeviceState* const device = runtime.device(error);
  cudart::KernelHandle* const handle = kernel != nullptr ? runtime.kernel(kernel) : nullptr;
  const Kernel* const prepared =
      device != nullptr && handle != nullptr ? cudart::prepare_kernel(runtime, *device, *handle, error) : nullptr;
  if (prepared == nullptr) return std::nullopt;
  std::vector<std::uint32_t> bytes;
  for (const ptx::Parameter& parameter : prepared->function().parameters)
    bytes.push_back(static_cast<std::uint32_t>(parameter.bytes));
  return bytes;
}

/// Brings a kernel's arguments here from where the program's pointers to them lie.
void** fetch_arguments(RemoteProcess& process, const void* kernel, void** theirs, Scratch& scratch) {
  const auto bytes = theirs != nullptr ? parameter_bytes(kernel) : std::nullopt;
  if (!bytes) return theirs == nullptr ? nullptr : scratch.pointers.emplace_back(1).data();
  std::vector<void*>& pointers = scratch.pointers.emplace_back(bytes->size());
  process.read(pointers.data(), theirs, pointers.size() * sizeof pointers[0]);
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    std::vector<std::byte>& value = scratch.bytes.emplace_back((*bytes)[i]);
    process.read(value.data(), pointers[i], value.size());
    pointers[i] = value.data();
  }
  return pointers.data();
}

// What an argument points to in turn.
template <class T>
void complete(RemoteProcess&, T&, Scratch&) {}
void complete(RemoteProcess& process, cudaKernelNodeParams& p, Scratch& scratch) {
  p.kernelParams = fetch_arguments(process, p.func, p.kernelParams, scratch);
}
void complete(RemoteProcess& process, cudaGraphNodeParams& p, Scratch& scratch) {
  if (p.type == cudaGraphNodeTypeKernel)
    p.kernel.kernelParams = fetch_arguments(process, p.kernel.func, p.kernel.kernelParams, scratch);
}

/// One argument, unpacked.
template <class P, Manner manner>
struct Slot {
  P value{};
  P get() { return value; }
};
template <class P>
struct Slot<P, Manner::kText> {
  std::string text;
  bool is_there = false;
  P get() { return is_there ? text.c_str() : nullptr; }
};
template <class P>
struct Slot<P, Manner::kIgnored> {
  P get() { return nullptr; }
};
template <class P>
struct Object {
  std::remove_const_t<std::remove_pointer_t<P>> value{};
  bool is_there = false;
  P get() { return is_there ? &value : nullptr; }
};
template <class P>
struct Slot<P, Manner::kIn> : Object<P> {};
template <class P>
struct Slot<P, Manner::kInOut> : Object<P> {};
template <class P>
struct Several {
  std::vector<std::remove_const_t<std::remove_pointer_t<P>>> values;
  bool is_there = false;
  P get() { return is_there ? values.data() : nullptr; }
};
template <class P>
struct Slot<P, Manner::kArrayIn> : Several<P> {};
template <class P>
struct Slot<P, Manner::kArrayOut> : Several<P> {};

template <auto Function>
class Served {
  using Of = Signature<Function>;
  using R = typename Of::Result;
  template <class Indices>
  struct SlotsOf;
  template <std::size_t... i>
  struct SlotsOf<std::index_sequence<i...>> {
    using Type = std::tuple<Slot<std::tuple_element_t<i, typename Of::Values>, Of::template kManner<i>>...>;
  };
  using Slots = typename SlotsOf<typename Of::Indices>::Type;

 public:
  static bool serve(Connection& connection, Reader& from, Writer& to) {
    return serve(connection, from, to, typename Of::Indices());
  }

 private:
  template <std::size_t... i>
  static bool serve([[maybe_unused]] Connection& connection, Reader& from, Writer& to, std::index_sequence<i...>) {
    Slots slots;
    [[maybe_unused]] Scratch scratch;
    (get_one<i>(from, slots), ...);
    if (!from.is_whole() || !(are_counted<i>(from, slots) && ...)) return false;
    (complete_one<i>(connection.process(), slots, scratch), ...);
    if constexpr (std::is_void_v<R>)
      Function(std::get<i>(slots).get()...);
    else
      to.put(Function(std::get<i>(slots).get()...));
    (put_one<i>(to, slots), ...);
    return true;
  }

  template <std::size_t i>
  static void get_one(Reader& from, Slots& slots) {
    constexpr Manner kHow = Of::template kManner<i>;
    auto& slot = std::get<i>(slots);
    if constexpr (kHow == Manner::kValue)
      from.get(slot.value);
    else if constexpr (kHow == Manner::kText)
      slot.is_there = from.get_text(slot.text);
    else if constexpr (kHow != Manner::kIgnored) {
      slot.is_there = from.get<std::uint8_t>() != 0;
      if (!slot.is_there) return;
      if constexpr (kHow == Manner::kIn || kHow == Manner::kInOut) from.get(slot.value);
      if constexpr (kHow == Manner::kArrayIn) {
        const std::size_t count = from.get<std::uint32_t>();
        slot.values.resize(std::min(count, from.left() / sizeof slot.values[0]));
        from.get_bytes(slot.values.data(), slot.values.size() * sizeof slot.values[0]);
      }
    }
  }

  template <std::size_t i>
  static bool are_counted(const Reader&, Slots& slots) {
    constexpr Manner kHow = Of::template kManner<i>;
    auto& slot = std::get<i>(slots);
    if constexpr (kHow == Manner::kArrayIn) {
      const size_t count = std::get<Of::All::count_behind(i)>(slots).value;
      return slot.is_there ? slot.values.size() == count : count == 0;
    }
    if constexpr (kHow == Manner::kArrayOut) {
      auto& count = std::get<Of::All::count_out()>(slots);
      if (!count.is_there || !slot.is_there) return true;
      count.value = std::min(count.value, kMostElements);
      slot.values.resize(count.value);
    }
    return true;
  }

  template <std::size_t i>
  static void complete_one(RemoteProcess& process, Slots& slots, Scratch& scratch) {
    if constexpr (Of::template kManner<i> == Manner::kIn)
      if (std::get<i>(slots).is_there) complete(process, std::get<i>(slots).value, scratch);
  }

  template <std::size_t i>
  static void put_one(Writer& to, Slots& slots) {
    constexpr Manner kHow = Of::template kManner<i>;
    auto& slot = std::get<i>(slots);
    if constexpr (kHow == Manner::kInOut || kHow == Manner::kArrayOut) {
      if (!slot.is_there) return;
      if constexpr (kHow == Manner::kInOut) {
        to.put(slot.value);
      } else {
        const auto& count = std::get<Of::All::count_out()>(slots);
        const std::size_t filled = std::min(count.is_there ? count.value : 0, slot.values.size());
        to.put(static_cast<std::uint32_t>(filled));
        to.put_bytes(slot.values.data(), filled * sizeof slot.values[0]);
      }
    }
  }
};

// --- start-up code ---

/// The fat binary at `address` of the program; empty if it is none.
std::vector<std::byte> fetch_fat_binary(RemoteProcess& process, const void* address) {
  std::array<std::byte, ptx::kFatBinaryHeaderBytes> header{};
  if (address != nullptr) process.read(header.data(), address, header.size());
  const std::size_t bytes = address != nullptr ? ptx::fat_binary_bytes(header.data()) : 0;
  if (bytes < header.size() || bytes > kMostFatBinary) return {};
  std::vector<std::byte> fetched(bytes);
  process.read(fetched.data(), address, bytes);
  if (ptx::fat_binary_bytes(fetched.data()) != bytes) return {};  // the program answers both reads
  return fetched;
}

bool register_fat_binary(Connection& connection, Reader& from, Writer& to) {
  cudart::Runtime& runtime = cudart::Runtime::get();
  Connection::Registered made;
  std::size_t total = 0;
  const auto fetch = [&](const void* address) -> const void* {
    std::vector<std::byte> fetched = fetch_fat_binary(connection.process(), address);
    total += fetched.size();
    return fetched.empty() || total > kMostFatBinary ? nullptr
                                                     : made.fat_binaries.emplace_back(std::move(fetched)).data();
  };
  const auto* const linked = from.get<const void*>();
  const std::size_t count = from.get<std::uint32_t>();
  if (count > cudart::FatBinaryWrapper::kMostUnits || count > from.left() / sizeof(void*)) return false;
  std::vector<const void*> units(count);
  from.get_bytes(units.data(), units.size() * sizeof units[0]);
  cudart::LoadedObject object;
  from.get(object.begin);
  from.get(object.end);
  from.get_text(object.path);
  if (!from.is_whole()) return false;
  cudart::RegisteredCode code{fetch(linked), {}};
  if (code.linked != nullptr)
    for (const void* const unit : units) code.units.push_back(fetch(unit));
  if (code.linked == nullptr)
    connection.process().print_error("lanewise vgpu: a program registered something that is not a fat binary\n");
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  made.program = runtime.add_program(std::move(code));
  runtime.loaded_objects.add(std::move(object));
  const std::uint64_t number = ++connection.programs_registered;
  connection.programs[number] = std::move(made);
  to.put(number);
  return from.is_whole();
}

bool unregister_fat_binary(Connection& connection, Reader& from, Writer&) {
  const auto found = connection.programs.find(from.get<std::uint64_t>());
  if (found == connection.programs.end()) return from.is_whole();
  cudart::Runtime& runtime = cudart::Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  runtime.remove_program(found->second.program);
  connection.programs.erase(found);
  return from.is_whole();
}

/// A function or a variable, with what is known of all of them.
template <class Add>
bool register_in_program(Connection& connection, Reader& from, Add add) {
  const auto found = connection.programs.find(from.get<std::uint64_t>());
  const auto key = from.get<const void*>();
  std::string name;
  const bool is_named = from.get_text(name);
  if (!from.is_whole() || !is_named) return false;
  if (found == connection.programs.end()) return true;  // in no program: nobody will find it
  cudart::Runtime& runtime = cudart::Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  add(runtime, found->second.program, key, name.c_str());
  return from.is_whole();
}

bool register_function(Connection& connection, Reader& from, Writer&) {
  return register_in_program(connection, from, [](auto& runtime, auto* program, const void* key, const char* name) {
    runtime.add_kernel(program, key, name);
  });
}
bool register_variable(Connection& connection, Reader& from, Writer&) {
  return register_in_program(connection, from, [&](auto& runtime, auto* program, const void* key, const char* name) {
    runtime.add_variable(program, key, name, from.get<std::size_t>(), nullptr);
  });
}
bool register_managed_variable(Connection& connection, Reader& from, Writer&) {
  return register_in_program(connection, from, [&](auto& runtime, auto* program, const void* key, const char* name) {
    void** const pointer = static_cast<void**>(const_cast<void*>(key));
    runtime.add_variable(program, key, name, from.get<std::size_t>(), pointer);
  });
}
bool prepare_managed(Connection&, Reader&, Writer&) {
  cudart::Runtime& runtime = cudart::Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  runtime.prepare_managed();
  return true;
}

// --- launches, and what kernels are ---

bool launch(Connection& connection, Reader& from, Writer& to) {
  auto message = from.get<LaunchMessage>();
  if (message.attribute_count > kMostElements) return false;
  std::vector<cudaLaunchAttribute> attributes(message.attribute_count);
  from.get_bytes(attributes.data(), attributes.size() * sizeof attributes[0]);
  if (!from.is_whole()) return false;

  Scratch scratch;
  void** arguments = nullptr;
  std::optional<std::vector<std::uint32_t>> learned;
  if (message.has_arguments != 0) {
    // What the devices said at the first launch need not hold after a module was unloaded.
    const auto bytes = parameter_bytes(message.kernel);
    std::vector<void*>& pointers = scratch.pointers.emplace_back();
    for (std::size_t i = 0; bytes && i < bytes->size(); ++i) {
      std::vector<std::byte>& value = scratch.bytes.emplace_back((*bytes)[i]);
      from.get_bytes(value.data(), value.size());
      pointers.push_back(value.data());
    }
    if (!from.is_whole()) return false;
    pointers.push_back(nullptr);  // a kernel without parameters has arguments, too
    arguments = pointers.data();
  } else {
    learned = message.arguments != nullptr ? parameter_bytes(message.kernel) : std::nullopt;
    arguments = fetch_arguments(connection.process(), message.kernel, message.arguments, scratch);
  }

  cudaError_t error = cudaErrorUnknown;
  switch (message.manner) {
    case LaunchMessage::kPlain:
      error = cudaLaunchKernel(message.kernel, message.grid, message.block, arguments, message.shared, message.stream);
      break;
    case LaunchMessage::kCooperative:
      error = cudaLaunchCooperativeKernel(message.kernel, message.grid, message.block, arguments, message.shared,
                                          message.stream);
      break;
    case LaunchMessage::kExtended: {
      cudaLaunchConfig_t config{};
      config.gridDim = message.grid;
      config.blockDim = message.block;
      config.dynamicSmemBytes = message.shared;
      config.stream = message.stream;
      config.attrs = attributes.data();
      config.numAttrs = message.attribute_count;
      error = cudaLaunchKernelExC(&config, message.kernel, arguments);
      break;
    }
    case LaunchMessage::kNoConfiguration:
      error = cudaLaunchKernelExC(nullptr, message.kernel, arguments);
      break;
    default:
      return false;
  }
  to.put(error);
  to.put(static_cast<std::uint8_t>(learned.has_value()));
  if (!learned) return true;
  to.put(static_cast<std::uint32_t>(learned->size()));
  to.put_bytes(learned->data(), learned->size() * sizeof(std::uint32_t));
  return true;
}

bool function_name(Connection&, Reader& from, Writer& to) {
  const char* name = nullptr;
  const bool is_wanted = from.get<std::uint8_t>() != 0;
  to.put(cudaFuncGetName(is_wanted ? &name : nullptr, from.get<const void*>()));
  to.put_text(name);
  return from.is_whole();
}

// --- graphs ---

bool capture_info(Connection&, Reader& from, Writer& to) {
  const auto stream = from.get<cudaStream_t>();
  const bool is_wanted = from.get<std::uint8_t>() != 0;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* after = nullptr;
  const cudaGraphEdgeData* data = nullptr;
  size_t count = 0;
  to.put(cudaStreamGetCaptureInfo(stream, is_wanted ? &status : nullptr, &id, &graph, &after, &data, &count));
  to.put(status);
  to.put(id);
  to.put(graph);
  count = std::min(count, kMostElements);
  to.put(static_cast<std::uint32_t>(count));
  to.put_bytes(after, count * sizeof *after);
  return from.is_whole();
}

cudaError_t update_dependencies(RemoteProcess& process, cudaStream_t stream, const cudaGraphNode_t* theirs,
                                size_t count, unsigned flags) {
  if (count > kMostElements || (theirs == nullptr && count != 0)) return cudaErrorInvalidValue;
  std::vector<cudaGraphNode_t> after(count);
  process.read(after.data(), theirs, count * sizeof after[0]);
  return cudaStreamUpdateCaptureDependencies(stream, after.data(), nullptr, count, flags);
}
bool update_capture_dependencies(Connection& connection, Reader& from, Writer& to, bool per_thread) {
  auto stream = from.get<cudaStream_t>();
  const auto after = from.get<cudaGraphNode_t*>();
  from.get<const cudaGraphEdgeData*>();
  const auto count = from.get<size_t>();
  const auto flags = from.get<unsigned>();
  if (per_thread) stream = cudart::per_thread(stream);
  if (!from.is_whole()) return false;
  to.put(update_dependencies(connection.process(), stream, after, count, flags));
  return true;
}

bool kernel_node_parameters(Connection&, Reader& from, Writer& to) {
  const auto node = from.get<cudaGraphNode_t>();
  const bool is_wanted = from.get<std::uint8_t>() != 0;
  cudaKernelNodeParams p{};
  const cudaError_t error = cudaGraphKernelNodeGetParams(node, is_wanted ? &p : nullptr);
  to.put(error);
  if (error != cudaSuccess) return from.is_whole();
  const auto bytes = parameter_bytes(p.func);
  void** const arguments = std::exchange(p.kernelParams, nullptr);
  to.put(p);
  to.put(static_cast<std::uint32_t>(bytes ? bytes->size() : 0));
  for (std::size_t i = 0; bytes && i < bytes->size(); ++i) {
    to.put((*bytes)[i]);
    to.put_bytes(arguments[i], (*bytes)[i]);
  }
  return from.is_whole();
}

// --- what is written into the program's memory at an address that it gives ---

/// A function that fills a buffer and says how much it would take.
template <class Fill>
std::size_t fill_theirs(RemoteProcess& process, void* buffer, std::size_t capacity, Fill fill) {
  std::vector<char> text(std::min(capacity, kMostText));
  const std::size_t bytes = fill(buffer != nullptr ? text.data() : nullptr, text.size());
  if (buffer != nullptr && bytes <= text.size()) process.write(buffer, text.data(), bytes);
  return bytes;
}
template <auto Fill>
bool fill_buffer(Connection& connection, Reader& from, Writer& to) {
  auto* const buffer = from.get<char*>();
  const auto capacity = from.get<size_t>();
  if (from.is_whole()) to.put(fill_theirs(connection.process(), buffer, capacity, Fill));
  return from.is_whole();
}
bool graph_text(Connection& connection, Reader& from, Writer& to) {
  const auto graph = from.get<cudaGraph_t>();
  auto* const buffer = from.get<char*>();
  const auto capacity = from.get<size_t>();
  if (!from.is_whole()) return false;
  to.put(fill_theirs(connection.process(), buffer, capacity,
                     [&](char* text, std::size_t bytes) { return vgpuGraphText(graph, text, bytes); }));
  return true;
}
bool describe_pointer(Connection& connection, Reader& from, Writer& to) {
  const auto pointer = from.get<const void*>();
  auto* const buffer = from.get<char*>();
  const auto capacity = from.get<size_t>();
  char text[256] = {};
  const int is_device_memory = vgpuDescribePointer(pointer, text, std::min(sizeof text, capacity));
  if (is_device_memory != 0 && from.is_whole()) connection.process().write(buffer, text, std::strlen(text) + 1);
  to.put(is_device_memory);
  return from.is_whole();
}
bool read_memory(Connection& connection, Reader& from, Writer& to) {
  auto* const theirs = from.get<void*>();
  const auto* const at = from.get<const void*>();
  const auto bytes = from.get<size_t>();
  if (!from.is_whole() || bytes > kMostText) return false;
  std::vector<std::byte> read(bytes);
  const int refused = vgpuReadMemory(read.data(), at, bytes);
  if (refused == 0) connection.process().write(theirs, read.data(), bytes);
  to.put(refused);
  return true;
}
bool bus_id(Connection& connection, Reader& from, Writer& to) {
  auto* const theirs = from.get<char*>();
  const auto length = from.get<int>();
  char id[32] = {};
  const cudaError_t error = cudaDeviceGetPCIBusId(theirs != nullptr ? id : nullptr,
                                                  std::min(length, static_cast<int>(sizeof id)), from.get<int>());
  if (error == cudaSuccess) connection.process().write(theirs, id, std::strlen(id) + 1);
  to.put(error);
  return from.is_whole();
}
bool valid_devices(Connection& connection, Reader& from, Writer& to) {
  const auto* const theirs = from.get<int*>();
  const auto count = from.get<int>();
  if (!from.is_whole() || count > static_cast<int>(kMostElements)) return false;
  std::vector<int> devices(static_cast<std::size_t>(std::max(count, 0)));
  if (theirs != nullptr) connection.process().read(devices.data(), theirs, devices.size() * sizeof devices[0]);
  to.put(cudaSetValidDevices(theirs != nullptr ? devices.data() : nullptr, count));
  return true;
}

/// How long an attribute of a memory pool is.
std::size_t attribute_bytes(cudaMemPoolAttr attribute) {
  return attribute <= cudaMemPoolReuseAllowInternalDependencies ? sizeof(int) : sizeof(std::uint64_t);
}
bool set_pool_attribute(Connection& connection, Reader& from, Writer& to) {
  const auto pool = from.get<cudaMemPool_t>();
  const auto attribute = from.get<cudaMemPoolAttr>();
  const auto* const theirs = from.get<void*>();
  std::uint64_t value = 0;
  if (theirs != nullptr && from.is_whole()) connection.process().read(&value, theirs, attribute_bytes(attribute));
  to.put(cudaMemPoolSetAttribute(pool, attribute, theirs != nullptr ? &value : nullptr));
  return from.is_whole();
}
bool get_pool_attribute(Connection& connection, Reader& from, Writer& to) {
  const auto pool = from.get<cudaMemPool_t>();
  const auto attribute = from.get<cudaMemPoolAttr>();
  auto* const theirs = from.get<void*>();
  std::uint64_t value = 0;
  const cudaError_t error = cudaMemPoolGetAttribute(pool, attribute, theirs != nullptr ? &value : nullptr);
  if (error == cudaSuccess) connection.process().write(theirs, &value, attribute_bytes(attribute));
  to.put(error);
  return from.is_whole();
}

bool none(Connection&, Reader&, Writer&) { return false; }

/// Where a call is made as it came, and where not.
constexpr std::array<Serve, static_cast<std::size_t>(Call::kCount)> table() {
  std::array<Serve, static_cast<std::size_t>(Call::kCount)> made{};
  const auto set = [&](Call call, Serve serve) { made[static_cast<std::size_t>(call)] = serve; };
#define CALL(name) set(Call::name, &Served<&::name>::serve);
#include "harness/vgpu/link/calls.inc"
#undef CALL
  set(Call::__cudaRegisterFatBinary, &register_fat_binary);
  set(Call::__cudaUnregisterFatBinary, &unregister_fat_binary);
  set(Call::__cudaRegisterFunction, &register_function);
  set(Call::__cudaRegisterVar, &register_variable);
  set(Call::__cudaRegisterManagedVar, &register_managed_variable);
  set(Call::__cudaRegisterFatBinaryEnd, &prepare_managed);
  set(Call::__cudaInitModule, &prepare_managed);
  set(Call::cudaLaunchKernel, &launch);
  set(Call::cudaFuncGetName, &function_name);
  set(Call::cudaStreamGetCaptureInfo, &capture_info);
  set(Call::cudaStreamUpdateCaptureDependencies, [](Connection& connection, Reader& from, Writer& to) {
    return update_capture_dependencies(connection, from, to, false);
  });
  set(Call::cudaStreamUpdateCaptureDependencies_ptsz, [](Connection& connection, Reader& from, Writer& to) {
    return update_capture_dependencies(connection, from, to, true);
  });
  set(Call::cudaGraphKernelNodeGetParams, &kernel_node_parameters);
  set(Call::cudaDeviceGetPCIBusId, &bus_id);
  set(Call::cudaSetValidDevices, &valid_devices);
  set(Call::cudaMemPoolSetAttribute, &set_pool_attribute);
  set(Call::cudaMemPoolGetAttribute, &get_pool_attribute);
  set(Call::vgpuTakeReport, &fill_buffer<&vgpuTakeReport>);
  set(Call::vgpuCopyCounts, &fill_buffer<&vgpuCopyCounts>);
  set(Call::vgpuGraphText, &graph_text);
  set(Call::vgpuDescribePointer, &describe_pointer);
  set(Call::vgpuReadMemory, &read_memory);
  // Made by the program itself, or packed as another one.
  for (const Call call :
       {Call::__cudaPushCallConfiguration, Call::__cudaPopCallConfiguration, Call::cudaGetErrorName,
        Call::cudaGetErrorString, Call::cudaGraphDebugDotPrint, Call::__cudaLaunchKernel, Call::__cudaLaunchKernel_ptsz,
        Call::cudaLaunchKernel_ptsz, Call::cudaLaunchCooperativeKernel, Call::cudaLaunchCooperativeKernel_ptsz,
        Call::cudaLaunchKernelExC, Call::cudaLaunchKernelExC_ptsz, Call::cudaOccupancyMaxPotentialClusterSize,
        Call::cudaOccupancyMaxActiveClusters, Call::cudaStreamGetCaptureInfo_ptsz})
    set(call, &none);
  return made;
}

}  // namespace

Serve serve_function(Call call) {
  static constexpr auto kTable = table();
  return kTable[static_cast<std::size_t>(call)];
}

}  // namespace vgpu::link
