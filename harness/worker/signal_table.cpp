// sigaction, signal by signal.
#include "harness/worker/signal_table.h"

namespace lanewise {

void SignalTable::remember() {
  for (int signal = 1; signal < NSIG; ++signal) {
    Entry& entry = entries_[static_cast<std::size_t>(signal)];
    entry.is_known = sigaction(signal, nullptr, &entry.action) == 0;
  }
}

void SignalTable::restore() const {
  for (int signal = 1; signal < NSIG; ++signal) {
    const Entry& entry = entries_[static_cast<std::size_t>(signal)];
    if (entry.is_known)
      sigaction(signal, &entry.action, nullptr);  // fails for SIGKILL and SIGSTOP, which nobody changes
  }
}

}  // namespace lanewise
