// A BuildCache of results.json files, keyed by everything that goes into a verdict.
#include "grader/workplace/verdict_cache.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "grader/workplace/grading_terms.h"
#include "grader/workplace/temporary_folder.h"
#include "harness/report/json_report.h"
#include "harness/runner/content_hash.h"
#include "harness/runner/session/explain.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKind = "verdicts";
constexpr const char* kLastKind = "last-verdicts";
constexpr const char* kResults = "results.json";
constexpr const char* kPictures = "pictures";
constexpr std::uintmax_t kLargestVerdict = 256 << 20;

std::string since_text(std::time_t when) {
  const std::time_t now = std::time(nullptr);
  std::tm then{};
  std::tm today{};
  localtime_r(&when, &then);
  localtime_r(&now, &today);
  if (then.tm_yday == today.tm_yday && then.tm_year == today.tm_year) return fmt::format("{:%H:%M}", then);
  return fmt::format("{:%e %B}", then);
}

// Whether lab.toml gives this case to another backend, whatever the submission.
bool is_for_another_backend(const LabFile& lab, const std::string& task, const std::string& name,
                            const std::string& backend) {
  for (const TaskFile& file : lab.tasks)
    for (const CaseFile& a_case : file.cases)
      if (file.name == task && a_case.name == name) return !a_case.backend.empty() && a_case.backend != backend;
  return false;
}

// What could not be timed, or was timed oddly, may turn out better next time.
bool is_badly_timed(const TaskVerdict& task) {
  const bool is_right = std::all_of(task.cases.begin(), task.cases.end(),
                                    [](const CaseVerdict& each) { return each.outcome == CaseOutcome::kRight; });
  return !task.speed.review.empty() || (task.state == TaskState::kGraded && is_right && !task.speed.is_known);
}

}  // namespace

VerdictCache::VerdictCache(const Workplace& workplace) : workplace_(workplace), cache_(workplace.installation.cache) {}

std::optional<std::string> VerdictCache::key_of(const GradeRequest& request, const Build& build) const {
  const auto source = read_file(request.source, kLargestVerdict);
  if (!source) return std::nullopt;
  // What was built holds whatever the source includes, and the compilers' doing.
  const auto built = build.is_built ? read_file(build.shared_object, kLargestVerdict) : Expected<std::string>("");
  if (!built) return std::nullopt;
  return grading_terms(workplace_, request) +
         fmt::format("source {}\n{}\nbuilt {} {} {}\n{}\n{}\n", request.source.string(), *source, build.is_built,
                     built->size(), content_hash(*built), build.message, content_with_size(request.answers));
}

std::optional<KnownVerdict> VerdictCache::find(const std::string& key) const { return find(kKind, key); }

std::optional<KnownVerdict> VerdictCache::find(const char* kind, const std::string& key) const {
  const auto folder = cache_.find(kind, key);
  if (!folder) return std::nullopt;
  const auto json = read_file(*folder / kResults, kLargestVerdict);
  if (!json) return std::nullopt;
  const auto verdicts = read_json_report(*json);
  if (!verdicts || verdicts->size() != 1) return std::nullopt;
  struct stat status {};
  if (stat((*folder / kResults).c_str(), &status) != 0) return std::nullopt;
  return KnownVerdict{verdicts->front(), since_text(status.st_mtime), *folder / kPictures};
}

bool VerdictCache::may_end_otherwise(const Verdict& verdict, const GradeRequest& request) const {
  for (const TaskVerdict& task : verdict.tasks) {
    if (!workplace_.backend.is_virtual() && request.timer && is_badly_timed(task)) return true;
    for (const CaseVerdict& a_case : task.cases)
      if (lanewise::may_end_otherwise(a_case) &&
          !is_for_another_backend(*request.file, task.task, a_case.name, workplace_.backend.name))
        return true;
  }
  return false;
}

void VerdictCache::forget(const char* kind, const std::string& key) const {
  const auto known = cache_.find(kind, key);
  if (!known) return;
  // Replaced in one step: a concurrent reader finds a complete entry or none.
  const auto aside = TemporaryFolder::create_in(workplace_.installation.cache);
  std::error_code ignored;
  if (aside) fs::rename(*known, aside->path() / "forgotten", ignored);
}

void VerdictCache::keep(const std::string& key, const Verdict& verdict, const GradeRequest& request) const {
  forget(kKind, key);
  if (may_end_otherwise(verdict, request)) return;
  // A verdict that cannot be cached is simply graded again next time.
  static_cast<void>(cache_.find_or_make(kKind, key, [&](const fs::path& folder) -> std::optional<Failure> {
    std::error_code error;
    if (fs::exists(request.pictures, error))
      fs::copy(request.pictures, folder / kPictures, fs::copy_options::recursive, error);
    if (error) return Failure{error.message()};
    return write_report(folder / kResults, json_report({verdict}));
  }));
}

// Not of the contents: they change from one check to the next.
std::string VerdictCache::name_of(const GradeRequest& request) const {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(request.source, error);
  return fmt::format("schema {}\nlab {}\nbackend {}\ngroups {}\ntasks {}\nsource {}", kVerdictSchemaVersion,
                     request.file->id, workplace_.backend.name, fmt::join(request.groups, ","),
                     fmt::join(request.tasks, ","), (error ? request.source : real).string());
}

std::optional<KnownVerdict> VerdictCache::last(const GradeRequest& request) const {
  return find(kLastKind, name_of(request));
}

void VerdictCache::keep_last(const GradeRequest& request, const Verdict& verdict) const {
  const std::string name = name_of(request);
  forget(kLastKind, name);
  static_cast<void>(cache_.find_or_make(kLastKind, name, [&](const fs::path& folder) {
    return write_report(folder / kResults, json_report({verdict}));
  }));
}

Expected<Verdict> grade_and_keep(const GradeRequest& request, const Workplace& workplace) {
  auto verdict = grade(request, workplace.installation, workplace.builder, workplace.backend);
  const auto build = build_submission(request, workplace.builder, workplace.backend);  // it has just been built
  if (!verdict || !build) return verdict;
  const VerdictCache cache(workplace);
  if (const auto key = cache.key_of(request, *build)) cache.keep(*key, *verdict, request);
  return verdict;
}

Expected<Verdict> kept_or_graded(const GradeRequest& request, const Workplace& workplace) {
  const auto build = build_submission(request, workplace.builder, workplace.backend);
  if (!build) return build.failure();
  const VerdictCache cache(workplace);
  const auto key = cache.key_of(request, *build);
  if (const auto known = key ? cache.find(*key) : std::nullopt) return known->verdict;
  return grade_and_keep(request, workplace);
}

}  // namespace lanewise
