// By lists of names: folders and files that are released, and exceptions within them.
#include "grader/release/released_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "grader/bench/marked_section.h"
#include "harness/lab/lab_file.h"
#include "harness/lab/read_file.h"
#include "labs/course_map.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = 256 << 20;
constexpr std::string_view kForStudents = "grader/release/for_students/";
constexpr const char* kLabsReadme = "labs/README.md";
constexpr std::string_view kWithEveryLab = "labs/measure/";  // programs that measure a GPU
constexpr const char* kForAuthors = "\n## Writing a new lab\n";

// Folders end in a slash. With the programs:
constexpr std::array kGoingWithPrograms = {".vscode/",
                                           "LICENSE",
                                           "datasets/README.md",
                                           "datasets/catalogue.toml",
                                           "datasets/images/",
                                           "datasets/matrices/",
                                           "datasets/random.h",
                                           "harness/worker/entry.h",
                                           "labs/",
                                           kForStudents.data()};

// And as sources.
constexpr std::array kGoing = {
    ".vscode/", "CMakeLists.txt", "CMakePresets.json", "LICENSE", "cmake/", "datasets/", "harness/", "labs/",
    "scripts/build.sh", "scripts/prepare.sh", "scripts/progress.sh", kForStudents.data(),
    // `lanewise check`, `watch`, `restore`, `run`, `nvcc`, `profile`, `data` and `submit`
    "grader/CMakeLists.txt", "grader/commands/CMakeLists.txt", "grader/commands/check.cpp",
    "grader/commands/check_options.cpp", "grader/commands/check_options.h", "grader/commands/commands.h",
    "grader/commands/data.cpp", "grader/commands/main.cpp", "grader/commands/nvcc.cpp",
    "grader/commands/option_checks.h", "grader/commands/profile.cpp", "grader/commands/restore.cpp",
    "grader/commands/run.cpp", "grader/commands/schedules.cpp", "grader/commands/schedules.h",
    "grader/commands/source_names.cpp", "grader/commands/source_names.h", "grader/commands/submit.cpp",
    "grader/commands/toolchain_option.h", "grader/data/", "grader/plots/", "grader/workplace/"};

// Where the build puts a program, and its place in the archive.
constexpr std::pair<const char*, const char*> kPrograms[] = {
    {"libexec/lanewise-for-students", "bin/lanewise"},
    {"libexec/lanewise-worker", "bin/libexec/lanewise-worker"},
    {"libexec/lanewise-device", "bin/libexec/lanewise-device"},
    {"vgpu/libcudart.so.12", "bin/vgpu/libcudart.so.12"},
    {"vgpu/libcudart.so.13", "bin/vgpu/libcudart.so.13"},
    {"vgpu/program/libcudart.so.12", "bin/vgpu/program/libcudart.so.12"},
    {"vgpu/program/libcudart.so.13", "bin/vgpu/program/libcudart.so.13"},
    {"vgpu/libraries/lanewise-library-watch.so", "bin/vgpu/libraries/lanewise-library-watch.so"},
    {"vgpu/libraries/libcublas.so.12", "bin/vgpu/libraries/libcublas.so.12"},
    {"vgpu/libraries/libcublas.so.13", "bin/vgpu/libraries/libcublas.so.13"},
    {"vgpu/libraries/libcufft.so.11", "bin/vgpu/libraries/libcufft.so.11"},
    {"vgpu/libraries/libcufft.so.12", "bin/vgpu/libraries/libcufft.so.12"},
    {"vgpu/libraries/libcurand.so.10", "bin/vgpu/libraries/libcurand.so.10"},
    {"vgpu/libraries/libcusparse.so.12", "bin/vgpu/libraries/libcusparse.so.12"}};

// Correct kernels, and benchmarks.
constexpr std::array kStaying = {"datasets/readers_benchmark.cpp", "harness/vgpu/bench/",
                                 "harness/vgpu/fidelity/",         "harness/vgpu/programs/",
                                 "harness/vgpu/ptx/real_code.cu",  "harness/vgpu/sweep/"};

bool begins_with(std::string_view text, std::string_view beginning) {
  return text.substr(0, beginning.size()) == beginning;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool is_named_by(std::string_view path, std::string_view rule) {
  return rule.back() == '/' ? begins_with(path, rule) : path == rule;
}

// The programs contain the compiled parts of labs; entries are compiled with each submission.
bool is_in_programs(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  if (!begins_with(path, "labs/") || name == "entry.cpp") return false;
  return ends_with(name, ".cpp") || ends_with(name, ".h") || ends_with(name, ".in") || name == "CMakeLists.txt";
}

// Tests of questions compute the key.
bool is_of_tests(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::string inner = "/" + path;
  const auto lies_in = [&](const char* folder) { return inner.find(folder) != std::string::npos; };
  return ends_with(name, "_test.cpp") || ends_with(name, "_test.h") || ends_with(name, "_test.sh") ||
         begins_with(name, "test_") || name == "tests.cmake" || lies_in("/testing/") || lies_in("/fuzz/") ||
         lies_in("/browser/") || lies_in("/wrong/");
}

// "vecadd" of labs/vecadd/lab.toml; nothing for files beside the labs.
std::optional<std::string> lab_of(const std::string& path) {
  constexpr std::string_view kLabs = "labs/";
  const std::size_t end = path.find('/', kLabs.size());
  if (!begins_with(path, kLabs) || end == std::string::npos || begins_with(path, kWithEveryLab)) return std::nullopt;
  return path.substr(kLabs.size(), end - kLabs.size());
}

// Of a lab that is declared: it is compiled where the lab is checked.
bool is_oracle(const SourceTree& tree, const std::string& path) {
  const auto lab = lab_of(path);
  if (!lab || !ends_with(path, ".cpp")) return false;
  const auto file = read_lab_file(tree.root / "labs" / *lab);
  return file && !file->oracle.empty() && path == fmt::format("labs/{}/{}", *lab, file->oracle);
}

std::vector<std::string> released_paths(const SourceTree& tree, const std::vector<std::string>& labs,
                                        ReleaseForm form) {
  std::vector<std::string> paths;
  for (const std::string& path : tree.files) {
    const auto lab = lab_of(path);
    if ((is_for_students(path, form) || is_oracle(tree, path)) &&
        (!lab || std::find(labs.begin(), labs.end(), *lab) != labs.end()))
      paths.push_back(path);
  }
  return paths;
}

// Content of each file of solutions/ to its path.
Expected<std::map<std::string, std::string>> solutions_of(const SourceTree& tree) {
  std::map<std::string, std::string> solutions;
  for (const std::string& path : tree.files) {
    std::error_code error;
    if (!begins_with(path, "solutions/") || !fs::exists(tree.root / path, error)) continue;
    auto content = read_file(tree.root / path, kLargestFile);
    if (!content) return content.failure();
    if (!content->empty()) solutions.emplace(std::move(*content), path);
  }
  return solutions;
}

// With the chosen labs, and without what is for those who write labs.
Expected<std::string> labs_readme(const SourceTree& tree, const std::vector<std::string>& labs, std::string text) {
  std::vector<LabFile> files;
  for (const std::string& lab : labs) {
    auto file = read_lab_file(tree.root / "labs" / lab);
    if (!file) return file.failure();
    files.push_back(std::move(*file));
  }
  if (const std::size_t at = text.find(kForAuthors); at != std::string::npos) text.erase(at);
  return with_section(text, "course map", course_map(files));
}

// Students restore the skeleton from a copy, which some labs of a teacher's own lack.
std::optional<Failure> add_skeleton_copies(const SourceTree& tree, const std::vector<std::string>& labs,
                                           std::vector<ArchiveFile>& files) {
  const auto find = [&files](const std::string& path) {
    return std::find_if(files.begin(), files.end(), [&path](const ArchiveFile& file) { return file.path == path; });
  };
  for (const std::string& lab : labs) {
    const auto file = read_lab_file(tree.root / "labs" / lab);
    if (!file) continue;  // told by those who need it
    const std::string path = fmt::format("labs/{}/{}", lab, file->skeleton);
    const auto skeleton = find(path);
    const auto copy = find(path + kSkeletonCopy);
    if (skeleton == files.end()) continue;
    if (copy == files.end())
      files.push_back({path + kSkeletonCopy, skeleton->content, false});
    else if (copy->content != skeleton->content)
      return Failure{
          fmt::format("{0} differs from {0}{1}: 'lanewise restore {2}' brings the skeleton back; if yours is "
                      "the new skeleton, copy it there",
                      path, kSkeletonCopy, lab)};
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> labs_of_tree(const SourceTree& tree) {
  std::vector<std::string> labs;
  for (const std::string& path : tree.files) {
    const auto lab = lab_of(path);
    if (lab && path == "labs/" + *lab + "/lab.toml") labs.push_back(*lab);
  }
  return labs;
}

bool is_for_students(const std::string& path, ReleaseForm form) {
  const auto names_it = [&](std::string_view rule) { return is_named_by(path, rule); };
  const bool is_going =
      form == ReleaseForm::kPrograms
          ? std::any_of(kGoingWithPrograms.begin(), kGoingWithPrograms.end(), names_it) && !is_in_programs(path)
          : std::any_of(kGoing.begin(), kGoing.end(), names_it);
  if (!is_going) return false;
  if (std::any_of(kStaying.begin(), kStaying.end(), names_it)) return false;
  const bool is_for_developers = begins_with(path, "harness/") && (ends_with(path, ".md") || ends_with(path, ".png"));
  return !is_of_tests(path) && !is_for_developers;
}

Expected<std::vector<ArchiveFile>> released_files(const SourceTree& tree, const std::vector<std::string>& labs,
                                                  ReleaseForm form) {
  const auto solutions = solutions_of(tree);
  if (!solutions) return solutions.failure();
  std::vector<ArchiveFile> files;
  for (const std::string& path : released_paths(tree, labs, form)) {
    const fs::path file = tree.root / path;
    std::error_code error;
    const fs::file_status status = fs::symlink_status(file, error);
    if (status.type() != fs::file_type::regular)
      return Failure{fmt::format("{}: it is gone, or not a regular file, and cannot be released", path)};
    auto content = read_file(file, kLargestFile);
    if (!content) return content.failure();
    const auto solution = solutions->find(*content);
    if (solution != solutions->end())
      return Failure{
          fmt::format("{} is identical to {}; restore the skeleton before releasing it", path, solution->second)};
    if (path == kLabsReadme) {
      content = labs_readme(tree, labs, std::move(*content));
      if (!content) return Failure{fmt::format("{}: {}", path, content.sentence())};
    }
    const bool is_executable = (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
    const bool is_theirs = begins_with(path, kForStudents);
    files.push_back({is_theirs ? path.substr(kForStudents.size()) : path, std::move(*content), is_executable});
  }
  if (const auto failure = add_skeleton_copies(tree, labs, files)) return *failure;
  std::sort(files.begin(), files.end(), [](const ArchiveFile& a, const ArchiveFile& b) { return a.path < b.path; });
  return files;
}

Expected<std::vector<ArchiveFile>> released_programs(const fs::path& programs) {
  std::vector<ArchiveFile> files;
  std::optional<Failure> failure;
  const auto add = [&](const fs::path& from, const fs::path& to, bool is_executable) {
    auto content = read_file(programs / from, kLargestFile);
    if (!content) failure = content.failure();
    if (content) files.push_back({to.generic_string(), std::move(*content), is_executable});
  };
  for (const auto& [from, to] : kPrograms) add(from, to, true);
  // Only builds with the CUDA Toolkit have it.
  if (const fs::path driver = "vgpu/libraries/libcuda.so.1"; fs::exists(programs / driver))
    add(driver, "bin" / driver, true);
  // What clang takes for a CUDA Toolkit: headers and two programs.
  std::vector<fs::path> toolkit;
  std::error_code error;
  for (fs::recursive_directory_iterator it(programs / "toolchain", error), end; !error && it != end;
       it.increment(error))
    if (it->is_regular_file(error)) toolkit.push_back(it->path().lexically_relative(programs));
  if (error) return Failure{fmt::format("{}: {}", (programs / "toolchain").string(), error.message())};
  std::sort(toolkit.begin(), toolkit.end());
  for (const fs::path& file : toolkit) add(file, "bin" / file, access((programs / file).c_str(), X_OK) == 0);
  if (failure) return *failure;
  return files;
}

std::optional<std::string> newer_source(const SourceTree& tree, const fs::path& finished) {
  std::error_code error;
  const auto built = fs::last_write_time(finished, error);
  for (const std::string& path : tree.files) {
    const bool is_source = is_for_students(path, ReleaseForm::kSources) &&
                           !is_for_students(path, ReleaseForm::kPrograms) && !is_oracle(tree, path);
    if (is_source && fs::last_write_time(tree.root / path, error) > built) return path;
  }
  return std::nullopt;
}

std::vector<std::string> released_changes(const SourceTree& tree, const std::vector<std::string>& labs,
                                          ReleaseForm form) {
  const std::vector<std::string> released = released_paths(tree, labs, form);
  std::vector<std::string> changes;
  for (const std::string& path : tree.changed)
    if (std::binary_search(released.begin(), released.end(), path)) changes.push_back(path);
  return changes;
}

}  // namespace lanewise
