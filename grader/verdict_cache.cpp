// A BuildCache of results.json files, keyed by all that goes into a verdict.
#include "grader/verdict_cache.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "harness/report/json_report.h"
#include "harness/runner/content_hash.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKind = "verdicts";
constexpr const char* kResults = "results.json";
constexpr const char* kPictures = "pictures";
constexpr std::uintmax_t kLargestFile = 64 << 20;

// Our own programs are large and change only when they are built: size and time stand for their contents.
std::string stamp_of(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return fmt::format("{}: absent", file.string());
  return fmt::format("{}: {} bytes, {}.{:09}", file.string(), status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

std::string content_of(const fs::path& file) {
  const auto content = read_file(file, kLargestFile);
  return content ? fmt::format("{} {}\n{}", file.string(), content->size(), *content)
                 : fmt::format("{} absent", file.string());
}

std::string since_text(std::time_t when) {
  const std::time_t now = std::time(nullptr);
  std::tm then{};
  std::tm today{};
  localtime_r(&when, &then);
  localtime_r(&now, &today);
  if (then.tm_yday == today.tm_yday && then.tm_year == today.tm_year) return fmt::format("{:%H:%M}", then);
  return fmt::format("{:%e %B}", then);
}

bool may_depend_on_the_moment(const Verdict& verdict) {
  for (const TaskVerdict& task : verdict.tasks)
    for (const CaseVerdict& a_case : task.cases)
      if (a_case.outcome == CaseOutcome::kTimedOut || a_case.outcome == CaseOutcome::kNotRun) return true;
  return false;
}

}  // namespace

VerdictCache::VerdictCache(const Workplace& workplace) : workplace_(workplace), cache_(workplace.installation.cache) {}

std::optional<std::string> VerdictCache::key_of(const GradeRequest& request) const {
  const auto source = read_file(request.source, kLargestFile);
  if (!source) return std::nullopt;
  const fs::path& folder = request.file->folder;
  const char* const data = std::getenv("LANEWISE_DATA");
  const Installation& installation = workplace_.installation;
  std::string key =
      fmt::format("schema {}\nnvcc {}\nbackend {} {}\nseed {}\ngroups {}\ntasks {}\ndata {}\nsource {}\n{}\n",
                  kVerdictSchemaVersion, workplace_.builder.compiler_version(), workplace_.backend.name,
                  workplace_.backend.architecture, request.seed, fmt::join(request.groups, ","),
                  fmt::join(request.tasks, ","), data ? data : "", request.source.string(), *source);
  for (const fs::path& file : {folder / "lab.toml", folder / request.file->contract, folder / request.file->entry,
                               folder / "questions.toml", request.answers, request.key})
    key += content_of(file) + "\n";
  for (const fs::path& file : {installation.build / "lanewise", installation.worker, workplace_.backend.runtime})
    key += stamp_of(file) + "\n";
  return key;
}

std::optional<KnownVerdict> VerdictCache::find(const std::string& key) const {
  const auto folder = cache_.find(kKind, key);
  if (!folder) return std::nullopt;
  const auto json = read_file(*folder / kResults, kLargestFile);
  if (!json) return std::nullopt;
  const auto verdicts = read_json_report(*json);
  if (!verdicts || verdicts->size() != 1) return std::nullopt;
  struct stat status {};
  if (stat((*folder / kResults).c_str(), &status) != 0) return std::nullopt;
  return KnownVerdict{verdicts->front(), since_text(status.st_mtime), *folder / kPictures};
}

void VerdictCache::keep(const std::string& key, const Verdict& verdict, const fs::path& pictures) const {
  if (may_depend_on_the_moment(verdict)) return;
  // A verdict that cannot be kept is only graded again next time.
  static_cast<void>(cache_.find_or_make(kKind, key, [&](const fs::path& folder) -> std::optional<Failure> {
    std::error_code error;
    if (fs::exists(pictures, error)) fs::copy(pictures, folder / kPictures, fs::copy_options::recursive, error);
    if (error) return Failure{error.message()};
    return write_report(folder / kResults, json_report({verdict}));
  }));
}

}  // namespace lanewise
