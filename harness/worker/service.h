// The worker's side of the conversation with the runner.
#pragma once

#include <string>

namespace lanewise {

struct ServiceOptions {
  int socket = -1;
  std::string runtime;       ///< absolute path of the CUDA runtime to host submissions on
  bool has_devices = false;  ///< they are those of a virtual GPU: the socket to them comes first
};

/// Serves until the channel closes; returns the process's exit code.
int serve(const ServiceOptions& options);

/// Prints what a runner wants to know before it builds for a device: the number of devices, and of the first one
/// its compute capability and name, one a line. Returns the process's exit code.
int probe(const std::string& runtime);

}  // namespace lanewise
