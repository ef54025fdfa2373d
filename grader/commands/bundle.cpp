// `lanewise bundle`: one grade as a file that holds everything needed to reproduce it.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "grader/bundle/grade_of_student.h"
#include "grader/bundle/packing.h"
#include "grader/commands/commands.h"
#include "grader/grading/digest.h"
#include "grader/grading/earlier_run.h"
#include "grader/workplace/workplace.h"
#include "harness/lab/number_text.h"
#include "harness/report/progress.h"
#include "harness/report/safe_text.h"
#include "harness/report/text_style.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

struct BundleOptions {
  std::string student;
  std::string lab;
  std::string out;
  std::string to;
};

constexpr const char* kBundleExamples = R"(
Examples:
  lanewise bundle ada scan --out grades/                      makes ada-scan.zip
  lanewise bundle ada scan --out grades/ --to complaint.zip
  lanewise reproduce ada-scan.zip                             grades it again and says whether the result is the same

The file holds the work as submitted, the lab's files and the key, the seed and the lab's hidden cases, the marks given
by hand, the effect of the course's dates and late policy, versions, and the verdict. It is made from the newest
completed run and the attempt that counts. The same grade gives the same file, byte for byte.

It is for you and other instructors: do not give it to a student while the hidden cases, the seed and the key are
secret.

Exit codes: 0 made, 2 the command line makes no sense or there is no such grade, 3 something the grade depends on was
not kept, is missing or was changed, or the folder is in use.)";

class BundleCommand {
 public:
  explicit BundleCommand(const BundleOptions& options)
      : options_(options),
        out_(fs::absolute(options.out).lexically_normal()),
        progress_(STDERR_FILENO, style_for(STDERR_FILENO).width) {}

  int run();

 private:
  int fail(int code, const std::string& sentence);
  int write(const GradeOfStudent& grade);

  const BundleOptions& options_;
  const fs::path out_;
  Progress progress_;
};

int BundleCommand::fail(int code, const std::string& sentence) {
  progress_.clear();
  std::fprintf(stderr, "lanewise bundle: %s\n", safe_line(sentence).c_str());
  return code;
}

int BundleCommand::run() {
  if (const std::string why = why_not_graded(out_); !why.empty()) return fail(kExitUsage, why);
  if (!options_.to.empty() && fs::path(options_.to).extension() != ".zip")
    return fail(kExitUsage, options_.to + ": a bundle's name must end in .zip");
  progress_.show("reading grades.db");
  const auto store = Store::open(out_);
  if (!store) return fail(kExitEnvironment, store.sentence());
  const auto earlier = earlier_run(**store, out_);
  if (!earlier) return fail(kExitEnvironment, earlier.sentence());
  if (!earlier->trouble.empty()) return fail(kExitUsage, earlier->trouble);
  const auto scores = (*store)->scores(earlier->run.number);
  if (!scores) return fail(kExitEnvironment, scores.sentence());
  const auto chosen = choose_grade(*earlier, *scores, options_.student, options_.lab);
  if (!chosen) return fail(kExitUsage, shown_path(out_) + ": " + chosen.sentence());
  const auto grade = collect_grade(**store, out_, *earlier, *chosen);
  if (!grade) return fail(kExitEnvironment, grade.sentence());
  return write(*grade);
}

int BundleCommand::write(const GradeOfStudent& grade) {
  progress_.show("packing");
  const auto zip = packed_bundle(grade.manifest, grade.files);
  if (!zip) return fail(kExitEnvironment, zip.sentence());
  const fs::path to = options_.to.empty() ? fmt::format("{}-{}.zip", options_.student, options_.lab) : options_.to;
  if (const auto failure = write_private(to, *zip)) return fail(kExitEnvironment, failure->sentence);
  progress_.clear();
  const BundledAttempt& attempt = attempt_that_counts(grade.manifest);
  fmt::print("{}  {} · {}: {} of {}, {} files, {} bytes\nSHA-256 {}\n", shown_path(to), grade.manifest.student,
             grade.manifest.lab, points_text(attempt.points), points_text(attempt.out_of), grade.files.size() + 2,
             with_commas(zip->size()), sha256_of(*zip));
  return kExitDone;
}

}  // namespace

void add_bundle_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<BundleOptions>();
  CLI::App* command = app.add_subcommand("bundle", "Pack one grade with everything needed to reproduce it");
  command->footer(kBundleExamples);
  command->add_option("student", options->student, "The student's id, as in grades.csv")
      ->type_name("STUDENT")
      ->required();
  command->add_option("lab", options->lab, "The lab")->type_name("LAB")->required();
  command->add_option("--out", options->out, "Output folder of an earlier lanewise grade")
      ->type_name("DIR")
      ->required();
  command->add_option("--to", options->to, "The file to make; STUDENT-LAB.zip if not given")->type_name("FILE.zip");
  command->callback([options, &exit_code] { exit_code = BundleCommand(*options).run(); });
}

}  // namespace lanewise
