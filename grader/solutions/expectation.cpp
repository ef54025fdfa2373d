// Parses declared verdicts and outlines actual ones.
#include "grader/solutions/expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "harness/vgpu/monitor/checker_names.h"

namespace lanewise {
namespace {

struct WorstName {
  Worst worst;
  const char* words;
};
constexpr std::array kWorstNames = {WorstName{Worst::kRight, "right"},
                                    WorstName{Worst::kWrong, "wrong"},
                                    WorstName{Worst::kCudaError, "cuda error"},
                                    WorstName{Worst::kExited, "exit"},
                                    WorstName{Worst::kCrashed, "crash"},
                                    WorstName{Worst::kTimedOut, "time limit"},
                                    WorstName{Worst::kMissing, "missing"},
                                    WorstName{Worst::kCompileError, "compile error"},
                                    WorstName{Worst::kNotStarted, "not started"},
                                    WorstName{Worst::kRefused, "refused by audit"}};

constexpr const char* kReviewed = "under review";
constexpr const char* kRightOnGpu = "right on a GPU";
constexpr std::string_view kNoPoints = "no points of ";
constexpr std::array kPartsNotEarned = {"fast", "efficient"};
// Beside the checkers.
constexpr std::array kOtherTools = {"runtime", "lockdown"};

// "fast" for "no points of fast"; "" for any other clause.
std::string part_not_earned(const std::string& clause) {
  for (const char* const part : kPartsNotEarned)
    if (clause == std::string(kNoPoints) + part) return part;
  return "";
}

bool is_tool(const std::string& name) {
  const auto has = [&name](const auto& names) { return std::find(names.begin(), names.end(), name) != names.end(); };
  return has(vgpu::kCheckerNames) || has(kOtherTools);
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::string part;
  bool is_quoted = false;
  for (const char c : text) {
    if (c == '"') is_quoted = !is_quoted;
    if (c == separator && !is_quoted) {
      parts.push_back(trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  parts.push_back(trimmed(part));
  return parts;
}

Worst worst_of(CaseOutcome outcome) {
  switch (outcome) {
    case CaseOutcome::kWrong:
      return Worst::kWrong;
    case CaseOutcome::kCudaError:
      return Worst::kCudaError;
    case CaseOutcome::kExited:
      return Worst::kExited;
    case CaseOutcome::kCrashed:
      return Worst::kCrashed;
    case CaseOutcome::kTimedOut:
      return Worst::kTimedOut;
    case CaseOutcome::kRight:
    case CaseOutcome::kNotRun:
    case CaseOutcome::kLeftOut:
      break;
  }
  return Worst::kRight;
}

}  // namespace

Expected<Expectation> parse_expectation(const std::string& line) {
  const std::string prefix = "// expect:";
  const Failure shape{"the first line must read \"// expect: <task>: <clause>[; <clause> ...]\""};
  if (line.rfind(prefix, 0) != 0) return shape;
  const std::string rest = trimmed(line.substr(prefix.size()));
  const std::size_t colon = rest.find(':');
  if (colon == std::string::npos) return shape;

  Expectation expectation;
  expectation.task = trimmed(rest.substr(0, colon));
  int worst_clauses = 0;
  for (const std::string& clause : split(rest.substr(colon + 1), ';')) {
    const auto is_clause = [&clause](const WorstName& name) { return clause == name.words; };
    const auto* const worst = std::find_if(kWorstNames.begin(), kWorstNames.end(), is_clause);
    if (worst != kWorstNames.end()) {
      expectation.outline.worst = worst->worst;
      ++worst_clauses;
    } else if (clause == kReviewed) {
      expectation.outline.is_reviewed = true;
    } else if (clause == kRightOnGpu) {
      expectation.is_right_on_gpu = true;
    } else if (const std::string part = part_not_earned(clause); !part.empty()) {
      expectation.unearned.insert(part);
    } else if (is_tool(clause)) {
      expectation.outline.tools.insert(clause);
    } else if (const std::size_t quote = clause.find('"'); clause.rfind("misconception", 0) == 0 &&
                                                           quote != std::string::npos && clause.back() == '"' &&
                                                           clause.size() > quote + 1) {
      expectation.outline.misconceptions.insert(clause.substr(quote + 1, clause.size() - quote - 2));
    } else {
      return Failure{fmt::format("the clause '{}' is unknown", clause)};
    }
  }
  if (worst_clauses != 1)
    return Failure{"exactly one clause must say how the worst case ends: right, wrong, crash, ..."};
  return expectation;
}

Outline outline_of(const TaskVerdict& verdict) {
  Outline outline;
  switch (verdict.state) {
    case TaskState::kNotStarted:
      outline.worst = Worst::kNotStarted;
      break;
    case TaskState::kMissing:
      outline.worst = Worst::kMissing;
      break;
    case TaskState::kRefused:
      outline.worst = Worst::kRefused;
      break;
    case TaskState::kCompileError:
      outline.worst = Worst::kCompileError;
      break;
    case TaskState::kGraded:
      for (const CaseVerdict& a_case : verdict.cases) outline.worst = std::max(outline.worst, worst_of(a_case.outcome));
      break;
  }
  for (const CaseVerdict& a_case : verdict.cases)
    if (!a_case.misconception.empty()) outline.misconceptions.insert(a_case.misconception);
  outline.is_reviewed = !verdict.speed.review.empty();
  for (const Finding& finding : verdict.findings) outline.tools.insert(finding.tool);
  return outline;
}

std::string describe(const Outline& outline) {
  std::string text;
  for (const WorstName& name : kWorstNames)
    if (name.worst == outline.worst) text = name.words;
  for (const std::string& tool : outline.tools) text += "; " + tool;
  for (const std::string& misconception : outline.misconceptions)
    text += fmt::format("; misconception = \"{}\"", misconception);
  if (outline.is_reviewed) text += fmt::format("; {}", kReviewed);
  return text;
}

bool operator==(const Outline& a, const Outline& b) {
  return a.worst == b.worst && a.tools == b.tools && a.misconceptions == b.misconceptions &&
         a.is_reviewed == b.is_reviewed;
}

}  // namespace lanewise
