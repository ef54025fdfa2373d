// When attempts were submitted, and their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "grader/class/hand_ins.h"
#include "grader/class/submission_times.h"

namespace lanewise {

struct TimedHandIn {
  std::size_t student = 0;  ///< index into the list of students
  int number = 0;           ///< of the attempt, as the student numbered it; 0: not numbered
  HandIn hand_in;           ///< its student is not filled in yet
};

/// Sets a file's modification time.
void set_time(const std::filesystem::path& file, std::int64_t seconds);

/// Times that contradict the numbers of a student's attempts become 0; then the times in submissions.csv, found at
/// `times_file`, replace those of the submissions they name. The copies' times are changed accordingly. A line that
/// matches no submission is set aside.
void settle_times(std::vector<TimedHandIn>& hand_ins, const std::vector<Student>& students,
                  const std::vector<SubmissionTime>& times, const std::string& times_file,
                  std::vector<SetAside>& set_aside);

/// By student, then by time, then by number, then by origin, where "10" comes after "9".
void sort_by_time(std::vector<TimedHandIn>& hand_ins, const std::vector<Student>& students);

}  // namespace lanewise
