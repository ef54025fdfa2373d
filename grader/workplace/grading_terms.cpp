// Content where that is small, size and time where it is not.
#include "grader/workplace/grading_terms.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>

#include "harness/lab/lab_without_points.h"
#include "harness/lab/read_file.h"
#include "harness/runner/timing/rivals.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = 256 << 20;
constexpr const char* kDriver = "/proc/driver/nvidia/version";

// Our own programs are large and change only when they are built: size and time stand for their contents.
std::string stamp_of(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return fmt::format("{}: absent", file.string());
  return fmt::format("{}: {} bytes, {}.{:09}", file.string(), status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

const char* environment(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

std::string content_with_size(const fs::path& file) {
  const auto content = read_file(file, kLargestFile);
  return content ? fmt::format("{} {}\n{}", file.string(), content->size(), *content)
                 : fmt::format("{} absent", file.string());
}

std::string observing_terms(const Workplace& workplace, const GradeRequest& request) {
  const fs::path& folder = request.file->folder;
  const Installation& installation = workplace.installation;
  const Backend& backend = workplace.backend;
  std::string terms = fmt::format(
      "schema {}\n{}\nbackend {} {} {}\nseed {}\ngroups {}\ntasks {}\nlibraries {}\ndata {} {}\n",
      kVerdictSchemaVersion, workplace.builder.toolchain().description(), backend.name, backend.architecture,
      backend.device, request.seed, fmt::join(request.groups, ","), fmt::join(request.tasks, ","),
      request.may_use_libraries, environment("LANEWISE_DATASETS"), environment("LANEWISE_DATA"));
  if (workplace.has_clock()) {
    terms += workplace.timed_on ? "times from " + workplace.timed_on->device + "\n" : "";
    terms += content_with_size(kDriver) + fmt::format("\ntimed {}\n", request.timer != nullptr);
    for (const TaskFile& task : request.file->tasks)
      for (const Rival& rival : find_rivals(installation.solutions, *request.file, task))
        terms += content_with_size(rival.source) + "\n";
  }
  // A lab.toml that is none is no reason to take two labs for one.
  const auto lab = lab_without_points(folder / "lab.toml");
  terms += lab ? *lab + "\n" : content_with_size(folder / "lab.toml") + "\n";
  terms += content_with_size(folder / "speed.toml") + "\n";
  for (const std::string& name : code_files(*request.file)) terms += content_with_size(folder / name) + "\n";
  for (const fs::path& file : {installation.programs / "lanewise", installation.worker, backend.hosting_runtime,
                               backend.devices.empty() ? backend.hosting_runtime : backend.devices})
    terms += stamp_of(file) + "\n";
  return terms;
}

std::string grading_terms(const Workplace& workplace, const GradeRequest& request) {
  const fs::path& folder = request.file->folder;
  std::string terms = observing_terms(workplace, request);
  for (const fs::path& file : {folder / "lab.toml", folder / "questions.toml", request.key})
    terms += content_with_size(file) + "\n";
  return terms;
}

}  // namespace lanewise
