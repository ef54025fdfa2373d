// results.json: what Gradescope and its like read, and the whole verdict beside it.
#pragma once

#include <string>
#include <vector>

#include "harness/lab/failure.h"
#include "harness/lab/verdict.h"

namespace lanewise {

/// A superset of Gradescope's results.json
/// (https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format): `score`, `execution_time` and one
/// entry of `tests` for each scored part. `extra_data.verdicts` holds the verdicts as they are, in the structure of
/// harness/lab/verdict.h.
std::string json_report(const std::vector<Verdict>& verdicts);

/// The verdicts in a results.json written by json_report of the same schema version.
Expected<std::vector<Verdict>> read_json_report(const std::string& json);

}  // namespace lanewise
