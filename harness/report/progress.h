// One line on a terminal that says what goes on; nothing where nobody watches.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>

namespace lanewise {

/// Rewrites a single line on standard error if that is a terminal. Safe to use from several threads. The line is gone
/// when this object is.
class Progress {
 public:
  /// `width` columns at most are written.
  Progress(int descriptor, std::size_t width);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const std::string& text);
  /// Makes room for lasting output.
  void clear();

 private:
  std::mutex mutex_;
  int descriptor_;
  std::size_t width_;
  bool is_terminal_;
  bool is_shown_ = false;
};

}  // namespace lanewise
