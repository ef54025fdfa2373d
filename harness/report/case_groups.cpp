// Groups failing cases by cause.
#include "harness/report/case_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

namespace lanewise {
namespace {

// A sentence with every number replaced by one mark, so that "wrote 12 bytes past the end of d_c" is the same at every
// size.
std::string without_numbers(const std::string& sentence) {
  std::string shape;
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    if (!is_digit(sentence[i])) {
      shape += sentence[i];
      continue;
    }
    if (!shape.empty() && shape.back() == '-') shape.pop_back();
    shape += '#';
    // Through "1,025", "0.5" and "1e-07", stopping before a comma or point that ends the number.
    for (; i + 1 < sentence.size(); ++i) {
      const char next = sentence[i + 1];
      const bool goes_on =
          i + 2 < sentence.size() && (is_digit(sentence[i + 2]) || sentence[i + 2] == '-' || sentence[i + 2] == '+');
      if (is_digit(next) || (goes_on && (next == ',' || next == '.' || next == 'e'))) continue;
      if ((next == '-' || next == '+') && sentence[i] == 'e') continue;
      break;
    }
  }
  return shape;
}

bool is_same_failure(const CaseVerdict& a, const CaseVerdict& b) {
  if (a.outcome != b.outcome || a.misconception != b.misconception) return false;
  return !a.misconception.empty() || without_numbers(a.sentence) == without_numbers(b.sentence);
}

}  // namespace

std::vector<CaseGroup> group_failures(const std::vector<CaseVerdict>& cases) {
  std::vector<CaseGroup> groups;
  for (const CaseVerdict& verdict : cases) {
    if (verdict.outcome == CaseOutcome::kRight || verdict.outcome == CaseOutcome::kLeftOut) continue;
    const auto known = std::find_if(groups.begin(), groups.end(), [&verdict](const CaseGroup& group) {
      return is_same_failure(*group.shown, verdict);
    });
    if (known != groups.end())
      known->same.push_back(&verdict);
    else
      groups.push_back({&verdict, {}});
  }
  return groups;
}

std::string case_label(const CaseVerdict& verdict) {
  return verdict.sizes.empty() ? verdict.name : fmt::format("{} ({})", verdict.name, verdict.sizes);
}

const char* words_for(CaseOutcome outcome) {
  switch (outcome) {
    case CaseOutcome::kRight:
      return "right";
    case CaseOutcome::kWrong:
      return "wrong";
    case CaseOutcome::kCudaError:
      return "CUDA error";
    case CaseOutcome::kCrashed:
      return "crash";
    case CaseOutcome::kExited:
      return "ended the program";
    case CaseOutcome::kTimedOut:
      return "time limit";
    case CaseOutcome::kNotRun:
      return "not run";
    case CaseOutcome::kLeftOut:
      return "left out";
  }
  return "";
}

}  // namespace lanewise
