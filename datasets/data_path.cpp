// The search for data files.
#include "datasets/data_path.h"

#include <cstdlib>
#include <sstream>
#include <system_error>

namespace lanewise {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// datasets/ beside the programs' folder or further up, as in the source tree and where it is installed.
std::filesystem::path shipped_folder() {
  std::error_code error;
  const auto programs = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (auto folder = programs; folder.has_relative_path(); folder = folder.parent_path())
    if (std::filesystem::exists(folder / "datasets" / "catalogue.toml", error)) return folder / "datasets";
  return programs / "datasets";  // which is said not to hold the file
}

// What LANEWISE_DATA names.
std::vector<std::filesystem::path> chosen_folders() {
  std::vector<std::filesystem::path> folders;
  std::istringstream list(environment("LANEWISE_DATA"));
  for (std::string folder; std::getline(list, folder, ':');)
    if (!folder.empty()) folders.emplace_back(folder);
  return folders;
}

}  // namespace

std::filesystem::path datasets_folder() {
  const std::string chosen = environment("LANEWISE_DATASETS");
  return chosen.empty() ? shipped_folder() : std::filesystem::path(chosen);
}

std::filesystem::path download_folder() {
  const auto chosen = chosen_folders();
  if (!chosen.empty()) return chosen.front();
  const std::string data_home = environment("XDG_DATA_HOME");
  if (!data_home.empty()) return std::filesystem::path(data_home) / "lanewise";
  const std::string home = environment("HOME");
  return home.empty() ? std::filesystem::path() : std::filesystem::path(home) / ".local/share/lanewise";
}

std::vector<std::filesystem::path> data_folders() {
  std::vector<std::filesystem::path> folders = {datasets_folder() / "images", datasets_folder() / "matrices"};
  const auto chosen = chosen_folders();
  folders.insert(folders.end(), chosen.begin(), chosen.end());
  const auto downloads = download_folder();
  if (chosen.empty() && !downloads.empty()) folders.push_back(downloads);
  return folders;
}

std::variant<std::filesystem::path, DataError> find_data(const std::string& name,
                                                         const std::vector<std::filesystem::path>& folders) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos)
    return DataError{"'" + name + "' is not the bare name of a data file"};
  std::string looked;
  for (const auto& folder : folders) {
    std::error_code ignored;  // a folder that cannot be read does not hold the file for us
    auto candidate = folder / name;
    if (std::filesystem::is_regular_file(candidate, ignored)) return candidate;
    looked += (looked.empty() ? "" : ", ") + folder.string();
  }
  return DataError{"the data file '" + name + "' was not found in " + (looked.empty() ? "any folder" : looked) +
                   "; if you have it, set the environment variable LANEWISE_DATA to its folder; 'lanewise data list' "
                   "shows what can be fetched or generated"};
}

std::variant<std::filesystem::path, DataError> find_data(const std::string& name) {
  return find_data(name, data_folders());
}

}  // namespace lanewise
