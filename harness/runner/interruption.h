// What a signal that ends this process takes along: the sessions of its children, which such a signal does not reach.
#pragma once

#include <sys/types.h>

namespace lanewise {

/// From here on SIGINT, SIGTERM, SIGHUP and SIGQUIT, where they would end this process, first kill every process of the
/// session that `leader` leads. The kernel ends the leader itself when its parent ends, but not what the leader
/// started.
void register_leader(pid_t leader);

/// To be called before the leader is reaped and its number is free for others.
void release_leader(pid_t leader);

}  // namespace lanewise
