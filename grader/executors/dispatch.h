// Has submissions graded in chunks, and delivers each result once.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grader/executors/chunk.h"
#include "grader/executors/executor.h"
#include "grader/executors/work_folder.h"

namespace lanewise {

struct DispatchRequest {
  WorkFolder folder = WorkFolder({});  ///< only one process at a time may dispatch work there
  std::string used_by;                 ///< the output folder
  std::string name;                    ///< prefix of new chunks' names: no earlier dispatch may have used it
  ChunkOptions options;
  std::vector<ChunkSubmission> submissions;  ///< sorted by lab
  std::chrono::milliseconds patience = kPatience;

  /// Puts everything but chunk.toml into the folder of a new chunk.
  std::function<std::optional<Failure>(const std::filesystem::path& folder, const Chunk& chunk)> put_inputs;
  /// Takes the result of submissions[index]; its pictures are removed afterwards. Does not return before the result
  /// survives a power cut.
  std::function<std::optional<Failure>(std::size_t index, const ChunkResult& result,
                                       const std::filesystem::path& pictures)>
      take;
  /// `begun`: results in chunks that are not finished yet.
  std::function<void(std::size_t begun, const std::string& executor_state)> progress;
};

/// Returns when every result has been taken. Chunks left by an interrupted dispatch, finished or not, are used if they
/// hold wanted submissions, and removed otherwise. In the end, the folder is removed.
std::optional<Failure> dispatch(const DispatchRequest& request, Executor& executor);

}  // namespace lanewise
