// What a launcher reports to its parent about the program it started in turn.
#pragma once

#include <cstdint>

namespace lanewise {

/// Sent through the socket at Process::kLauncherNumber, in packets of this size.
struct LauncherMessage {
  enum class Kind : std::int32_t {
    kStarted,  ///< sent by the program's process itself before it executes the program: the system adds its id
    kEnded,    ///< sent by the launcher
  };
  Kind kind = Kind::kStarted;
  std::int32_t status = 0;  ///< kEnded: as returned by waitpid
};

}  // namespace lanewise
