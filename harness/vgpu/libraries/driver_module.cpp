// Modules and libraries, which are the runtime's libraries; functions and kernels, which are its kernels; linking.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "harness/vgpu/cudart/registered_code.h"
#include "harness/vgpu/libraries/driver_calls.h"

using namespace vgpu::libraries;

/// What a CUlinkState points to.
struct CUlinkState_st {
  std::string ptx;
  bool is_complete = false;
};

namespace {

CUmodule as_module(CUlibrary library) { return reinterpret_cast<CUmodule>(library); }
CUlibrary as_library(CUmodule module) { return reinterpret_cast<CUlibrary>(module); }
CUfunction as_function(CUkernel kernel) { return reinterpret_cast<CUfunction>(kernel); }

struct LinkStates {
  std::mutex mutex;
  std::list<CUlinkState_st> all;
};
LinkStates& link_states() {
  static auto* const kStates = new LinkStates();
  return *kStates;
}

/// The options that are answered: nothing is compiled, so there is nothing in the logs, and it took no time. Those that
/// would change what is loaded are refused.
CUresult answer_options(const CUjit_option* options, void** values, unsigned count) {
  if (count != 0 && (options == nullptr || values == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i) {
    const CUjit_option option = options[i];
    if (option >= CU_JIT_GLOBAL_SYMBOL_NAMES && option <= CU_JIT_GLOBAL_SYMBOL_COUNT)
      return refuse("an address for a symbol (CU_JIT_GLOBAL_SYMBOL_ADDRESSES)");
    const bool is_log = option == CU_JIT_INFO_LOG_BUFFER || option == CU_JIT_ERROR_LOG_BUFFER;
    const auto size_option =
        option == CU_JIT_INFO_LOG_BUFFER ? CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES : CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
    const CUjit_option* const size = is_log ? std::find(options, options + count, size_option) : options + count;
    if (is_log && size != options + count && values[i] != nullptr && values[size - options] != nullptr)
      *static_cast<char*>(values[i]) = '\0';
  }
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES || options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES ||
        options[i] == CU_JIT_WALL_TIME)
      values[i] = nullptr;
  return CUDA_SUCCESS;
}

CUresult load(CUlibrary* library, const void* image, const CUjit_option* options, void** values, unsigned count) {
  if (library == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult error = answer_options(options, values, count);
  if (error != CUDA_SUCCESS) return error;
  return result_of(VGPU_RUNTIME(cudaLibraryLoadData)(library, image, nullptr, nullptr, 0, nullptr, nullptr, 0));
}
CUresult load(CUmodule* module, const void* image, const CUjit_option* options = nullptr, void** values = nullptr,
              unsigned count = 0) {
  CUlibrary library = nullptr;
  const CUresult error = module != nullptr ? load(&library, image, options, values, count) : CUDA_ERROR_INVALID_VALUE;
  if (error == CUDA_SUCCESS) *module = as_module(library);
  return error;
}

/// A file, and a zero behind it.
CUresult read_file(const char* path, std::string& contents) {
  if (path == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) return CUDA_ERROR_FILE_NOT_FOUND;
  contents.assign(std::istreambuf_iterator<char>(file), {});
  return CUDA_SUCCESS;
}

/// Body with a link state that is still open.
template <class Body>
CUresult with_link(CUlinkState state, Body body) {
  LinkStates& states = link_states();
  const std::lock_guard<std::mutex> lock(states.mutex);
  const auto found =
      std::find_if(states.all.begin(), states.all.end(), [&](const CUlinkState_st& known) { return &known == state; });
  return found == states.all.end() ? CUDA_ERROR_INVALID_HANDLE : body(found);
}

CUresult add(CUlinkState state, CUjitInputType type, std::string text, const CUjit_option* options, void** values,
             unsigned count) {
  const CUresult error = answer_options(options, values, count);
  if (error != CUDA_SUCCESS) return error;
  if (type != CU_JIT_INPUT_PTX) return refuse("linking anything but PTX (cuLinkAddData, cuLinkAddFile)");
  text.erase(std::find(text.begin(), text.end(), '\0'), text.end());
  return with_link(state, [&](auto link) {
    if (link->is_complete || text.empty()) return CUDA_ERROR_INVALID_VALUE;
    if (!link->ptx.empty()) link->ptx += vgpu::cudart::kNextUnit;
    link->ptx += text;
    return CUDA_SUCCESS;
  });
}

CUresult function_attribute(int* value, CUfunction_attribute attribute, const void* function) {
  if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  cudaFuncAttributes all{};
  const CUresult error = result_of(VGPU_RUNTIME(cudaFuncGetAttributes)(&all, function));
  if (error != CUDA_SUCCESS) return error;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = all.maxThreadsPerBlock;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = static_cast<int>(all.sharedSizeBytes);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      *value = static_cast<int>(all.constSizeBytes);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = static_cast<int>(all.localSizeBytes);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = all.numRegs;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      *value = all.ptxVersion;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = all.binaryVersion;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
      *value = all.cacheModeCA;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = all.maxDynamicSharedSizeBytes;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *value = all.preferredShmemCarveout;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
      *value = all.clusterDimMustBeSet;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
      *value = all.requiredClusterWidth;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
      *value = all.requiredClusterHeight;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      *value = all.requiredClusterDepth;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      *value = all.nonPortableClusterSizeAllowed;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      *value = all.clusterSchedulingPolicyPreference;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}
cudaError_t set_attribute(const void* function, CUfunction_attribute attribute, int value) {
  return VGPU_RUNTIME(cudaFuncSetAttribute)(function, static_cast<cudaFuncAttribute>(attribute), value);
}

}  // namespace

VGPU_DRIVER_API CUresult cuModuleLoadData(CUmodule* module, const void* image) { VGPU_IN_CONTEXT(load(module, image)); }
VGPU_DRIVER_API CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, CUjit_option* options,
                                            void** values) {
  VGPU_IN_CONTEXT(load(module, image, options, values, count));
}
VGPU_DRIVER_API CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  VGPU_IN_CONTEXT(load(module, image));
}
VGPU_DRIVER_API CUresult cuModuleLoad(CUmodule* module, const char* path) {
  return called_from<&need_context>(__builtin_return_address(0), [&] {
    std::string contents;
    const CUresult error = read_file(path, contents);
    return error == CUDA_SUCCESS ? load(module, contents.c_str()) : error;
  });
}
VGPU_DRIVER_API CUresult cuModuleUnload(CUmodule module) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaLibraryUnload)(as_library(module)));
}
VGPU_DRIVER_API CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaLibraryGetKernel)(reinterpret_cast<CUkernel*>(function), as_library(module), name));
}
VGPU_DRIVER_API CUresult cuModuleGetGlobal(CUdeviceptr* pointer, size_t* bytes, CUmodule module, const char* name) {
  VGPU_IN_CONTEXT(
      VGPU_RUNTIME(cudaLibraryGetGlobal)(reinterpret_cast<void**>(pointer), bytes, as_library(module), name));
}
VGPU_DRIVER_API CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  if (mode == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *mode = CU_MODULE_EAGER_LOADING;
  return CUDA_SUCCESS;
}

VGPU_DRIVER_API CUresult cuLibraryLoadData(CUlibrary* library, const void* image, CUjit_option* options, void** values,
                                           unsigned count, CUlibraryOption*, void**, unsigned) {
  VGPU_INITIALISED(load(library, image, options, values, count));
}
VGPU_DRIVER_API CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* path, CUjit_option* options,
                                               void** values, unsigned count, CUlibraryOption*, void**, unsigned) {
  return called_from<&need_initialised>(__builtin_return_address(0), [&] {
    std::string contents;
    const CUresult error = read_file(path, contents);
    return error == CUDA_SUCCESS ? load(library, contents.c_str(), options, values, count) : error;
  });
}
VGPU_DRIVER_API CUresult cuLibraryUnload(CUlibrary library) {
  VGPU_INITIALISED(VGPU_RUNTIME(cudaLibraryUnload)(library));
}
VGPU_DRIVER_API CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  VGPU_INITIALISED(VGPU_RUNTIME(cudaLibraryGetKernel)(kernel, library, name));
}
VGPU_DRIVER_API CUresult cuLibraryGetGlobal(CUdeviceptr* pointer, size_t* bytes, CUlibrary library, const char* name) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaLibraryGetGlobal)(reinterpret_cast<void**>(pointer), bytes, library, name));
}
VGPU_DRIVER_API CUresult cuLibraryGetManaged(CUdeviceptr* pointer, size_t* bytes, CUlibrary library, const char* name) {
  VGPU_INITIALISED(VGPU_RUNTIME(cudaLibraryGetManaged)(reinterpret_cast<void**>(pointer), bytes, library, name));
}
VGPU_DRIVER_API CUresult cuLibraryGetKernelCount(unsigned* count, CUlibrary library) {
  VGPU_INITIALISED(VGPU_RUNTIME(cudaLibraryGetKernelCount)(count, library));
}
VGPU_DRIVER_API CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned count, CUlibrary library) {
  VGPU_INITIALISED(VGPU_RUNTIME(cudaLibraryEnumerateKernels)(kernels, count, library));
}
VGPU_DRIVER_API CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  return called_from<&need_context>(__builtin_return_address(0), [&] {
    unsigned kernels = 0;  // only a library that there is has any number
    if (module == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUresult error = result_of(VGPU_RUNTIME(cudaLibraryGetKernelCount)(&kernels, library));
    if (error == CUDA_SUCCESS) *module = as_module(library);
    return error;
  });
}
VGPU_DRIVER_API CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  return called_from<&need_context>(__builtin_return_address(0), [&] {
    cudaFuncAttributes all{};
    if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUresult error = result_of(VGPU_RUNTIME(cudaFuncGetAttributes)(&all, kernel));
    if (error == CUDA_SUCCESS) *function = as_function(kernel);
    return error;
  });
}

VGPU_DRIVER_API CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  VGPU_IN_CONTEXT(function_attribute(value, attribute, function));
}
VGPU_DRIVER_API CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  VGPU_IN_CONTEXT(set_attribute(function, attribute, value));
}
VGPU_DRIVER_API CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaFuncSetCacheConfig)(function, static_cast<cudaFuncCache>(config)));
}
VGPU_DRIVER_API CUresult cuFuncGetName(const char** name, CUfunction function) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaFuncGetName)(name, function));
}
VGPU_DRIVER_API CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* bytes) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaFuncGetParamInfo)(function, index, offset, bytes));
}
VGPU_DRIVER_API CUresult cuKernelGetName(const char** name, CUkernel kernel) {
  VGPU_INITIALISED(VGPU_RUNTIME(cudaFuncGetName)(name, kernel));
}
VGPU_DRIVER_API CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* bytes) {
  VGPU_INITIALISED(VGPU_RUNTIME(cudaFuncGetParamInfo)(kernel, index, offset, bytes));
}
VGPU_DRIVER_API CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice) {
  VGPU_INITIALISED(VGPU_RUNTIME(cudaFuncSetCacheConfig)(kernel, static_cast<cudaFuncCache>(config)));
}

// --- linking: the virtual GPU does it when the result is loaded ---

VGPU_DRIVER_API CUresult cuLinkCreate(unsigned count, CUjit_option* options, void** values, CUlinkState* state) {
  return called_from<&need_context>(__builtin_return_address(0), [&] {
    if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUresult error = answer_options(options, values, count);
    if (error != CUDA_SUCCESS) return error;
    const std::lock_guard<std::mutex> lock(link_states().mutex);
    *state = &link_states().all.emplace_back();
    return CUDA_SUCCESS;
  });
}
VGPU_DRIVER_API CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, size_t bytes, const char*,
                                       unsigned count, CUjit_option* options, void** values) {
  VGPU_IN_CONTEXT(data == nullptr ? CUDA_ERROR_INVALID_VALUE
                                  : add(state, type, {static_cast<const char*>(data), bytes}, options, values, count));
}
VGPU_DRIVER_API CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* path, unsigned count,
                                       CUjit_option* options, void** values) {
  return called_from<&need_context>(__builtin_return_address(0), [&] {
    std::string contents;
    const CUresult error = read_file(path, contents);
    return error == CUDA_SUCCESS ? add(state, type, std::move(contents), options, values, count) : error;
  });
}
/// What comes out is the PTX of all; it is loaded once here, so that what does not fit together is known.
VGPU_DRIVER_API CUresult cuLinkComplete(CUlinkState state, void** image, size_t* bytes) {
  VGPU_IN_CONTEXT(with_link(state, [&](auto link) {
    CUlibrary library = nullptr;
    const CUresult error = load(&library, link->ptx.c_str(), nullptr, nullptr, 0);
    if (error != CUDA_SUCCESS) return error;
    VGPU_RUNTIME(cudaLibraryUnload)(library);
    link->is_complete = true;
    if (image != nullptr) *image = link->ptx.data();
    if (bytes != nullptr) *bytes = link->ptx.size() + 1;
    return CUDA_SUCCESS;
  }));
}
VGPU_DRIVER_API CUresult cuLinkDestroy(CUlinkState state) {
  VGPU_IN_CONTEXT(with_link(state, [](auto link) {
    link_states().all.erase(link);
    return CUDA_SUCCESS;
  }));
}
