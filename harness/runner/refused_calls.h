// Answers the seccomp listener of a worker: every call that asks is refused, and remembered by name.
#pragma once

#include <vector>

#include "harness/runner/descriptor.h"
#include "harness/runner/observation.h"

namespace lanewise {

class RefusedCalls {
 public:
  /// Takes the listener a worker handed over; with none, nothing is ever reported.
  explicit RefusedCalls(Descriptor listener) : listener_(std::move(listener)) {}

  /// Readable when a call waits; -1 without a listener.
  int descriptor() const { return listener_.get(); }

  /// Refuses one waiting call.
  void answer_one();

  /// Moves out what was refused since the last time.
  std::vector<RefusedCall> take();

 private:
  Descriptor listener_;
  std::vector<RefusedCall> calls_;
};

}  // namespace lanewise
