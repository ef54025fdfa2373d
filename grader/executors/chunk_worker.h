// Works on the chunks of a folder until none is left.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "grader/executors/chunk.h"
#include "grader/executors/claim_watch.h"
#include "grader/executors/work_folder.h"

namespace lanewise {

/// Grades the submissions of a chunk. Used by several threads.
class SubmissionGrader {
 public:
  virtual ~SubmissionGrader() = default;

  /// Whether only one submission may be graded at a time; others are prepared meanwhile.
  virtual bool is_exclusive() const = 0;
  /// Does in advance the part of grade() that does not have to run alone.
  virtual void prepare(const std::filesystem::path& chunk, const ChunkSubmission& submission) = 0;
  /// Pictures go into picture_folder().
  virtual ChunkResult grade(const std::filesystem::path& chunk, const ChunkSubmission& submission) = 0;
};

/// Makes a grader for a chunk, or says why this machine cannot grade it. Called by one thread at a time.
using MakeGrader =
    std::function<Expected<std::shared_ptr<SubmissionGrader>>(const std::filesystem::path& folder, const Chunk& chunk)>;

struct WorkerOptions {
  unsigned jobs = 1;            ///< submissions at a time, of one chunk or several
  std::size_t most_chunks = 0;  ///< to claim; 0: no limit
  bool stays = false;           ///< until no other worker has a chunk: some may have to be taken over
  std::chrono::milliseconds patience = kPatience;
  const std::atomic<bool>* stop = nullptr;           ///< once it is true, nothing more is begun
  std::function<void(const std::string&)> progress;  ///< "3 chunks finished, 2 in work": called by any thread
};

struct WorkDone {
  std::size_t chunks = 0;       ///< finished
  std::size_t submissions = 0;  ///< graded
};

/// A failure means that this worker cannot go on; its chunk waits again.
Expected<WorkDone> work_on_chunks(const WorkFolder& folder, const MakeGrader& make_grader,
                                  const WorkerOptions& options);

}  // namespace lanewise
