// `lanewise reproduce`: grades a bundle again and compares.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "grader/bundle/comparison.h"
#include "grader/bundle/packing.h"
#include "grader/bundle/reproduction.h"
#include "grader/commands/commands.h"
#include "grader/grading/graded_files.h"
#include "grader/grading/student_confinement.h"
#include "grader/workplace/temporary_folder.h"
#include "harness/report/progress.h"
#include "harness/report/safe_text.h"
#include "harness/report/text_style.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

struct ReproduceOptions {
  std::string bundle;
  bool no_sandbox = false;
};

constexpr const char* kReproduceExamples = R"(
Examples:
  lanewise reproduce ada-scan.zip

Takes a file made by `lanewise bundle` and grades the work in it again, in the sandbox, under the same terms: the same
cases (including hidden ones), seed, key, marks and late policy. It needs neither the class's folder nor the
submissions. For each part it shows the old and the new points; where they differ, it names the cases, goals and
questions responsible, and the versions and files that have changed.

Cases, points, questions and key are those in the bundle; the parts that a lab's authors wrote in C++ are those of the
installed lanewise, which reports if they have changed. A grade made on a GPU needs a GPU; its times are measured again
and are never exactly the same: times that cannot be told apart count as the same.

Exit codes: 0 the result is the same, 1 it is not, or the work could not be graded, 2 the command line makes no sense,
or the file is not a bundle, was changed, or cannot be used here, 3 something that lanewise needs is missing.)";

class ReproduceCommand {
 public:
  explicit ReproduceCommand(const ReproduceOptions& options)
      : options_(options), style_(style_for(STDOUT_FILENO)), progress_(STDERR_FILENO, style_for(STDERR_FILENO).width) {}

  int run();

 private:
  int fail(int code, const std::string& sentence);
  int fail_of_bundle(int code, const std::string& sentence);
  int grade(const UnpackedBundle& folders, const BundledLab& lab);
  int show(const Verdict& again, const Workplace& workplace, const BundledLab& lab);
  void show_differences(const std::string& heading, const std::vector<Difference>& all) const;

  const ReproduceOptions& options_;
  TextStyle style_;
  Progress progress_;
  Manifest manifest_;
};

int ReproduceCommand::fail(int code, const std::string& sentence) {
  progress_.clear();
  std::fprintf(stderr, "lanewise reproduce: %s\n", safe_line(sentence).c_str());
  return code;
}

int ReproduceCommand::fail_of_bundle(int code, const std::string& sentence) {
  return fail(code, options_.bundle + ": " + sentence);
}

void ReproduceCommand::show_differences(const std::string& heading, const std::vector<Difference>& all) const {
  if (!all.empty()) fmt::print("{}\n{}", heading, differences_text(all, style_));
}

int ReproduceCommand::run() {
  const auto folder = TemporaryFolder::create();
  if (!folder) return fail(kExitEnvironment, folder.sentence());
  const UnpackedBundle folders = {folder->path() / "files", folder->path() / "lab"};
  std::error_code error;
  fs::create_directory(folders.files, error);
  progress_.show("unpacking");
  auto manifest = unpack_bundle(options_.bundle, folders.files);
  if (!manifest) return fail(kExitUsage, manifest.sentence());
  manifest_ = std::move(*manifest);
  const auto lab = open_bundled_lab(manifest_, folders, this_installation());
  if (!lab) return fail_of_bundle(kExitUsage, lab.sentence());
  if (lab->trouble.empty()) return grade(folders, *lab);
  fail_of_bundle(kExitNotGraded, lab->trouble);
  show_differences("Files of the lab that differ here:", lab->differences);
  return kExitNotGraded;
}

int ReproduceCommand::grade(const UnpackedBundle& folders, const BundledLab& lab) {
  BackendChoice choice = BackendChoice::kVgpu;
  for (const auto& [name, value] : class_backend_choices())
    if (name == manifest_.backend) choice = value;
  const ToolchainChoice toolchain =
      manifest_.versions.count("clang") != 0 ? ToolchainChoice::kClang : ToolchainChoice::kAuto;
  auto confinement = student_confinement(this_installation(), choice, options_.no_sandbox);
  if (!confinement) return fail(kExitEnvironment, confinement.sentence());
  const auto workplace = open_workplace(lab.installation, choice, std::move(*confinement), toolchain);
  if (!workplace) return fail(kExitEnvironment, workplace.sentence());
  const auto again =
      grade_again(manifest_, folders, lab, *workplace, [this](const std::string& text) { progress_.show(text); });
  if (!again) return fail_of_bundle(kExitNotGraded, again.sentence());
  progress_.clear();
  return show(*again, *workplace, lab);
}

int ReproduceCommand::show(const Verdict& again, const Workplace& workplace, const BundledLab& lab) {
  const Comparison comparison = compare_grades(manifest_, again);
  std::map<std::string, std::string> programs = program_versions(workplace);
  programs["lanewise"] = LANEWISE_VERSION;
  std::vector<Difference> versions = differences(manifest_.versions, all_versions(programs, again));
  versions.insert(versions.end(), lab.code_differences.begin(), lab.code_differences.end());
  const std::string whose = safe_line(manifest_.student + " · " + manifest_.lab);
  fmt::print("{}\n{}", style_.utf8 ? whose : ascii_text(whose), comparison_text(comparison, style_));
  show_differences("Graded with the lab's files in the bundle; these differ here:", lab.differences);
  show_differences(comparison.is_same ? "These have changed:" : "These have changed, which may be the reason:",
                   versions);
  if (comparison.is_same) {
    fmt::print("The result is the same.\n");
    return kExitDone;
  }
  fmt::print("The result is not the same.{}\n", versions.empty()
                                                    ? " Nothing else on record has changed: does the work differ from "
                                                      "run to run, as measured times do, or was manifest.json changed?"
                                                    : "");
  return kExitNotGraded;
}

}  // namespace

void add_reproduce_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ReproduceOptions>();
  CLI::App* command =
      app.add_subcommand("reproduce", "Grade the work in a bundle again, and say whether the result is the same");
  command->footer(kReproduceExamples);
  command->add_option("bundle", options->bundle, "A file made by lanewise bundle")->type_name("FILE.zip")->required();
  command->add_flag("--no-sandbox", options->no_sandbox,
                    "Compile and run the submission as yourself, without a sandbox");
  command->callback([options, &exit_code] { exit_code = ReproduceCommand(*options).run(); });
}

}  // namespace lanewise
