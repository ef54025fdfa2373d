// Where a problem's arrays lie in shared memory: writes the inputs there and reads back what a worker left.
#pragma once

#include <vector>

#include "harness/lab/lab.h"
#include "harness/runner/observation.h"
#include "harness/runner/shared_memory.h"
#include "harness/worker/protocol.h"

namespace lanewise {

/// The message that describes `problem` in memory of its own: where everything lies, and how much memory that takes. A
/// failure says what does not fit a message.
Expected<protocol::Prepare> lay_out(const Problem& problem, std::uint64_t instruction_budget);

/// One case in the memory it is exchanged through. The offsets are the runner's own: a worker is told them, never
/// asked.
class CaseLayout {
 public:
  /// Lays out `problem` (which must outlive this object) and writes its inputs.
  static Expected<CaseLayout> create(const Problem& problem, std::uint64_t instruction_budget);

  const protocol::Prepare& message() const { return message_; }
  int descriptor() const { return memory_.descriptor(); }

  /// Remembers the guard bands as they are when the worker is ready.
  void remember_guards();

  /// Once fetched: outputs, guard bands and inputs compared with what they were.
  void collect(CaseObservation& observation) const;

  /// The text of findings, at most `bytes` of it.
  std::string report(std::uint64_t bytes) const;

 private:
  CaseLayout(const Problem& problem, SharedMemory memory, const protocol::Prepare& message);

  void compare_guards(std::size_t array, CaseObservation& observation) const;

  const Problem& problem_;
  SharedMemory memory_;
  protocol::Prepare message_;
  std::vector<std::byte> guards_;  // before and after each array, in order
};

/// The name under which the contract receives an array: "d_c" in device memory, "c_h" in host memory.
std::string contract_name(const Problem& problem, const std::string& array);

}  // namespace lanewise
