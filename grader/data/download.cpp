// curl handles the connection; this decides what to request, what the response means, and whether to retry.
#include "grader/data/download.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "datasets/sha256.h"
#include "harness/lab/read_file.h"
#include "harness/runner/process.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 30;  // for a file whose size is not in the catalogue
constexpr int kTries = 4;                                      // after an interrupted connection
constexpr std::chrono::milliseconds kGlance(250);
constexpr std::chrono::hours kUnpackingLimit(2);

// Exit codes of curl, from its manual.
constexpr int kNoProxy = 5, kNoHost = 6, kNoConnection = 7, kCutShort = 18, kHttpError = 22, kWriteError = 23,
              kTimedOut = 28, kNoRanges = 33, kNoTls = 35, kNothingCame = 52, kReceiveError = 56, kNoTrust = 60;

std::uintmax_t size_or_zero(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  return error ? 0 : size;
}

std::string time_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", std::max(1.0, seconds));
  return fmt::format("{:.0f} min", seconds / 60);
}

// What the last answer's headers say; 0 where they do not.
struct Answer {
  int status = 0;
  double length = 0;  // of what is still to come
};

Answer read_answer(const fs::path& headers) {
  Answer answer;
  const auto text = read_file(headers, 1 << 20);
  if (!text) return answer;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    std::transform(line.begin(), line.end(), line.begin(), [](unsigned char c) { return std::tolower(c); });
    if (line.rfind("http/", 0) == 0) {
      answer = {};
      const std::size_t blank = line.find(' ');
      if (blank != std::string::npos) answer.status = std::atoi(line.c_str() + blank);
    }
    if (line.rfind("content-length:", 0) == 0) answer.length = std::strtod(line.c_str() + 15, nullptr);
  }
  return answer;
}

class Fetch {
 public:
  Fetch(const DataSet& set, const FetchOptions& options)
      : set_(set),
        options_(options),
        file_(options.folder / set.name),
        part_(beside(".part")),
        headers_(beside(".headers")),
        unpacked_(beside(".unpacked")) {}

  FetchResult run();

 private:
  fs::path beside(const char* ending) const { return options_.folder / (set_.name + ending); }
  std::optional<FetchResult> prepare();
  FetchResult download();
  std::optional<int> ask(std::string& message);
  void tell(std::uintmax_t before, Clock::time_point begin) const;
  FetchResult explain(int code, const std::string& message) const;
  FetchResult unpack();
  FetchResult check_and_keep(const fs::path& whole);
  std::string host() const;

  const DataSet& set_;
  const FetchOptions& options_;
  const fs::path file_, part_, headers_, unpacked_;
  fs::path curl_;
  bool made_folder_ = false;
};

std::string Fetch::host() const {
  const std::size_t begin = set_.url.find("://") + 3;
  return set_.url.substr(begin, set_.url.find('/', begin) - begin);
}

std::optional<FetchResult> Fetch::prepare() {
  curl_ = find_program("curl");
  if (curl_.empty())
    return FetchResult{FetchOutcome::kNothingToUse, "the program curl is missing: install the package curl"};
  std::error_code error;
  made_folder_ = fs::create_directories(options_.folder, error);
  if (!fs::is_directory(options_.folder, error) || access(options_.folder.c_str(), W_OK) != 0)
    return FetchResult{
        FetchOutcome::kNothingToUse,
        fmt::format("the folder {} cannot be written; name another in LANEWISE_DATA", options_.folder.string())};
  return std::nullopt;
}

void Fetch::tell(std::uintmax_t before, Clock::time_point begin) const {
  if (!options_.progress) return;
  const auto now = static_cast<double>(size_or_zero(part_));
  const double came = std::max(0.0, now - static_cast<double>(before));
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const double rate = seconds > 0 ? came / seconds : 0;
  const Answer answer = read_answer(headers_);
  std::string text = bytes_text(now);
  if (answer.status / 100 == 2 && answer.length > 0) {
    text += " of " + bytes_text(static_cast<double>(before) + answer.length);
    if (rate > 0) text += fmt::format(", {}/s, {} left", bytes_text(rate), time_text((answer.length - came) / rate));
  } else if (rate > 0) {
    text += fmt::format(", {}/s", bytes_text(rate));
  }
  options_.progress(text);
}

// Runs curl once; its exit code, and what it says. Nothing if it could not be started.
std::optional<int> Fetch::ask(std::string& message) {
  std::error_code ignored;
  fs::remove(headers_, ignored);
  const std::uintmax_t before = size_or_zero(part_);
  ProcessOptions options;
  // -q: ignores .curlrc. A minute at less than a byte per second is a dead connection.
  options.command = {curl_.string(),
                     "-q",
                     "--fail",
                     "--location",
                     "--silent",
                     "--show-error",
                     "--proto",
                     "=http,https",
                     "--connect-timeout",
                     "20",
                     "--speed-limit",
                     "1",
                     "--speed-time",
                     "60",
                     "--dump-header",
                     headers_.string(),
                     "--output",
                     part_.string(),
                     "--continue-at",
                     "-",
                     set_.url};
  options.environment = whole_environment();
  options.limits.file_bytes = kMostBytes;
  auto process = Process::start(options);
  if (!process) {
    message = process.sentence();
    return std::nullopt;
  }
  CapturedOutput output(4096);
  const auto begin = Clock::now();
  while (!process->wait_until(Clock::now() + kGlance)) {
    output.read_from(process->output());
    tell(before, begin);
  }
  output.read_from(process->output());
  const int status = process->end();
  message = output.text();
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

FetchResult Fetch::explain(int code, const std::string& message) const {
  const Answer answer = read_answer(headers_);
  switch (code) {
    case kNoProxy:
    case kNoHost:
    case kNoConnection:
      return {FetchOutcome::kNoNetwork, fmt::format("{} cannot be reached: is there a network? Fetch it on a machine "
                                                    "that has one, and name its folder in LANEWISE_DATA",
                                                    host())};
    case kTimedOut:
      return {FetchOutcome::kNoNetwork, fmt::format("{} does not respond: is there a network?", host())};
    case kHttpError:
      if (answer.status == 404 || answer.status == 410)
        return {FetchOutcome::kFailed, fmt::format("the server has no {} ({}); the collection may have moved it: {}",
                                                   set_.url, answer.status, set_.source)};
      return {FetchOutcome::kFailed, fmt::format("the server responds to {} with {}", set_.url, answer.status)};
    case kWriteError:
      return {FetchOutcome::kFailed, fmt::format("{} cannot be written: is the disk full?", part_.string())};
    case kNoTls:
    case kNoTrust:
      return {FetchOutcome::kFailed, fmt::format("no secure connection to {} is possible ({})", host(), message)};
    case kCutShort:
    case kNothingCame:
    case kReceiveError:
      return {FetchOutcome::kFailed,
              fmt::format(
                  "the connection to {} was interrupted {} times; {} are here, and another fetch resumes from there",
                  host(), kTries, bytes_text(static_cast<double>(size_or_zero(part_))))};
    default:
      return {FetchOutcome::kFailed, fmt::format("curl exited with {} for {} ({})", code, set_.url, message)};
  }
}

FetchResult Fetch::download() {
  std::error_code ignored;
  for (int tries = 1;; ++tries) {
    std::string message;
    const std::uintmax_t before = size_or_zero(part_);
    const auto code = ask(message);
    if (!code) return {FetchOutcome::kNothingToUse, message};
    if (*code == 0) return {};
    while (!message.empty() && std::isspace(static_cast<unsigned char>(message.back())) != 0) message.pop_back();
    const bool beyond_its_end = *code == kHttpError && read_answer(headers_).status == 416;
    if (before > 0 && tries < kTries && (*code == kNoRanges || beyond_its_end)) {
      // What is here cannot be resumed; a complete file has no rest either.
      if (beyond_its_end && set_.packing == DataSet::Packing::kNone && set_.bytes == static_cast<std::int64_t>(before))
        return {};
      fs::remove(part_, ignored);
      continue;
    }
    const bool is_cut = *code == kCutShort || *code == kNothingCame || *code == kReceiveError;
    if (!is_cut || tries == kTries) return explain(*code, message);
  }
}

FetchResult Fetch::unpack() {
  const bool is_tar = set_.packing == DataSet::Packing::kTarGz;
  for (const char* program : {"gzip", "tar"})
    if (find_program(program).empty() && (is_tar || std::string(program) == "gzip"))
      return {FetchOutcome::kNothingToUse,
              fmt::format("the program {} is missing: install the package {}", program, program)};
  if (options_.progress) options_.progress("unpacking");
  ProcessOptions options;
  // One member to standard output: nothing in the archive decides where anything is written.
  const char* const script = is_tar ? "tar -xzOf \"$1\" -- \"$3\" > \"$2\"" : "gzip -dc < \"$1\" > \"$2\"";
  options.command = {"/bin/sh", "-c", script, "sh", part_.string(), unpacked_.string(), set_.member};
  options.environment = whole_environment();
  // A file that is larger than expected is the wrong one, and may be meant to fill the disk.
  options.limits.file_bytes = set_.bytes >= 0 ? static_cast<std::uint64_t>(set_.bytes) + 1 : kMostBytes;
  const auto finished = run_to_end(options, kUnpackingLimit, 4096);
  std::error_code ignored;
  if (!finished) return {FetchOutcome::kNothingToUse, finished.sentence()};
  if (!finished->succeeded()) {
    fs::remove(unpacked_, ignored);
    fs::remove(part_, ignored);
    return {FetchOutcome::kFailed,
            fmt::format("the file from {} cannot be unpacked, or does not match the catalogue; it was discarded",
                        set_.url)};
  }
  FetchResult result = check_and_keep(unpacked_);
  fs::remove(part_, ignored);
  return result;
}

FetchResult Fetch::check_and_keep(const fs::path& whole) {
  if (options_.progress) options_.progress("checking");
  std::error_code error;
  const auto digest = sha256_of_file(whole);
  if (const auto* unread = std::get_if<DataError>(&digest)) return {FetchOutcome::kFailed, unread->sentence};
  if (std::get<std::string>(digest) != set_.sha256) {
    FetchResult result = {
        FetchOutcome::kFailed,
        fmt::format("the file from {} does not match the catalogue: its SHA-256 is {}, not {}; it was discarded",
                    set_.url, std::get<std::string>(digest), set_.sha256)};
    fs::remove(whole, error);
    return result;
  }
  fs::rename(whole, file_, error);
  if (error) return {FetchOutcome::kFailed, fmt::format("{} cannot be written ({})", file_.string(), error.message())};
  return {};
}

FetchResult Fetch::run() {
  if (auto result = prepare()) return *result;
  FetchResult result = download();
  std::error_code ignored;
  if (result.outcome == FetchOutcome::kDone)
    result = set_.packing == DataSet::Packing::kNone ? check_and_keep(part_) : unpack();
  fs::remove(headers_, ignored);
  if (size_or_zero(part_) == 0) fs::remove(part_, ignored);
  if (made_folder_) fs::remove(options_.folder, ignored);  // if nothing is in it
  return result;
}

}  // namespace

FetchResult fetch(const DataSet& set, const FetchOptions& options) { return Fetch(set, options).run(); }

std::vector<std::string> whole_environment() {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

fs::path find_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path candidate = fs::path(folder) / name;
    std::error_code ignored;
    if (!folder.empty() && fs::is_regular_file(candidate, ignored) && access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return {};
}

bool is_safe_for_secrets(const std::string& url) {
  if (url.find_first_of("\"\\\n\r #") != std::string::npos) return false;
  const std::size_t colon = url.find("://");
  if (colon == std::string::npos) return false;
  const std::string scheme = url.substr(0, colon);
  const std::size_t begin = colon + 3;
  std::string host = url.substr(begin, url.find_first_of("/?", begin) - begin);
  if (host.empty() || host.find('@') != std::string::npos) return false;  // "localhost:1@example.org" is example.org
  if (const std::size_t port = host.rfind(':'); port != std::string::npos && host.find(']', port) == std::string::npos)
    host.resize(port);
  return scheme == "https" || (scheme == "http" && (host == "127.0.0.1" || host == "localhost" || host == "[::1]"));
}

std::string bytes_text(double bytes) {
  const char* const units[] = {"bytes", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < std::size(units)) {
    bytes /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} {}", bytes, units[unit]) : fmt::format("{:.3g} {}", bytes, units[unit]);
}

}  // namespace lanewise
