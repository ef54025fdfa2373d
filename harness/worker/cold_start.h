// What a timed call needs around it: the device cold and idle before, and events on both sides.
#pragma once

#include <cstddef>
#include <string>

#include "harness/worker/runtime.h"

namespace lanewise {

class ColdStart {
 public:
  explicit ColdStart(const CudaRuntime& runtime) : runtime_(runtime) {}
  ~ColdStart();
  ColdStart(const ColdStart&) = delete;
  ColdStart& operator=(const ColdStart&) = delete;

  /// Allocates and creates what it needs; to be called before a submission is loaded. Returns a sentence, empty on
  /// success.
  std::string prepare();

  /// Undoes what may persist in the L2 cache, writes twice its size so that it holds nothing of a case, and waits until
  /// the device is idle. Returns a sentence, empty on success.
  std::string bring_about();

  /// Record an event each on the legacy stream.
  void begin() { record(begin_); }
  void end() { record(end_); }

  /// Between the two, once the device is idle; 0 where events say nothing, as on the virtual GPU, whose clock is a
  /// model.
  double seconds() const;

 private:
  void record(cudaEvent_t event);

  const CudaRuntime& runtime_;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
  void* flushed_ = nullptr;
  std::size_t flushed_bytes_ = 0;
  int filling_ = 0;
  bool is_recorded_ = false;
};

}  // namespace lanewise
