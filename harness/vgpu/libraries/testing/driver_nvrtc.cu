// A program that compiles its kernel while it runs, with NVRTC, and launches it by the driver's API.
#include <nvrtc.h>

#include <string>
#include <vector>

#include "driver_check.h"

namespace {

constexpr const char* kSource = R"(
#include <cuda/std/limits>
template <class T>
__global__ void scale(T* x, T by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * by + cuda::std::numeric_limits<T>::min();
}
)";

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  nvrtcProgram program = nullptr;
  const std::string include = std::string("-I") + argv[1], cccl = include + "/cccl";
  const char* options[] = {"--gpu-architecture=compute_90", "-lineinfo", include.c_str(), cccl.c_str()};
  const char* name = nullptr;
  size_t bytes = 0;
  if (nvrtcCreateProgram(&program, kSource, "scale.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS ||
      nvrtcAddNameExpression(program, "scale<int>") != NVRTC_SUCCESS)
    return 1;
  if (nvrtcCompileProgram(program, 4, options) != NVRTC_SUCCESS) {
    nvrtcGetProgramLogSize(program, &bytes);
    std::vector<char> log(bytes);
    nvrtcGetProgramLog(program, log.data());
    std::printf("%s\n", log.data());
    return 1;
  }
  nvrtcGetPTXSize(program, &bytes);
  std::vector<char> ptx(bytes);
  if (nvrtcGetPTX(program, ptx.data()) != NVRTC_SUCCESS ||
      nvrtcGetLoweredName(program, "scale<int>", &name) != NVRTC_SUCCESS)
    return 1;

  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction scale = nullptr;
  CUdeviceptr x = 0;
  NEED(cuInit(0));
  NEED(cuDevicePrimaryCtxRetain(&context, 0));
  NEED(cuCtxSetCurrent(context));
  NEED(cuModuleLoadDataEx(&module, ptx.data(), 0, nullptr, nullptr));
  NEED(cuModuleGetFunction(&scale, module, name));
  NEED(cuMemAlloc(&x, 100 * sizeof(int)));
  NEED(cuMemsetD32(x, 5, 100));
  int by = 3, n = 100, found = 0;
  void* parameters[] = {&x, &by, &n};
  NEED(cuLaunchKernel(scale, 1, 1, 1, 128, 1, 1, 0, nullptr, parameters, nullptr));
  NEED(cuMemcpyDtoH(&found, x + 99 * sizeof(int), sizeof found));
  std::printf("scaled: %d\n", found);
  n = 101;
  NEED(cuLaunchKernel(scale, 1, 1, 1, 128, 1, 1, 0, nullptr, parameters, nullptr));
  SHOW(cuCtxSynchronize());
  NEED(cuMemFree(x));
  NEED(cuModuleUnload(module));
  nvrtcDestroyProgram(&program);
  return 0;
}
