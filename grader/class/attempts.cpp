// Sorts a share's files by attempt and by kind.
#include "grader/class/attempts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "grader/class/abbreviated_list.h"
#include "grader/class/file_names.h"
#include "grader/class/utf8.h"
#include "harness/lab/number_text.h"

namespace lanewise {
namespace {

// The contents of one attempt's folder, or what lies beside all of these.
struct Group {
  int number = 0;
  std::vector<Part> sources, answers, archives;
};

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    parts.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// The folder of the first attempt in a path: "scan/attempt_1" of "scan/attempt_1/scan.cu"; empty if there is none.
std::pair<std::string, int> attempt_folder(const std::vector<std::string>& parts) {
  std::string path;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    path += (i == 0 ? "" : "/") + parts[i];
    if (const int number = attempt_number(parts[i]); number > 0) return {path, number};
  }
  return {"", 0};
}

// The first hidden folder or file in a path, with the path to it; empty if there is none.
std::string hidden_part(const std::vector<std::string>& parts) {
  std::string path;
  for (const std::string& part : parts) {
    path += (path.empty() ? "" : "/") + part;
    if (part.front() == '.') return path;
  }
  return "";
}

// Assigns paths that differ in more than case.
class SafePaths {
 public:
  explicit SafePaths(const KnownSources& known) : known_(known) {}

  std::string path_for(const Part& part) {
    const std::vector<std::string> parts = parts_of(part.inside);
    std::string folder;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i)
      if (attempt_number(parts[i]) == 0) folder += safe_folder_name(parts[i]) + "/";
    if (const auto source = known_.source(parts.back()); source && is_new(folder + *source)) return folder + *source;
    NameParts name = name_parts(safe_file_name(parts.back()));
    if (small_letters(name.ending) == ".cu") name.ending = ".cu";
    if (work_kind(parts.back()) == WorkKind::kAnswers) name = {"answers", ".toml"};
    for (int copy = 1;; ++copy) {
      const std::string path =
          copy == 1 ? name.stem + name.ending : fmt::format("{}_{}{}", name.stem, copy, name.ending);
      if (is_new(folder + path)) return folder + path;
    }
  }

 private:
  bool is_new(const std::string& path) { return given_.insert(small_letters(path)).second; }

  const KnownSources& known_;
  std::set<std::string> given_;
};

std::vector<KeptFile> kept_files(std::vector<Part> parts, const KnownSources& known) {
  // A file with exactly a lab's name gets it, before files marked as copies.
  const auto is_exact = [&](const Part& part) {
    const std::string name = parts_of(part.inside).back();
    return known.source(name) == name;
  };
  std::stable_partition(parts.begin(), parts.end(), is_exact);
  SafePaths paths(known);
  std::vector<KeptFile> files;
  files.reserve(parts.size());
  for (const Part& part : parts) files.push_back({part.entry, paths.path_for(part)});
  return files;
}

const char* kind_text(EntryKind kind) {
  switch (kind) {
    case EntryKind::kSymbolicLink:
      return "a symbolic link";
    case EntryKind::kHardLink:
      return "a hard link";
    case EntryKind::kPipe:
      return "a pipe";
    case EntryKind::kSocket:
      return "a socket";
    default:
      return "a device";
  }
}

std::string counted(std::size_t count, const char* one, const char* more) {
  return fmt::format("{} {}", with_commas(count), count == 1 ? one : more);
}

void add_attempts(const std::string& folder, const Group& group, const KnownSources& known, Attempts& result) {
  const bool is_one = group.sources.empty() && group.archives.size() == 1;
  if (!group.sources.empty() || is_one) {
    Attempt attempt;
    attempt.came_from = folder;
    attempt.number = group.number;
    std::vector<Part> parts = group.sources;
    parts.insert(parts.end(), group.answers.begin(), group.answers.end());
    attempt.files = kept_files(parts, known);
    if (is_one) {
      attempt.archive = group.archives.front().entry;
      if (folder.empty()) attempt.came_from = group.archives.front().inside;
    }
    result.attempts.push_back(std::move(attempt));
  }
  if (is_one) return;
  for (const Part& archive : group.archives) {
    Attempt attempt;
    attempt.came_from = archive.inside;
    attempt.number = group.number > 0 ? group.number : attempt_number(name_parts(parts_of(archive.inside).back()).stem);
    attempt.archive = archive.entry;
    result.attempts.push_back(std::move(attempt));
  }
}

}  // namespace

Attempts attempts_of(const std::vector<Entry>& entries, const std::vector<Part>& parts, const KnownSources& known) {
  std::map<std::string, Group> groups;
  std::set<std::string> hidden;
  AbbreviatedList others;
  AbbreviatedList no_files;
  AbbreviatedList foreign;
  for (const Part& part : parts) {
    const std::vector<std::string> names = parts_of(part.inside);
    if (const std::string path = hidden_part(names); !path.empty()) {
      if (hidden.insert(path).second) others.add(path);
      continue;
    }
    if (entries[part.entry].kind == EntryKind::kFolder) continue;
    if (const EntryKind kind = entries[part.entry].kind; kind != EntryKind::kFile) {
      no_files.add(fmt::format("{} ({})", names.back(), kind_text(kind)));
      continue;
    }
    const auto [folder, number] = attempt_folder(names);
    const WorkKind kind = work_kind(names.back());
    const bool is_kept = kind == WorkKind::kSource || kind == WorkKind::kAnswers || kind == WorkKind::kArchive;
    if (!is_kept) {
      (kind == WorkKind::kForeignArchive ? foreign : others).add(part.inside);
      continue;
    }
    Group& group = groups[folder];
    group.number = number;
    std::vector<Part>& list = kind == WorkKind::kSource    ? group.sources
                              : kind == WorkKind::kAnswers ? group.answers
                                                           : group.archives;
    list.push_back(part);
  }

  Attempts result;
  for (const auto& [folder, group] : groups) {
    if (group.sources.empty() && group.archives.size() != 1)
      for (const Part& answers : group.answers) others.add(answers.inside);
    add_attempts(folder, group, known, result);
  }
  if (!others.is_empty())
    result.set_aside.push_back(
        fmt::format("{} ignored: {}", counted(others.count(), "other file is", "other files are"), others.text()));
  if (!foreign.is_empty())
    result.set_aside.push_back(fmt::format("{} not unpacked (only .zip, .tar, .tar.gz and .tgz are): {}",
                                           counted(foreign.count(), "archive is", "archives are"), foreign.text()));
  if (!no_files.is_empty())
    result.set_aside.push_back(fmt::format("{} not opened, being neither files nor folders: {}",
                                           counted(no_files.count(), "entry is", "entries are"), no_files.text()));
  return result;
}

}  // namespace lanewise
