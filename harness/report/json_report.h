// results.json: what Gradescope and similar platforms read, plus the whole verdict.
#pragma once

#include <string>
#include <vector>

#include "harness/lab/failure.h"
#include "harness/lab/verdict.h"

namespace lanewise {

/// A lab that could not be graded, through no fault of the submission or because there is none.
struct Ungraded {
  std::string lab;
  std::string sentence;  ///< why
};

/// A lab's points under a course's terms.
struct CourseLine {
  std::string lab;
  double points = 0;
  double out_of = 0;
  std::string explanation;  ///< one line; may be empty
};

/// A superset of Gradescope's results.json
/// (https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format;
/// grader/exports/gradescope.schema.json): `score`, `execution_time` and one entry of `tests` per scored part. Cases of
/// the group "grade" have tests of their own, which Gradescope hides from students. A known time is an entry of
/// `leaderboard`. A lab that could not be graded has an entry without points that has failed and says why, so that
/// nobody takes it for a graded zero. With `course`, `score` is the sum of its points, and `output` explains them.
/// `extra_data.verdicts` holds the unchanged verdicts in the structure of harness/lab/verdict.h; `extra_data.ungraded`
/// and `extra_data.course` hold the rest.
std::string json_report(const std::vector<Verdict>& verdicts, const std::vector<Ungraded>& ungraded = {},
                        const std::vector<CourseLine>& course = {});

/// The verdicts in a results.json written by json_report of the same schema version.
Expected<std::vector<Verdict>> read_json_report(const std::string& json);

}  // namespace lanewise
