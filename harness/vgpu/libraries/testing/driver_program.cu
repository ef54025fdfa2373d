// A program that knows the driver's API alone: loads modules, launches, and makes every mistake once.
//   driver_program FOLDER             what works
//   driver_program FOLDER misuse      what is refused, and how
//   driver_program FOLDER race        a kernel with a race
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "driver_check.h"

namespace {

constexpr int kCount = 100;
constexpr size_t kBytes = kCount * sizeof(int);

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

int use_memory() {
  CUdeviceptr rows = 0;
  size_t pitch = 0;
  NEED(cuMemAllocPitch(&rows, &pitch, 12, 3, 4));
  NEED(cuMemsetD2D32(rows, pitch, 7, 3, 3));
  NEED(cuMemsetD2D16(rows, pitch, 0x1234, 2, 1));
  std::vector<int> host(3 * 5, -1);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = rows;
  copy.srcPitch = pitch;
  copy.srcXInBytes = 4;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = host.data();
  copy.dstPitch = 5 * sizeof(int);
  copy.dstY = 1;
  copy.WidthInBytes = 8;
  copy.Height = 2;
  NEED(cuMemcpy2D(&copy));
  for (const int value : host) std::printf("%d ", value);
  int first = 0;
  NEED(cuMemcpyDtoH(&first, rows, sizeof first));
  std::printf("%x\n", first);

  unsigned type = 0;
  CUdeviceptr begin = 0;
  size_t bytes = 0;
  bool is_managed = true;
  NEED(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, rows + 4));
  NEED(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, rows));
  NEED(cuMemGetAddressRange(&begin, &bytes, rows + 4));
  std::printf("%u %d %d %d\n", type, is_managed, begin == rows, bytes == 3 * pitch);
  NEED(cuMemFree(rows));

  CUdeviceptr managed = 0;
  void* pinned = nullptr;
  NEED(cuMemAllocManaged(&managed, kBytes, CU_MEM_ATTACH_GLOBAL));
  NEED(cuMemHostAlloc(&pinned, kBytes, CU_MEMHOSTALLOC_DEVICEMAP));
  NEED(cuMemsetD8(managed, 1, kBytes));
  NEED(cuCtxSynchronize());
  NEED(cuMemcpy(reinterpret_cast<CUdeviceptr>(pinned), managed, kBytes));
  std::printf("%x %x\n", *reinterpret_cast<int*>(managed), static_cast<int*>(pinned)[kCount - 1]);
  NEED(cuMemFree(managed));
  NEED(cuMemFreeHost(pinned));
  return 0;
}

int use_module(const std::string& folder) {
  CUmodule module = nullptr;
  NEED(cuModuleLoad(&module, (folder + "/driver_kernels.ptx").c_str()));
  CUfunction combine = nullptr, sum = nullptr, nothing = nullptr, reverse = nullptr;
  NEED(cuModuleGetFunction(&combine, module, "combine"));
  NEED(cuModuleGetFunction(&sum, module, "sum"));
  NEED(cuModuleGetFunction(&nothing, module, "nothing"));
  NEED(cuModuleGetFunction(&reverse, module, "shared_bytes"));

  CUstream stream = nullptr;
  CUevent begin = nullptr, end = nullptr;
  NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  NEED(cuEventCreate(&begin, CU_EVENT_DEFAULT));
  NEED(cuEventCreate(&end, CU_EVENT_DEFAULT));

  CUdeviceptr x = 0, y = 0;
  NEED(cuMemAlloc(&x, kBytes));
  NEED(cuMemAlloc(&y, kBytes));
  std::vector<int> host(kCount);
  for (int i = 0; i < kCount; ++i) host[i] = i;
  NEED(cuMemcpyHtoDAsync(x, host.data(), kBytes, stream));
  NEED(cuMemsetD32Async(y, 1000, kCount, stream));
  NEED(cuEventRecord(begin, stream));

  // By pointers to the parameters, and by a buffer that holds them.
  struct {
    double scale;
    int shift;
  } pair{2, 1};
  char few = 4;
  int n = kCount;
  void* parameters[] = {&y, &x, &few, &pair, &n};
  NEED(cuLaunchKernel(combine, 4, 1, 1, 32, 1, 1, 0, stream, parameters, nullptr));
  struct {
    CUdeviceptr y, x;
    char few;
    alignas(8) double scale;
    int shift;
    alignas(8) int n;
  } buffer{y, x, 5, 1, 2, kCount};
  size_t buffer_bytes = offsetof(decltype(buffer), n) + sizeof buffer.n;  // without what pads it
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &buffer_bytes,
                   CU_LAUNCH_PARAM_END};
  NEED(cuLaunchKernel(combine, 4, 1, 1, 32, 1, 1, 0, stream, nullptr, extra));
  NEED(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr));
  NEED(cuEventRecord(end, stream));
  NEED(cuEventSynchronize(end));
  float milliseconds = -1;
  NEED(cuEventElapsedTime(&milliseconds, begin, end));
  NEED(cuMemcpyDtoH(host.data(), y, kBytes));
  std::printf("combine: %d %d, in time: %d\n", host[0], host[kCount - 1], milliseconds > 0);

  // Variables by name; one of them is changed and has its effect.
  CUdeviceptr factor = 0, total = 0;
  size_t bytes = 0;
  NEED(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
  std::printf("factor: %zu bytes\n", bytes);
  NEED(cuMemsetD32(factor, 5, 1));
  NEED(cuModuleGetGlobal(&total, nullptr, module, "total"));
  NEED(cuLaunchKernel(combine, 4, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
  void* of_sum[] = {&y, &n};
  CUlaunchConfig config{};
  config.gridDimX = 4;
  config.blockDimX = 32;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  NEED(cuLaunchKernelEx(&config, sum, of_sum, nullptr));
  int of_all = 0;
  NEED(cuMemcpyDtoH(&of_all, total, sizeof of_all));
  std::printf("total: %d\n", of_all);

  // Shared memory, attributes and occupancy.
  NEED(cuFuncSetAttribute(reverse, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
  int most = 0, threads = 0, blocks = 0, grid = 0, block = 0;
  NEED(cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, reverse));
  NEED(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, reverse));
  NEED(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 256, 100000));
  NEED(cuOccupancyMaxPotentialBlockSize(&grid, &block, reverse, nullptr, 0, 0));
  std::printf("shared: %d bytes, %d threads, %d blocks, best %d\n", most, threads, blocks, block);
  void* of_reverse[] = {&x};
  NEED(cuLaunchCooperativeKernel(reverse, 1, 1, 1, 64, 1, 1, 256, nullptr, of_reverse));
  NEED(cuMemcpyDtoH(host.data(), x, kBytes));
  std::printf("reversed: %d %d %d\n", host[0], host[63], host[64]);

  // What was launched while the stream was captured is launched by the graph.
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  NEED(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  NEED(cuMemsetD32Async(y, 7, kCount, stream));
  NEED(cuLaunchKernel(reverse, 1, 1, 1, 64, 1, 1, 256, stream, of_reverse, nullptr));
  NEED(cuStreamEndCapture(stream, &graph));
  NEED(cuGraphInstantiate(&executable, graph, 0));
  NEED(cuGraphLaunch(executable, stream));
  NEED(cuStreamSynchronize(stream));
  NEED(cuMemcpyDtoH(host.data(), x, kBytes));
  NEED(cuMemcpyDtoH(&of_all, y, sizeof of_all));
  std::printf("from a graph: %d %d\n", host[0], of_all);
  NEED(cuGraphExecDestroy(executable));
  NEED(cuGraphDestroy(graph));

  NEED(cuMemFree(x));
  NEED(cuMemFree(y));
  NEED(cuEventDestroy(begin));
  NEED(cuEventDestroy(end));
  NEED(cuStreamDestroy(stream));
  NEED(cuModuleUnload(module));
  return 0;
}

/// Kernels of modules that come and go have the parameters of their own module, whatever handles they get.
int use_many_modules() {
  CUdeviceptr x = 0;
  NEED(cuMemAlloc(&x, 2 * sizeof(long long)));
  for (int round = 0; round < 4; ++round) {
    const bool is_long = round % 2 == 1;
    const std::string text = std::string(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry put(") +
                             ".param .u64 to, .param " + (is_long ? ".u64" : ".u8") +
                             " value) {\n.reg .b64 %r<3>;\nld.param.u64 %r1, [to];\nld.param." +
                             (is_long ? "u64" : "u8") + " %r2, [value];\nst.global.u64 [%r1], %r2;\nret;\n}\n";
    char log[64] = "not written";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_MAX_REGISTERS};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log), reinterpret_cast<void*>(32)};
    CUlibrary library = nullptr;
    CUkernel kernel = nullptr;
    CUfunction put = nullptr;
    NEED(cuLibraryLoadData(&library, text.c_str(), options, values, 3, nullptr, nullptr, 0));
    NEED(cuLibraryGetKernel(&kernel, library, "put"));
    NEED(cuKernelGetFunction(&put, kernel));
    long long value = 0x123456789ll, found = 0;
    void* parameters[] = {&x, &value};
    for (int time = 0; time < 2; ++time) NEED(cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    NEED(cuMemcpyDtoH(&found, x, sizeof found));
    std::printf("put: %llx, log: \"%s\"\n", found, log);
    NEED(cuLibraryUnload(library));
  }
  NEED(cuMemFree(x));
  return 0;
}

int use_linker(const std::string& folder) {
  CUlinkState state = nullptr;
  std::string first = contents_of(folder + "/driver_calling.ptx");
  void* image = nullptr;
  size_t bytes = 0;
  NEED(cuLinkCreate(0, nullptr, nullptr, &state));
  NEED(cuLinkAddData(state, CU_JIT_INPUT_PTX, first.data(), first.size() + 1, "first", 0, nullptr, nullptr));
  NEED(cuLinkAddFile(state, CU_JIT_INPUT_PTX, (folder + "/driver_second.ptx").c_str(), 0, nullptr, nullptr));
  NEED(cuLinkComplete(state, &image, &bytes));
  CUmodule module = nullptr;
  CUfunction scale = nullptr;
  CUdeviceptr x = 0;
  int value = 0;
  NEED(cuModuleLoadData(&module, image));
  NEED(cuLinkDestroy(state));
  NEED(cuModuleGetFunction(&scale, module, "scale"));
  NEED(cuMemAlloc(&x, sizeof(int)));
  NEED(cuMemsetD32(x, 42, 1));
  void* parameters[] = {&x};
  NEED(cuLaunchKernel(scale, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  NEED(cuMemcpyDtoH(&value, x, sizeof value));
  std::printf("linked: %d\n", value);
  NEED(cuMemFree(x));
  NEED(cuModuleUnload(module));

  std::string binary = contents_of(folder + "/driver_kernels.fatbin");
  NEED(cuModuleLoadFatBinary(&module, binary.data()));
  NEED(cuModuleGetFunction(&scale, module, "nothing"));
  NEED(cuModuleUnload(module));
  return 0;
}

int use_contexts(CUdevice device) {
  CUcontext first = nullptr, second = nullptr, primary = nullptr, current = nullptr, popped = nullptr;
  CUdevice of_current = -1;
  NEED(cuCtxGetCurrent(&first));
  NEED(cuCtxCreate(&second, nullptr, CU_CTX_SCHED_SPIN, device));
  NEED(cuCtxGetCurrent(&current));
  std::printf("made current: %d", current == second);
  NEED(cuCtxPopCurrent(&popped));
  NEED(cuCtxGetCurrent(&current));
  std::printf(", and no more: %d %d", popped == second, current == first);
  NEED(cuCtxPushCurrent(second));
  NEED(cuCtxDestroy(second));
  NEED(cuCtxGetCurrent(&current));
  NEED(cuCtxGetDevice(&of_current));
  std::printf(", destroyed: %d %d", current == first, of_current == device);
  NEED(cuDevicePrimaryCtxRetain(&primary, device));
  NEED(cuCtxSetCurrent(primary));
  NEED(cuCtxGetCurrent(&current));
  NEED(cuCtxSetCurrent(first));
  NEED(cuDevicePrimaryCtxRelease(device));
  std::printf(", primary: %d\n", current == primary && primary != first);
  return 0;
}

int work(const std::string& folder) {
  SHOW(cuMemFree(0));
  NEED(cuInit(0));
  int count = 0, version = 0, major = 0, processors = 0;
  char name[64];
  size_t bytes = 0;
  CUdevice device = -1;
  CUuuid uuid{};
  NEED(cuDriverGetVersion(&version));
  NEED(cuDeviceGetCount(&count));
  NEED(cuDeviceGet(&device, 0));
  NEED(cuDeviceGetName(name, sizeof name, device));
  NEED(cuDeviceTotalMem(&bytes, device));
  NEED(cuDeviceGetUuid(&uuid, device));
  NEED(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  NEED(cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
  std::printf("%d device, %s, %zu GiB, %d.x, %d multiprocessors\n", count, name, bytes >> 30, major, processors);
  CUcontext context = nullptr;
  SHOW(cuMemFree(0));
  NEED(cuCtxCreate(&context, nullptr, 0, device));
  if (use_memory() != 0 || use_module(folder) != 0 || use_many_modules() != 0 || use_linker(folder) != 0) return 1;
  if (use_contexts(device) != 0) return 1;
  NEED(cuCtxDestroy(context));
  SHOW(cuMemFree(0));
  return 0;
}

int misuse(const std::string& folder) {
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUmodule module = nullptr, none = nullptr;
  CUfunction nothing = nullptr, combine = nullptr, function = nullptr;
  CUdeviceptr x = 0;
  int value = 0;
  size_t bytes = 0;
  void* found = nullptr;
  const char* text = nullptr;
  SHOW(cuInit(1));
  SHOW(cuDeviceGetCount(&value));
  SHOW(cuInit(0));
  SHOW(cuDeviceGet(&device, 1));
  SHOW(cuDeviceGet(nullptr, 0));
  SHOW(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX, 0));
  SHOW(cuCtxSynchronize());
  SHOW(cuCtxPopCurrent(&context));
  SHOW(cuCtxCreate(&context, nullptr, 0, 5));
  SHOW(cuCtxSetCurrent(reinterpret_cast<CUcontext>(&value)));
  NEED(cuCtxCreate(&context, nullptr, 0, 0));

  const std::string ptx = contents_of(folder + "/driver_kernels.ptx");
  SHOW(cuModuleLoad(&none, "no such file"));
  SHOW(cuModuleLoadData(&none, nullptr));
  SHOW(cuModuleLoadData(nullptr, ptx.c_str()));
  SHOW(cuModuleLoadData(&none, "no PTX at all"));
  SHOW(cuModuleLoadData(&none, ".version 8.0\n.target sm_90\n.address_size 64\n.entry f() { bra nowhere; }\n"));
  SHOW(cuModuleLoadData(&none,
                        "\x7f"
                        "ELF, which is machine code"));
  NEED(cuModuleLoadData(&module, ptx.c_str()));
  SHOW(cuModuleGetFunction(&function, module, "no_such_kernel"));
  SHOW(cuModuleGetFunction(&function, reinterpret_cast<CUmodule>(&value), "nothing"));
  SHOW(cuModuleGetFunction(nullptr, module, "nothing"));
  SHOW(cuModuleGetFunction(&function, module, nullptr));
  SHOW(cuModuleGetGlobal(&x, &bytes, module, "nothing"));
  NEED(cuModuleGetFunction(&nothing, module, "nothing"));
  NEED(cuModuleGetFunction(&combine, module, "combine"));

  SHOW(cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  SHOW(cuLaunchKernel(reinterpret_cast<CUfunction>(&value), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  SHOW(cuLaunchKernel(nothing, 1, 1, 1, 2000, 1, 1, 0, nullptr, nullptr, nullptr));
  SHOW(cuLaunchKernel(nothing, 0, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  SHOW(cuLaunchKernel(combine, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  char small[4] = {};
  size_t small_bytes = sizeof small;
  void* parameters[] = {small};
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, small, CU_LAUNCH_PARAM_BUFFER_SIZE, &small_bytes,
                   CU_LAUNCH_PARAM_END};
  SHOW(cuLaunchKernel(combine, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
  SHOW(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, extra));
  SHOW(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX, nothing));
  SHOW(cuStreamSynchronize(reinterpret_cast<CUstream>(&value)));
  SHOW(cuEventQuery(reinterpret_cast<CUevent>(&value)));

  SHOW(cuMemAlloc(&x, 0));
  SHOW(cuMemAlloc(&x, size_t{1} << 50));
  NEED(cuMemAlloc(&x, 64));
  SHOW(cuMemcpyHtoD(x, &value, 1000));
  SHOW(cuMemcpyDtoH(&value, reinterpret_cast<CUdeviceptr>(&value), sizeof value));
  SHOW(cuMemsetD32(x + 2, 1, 1));
  SHOW(cuMemFree(x + 4));
  NEED(cuMemFree(x));
  SHOW(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(&value)));

  SHOW(cuMemAddressReserve(&x, 1 << 21, 0, 0, 0));
  SHOW(cuArrayDestroy(nullptr));
  SHOW(cuGetErrorString(CUDA_ERROR_INVALID_CONTEXT, &text));
  std::printf("%s\n", text);
  SHOW(cuGetErrorString(static_cast<CUresult>(12345), &text));
  std::printf("%s\n", text == nullptr ? "no text" : text);
  CUdriverProcAddressQueryResult status{};
  SHOW(cuGetProcAddress("cuCtxCreate", &found, 12000, 0, &status));
  std::printf("%d %d\n", status, found != nullptr && found != reinterpret_cast<void*>(&cuCtxCreate));
  SHOW(cuGetProcAddress("cuNoSuchFunction", &found, 13000, 0, &status));
  std::printf("%d %d\n", status, found == nullptr);

  // A graph may outlive the module whose kernel it launches.
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  NEED(cuModuleLoadData(&none, ptx.c_str()));
  NEED(cuModuleGetFunction(&function, none, "nothing"));
  NEED(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  NEED(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  NEED(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr));
  NEED(cuStreamEndCapture(stream, &graph));
  NEED(cuGraphInstantiate(&executable, graph, 0));
  NEED(cuModuleUnload(none));
  SHOW(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  SHOW(cuGraphLaunch(executable, stream));
  SHOW(cuModuleUnload(none));

  CUfunction beyond = nullptr;
  NEED(cuModuleGetFunction(&beyond, module, "beyond"));
  NEED(cuMemAlloc(&x, 64));
  int far = 1 << 28;
  void* of_beyond[] = {&x, &far};
  NEED(cuLaunchKernel(beyond, 1, 1, 1, 1, 1, 1, 0, nullptr, of_beyond, nullptr));
  SHOW(cuCtxSynchronize());
  SHOW(cuMemFree(x));
  SHOW(cuModuleUnload(reinterpret_cast<CUmodule>(&value)));
  return 0;
}

int race(const std::string& folder) {
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction neighbours = nullptr;
  CUdeviceptr x = 0;
  NEED(cuInit(0));
  NEED(cuCtxCreate(&context, nullptr, 0, 0));
  NEED(cuModuleLoad(&module, (folder + "/driver_kernels.ptx").c_str()));
  NEED(cuModuleGetFunction(&neighbours, module, "neighbours"));
  NEED(cuMemAlloc(&x, 65 * sizeof(int)));
  NEED(cuMemsetD32(x, 0, 65));
  void* parameters[] = {&x};
  NEED(cuLaunchKernel(neighbours, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
  NEED(cuCtxSynchronize());
  NEED(cuMemcpyHtoD(x, parameters, 1000) == CUDA_ERROR_INVALID_VALUE ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string folder = argv[1], what = argc > 2 ? argv[2] : "";
  if (what == "misuse") return misuse(folder);
  return what == "race" ? race(folder) : work(folder);
}
