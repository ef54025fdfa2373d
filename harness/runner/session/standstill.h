// Makes a process stand still.
#pragma once

#include <sys/types.h>

namespace lanewise {

/// From construction to destruction no thread of the process runs, unless it has ended. It must be one that nobody else
/// stops or continues, and still be known by its id.
class Standstill {
 public:
  explicit Standstill(pid_t process);
  ~Standstill();
  Standstill(const Standstill&) = delete;
  Standstill& operator=(const Standstill&) = delete;

  /// False if a thread went on for longer than a second, or the id is no process's.
  bool is_complete() const { return is_complete_; }

 private:
  pid_t process_;
  bool is_complete_ = false;
};

}  // namespace lanewise
