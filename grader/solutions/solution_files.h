// The files under solutions/: ladder steps, peers and known-wrong files, each with the verdict that it must get.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grader/solutions/expectation.h"
#include "harness/runner/find.h"

namespace lanewise {

struct SolutionFile {
  enum class Kind { kLadder, kWrong, kPeer, kSkeleton };

  Kind kind = Kind::kLadder;
  const LabSelection* lab = nullptr;
  std::string task;
  std::filesystem::path source;     ///< its text is solution_text()
  std::optional<Outline> declared;  ///< none for peers: no verdict is declared for a library
  std::string trouble;              ///< what is wrong with the file itself, such as a first line that declares nothing
  bool needs_gpu = false;
  bool is_right_on_gpu = false;      ///< declared
  std::set<std::string> unearned{};  ///< declared: parts of the score for which it must have no points
};

/// Every ladder step, peer and wrong file of a lab's tasks, and its skeleton, in order. A lab with one task may keep
/// them in `solutions/<lab>/` itself; otherwise they are in `solutions/<lab>/<task>/`.
std::vector<SolutionFile> solution_files(const std::vector<LabSelection>& labs, const std::filesystem::path& solutions);

/// For each task the reference (or, if that is missing, the last step), the skeleton, every invalid file, and those in
/// wrong/ that declare something that no earlier file of the lab does: an outcome, a tool that finds something, or any
/// misconception. In the same order.
std::vector<SolutionFile> one_of_each_kind(const std::vector<SolutionFile>& files);

}  // namespace lanewise
