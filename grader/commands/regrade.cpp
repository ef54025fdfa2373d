// `lanewise regrade`: shows what a changed rubric would do to a class that is already graded, and, if told to, applies
// it.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "grader/commands/class_options.h"
#include "grader/commands/commands.h"
#include "grader/grading/class_session.h"
#include "grader/grading/earlier_run.h"
#include "grader/overview/class_counts.h"
#include "grader/regrade/change_tables.h"
#include "grader/regrade/class_changes.h"
#include "grader/workplace/exit_codes.h"
#include "harness/report/json_report.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kChangesFile = "regrade.csv";

struct RegradeOptions : ClassOptions {
  bool is_dry = false;
  bool is_applied = false;
};

constexpr const char* kRegradeExamples = R"(
Examples:
  lanewise regrade --out grades/                              who would change, and why
  lanewise regrade --out grades/ --course course.toml         ... under these dates and this late policy
  lanewise regrade --out grades/ --marks filled-in.csv        ... with these marks
  lanewise regrade --out grades/ --apply                      do it

For use after a change to a lab's points, cases, goals or answers, to course.toml, or to marks. The submissions are
taken from the --out folder. Options that are left out are those of the newest completed run: labs, --course,
--seed-file, --cases, --backend, --no-timing (--course "" stands for none). The reasons are also written to regrade.csv.

Without --apply, no grade and no page changes. Whatever is graded for the preview is kept in grades.db, so --apply need
not grade it again. With --apply, the result becomes a new run beside the earlier ones, and all files are rewritten.
This is refused if the work of a student who has a score is missing.

Exit codes: 0 done, 1 something could not be graded, 2 the command line makes no sense, 3 something that lanewise needs
is missing, or the output folder is in use.)";

class RegradeCommand {
 public:
  RegradeCommand(RegradeOptions& options, const CLI::App& command)
      : options_(options), command_(command), session_("lanewise regrade", options) {}

  int run();

 private:
  int open_earlier();
  int take_over_options();
  Expected<std::vector<StandingScore>> standing();
  std::string lab_left_out() const;
  int regrade();
  int show(const std::vector<ScoreChange>& changes, std::size_t scores);
  int apply(const GradedClass& graded, std::int64_t run);

  RegradeOptions& options_;
  const CLI::App& command_;
  ClassSession session_;
  StoredRun earlier_;
  ClassRecord record_;
};

int RegradeCommand::run() {
  if (const int code = open_earlier(); code != kExitDone) return code;
  if (const int code = take_over_options(); code != kExitDone) return code;
  if (const int code = session_.read_inputs(); code != kExitDone) return code;
  if (const int code = session_.open_workplace(); code != kExitDone) return code;
  if (const int code = session_.read_given_marks(record_.students); code != kExitDone) return code;
  session_.warn_of_course(record_.students);
  std::vector<std::string> labs;
  for (const auto& [lab, terms] : record_.terms) labs.push_back(lab);
  session_.keep_labs(labs);
  return regrade();
}

int RegradeCommand::open_earlier() {
  if (const std::string why = why_not_graded(session_.out()); !why.empty()) return session_.fail(kExitUsage, why);
  if (const int code = session_.open_store(); code != kExitDone) return code;
  auto earlier = earlier_run(session_.store(), session_.out());
  if (!earlier) return session_.fail(kExitEnvironment, earlier.sentence());
  if (!earlier->trouble.empty()) return session_.fail(kExitUsage, earlier->trouble);
  earlier_ = earlier->run;
  record_ = std::move(earlier->record);
  return kExitDone;
}

// Options that are not on the command line are as in the newest run.
int RegradeCommand::take_over_options() {
  const auto terms = nlohmann::json::parse(earlier_.terms, nullptr, false);
  if (!terms.is_object() || !terms.contains("options")) return kExitDone;
  const auto& options = terms.at("options");
  const auto is_given = [this](const char* name) { return command_.count(name) > 0; };
  if (!is_given("names")) options_.names = options.value("names", std::vector<std::string>());
  if (!is_given("--course")) options_.course = options.value("course", "");
  if (!is_given("--seed-file")) options_.seed_file = options.value("seed_file", "");
  if (!is_given("--backend")) options_.backend = options.value("backend", options_.backend);
  if (!is_given("--no-timing")) options_.no_timing = options.value("no_timing", false);
  if (!is_given("--cases")) options_.cases = terms.value("cases", options_.cases);
  std::error_code error;
  for (const auto& [name, file] :
       {std::pair("--course", options_.course), std::pair("--seed-file", options_.seed_file)})
    if (!is_given(name) && !file.empty() && !fs::exists(file, error))
      return session_.fail(kExitUsage,
                           fmt::format("the newest run used {} {}, which no longer exists: give {}", name, file, name));
  return kExitDone;
}

// The scores of the run, each with the verdict behind it.
Expected<std::vector<StandingScore>> RegradeCommand::standing() {
  const auto scores = session_.store().scores(earlier_.number);
  if (!scores) return scores.failure();
  const auto kept = session_.store().marks(earlier_.number);
  if (!kept) return kept.failure();
  const Marks marks = marks_by_answer(*kept);
  std::vector<StandingScore> standing;
  for (const StoredScore& score : *scores) {
    StandingScore& each = standing.emplace_back();
    each.score = score;
    const auto terms = record_.terms.find(score.lab);
    if (terms == record_.terms.end() || !score.is_counted) continue;
    const auto found = session_.store().find({score.lab, score.content, terms->second});
    if (!found) return found.failure();
    const auto verdicts = *found ? read_json_report((*found)->json) : Expected<std::vector<Verdict>>(Failure{});
    if (!verdicts || verdicts->size() != 1) continue;
    each.verdict = verdicts->front();
    merge_marks(marks, score.student, *each.verdict);
  }
  return standing;
}

// A run of only some labs would remove the others from every file.
std::string RegradeCommand::lab_left_out() const {
  for (const auto& [lab, terms] : record_.terms) {
    const auto is_it = [&id = lab](const LabSelection& each) { return each.file.id == id; };
    if (std::none_of(session_.labs().begin(), session_.labs().end(), is_it)) return lab;
  }
  return "";
}

int RegradeCommand::regrade() {
  if (const std::string lab = lab_left_out(); options_.is_applied && !lab.empty())
    return session_.fail(kExitUsage,
                         lab + " was also graded: --apply takes all labs of a run, so name them all, or none");
  const auto standing = this->standing();
  if (!standing) return session_.fail(kExitEnvironment, standing.sentence());
  const auto run = session_.begin_run(!options_.is_applied);
  if (!run) return session_.fail(kExitEnvironment, run.sentence());
  const auto graded = session_.grade(record_, *run);
  if (!graded) return session_.fail(kExitEnvironment, graded.sentence());
  const std::vector<ScoreChange> changes = class_changes(*standing, *graded);
  std::set<std::string> labs;
  for (const GradedLab& lab : graded->labs) labs.insert(lab.id);
  const auto scores = std::count_if(standing->begin(), standing->end(), [&](const StandingScore& each) {
    return each.score.is_counted && labs.count(each.score.lab) != 0;
  });
  if (const int code = show(changes, static_cast<std::size_t>(scores)); code != kExitDone) return code;
  if (!options_.is_applied) {
    for (const Trouble& trouble : count_troubles(*graded))
      session_.note(
          fmt::format("{} could not be graded: {}",
                      trouble.attempts.size() == 1 ? "1 attempt" : fmt::format("{} attempts", trouble.attempts.size()),
                      trouble.sentence));
    fmt::print("{}\nNothing has changed yet: --apply makes the changes. The reasons are also in {}.\n",
               graded_text(*graded), shown_path(session_.out() / kChangesFile));
    return count_ungraded(*graded) == 0 ? kExitDone : kExitNotGraded;
  }
  for (const ScoreChange& change : changes)
    if (change.before && !change.after)
      return session_.fail(kExitNotGraded,
                           fmt::format("nothing was applied: {} has a score for {} and could not be graded again",
                                       change.student.id, change.lab));
  return apply(*graded, *run);
}

int RegradeCommand::show(const std::vector<ScoreChange>& changes, std::size_t scores) {
  session_.clear_progress();
  const auto failure = write_report(session_.out() / kChangesFile, changes_csv(changes));
  if (failure) return session_.fail(kExitEnvironment, failure->sentence);
  std::fputs(changes_text(changes, scores, session_.style()).c_str(), stdout);
  return kExitDone;
}

int RegradeCommand::apply(const GradedClass& graded, std::int64_t run) {
  if (const auto failure = session_.keep_marks(run)) return session_.fail(kExitEnvironment, failure->sentence);
  if (const auto failure = session_.finish(record_, graded, run))
    return session_.fail(kExitEnvironment, failure->sentence);
  if (const int code = session_.write(graded); code != kExitDone) return code;
  fmt::print("{}\nApplied as run {}.\n", graded_text(graded), run);
  return count_ungraded(graded) == 0 ? kExitDone : kExitNotGraded;
}

}  // namespace

void add_regrade_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<RegradeOptions>();
  CLI::App* command =
      app.add_subcommand("regrade", "Show whose grades a changed rubric would change and why, or apply it");
  command->footer(kRegradeExamples);
  add_class_options(*command, *options, "Output folder of an earlier lanewise grade");
  CLI::Option* dry = command->add_flag("--dry-run", options->is_dry, "Change nothing (the default)");
  command->add_flag("--apply", options->is_applied, "Record it as a run in grades.db, and rewrite all files")
      ->excludes(dry);
  command->callback([options, command, &exit_code] { exit_code = RegradeCommand(*options, *command).run(); });
}

}  // namespace lanewise
