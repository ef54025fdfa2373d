// Many students at a time at a running class server: how long each request takes, and whether anything is lost.
#pragma once

#include <string>
#include <vector>

#include "grader/server/testing/running_server.h"

namespace lanewise {

struct LoadOptions {
  int students = 400;    ///< s0, s1, ... of the server's course; each submits once to a lab
  double seconds = 20;   ///< within which all of them do
  int connections = 32;  ///< at a time
  int glances = 2;       ///< how often each looks at the ticket
  std::string lab = "vecadd";
};

struct LoadResult {
  std::vector<double> ticket_ms;  ///< from a submission's sending to its ticket, ascending
  std::vector<double> glance_ms;  ///< of looking at a ticket, ascending
  int failed = 0;                 ///< requests without an answer, or with another than expected
  int lost = 0;                   ///< tickets that the student's history does not list
  int extra = 0;                  ///< entries in histories beyond the tickets that were given
};

LoadResult load(const RunningServer& server, const LoadOptions& options);

/// The value that `share` of the ascending values do not exceed.
double percentile(const std::vector<double>& ascending, double share);

}  // namespace lanewise
