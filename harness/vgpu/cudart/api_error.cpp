// Errors: the last one, their names and descriptions.
#include "harness/vgpu/cudart/entry.h"
#include "harness/vgpu/cudart/error_table.h"

using vgpu::cudart::this_thread;

namespace {

const vgpu::cudart::ErrorRow* find(cudaError_t error) {
  for (const vgpu::cudart::ErrorRow& row : vgpu::cudart::ErrorTable())
    if (row.code == static_cast<int>(error)) return &row;
  return nullptr;
}

}  // namespace

VGPU_API cudaError_t cudaGetLastError() {
  const cudaError_t error = this_thread().last_error;
  this_thread().last_error = cudaSuccess;
  return error;
}

VGPU_API cudaError_t cudaPeekAtLastError() { return this_thread().last_error; }

VGPU_API const char* cudaGetErrorName(cudaError_t error) {
  const auto* row = find(error);
  return row != nullptr ? row->name : "unrecognized error code";
}

VGPU_API const char* cudaGetErrorString(cudaError_t error) {
  const auto* row = find(error);
  return row != nullptr ? row->description : "unrecognized error code";
}
