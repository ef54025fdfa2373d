// Each thread takes the next submission, grades it as `lanewise grade` does, and stores the outcome.
#include "grader/server/grading_queue.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <exception>

#include "grader/grading/digest.h"
#include "grader/server/submission_files.h"
#include "grader/workplace/grading_terms.h"
#include "harness/report/json_report.h"
#include "harness/runner/verdict/grade.h"

namespace lanewise {
namespace {

constexpr const char* kAnswers = "answers.toml";
constexpr const char* kPictures = "pictures";
constexpr int kNiceness = 10;  // inherited by the processes that a grader starts
constexpr std::chrono::seconds kAfterTrouble(3);

double reference_of(const Verdict& verdict) {
  for (const TaskVerdict& task : verdict.tasks)
    if (!task.speed.is_modelled && task.speed.reference > 0) return task.speed.reference;
  return 0;
}

}  // namespace

GradingQueue::GradingQueue(ServerStore& store, ServerLog& log, const Workplace& workplace,
                           const std::vector<LabSelection>& labs, const GradingOptions& options)
    : store_(store), log_(log), workplace_(workplace), labs_(labs), options_(options) {}

void GradingQueue::start() {
  // On a GPU, work at the same time would disturb the timing.
  const unsigned jobs = workplace_.backend.is_virtual() ? options_.jobs : 1;
  for (unsigned i = 0; i < jobs; ++i) threads_.emplace_back([this] { work(); });
}

GradingQueue::~GradingQueue() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void GradingQueue::wake() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++news_;
  }
  changed_.notify_all();
}

std::string GradingQueue::progress_of(const std::string& ticket) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = progress_.find(ticket);
  return found == progress_.end() ? "" : found->second;
}

void GradingQueue::note(const std::string& ticket, const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  progress_[ticket] = text;
}

// After trouble with the database; true: the server stops.
bool GradingQueue::rests_or_stops() {
  std::unique_lock<std::mutex> lock(mutex_);
  return changed_.wait_for(lock, kAfterTrouble, [this] { return is_stopping_; });
}

void GradingQueue::work() {
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNiceness);
  for (;;) {
    std::uint64_t known_news = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (is_stopping_) return;
      known_news = news_;
    }
    const auto next = store_.take_next(std::time(nullptr));
    if (!next) {
      log_.add({"trouble", "", "", next.sentence()});
      if (rests_or_stops()) return;
    } else if (*next) {
      store((*next)->sent.ticket, grade_or_explain(**next));
    } else {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [&] { return news_ != known_news || is_stopping_; });
    }
  }
}

// What the database cannot store now, on a full disk for instance, is kept until it can. If the server stops before
// that, the submission is graded again when it restarts.
void GradingQueue::store(const std::string& ticket, const Outcome& outcome) {
  std::string logged;
  while (const auto failure = store_.finish(ticket, outcome, std::time(nullptr))) {
    if (failure->sentence != logged) log_.add({"trouble", "", "", failure->sentence});
    logged = failure->sentence;
    note(ticket, "graded; the verdict cannot be stored yet");
    if (rests_or_stops()) return;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  progress_.erase(ticket);
}

// A lab's own code may throw; the server goes on.
Outcome GradingQueue::grade_or_explain(const Ticket& ticket) try {
  return grade(ticket);
} catch (const std::exception& error) {
  Outcome outcome;
  outcome.trouble = error.what();
  return outcome;
}

Outcome GradingQueue::grade(const Ticket& ticket) {
  Outcome outcome;
  const auto lab =
      std::find_if(labs_.begin(), labs_.end(), [&](const auto& each) { return each.file.id == ticket.sent.lab; });
  if (lab == labs_.end()) {
    outcome.trouble = fmt::format("the lab '{}' no longer exists", ticket.sent.lab);
    return outcome;
  }
  if (const std::string trouble = lab->lab->trouble ? lab->lab->trouble() : ""; !trouble.empty()) {
    outcome.trouble = trouble;
    return outcome;
  }
  const std::filesystem::path folder = folder_of_ticket(options_.course, ticket.sent.ticket);
  GradeRequest request;
  request.lab = lab->lab;
  request.file = &lab->file;
  request.source = folder / lab->file.skeleton;
  request.answers = folder / kAnswers;
  request.key = workplace_.installation.solutions / lab->file.id / kAnswers;
  request.groups = {"check", "grade"};
  request.seed = options_.seed;
  if (options_.is_timed) request.timer = time_entries;
  request.pictures = folder / kPictures;
  request.progress = [this, &ticket](const std::string& text) { note(ticket.sent.ticket, text); };
  outcome.terms =
      digest_of({observing_terms(workplace_, request), grading_terms(workplace_, request), options_.secret_terms});
  if (!ticket.is_fresh)
    if (auto known = store_.known_outcome(ticket.sent.lab, ticket.sent.content, outcome.terms); known && *known)
      return std::move(**known);
  note(ticket.sent.ticket, "compiling");
  auto verdict = lanewise::grade(request, workplace_.installation, workplace_.builder, workplace_.backend);
  if (!verdict) {
    outcome.trouble = verdict.sentence();
    return outcome;
  }
  verdict->submission = lab->file.skeleton;
  outcome.verdict = json_report({*verdict});
  outcome.pictures = ticket.sent.ticket;
  outcome.points = verdict->points;
  outcome.max_points = verdict->max_points;
  outcome.reference_ms = reference_of(*verdict);
  return outcome;
}

}  // namespace lanewise
