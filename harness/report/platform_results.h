// results.json in the forms that the platforms of courses read.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace lanewise {

/// The value of an environment variable by its name; "" if there is none.
using Variables = std::function<std::string(const std::string&)>;

/// What json_report says in another platform's form. Tests hidden from students are left out; points are those of
/// json_report. `pictures` holds a folder per lab with the pictures that the report names; it need not exist.
struct PlatformFormat {
  const char* name;
  const char* file;  ///< what the platform calls it
  std::string (*write)(const std::string& report, const std::filesystem::path& pictures, const Variables& variables);
};

/// gradescope: `report` itself.
/// autolab (docs.autolabproject.com/lab, .../features/formatted-feedback): two lines, the last ones that an autograder
///   prints: a stage per task, then a score per lab and the scoreboard: the total, and each lab in alphabetical order.
/// prairielearn (docs.prairielearn.com/externalGrading): a score from 0 to 1 with tests and pictures, at most 1 MB; not
///   gradable, at no cost to the student, if nothing compiled or nothing could be graded.
/// classroom50 (schema classroom50/result/v1): whole points; what identifies the submission is what its runner says in
///   `variables`.
/// submitty (submitty.org/instructor/autograding/validation): validation_results.json, a score from 0 to 1 with
/// messages.
const std::vector<PlatformFormat>& platform_formats();

/// Nullptr if there is none of this name.
const PlatformFormat* platform_format(const std::string& name);

}  // namespace lanewise
