// A competition's file to start from: three weeks, with every key explained.
#pragma once

#include <cstdint>
#include <string>

#include "harness/lab/lab_file.h"

namespace lanewise {

struct NewCompetition {
  std::string title;  ///< empty: the lab's, with the year
  const LabFile* lab = nullptr;
  std::string task;        ///< one of the lab's
  std::int64_t opens = 0;  ///< seconds since 1970 in UTC
};

/// The Monday after `now`, 8:00 in the machine's time zone.
std::int64_t next_monday(std::int64_t now);

/// The text of a competition.toml that read_competition() understands. Dates are in the machine's time zone: it ends on
/// the third Sunday at 23:59 if it opens on a Monday, and the standings are frozen three days earlier.
std::string new_competition(const NewCompetition& request);

}  // namespace lanewise
