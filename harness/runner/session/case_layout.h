// Where a problem's arrays are in shared memory: writes the inputs there and reads back the worker's results.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "harness/lab/lab.h"
#include "harness/runner/session/observation.h"
#include "harness/runner/shared_memory.h"
#include "harness/worker/protocol.h"

namespace lanewise {

/// How a case is run. A worker is told none of this but that a case is timed.
struct CaseOptions {
  std::uint64_t instruction_budget = 0;  ///< warp instructions per launch; 0: the virtual GPU's default
  std::uint64_t schedule_seed = 0;       ///< for the virtual GPU; 0: blocks and warps run in their natural order
  bool wants_counts = false;             ///< its cost is to be counted
  /// Processor time of the worker's own for the call, which waiting for devices in another process does not use; 0:
  /// no limit. Ignored where the devices are in the worker.
  std::chrono::milliseconds host_limit{};
  bool is_timed = false;  ///< other problems follow in the same memory
};

/// Whether inputs are compared with their state before the call.
enum class InputCheck : std::uint8_t { kDone, kLeftOut };

/// The message that describes `problem` in memory of its own: where everything is, and how much memory it takes. A
/// failure says what does not fit into a message.
Expected<protocol::Prepare> lay_out(const Problem& problem);

/// One case, or several in turn, in the memory through which it is exchanged. The runner sets the offsets: a worker is
/// told them, never asked for them.
class CaseLayout {
 public:
  /// Lays out `problem`, which must live until it is collected, and writes its inputs.
  static Expected<CaseLayout> create(const Problem& problem, const CaseOptions& options);

  /// Lays out another problem, in the same memory if it fits, and writes its inputs. It must have arrays and scalars of
  /// the same names and types in the same order; a failure says what differs.
  std::optional<Failure> renew(const Problem& problem);

  const Problem& problem() const { return *problem_; }
  const CaseOptions& options() const { return options_; }
  const protocol::Prepare& message() const { return message_; }
  std::byte* memory() const { return memory_.data(); }
  /// Where an array is on the device. The worker then has nothing to do with its bytes, and gets none of this memory.
  void set_device_address(std::size_t array, std::uint64_t address) {
    message_.arrays[array].device_address = address;
    message_.is_placed = 1;
  }
  /// The same for all arrays, which are in a block of device memory that the worker maps: their offsets there, or 0.
  void set_block(std::uint64_t bytes, const std::uint64_t (&offsets)[protocol::kMostArrays]) {
    for (std::size_t i = 0; i < message_.array_count; ++i) set_device_address(i, offsets[i]);
    message_.block_bytes = bytes;
    message_.is_placed = 1;
  }
  /// The memory's descriptor; -1 if the worker already has it, or is to have none.
  int descriptor() const { return is_shared_ || message_.is_placed != 0 ? -1 : memory_.descriptor(); }
  void set_shared() { is_shared_ = true; }

  /// Remembers the guard bands as they are when the worker is ready.
  void remember_guards();

  /// After the fetch: collects the outputs, compares the guard bands and, if wanted, the inputs with their earlier
  /// state. Outputs already in `observation` are overwritten if the length is the same, which saves page faults.
  void collect(InputCheck inputs, CaseObservation& observation) const;

 private:
  CaseLayout(const Problem& problem, const CaseOptions& options, SharedMemory memory, const protocol::Prepare& message);

  void write_inputs();
  void compare_guards(std::size_t array, CaseObservation& observation) const;

  const Problem* problem_;
  CaseOptions options_;
  SharedMemory memory_;
  protocol::Prepare message_;
  bool is_shared_ = false;
  std::uint64_t id_;
  std::vector<std::byte> guards_;  // before and after each array, in order
};

/// The name under which the contract receives an array: "d_c" in device memory, "c_h" in host memory.
std::string contract_name(const Problem& problem, const std::string& array);

}  // namespace lanewise
