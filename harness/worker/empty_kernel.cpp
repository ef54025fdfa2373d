#include "harness/worker/empty_kernel.h"

#include <chrono>

namespace lanewise {
namespace {

constexpr const char* kSource =
    ".version 6.3\n"
    ".target sm_75\n"
    ".address_size 64\n"
    ".visible .entry empty() { ret; }\n";

}  // namespace

bool EmptyKernel::load() {
  if (function_ != nullptr) return true;
  if (is_impossible_ || !runtime_.has_driver()) return false;
  CUmodule module = nullptr;
  is_impossible_ = runtime_.driver.load_module(&module, kSource) != CUDA_SUCCESS ||
                   runtime_.driver.get_function(&function_, module, "empty") != CUDA_SUCCESS;
  return !is_impossible_;
}

double EmptyKernel::seconds() {
  if (!load()) return 0;
  const auto begin = std::chrono::steady_clock::now();
  if (runtime_.driver.launch(function_, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) != CUDA_SUCCESS ||
      runtime_.synchronise() != cudaSuccess)
    return 0;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace lanewise
