// Name look-ups and a modest search through folders.
#include "harness/runner/find.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/lab/nearest_name.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

std::string known_names(const std::vector<LabSelection>& labs) {
  std::vector<std::string> names;
  for (const LabSelection& lab : labs) {
    std::string tasks;
    for (const TaskFile& task : lab.file.tasks) tasks += (tasks.empty() ? "" : ", ") + task.name;
    names.push_back(fmt::format("{} ({})", lab.file.id, tasks));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::optional<fs::path> skeleton_in(const LabFile& lab, const fs::path& folder) {
  std::error_code error;
  for (const fs::path& file : {folder / lab.skeleton, folder / lab.id / lab.skeleton})
    if (fs::is_regular_file(file, error)) return file;
  return std::nullopt;
}

}  // namespace

Expected<std::vector<LabSelection>> read_labs(const std::vector<Lab>& labs, const fs::path& folder) {
  std::vector<LabSelection> selections;
  for (const Lab& lab : labs) {
    std::error_code error;
    if (!fs::exists(folder / lab.id, error)) continue;  // not handed out
    auto file = read_lab_file(folder / lab.id);
    if (!file) return file.failure();
    if (const auto sentences = disagreements(*file, lab); !sentences.empty()) return Failure{sentences.front()};
    selections.push_back({&lab, std::move(*file), {}});
  }
  if (selections.empty())
    return Failure{fmt::format("{}: there are no labs here; LANEWISE_LABS can name another folder", folder.string())};
  return selections;
}

Expected<std::vector<LabSelection>> select_labs(const std::vector<LabSelection>& all,
                                                const std::vector<std::string>& names) {
  if (names.empty()) return all;
  std::vector<LabSelection> selected;
  const auto selection_of = [&selected](const LabSelection& lab) -> LabSelection& {
    for (LabSelection& known : selected)
      if (known.lab == lab.lab) return known;
    return selected.emplace_back(lab);
  };
  std::set<const Lab*> whole;
  for (const std::string& name : names) {
    bool is_known = false;
    for (const LabSelection& lab : all) {
      if (lab.file.id == name) {
        selection_of(lab);
        whole.insert(lab.lab);
        is_known = true;
      }
      for (const TaskFile& task : lab.file.tasks) {
        if (task.name != name || lab.file.id == name) continue;
        selection_of(lab).tasks.insert(name);
        is_known = true;
      }
    }
    if (is_known) continue;
    std::vector<std::string> known;
    for (const LabSelection& lab : all) {
      known.push_back(lab.file.id);
      for (const TaskFile& task : lab.file.tasks) known.push_back(task.name);
    }
    return Failure{unknown_name("lab or task", name, known, "the labs are " + known_names(all))};
  }
  for (LabSelection& lab : selected)
    if (whole.count(lab.lab) != 0) lab.tasks.clear();
  return selected;
}

std::optional<LabSelection> lab_around(const std::vector<LabSelection>& labs, const fs::path& place) {
  std::error_code error;
  for (fs::path folder = fs::canonical(place, error); folder.has_relative_path(); folder = folder.parent_path())
    for (const LabSelection& lab : labs)
      if (fs::equivalent(lab.file.folder, folder, error)) return lab;
  return std::nullopt;
}

Expected<std::vector<LabSelection>> labs_of_submission(const std::vector<LabSelection>& labs,
                                                       const fs::path& submission) {
  std::vector<LabSelection> selected;
  std::error_code error;
  for (const LabSelection& lab : labs) {
    const bool is_for_lab = fs::is_directory(submission, error) ? skeleton_in(lab.file, submission).has_value()
                                                                : submission.filename() == lab.file.skeleton;
    if (is_for_lab) selected.push_back(lab);
  }
  if (selected.empty())
    return Failure{
        fmt::format("{} does not say which lab it is for; name the lab: {}", submission.string(), known_names(labs))};
  return selected;
}

Expected<fs::path> find_source(const LabFile& lab, const std::optional<fs::path>& submission) {
  std::error_code error;
  if (!submission) {
    fs::path own = lab.folder / lab.skeleton;
    if (fs::exists(own, error)) return own;
    return Failure{
        fmt::format("{} is missing; lanewise restore {} brings it back as it was handed out", own.string(), lab.id)};
  }
  if (!fs::is_directory(*submission, error)) return *submission;
  if (const auto skeleton = skeleton_in(lab, *submission)) return *skeleton;
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(*submission, error))
    if (entry.path().extension() == ".cu") found.push_back(entry.path());
  if (error) return Failure{fmt::format("{}: the folder cannot be read ({})", submission->string(), error.message())};
  if (found.size() == 1) return found.front();
  if (found.empty())
    return Failure{
        fmt::format("{}: there is no .cu file in this folder; put {} there", submission->string(), lab.skeleton)};
  return Failure{fmt::format("{}: there are {} .cu files and none is called {}", submission->string(), found.size(),
                             lab.skeleton)};
}

}  // namespace lanewise
