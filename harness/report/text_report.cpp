// Lays out a verdict: the important first, one hint per loss, nothing for what is fine.
#include "harness/report/text_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/lab/number_text.h"
#include "harness/lab/text_lines.h"
#include "harness/report/case_groups.h"
#include "harness/report/changes.h"
#include "harness/report/finding_groups.h"
#include "harness/report/next_step.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

// With the lines that say since when nothing has changed, where the page is and what comes next, a screen of 24.
constexpr std::size_t kLinesOfAScreen = 20;
constexpr std::size_t kLinesOfNext = 2;
constexpr std::size_t kCasesListed = 6;

// How much is shown of each kind.
struct Extent {
  std::size_t failures, findings, goals, printed, message;
  bool explains;   // with what they mean, not only where they are
  bool all_tasks;  // or the evidence of the first one only that has something to fix
};
constexpr Extent kDetails = {50, 50, 50, 50, 200, true, true};
constexpr Extent kExtents[] = {{5, 8, 8, 8, 18, true, true},   {3, 4, 4, 4, 18, true, true},
                               {2, 2, 2, 2, 12, true, true},   {2, 2, 1, 1, 12, false, true},
                               {2, 2, 1, 1, 12, false, false}, {1, 1, 1, 0, 6, false, false}};
constexpr std::size_t kRowsOfALine = 4;  // on the terminal: an endless line must not fill the screen

enum class Ink { kPlain, kBold, kDim, kGood, kBad };

const char* code_of(Ink ink) {
  switch (ink) {
    case Ink::kBold:
      return "\x1b[1m";
    case Ink::kDim:
      return "\x1b[2m";
    case Ink::kGood:
      return "\x1b[32m";
    case Ink::kBad:
      return "\x1b[31m";
    case Ink::kPlain:
      break;
  }
  return "";
}

class TextReport {
 public:
  TextReport(const Verdict& verdict, const TextStyle& style, const EarlierVerdict* earlier = nullptr)
      : verdict_(verdict), style_(style), earlier_(earlier) {}
  std::string render();
  std::string render_next();
  std::string render_unchanged(const TaskVerdict& task, const std::string& since);

 private:
  std::string ink(Ink ink, const std::string& text) const {
    return style_.colour && ink != Ink::kPlain ? code_of(ink) + text + "\x1b[0m" : text;
  }
  void line(std::size_t indent, const std::string& text, Ink ink = Ink::kPlain);
  // Broken into lines that fit; all but the first are indented by `hanging` more columns.
  void wrapped(std::size_t indent, const std::string& text, Ink ink = Ink::kPlain, std::size_t hanging = 0);
  std::string cut(const std::string& text) const { return first_columns(text, kRowsOfALine * style_.width); }
  // Left and right parts on one line if they fit.
  void spread(const std::string& left, const std::string& right);
  std::string environment_text() const;
  static std::string title(const TaskVerdict& task) { return task.lab + " · " + task.task; }

  void blocks();
  void hero(const TaskVerdict& task);
  std::string changes(const TaskVerdict& task) const;
  // What was said at the top is not said again.
  bool is_said(const std::string& text) const;
  void settled(const std::string& title, const TaskVerdict& task);
  void evidence(const TaskVerdict& task);
  void partly_run(const TaskVerdict& task);
  void part_line(const PartScore& part, std::size_t width);
  void speed(const SpeedVerdict& speed);
  void failures(const TaskVerdict& task);
  void failure(const CaseGroup& group);
  void findings(const TaskVerdict& task);
  void finding(const FindingGroup& group, bool is_explained);
  void goals(const TaskVerdict& task);
  void classes(const ClassTable& table);
  void printed(const TaskVerdict& task);
  void left_out(const TaskVerdict& task);
  void unscored(const TaskVerdict& task);

  const Verdict& verdict_;
  const TextStyle& style_;
  const EarlierVerdict* earlier_;
  Extent extent_ = kDetails;
  std::optional<NextStep> next_;  // of the task at hand
  std::string out_;
};

std::string place_text(const SourcePlace& place) {
  if (place.file.empty()) return "";
  return place.line > 0 ? fmt::format("{}:{}", place.file, place.line) : place.file;
}

std::string state_text(TaskState state) {
  switch (state) {
    case TaskState::kNotStarted:
      return "not started";
    case TaskState::kMissing:
      return "function missing";
    case TaskState::kRefused:
      return "refused by the audit";
    case TaskState::kCompileError:
      return "does not compile";
    case TaskState::kGraded:
      break;
  }
  return "";
}

// "41.25/55"
std::string score_text(double points, double max_points) { return points_text(points) + "/" + points_text(max_points); }

// Of the column of scores, which are one below the other.
std::size_t score_width(const TaskVerdict& task) {
  std::size_t width = std::max<std::size_t>(6, score_text(task.points, task.max_points).size());
  for (const PartScore& part : task.parts)
    if (part.scored) width = std::max(width, score_text(part.points, part.max_points).size());
  return width;
}

// "n = 1, n = 31 and 4 more": the other cases of a group, by what distinguishes them.
std::string list_cases(const std::vector<const CaseVerdict*>& cases) {
  std::string text;
  const std::size_t listed = std::min(cases.size(), kCasesListed);
  for (std::size_t i = 0; i < listed; ++i) text += (i == 0 ? "" : ", ") + cases[i]->name;
  if (cases.size() > listed) text += fmt::format(" and {} more", cases.size() - listed);
  return text;
}

// Breaks "a · b · c" between items, and an item only if it is longer than a line.
std::vector<std::string> wrap_list(const std::string& text, std::size_t width) {
  const std::string dot = " · ";
  std::vector<std::string> lines = {""};
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(dot, at), text.size());
    const std::string item = text.substr(at, end - at);
    at = end + (end < text.size() ? dot.size() : 1);
    std::string& last = lines.back();
    if (last.empty() || columns_of(last) + columns_of(dot) + columns_of(item) <= width) {
      last += (last.empty() ? "" : dot) + item;
    } else {
      lines.push_back(item);
    }
    if (columns_of(lines.back()) <= width) continue;
    std::vector<std::string> pieces = wrap_line(lines.back(), width);
    lines.pop_back();
    lines.insert(lines.end(), pieces.begin(), pieces.end());
  }
  return lines;
}

void TextReport::line(std::size_t indent, const std::string& text, Ink ink) {
  out_ += std::string(indent, ' ') + this->ink(ink, text) + "\n";
}

void TextReport::wrapped(std::size_t indent, const std::string& text, Ink ink, std::size_t hanging) {
  std::size_t at = indent;
  for (const std::string& part : wrap_line(text, style_.width - indent - hanging)) {
    line(at, part, ink);
    at = indent + hanging;
  }
}

void TextReport::spread(const std::string& left, const std::string& right) {
  const std::size_t used = columns_of(left) + columns_of(right);
  if (right.empty() || used + 3 > style_.width) {
    out_ += ink(Ink::kBold, left) + "\n";
    if (!right.empty()) line(2, right, Ink::kDim);
    return;
  }
  out_ += ink(Ink::kBold, left) + std::string(style_.width - used, ' ') + ink(Ink::kDim, right) + "\n";
}

std::string TextReport::environment_text() const {
  const Environment& environment = verdict_.environment;
  std::string text = safe_line(environment.device);
  if (!environment.runtime_version.empty()) text += " · CUDA " + safe_line(environment.runtime_version);
  return text + fmt::format(" · {:.1f} s", verdict_.seconds);
}

// The most that fits on a screen.
std::string TextReport::render() {
  if (style_.details) {
    blocks();
  } else {
    for (const Extent& extent : kExtents) {
      extent_ = extent;
      out_.clear();
      blocks();
      if (static_cast<std::size_t>(std::count(out_.begin(), out_.end(), '\n')) <= kLinesOfAScreen) break;
    }
  }
  return style_.utf8 ? out_ : ascii_text(out_);
}

void TextReport::blocks() {
  bool is_environment_said = false;
  bool has_something_to_fix = false;
  for (std::size_t i = 0; i < verdict_.tasks.size(); ++i) {
    const TaskVerdict& task = verdict_.tasks[i];
    if (!out_.empty()) out_ += "\n";
    next_ = next_step(task);
    if (task.state == TaskState::kGraded) {
      spread(title(task), is_environment_said ? "" : environment_text());
      is_environment_said = true;
      if (!task.partial.empty()) {
        next_.reset();  // what there is to do is said where it is found
        partly_run(task);
        continue;
      }
      hero(task);
      if (extent_.all_tasks || !has_something_to_fix) evidence(task);
      has_something_to_fix = has_something_to_fix || next_;
      continue;
    }
    // What concerns the whole file is said once: a compile error is one error, not one per task.
    std::string heading = title(task);
    while (i + 1 < verdict_.tasks.size() && verdict_.tasks[i + 1].state == task.state &&
           verdict_.tasks[i + 1].lab == task.lab &&
           (verdict_.tasks[i + 1].message == task.message || task.state == TaskState::kNotStarted))
      heading += ", " + verdict_.tasks[++i].task;
    settled(heading, task);
  }
}

std::string TextReport::render_next() {
  // The first mistake, or else the first that could be better.
  std::optional<NextStep> next;
  std::string place;
  for (const TaskVerdict& task : verdict_.tasks) {
    auto step = next_step(task);
    if (!step || (next && !step->is_mistake)) continue;
    place = place_text(step->place);
    if (place.empty() && verdict_.tasks.size() > 1) place = task.task;
    next = std::move(step);
    if (next->is_mistake) break;
  }
  if (next) {
    const std::string text = fmt::format("Next: {}{}", place.empty() ? "" : place + "  ",
                                         next->advice.empty() ? next->problem : next->advice);
    const std::string whole = safe_line(text);
    const std::vector<std::string> lines = wrap_line(whole, style_.width - 2);
    for (std::size_t i = 0; i < std::min(lines.size(), kLinesOfNext); ++i)
      line(i == 0 ? 0 : 2, lines[i] + (i + 1 == kLinesOfNext && lines.size() > kLinesOfNext ? " …" : ""), Ink::kBold);
  }
  return style_.utf8 ? out_ : ascii_text(out_);
}

std::string TextReport::render_unchanged(const TaskVerdict& task, const std::string& since) {
  std::string text = fmt::format("{}   {}/{}", title(task), points_text(task.points), points_text(task.max_points));
  if (task.state != TaskState::kGraded) text = fmt::format("{}   {}", title(task), state_text(task.state));
  line(0, text + "   unchanged since " + since, Ink::kDim);
  return style_.utf8 ? out_ : ascii_text(out_);
}

// Score, what has changed, and what to do first.
void TextReport::hero(const TaskVerdict& task) {
  const bool is_full = task.points >= task.max_points;
  const std::string score =
      fmt::format("{:<11}{:>{}}", "total", score_text(task.points, task.max_points), score_width(task));
  const std::string changes = this->changes(task);
  out_ += "  " + ink(is_full ? Ink::kGood : Ink::kBold, score);
  const std::size_t column = 2 + columns_of(score) + 3;
  std::size_t indent = 3;
  if (changes.empty())
    out_ += "\n";
  else
    for (const std::string& piece : wrap_line(safe_line(changes), style_.width - column)) {
      line(indent, piece, Ink::kDim);
      indent = column;
    }
  if (!next_) return;
  const std::string place = safe_line(place_text(next_->place));
  const std::string problem = next_->problem.empty() ? next_->advice : next_->problem;
  wrapped(2,
          fmt::format("{}: {}{}", next_->is_mistake ? "fix first" : "improve next", place.empty() ? "" : place + "  ",
                      safe_line(problem)),
          Ink::kBold, 4);
  if (!next_->problem.empty() && !next_->advice.empty()) wrapped(6, safe_line(next_->advice), Ink::kBold);
}

std::string TextReport::changes(const TaskVerdict& task) const {
  if (earlier_ == nullptr) return "";
  for (const TaskVerdict& before : earlier_->verdict.tasks) {
    if (before.lab != task.lab || before.task != task.task || before.state == TaskState::kNotStarted) continue;
    const std::string text = changes_text(changes_since(before, task));
    return text.empty() ? "" : fmt::format("since {}: {}", earlier_->since, text);
  }
  return "";
}

bool TextReport::is_said(const std::string& text) const {
  return next_ && (text == next_->problem || text == next_->advice);
}

void TextReport::settled(const std::string& title, const TaskVerdict& task) {
  const std::string state = state_text(task.state);
  if (task.state == TaskState::kNotStarted) {
    out_ += ink(Ink::kBold, title) + "   " + ink(Ink::kDim, state) + "\n";
    if (!task.message.empty()) wrapped(2, safe_line(task.message), Ink::kDim);
    return;
  }
  out_ += ink(Ink::kBold, title) + "   " + ink(Ink::kBad, state) + "\n";
  const std::vector<std::string> lines = lines_of(safe_text(task.message));
  for (std::size_t i = 0; i < std::min(lines.size(), extent_.message); ++i) line(2, cut(lines[i]));
  if (lines.size() > extent_.message)
    line(2, fmt::format("… and {} more lines: --details shows them", lines.size() - extent_.message), Ink::kDim);
}

// What is known without a score.
void TextReport::partly_run(const TaskVerdict& task) {
  const auto count_of = [&task](CaseOutcome outcome) {
    return std::count_if(task.cases.begin(), task.cases.end(),
                         [outcome](const CaseVerdict& each) { return each.outcome == outcome; });
  };
  const auto right = count_of(CaseOutcome::kRight);
  const auto counted = static_cast<std::ptrdiff_t>(task.cases.size()) - count_of(CaseOutcome::kLeftOut);
  line(2, fmt::format("{:<11}{:>6}", "right", fmt::format("{}/{}", right, counted)),
       right == counted ? Ink::kGood : Ink::kBold);
  failures(task);
  findings(task);
  printed(task);
  left_out(task);
  wrapped(2, fmt::format("partial    {}: no points", safe_line(task.partial)), Ink::kBold);
}

void TextReport::evidence(const TaskVerdict& task) {
  for (const PartScore& part : task.parts) {
    if (!part.scored) continue;
    part_line(part, score_width(task));
    if (part.name == "correct") failures(task);
    if (part.name == "clean") findings(task);
    if (part.name == "efficient") goals(task);
    if (part.name == "fast" && part.points < part.max_points && extent_.explains) speed(task.speed);
  }
  classes(task.classes);
  const auto clean = std::find_if(task.parts.begin(), task.parts.end(),
                                  [](const PartScore& part) { return part.name == "clean" && part.scored; });
  if (clean == task.parts.end()) findings(task);
  printed(task);
  if (extent_.explains) left_out(task);
  unscored(task);
}

void TextReport::part_line(const PartScore& part, std::size_t width) {
  const std::string score = score_text(part.points, part.max_points);
  const Ink colour = part.points >= part.max_points ? Ink::kGood : part.points > 0 ? Ink::kPlain : Ink::kBad;
  out_ += fmt::format("  {:<11}{}", part.name, ink(colour, fmt::format("{:>{}}", score, width)));
  const std::size_t column = 13 + width + 3;
  std::size_t indent = 3;
  for (const std::string& piece : wrap_list(safe_line(part.evidence), style_.width - column)) {
    line(indent, piece);
    indent = column;
  }
}

// What was timed, and with how many samples.
void TextReport::speed(const SpeedVerdict& speed) {
  if (!speed.is_known) return;
  std::string text = fmt::format("{}{} in the case: {}", speed.is_modelled ? "modelled" : "timed",
                                 speed.is_at_scale ? " at scale" : "", speed.case_name);
  if (!speed.sizes.empty()) text += fmt::format(" ({})", speed.sizes);
  if (!speed.is_modelled) text += fmt::format(", {} samples", speed.samples);
  if (speed.discarded > 0) text += fmt::format(", {} more discarded: the clock was low", speed.discarded);
  if (!speed.clocks.empty()) text += "; " + speed.clocks;
  wrapped(6, safe_line(text), Ink::kDim);
}

void TextReport::failures(const TaskVerdict& task) {
  const std::vector<CaseGroup> groups = group_failures(task.cases);
  std::vector<const CaseVerdict*> rest;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i < extent_.failures) {
      failure(groups[i]);
      continue;
    }
    rest.push_back(groups[i].shown);
    rest.insert(rest.end(), groups[i].same.begin(), groups[i].same.end());
  }
  if (!rest.empty())
    wrapped(
        4,
        fmt::format("✗ {} more {}: {}", rest.size(), rest.size() == 1 ? "fails" : "fail", safe_line(list_cases(rest))),
        Ink::kPlain, 2);
}

void TextReport::failure(const CaseGroup& group) {
  const CaseVerdict& verdict = *group.shown;
  const std::string label = safe_line(case_label(verdict));
  const std::string sentence = safe_line(verdict.sentence);
  // On one line if it fits, otherwise the sentence below the label.
  if (6 + columns_of(label) + 3 + columns_of(sentence) <= style_.width) {
    out_ += "    " + ink(Ink::kBad, "✗") + " " + label + "   " + sentence + "\n";
  } else {
    out_ += "    " + ink(Ink::kBad, "✗") + " " + label + "\n";
    wrapped(6, sentence);
  }
  if (!verdict.hint.empty() && !is_said(verdict.hint)) wrapped(6, safe_line(verdict.hint), Ink::kBold);
  if (verdict.hint.empty() && verdict.outcome == CaseOutcome::kWrong && extent_.explains)
    wrapped(6, "this case: " + safe_line(verdict.why), Ink::kDim);
  if (group.same.empty()) return;
  wrapped(4,
          fmt::format("✗ {} other case{} the same way: {}", group.same.size(),
                      group.same.size() == 1 ? " fails" : "s fail", safe_line(list_cases(group.same))),
          Ink::kPlain, 2);
}

void TextReport::findings(const TaskVerdict& task) {
  const std::vector<FindingGroup> groups = group_findings(task.findings);
  const std::size_t shown = std::min(groups.size(), extent_.findings);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto is_same_place = [](const Finding& a, const Finding& b) {
      return a.tool == b.tool && a.place.line > 0 && a.place.line == b.place.line && a.place.file == b.place.file;
    };
    // Another finding on the same line needs no second explanation.
    finding(groups[i], i == 0 || !is_same_place(*groups[i].shown, *groups[i - 1].shown));
  }
  if (groups.size() > shown)
    line(4, fmt::format("✗ {} more {}", groups.size() - shown, groups.size() == shown + 1 ? "finding" : "findings"));
}

void TextReport::finding(const FindingGroup& group, bool is_explained) {
  const Finding& finding = *group.shown;
  std::string head = safe_line(finding.tool);
  if (const std::string place = place_text(finding.place); !place.empty()) head += "   " + safe_line(place);
  head += "   " + safe_line(finding.kind);
  if (const std::string arrays = arrays_text(group); !arrays.empty()) head += "   " + safe_line(arrays);
  if (group.count > 1) head += fmt::format("   {} times", with_commas(group.count));
  out_ += "    " + ink(Ink::kBad, "✗") + " " + head + "\n";
  if (!is_explained || !extent_.explains) return;
  if (!is_said(finding.sentence)) wrapped(6, safe_line(finding.sentence));
  if (!finding.advice.empty() && !is_said(finding.advice)) wrapped(6, safe_line(finding.advice), Ink::kBold);
  if (!finding.case_name.empty()) line(6, "first seen in the case: " + safe_line(finding.case_name), Ink::kDim);
}

void TextReport::goals(const TaskVerdict& task) {
  std::size_t shown = 0;
  for (const GoalVerdict& goal : task.goals) {
    if (goal.is_met || goal.is_left_out || shown++ >= extent_.goals) continue;
    const std::string place = place_text(goal.place);
    const std::string head = place.empty() ? "" : safe_line(place) + "   ";
    const std::string lead = ink(Ink::kBad, "✗") + " ";
    std::vector<std::string> lines = wrap_line(head + safe_line(goal.sentence), style_.width - 6);
    for (std::size_t i = 0; i < lines.size(); ++i)
      out_ += std::string(i == 0 ? 4 : 6, ' ') + (i == 0 ? lead : "") + lines[i] + "\n";
    if (goal.is_measured && !goal.hint.empty() && !is_said(goal.hint)) wrapped(6, safe_line(goal.hint), Ink::kBold);
    if (goal.is_measured && extent_.explains) line(6, "counted in the case: " + safe_line(goal.case_name), Ink::kDim);
  }
}

// One line per counter: "active lanes: rows of 2 6 %, rows of 32 97 %".
void TextReport::classes(const ClassTable& table) {
  if (table.title.empty()) return;
  line(2, safe_line(table.title));
  for (std::size_t c = 0; c < table.headings.size(); ++c) {
    std::vector<std::string> costs;
    for (const ClassTable::Row& row : table.rows)
      costs.push_back(fmt::format("{} {}", safe_line(row.case_name),
                                  c < row.values.size() ? safe_line(row.values[c]) : "not counted"));
    wrapped(4, fmt::format("{}: {}", safe_line(table.headings[c]), fmt::join(costs, ", ")), Ink::kPlain, 2);
  }
}

void TextReport::printed(const TaskVerdict& task) {
  if (task.output_bytes == 0) return;
  const std::vector<std::string> lines = lines_of(safe_text(task.output));
  line(2, fmt::format("{:<11}{} bytes", "printed", with_commas(task.output_bytes)));
  if (extent_.printed == 0) return;
  const std::size_t shown = std::min(lines.size(), extent_.printed);
  for (std::size_t i = 0; i < shown; ++i) line(4, "| " + cut(lines[i]));
  if (lines.size() > shown || task.output_bytes > task.output.size()) line(4, "| …", Ink::kDim);
}

void TextReport::left_out(const TaskVerdict& task) {
  for (const CaseVerdict& verdict : task.cases)
    if (verdict.outcome == CaseOutcome::kLeftOut)
      wrapped(2, fmt::format("left out: {}: {}", safe_line(case_label(verdict)), safe_line(verdict.sentence)),
              Ink::kDim);
}

void TextReport::unscored(const TaskVerdict& task) {
  // Parts with the same reason share a line.
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const PartScore& part : task.parts) {
    if (part.scored) continue;
    const auto known = std::find_if(reasons.begin(), reasons.end(),
                                    [&part](const auto& entry) { return entry.second == part.evidence; });
    if (known != reasons.end())
      known->first += ", " + part.name;
    else
      reasons.emplace_back(part.name, part.evidence);
  }
  for (const auto& [names, reason] : reasons)
    wrapped(2, fmt::format("not scored: {} ({})", names, safe_line(reason)), Ink::kDim);
}

}  // namespace

std::string text_report(const Verdict& verdict, const TextStyle& style, const EarlierVerdict* earlier) {
  return TextReport(verdict, style, earlier).render();
}

std::string next_line(const Verdict& verdict, const TextStyle& style) {
  return TextReport(verdict, style).render_next();
}

std::string unchanged_line(const TaskVerdict& task, const std::string& since, const TextStyle& style) {
  const Verdict none;
  return TextReport(none, style).render_unchanged(task, since);
}

}  // namespace lanewise
