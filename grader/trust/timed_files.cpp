// Builds the files and passes them to time_entries.
#include "grader/trust/timed_files.h"
#include "harness/declared/known_labs.h"

#include <fmt/format.h>

#include <algorithm>

namespace lanewise {

FileTimer::FileTimer(Workplace workplace, LabFile lab_file, Task task)
    : workplace_(std::move(workplace)), lab_file_(std::move(lab_file)), task_(std::move(task)) {}

Expected<FileTimer> FileTimer::create(BackendChoice choice) {
  auto workplace = open_workplace(this_installation(), choice);
  if (!workplace) return workplace.failure();
  const auto all = known_labs(workplace->installation, {kTimedTask});
  if (!all) return all.failure();
  const auto selected = select_labs(*all, {kTimedTask});
  if (!selected) return selected.failure();
  const LabSelection& lab = selected->front();
  return FileTimer(std::move(*workplace), lab.file, *find_task(*lab.lab, kTimedTask));
}

Expected<Build> FileTimer::build(const std::filesystem::path& source) const {
  const std::string& of_gpu = workplace_.backend.architecture;
  const auto architecture = of_gpu.empty() ? architecture_of_profile(profile_of(lab_file_)) : of_gpu;
  if (!architecture) return architecture.failure();
  return workplace_.builder.build(lab_file_, source, *architecture);
}

Expected<TimingResult> FileTimer::time(const std::vector<TimedFile>& files, std::int64_t elements, std::uint64_t seed,
                                       std::chrono::milliseconds most) const {
  CaseFile case_file;
  case_file.name = fmt::format("{} elements", elements);
  case_file.make.set("n", elements);
  case_file.make.set("low", 0.0);
  case_file.make.set("high", 1.0);

  TimingRequest request;
  request.session.worker = workplace_.installation.worker;
  workplace_.backend.choose(request.session);
  request.session.monitors = "none";
  request.task = &task_;
  request.case_file = &case_file;
  request.lab = "vecadd";
  request.seed = seed;
  request.most = most;
  for (const TimedFile& file : files) {
    auto built = build(file.source);
    if (!built) return built.failure();
    if (!built->is_built) return Failure{fmt::format("{} cannot be built: {}", file.source.string(), built->message)};
    request.entries.push_back({file.role, file.source.filename().string(), built->shared_object});
  }
  return time_entries(request);
}

}  // namespace lanewise
