// Opens the workplace; writes reports.
#include "grader/workplace.h"

#include <fmt/format.h>

#include <fstream>

namespace lanewise {

namespace fs = std::filesystem;

Installation this_installation() {
  std::error_code error;
  return find_installation(fs::read_symlink("/proc/self/exe", error));
}

Expected<Workplace> open_workplace(const Installation& installation, BackendChoice choice) {
  if (!fs::exists(installation.worker))
    return Failure{fmt::format("{} is missing; build the target lanewise-worker", installation.worker.string())};
  auto builder = Builder::create(installation);
  if (!builder) return builder.failure();
  auto backend = choose_backend(choice, installation);
  if (!backend) return backend.failure();
  return Workplace{installation, std::move(*builder), std::move(*backend)};
}

const std::vector<std::pair<std::string, BackendChoice>>& backend_choices() {
  static const std::vector<std::pair<std::string, BackendChoice>> kChoices = {
      {"auto", BackendChoice::kAuto}, {"gpu", BackendChoice::kGpu}, {"vgpu", BackendChoice::kVgpu}};
  return kChoices;
}

std::optional<Failure> write_report(const fs::path& file, const std::string& content) {
  std::error_code error;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
  std::ofstream stream(file, std::ios::binary);
  stream << content;
  stream.close();
  if (!stream) return Failure{fmt::format("{}: the file cannot be written", file.string())};
  return std::nullopt;
}

}  // namespace lanewise
