// A single progress line on a terminal; in a log, an occasional line.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

namespace lanewise {

/// On a terminal, rewrites a single line, erased in the destructor. In a file or a pipe, such as a batch job's log,
/// writes the newest text as a line once per `between_lines`, so that shorter work prints nothing. Thread-safe.
class Progress {
 public:
  /// Writes at most `width` columns.
  Progress(int descriptor, std::size_t width, std::chrono::milliseconds between_lines = std::chrono::seconds(30));
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const std::string& text);
  /// Clears the line for permanent output.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::mutex mutex_;
  int descriptor_;
  std::size_t width_;
  bool is_terminal_;
  std::chrono::milliseconds between_lines_;
  Clock::time_point last_line_;
  bool is_shown_ = false;
};

/// " · about 20 s left", or minutes, when `done` units of work took the time `spent` and `left` remain; empty while too
/// little is known or if nothing is left.
std::string time_left(std::chrono::steady_clock::duration spent, std::size_t done, std::size_t left);

}  // namespace lanewise
