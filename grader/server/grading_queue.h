// Grades waiting submissions, a few at a time, while the server runs.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "grader/server/server_log.h"
#include "grader/server/server_store.h"
#include "grader/workplace/workplace.h"
#include "harness/runner/find.h"

namespace lanewise {

struct GradingOptions {
  std::filesystem::path course;
  std::uint64_t seed = 1;
  std::string secret_terms;  ///< also determines verdicts: the content of the file with hidden cases
  unsigned jobs = 1;         ///< submissions graded at a time
  bool is_timed = true;      ///< on a GPU: correct submissions are timed
};

/// Grading has a lower priority than answering requests.
class GradingQueue {
 public:
  /// Everything must outlive the queue. Nothing is graded until start().
  GradingQueue(ServerStore& store, ServerLog& log, const Workplace& workplace, const std::vector<LabSelection>& labs,
               const GradingOptions& options);
  ~GradingQueue();
  GradingQueue(const GradingQueue&) = delete;
  GradingQueue& operator=(const GradingQueue&) = delete;

  void start();
  /// Call after something was added or the queue was resumed.
  void wake();
  /// What is being done for a ticket that is being graded: "compiling"; may be empty.
  std::string progress_of(const std::string& ticket);

 private:
  void work();
  Outcome grade(const Ticket& ticket);
  Outcome grade_or_explain(const Ticket& ticket);
  void store(const std::string& ticket, const Outcome& outcome);
  bool rests_or_stops();
  void note(const std::string& ticket, const std::string& text);

  ServerStore& store_;
  ServerLog& log_;
  const Workplace& workplace_;
  const std::vector<LabSelection>& labs_;
  const GradingOptions& options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t news_ = 0;  // counts calls of wake(): each thread looks once for each
  bool is_stopping_ = false;
  std::map<std::string, std::string> progress_;  // by ticket
  std::vector<std::thread> threads_;
};

}  // namespace lanewise
