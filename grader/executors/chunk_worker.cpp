// Threads that take one submission after the other, from the chunk claimed last.
#include "grader/executors/chunk_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <list>
#include <mutex>
#include <set>
#include <thread>

#include "harness/runner/interruption.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

// A chunk that this process has claimed.
struct ActiveChunk {
  fs::path folder;
  Chunk chunk;
  std::shared_ptr<SubmissionGrader> grader;
  std::vector<const ChunkSubmission*> to_do;
  std::size_t begun = 0;
  std::size_t in_work = 0;
  bool is_lost = false;  // another worker has it now
};

struct Item {
  std::shared_ptr<ActiveChunk> active;
  const ChunkSubmission* submission = nullptr;
};

class ChunkWorker {
 public:
  ChunkWorker(const WorkFolder& folder, const MakeGrader& make_grader, const WorkerOptions& options)
      : folder_(folder), make_grader_(make_grader), options_(options), watch_(options.patience) {}

  Expected<WorkDone> run();

 private:
  void work();
  std::optional<Item> next();
  bool claim();
  Expected<std::shared_ptr<SubmissionGrader>> grader_for(const fs::path& folder, const Chunk& chunk) const;
  void grade(const Item& item);
  void settle(const Item& item, const std::optional<Failure>& failure);
  void beat_hearts();
  void set_heart(const fs::path& folder, bool beats);
  void show_progress() const;

  const WorkFolder& folder_;
  const MakeGrader& make_grader_;
  const WorkerOptions& options_;

  std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::list<std::shared_ptr<ActiveChunk>> active_;
  ClaimWatch watch_;
  std::size_t claimed_ = 0;
  WorkDone done_;
  std::optional<Failure> failure_;

  // Hearts beat whatever else is waited for.
  std::mutex heart_mutex_;  // of the next three
  std::condition_variable heart_changed_;
  std::set<fs::path> hearts_;
  bool is_over_ = false;

  std::mutex turn_;  // of what must be graded alone
};

Expected<WorkDone> ChunkWorker::run() {
  std::thread heart([this] { beat_hearts(); });
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < options_.jobs; ++i) threads.emplace_back([this] { work(); });
  for (std::thread& thread : threads) thread.join();
  {
    const std::lock_guard<std::mutex> lock(heart_mutex_);
    is_over_ = true;
    heart_changed_.notify_all();
  }
  heart.join();
  for (const auto& active : active_) folder_.give_back(active->folder, false);
  if (failure_) return *failure_;
  return done_;
}

void ChunkWorker::work() try {
  while (const auto item = next()) grade(*item);
} catch (const std::exception& error) {
  const std::lock_guard<std::mutex> lock(mutex_);
  failure_ = Failure{error.what()};
  changed_.notify_all();
}

// Nothing if there is nothing more to do.
std::optional<Item> ChunkWorker::next() {
  constexpr std::chrono::milliseconds kBetweenLooks(500);
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    if (failure_ || is_interrupted() || (options_.stop != nullptr && *options_.stop)) return std::nullopt;
    for (const auto& active : active_)
      if (!active->is_lost && active->begun < active->to_do.size()) {
        ++active->in_work;
        return Item{active, active->to_do[active->begun++]};
      }
    if (claim()) continue;
    if (failure_ || !options_.stays || (options_.most_chunks != 0 && claimed_ >= options_.most_chunks))
      return std::nullopt;
    if (watch_.give_back_dead(folder_) == 0 && folder_.waiting().empty()) return std::nullopt;
    changed_.wait_for(lock, kBetweenLooks);
  }
}

Expected<std::shared_ptr<SubmissionGrader>> ChunkWorker::grader_for(const fs::path& folder, const Chunk& chunk) const
    try {
  return make_grader_(folder, chunk);
} catch (const std::exception& error) {
  return Failure{error.what()};
}

// Under the lock: the other threads have nothing else to do either.
bool ChunkWorker::claim() {
  if (options_.most_chunks != 0 && claimed_ >= options_.most_chunks) return false;
  const auto folder = folder_.claim(worker_name());
  if (!folder) return false;
  ++claimed_;
  beat_heart(*folder);
  set_heart(*folder, true);
  auto active = std::make_shared<ActiveChunk>();
  active->folder = *folder;
  auto chunk = read_chunk(*folder);
  auto grader = chunk ? grader_for(*folder, *chunk) : Expected<std::shared_ptr<SubmissionGrader>>(chunk.failure());
  if (!grader) {
    set_heart(*folder, false);
    folder_.give_back(*folder, false);
    failure_ = grader.failure();
    return false;
  }
  active->chunk = std::move(*chunk);
  active->grader = *grader;
  for (const ChunkSubmission& submission : active->chunk.submissions)
    if (!read_result(*folder, submission)) active->to_do.push_back(&submission);
  std::stable_partition(active->to_do.begin(), active->to_do.end(),
                        [&](const ChunkSubmission* each) { return !was_begun(*folder, *each); });
  if (active->to_do.empty()) {
    set_heart(*folder, false);
    if (folder_.finish(*folder)) ++done_.chunks;
  } else {
    active_.push_back(std::move(active));
  }
  show_progress();
  return true;
}

void ChunkWorker::grade(const Item& item) {
  const fs::path& folder = item.active->folder;
  SubmissionGrader& grader = *item.active->grader;
  note_begun(folder, *item.submission);
  std::error_code error;
  fs::remove_all(picture_folder(folder, *item.submission), error);  // of a worker that was interrupted
  ChunkResult result;
  try {
    grader.prepare(folder, *item.submission);
    std::unique_lock<std::mutex> turn(turn_, std::defer_lock);
    if (grader.is_exclusive()) turn.lock();
    result = grader.grade(folder, *item.submission);
  } catch (const std::exception& thrown) {  // by a lab's own code
    result = {"", thrown.what()};
  }
  if (is_interrupted()) return settle(item, Failure{"interrupted"});
  settle(item, keep_result(folder, *item.submission, result));
}

void ChunkWorker::settle(const Item& item, const std::optional<Failure>& failure) {
  ActiveChunk& active = *item.active;
  std::error_code error;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!failure) ++done_.submissions;
  // Pictures that were written since may have made the folder anew.
  if (failure && !fs::exists(active.folder / kChunkFile, error))
    active.is_lost = true;
  else if (failure && !failure_)
    failure_ = failure;
  if (--active.in_work == 0 && (active.is_lost || (!failure_ && active.begun == active.to_do.size()))) {
    set_heart(active.folder, false);
    if (active.is_lost)
      folder_.remove(active.folder);
    else if (folder_.finish(active.folder))
      ++done_.chunks;
    active_.remove(item.active);
  }
  changed_.notify_all();
  show_progress();
}

void ChunkWorker::set_heart(const fs::path& folder, bool beats) {
  const std::lock_guard<std::mutex> lock(heart_mutex_);
  if (beats)
    hearts_.insert(folder);
  else
    hearts_.erase(folder);
}

void ChunkWorker::beat_hearts() {
  std::unique_lock<std::mutex> lock(heart_mutex_);
  while (!is_over_) {
    const std::set<fs::path> hearts = hearts_;
    lock.unlock();
    for (const fs::path& folder : hearts) beat_heart(folder);
    lock.lock();
    heart_changed_.wait_for(lock, options_.patience / 8, [this] { return is_over_; });
  }
}

// Under the lock.
void ChunkWorker::show_progress() const {
  if (!options_.progress) return;
  std::size_t left = 0;
  for (const auto& active : active_) left += active->to_do.size() - active->begun + active->in_work;
  options_.progress(
      fmt::format("{} chunks finished, {} submissions graded, {} in progress", done_.chunks, done_.submissions, left));
}

}  // namespace

Expected<WorkDone> work_on_chunks(const WorkFolder& folder, const MakeGrader& make_grader,
                                  const WorkerOptions& options) {
  return ChunkWorker(folder, make_grader, options).run();
}

}  // namespace lanewise
