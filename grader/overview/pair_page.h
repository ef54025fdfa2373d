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

/// Lines that say the same have the same colour and number on both sides, and the number leads to the other side. It
/// links to ../index.html and ../students/<id>/index.html. What came from students is escaped, sources beyond all
/// measure are cut, and it is said.
std::string pair_page(const SimilarPair& pair, const PairSource& first, const PairSource& second);

}  // namespace lanewise
