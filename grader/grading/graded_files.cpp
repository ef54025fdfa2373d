// Paths first, contents on demand.
#include "grader/grading/graded_files.h"

#include "grader/grading/digest.h"
#include "harness/lab/read_file.h"
#include "harness/runner/timing/rivals.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestProgram = 1 << 30;

std::string hash_of_file(const fs::path& file) {
  const auto content = read_file(file, kLargestProgram);
  return content ? sha256_of(*content) : "absent";
}

}  // namespace

std::map<std::string, fs::path> graded_files(const Installation& installation, const LabFile& lab, bool is_timed) {
  std::map<std::string, fs::path> files;
  std::error_code error;
  const auto add = [&](const fs::path& path, const fs::path& file) {
    if (fs::is_regular_file(file, error)) files[path.generic_string()] = file;
  };
  std::vector<std::string> names = code_files(lab);
  names.insert(names.end(), {"lab.toml", "questions.toml", "speed.toml", lab.skeleton});
  for (const std::string& name : names) add((fs::path("labs") / lab.id / name).lexically_normal(), lab.folder / name);
  const fs::path solutions("solutions");
  add(solutions / lab.id / "answers.toml", installation.solutions / lab.id / "answers.toml");
  if (!is_timed) return files;
  for (const TaskFile& task : lab.tasks)
    for (const Rival& rival : find_rivals(installation.solutions, lab, task))
      add(solutions / rival.source.lexically_relative(installation.solutions), rival.source);
  return files;
}

std::map<std::string, std::string> program_versions(const Workplace& workplace) {
  const Toolchain& toolchain = workplace.builder.toolchain();
  return {{toolchain.name(), toolchain.version()},
          {"lanewise (program)", hash_of_file(workplace.installation.programs / "lanewise")},
          {"lanewise-worker", hash_of_file(workplace.installation.worker)},
          {"CUDA runtime", hash_of_file(workplace.backend.runtime)},
          {"lanewise-device", hash_of_file(workplace.installation.devices)}};
}

}  // namespace lanewise
