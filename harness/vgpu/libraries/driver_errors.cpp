// Errors of the driver's API, and how its functions are found by name.
#include <dlfcn.h>

#include <cctype>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "harness/vgpu/libraries/driver_calls.h"

using namespace vgpu::libraries;

namespace {

struct Name {
  int code;
  const char* name;
};
constexpr Name kErrorNames[] = {
#include "harness/vgpu/libraries/driver_error_names.inc"
};
/// What programs write, and the name of the function that the toolkit's header makes of it.
struct Renamed {
  const char* plain;
  const char* current;
};
constexpr Renamed kRenamed[] = {
#include "harness/vgpu/libraries/driver_renamed.inc"
};

const char* error_name(int code) {
  for (const Name& row : kErrorNames)
    if (row.code == code) return row.name;
  return nullptr;
}

/// Of an error that the runtime has no words for.
const char* words_of(const char* name) {
  static std::mutex mutex;
  static auto* const kWords = new std::map<const char*, std::string>();
  const std::lock_guard<std::mutex> lock(mutex);
  std::string& words = (*kWords)[name];
  if (words.empty())
    for (const char* at = name + std::strlen("CUDA_ERROR_"); *at != '\0'; ++at)
      words += *at == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(*at)));
  return words.c_str();
}

void* function_named(const std::string& name) {
  static void* const kOwn = [] {
    Dl_info own{};
    return dladdr(reinterpret_cast<const void*>(&function_named), &own) != 0
               ? dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
               : nullptr;
  }();
  return kOwn != nullptr ? dlsym(kOwn, name.c_str()) : nullptr;
}

/// The function that a version of CUDA calls by a plain name.
void* function_of_version(const std::string& plain, int version, bool per_thread) {
  std::string name = plain;
  for (const Renamed& row : kRenamed)
    if (plain == row.plain) name = row.current;
  constexpr int kThirdCreate = 11040, kFourthCreate = 12050;  // cudaTypedefs.h
  if (plain == "cuCtxCreate" && version < kFourthCreate)
    name = version < kThirdCreate ? "cuCtxCreate_v2" : "cuCtxCreate_v3";
  constexpr int kFifthParameter = 12000;
  if (plain == "cuGetProcAddress" && version < kFifthParameter) name = plain;
  if (per_thread)
    for (const char* const kind : {"_ptsz", "_ptds"})
      if (void* const found = function_named(name + kind)) return found;
  return function_named(name);
}

}  // namespace

CallSite::CallSite(const void* site) {
  static auto* const kSet = reinterpret_cast<decltype(vgpuSetCallSite)*>(find_in_runtime_if_any("vgpuSetCallSite"));
  if (kSet == nullptr) return;
  before_ = kSet(site);
  if (before_ != nullptr) kSet(before_);  // one function of these has called another
}
CallSite::~CallSite() {
  static auto* const kSet = reinterpret_cast<decltype(vgpuSetCallSite)*>(find_in_runtime_if_any("vgpuSetCallSite"));
  if (kSet != nullptr) kSet(before_);
}

CUresult vgpu::libraries::result_of(cudaError_t error) {
  if (error == cudaSuccess) return CUDA_SUCCESS;
  VGPU_RUNTIME(cudaGetLastError)();
  switch (error) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidHostPointer:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidMemcpyDirection:
    case cudaErrorInvalidChannelDescriptor:
      return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidSymbol:
      return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidDeviceFunction:
      return CUDA_ERROR_INVALID_HANDLE;
    default:
      return error_name(error) != nullptr ? static_cast<CUresult>(error) : CUDA_ERROR_UNKNOWN;
  }
}

CUresult vgpu::libraries::refuse(const char* what) {
  VGPU_RUNTIME(vgpuRefuseCall)(what);
  VGPU_RUNTIME(cudaGetLastError)();
  return CUDA_ERROR_NOT_SUPPORTED;
}

/// What functions call that are not there: they are generated.
extern "C" int vgpuRefuseCall(const char* name) { return refuse(name); }

VGPU_DRIVER_API CUresult cuGetErrorName(CUresult error, const char** name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *name = error_name(error);
  return *name != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
VGPU_DRIVER_API CUresult cuGetErrorString(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const char* const name = error_name(error);
  *text = name != nullptr ? VGPU_RUNTIME(cudaGetErrorString)(static_cast<cudaError_t>(error)) : nullptr;
  if (*text != nullptr && std::strcmp(*text, "unrecognized error code") == 0) *text = words_of(name);
  return *text != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

VGPU_DRIVER_API CUresult cuGetProcAddress(const char* symbol, void** function, int version, cuuint64_t flags,
                                          CUdriverProcAddressQueryResult* status) {
  constexpr cuuint64_t kKinds = CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  if (symbol == nullptr || function == nullptr || (flags & ~kKinds) != 0 || flags == kKinds)
    return CUDA_ERROR_INVALID_VALUE;
  *function = std::strncmp(symbol, "cu", 2) == 0
                  ? function_of_version(symbol, version, (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0)
                  : nullptr;
  if (status != nullptr)
    *status = *function != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return CUDA_SUCCESS;
}
#undef cuGetProcAddress
VGPU_DRIVER_API CUresult cuGetProcAddress(const char* symbol, void** function, int version, cuuint64_t flags) {
  const CUresult error = cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
  return error == CUDA_SUCCESS && *function == nullptr ? CUDA_ERROR_NOT_FOUND : error;
}

/// A way into NVIDIA's driver that its own libraries take: the static runtime, which cannot do without it, and NVRTC.
VGPU_DRIVER_API CUresult cuGetExportTable(const void** table, const CUuuid*) {
  if (table == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *table = nullptr;
  return CUDA_ERROR_NOT_SUPPORTED;
}
