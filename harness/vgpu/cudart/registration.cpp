// How nvcc's and clang's start-up code makes a program's kernels and variables known. These functions are not
// documented; which ones there are and what they are given is visible in the toolkit's crt/host_runtime.h.
#include <cstdint>

#include "harness/vgpu/cudart/entry.h"
#include "harness/vgpu/cudart/registered_code.h"

using vgpu::cudart::FatBinaryWrapper;
using vgpu::cudart::Program;
using vgpu::cudart::Runtime;
using vgpu::cudart::this_thread;

VGPU_API void** __cudaRegisterFatBinary(void* wrapper) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  const auto* const binary = static_cast<const FatBinaryWrapper*>(wrapper);
  const bool is_one = binary->magic == FatBinaryWrapper::kMagic;
  if (!is_one) vgpu::cudart::say("a program registered something that is not a fat binary");
  return reinterpret_cast<void**>(runtime.add_program(is_one ? binary->code() : vgpu::cudart::RegisteredCode{}));
}

VGPU_API void __cudaRegisterFatBinaryEnd(void**) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  runtime.prepare_managed();
}

VGPU_API void __cudaUnregisterFatBinary(void** handle) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  runtime.remove_program(reinterpret_cast<Program*>(handle));
}

VGPU_API void __cudaRegisterFunction(void** handle, const char* host_function, char*, const char* device_name, int,
                                     uint3*, uint3*, dim3*, dim3*, int*) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  runtime.add_kernel(reinterpret_cast<Program*>(handle), host_function, device_name);
}

VGPU_API void __cudaRegisterVar(void** handle, char* host_variable, char*, const char* device_name, int, size_t bytes,
                                int, int) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  runtime.add_variable(reinterpret_cast<Program*>(handle), host_variable, device_name, bytes, nullptr);
}

VGPU_API void __cudaRegisterManagedVar(void** handle, void** host_pointer, char*, const char* device_name, int,
                                       size_t bytes, int, int) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  runtime.add_variable(reinterpret_cast<Program*>(handle), host_pointer, device_name, bytes, host_pointer);
}

/// Ours: programs that clang has compiled call it before all else (toolchain/cuda/include/lanewise/managed.h).
VGPU_API void __cudaRegisterManagedSection(const void* begin, const void* end) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  runtime.add_managed_section(begin, end);
}

VGPU_API char __cudaInitModule(void**) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  runtime.prepare_managed();
  return 1;
}

VGPU_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  this_thread().configurations.push_back({grid, block, shared, stream});
  return 0;
}

VGPU_API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  auto& configurations = this_thread().configurations;
  if (configurations.empty()) return cudaErrorMissingConfiguration;
  *grid = configurations.back().grid;
  *block = configurations.back().block;
  *shared = configurations.back().shared;
  *static_cast<cudaStream_t*>(stream) = configurations.back().stream;
  configurations.pop_back();
  return cudaSuccess;
}
