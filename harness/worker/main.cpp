// lanewise-worker: hosts one submission on one CUDA runtime, on behalf of a runner, or owns the device memory that
// another one's cases are in. Not meant to be started by hand.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "harness/worker/memory_owner.h"
#include "harness/worker/protocol.h"
#include "harness/worker/service.h"

namespace {

// Out of the way of the low numbers that a submission may close by mistake.
constexpr int kSocketNumber = 200;

int usage() {
  std::fputs(
      "lanewise-worker is started by lanewise:\n"
      "  lanewise-worker --channel DESCRIPTOR --runtime FILE [--devices | --owner]\n"
      "  lanewise-worker --probe FILE\n",
      stderr);
  return lanewise::protocol::kExitUsage;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--probe") == 0) return lanewise::probe(argv[2]);
  const bool has_devices = argc == 6 && std::strcmp(argv[5], "--devices") == 0;
  const bool is_owner = argc == 6 && std::strcmp(argv[5], "--owner") == 0;
  if ((argc != 5 && !has_devices && !is_owner) || std::strcmp(argv[1], "--channel") != 0 ||
      std::strcmp(argv[3], "--runtime") != 0)
    return usage();
  const int given = static_cast<int>(std::strtol(argv[2], nullptr, 10));
  const int socket = fcntl(given, F_DUPFD_CLOEXEC, kSocketNumber);
  if (socket == -1) return usage();
  close(given);
  const int code = is_owner ? lanewise::own_memory(socket, argv[4]) : lanewise::serve({socket, argv[4], has_devices});
  // Not exit(): a submission's destructors and atexit functions have no business here any more.
  std::fflush(nullptr);
  _exit(code);
}
