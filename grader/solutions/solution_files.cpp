// Lists solutions/ and reads each file's first line.
#include "grader/solutions/solution_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <climits>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "grader/solutions/solution_text.h"
#include "harness/runner/timing/rivals.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

// Steps in the order of their numbers, the tenth after the ninth; then everything else.
bool comes_before(const fs::path& a, const fs::path& b) {
  const auto place = [](const fs::path& file) {
    const std::string name = file.filename().string();
    const bool is_step = std::isdigit(static_cast<unsigned char>(name.front())) != 0;
    return std::pair(is_step ? std::strtoul(name.c_str(), nullptr, 10) : ULONG_MAX, name);
  };
  return place(a) < place(b);
}

std::vector<fs::path> cuda_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".cu" || is_difference(entry.path())) files.push_back(entry.path());
  std::sort(files.begin(), files.end(), comes_before);
  return files;
}

std::string first_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

SolutionFile wrong_file(const LabSelection& lab, const std::string& task, const fs::path& file) {
  SolutionFile submission{SolutionFile::Kind::kWrong, &lab, task, file, std::nullopt, "", false};
  const auto expectation = parse_expectation(first_line(file));
  if (!expectation)
    submission.trouble = expectation.sentence();
  else if (expectation->task != task)
    submission.trouble =
        fmt::format("it is among the files of {}, but declares a verdict for {}", task, expectation->task);
  else
    submission.declared = expectation->outline;
  if (expectation) {
    submission.is_right_on_gpu = expectation->is_right_on_gpu;
    submission.unearned = expectation->unearned;
  }
  return submission;
}

void add_task(const LabSelection& lab, const std::string& task, const fs::path& folder,
              std::vector<SolutionFile>& all) {
  for (const fs::path& file : cuda_files(folder)) {
    const std::string line = first_line(file);
    if (is_difference(file))
      all.push_back(
          {SolutionFile::Kind::kLadder, &lab, task, file, std::nullopt, "a difference belongs in wrong/", false});
    else if (line.rfind("// peer:", 0) == 0)
      all.push_back({SolutionFile::Kind::kPeer, &lab, task, file, std::nullopt, "",
                     line.find("needs: nvidia gpu") != std::string::npos});
    else if (std::isdigit(static_cast<unsigned char>(file.filename().string().front())) != 0)
      all.push_back({SolutionFile::Kind::kLadder, &lab, task, file, Outline{}, "", false});
    else
      all.push_back({SolutionFile::Kind::kLadder, &lab, task, file, std::nullopt,
                     "it is neither a numbered step nor marked as a peer", false});
  }
  for (const fs::path& file : cuda_files(folder / "wrong")) all.push_back(wrong_file(lab, task, file));
}

// The kinds of statement a verdict makes, in words: the outcome, each tool that found something, and so on.
std::set<std::string> kinds_of(const SolutionFile& file) {
  const Outline& outline = *file.declared;
  std::set<std::string> kinds = outline.tools;
  kinds.insert(describe(Outline{outline.worst, {}, {}, false}));
  if (!outline.misconceptions.empty()) kinds.insert("misconception");
  if (outline.is_reviewed) kinds.insert("under review");
  for (const std::string& part : file.unearned) kinds.insert("no points of " + part);
  return kinds;
}

// By task: the reference's file name, or the last step's.
std::map<std::string, std::string> shown_steps(const std::vector<SolutionFile>& files) {
  std::map<std::string, std::string> steps;
  for (const SolutionFile& file : files) {
    if (file.kind != SolutionFile::Kind::kLadder) continue;
    const std::string name = file.source.filename().string();
    std::string& step = steps[file.task];
    const std::vector<TaskFile>& tasks = file.lab->file.tasks;
    const auto is_reference = [&](const std::string& step_name) {
      return std::any_of(tasks.begin(), tasks.end(),
                         [&](const TaskFile& task) { return task.name == file.task && task.reference == step_name; });
    };
    if (step.empty() || !is_reference(step)) step = name;
  }
  return steps;
}

}  // namespace

std::vector<SolutionFile> solution_files(const std::vector<LabSelection>& labs, const fs::path& solutions) {
  std::vector<SolutionFile> all;
  for (const LabSelection& lab : labs) {
    for (const TaskFile& task : lab.file.tasks) {
      if (!lab.tasks.empty() && lab.tasks.count(task.name) == 0) continue;
      add_task(lab, task.name, ladder_folder(solutions, lab.file, task), all);
      Outline untouched;
      untouched.worst = Worst::kNotStarted;
      all.push_back(
          {SolutionFile::Kind::kSkeleton, &lab, task.name, lab.file.folder / lab.file.skeleton, untouched, "", false});
    }
  }
  return all;
}

std::vector<SolutionFile> one_of_each_kind(const std::vector<SolutionFile>& files) {
  using Kind = SolutionFile::Kind;
  const std::map<std::string, std::string> steps = shown_steps(files);
  std::map<std::string, std::set<std::string>> known;  // by lab
  const auto is_chosen = [&](const SolutionFile& file) {
    if (!file.trouble.empty() || file.kind == Kind::kSkeleton) return true;
    if (file.kind == Kind::kLadder) return file.source.filename() == steps.at(file.task);
    if (file.kind == Kind::kPeer) return false;
    std::set<std::string>& kinds = known[file.lab->file.id];
    const std::size_t before = kinds.size();
    kinds.merge(kinds_of(file));
    return kinds.size() > before;
  };
  std::vector<SolutionFile> chosen;
  std::copy_if(files.begin(), files.end(), std::back_inserter(chosen), is_chosen);
  return chosen;
}

}  // namespace lanewise
