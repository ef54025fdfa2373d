// Contexts. All of one device stand for the same: its memory, streams and modules, which the runtime shares.
#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <vector>

#include "harness/vgpu/libraries/driver_calls.h"

using namespace vgpu::libraries;

/// What a CUcontext points to.
struct CUctx_st {
  int device = 0;
  std::atomic<unsigned> flags{0};
  std::atomic<unsigned> retained{0};  ///< of a primary context
  bool is_primary = false;
  std::atomic<bool> is_destroyed{false};
  unsigned long long id = 0;
};

namespace {

constexpr unsigned kApiVersion = 3020;  // of contexts, since the second version of these functions
constexpr std::size_t kMostContexts = 1 << 16;

std::atomic<bool> is_initialised{false};

struct Contexts {
  std::mutex mutex;
  std::deque<CUctx_st> all;  ///< never freed: a handle that was destroyed is known as such

  CUcontext find(CUcontext wanted) {
    const std::lock_guard<std::mutex> lock(mutex);
    const auto found = std::find_if(all.begin(), all.end(), [&](const CUctx_st& known) { return &known == wanted; });
    return found != all.end() ? &*found : nullptr;
  }
  CUcontext make(int device, bool is_primary, unsigned flags) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (is_primary)
      for (CUctx_st& known : all)
        if (known.is_primary && known.device == device) return &known;
    if (!is_primary && all.size() >= kMostContexts) return nullptr;
    CUctx_st& made = all.emplace_back();
    made.device = device;
    made.is_primary = is_primary;
    made.flags = flags;
    made.id = all.size();
    return &made;
  }
};
Contexts& contexts() {
  static auto* const kContexts = new Contexts();  // never destroyed: programs use the driver in their destructors
  return *kContexts;
}

/// Of the calling thread; the last one is current. Never destroyed either.
thread_local std::vector<CUcontext>& stack = *new std::vector<CUcontext>();

/// By the calling thread. The runtime initialises the driver for all.
bool runtime_is_in_use() {
  if (VGPU_RUNTIME(vgpuContextInUse)(0) == 0) return false;
  is_initialised = true;
  return true;
}

/// Takes over what cudaSetDevice, or the first use of the runtime, has made current.
void follow_runtime() {
  int device = 0;
  if (!runtime_is_in_use() || VGPU_RUNTIME(cudaGetDevice)(&device) != cudaSuccess) return;
  if (stack.empty()) return stack.push_back(primary_context(device));
  if (stack.back()->device != device) stack.back() = primary_context(device);
}

/// Makes the runtime follow the top of the stack.
CUresult lead_runtime() {
  if (!stack.empty()) return result_of(VGPU_RUNTIME(cudaSetDevice)(stack.back()->device));
  VGPU_RUNTIME(vgpuContextInUse)(1);
  return CUDA_SUCCESS;
}

bool is_device(int device) {
  int count = 0;
  return VGPU_RUNTIME(cudaGetDeviceCount)(&count) == cudaSuccess && device >= 0 && device < count;
}

bool are_flags(unsigned flags) {
  const unsigned schedule = flags & CU_CTX_SCHED_MASK;
  return (flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK)) == 0 && (schedule & (schedule - 1)) == 0;
}

CUresult create(CUcontext* context, unsigned flags, CUdevice device) {
  if (context == nullptr || !are_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  follow_runtime();
  const CUcontext made = contexts().make(device, false, flags);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  stack.push_back(made);
  *context = made;
  return lead_runtime();
}

CUcontext usable(CUcontext context) {
  const CUcontext known = contexts().find(context);
  return known != nullptr && !known->is_destroyed ? known : nullptr;
}

/// Body with the primary context of a device.
template <class Body>
CUresult with_primary(CUdevice device, Body body) {
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  CUctx_st& primary = *primary_context(device);
  return body(primary);
}

}  // namespace

CUresult vgpu::libraries::need_initialised() {
  return is_initialised || runtime_is_in_use() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}
CUresult vgpu::libraries::need_context() {
  if (!stack.empty()) return stack.back()->is_destroyed ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_SUCCESS;
  if (runtime_is_in_use()) return CUDA_SUCCESS;
  return is_initialised ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_NOT_INITIALIZED;
}
CUcontext vgpu::libraries::primary_context(int device) { return contexts().make(device, true, 0); }
CUcontext vgpu::libraries::current_context() {
  follow_runtime();
  return stack.empty() ? nullptr : stack.back();
}
int vgpu::libraries::device_of(CUcontext context) {
  const CUcontext known = context != nullptr ? usable(context) : current_context();
  return known != nullptr ? known->device : -1;
}

VGPU_DRIVER_API CUresult cuInit(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  is_initialised = true;
  return CUDA_SUCCESS;
}
VGPU_DRIVER_API CUresult cuDriverGetVersion(int* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

VGPU_DRIVER_API CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device) {
  VGPU_INITIALISED(create(context, flags, device));
}
VGPU_DRIVER_API CUresult cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam* affinities, int count, unsigned flags,
                                        CUdevice device) {
  VGPU_INITIALISED(affinities != nullptr || count != 0 ? refuse("cuCtxCreate with an execution affinity")
                                                       : create(context, flags, device));
}
VGPU_DRIVER_API CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams* parameters, unsigned flags,
                                        CUdevice device) {
  VGPU_INITIALISED(parameters != nullptr && (parameters->numExecAffinityParams != 0 || parameters->cigParams != nullptr)
                       ? refuse("cuCtxCreate with an execution affinity or for graphics")
                       : create(context, flags, device));
}

/// What was made in the context stays: it is the device's.
VGPU_DRIVER_API CUresult cuCtxDestroy(CUcontext context) {
  return called_from<&need_initialised>(__builtin_return_address(0), [&] {
    const CUcontext known = usable(context);
    if (known == nullptr) return context == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_CONTEXT;
    if (known->is_primary) return CUDA_ERROR_INVALID_CONTEXT;
    follow_runtime();
    const bool is_current = !stack.empty() && stack.back() == known;
    if (is_current) VGPU_RUNTIME(cudaDeviceSynchronize)();
    known->is_destroyed = true;
    if (!is_current) return CUDA_SUCCESS;
    stack.pop_back();
    return lead_runtime();
  });
}

VGPU_DRIVER_API CUresult cuCtxSetCurrent(CUcontext context) {
  return called_from<&need_initialised>(__builtin_return_address(0), [&] {
    const CUcontext known = usable(context);
    if (context != nullptr && known == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    follow_runtime();
    if (!stack.empty()) stack.pop_back();
    if (known != nullptr) stack.push_back(known);
    return lead_runtime();
  });
}
VGPU_DRIVER_API CUresult cuCtxGetCurrent(CUcontext* context) {
  VGPU_INITIALISED(context == nullptr ? CUDA_ERROR_INVALID_VALUE : (*context = current_context(), CUDA_SUCCESS));
}
VGPU_DRIVER_API CUresult cuCtxPushCurrent(CUcontext context) {
  return called_from<&need_initialised>(__builtin_return_address(0), [&] {
    if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUcontext known = usable(context);
    if (known == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    follow_runtime();
    stack.push_back(known);
    return lead_runtime();
  });
}
VGPU_DRIVER_API CUresult cuCtxPopCurrent(CUcontext* context) {
  return called_from<&need_initialised>(__builtin_return_address(0), [&] {
    follow_runtime();
    if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
    if (context != nullptr) *context = stack.back();
    stack.pop_back();
    return lead_runtime();
  });
}

VGPU_DRIVER_API CUresult cuCtxGetDevice(CUdevice* device) {
  VGPU_IN_CONTEXT(device == nullptr ? CUDA_ERROR_INVALID_VALUE : (*device = device_of(nullptr), CUDA_SUCCESS));
}
VGPU_DRIVER_API CUresult cuCtxGetFlags(unsigned* flags) {
  VGPU_IN_CONTEXT(flags == nullptr ? CUDA_ERROR_INVALID_VALUE
                                   : (*flags = current_context()->flags.load(), CUDA_SUCCESS));
}
VGPU_DRIVER_API CUresult cuCtxSetFlags(unsigned flags) {
  VGPU_IN_CONTEXT(!are_flags(flags) ? CUDA_ERROR_INVALID_VALUE : (current_context()->flags.store(flags), CUDA_SUCCESS));
}
VGPU_DRIVER_API CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  return called_from<&need_context>(__builtin_return_address(0), [&] {
    const CUcontext known = context != nullptr ? usable(context) : current_context();
    if (id == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (known == nullptr) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    *id = known->id;
    return CUDA_SUCCESS;
  });
}
VGPU_DRIVER_API CUresult cuCtxGetApiVersion(CUcontext context, unsigned* version) {
  VGPU_INITIALISED(version == nullptr         ? CUDA_ERROR_INVALID_VALUE
                   : device_of(context) == -1 ? CUDA_ERROR_INVALID_CONTEXT
                                              : (*version = kApiVersion, CUDA_SUCCESS));
}
VGPU_DRIVER_API CUresult cuCtxSynchronize() { VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaDeviceSynchronize)()); }
VGPU_DRIVER_API CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaDeviceGetLimit)(value, static_cast<cudaLimit>(limit)));
}
VGPU_DRIVER_API CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaDeviceSetLimit)(static_cast<cudaLimit>(limit), value));
}
VGPU_DRIVER_API CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaDeviceGetCacheConfig)(reinterpret_cast<cudaFuncCache*>(config)));
}
VGPU_DRIVER_API CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaDeviceSetCacheConfig)(static_cast<cudaFuncCache>(config)));
}
VGPU_DRIVER_API CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaDeviceGetStreamPriorityRange)(least, greatest));
}
VGPU_DRIVER_API CUresult cuCtxResetPersistingL2Cache() {
  VGPU_IN_CONTEXT(VGPU_RUNTIME(cudaCtxResetPersistingL2Cache)());
}
VGPU_DRIVER_API CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  VGPU_IN_CONTEXT(device_of(peer) == -1 || peer == nullptr
                      ? CUDA_ERROR_INVALID_CONTEXT
                      : result_of(VGPU_RUNTIME(cudaDeviceEnablePeerAccess)(device_of(peer), flags)));
}
VGPU_DRIVER_API CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  VGPU_IN_CONTEXT(device_of(peer) == -1 || peer == nullptr
                      ? CUDA_ERROR_INVALID_CONTEXT
                      : result_of(VGPU_RUNTIME(cudaDeviceDisablePeerAccess)(device_of(peer))));
}

// --- primary contexts: the runtime's ---

VGPU_DRIVER_API CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  VGPU_INITIALISED(with_primary(device, [&](CUctx_st& primary) {
    if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
    ++primary.retained;
    *context = &primary;
    return CUDA_SUCCESS;
  }));
}
VGPU_DRIVER_API CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  VGPU_INITIALISED(with_primary(device, [&](CUctx_st& primary) {
    unsigned retained = primary.retained;
    while (retained != 0)
      if (primary.retained.compare_exchange_weak(retained, retained - 1)) return CUDA_SUCCESS;
    return CUDA_ERROR_INVALID_CONTEXT;
  }));
}
VGPU_DRIVER_API CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  VGPU_INITIALISED(with_primary(device, [&](CUctx_st&) {
    follow_runtime();
    int before = 0;  // where the stack is empty, the thread still has a device that the runtime's calls mean
    VGPU_RUNTIME(cudaGetDevice)(&before);
    const bool is_in_use = !stack.empty();
    CUresult error = result_of(VGPU_RUNTIME(cudaSetDevice)(device));
    if (error == CUDA_SUCCESS) error = result_of(VGPU_RUNTIME(cudaDeviceReset)());
    const CUresult restored = result_of(VGPU_RUNTIME(cudaSetDevice)(before));
    if (!is_in_use) VGPU_RUNTIME(vgpuContextInUse)(1);
    return error == CUDA_SUCCESS ? restored : error;
  }));
}
VGPU_DRIVER_API CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  VGPU_INITIALISED(with_primary(device, [&](CUctx_st& primary) {
    if (!are_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
    primary.flags = flags;
    return CUDA_SUCCESS;
  }));
}
VGPU_DRIVER_API CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  VGPU_INITIALISED(with_primary(device, [&](CUctx_st& primary) {
    if (flags == nullptr || active == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = primary.flags;
    *active = primary.retained != 0 || current_context() == &primary ? 1 : 0;
    return CUDA_SUCCESS;
  }));
}
