// When a signal ends this process, also ends its children's sessions, which the signal does not reach.
#pragma once

#include <sys/types.h>

namespace lanewise {

/// From now on SIGINT, SIGTERM, SIGHUP and SIGQUIT, if they would end this process, first kill every process of the
/// session led by `leader`. The kernel ends the leader itself when its parent ends, but not what the leader started.
void register_leader(pid_t leader);

/// From now on the first SIGINT ends only these children, and is_interrupted() reports it: work under way can say what
/// is known so far. The second one ends this process.
void note_interruption();
bool is_interrupted();

/// Call before the leader is reaped, when its id becomes free for others.
void release_leader(pid_t leader);

}  // namespace lanewise
