// Plan, grade, score. Equal work under equal terms is graded once, whoever submitted it.
#include "grader/grading/class_grading.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>

#include "grader/executors/dispatch.h"
#include "grader/grading/counted_attempts.h"
#include "harness/report/json_report.h"
#include "harness/report/progress.h"
#include "harness/runner/verdict/task_points.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

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
               const GradingMeans& means, Store& store, std::int64_t run, const ClassGradingOptions& options)
      : record_(record), labs_(labs), course_(course), means_(means), store_(store), run_(run), options_(options) {}

  Expected<GradedClass> grade();

 private:
  void plan();
  void plan_attempt(const RecordedAttempt& recorded, const LabSelection& lab);
  std::size_t piece_for(const LabSelection& lab, const std::string& content);
  std::optional<Failure> grade_pieces();
  Expected<bool> take_known(Piece& piece);
  Expected<bool> take_rescored(Piece& piece);
  std::optional<Failure> put_inputs(const fs::path& folder, const Chunk& chunk) const;
  std::optional<Failure> take_result(Piece& piece, const ChunkResult& result, const fs::path& pictures);
  void show_progress(std::size_t begun, const std::string& executor);
  void score();

  const ClassRecord& record_;
  const std::vector<LabSelection>& labs_;
  const Course& course_;
  const GradingMeans& means_;
  Store& store_;
  const std::int64_t run_;
  const ClassGradingOptions& options_;

  GradedClass class_;
  std::vector<Piece> pieces_;
  std::map<std::pair<std::string, std::string>, std::size_t> piece_numbers_;  // by lab and content
  std::map<std::string, StoredTerms> terms_;                                  // by lab
  std::vector<Pending> pending_;
  std::chrono::steady_clock::time_point started_;
  std::size_t graded_ = 0;
  std::size_t known_ = 0;
};

Expected<GradedClass> ClassGrading::grade() {
  plan();
  if (auto failure = grade_pieces()) return *failure;
  score();
  return class_;
}

// --- the plan

void ClassGrading::plan() {
  class_.title = course_.title;
  class_.seed = means_.options.seed;
  class_.cases = means_.options.groups.count("grade") != 0 ? "grade" : "check";
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
  if (terms == terms_.end()) terms = terms_.emplace(lab.file.id, stored_terms(means_, lab)).first;
  piece.seen_under = terms->second.seen;
  piece.key.terms = terms->second.seen + terms->second.scored;
  // What was seen under other terms has pictures of its own.
  piece.pictures = options_.out / "pictures" / lab.file.id / content / terms->second.seen;
  return number->second;
}

// --- the grading

std::optional<Failure> ClassGrading::grade_pieces() {
  DispatchRequest request;
  std::vector<Piece*> unknown;
  for (Piece& piece : pieces_) {
    if (!options_.is_fresh) {
      const auto is_known = take_known(piece);
      if (!is_known) return is_known.failure();
      if (*is_known) continue;
    }
    piece.trouble = trouble_with_source(options_.out, piece.lab->file, piece.key.content);
    if (!piece.trouble.empty()) {
      ++graded_;
      continue;
    }
    if (!options_.is_fresh) {
      const auto is_rescored = take_rescored(piece);
      if (!is_rescored) return is_rescored.failure();
      if (*is_rescored) continue;
    }
    unknown.push_back(&piece);
  }
  // Of one lab after the other: its cases are made once for all of them.
  std::stable_sort(unknown.begin(), unknown.end(),
                   [](const Piece* a, const Piece* b) { return a->key.lab < b->key.lab; });
  for (const Piece* const piece : unknown)
    request.submissions.push_back({piece->key.lab, piece->key.content, piece->key.terms, piece->lab->tasks});
  request.folder = WorkFolder(options_.work.empty() ? options_.out / "work" : options_.work);
  // In a folder that is shared, the same path may be another machine's.
  std::array<char, 65> host{};
  if (!options_.work.empty()) gethostname(host.data(), host.size() - 1);
  request.used_by = fmt::format("{}:{}", host.data(), options_.out.string());
  request.name = std::to_string(run_);
  request.options = means_.options;
  request.patience = options_.patience;
  request.put_inputs = [this](const fs::path& folder, const Chunk& chunk) { return put_inputs(folder, chunk); };
  request.take = [&](std::size_t i, const ChunkResult& result, const fs::path& pictures) {
    return take_result(*unknown[i], result, pictures);
  };
  request.progress = [this](std::size_t begun, const std::string& executor) { show_progress(begun, executor); };
  if (options_.is_fresh) {
    if (auto failure = request.folder.create(request.used_by)) return failure;
    request.folder.remove_all();
  }
  started_ = std::chrono::steady_clock::now();
  return dispatch(request, *options_.executor);
}

std::optional<Failure> ClassGrading::put_inputs(const fs::path& folder, const Chunk& chunk) const {
  if (!means_.seed_file.empty())
    if (auto failure = write_private(folder / kChunkSeedFile, means_.seed_file)) return failure;
  std::error_code error;
  for (const ChunkSubmission& each : chunk.submissions) {
    const fs::path to = source_folder(folder, each.lab, each.content);
    fs::create_directories(to, error);
    fs::copy(source_folder(options_.out, each.lab, each.content), to, error);
    if (error) return Failure{fmt::format("{}: cannot be written ({})", to.string(), error.message())};
  }
  return std::nullopt;
}

std::optional<Failure> ClassGrading::take_result(Piece& piece, const ChunkResult& result, const fs::path& pictures) {
  const StoredVerdict stored{result.verdict, result.trouble};
  piece.verdict = verdict_in(stored);
  piece.trouble = stored.trouble;
  if (!piece.verdict && piece.trouble.empty()) piece.trouble = "its result cannot be read";
  std::error_code error;
  if (fs::exists(pictures, error)) {
    fs::create_directories(piece.pictures, error);
    fs::copy(pictures, piece.pictures, fs::copy_options::recursive | fs::copy_options::overwrite_existing, error);
    if (error) return Failure{fmt::format("{}: cannot be written ({})", piece.pictures.string(), error.message())};
  }
  ++graded_;
  return store_.keep(run_, piece.key, stored);
}

Expected<bool> ClassGrading::take_known(Piece& piece) {
  const auto known = store_.find(piece.key);
  if (!known) return known.failure();
  piece.verdict = verdict_in(*known);
  if (!piece.verdict) return false;
  piece.was_known = true;
  ++known_;
  return true;
}

// If only points, questions or their key have changed, nothing is run again.
Expected<bool> ClassGrading::take_rescored(Piece& piece) {
  const auto seen = store_.find_under(piece.key.lab, piece.key.content, piece.seen_under);
  if (!seen) return seen.failure();
  auto verdict = verdict_in(*seen);
  const GradeRequest request = request_for(means_, *piece.lab, piece.source.parent_path());
  if (!verdict || !rescore(request, *verdict)) return false;
  if (const auto failure = store_.keep(run_, piece.key, {json_report({*verdict}), ""})) return *failure;
  piece.verdict = std::move(verdict);
  piece.was_known = true;
  ++known_;
  return true;
}

void ClassGrading::show_progress(std::size_t begun, const std::string& executor) {
  if (!options_.progress) return;
  const std::size_t graded = graded_ + begun;
  std::string text = fmt::format("{} of {} graded", graded + known_, pieces_.size());
  if (known_ > 0) text += fmt::format(" · {} from earlier runs", known_);
  if (!executor.empty()) text += " · " + executor;
  options_.progress(text +
                    time_left(std::chrono::steady_clock::now() - started_, graded, pieces_.size() - graded - known_));
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
                                  const Course& course, const GradingMeans& means, Store& store, std::int64_t run,
                                  const ClassGradingOptions& options) {
  return ClassGrading(record, labs, course, means, store, run, options).grade();
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
