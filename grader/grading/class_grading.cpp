// Plan, grade, score. Equal work under equal terms is graded once, whoever submitted it.
#include "grader/grading/class_grading.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>

#include "grader/grading/counted_attempts.h"
#include "grader/grading/digest.h"
#include "grader/workplace/grading_terms.h"
#include "harness/report/json_report.h"
#include "harness/report/progress.h"
#include "harness/runner/parallel.h"
#include "harness/runner/verdict/task_points.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAnswers = "answers.toml";

// Two digests of a lab's terms, which together are StoredKey::terms: points do not affect what is observed.
struct StoredTerms {
  std::string seen;  // ends in a full stop
  std::string scored;
};

// One piece of work, which several students may have submitted.
struct Piece {
  const LabSelection* lab = nullptr;
  StoredKey key;
  std::string seen_under;  // what its terms begin with
  fs::path source;
  fs::path pictures;
  std::optional<Verdict> verdict;
  std::string trouble;
  bool was_known = false;
};

// An attempt that waits for its piece.
struct Pending {
  const RecordedAttempt* recorded = nullptr;
  std::size_t student = 0;
  std::size_t attempt = 0;  // of the student
  std::size_t piece = 0;
};

// The verdict that a stored report holds; nothing if it is of another version.
std::optional<Verdict> verdict_in(const std::optional<StoredVerdict>& stored) {
  const auto verdicts = stored ? read_json_report(stored->json) : Expected<std::vector<Verdict>>(Failure{});
  return verdicts && verdicts->size() == 1 ? std::optional(verdicts->front()) : std::nullopt;
}

class ClassGrading {
 public:
  ClassGrading(const ClassRecord& record, const std::vector<LabSelection>& labs, const Course& course,
               const Workplace& workplace, Store& store, std::int64_t run, const ClassGradingOptions& options)
      : record_(record),
        labs_(labs),
        course_(course),
        workplace_(workplace),
        store_(store),
        run_(run),
        options_(options) {}

  Expected<GradedClass> grade();

 private:
  void plan();
  void plan_attempt(const RecordedAttempt& recorded, const LabSelection& lab);
  std::size_t piece_for(const LabSelection& lab, const std::string& content);
  GradeRequest request_for(const Piece& piece) const;
  void grade_pieces();
  void build_ahead();
  void grade_piece(Piece& piece);
  bool take_known(Piece& piece);
  bool take_rescored(Piece& piece);
  void show_progress();
  void fail(const Failure& failure);
  void score();

  const ClassRecord& record_;
  const std::vector<LabSelection>& labs_;
  const Course& course_;
  const Workplace& workplace_;
  Store& store_;
  const std::int64_t run_;
  const ClassGradingOptions& options_;

  GradedClass class_;
  std::vector<Piece> pieces_;
  std::map<std::pair<std::string, std::string>, std::size_t> piece_numbers_;  // by lab and content
  std::map<std::string, StoredTerms> terms_;                                  // by lab
  std::vector<Pending> pending_;
  std::chrono::steady_clock::time_point started_;
  std::atomic<std::size_t> graded_{0};
  std::atomic<std::size_t> known_{0};
  std::mutex mutex_;
  std::string failure_;  // the first, after which nothing is begun
};

Expected<GradedClass> ClassGrading::grade() {
  plan();
  if (failure_.empty()) grade_pieces();
  if (!failure_.empty()) return Failure{failure_};
  score();
  return class_;
}

void ClassGrading::fail(const Failure& failure) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failure_.empty()) failure_ = failure.sentence;
}

// --- the plan

void ClassGrading::plan() {
  class_.title = course_.title;
  class_.seed = options_.seed;
  class_.cases = options_.groups.count("grade") != 0 ? "grade" : "check";
  class_.set_aside = record_.set_aside;
  for (const LabSelection& lab : labs_) class_.labs.push_back({lab.file.id, lab.file.title, 0, ""});
  for (const Student& student : record_.students) class_.students.push_back({student, {}});
  for (const RecordedAttempt& recorded : record_.attempts)
    for (const LabSelection& lab : labs_)
      if (lab.file.id == recorded.lab) plan_attempt(recorded, lab);
  for (GradedLab& lab : class_.labs)
    if (const auto terms = terms_.find(lab.id); terms != terms_.end())
      lab.terms = terms->second.seen + terms->second.scored;
}

void ClassGrading::plan_attempt(const RecordedAttempt& recorded, const LabSelection& lab) {
  const auto student = std::find_if(class_.students.begin(), class_.students.end(),
                                    [&](const GradedStudent& each) { return each.student.id == recorded.student; });
  if (student == class_.students.end()) return;
  GradedAttempt& attempt = student->attempts.emplace_back();
  attempt.lab = recorded.lab;
  attempt.came_from = recorded.came_from;
  attempt.submitted = recorded.submitted;
  const std::size_t piece = piece_for(lab, recorded.content);
  attempt.source = pieces_[piece].source;
  attempt.pictures = pieces_[piece].pictures;
  pending_.push_back(
      {&recorded, static_cast<std::size_t>(student - class_.students.begin()), student->attempts.size() - 1, piece});
}

std::size_t ClassGrading::piece_for(const LabSelection& lab, const std::string& content) {
  const auto [number, is_new] = piece_numbers_.emplace(std::make_pair(lab.file.id, content), pieces_.size());
  if (!is_new) return number->second;
  Piece& piece = pieces_.emplace_back();
  piece.lab = &lab;
  piece.source = source_folder(options_.out, lab.file.id, content) / lab.file.skeleton;
  piece.key = {lab.file.id, content, ""};
  auto terms = terms_.find(lab.file.id);
  if (terms == terms_.end()) {
    const GradeRequest request = request_for(piece);
    terms = terms_
                .emplace(lab.file.id,
                         StoredTerms{digest_of({observing_terms(workplace_, request), options_.secret_terms}) + ".",
                                     digest_of({grading_terms(workplace_, request)})})
                .first;
  }
  piece.seen_under = terms->second.seen;
  piece.key.terms = terms->second.seen + terms->second.scored;
  // What was seen under other terms has pictures of its own.
  piece.pictures = options_.out / "pictures" / lab.file.id / content / terms->second.seen;
  return number->second;
}

GradeRequest ClassGrading::request_for(const Piece& piece) const {
  GradeRequest request;
  request.lab = piece.lab->lab;
  request.file = &piece.lab->file;
  request.source = piece.source;
  request.answers = piece.source.parent_path() / kAnswers;
  request.key = workplace_.installation.solutions / piece.lab->file.id / kAnswers;
  request.tasks = piece.lab->tasks;
  request.groups = options_.groups;
  request.seed = options_.seed;
  if (options_.is_timed) request.timer = time_entries;
  request.pictures = piece.pictures;
  return request;
}

// --- the grading

void ClassGrading::grade_pieces() {
  started_ = std::chrono::steady_clock::now();
  // On a GPU, other work would be timed, too.
  const bool is_alone = !workplace_.backend.is_virtual();
  if (is_alone) build_ahead();
  show_progress();
  run_in_parallel(pieces_.size(), is_alone ? 1 : options_.jobs, [this](std::size_t i) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!failure_.empty()) return;
    }
    grade_piece(pieces_[i]);
    show_progress();
  });
}

void ClassGrading::build_ahead() {
  run_in_parallel(pieces_.size(), options_.jobs, [this](std::size_t i) {
    // A failure here occurs again, and is reported, when the piece is graded.
    static_cast<void>(build_submission(request_for(pieces_[i]), workplace_.builder, workplace_.backend));
  });
}

void ClassGrading::grade_piece(Piece& piece) {
  if (!options_.is_fresh && take_known(piece)) return;
  piece.trouble = trouble_with_source(options_.out, piece.lab->file, piece.key.content);
  if (!piece.trouble.empty()) {
    ++graded_;
    return;
  }
  if (!options_.is_fresh && take_rescored(piece)) return;
  const auto verdict =
      lanewise::grade(request_for(piece), workplace_.installation, workplace_.builder, workplace_.backend);
  StoredVerdict stored;
  if (verdict) {
    piece.verdict = *verdict;
    piece.verdict->submission = piece.lab->file.skeleton;
    stored.json = json_report({*piece.verdict});
  } else {
    piece.trouble = stored.trouble = verdict.sentence();
  }
  if (const auto failure = store_.keep(run_, piece.key, stored)) return fail(*failure);
  ++graded_;
}

bool ClassGrading::take_known(Piece& piece) {
  const auto known = store_.find(piece.key);
  if (!known) return fail(known.failure()), true;
  piece.verdict = verdict_in(*known);
  if (!piece.verdict) return false;
  piece.was_known = true;
  ++known_;
  return true;
}

// If only points, questions or their key have changed, nothing is run again.
bool ClassGrading::take_rescored(Piece& piece) {
  const auto seen = store_.find_under(piece.key.lab, piece.key.content, piece.seen_under);
  if (!seen) return fail(seen.failure()), true;
  auto verdict = verdict_in(*seen);
  if (!verdict || !rescore(request_for(piece), *verdict)) return false;
  const StoredVerdict stored{json_report({*verdict}), ""};
  if (const auto failure = store_.keep(run_, piece.key, stored)) return fail(*failure), true;
  piece.verdict = std::move(verdict);
  piece.was_known = true;
  ++known_;
  return true;
}

void ClassGrading::show_progress() {
  if (!options_.progress) return;
  const std::size_t graded = graded_;
  const std::size_t known = known_;
  std::string text = fmt::format("{} of {} graded", graded + known, pieces_.size());
  if (known > 0) text += fmt::format(" · {} from earlier runs", known);
  options_.progress(text +
                    time_left(std::chrono::steady_clock::now() - started_, graded, pieces_.size() - graded - known));
}

// --- the scores

void ClassGrading::score() {
  for (const Pending& pending : pending_) {
    GradedStudent& student = class_.students[pending.student];
    GradedAttempt& attempt = student.attempts[pending.attempt];
    const Piece& piece = pieces_[pending.piece];
    attempt.verdict = piece.verdict;
    attempt.trouble = piece.trouble;
    attempt.was_known = piece.was_known;
    if (!attempt.verdict) continue;
    merge_marks(options_.marks, student.student.id, *attempt.verdict);
    if (class_.backend.empty()) class_.backend = attempt.verdict->environment.device;
    attempt.score = course_score(course_, student.student.id, attempt.lab, attempt.verdict->points,
                                 attempt.verdict->max_points, attempt.submitted, pending.recorded->is_marked_late);
    for (GradedLab& lab : class_.labs)
      if (lab.id == attempt.lab) lab.max_points = std::max(lab.max_points, attempt.verdict->max_points);
  }
  for (GradedStudent& student : class_.students) choose_counted(course_.counted, student);
}

}  // namespace

Expected<GradedClass> grade_class(const ClassRecord& record, const std::vector<LabSelection>& labs,
                                  const Course& course, const Workplace& workplace, Store& store, std::int64_t run,
                                  const ClassGradingOptions& options) {
  return ClassGrading(record, labs, course, workplace, store, run, options).grade();
}

std::vector<StoredScore> scores_of(const GradedClass& graded) {
  std::vector<StoredScore> scores;
  for (const GradedStudent& student : graded.students)
    for (const GradedAttempt& attempt : student.attempts) {
      if (!attempt.verdict) continue;
      scores.push_back({student.student.id, attempt.lab, attempt.source.parent_path().filename().string(),
                        attempt.came_from, attempt.submitted, attempt.score.points, attempt.score.out_of,
                        attempt.is_counted, attempt.score.explanation});
    }
  return scores;
}

}  // namespace lanewise
