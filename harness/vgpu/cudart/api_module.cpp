// Device code that a program loads while it runs, and what the driver API needs beyond the runtime's calls.
#include <algorithm>
#include <cstring>

#include "harness/vgpu/cudart/device_clock.h"
#include "harness/vgpu/cudart/entry.h"
#include "harness/vgpu/cudart/extensions.h"
#include "harness/vgpu/cudart/graph_launch.h"
#include "harness/vgpu/cudart/host_process.h"
#include "harness/vgpu/ptx/fat_binary.h"

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

constexpr std::size_t kSmallestPage = 4096;
constexpr std::size_t kMostImage = std::size_t{1} << 28;

bool begins_with(const std::vector<std::byte>& bytes, const void* beginning, std::size_t length) {
  return bytes.size() >= length && std::memcmp(bytes.data(), beginning, length) == 0;
}

/// Reads from `at` to the end of its page: whatever begins there, that much can be read.
std::size_t read_page(std::uint64_t at, std::vector<std::byte>& to) {
  const std::size_t bytes = kSmallestPage - at % kSmallestPage, before = to.size();
  to.resize(before + bytes);
  host_process().read(to.data() + before, reinterpret_cast<const void*>(at), bytes);
  return bytes;
}

/// What the program has at `code`: PTX text with the zero at its end, or a fat binary, which may have a wrapper.
cudaError_t fetch_image(Runtime& runtime, const void* code, std::vector<std::byte>& image) {
  const std::uint64_t begin = address_of(code);
  std::uint64_t at = begin;
  while (image.size() < ptx::kFatBinaryHeaderBytes &&
         std::find(image.begin(), image.end(), std::byte{0}) == image.end())
    at += read_page(at, image);
  // The zeros of a header that crosses a page do not end a text.
  if (image.size() < ptx::kFatBinaryHeaderBytes &&
      begins_with(image, &ptx::kFatBinaryMagic, sizeof ptx::kFatBinaryMagic))
    read_page(at, image);
  if (begins_with(image, &FatBinaryWrapper::kMagic, sizeof FatBinaryWrapper::kMagic)) {
    FatBinaryWrapper wrapper{};
    host_process().read(&wrapper, code, sizeof wrapper);
    image.assign(ptx::kFatBinaryHeaderBytes, std::byte{0});
    if (wrapper.data != nullptr) host_process().read(image.data(), wrapper.data, image.size());
    at = address_of(wrapper.data);
  } else {
    at = begin;
  }
  const std::size_t bytes = image.size() >= ptx::kFatBinaryHeaderBytes ? ptx::fat_binary_bytes(image.data()) : 0;
  if (bytes > kMostImage) return cudaErrorInvalidKernelImage;
  if (bytes != 0) {
    image.resize(bytes);
    host_process().read(image.data(), reinterpret_cast<const void*>(at), bytes);
    // The program answers every read, and may answer differently.
    return ptx::fat_binary_bytes(image.data()) == bytes ? cudaSuccess : cudaErrorInvalidKernelImage;
  }
  if (at != begin) return cudaErrorInvalidKernelImage;
  if (begins_with(image,
                  "\x7f"
                  "ELF",
                  4)) {
    runtime.note("device code refused",
                 "the program loads machine code without PTX, which the virtual GPU cannot execute",
                 "Load PTX (nvcc -ptx, nvrtcGetPTX), or a fat binary that contains it.");
    return cudaErrorNoKernelImageForDevice;
  }
  at = begin + image.size();
  for (std::size_t looked_at = 0;;) {
    const auto end = std::find(image.begin() + static_cast<std::ptrdiff_t>(looked_at), image.end(), std::byte{0});
    if (end != image.end()) {
      image.erase(end + 1, image.end());
      break;
    }
    if (image.size() > kMostImage || host_process().is_gone()) return cudaErrorInvalidKernelImage;
    looked_at = image.size();
    at += read_page(at, image);
  }
  const char* const text = reinterpret_cast<const char*>(image.data());
  return std::strstr(text, ".version") != nullptr ? cudaSuccess : cudaErrorInvalidKernelImage;
}

/// Body with a library and its module on the current device.
template <class Body>
cudaError_t library_call(cudaLibrary_t handle, const char* name, Body body) {
  return device_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    Program* const library = runtime.library(handle);
    if (library == nullptr) return cudaErrorInvalidResourceHandle;
    if (name == nullptr) return cudaErrorInvalidValue;
    cudaError_t error = cudaSuccess;
    const LoadedModule* const module = runtime.module(*library, device, error);
    return module != nullptr ? body(runtime, *library, *module) : error;
  });
}

}  // namespace

Program* Runtime::add_library(std::vector<std::byte> image) {
  Program* const library = add_program({});
  library->image = std::move(image);
  const std::vector<std::byte>& own = library->image;
  if (own.size() >= ptx::kFatBinaryHeaderBytes && ptx::fat_binary_bytes(own.data()) != 0)
    library->code.linked = library->image.data();
  else
    library->code.text = reinterpret_cast<const char*>(library->image.data());
  return library;
}

void Runtime::unload_library(Program& library) {
  devices.finish_all();  // what its kernels print is to be seen
  for (auto it = kernels_.begin(); it != kernels_.end();) {
    const auto here = it++;
    if (here->second->program != &library) continue;
    library.unloaded_kernels.push_back(std::move(here->second));
    kernels_.erase(here);
  }
  library.is_unloaded = true;
  library.images.clear();
  library.code = {};
  library.image = {};
}

Program* Runtime::library(cudaLibrary_t handle) {
  const auto found = std::find_if(programs_.begin(), programs_.end(), [&](const auto& program) {
    return reinterpret_cast<cudaLibrary_t>(program.get()) == handle && !program->image.empty();
  });
  return found != programs_.end() ? found->get() : nullptr;
}

KernelHandle& Runtime::library_kernel(Program& library, const std::string& name) {
  for (const auto& [key, handle] : kernels_)
    if (handle->program == &library && handle->name == name) return *handle;
  auto made = std::make_unique<KernelHandle>();
  KernelHandle& handle = *made;
  handle.program = &library;
  handle.name = name;
  kernels_[&handle] = std::move(made);
  return handle;
}

/// Options have no effect: there is nothing to be compiled.
VGPU_API cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**, unsigned,
                                         cudaLibraryOption*, void**, unsigned) {
  return device_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    if (library == nullptr || code == nullptr) return cudaErrorInvalidValue;
    std::vector<std::byte> image;
    cudaError_t error = fetch_image(runtime, code, image);
    if (error != cudaSuccess) return error;
    Program* const made = runtime.add_library(std::move(image));
    const LoadedModule* const module = runtime.module(*made, device, error);
    const std::uint32_t architecture = device.profile.compute_major * 10 + device.profile.compute_minor;
    if (module != nullptr && module->module().target > architecture) {
      runtime.note("device code refused",
                   "the program loads PTX for compute capability " + std::to_string(module->module().target / 10) +
                       "." + std::to_string(module->module().target % 10) + ", which this device does not have",
                   "Compile it for compute_" + std::to_string(architecture) + " or older.");
      error = cudaErrorInvalidPtx;
    }
    if (error != cudaSuccess) {
      runtime.unload_library(*made);
      return error;
    }
    const auto handle = reinterpret_cast<cudaLibrary_t>(made);
    host_process().write(library, &handle, sizeof handle);
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return device_call([&](Runtime& runtime, DeviceState&) -> cudaError_t {
    Program* const known = runtime.library(library);
    if (known == nullptr) return cudaErrorInvalidResourceHandle;
    runtime.unload_library(*known);
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return library_call(library, name, [&](Runtime& runtime, Program& program, const LoadedModule& module) {
    if (kernel == nullptr) return cudaErrorInvalidValue;
    const ptx::Function* const found = ptx::find_function(module.module(), name);
    if (found == nullptr || !found->is_kernel) return cudaErrorSymbolNotFound;
    *kernel = reinterpret_cast<cudaKernel_t>(&runtime.library_kernel(program, name));
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
  return library_call(library, "", [&](Runtime&, const Program&, const LoadedModule& module) {
    if (count == nullptr) return cudaErrorInvalidValue;
    const auto& functions = module.module().functions;
    *count = static_cast<unsigned>(
        std::count_if(functions.begin(), functions.end(), [](const ptx::Function& f) { return f.is_kernel; }));
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count, cudaLibrary_t library) {
  return library_call(library, "", [&](Runtime& runtime, Program& program, const LoadedModule& module) {
    if (kernels == nullptr) return cudaErrorInvalidValue;
    unsigned n = 0;
    for (const ptx::Function& function : module.module().functions) {
      if (!function.is_kernel || n == count) continue;
      const auto kernel = reinterpret_cast<cudaKernel_t>(&runtime.library_kernel(program, function.name));
      host_process().write(kernels + n++, &kernel, sizeof kernel);
    }
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaLibraryGetGlobal(void** pointer, size_t* bytes, cudaLibrary_t library, const char* name) {
  return library_call(library, name, [&](Runtime&, const Program&, const LoadedModule& module) {
    const LoadedModule::VariablePlace* const place = module.variable(name);
    if (place == nullptr) return cudaErrorSymbolNotFound;
    if (pointer != nullptr) *pointer = reinterpret_cast<void*>(place->address);
    if (bytes != nullptr) *bytes = place->bytes;
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaLibraryGetManaged(void** pointer, size_t* bytes, cudaLibrary_t library, const char* name) {
  return library_call(library, name, [&](Runtime&, const Program&, const LoadedModule& module) {
    const auto& variables = module.module().variables;
    const bool is_managed = std::any_of(variables.begin(), variables.end(), [&](const ptx::Variable& variable) {
      return variable.is_managed && variable.name == name;
    });
    const LoadedModule::VariablePlace* const place = is_managed ? module.variable(name) : nullptr;
    if (place == nullptr) return cudaErrorSymbolNotFound;
    if (pointer != nullptr) *pointer = reinterpret_cast<void*>(place->address);
    if (bytes != nullptr) *bytes = place->bytes;
    return cudaSuccess;
  });
}

VGPU_API int vgpuContextInUse(int leave) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  const bool was_used = this_thread().uses_device;
  if (leave != 0) this_thread().uses_device = false;
  return was_used ? 1 : 0;
}

VGPU_API cudaError_t vgpuAddressRange(const void* pointer, void** begin, size_t* bytes) {
  return call([&](Runtime& runtime) -> cudaError_t {
    const AddressSpace* const memory = runtime.devices.memory_holding(address_of(pointer));
    const Allocation* const allocation = memory != nullptr ? memory->find(address_of(pointer)) : nullptr;
    if (allocation == nullptr) return cudaErrorInvalidValue;
    if (begin != nullptr) *begin = reinterpret_cast<void*>(allocation->address);
    if (bytes != nullptr) *bytes = allocation->bytes;
    return cudaSuccess;
  });
}

VGPU_API cudaError_t vgpuFill(void* pointer, size_t pitch, unsigned value, unsigned element_bytes, size_t width,
                              size_t height, cudaStream_t stream) {
  return stream_call(stream, [&](Runtime& runtime, DeviceState& device, StreamState& state) -> cudaError_t {
    if (element_bytes != 1 && element_bytes != 2 && element_bytes != 4) return cudaErrorInvalidValue;
    const bool is_aligned = address_of(pointer) % element_bytes == 0 && (height <= 1 || pitch % element_bytes == 0);
    if (!is_aligned || (height > 1 && width > pitch / element_bytes)) return cudaErrorInvalidValue;
    if (width == 0 || height == 0) return cudaSuccess;
    const cudaMemsetParams work{pointer, pitch, value, element_bytes, width, height};
    if (!is_fillable(runtime, device, work, "a memset", state.capture != nullptr)) return cudaErrorInvalidValue;
    if (state.capture) return capture_work(state, FillWork{work});
    const std::uint64_t bytes = std::uint64_t{width} * height * element_bytes;
    device.timeline.takes(Busy::kLaunching, once(device.profile.rates.launch_host_nanoseconds), {"memset", bytes});
    return enqueue_fill(runtime, device, state, work);
  });
}
