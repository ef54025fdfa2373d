// The arrays of one case: in device or pinned host memory, between guard bands, filled from and read back into shared
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/worker/entry.h"
#include "harness/worker/protocol.h"
#include "harness/worker/runtime.h"
#include "harness/worker/shared_block.h"

namespace lanewise {

/// Bytes of one element of a lanewise::DType; 1 for a number that is none. Async-signal-safe.
unsigned element_bytes(std::uint8_t dtype);

/// One array where the submission sees it, with what is around it.
struct PlacedArray {
  void* allocation = nullptr;  ///< what must be released
  std::byte* data = nullptr;   ///< null for an empty array, as cudaMalloc gives
};

/// Holds what a Prepare message describes, and what the next one in the same memory describes; releases it when
/// destroyed.
class CaseMemory {
 public:
  /// With a block, which must live as long, arrays in device memory are placed in it.
  explicit CaseMemory(const CudaRuntime& runtime, SharedBlock* block = nullptr) : runtime_(runtime), block_(block) {}
  ~CaseMemory();
  CaseMemory(const CaseMemory&) = delete;
  CaseMemory& operator=(const CaseMemory&) = delete;

  /// Maps the shared memory, checks every offset, allocates, uploads inputs, poisons outputs, lays the guard bands down
  /// and writes them into the shared memory. Takes `descriptor`. Returns a sentence, empty on success.
  ///
  /// Arrays that are placed already, in the block if there is one, are taken as they are, and nothing else is done.
  ///
  /// With -1 for `descriptor` the memory of the call before is described anew: arrays as long as before are not
  /// allocated again, but all else is done as for the first time.
  std::string prepare(const protocol::Prepare& prepare, int descriptor);

  /// Makes the outputs once more what they are before a call. Returns a sentence, empty on success.
  std::string poison_outputs();

  /// Outputs in host memory count as they are now, whatever is still under way to them.
  void settle_outputs();

  /// Writes arrays and guard bands into the shared memory. False if the device is in no state to be read.
  bool fetch();
  /// The same without the bytes of inputs.
  bool fetch_outputs();

  /// What the entry receives; valid until destruction.
  LanewiseCall call() const;

  const protocol::Prepare& description() const { return description_; }
  const std::vector<PlacedArray>& arrays() const { return placed_; }

 private:
  std::string take_placed(const protocol::Prepare& prepare);
  void take_scalars();
  std::string map(int descriptor);
  std::string check_offsets() const;
  std::string place(std::size_t index);
  std::string place_in_block();
  std::string pin(void* memory, std::uint64_t bytes);
  std::string lay_guards(std::size_t index);
  void release(std::size_t index);
  std::string upload(std::size_t index);
  bool fetch(std::size_t index);
  bool read_guards(std::size_t index);

  const CudaRuntime& runtime_;
  SharedBlock* block_;
  protocol::Prepare description_{};
  std::byte* shared_ = nullptr;
  bool is_pinned_ = false;
  bool are_outputs_settled_ = false;  ///< and in the shared memory
  std::vector<PlacedArray> placed_;
  std::vector<LanewiseArray> arrays_;
  std::vector<LanewiseScalar> scalars_;
};

}  // namespace lanewise
