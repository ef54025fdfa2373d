// Provides workers for the chunks of a folder.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "grader/executors/chunk_worker.h"
#include "grader/executors/work_folder.h"

namespace lanewise {

class Executor {
 public:
  /// Ends whatever it has started.
  virtual ~Executor() = default;

  /// Submissions per chunk if there are `submissions` in all.
  virtual std::size_t chunk_size(std::size_t submissions) const = 0;
  /// Makes sure that waiting chunks get workers. Called as often as between_looks() says. A failure means that they
  /// will get none.
  virtual std::optional<Failure> tend(const WorkFolder& folder) = 0;
  virtual std::chrono::milliseconds between_looks() const = 0;
  /// For the line of progress: "3 jobs run, 5 wait"; may be empty.
  virtual std::string state() const { return ""; }
};

/// Threads of this process: `jobs` submissions at a time.
std::unique_ptr<Executor> local_executor(MakeGrader make_grader, unsigned jobs);

/// Workers started by hand: `lanewise worker` in the folder.
std::unique_ptr<Executor> external_executor(std::size_t chunk_size);

}  // namespace lanewise
