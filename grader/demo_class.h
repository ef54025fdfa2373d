// The made-up class of the demo: every file under solutions/ as one submission, with the verdict it must get.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/expectation.h"
#include "harness/runner/find.h"

namespace lanewise {

/// One file of the class.
struct DemoSubmission {
  enum class Kind { kLadder, kWrong, kPeer, kSkeleton };

  Kind kind = Kind::kLadder;
  const LabSelection* lab = nullptr;
  std::string task;
  std::filesystem::path source;
  std::optional<Outline> declared;  ///< none for peers: how a library does is not ours to declare
  std::string trouble;              ///< what is wrong with the file itself, such as a first line that declares nothing
  bool needs_gpu = false;
  bool earns_no_speed = false;  ///< declared: it must have no points of "fast"
};

/// Every ladder step, peer and wrong file of a lab's tasks, and its skeleton, in order. A lab of one task may keep them
/// in `solutions/<lab>/` itself, else they lie in `solutions/<lab>/<task>/`.
std::vector<DemoSubmission> demo_class(const std::vector<LabSelection>& labs, const std::filesystem::path& solutions);

}  // namespace lanewise
