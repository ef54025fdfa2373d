// Folders of labs, held against what is compiled in.
#include "harness/declared/known_labs.h"

#include <algorithm>
#include <list>
#include <optional>
#include <set>

#include "harness/declared/declared_lab.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

// The ids of labs in `folder` that no C++ is compiled in for.
std::vector<std::string> other_labs(const fs::path& folder, const std::vector<Lab>& compiled) {
  std::vector<std::string> ids;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string id = entry.path().filename().string();
    const auto is_it = [&id](const Lab& lab) { return lab.id == id; };
    if (fs::is_regular_file(entry.path() / "lab.toml", error) && std::none_of(compiled.begin(), compiled.end(), is_it))
      ids.push_back(id);
  }
  return ids;
}

bool is_meant(const LabFile& file, const std::vector<std::string>& names) {
  const auto names_it = [&names](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return names.empty() || names_it(file.id) ||
         std::any_of(file.tasks.begin(), file.tasks.end(), [&](const TaskFile& task) { return names_it(task.name); });
}

}  // namespace

Expected<std::vector<LabSelection>> known_labs(const Installation& installation, const std::vector<std::string>& names,
                                               Oracles oracles) {
  static std::list<std::vector<Lab>> kept;  // what is returned refers to them
  std::vector<Lab>& labs = kept.emplace_back(all_labs());
  std::set<std::string> meant;
  std::optional<Failure> broken;
  for (const std::string& id : other_labs(installation.labs, labs)) {
    const auto file = read_lab_file(installation.labs / id);
    if (file && file->oracle.empty()) continue;  // somebody's copy of a lab that is compiled in
    const bool compiles = file && is_meant(*file, names) && oracles != Oracles::kLater;
    auto lab = file ? declare_lab(*file, installation, compiles) : Expected<Lab>(file.failure());
    if (lab && is_meant(*file, names)) meant.insert(id);
    if (lab)
      labs.push_back(std::move(*lab));
    else if (file ? is_meant(*file, names) : names.empty() || std::count(names.begin(), names.end(), id) > 0)
      return lab.failure();
    else
      broken = lab.failure();
  }
  if (oracles == Oracles::kBuilt)
    for (const Lab& lab : labs)
      if (const std::string trouble = meant.count(lab.id) > 0 ? lab.trouble() : ""; !trouble.empty())
        return Failure{trouble};
  std::sort(labs.begin(), labs.end(), [](const Lab& one, const Lab& other) { return one.id < other.id; });
  auto known = read_labs(labs, installation.labs);
  // A name that nobody knows may be that of a task in it, and it may be the only lab.
  if (broken && (!known || !select_labs(*known, names))) return *broken;
  return known;
}

}  // namespace lanewise
