// Lines that two sources have in common: their longest common subsequence.
#include "grader/bench/step_distance.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "harness/lab/measured.h"

namespace lanewise {

int changed_lines(const std::string& before, const std::string& after) {
  const std::vector<std::string> a = code_lines(before), b = code_lines(after);
  std::vector<int> common(b.size() + 1);  // of the lines of a so far and the first j of b
  for (const std::string& line : a) {
    int diagonal = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const int above = common[j + 1];
      common[j + 1] = line == b[j] ? diagonal + 1 : std::max(above, common[j]);
      diagonal = above;
    }
  }
  return static_cast<int>(std::max(a.size(), b.size())) - common.back();
}

bool explains_leap(const std::string& source) {
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line) && line.rfind("//", 0) == 0;)
    if (line.rfind("// Leap ", 0) == 0) return true;
  return false;
}

}  // namespace lanewise
