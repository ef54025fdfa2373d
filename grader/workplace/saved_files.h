// Notices that files are saved, in whatever way an editor does that.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <thread>
#include <vector>

namespace lanewise {

/// Files that somebody may save at any time. They are looked at several times a second: notices of the kernel do not
/// come from another machine of a network file system.
class SavedFiles {
 public:
  explicit SavedFiles(std::vector<std::filesystem::path> files);

  /// Until end_interrupting() or the destructor, a file that is saved interrupts what this process does, as the first
  /// Ctrl-C does (note_interruption).
  void interrupt_when_saved();
  void end_interrupting();
  /// True once a file was saved in between.
  bool have_interrupted() const { return have_interrupted_.load(); }

  /// Waits until a file has been saved since this object was made, and all of them have been left alone for a moment.
  /// False if Ctrl-C was pressed instead.
  bool wait() const;

  ~SavedFiles() { end_interrupting(); }
  SavedFiles(const SavedFiles&) = delete;
  SavedFiles& operator=(const SavedFiles&) = delete;

 private:
  struct Stamp {
    std::int64_t nanoseconds = 0;  // of its last change
    off_t bytes = 0;
    ino_t node = 0;
    bool operator==(const Stamp& other) const {
      return nanoseconds == other.nanoseconds && bytes == other.bytes && node == other.node;
    }
  };
  static std::optional<Stamp> stamp_of(const std::filesystem::path& file);  // none while there is no such file
  std::vector<std::optional<Stamp>> stamps() const;

  std::vector<std::filesystem::path> files_;
  std::vector<std::optional<Stamp>> first_;
  std::thread interrupting_;
  std::atomic<bool> is_ending_{false};
  std::atomic<bool> have_interrupted_{false};
};

}  // namespace lanewise
