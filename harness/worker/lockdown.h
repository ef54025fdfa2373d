// Takes from this process, for good, what hosting a submission does not need.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <string>
#include <vector>

namespace lanewise {

struct Lockdown {
  /// Descriptor through which another process sees every refused call and answers it; -1 where the system does not
  /// allow one (the calls then simply fail with EPERM). Close it once it is handed over.
  int listener = -1;
  std::string failure;  ///< a sentence if the process could not be locked down; it must then not load a submission
};

/// Ways to refuse a call.
enum class Refusal { kAskListener, kErrorOnly };

/// What the process may take from here on.
struct Allowance {
  unsigned long file_bytes;      ///< of each file
  unsigned long more_bytes = 0;  ///< mapped beyond what is mapped now, and no files in memory; 0: as many as it wants
};

/// Denies the calls of denied_calls.h, signals to others, new limits and new threads, for all threads of this process
/// and irrevocably.
Lockdown lock_down(Refusal refusal, const Allowance& allowance);

/// The filter of system calls that this installs, for the calling process; what is denied is answered by `deny`.
std::vector<sock_filter> lockdown_filter(std::uint32_t deny, const Allowance& allowance);

}  // namespace lanewise
