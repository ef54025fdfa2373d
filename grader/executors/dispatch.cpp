// A loop: collect results, make chunks of what is in none, and keep the executor at work.
#include "grader/executors/dispatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <thread>
#include <tuple>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

class Dispatch {
 public:
  Dispatch(const DispatchRequest& request, Executor& executor)
      : request_(request), executor_(executor), watch_(request.patience) {
    for (std::size_t i = 0; i < request.submissions.size(); ++i) open_[key_of(request.submissions[i])] = i;
  }

  std::optional<Failure> run();

 private:
  using Key = std::tuple<std::string, std::string, std::string>;
  static Key key_of(const ChunkSubmission& submission) {
    return {submission.lab, submission.content, submission.terms};
  }

  std::optional<Failure> collect();
  std::optional<Failure> take_results(const fs::path& chunk, bool is_given_up);
  std::set<std::size_t> in_progress();
  std::optional<Failure> make_chunks();
  std::optional<Failure> make_chunk(const std::vector<ChunkSubmission>& submissions);
  void show_progress() const;

  const DispatchRequest& request_;
  Executor& executor_;
  ClaimWatch watch_;
  std::map<Key, std::size_t> open_;                   // submissions without a result
  std::map<Key, int> troubles_;                       // how often each could not be graded
  std::set<Key> suspects_;                            // begun in a chunk whose workers ended
  std::map<std::string, std::vector<Key>> contents_;  // of chunks that wait or are worked on, by name and attempt
  std::size_t made_ = 0;
};

std::optional<Failure> Dispatch::run() {
  const WorkFolder& folder = request_.folder;
  if (open_.empty()) {
    if (folder.is_used_by(request_.used_by)) folder.remove_all();  // left by an interrupted process
    return std::nullopt;
  }
  if (auto failure = folder.create(request_.used_by)) return failure;
  for (;;) {
    watch_.give_back_dead(folder);
    if (auto failure = collect()) return failure;
    if (open_.empty()) break;
    if (auto failure = make_chunks()) return failure;
    if (auto failure = executor_.tend(folder)) return failure;
    show_progress();
    std::this_thread::sleep_for(executor_.between_looks());
  }
  folder.remove_all();
  return std::nullopt;
}

std::optional<Failure> Dispatch::collect() {
  const WorkFolder& folder = request_.folder;
  for (const bool is_given_up : {false, true})
    for (const fs::path& chunk : is_given_up ? folder.given_up() : folder.finished()) {
      if (auto failure = take_results(chunk, is_given_up)) return failure;
      folder.remove(chunk);
    }
  return std::nullopt;
}

// Submissions without a usable result go into another chunk: alone, if they may be what ended the workers of the last
// one. A submission that one machine could not grade may be graded by another.
std::optional<Failure> Dispatch::take_results(const fs::path& folder, bool is_given_up) {
  const auto chunk = read_chunk(folder);
  if (!chunk) return std::nullopt;
  for (const ChunkSubmission& submission : chunk->submissions) {
    const auto open = open_.find(key_of(submission));
    if (open == open_.end()) continue;
    auto result = read_result(folder, submission);
    if (!result && is_given_up && chunk->submissions.size() == 1)
      result = ChunkResult{"", fmt::format("{} workers ended while they were grading it", kMostAttempts)};
    else if (result && !result->trouble.empty() && ++troubles_[open->first] < kMostAttempts)
      result.reset();
    if (!result && is_given_up && was_begun(folder, submission)) suspects_.insert(open->first);
    if (!result) continue;
    if (auto failure = request_.take(open->second, *result, picture_folder(folder, submission))) return failure;
    open_.erase(open);
  }
  return std::nullopt;
}

// Submissions in chunks that wait or are worked on. Chunks with none that is wanted are removed.
std::set<std::size_t> Dispatch::in_progress() {
  std::set<std::size_t> found;
  std::map<std::string, std::vector<Key>> contents;
  for (const auto& chunks : {request_.folder.waiting(), request_.folder.claimed()})
    for (const fs::path& chunk : chunks) {
      const std::string name = chunk.filename().string();
      const std::string own = name.substr(0, name.find('@'));
      std::vector<Key> keys;
      std::error_code error;
      if (const auto known = contents_.find(own); known != contents_.end())
        keys = known->second;
      else if (const auto read = read_chunk(chunk))
        for (const ChunkSubmission& submission : read->submissions) keys.push_back(key_of(submission));
      else if (!fs::exists(chunk, error))
        continue;  // it has just gone elsewhere, where the next look finds it
      bool is_wanted = false;
      for (const Key& key : keys)
        if (const auto open = open_.find(key); open != open_.end()) {
          is_wanted = true;
          found.insert(open->second);
        }
      if (!is_wanted) request_.folder.remove(chunk);
      contents[own] = std::move(keys);
    }
  contents_ = std::move(contents);
  return found;
}

std::optional<Failure> Dispatch::make_chunks() {
  std::set<std::size_t> found = in_progress();
  if (found.size() == open_.size()) return std::nullopt;
  // A chunk that was finished or given back in the meantime was in neither place.
  if (auto failure = collect()) return failure;
  found.merge(in_progress());
  std::set<std::size_t> missing;
  for (const auto& [key, index] : open_)
    if (found.count(index) == 0) missing.insert(index);
  const std::size_t size = executor_.chunk_size(request_.submissions.size());
  std::vector<ChunkSubmission> submissions;
  for (const std::size_t index : missing) {
    const ChunkSubmission& submission = request_.submissions[index];
    if (suspects_.count(key_of(submission)) != 0) {
      if (auto failure = make_chunk({submission})) return failure;
      continue;
    }
    submissions.push_back(submission);
    if (submissions.size() < size) continue;
    if (auto failure = make_chunk(submissions)) return failure;
    submissions.clear();
  }
  return submissions.empty() ? std::nullopt : make_chunk(submissions);
}

std::optional<Failure> Dispatch::make_chunk(const std::vector<ChunkSubmission>& submissions) {
  const Chunk chunk{request_.options, submissions};
  const std::string name = fmt::format("{}-{:04}", request_.name, ++made_);
  const auto folder = request_.folder.begin(name);
  if (!folder) return folder.failure();
  if (auto failure = request_.put_inputs(*folder, chunk)) return failure;
  return request_.folder.publish(name, chunk);
}

void Dispatch::show_progress() const {
  if (!request_.progress) return;
  std::size_t begun = 0;
  std::error_code error;
  for (const fs::path& chunk : request_.folder.claimed())
    for (fs::directory_iterator at(chunk / "results", error), end; !error && at != end; at.increment(error))
      if (at->path().extension() == ".json") ++begun;
  request_.progress(begun, executor_.state());
}

}  // namespace

std::optional<Failure> dispatch(const DispatchRequest& request, Executor& executor) {
  return Dispatch(request, executor).run();
}

}  // namespace lanewise
