// Runs of one program under several schedules, and what differs between them, as findings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lanewise {

/// What the program did under one schedule.
struct ScheduleRun {
  std::uint64_t seed = 0;
  std::string report;  ///< JSON, as the virtual GPU writes it; "[]" if the program did not use it
  std::string output;  ///< what it wrote to stdout; not kept if it is the first run's
  int status = 0;      ///< as waitpid gives it
  bool prints_the_same = false;
};

/// The first run's report, with a finding more for each thing that another run does otherwise: kernels that leave other
/// values in memory, findings that the first has not, another output, another exit code. Only the first other run in
/// which it happens is named. `runs` has one at least.
std::string report_on_schedules(const std::vector<ScheduleRun>& runs);

}  // namespace lanewise
