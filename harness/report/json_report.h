// results.json: what Gradescope and its like read, and the whole verdict beside it.
#pragma once

#include <string>
#include <vector>

#include "harness/lab/failure.h"
#include "harness/lab/verdict.h"

namespace lanewise {

/// What could not be graded, through no fault of its own or because it is not there.
struct Ungraded {
  std::string lab;
  std::string sentence;  ///< why
};

/// What a lab came to under a course's terms.
struct CourseLine {
  std::string lab;
  double points = 0;
  double out_of = 0;
  std::string explanation;  ///< one line; may be empty
};

/// A superset of Gradescope's results.json
/// (https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format;
/// grader/exports/gradescope.schema.json): `score`, `execution_time` and one entry of `tests` for each scored part.
/// Cases of the group "grade" are told of in tests of their own, which Gradescope hides from students. A known time is
/// an entry of `leaderboard`. What could not be graded has an entry without points, which is failed and says why, so
/// that nobody takes it for a graded zero. With `course`, `score` is the sum of its points, and `output` says how they
/// came about. `extra_data.verdicts` holds the verdicts as they are, in the structure of harness/lab/verdict.h;
/// `extra_data.ungraded` and `extra_data.course` the rest.
std::string json_report(const std::vector<Verdict>& verdicts, const std::vector<Ungraded>& ungraded = {},
                        const std::vector<CourseLine>& course = {});

/// The verdicts in a results.json written by json_report of the same schema version.
Expected<std::vector<Verdict>> read_json_report(const std::string& json);

}  // namespace lanewise
