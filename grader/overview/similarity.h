// Near-identical submissions: sources compared by Debian's similarity-tester, without what was handed out.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/lab/failure.h"

namespace lanewise {

/// One student's submission for a lab.
struct ComparedSource {
  std::string student;  ///< Student::id
  std::filesystem::path file;
};

/// Matching lines of two sources: counted from 1, ends included.
struct MatchedLines {
  int first_begin = 0;
  int first_end = 0;
  int second_begin = 0;
  int second_end = 0;
  int tokens = 0;  ///< matching tokens
};

/// Two sources of one lab that have much in common.
struct SimilarPair {
  std::string lab;
  std::string first;  ///< Student::id
  std::string second;
  std::filesystem::path first_file;
  std::filesystem::path second_file;
  double first_percent = 0;  ///< of the first's own tokens that are also in the second
  double second_percent = 0;
  std::vector<MatchedLines> runs;  ///< by place in the first
};

struct SimilarityOptions {
  std::filesystem::path program = "/usr/bin/sim_c++";  ///< of the package similarity-tester
  /// The percentage of either's own tokens that must be in the other. Copies with every name, comment and number
  /// changed, and functions moved, share more than 90; the same algorithm written by somebody else shares a tenth
  /// (samples/), and by the same author from one skeleton up to 60 (steps of the ladders that differ in their idea).
  double least_percent = 65;
  std::size_t least_tokens = 100;  ///< of their own, in both: there are few ways to write anything shorter
  /// The most similar ones. 60 copies of one file have 1,770 pairs.
  std::size_t most_pairs = 2000;
  std::chrono::seconds limit = std::chrono::minutes(10);  ///< for comparing all
};

struct Similarity {
  std::vector<SimilarPair> pairs;  ///< the most similar first
  std::size_t more = 0;            ///< pairs beyond most_pairs
  std::vector<std::string> notes;  ///< sentences: what could not be compared, and why
};

/// The larger of both shares: a copy embedded in much other code is still a copy.
double largest_share(const SimilarPair& pair);

bool is_more_similar(const SimilarPair& a, const SimilarPair& b);

/// Students of one lab, each of whom is similar to each other one.
struct SimilarGroup {
  std::string lab;
  std::vector<std::string> students;  ///< Student::id, ascending; at least two
  std::vector<std::size_t> pairs;     ///< positions in the list of pairs; the most similar first
};

/// Every pair is in at least one group, and nobody is in a group with somebody they have no pair with: if Ben's file
/// resembles Ann's and Cem's, but theirs do not resemble each other, that is two groups, and Ann is never named beside
/// Cem. (Connected components would join strangers through one file that holds both their code.) So a student can be
/// in several groups. The groups with the most similar pairs come first. `pairs` is sorted by is_more_similar.
std::vector<SimilarGroup> similar_groups(const std::vector<SimilarPair>& pairs);

/// Compares the sources of one lab with each other. Layout, comments, names, numbers and strings make no difference.
///
/// What is also in `excluded` (skeleton, contract, the handout's unchanged README.md) is first removed from every
/// source, wherever both share a run of at least 24 tokens: pairs and percentages refer to what is left. No bytes from
/// students reach a command line, and only printable tokens of their sources reach the program: it reads copies with
/// generated names, with one token per line.
///
/// Fails with a sentence if similarity-tester is not installed or does not finish; grading does not depend on it.
Expected<Similarity> find_similar(const std::string& lab, const std::vector<ComparedSource>& sources,
                                  const std::vector<std::filesystem::path>& excluded,
                                  const SimilarityOptions& options = {});

}  // namespace lanewise
