// A bundled grade compared with the result of grading it again.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "grader/bundle/bundle.h"
#include "grader/regrade/verdict_changes.h"
#include "harness/report/text_style.h"

namespace lanewise {

enum class Agreement : std::uint8_t {
  kSame,
  kNoise,  ///< measured times whose intervals are less than half a percent apart
  kDiffers,
};

struct ComparedLine {
  std::string what;  ///< "vec_add · correct", "total", "grade"
  std::string was;   ///< "55/55"
  std::string is;
  Agreement agreement = Agreement::kSame;
  std::string note;  ///< may be empty
};

struct Comparison {
  std::vector<ComparedLine> lines;   ///< each part of each task, their sum, and the course's score
  std::vector<PointChange> changes;  ///< the cases, goals, questions and rules behind the differences
  bool is_same = true;
};

/// `again`: the new verdict on the same work, without marks; it gets those of the manifest. Times that differ by no
/// more than measurement noise are replaced by the old ones before the sums are compared.
Comparison compare_grades(const Manifest& manifest, Verdict again);

/// A version or file that has changed.
struct Difference {
  std::string what;
  std::string was;  ///< "none" where there was none
  std::string is;
};
std::vector<Difference> differences(const std::map<std::string, std::string>& was,
                                    const std::map<std::string, std::string>& is);

/// Versions of programs, and of the device and driver that the verdict was made on.
std::map<std::string, std::string> all_versions(std::map<std::string, std::string> programs, const Verdict& verdict);

/// The lines, with the reasons for what differs.
std::string comparison_text(const Comparison& comparison, const TextStyle& style);

/// One line each: "labs/scan/lab.toml   was 3f2a91c04d5e, is 77bc01…".
std::string differences_text(const std::vector<Difference>& all, const TextStyle& style);

}  // namespace lanewise
