// Whether the threads of this process wait for something in memory to change.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace vgpu::link {

/// Looks at where the threads are, and at their registers. One that comes back to where it was with all of its
/// registers as they were goes round a loop which only memory, or a signal, can end; one that computes has a counter or
/// an address that changes. The same goes for one that sleeps again and again at the same place.
class WaitWatch {
 public:
  /// Takes one more look at all threads but the caller's.
  void look();
  /// Whether, as far as was seen, some thread waits in a loop and none does anything else.
  bool all_wait() const;
  void forget() { threads_.clear(); }

  /// Where a thread is: its general registers, or those of them that a sleeping one shows.
  using Place = std::array<std::uint64_t, 33>;

 private:
  struct Thread {
    std::vector<Place> places;
    std::size_t returns = 0;  ///< looks that found it where it had been
    std::uint64_t turns = 0;  ///< on a processor, when it was last seen asleep
  };

  std::map<pid_t, Thread> threads_;
};

}  // namespace vgpu::link
