// Lists solutions/ and reads each file's first line.
#include "grader/demo_class.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>

#include "harness/runner/rivals.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> cuda_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string first_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

DemoSubmission wrong_file(const LabSelection& lab, const std::string& task, const fs::path& file) {
  DemoSubmission submission{DemoSubmission::Kind::kWrong, &lab, task, file, std::nullopt, "", false};
  const auto expectation = parse_expectation(first_line(file));
  if (!expectation)
    submission.trouble = expectation.sentence();
  else if (expectation->task != task)
    submission.trouble = fmt::format("it lies with {} and declares a verdict for {}", task, expectation->task);
  else
    submission.declared = expectation->outline;
  if (expectation) submission.earns_no_speed = expectation->earns_no_speed;
  return submission;
}

void add_task(const LabSelection& lab, const std::string& task, const fs::path& folder,
              std::vector<DemoSubmission>& all) {
  for (const fs::path& file : cuda_files(folder)) {
    const std::string line = first_line(file);
    if (line.rfind("// peer:", 0) == 0)
      all.push_back({DemoSubmission::Kind::kPeer, &lab, task, file, std::nullopt, "",
                     line.find("needs: nvidia gpu") != std::string::npos});
    else if (std::isdigit(static_cast<unsigned char>(file.filename().string().front())) != 0)
      all.push_back({DemoSubmission::Kind::kLadder, &lab, task, file, Outline{}, "", false});
    else
      all.push_back({DemoSubmission::Kind::kLadder, &lab, task, file, std::nullopt,
                     "it is neither a numbered step nor marked as a peer", false});
  }
  for (const fs::path& file : cuda_files(folder / "wrong")) all.push_back(wrong_file(lab, task, file));
}

}  // namespace

std::vector<DemoSubmission> demo_class(const std::vector<LabSelection>& labs, const fs::path& solutions) {
  std::vector<DemoSubmission> all;
  for (const LabSelection& lab : labs) {
    for (const TaskFile& task : lab.file.tasks) {
      if (!lab.tasks.empty() && lab.tasks.count(task.name) == 0) continue;
      add_task(lab, task.name, ladder_folder(solutions, lab.file, task), all);
      Outline untouched;
      untouched.worst = Worst::kNotStarted;
      all.push_back({DemoSubmission::Kind::kSkeleton, &lab, task.name, lab.file.folder / lab.file.skeleton, untouched,
                     "", false});
    }
  }
  return all;
}

}  // namespace lanewise
