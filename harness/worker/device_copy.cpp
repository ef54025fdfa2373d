// The two ends of the copy, filled once so that there is something to move.
#include "harness/worker/device_copy.h"

namespace lanewise {

void DeviceCopy::release() {
  for (void** end : {&from_, &to_}) {
    if (*end != nullptr) runtime_.release(*end);
    *end = nullptr;
  }
  bytes_ = 0;
}

std::string DeviceCopy::prepare(std::uint64_t bytes) {
  if (bytes == bytes_) return "";
  release();
  for (void** end : {&from_, &to_}) {
    cudaError_t error = runtime_.allocate(end, bytes);
    if (error == cudaSuccess) error = runtime_.fill(*end, 1, bytes);
    if (error == cudaSuccess) error = runtime_.synchronise();
    if (error != cudaSuccess) {
      runtime_.take_last_error();
      release();
      return describe_error(runtime_, "making room for a copy", error);
    }
    // Named memory is the harness's own, and no leak of the submission's.
    if (runtime_.is_virtual()) runtime_.vgpu.name_allocation(*end, "copied by the harness", 1);
  }
  bytes_ = bytes;
  return "";
}

}  // namespace lanewise
