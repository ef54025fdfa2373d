// Workers that are threads of this process, and no workers of its own where they are started by hand.
#include <algorithm>
#include <future>

#include "grader/executors/executor.h"

namespace lanewise {
namespace {

constexpr std::size_t kLargestLocalChunk = 10;

class LocalExecutor final : public Executor {
 public:
  LocalExecutor(MakeGrader make_grader, unsigned jobs) : make_grader_(std::move(make_grader)) {
    options_.jobs = jobs;
    options_.stop = &stop_;
  }
  ~LocalExecutor() override { stop_ = true; }

  // Several chunks per thread, so that threads do not wait long for the last one.
  std::size_t chunk_size(std::size_t submissions) const override {
    return std::clamp<std::size_t>(submissions / (std::size_t{4} * options_.jobs), 1, kLargestLocalChunk);
  }

  std::optional<Failure> tend(const WorkFolder& folder) override {
    if (work_.valid() && work_.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
      if (const auto done = work_.get(); !done) return done.failure();
    if (!work_.valid() && !folder.waiting().empty())
      work_ = std::async(std::launch::async, [this, folder] { return work_on_chunks(folder, make_grader_, options_); });
    return std::nullopt;
  }

  std::chrono::milliseconds between_looks() const override { return std::chrono::milliseconds(50); }

 private:
  MakeGrader make_grader_;
  WorkerOptions options_;
  std::atomic<bool> stop_{false};
  std::future<Expected<WorkDone>> work_;  // waited for by its destructor
};

class ExternalExecutor final : public Executor {
 public:
  explicit ExternalExecutor(std::size_t chunk_size) : chunk_size_(chunk_size) {}

  std::size_t chunk_size(std::size_t) const override { return chunk_size_; }
  std::optional<Failure> tend(const WorkFolder& folder) override {
    is_idle_ = !folder.waiting().empty() && folder.claimed().empty();
    return std::nullopt;
  }
  std::chrono::milliseconds between_looks() const override { return std::chrono::seconds(1); }
  std::string state() const override { return is_idle_ ? "waiting for `lanewise worker`" : ""; }

 private:
  std::size_t chunk_size_;
  bool is_idle_ = false;
};

}  // namespace

std::unique_ptr<Executor> local_executor(MakeGrader make_grader, unsigned jobs) {
  return std::make_unique<LocalExecutor>(std::move(make_grader), jobs);
}

std::unique_ptr<Executor> external_executor(std::size_t chunk_size) {
  return std::make_unique<ExternalExecutor>(chunk_size);
}

}  // namespace lanewise
