// Where a problem's arrays lie in shared memory: writes the inputs there and reads back what a worker left.
#pragma once

#include <optional>
#include <vector>

#include "harness/lab/lab.h"
#include "harness/runner/observation.h"
#include "harness/runner/shared_memory.h"
#include "harness/worker/protocol.h"

namespace lanewise {

/// How a case is run.
struct CaseOptions {
  std::uint64_t instruction_budget = 0;  ///< warp instructions of a launch; 0: the virtual GPU's own
  bool wants_counts = false;             ///< what it costs is to be counted
  bool is_timed = false;                 ///< other problems follow in the same memory
};

/// Whether inputs are held against what they were before the call.
enum class InputCheck : std::uint8_t { kDone, kLeftOut };

/// The message that describes `problem` in memory of its own: where everything lies, and how much memory that takes. A
/// failure says what does not fit a message.
Expected<protocol::Prepare> lay_out(const Problem& problem, std::uint64_t instruction_budget);

/// One case, or one after the other, in the memory it is exchanged through. The offsets are the runner's own: a worker
/// is told them, never asked.
class CaseLayout {
 public:
  /// Lays out `problem`, which must stay until it is collected, and writes its inputs.
  static Expected<CaseLayout> create(const Problem& problem, const CaseOptions& options);

  /// Lays out another problem, in the same memory if it fits, and writes its inputs. It must have arrays and scalars of
  /// the same names and types in the same order; a failure says what differs.
  std::optional<Failure> renew(const Problem& problem);

  const Problem& problem() const { return *problem_; }
  const protocol::Prepare& message() const { return message_; }
  /// Of the memory; -1 if the worker has it already.
  int descriptor() const { return is_shared_ ? -1 : memory_.descriptor(); }
  void set_shared() { is_shared_ = true; }

  /// Remembers the guard bands as they are when the worker is ready.
  void remember_guards();

  /// Once fetched: outputs, guard bands and, if wanted, inputs compared with what they were. Outputs that `observation`
  /// has already are overwritten where they are as long, which saves large ones their page faults.
  void collect(InputCheck inputs, CaseObservation& observation) const;

  /// The text of findings, at most `bytes` of it; and that of counts.
  std::string report(std::uint64_t bytes) const { return text_at(message_.report_offset, bytes); }
  std::string counts(std::uint64_t bytes) const { return text_at(message_.counts_offset, bytes); }

 private:
  CaseLayout(const Problem& problem, SharedMemory memory, const protocol::Prepare& message);

  void write_inputs();
  std::string text_at(std::uint64_t offset, std::uint64_t bytes) const;
  void compare_guards(std::size_t array, CaseObservation& observation) const;

  const Problem* problem_;
  SharedMemory memory_;
  protocol::Prepare message_;
  bool is_shared_ = false;
  std::vector<std::byte> guards_;  // before and after each array, in order
};

/// The name under which the contract receives an array: "d_c" in device memory, "c_h" in host memory.
std::string contract_name(const Problem& problem, const std::string& array);

}  // namespace lanewise
