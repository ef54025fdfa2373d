// Persisting lines, the flush, and the two events.
#include "harness/worker/cold_start.h"

namespace lanewise {

ColdStart::~ColdStart() {
  if (flushed_ != nullptr) runtime_.release(flushed_);
  if (!runtime_.is_virtual())
    for (cudaEvent_t event : {begin_, end_})
      if (event != nullptr) runtime_.destroy_event(event);
}

std::string ColdStart::prepare() {
  if (runtime_.is_virtual()) return "";  // every launch finds its caches empty
  int cache_bytes = 0;
  if (const cudaError_t error = runtime_.get_attribute(&cache_bytes, cudaDevAttrL2CacheSize, 0); error != cudaSuccess)
    return describe_error(runtime_, "cudaDeviceGetAttribute", error);
  flushed_bytes_ = 2 * static_cast<std::size_t>(cache_bytes);
  if (const cudaError_t error = runtime_.allocate(&flushed_, flushed_bytes_); error != cudaSuccess)
    return describe_error(runtime_, "cudaMalloc", error);
  for (cudaEvent_t* event : {&begin_, &end_})
    if (const cudaError_t error = runtime_.create_event(event); error != cudaSuccess)
      return describe_error(runtime_, "cudaEventCreate", error);
  return bring_about();
}

std::string ColdStart::bring_about() {
  is_recorded_ = false;
  if (runtime_.is_virtual()) {
    const cudaError_t error = runtime_.synchronise();
    return error == cudaSuccess ? "" : describe_error(runtime_, "cudaDeviceSynchronize", error);
  }
  // Lines that an access policy window made persisting survive a flush, however large: they must become normal first.
  // Devices without such lines refuse these calls, and need none of them.
  std::size_t set_aside = 0;
  if (runtime_.get_limit(&set_aside, cudaLimitPersistingL2CacheSize) == cudaSuccess && set_aside != 0)
    runtime_.set_limit(cudaLimitPersistingL2CacheSize, 0);
  runtime_.reset_persisting_cache();
  runtime_.take_last_error();
  // Another value each time, or there might be nothing to write.
  filling_ = (filling_ + 1) & 0xFF;
  if (const cudaError_t error = runtime_.fill(flushed_, filling_, flushed_bytes_); error != cudaSuccess)
    return describe_error(runtime_, "cudaMemset", error);
  const cudaError_t error = runtime_.synchronise();
  return error == cudaSuccess ? "" : describe_error(runtime_, "cudaDeviceSynchronize", error);
}

void ColdStart::record(cudaEvent_t event) {
  if (!runtime_.is_virtual()) is_recorded_ = runtime_.record_event(event, nullptr) == cudaSuccess;
}

double ColdStart::seconds() const {
  float milliseconds = 0;
  if (!is_recorded_ || runtime_.elapsed_time(&milliseconds, begin_, end_) != cudaSuccess) return 0;
  return static_cast<double>(milliseconds) / 1000;
}

}  // namespace lanewise
