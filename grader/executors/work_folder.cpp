// Renames folders, and writes files whose first line is a digest of the rest.
#include "grader/executors/work_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "datasets/sha256.h"
#include "harness/lab/read_file.h"
#include "harness/runner/descriptor.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kStates[] = {"new", "waiting", "claimed", "finished", "given-up"};
constexpr const char* kLogs = "log";
constexpr const char* kOwner = "used_by";
constexpr std::uintmax_t kLargestOwner = 1 << 16;
constexpr std::uintmax_t kLargestResult = 256 << 20;

std::string sha256(const std::string& bytes) {
  Sha256 sha;
  sha.add(bytes.data(), bytes.size());
  return sha.digest();
}

std::string file_name(const ChunkSubmission& submission) {
  return fmt::format("{}.{}", submission.lab, submission.content);
}

fs::path result_file(const fs::path& chunk, const ChunkSubmission& submission) {
  return chunk / "results" / (file_name(submission) + ".json");
}

fs::path begun_file(const fs::path& chunk, const ChunkSubmission& submission) {
  return chunk / "results" / (file_name(submission) + ".begun");
}

// 0, or an errno. The folder is not created: if it is missing, another worker has the chunk.
int write_durably(const fs::path& file, const std::string& content) {
  const fs::path aside = file.string() + fmt::format(".{}.new", getpid());
  Descriptor descriptor(open(aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!descriptor) return errno;
  int trouble = 0;
  for (std::size_t done = 0; done < content.size() && trouble == 0;) {
    const ssize_t written = write(descriptor.get(), content.data() + done, content.size() - done);
    if (written >= 0)
      done += static_cast<std::size_t>(written);
    else if (errno != EINTR)
      trouble = errno;
  }
  if (trouble == 0 && fsync(descriptor.get()) != 0) trouble = errno;
  descriptor.reset();
  if (trouble == 0 && rename(aside.c_str(), file.c_str()) != 0) trouble = errno;
  if (trouble != 0) unlink(aside.c_str());
  return trouble;
}

Failure unwritten(const fs::path& path, int trouble) {
  return {fmt::format("{}: cannot be written ({})", path.string(), std::strerror(trouble))};
}

// Digests of all files, by their paths below `folder`.
std::optional<Json> digests_below(const fs::path& folder) {
  Json digests = Json::object();
  std::error_code error;
  if (!fs::exists(folder, error)) return digests;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (!at->is_regular_file(error)) continue;
    const auto content = read_file(at->path(), kLargestResult);
    if (!content) return std::nullopt;
    digests[at->path().lexically_relative(folder).generic_string()] = sha256(*content);
  }
  return error ? std::nullopt : std::optional(digests);
}

// "12-003" and 2 of "12-003.2" or "12-003.2@worker".
std::pair<std::string, int> name_and_attempt(const fs::path& chunk) {
  const std::string name = chunk.filename().string();
  const std::string own = name.substr(0, name.find('@'));
  const std::size_t dot = own.rfind('.');
  return {own.substr(0, dot), dot == std::string::npos ? 1 : std::atoi(own.c_str() + dot + 1)};
}

}  // namespace

std::optional<Failure> WorkFolder::create(const std::string& used_by) const {
  std::error_code error;
  const auto owner = read_file(path_ / kOwner, kLargestOwner);
  if (owner && *owner != used_by)
    return Failure{fmt::format("{}: this folder holds chunks for {}; name another one", path_.string(), *owner)};
  for (fs::directory_iterator at(path_, error), end; !owner && !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name != kLogs && std::find(std::begin(kStates), std::end(kStates), name) == std::end(kStates))
      return Failure{fmt::format("{}: the folder holds something else; name a new or an empty one", path_.string())};
  }
  error.clear();
  for (const char* const state : kStates) {
    if (!error) fs::create_directories(path_ / state, error);
    if (!error) fs::permissions(path_ / state, fs::perms::owner_all, error);
  }
  if (error) return Failure{fmt::format("{}: cannot be created ({})", path_.string(), error.message())};
  const int trouble = owner ? 0 : write_durably(path_ / kOwner, used_by);
  return trouble == 0 ? std::nullopt : std::optional(unwritten(path_ / kOwner, trouble));
}

std::optional<Failure> WorkFolder::check() const {
  for (const char* const state : kStates) {
    struct stat status {};
    if (stat((path_ / state).c_str(), &status) != 0)
      return Failure{fmt::format("{}: this is no folder of chunks; `lanewise grade --out OUT` makes one, OUT/work",
                                 path_.string())};
    // A chunk says what is run, and how.
    if (status.st_uid != geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
      return Failure{fmt::format("{}: other users can put chunks there; work as the user who runs `lanewise grade`",
                                 (path_ / state).string())};
  }
  return std::nullopt;
}

Expected<fs::path> WorkFolder::begin(const std::string& name) const {
  std::error_code error;
  const fs::path folder = path_ / "new" / name;
  fs::remove_all(folder, error);  // left by an interrupted process
  fs::create_directories(folder / "results", error);
  if (error) return Failure{fmt::format("{}: cannot be created ({})", folder.string(), error.message())};
  return folder;
}

std::optional<Failure> WorkFolder::publish(const std::string& name, const Chunk& chunk) const {
  const fs::path made = path_ / "new" / name;
  const fs::path waiting = path_ / "waiting" / (name + ".1");
  int trouble = write_durably(made / kChunkFile, chunk_toml(chunk));
  if (trouble == 0 && rename(made.c_str(), waiting.c_str()) != 0) trouble = errno;
  return trouble == 0 ? std::nullopt : std::optional(unwritten(waiting, trouble));
}

fs::path WorkFolder::logs() const { return path_ / kLogs; }

std::vector<fs::path> WorkFolder::list(const char* state) const {
  std::vector<fs::path> chunks;
  std::error_code error;
  for (fs::directory_iterator at(path_ / state, error), end; !error && at != end; at.increment(error))
    chunks.push_back(at->path());
  std::sort(chunks.begin(), chunks.end());
  return chunks;
}

std::optional<fs::path> WorkFolder::claim(const std::string& worker) const {
  for (const fs::path& chunk : waiting()) {
    fs::path claimed = path_ / "claimed" / fmt::format("{}@{}", chunk.filename().string(), worker);
    if (rename(chunk.c_str(), claimed.c_str()) == 0) return claimed;
  }
  return std::nullopt;
}

void WorkFolder::give_back(const fs::path& claimed, bool failed) const {
  const auto [name, attempt] = name_and_attempt(claimed);
  const int next = failed ? attempt + 1 : attempt;
  std::error_code error;  // ignored: if the chunk is gone, another worker has it
  fs::rename(claimed,
             path_ / (next > kMostAttempts ? "given-up" : "waiting") /
                 fmt::format("{}.{}", name, std::min(next, kMostAttempts)),
             error);
}

bool WorkFolder::finish(const fs::path& claimed) const {
  const auto [name, attempt] = name_and_attempt(claimed);
  const fs::path finished = path_ / "finished" / fmt::format("{}.{}", name, attempt);
  if (rename(claimed.c_str(), finished.c_str()) == 0) return true;
  const bool is_there_already = errno == ENOTEMPTY || errno == EEXIST;
  if (is_there_already) remove(claimed);
  return is_there_already;
}

void WorkFolder::remove(const fs::path& chunk) const {
  // Renamed first to where nobody looks for chunks, so that nobody takes half of one.
  const fs::path away = path_ / "new" / (".removed-" + chunk.filename().string());
  std::error_code error;
  fs::remove_all(away, error);
  fs::rename(chunk, away, error);
  fs::remove_all(away, error);
}

bool WorkFolder::is_used_by(const std::string& used_by) const {
  const auto owner = read_file(path_ / kOwner, kLargestOwner);
  return owner && *owner == used_by;
}

void WorkFolder::remove_all() const {
  std::error_code error;
  for (const char* const state : kStates) fs::remove_all(path_ / state, error);
  for (const char* const name : {kLogs, kOwner}) fs::remove_all(path_ / name, error);
  fs::remove(path_, error);
}

fs::path picture_folder(const fs::path& chunk, const ChunkSubmission& submission) {
  return chunk / "pictures" / file_name(submission);
}

std::optional<Failure> keep_result(const fs::path& chunk, const ChunkSubmission& submission,
                                   const ChunkResult& result) {
  const fs::path file = result_file(chunk, submission);
  const auto pictures = digests_below(picture_folder(chunk, submission));
  if (!pictures) return Failure{fmt::format("{}: its pictures cannot be read back", file.string())};
  const Json json = {
      {"terms", submission.terms}, {"verdict", result.verdict}, {"trouble", result.trouble}, {"pictures", *pictures}};
  const std::string content = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (const int trouble = write_durably(file, fmt::format("{}\n{}", sha256(content), content)); trouble != 0)
    return unwritten(file, trouble);
  return std::nullopt;
}

std::optional<ChunkResult> read_result(const fs::path& chunk, const ChunkSubmission& submission) {
  const auto text = read_file(result_file(chunk, submission), kLargestResult);
  const std::size_t line = text ? text->find('\n') : std::string::npos;
  if (line == std::string::npos) return std::nullopt;
  const std::string content = text->substr(line + 1);
  if (sha256(content) != text->substr(0, line)) return std::nullopt;
  const Json json = Json::parse(content, nullptr, false);
  if (!json.is_object() || json.value("terms", "") != submission.terms) return std::nullopt;
  const auto pictures = digests_below(picture_folder(chunk, submission));
  if (!pictures || !json.contains("pictures") || json["pictures"] != *pictures) return std::nullopt;
  return ChunkResult{json.value("verdict", ""), json.value("trouble", "")};
}

void note_begun(const fs::path& chunk, const ChunkSubmission& submission) {
  const Descriptor created(open(begun_file(chunk, submission).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

bool was_begun(const fs::path& chunk, const ChunkSubmission& submission) {
  std::error_code error;
  return fs::exists(begun_file(chunk, submission), error);
}

}  // namespace lanewise
