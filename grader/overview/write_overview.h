// The overview as files: index.html, and a page for each pair of similar sources.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/class/graded_class.h"
#include "grader/overview/similarity.h"
#include "harness/lab/failure.h"

namespace lanewise {

struct ClassComparison {
  /// By lab: what students were given (skeleton, contract, the handout's README.md), which is nobody's own work.
  std::map<std::string, std::vector<std::filesystem::path>> handed_out;
  SimilarityOptions options;
  std::function<void(const std::string&)> progress;  ///< "comparing the sources of scan"; may be empty
};

/// The counted attempts of each lab, compared with each other: the most similar of all labs first, at most
/// how.options.most_pairs. What could not be compared is in the notes.
Similarity compare_class(const GradedClass& graded, const ClassComparison& how);

/// Writes out/index.html, out/similar/NN.html, and out/set-aside.txt if the page cannot list everything. Removes pages
/// of pairs from an earlier run.
std::optional<Failure> write_overview(const GradedClass& graded, const Similarity& similarity,
                                      const std::filesystem::path& out);

}  // namespace lanewise
