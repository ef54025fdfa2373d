// Takes the groups that the text report shows, a line each.
#include "harness/report/editor_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "harness/lab/text_lines.h"
#include "harness/report/case_groups.h"
#include "harness/report/finding_groups.h"
#include "harness/report/next_step.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

// The first line that has `name(`, as the definition of a function does.
int line_of_function(const std::string& source, const std::string& name) {
  const std::vector<std::string> lines = lines_of(source);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t at = lines[i].find(name + "(");
    if (at == std::string::npos || lines[i].find("//") < at) continue;
    const char before = at == 0 ? ' ' : lines[i][at - 1];
    if (std::isalnum(static_cast<unsigned char>(before)) == 0 && before != '_') return static_cast<int>(i) + 1;
  }
  return 1;
}

class EditorLines {
 public:
  EditorLines(const std::filesystem::path& file, const std::string& source) : file_(file), source_(source) {}
  std::string of(const Verdict& verdict) {
    for (const TaskVerdict& task : verdict.tasks) add(task);
    return out_;
  }

 private:
  void add(const TaskVerdict& task);
  void line(const SourcePlace& place, const char* severity, const std::string& text);

  const std::filesystem::path& file_;
  const std::string& source_;
  int function_ = 1;  // of the task at hand
  std::string out_;
};

void EditorLines::line(const SourcePlace& place, const char* severity, const std::string& text) {
  std::filesystem::path file = file_;
  if (place.line > 0 && !place.file.empty()) file.replace_filename(place.file);
  const std::string line = fmt::format("{}:{}:1: {}: {}\n", safe_line(file.string()),
                                       place.line > 0 ? place.line : function_, severity, safe_line(text));
  if (out_.find(line) == std::string::npos) out_ += line;  // tasks share the errors of a file
}

// "it is read before ... Put a barrier ...": a sentence that ends without a full stop gets one.
std::string sentences(const std::string& problem, const std::string& advice) {
  if (problem.empty() || advice.empty()) return problem + advice;
  return problem + (problem.back() == '.' ? " " : ". ") + advice;
}

void EditorLines::add(const TaskVerdict& task) {
  if (task.state == TaskState::kNotStarted) return;
  function_ = line_of_function(source_, task.task);
  if (task.state != TaskState::kGraded) {
    const auto step = next_step(task);
    if (!step) return;
    const std::string said = "error: ";  // by the compiler, too
    const std::size_t at = step->problem.rfind(said, 0) == 0 ? said.size() : 0;
    return line(step->place, "error", sentences(step->problem.substr(at), step->advice));
  }
  for (const FindingGroup& group : group_findings(task.findings)) {
    const Finding& finding = *group.shown;
    line(finding.place, "error", sentences(finding.sentence, finding.advice) + " [" + finding.tool + "]");
  }
  for (const CaseGroup& group : group_failures(task.cases)) {
    const CaseVerdict& shown = *group.shown;
    line(shown.place, "error", case_label(shown) + ": " + sentences(shown.sentence, shown.hint));
  }
  for (const GoalVerdict& goal : task.goals)
    if (goal.is_measured && !goal.is_met && !goal.is_left_out)
      line(goal.place, "warning", sentences(goal.sentence, goal.hint));
}

}  // namespace

std::string editor_lines(const Verdict& verdict, const std::filesystem::path& file, const std::string& source) {
  return EditorLines(file, source).of(verdict);
}

}  // namespace lanewise
