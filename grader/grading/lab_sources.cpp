// By names alone: what a file holds is for the compiler to say.
#include "grader/grading/lab_sources.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> cuda_files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".cu") files.push_back(it->path());
  std::sort(files.begin(), files.end());
  return files;
}

LabSource source_for(const LabSelection& lab, const fs::path& source, const fs::path& folder) {
  struct stat status {};
  const bool is_known = stat(source.c_str(), &status) == 0 && status.st_mtim.tv_sec > 0;
  std::error_code error;
  const fs::path beside = source.parent_path() / "answers.toml";
  return {&lab, source, fs::exists(beside, error) ? beside : folder / "answers.toml",
          is_known ? std::int64_t{status.st_mtim.tv_sec} : 0};
}

// Only the files that are named after the lab's own.
std::vector<fs::path> named_after(const LabFile& lab, const std::vector<fs::path>& files) {
  std::vector<fs::path> named;
  for (const fs::path& file : files)
    if (file.filename() == lab.skeleton) named.push_back(file);
  if (named.size() < 2) return named;
  std::vector<fs::path> in_its_folder;
  for (const fs::path& file : named)
    if (file.parent_path().filename() == lab.id) in_its_folder.push_back(file);
  return in_its_folder.size() == 1 ? in_its_folder : named;
}

}  // namespace

LabSources find_lab_sources(const std::vector<LabSelection>& labs, const fs::path& folder) {
  LabSources found;
  const std::vector<fs::path> files = cuda_files_below(folder);
  if (files.empty()) found.doubts.push_back("there is no .cu file in it");
  for (const LabSelection& lab : labs) {
    std::vector<fs::path> named = named_after(lab.file, files);
    if (named.empty() && labs.size() == 1 && files.size() == 1) named = files;
    if (named.size() == 1) found.sources.push_back(source_for(lab, named.front(), folder));
    if (named.size() > 1)
      found.doubts.push_back(fmt::format("there are {} files called {} in it, and none alone in a folder {}",
                                         named.size(), lab.file.skeleton, lab.file.id));
  }
  if (!files.empty() && found.sources.empty() && found.doubts.empty()) {
    std::vector<std::string> names;
    names.reserve(labs.size());
    for (const LabSelection& lab : labs) names.push_back(lab.file.skeleton);
    found.doubts.push_back(fmt::format("no .cu file in it is called {}", fmt::join(names, " or ")));
  }
  return found;
}

}  // namespace lanewise
