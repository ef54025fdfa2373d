// Who and what from the store, the work from sources/, everything else from kept/.
#include "grader/bundle/grade_of_student.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "grader/bundle/comparison.h"
#include "grader/class/abbreviated_list.h"
#include "grader/class/course.h"
#include "grader/grading/kept_inputs.h"
#include "grader/grading/secrets.h"
#include "grader/marks/merge_marks.h"
#include "grader/workplace/workplace.h"
#include "harness/lab/lab_file.h"
#include "harness/lab/read_file.h"
#include "harness/report/json_report.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kOnceMore = "; run lanewise grade again once";
constexpr std::uintmax_t kLargestFile = 16 << 20;

class Collecting {
 public:
  Collecting(Store& store, fs::path out, const EarlierRun& run, const ChosenGrade& chosen)
      : store_(store), out_(std::move(out)), run_(run), chosen_(chosen) {}

  Expected<GradeOfStudent> run();

 private:
  std::optional<Failure> take_terms();
  std::optional<Failure> take_lab();
  std::optional<Failure> take_seed_and_course();
  std::optional<Failure> take_work();
  std::optional<Failure> take_verdict();
  Failure because(const std::string& what, const std::string& why) const;

  Store& store_;
  const fs::path out_;
  const EarlierRun& run_;
  const ChosenGrade& chosen_;
  KeptInputs inputs_;
  GradeOfStudent grade_;
};

Failure Collecting::because(const std::string& what, const std::string& why) const {
  return Failure{fmt::format("{}: {}: {}{}", shown_path(out_), what, why, kOnceMore)};
}

Expected<GradeOfStudent> Collecting::run() {
  Manifest& manifest = grade_.manifest;
  manifest.student = chosen_.student.id;
  manifest.name = chosen_.student.name;
  manifest.lab = chosen_.attempt.lab;
  manifest.content = chosen_.attempt.content;
  manifest.is_marked_late = chosen_.attempt.is_marked_late;
  manifest.attempts = chosen_.attempts;
  using Step = std::optional<Failure> (Collecting::*)();
  for (const Step step : {&Collecting::take_terms, &Collecting::take_lab, &Collecting::take_seed_and_course,
                          &Collecting::take_work, &Collecting::take_verdict})
    if (auto failure = (this->*step)()) return *std::move(failure);
  return std::move(grade_);
}

std::optional<Failure> Collecting::take_terms() {
  const std::string name = fmt::format("run {}", run_.run.number);
  const auto inputs = inputs_in_terms(run_.run.terms);
  if (!inputs) return because(name, inputs.sentence());
  inputs_ = *inputs;
  try {
    const Json terms = Json::parse(run_.run.terms);
    grade_.manifest.cases = terms.at("cases").get<std::string>();
    grade_.manifest.seed = terms.at("seed").get<std::uint64_t>();
    grade_.manifest.is_timed = !terms.at("options").at("no_timing").get<bool>();
    return std::nullopt;
  } catch (const Json::exception& error) {
    return because(name, fmt::format("its terms cannot be read ({})", error.what()));
  }
}

std::optional<Failure> Collecting::take_lab() {
  for (const auto& [path, hash] : inputs_.labs[chosen_.attempt.lab]) {
    auto content = kept_content(out_, hash);
    if (!content) return because(path, content.sentence());
    grade_.files[path] = std::move(*content);
  }
  return std::nullopt;
}

std::optional<Failure> Collecting::take_seed_and_course() {
  if (!inputs_.seed_file.empty()) {
    if (const auto whole = kept_content(out_, inputs_.seed_file); !whole)
      return because("the seed file", whole.sentence());
    auto of_lab = secrets_of_lab(kept_file(out_, inputs_.seed_file), chosen_.attempt.lab);
    if (!of_lab) return of_lab.failure();
    grade_.files[kSeedFile] = std::move(*of_lab);
  }
  if (inputs_.course.empty()) return std::nullopt;
  if (const auto whole = kept_content(out_, inputs_.course); !whole) return because("course.toml", whole.sentence());
  auto course = read_course(kept_file(out_, inputs_.course));
  if (!course) return course.failure();
  grade_.manifest.course = std::move(*course);
  return std::nullopt;
}

std::optional<Failure> Collecting::take_work() {
  LabFile lab;
  lab.id = chosen_.attempt.lab;
  for (const auto& [path, content] : grade_.files)
    if (path.rfind("labs/", 0) == 0 && fs::path(path).extension() == ".cu") lab.skeleton = fs::path(path).filename();
  if (const std::string why = trouble_with_source(out_, lab, chosen_.attempt.content); !why.empty())
    return because(chosen_.attempt.came_from, why);
  const fs::path folder = source_folder(out_, lab.id, chosen_.attempt.content);
  for (const std::string& name : {lab.skeleton, std::string("answers.toml")})
    if (auto content = read_file(folder / name, kLargestFile)) grade_.files[kHandInFolder + name] = std::move(*content);
  return std::nullopt;
}

std::optional<Failure> Collecting::take_verdict() {
  Manifest& manifest = grade_.manifest;
  const auto terms = run_.record.terms.find(manifest.lab);
  const auto stored = store_.find_as_of(
      run_.run.number,
      {manifest.lab, manifest.content, terms == run_.record.terms.end() ? std::string() : terms->second});
  if (!stored) return stored.failure();
  if (!*stored) return because("grades.db", "it does not contain the verdict behind the grade");
  const auto verdicts = read_json_report((*stored)->json);
  if (!verdicts) return because("grades.db", verdicts.sentence());
  if (verdicts->size() != 1) return because("grades.db", "the verdict behind the grade is invalid");
  manifest.verdict = verdicts->front();
  const auto marks = store_.marks(run_.run.number);
  if (!marks) return marks.failure();
  for (const auto& [answer, mark] : marks_by_answer(*marks))
    if (mark.student == manifest.student && mark.lab == manifest.lab) manifest.marks.push_back(mark);
  merge_marks(marks_by_answer(manifest.marks), manifest.student, manifest.verdict);
  manifest.backend = manifest.verdict.environment.backend;
  for (const TaskVerdict& task : manifest.verdict.tasks) manifest.tasks.push_back(task.task);
  manifest.versions = all_versions(inputs_.versions, manifest.verdict);
  return std::nullopt;
}

std::string some_of(const std::set<std::string>& names) {
  AbbreviatedList some;
  for (const std::string& name : names) some.add(name);
  return some.is_empty() ? "none" : some.text();
}

}  // namespace

Expected<ChosenGrade> choose_grade(const EarlierRun& run, const std::vector<StoredScore>& scores,
                                   const std::string& student, const std::string& lab) {
  ChosenGrade chosen;
  std::set<std::string> ids;
  for (const Student& each : run.record.students) {
    ids.insert(each.id);
    if (each.id == student) chosen.student = each;
  }
  if (chosen.student.id.empty())
    return Failure{
        fmt::format("there is no student '{}' in run {}; its students: {}", student, run.run.number, some_of(ids))};
  std::set<std::string> labs;
  for (const auto& [id, terms] : run.record.terms) labs.insert(id);
  if (labs.count(lab) == 0)
    return Failure{
        fmt::format("the lab '{}' was not graded in run {}; its labs: {}", lab, run.run.number, some_of(labs))};
  bool has_score = false;
  for (const StoredScore& score : scores) {
    if (score.student != student || score.lab != lab) continue;
    chosen.attempts.push_back(
        {safe_line(score.came_from), score.submitted, score.points, score.out_of, score.explanation, score.is_counted});
    if (!score.is_counted) continue;
    has_score = true;
    chosen.score = score;
  }
  // Equal work may have been submitted twice at the same time, once marked as late.
  bool has_attempt = false;
  for (const RecordedAttempt& attempt : run.record.attempts) {
    if (attempt.student != student || attempt.lab != lab) continue;
    has_attempt = true;
    if (attempt.content != chosen.score.content || attempt.submitted != chosen.score.submitted) continue;
    if (chosen.attempt.content.empty() || attempt.came_from == chosen.score.came_from) chosen.attempt = attempt;
  }
  if (!has_attempt) return Failure{fmt::format("{} submitted nothing for {}", student, lab)};
  if (!has_score || chosen.attempt.content.empty())
    return Failure{fmt::format("nothing that {} submitted for {} has a grade in run {}", student, lab, run.run.number)};
  return chosen;
}

Expected<GradeOfStudent> collect_grade(Store& store, const fs::path& out, const EarlierRun& run,
                                       const ChosenGrade& chosen) {
  return Collecting(store, out, run, chosen).run();
}

}  // namespace lanewise
