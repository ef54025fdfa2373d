// Folders of labs, held against what is compiled in.
#include "harness/declared/known_labs.h"

#include <algorithm>
#include <list>

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

}  // namespace

Expected<std::vector<LabSelection>> known_labs(const Installation& installation) {
  static std::list<std::vector<Lab>> kept;  // what is returned refers to them
  std::vector<Lab>& labs = kept.emplace_back(all_labs());
  for (const std::string& id : other_labs(installation.labs, labs)) {
    const auto file = read_lab_file(installation.labs / id);
    if (!file) return file.failure();
    if (file->oracle.empty()) continue;  // somebody's copy of a lab that is compiled in
    auto lab = declare_lab(*file, installation);
    if (!lab) return lab.failure();
    labs.push_back(std::move(*lab));
  }
  std::sort(labs.begin(), labs.end(), [](const Lab& one, const Lab& other) { return one.id < other.id; });
  return read_labs(labs, installation.labs);
}

}  // namespace lanewise
