// When attempts were handed in, and in which order they come.
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
  std::size_t student = 0;  ///< place in the list of students
  int number = 0;           ///< of the attempt, as whoever handed in numbered it; 0: not numbered
  HandIn hand_in;           ///< its student is not filled in yet
};

/// Sets a file's time of last change.
void set_time(const std::filesystem::path& file, std::int64_t seconds);

/// Times that contradict the numbers of a student's attempts become 0; then those of submissions.csv, found at
/// `times_file`, take the place of what they are of. The copies' times are changed with them. A line that means nothing
/// that was handed in is set aside.
void settle_times(std::vector<TimedHandIn>& hand_ins, const std::vector<Student>& students,
                  const std::vector<SubmissionTime>& times, const std::string& times_file,
                  std::vector<SetAside>& set_aside);

/// By student, then by time, then by number, then by where they came from, in which "10" comes after "9".
void sort_by_time(std::vector<TimedHandIn>& hand_ins, const std::vector<Student>& students);

}  // namespace lanewise
