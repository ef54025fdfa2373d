// The device memory of cases where the GPU is a real one: in a process of the runner's, and mapped by workers. What the
// runner reads there is what the device holds, whatever becomes of a worker.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "harness/runner/process.h"
#include "harness/runner/session/case_layout.h"
#include "harness/worker/channel.h"

namespace lanewise {

/// For one worker, or for several that take turns: these find the same inputs at the same place in memory.
class GpuMemory {
 public:
  /// Starts the process, and does not wait for it. `worker` is lanewise-worker.
  static Expected<std::shared_ptr<GpuMemory>> start(const std::filesystem::path& worker,
                                                    const std::filesystem::path& runtime);

  /// Waits until it has started. False if it could not, or the device has no memory that two processes can map.
  bool is_ready();

  /// Puts the arrays of the case into the block: inputs, poisoned outputs, guard bands; these are in the layout's
  /// memory as well then. False if it is gone or has no room; trouble() says why.
  bool place(CaseLayout& layout, std::chrono::milliseconds limit);
  /// Brings the arrays of the case placed last, and their guard bands, back into its layout's memory. False as for
  /// place().
  bool fetch(InputCheck inputs, std::chrono::milliseconds limit);

  /// Which block it is, counted from 1: a case that needs more gets a larger one.
  int block_number() const { return block_number_; }
  /// Of that block; not the caller's.
  int block_descriptor() const { return block_.get(); }

  /// How long the device took, at the last fetch, to be free of the work of others; 0 if not known.
  double settling_seconds() const { return settling_seconds_; }
  const std::string& trouble() const { return trouble_; }

 private:
  GpuMemory(Process process, Descriptor socket) : process_(std::move(process)), socket_(std::move(socket)) {}

  template <class Message>
  bool expect(Message& message, std::chrono::milliseconds limit);

  Process process_;
  Descriptor socket_;
  Packet packet_;
  Descriptor block_;
  int block_number_ = 0;
  std::optional<bool> is_ready_;
  double settling_seconds_ = 0;
  std::string trouble_;
};

}  // namespace lanewise
