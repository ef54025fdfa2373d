// Has submissions graded in chunks, and hands over each result once.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grader/executors/chunk.h"
#include "grader/executors/executor.h"
#include "grader/executors/work_folder.h"

namespace lanewise {

struct DispatchRequest {
  WorkFolder folder = WorkFolder({});  ///< one process at a time dispatches work there
  std::string used_by;                 ///< the output folder
  std::string name;                    ///< of new chunks, before their numbers: no earlier dispatch had it
  ChunkOptions options;
  std::vector<ChunkSubmission> submissions;  ///< those of one lab beside each other
  std::chrono::milliseconds patience = kPatience;

  /// Puts everything but chunk.toml into the folder of a new chunk.
  std::function<std::optional<Failure>(const std::filesystem::path& folder, const Chunk& chunk)> put_inputs;
  /// Takes the result of submissions[index]; its pictures are removed afterwards. Does not return before the result
  /// survives a power cut.
  std::function<std::optional<Failure>(std::size_t index, const ChunkResult& result,
                                       const std::filesystem::path& pictures)>
      take;
  /// `begun`: results that exist, but are in chunks that are not finished yet.
  std::function<void(std::size_t begun, const std::string& executor_state)> progress;
};

/// Returns when every submission has been taken. Chunks of an earlier dispatch that was interrupted, finished or still
/// being worked on, count if they are of use now; others are removed. The folder is removed in the end.
std::optional<Failure> dispatch(const DispatchRequest& request, Executor& executor);

}  // namespace lanewise
