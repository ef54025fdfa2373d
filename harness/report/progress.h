// One line on a terminal that says what goes on; in a log, a line now and then.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

namespace lanewise {

/// On a terminal, rewrites a single line, which is gone when this object is. In a file or a pipe, such as a batch job's
/// log, writes the newest text as a line of its own after each `between_lines`, so that work which is done sooner says
/// nothing. Safe to use from several threads.
class Progress {
 public:
  /// `width` columns at most are written.
  Progress(int descriptor, std::size_t width, std::chrono::milliseconds between_lines = std::chrono::seconds(30));
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const std::string& text);
  /// Makes room for lasting output.
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

/// " · about 20 s left", or minutes, where `done` pieces of work took the time `spent` and `left` are to be done;
/// nothing while too little is known, or when nothing is left.
std::string time_left(std::chrono::steady_clock::duration spent, std::size_t done, std::size_t left);

}  // namespace lanewise
