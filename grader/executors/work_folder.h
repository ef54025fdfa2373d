// The folder in which chunks wait, are worked on and are finished. A chunk changes hands by rename(2), and files are
// written completely or not at all, so any number of processes on any number of machines may work in one folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/executors/chunk.h"
#include "harness/lab/failure.h"

namespace lanewise {

/// A chunk whose workers ended this often without finishing it is given up.
constexpr int kMostAttempts = 3;

/// What grading a submission gave: one of the two.
struct ChunkResult {
  std::string verdict;  ///< json_report of one verdict
  std::string trouble;  ///< a sentence: why it could not be graded, through no fault of its own
};

/// One folder for each state of a chunk:
///
///     new/NAME                 being made
///     waiting/NAME.ATTEMPT     for a worker
///     claimed/NAME.ATTEMPT@WORKER
///     finished/NAME.ATTEMPT    with a result for each submission
///     given-up/NAME.ATTEMPT    after kMostAttempts; perhaps with some results
///
/// In a chunk: chunk.toml, seed_file.toml, sources/<lab>/<content>/, results/<lab>.<content>.json,
/// pictures/<lab>.<content>/. Paths that it returns may have gone to somebody else by the time they are used: using
/// them then fails.
class WorkFolder {
 public:
  explicit WorkFolder(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  /// For what workers print; need not exist.
  std::filesystem::path logs() const;

  /// Makes the folders; readable by the owner only, since hidden cases are in there. `used_by` names who makes chunks:
  /// fails if that is somebody else, or if the folder holds something else.
  std::optional<Failure> create(const std::string& used_by) const;
  /// A sentence if this is no such folder.
  std::optional<Failure> check() const;

  /// An empty folder in which the chunk NAME is to be made.
  Expected<std::filesystem::path> begin(const std::string& name) const;
  /// Adds chunk.toml to it, and lets it wait.
  std::optional<Failure> publish(const std::string& name, const Chunk& chunk) const;

  /// Sorted by name.
  std::vector<std::filesystem::path> waiting() const { return list("waiting"); }
  std::vector<std::filesystem::path> claimed() const { return list("claimed"); }
  std::vector<std::filesystem::path> finished() const { return list("finished"); }
  std::vector<std::filesystem::path> given_up() const { return list("given-up"); }

  /// Takes the first waiting chunk that nobody else takes at the same time; nothing if there is none.
  std::optional<std::filesystem::path> claim(const std::string& worker) const;
  /// Lets a claimed chunk wait again, in its next attempt if it `failed`.
  void give_back(const std::filesystem::path& claimed, bool failed) const;
  /// False if somebody else took the chunk over.
  bool finish(const std::filesystem::path& claimed) const;
  /// Removes a chunk in any state; whoever works on it notices when they keep a result.
  void remove(const std::filesystem::path& chunk) const;
  /// Removes what create() made, and everything in it.
  void remove_all() const;

 private:
  std::vector<std::filesystem::path> list(const char* state) const;

  std::filesystem::path path_;
};

/// Where a submission's pictures go, which are part of its result.
std::filesystem::path picture_folder(const std::filesystem::path& chunk, const ChunkSubmission& submission);

/// Keeps a result so that it survives a power cut; of two results of one submission, either. Fails on a full disk, or
/// if the chunk is in other hands.
std::optional<Failure> keep_result(const std::filesystem::path& chunk, const ChunkSubmission& submission,
                                   const ChunkResult& result);
/// Nothing if there is none, or if it or a picture of it is damaged.
std::optional<ChunkResult> read_result(const std::filesystem::path& chunk, const ChunkSubmission& submission);

/// That grading it has begun: a next worker leaves it for the end, in case it is what ended the last one.
void note_begun(const std::filesystem::path& chunk, const ChunkSubmission& submission);
bool was_begun(const std::filesystem::path& chunk, const ChunkSubmission& submission);

}  // namespace lanewise
