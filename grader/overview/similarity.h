// Who handed in the same: sources compared by Debian's similarity-tester, without what was handed out.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/lab/failure.h"

namespace lanewise {

struct ComparedSource {
  std::string student;  ///< Student::id
  std::string lab;
  std::filesystem::path file;
};

/// Lines of one source that say the same as lines of another: counted from 1, ends included.
struct MatchedLines {
  int first_begin = 0;
  int first_end = 0;
  int second_begin = 0;
  int second_end = 0;
  int tokens = 0;
};

/// Two sources of one lab that have much in common. What the handout has, too, is not counted, on either side.
struct SimilarPair {
  std::string lab;
  std::string first;  ///< Student::id
  std::string second;
  std::filesystem::path first_file;
  std::filesystem::path second_file;
  double first_percent = 0;  ///< of the first's own tokens that the second has, too
  double second_percent = 0;
  std::vector<MatchedLines> runs;  ///< by place in the first
};

struct SimilarityOptions {
  /// Percent of the own tokens of either that a pair must share. Measured on this course's labs: different solutions of
  /// one task share at most about half, a copy with all names changed and functions moved about nine tenths.
  double least_percent = 70;
  std::size_t least_tokens = 100;  ///< own ones, of both: with fewer there are not many ways to write it
  std::size_t most_pairs = 200;    ///< the most similar ones
  std::chrono::seconds limit = std::chrono::minutes(10);  ///< for all of a lab's
};

struct Similarity {
  std::vector<SimilarPair> pairs;  ///< by lab, then the most similar first
  std::size_t more = 0;            ///< pairs beyond most_pairs
  std::vector<std::string> notes;  ///< sentences: what could not be compared, and why
};

}  // namespace lanewise
