// A class in which every grade is known beforehand: ladder steps, wrong files, attacks, broken and missing work.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/solutions/expectation.h"
#include "harness/lab/failure.h"

namespace lanewise {

/// What one made-up student submits for one lab.
struct MadeUpWork {
  std::string lab;
  std::string task;
  std::string title;                ///< "solutions/scan/wrong/no_barrier.cu", "empty file"
  std::string source;               ///< the whole text
  std::optional<Outline> declared;  ///< of the task; none: it must not have a verdict
  bool is_reference = false;        ///< full marks, except for the questions
};

struct MadeUpStudent {
  std::string id;  ///< "s07"
  std::string name;
  double days_late = 0;           ///< by the time of the files
  double days_counted = 0;        ///< expected in the grades: Canvas only says that something was late
  std::vector<MadeUpWork> works;  ///< one per lab
};

struct MadeUpClass {
  std::vector<std::string> names;       ///< the labs and tasks, as given to `lanewise grade`
  std::vector<MadeUpStudent> students;  ///< by id
};

/// `count` students, whose files are spread evenly over everything there is for each lab.
Expected<MadeUpClass> make_class(std::size_t count, const std::filesystem::path& labs,
                                 const std::filesystem::path& solutions, const std::filesystem::path& attacks);

/// When all labs are due, in seconds since 1970.
inline constexpr std::int64_t kDue = 1'796'083'200;  // 2026-12-01T00:00:00Z
/// The late penalty per day, in percent.
inline constexpr double kPercentADay = 10;

/// Writes under `folder`: submitted/ (folders, nested folders, loose files, downloads of Canvas and Moodle),
/// roster.csv, course.toml.
std::optional<Failure> write_class(const MadeUpClass& made_up, const std::filesystem::path& folder);

/// Replaces that student's submission for the first lab.
std::optional<Failure> change_work(const MadeUpClass& made_up, std::size_t student, const std::string& source,
                                   const std::filesystem::path& folder);

}  // namespace lanewise
