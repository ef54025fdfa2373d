// Two similar sources beside each other as one web page, self-contained.
#pragma once

#include <string>

#include "grader/overview/similarity.h"

namespace lanewise {

struct PairSource {
  std::string name;    ///< of the student, for people
  std::string id;      ///< Student::id
  std::string source;  ///< any bytes
};

/// Matching lines have the same colour and number on both sides, and the number links to the other side. The page links
/// to ../index.html and ../students/<id>/index.html. Text from students is escaped; oversized sources are cut, which is
/// noted.
std::string pair_page(const SimilarPair& pair, const PairSource& first, const PairSource& second);

}  // namespace lanewise
