// Grades the work in an unpacked bundle again.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "grader/bundle/bundle.h"
#include "grader/bundle/comparison.h"
#include "grader/workplace/workplace.h"
#include "harness/lab/failure.h"
#include "harness/runner/find.h"

namespace lanewise {

/// Two separate folders.
struct UnpackedBundle {
  std::filesystem::path files;  ///< what was unpacked
  std::filesystem::path lab;    ///< empty: for the lab, if it has to be put together
};

/// The lab as it was when the work was graded.
struct BundledLab {
  LabSelection selection;               ///< with the hidden cases
  Installation installation;            ///< where its files are looked for
  std::vector<Difference> differences;  ///< data of this installation that differs from the bundle's, which is used
  std::vector<Difference>
      code_differences;  ///< contract and entry or oracle, likewise; those of this installation are used
  std::string trouble;   ///< a sentence: why this lanewise cannot grade it; the rest is then meaningless
};

/// The lab of `installation` if its data equals the bundle's, otherwise a lab put together from the bundle's data and
/// this installation's code. Fails if bundle and lab contradict each other.
Expected<BundledLab> open_bundled_lab(const Manifest& manifest, const UnpackedBundle& folders,
                                      const Installation& installation);

/// Grades the work. `workplace` must belong to `lab.installation`.
Expected<Verdict> grade_again(const Manifest& manifest, const UnpackedBundle& folders, const BundledLab& lab,
                              const Workplace& workplace, const std::function<void(const std::string&)>& progress);

}  // namespace lanewise
