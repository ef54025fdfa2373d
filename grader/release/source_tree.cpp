// Asks git, or walks the folders.
#include "grader/release/source_tree.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>

#include "harness/lab/read_file.h"
#include "harness/runner/process.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience(60);
constexpr std::size_t kMostOutput = 64 << 20;

// What git prints; nothing if it is not there or refuses.
std::optional<std::string> git(const fs::path& root, const std::string& arguments) {
  ProcessOptions options;
  options.command = {"/bin/sh", "-c", "exec git -C \"$1\" " + arguments + " 2> /dev/null", "sh", root.string()};
  for (const char* name : {"PATH", "HOME"})
    if (const char* value = std::getenv(name)) options.environment.push_back(fmt::format("{}={}", name, value));
  const auto finished = run_to_end(options, kPatience, kMostOutput);
  if (!finished || !finished->succeeded()) return std::nullopt;
  return finished->output;
}

std::vector<std::string> split_at_zeros(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  return parts;
}

std::optional<SourceTree> tree_by_git(const fs::path& root) {
  const auto files = git(root, "ls-files -z");
  if (!files || files->empty()) return std::nullopt;
  const auto changed = git(root, "diff --name-only --relative -z HEAD");
  const auto commit = git(root, "log -1 --format='%ct %h'");
  if (!changed || !commit) return std::nullopt;
  SourceTree tree;
  tree.root = root;
  tree.files = split_at_zeros(*files);
  tree.changed = split_at_zeros(*changed);
  char* rest = nullptr;
  tree.time = std::strtoll(commit->c_str(), &rest, 10);
  std::string name(rest);
  name.erase(std::remove_if(name.begin(), name.end(), [](char c) { return c == ' ' || c == '\n'; }), name.end());
  tree.origin = "commit " + name;
  return tree;
}

Expected<SourceTree> tree_by_folders(const fs::path& root) {
  SourceTree tree;
  tree.root = root;
  tree.origin = "its folders";
  std::error_code error;
  for (fs::recursive_directory_iterator it(root, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.front() == '.' || name == "build" || name.rfind("build-", 0) == 0) {
      it.disable_recursion_pending();
      continue;
    }
    struct stat about = {};
    if (lstat(it->path().c_str(), &about) != 0 || !S_ISREG(about.st_mode)) continue;
    tree.files.push_back(it->path().lexically_relative(root).generic_string());
    tree.time = std::max<std::int64_t>(tree.time, about.st_mtim.tv_sec);
  }
  if (error) return Failure{fmt::format("{}: the folder cannot be read ({})", root.string(), error.message())};
  std::sort(tree.files.begin(), tree.files.end());
  return tree;
}

}  // namespace

Expected<SourceTree> read_source_tree(const fs::path& root) {
  if (auto tree = tree_by_git(root)) return std::move(*tree);
  std::error_code error;
  if (fs::exists(root / ".git", error))
    return Failure{fmt::format(
        "{}: git tracks these files, but cannot list them; does 'git status' work there, and is there a commit?",
        root.string())};
  return tree_by_folders(root);
}

Expected<std::vector<ArchiveFile>> whole_tree(const SourceTree& tree) {
  std::vector<ArchiveFile> files;
  for (const std::string& path : tree.files) {
    auto content = read_file(tree.root / path, std::uintmax_t{1} << 28);
    if (!content) return content.failure();
    files.push_back({path, std::move(*content), access((tree.root / path).c_str(), X_OK) == 0});
  }
  return files;
}

}  // namespace lanewise
