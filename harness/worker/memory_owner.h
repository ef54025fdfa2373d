// The process that owns the device memory of a submission's cases, where a GPU is a real one. It runs nothing foreign:
// what it uploads and reads back is what the runner sent and what is there.
#pragma once

#include <string>

namespace lanewise {

/// Serves until the channel closes; returns the process's exit code.
int own_memory(int socket, const std::string& runtime);

}  // namespace lanewise
