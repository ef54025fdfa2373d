// What processes share: device memory and events that one has exported and another has opened.
//
// Each process has devices of its own, so memory is shared and devices are not. Exported memory lies in a file without
// a name, which a handle says how to find: through the process that has it open. An opened event has no state of its
// own. Recording an event that other processes may know first completes all work before it, so that nobody who
// learns of the record has anything to wait for.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace vgpu::cudart {

class DeviceSet;

/// What such a file is, at its very end.
struct SharedLabel {
  enum class Kind : std::uint32_t { kMemory = 1, kEvent };

  Kind kind{};
  std::uint32_t device = 0;  ///< its number there
  std::uint64_t id[2] = {};  ///< no other file's
  std::uint64_t begin = 0;   ///< of memory: in its first page
  std::uint64_t bytes = 0;
};

class SharedFile {
 public:
  /// One with room for `pages` bytes, which are whole pages. Nothing if there is none to be had.
  static std::optional<SharedFile> make(SharedLabel label, std::uint64_t pages);
  /// The one that another process has made. `error` says why there is none: the handle is no such handle or of
  /// something that is gone (InvalidValue), or this process has made it (DeviceUninitialized, which is said of
  /// contexts, too).
  static std::optional<SharedFile> open(const char (&handle)[CUDA_IPC_HANDLE_SIZE], SharedLabel::Kind kind,
                                        cudaError_t& error);

  SharedFile(SharedFile&& other) noexcept : file_(std::exchange(other.file_, -1)), label_(other.label_) {}
  SharedFile& operator=(SharedFile&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(label_, other.label_);
    return *this;
  }
  ~SharedFile();

  int file() const { return file_; }
  const SharedLabel& label() const { return label_; }
  std::pair<std::uint64_t, std::uint64_t> id() const { return {label_.id[0], label_.id[1]}; }
  /// For another process, as long as this one has the file.
  void write_handle(char (&handle)[CUDA_IPC_HANDLE_SIZE]) const;

 private:
  SharedFile(int file, const SharedLabel& label) : file_(file), label_(label) {}

  int file_ = -1;
  SharedLabel label_;
};

/// Of one device's memory.
struct SharedMemory {
  std::map<std::uint64_t, SharedFile> exported;  ///< by address
  struct Opened {
    SharedFile file;
    unsigned times = 1;
  };
  std::map<std::uint64_t, Opened> opened;  ///< by address
};

/// A kernel's turn. Those of processes that share memory run in turns, as on a GPU: an atomic operation is never in the
/// middle of another's.
class KernelTurn {
 public:
  /// `budget` of instructions: how long the kernel may wait while no other process runs any.
  KernelTurn(const DeviceSet& devices, std::uint64_t budget);
  ~KernelTurn();
  KernelTurn(const KernelTurn&) = delete;
  KernelTurn& operator=(const KernelTurn&) = delete;

  bool is_shared() const { return !files_.empty(); }
  /// Lets others have theirs if it has lasted long, or not so long for a kernel that waits. True once that has waited
  /// for too long.
  bool yield(bool waits);

 private:
  /// Whether another process had one meanwhile.
  bool begin();
  void end();

  std::vector<int> files_;  ///< in an order that all processes agree on
  std::int64_t longest_wait_;
  std::int64_t began_ = 0, waits_since_ = 0;  ///< microseconds
};

}  // namespace vgpu::cudart
