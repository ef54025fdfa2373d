// Plan, grade, score. Equal work under equal terms is one piece of work, whoever handed it in.
#include "grader/class_grading.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>

#include "datasets/sha256.h"
#include "grader/counted_attempts.h"
#include "grader/grading_terms.h"
#include "grader/lab_sources.h"
#include "harness/lab/read_file.h"
#include "harness/report/json_report.h"
#include "harness/runner/parallel.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAnswers = "answers.toml";
constexpr std::uintmax_t kLargestAnswers = 1 << 20;

std::string digest_of(std::initializer_list<std::string_view> parts) {
  Sha256 sha;
  for (const std::string_view part : parts) {
    const std::string size = fmt::format("{}\n", part.size());  // or parts could be shifted against each other
    sha.add(size.data(), size.size());
    sha.add(part.data(), part.size());
  }
  return sha.digest();
}

// One piece of work, which several students may have handed in.
struct Piece {
  const LabSelection* lab = nullptr;
  StoredKey key;
  fs::path source;
  fs::path pictures;
  std::optional<Verdict> verdict;
  std::string trouble;
  bool was_known = false;
};

// An attempt that waits for its piece.
struct Pending {
  const HandIn* hand_in = nullptr;
  std::size_t student = 0;
  std::size_t attempt = 0;  // of the student
  std::size_t piece = 0;
};

// "about 4 min left"; nothing while too little is known.
std::string time_left(std::chrono::steady_clock::duration spent, std::size_t done, std::size_t left) {
  constexpr std::size_t kEnoughToTell = 4;
  if (done < kEnoughToTell || left == 0) return "";
  const double seconds =
      std::chrono::duration<double>(spent).count() / static_cast<double>(done) * static_cast<double>(left);
  return seconds < 90 ? fmt::format(" · about {:.0f} s left", seconds)
                      : fmt::format(" · about {:.0f} min left", seconds / 60);
}

class ClassGrading {
 public:
  ClassGrading(const HandIns& hand_ins, const std::vector<LabSelection>& labs, const Course& course,
               const Workplace& workplace, Store& store, std::int64_t run, const ClassGradingOptions& options)
      : hand_ins_(hand_ins),
        labs_(labs),
        course_(course),
        workplace_(workplace),
        store_(store),
        run_(run),
        options_(options) {}

  Expected<GradedClass> grade();

 private:
  void plan();
  void plan_hand_in(const HandIn& hand_in);
  void plan_attempt(const HandIn& hand_in, const LabSource& found);
  std::optional<Failure> keep_source(const LabSelection& lab, const std::string& source, const std::string& answers,
                                     fs::path& kept) const;
  std::size_t piece_for(const LabSelection& lab, std::string content, fs::path source);
  GradeRequest request_for(const Piece& piece) const;
  void grade_pieces();
  void build_ahead();
  void grade_piece(Piece& piece);
  void show_progress();
  void fail(const Failure& failure);
  void score();

  const HandIns& hand_ins_;
  const std::vector<LabSelection>& labs_;
  const Course& course_;
  const Workplace& workplace_;
  Store& store_;
  const std::int64_t run_;
  const ClassGradingOptions& options_;

  GradedClass class_;
  std::vector<Piece> pieces_;
  std::map<std::pair<std::string, std::string>, std::size_t> piece_numbers_;  // by lab and content
  std::map<std::string, std::string> terms_;                                  // digests, by lab
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
  class_.set_aside = hand_ins_.set_aside;
  for (const LabSelection& lab : labs_) class_.labs.push_back({lab.file.id, lab.file.title, 0});
  for (const Student& student : hand_ins_.students) class_.students.push_back({student, {}});
  for (const HandIn& hand_in : hand_ins_.hand_ins)
    if (failure_.empty()) plan_hand_in(hand_in);
}

void ClassGrading::plan_hand_in(const HandIn& hand_in) {
  const LabSources found = find_lab_sources(labs_, hand_in.folder);
  for (const std::string& doubt : found.doubts) class_.set_aside.push_back({hand_in.came_from, doubt});
  for (const LabSource& source : found.sources) plan_attempt(hand_in, source);
}

void ClassGrading::plan_attempt(const HandIn& hand_in, const LabSource& found) {
  const auto text = read_file(found.source, kLargestSource);
  if (!text) return fail(text.failure());
  std::error_code error;
  const auto answers =
      fs::exists(found.answers, error) ? read_file(found.answers, kLargestAnswers) : Expected<std::string>("");
  if (!answers) return fail(answers.failure());

  const auto student = std::find_if(class_.students.begin(), class_.students.end(),
                                    [&](const GradedStudent& each) { return each.student.id == hand_in.student; });
  GradedAttempt& attempt = student->attempts.emplace_back();
  attempt.lab = found.lab->file.id;
  attempt.came_from = hand_in.came_from;
  attempt.submitted = found.handed_in;
  fs::path kept;
  if (const auto failure = keep_source(*found.lab, *text, *answers, kept)) return fail(*failure);
  const std::size_t piece = piece_for(*found.lab, kept.parent_path().filename().string(), kept);
  attempt.source = kept;
  attempt.pictures = pieces_[piece].pictures;
  pending_.push_back(
      {&hand_in, static_cast<std::size_t>(student - class_.students.begin()), student->attempts.size() - 1, piece});
}

// Under the lab's own name: messages and findings name the file, and equal work is one piece of work.
std::optional<Failure> ClassGrading::keep_source(const LabSelection& lab, const std::string& source,
                                                 const std::string& answers, fs::path& kept) const {
  const fs::path folder = options_.out / "sources" / lab.file.id / digest_of({source, answers});
  kept = folder / lab.file.skeleton;
  if (auto failure = write_report(kept, source)) return failure;
  return answers.empty() ? std::nullopt : write_report(folder / kAnswers, answers);
}

std::size_t ClassGrading::piece_for(const LabSelection& lab, std::string content, fs::path source) {
  const auto [number, is_new] = piece_numbers_.emplace(std::make_pair(lab.file.id, content), pieces_.size());
  if (!is_new) return number->second;
  Piece& piece = pieces_.emplace_back();
  piece.lab = &lab;
  piece.source = std::move(source);
  piece.pictures = options_.out / "pictures" / lab.file.id / content;
  piece.key = {lab.file.id, std::move(content), ""};
  auto terms = terms_.find(lab.file.id);
  if (terms == terms_.end())
    terms =
        terms_.emplace(lab.file.id, digest_of({grading_terms(workplace_, request_for(piece)), options_.secret_terms}))
            .first;
  piece.key.terms = terms->second;
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
  // On a GPU what others do meanwhile would be timed, too.
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
    // What goes wrong here goes wrong again, and is told, when the piece is graded.
    static_cast<void>(build_submission(request_for(pieces_[i]), workplace_.builder, workplace_.backend));
  });
}

void ClassGrading::grade_piece(Piece& piece) {
  if (!options_.is_fresh) {
    const auto known = store_.find(piece.key);
    if (!known) return fail(known.failure());
    const auto verdicts = *known ? read_json_report((*known)->json) : Expected<std::vector<Verdict>>(Failure{});
    if (verdicts && verdicts->size() == 1) {
      piece.verdict = verdicts->front();
      piece.was_known = true;
      ++known_;
      return;
    }
  }
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

void ClassGrading::show_progress() {
  if (!options_.progress) return;
  const std::size_t graded = graded_;
  const std::size_t known = known_;
  std::string text = fmt::format("{} of {} graded", graded + known, pieces_.size());
  if (known > 0) text += fmt::format(" · {} known from before", known);
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
    if (class_.backend.empty()) class_.backend = attempt.verdict->environment.device;
    attempt.score = course_score(course_, student.student.id, attempt.lab, attempt.verdict->points,
                                 attempt.verdict->max_points, attempt.submitted, pending.hand_in->is_marked_late);
    for (GradedLab& lab : class_.labs)
      if (lab.id == attempt.lab) lab.max_points = std::max(lab.max_points, attempt.verdict->max_points);
  }
  for (GradedStudent& student : class_.students) choose_counted(course_.counted, student);
}

}  // namespace

Expected<GradedClass> grade_class(const HandIns& hand_ins, const std::vector<LabSelection>& labs, const Course& course,
                                  const Workplace& workplace, Store& store, std::int64_t run,
                                  const ClassGradingOptions& options) {
  return ClassGrading(hand_ins, labs, course, workplace, store, run, options).grade();
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
