// Usage: class_load [STUDENTS [SECONDS]]: how long a class waits for its tickets while its work is being graded.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "grader/server/testing/load.h"

int main(int argc, char** argv) {
  lanewise::LoadOptions options;
  if (argc > 1) options.students = std::atoi(argv[1]);
  if (argc > 2) options.seconds = std::atof(argv[2]);
  lanewise::RunningServer server(options.students, "", false);
  // Its requests come from one address, as they do from a reverse proxy.
  if (!server.start({"--proxy", "127.0.0.1"})) {
    fmt::print(stderr, "class_load: {}\n", server.trouble());
    return 1;
  }
  const lanewise::LoadResult result = lanewise::load(server, options);
  fmt::print("{} students in {} s\n", options.students, options.seconds);
  for (const auto& [what, times] : {std::pair("ticket", &result.ticket_ms), {"glance", &result.glance_ms}})
    fmt::print("{}: median {:.1f} ms, 99 % {:.1f} ms, longest {:.1f} ms\n", what, lanewise::percentile(*times, 0.5),
               lanewise::percentile(*times, 0.99), lanewise::percentile(*times, 1));
  fmt::print("failed {}, lost {}, counted twice {}\n", result.failed, result.lost, result.extra);
  return result.failed + result.lost + result.extra == 0 ? 0 : 1;
}
