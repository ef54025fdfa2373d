// Answers a worker's seccomp listener: every call is refused and recorded by name.
#pragma once

#include <vector>

#include "harness/runner/descriptor.h"
#include "harness/runner/session/observation.h"

namespace lanewise {

class RefusedCalls {
 public:
  /// Takes the listener passed by a worker; without one, nothing is ever reported.
  explicit RefusedCalls(Descriptor listener) : listener_(std::move(listener)) {}

  /// Readable when a call waits; -1 without a listener.
  int descriptor() const { return listener_.get(); }

  /// Refuses one waiting call.
  void answer_one();

  /// Returns the calls refused since the last call, and forgets them.
  std::vector<RefusedCall> take();

 private:
  Descriptor listener_;
  std::vector<RefusedCall> calls_;
};

}  // namespace lanewise
