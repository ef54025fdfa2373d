// What happens on each signal, as it was before a submission could change it.
#pragma once

#include <array>
#include <csignal>

namespace lanewise {

/// A handler is code that runs without being called: one that a submission installed could work on inputs as soon as
/// they are there, outside the time that is taken. (A page it may not touch is enough to have it called.)
class SignalTable {
 public:
  /// To be called when every handler is in place that shall stay.
  void remember();

  /// Makes it so again.
  void restore() const;

 private:
  struct Entry {
    bool is_known = false;  ///< not of numbers that are no signal, or may not be looked at
    struct sigaction action {};
  };
  std::array<Entry, NSIG> entries_{};
};

}  // namespace lanewise
