// The folder in which chunks wait, are worked on and are finished. Chunks are passed on by rename(2), and files are
// written completely or not at all, so any number of processes on any number of machines may work in one folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/executors/chunk.h"
#include "harness/lab/failure.h"

namespace lanewise {

/// A chunk is given up once this many workers have ended without finishing it.
constexpr int kMostAttempts = 3;

/// The outcome of grading a submission: one of the two.
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
/// pictures/<lab>.<content>/. By the time a returned path is used, another process may have taken the chunk: using the
/// path then fails.
class WorkFolder {
 public:
  explicit WorkFolder(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  /// For what workers print; need not exist.
  std::filesystem::path logs() const;

  /// Makes the folders, readable by the owner only, since they hold hidden cases. `used_by` names the maker of chunks:
  /// fails if the folder has another one, or holds something else.
  std::optional<Failure> create(const std::string& used_by) const;
  /// A failure if this is no such folder, or if anybody but this user can write there.
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
  /// False if another worker has taken the chunk over.
  bool finish(const std::filesystem::path& claimed) const;
  /// Removes a chunk in any state; its worker, if any, notices when it keeps a result.
  void remove(const std::filesystem::path& chunk) const;
  /// Whether it was create()d for `used_by`.
  bool is_used_by(const std::string& used_by) const;
  /// Removes what create() made, and everything in it.
  void remove_all() const;

 private:
  std::vector<std::filesystem::path> list(const char* state) const;

  std::filesystem::path path_;
};

/// Where a submission's pictures go, which are part of its result.
std::filesystem::path picture_folder(const std::filesystem::path& chunk, const ChunkSubmission& submission);

/// Keeps a result so that it survives a power cut; of two results of one submission, either is kept. Fails on a full
/// disk, or if another worker has the chunk.
std::optional<Failure> keep_result(const std::filesystem::path& chunk, const ChunkSubmission& submission,
                                   const ChunkResult& result);
/// Nothing if there is none, or if it or a picture of it is damaged.
std::optional<ChunkResult> read_result(const std::filesystem::path& chunk, const ChunkSubmission& submission);

/// Notes that grading it has begun: the next worker leaves it for the end, in case it is what ended the last worker.
void note_begun(const std::filesystem::path& chunk, const ChunkSubmission& submission);
bool was_begun(const std::filesystem::path& chunk, const ChunkSubmission& submission);

}  // namespace lanewise
