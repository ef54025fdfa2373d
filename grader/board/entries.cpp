// Finds the first reason why an entry is not fit.
#include "grader/board/entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "grader/exports/counted.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

const TaskVerdict* verdict_of(const GradedAttempt& attempt, const std::string& task) {
  for (const TaskVerdict& each : attempt.verdict->tasks)
    if (each.task == task) return &each;
  return nullptr;
}

// Points of the cases that were run, over all tasks.
struct CasePoints {
  double points = 0;
  double most = 0;
};

void set_aside(BoardEntry& entry, EntryState state, std::string reason) {
  entry.state = state;
  entry.reason = std::move(reason);
}

// Case names are not shown: hidden ones must stay hidden.
void judge_cases(const TaskVerdict& verdict, bool may_hidden_be_wrong, BoardEntry& entry, CasePoints& points) {
  std::size_t wrong = 0;
  std::size_t all = 0;
  for (const CaseVerdict& each : verdict.cases) {
    if (each.outcome == CaseOutcome::kLeftOut) continue;
    ++all;
    points.points += each.points;
    points.most += each.max_points;
    const bool is_excused = may_hidden_be_wrong && each.group != "check";
    wrong += each.outcome != CaseOutcome::kRight && !is_excused ? 1 : 0;
  }
  if (all == 0)
    set_aside(entry, EntryState::kNotGraded, fmt::format("{}: no case was run", verdict.task));
  else if (wrong > 0)
    set_aside(entry, EntryState::kWrong, fmt::format("{}: wrong in {} of {} cases", verdict.task, wrong, all));
}

void judge_task(const TaskVerdict& verdict, bool may_hidden_be_wrong, BoardEntry& entry, CasePoints& points) {
  const auto because = [&verdict](const std::string& why) { return fmt::format("{}: {}", verdict.task, why); };
  switch (verdict.state) {
    case TaskState::kNotStarted:
      return set_aside(entry, EntryState::kIncomplete, because("not written yet"));
    case TaskState::kMissing:
      return set_aside(entry, EntryState::kIncomplete, because("the function is missing"));
    case TaskState::kCompileError:
      return set_aside(entry, EntryState::kIncomplete, because("it does not compile"));
    case TaskState::kRefused:
      return set_aside(entry, EntryState::kRefused, because(verdict.message.substr(0, verdict.message.find('\n'))));
    case TaskState::kGraded:
      break;
  }
  judge_cases(verdict, may_hidden_be_wrong, entry, points);
  if (entry.state != EntryState::kFit) return;
  if (!verdict.findings.empty()) {
    std::set<std::string> tools;
    for (const Finding& finding : verdict.findings) tools.insert(finding.tool);
    std::string names;
    for (const std::string& tool : tools) names += (names.empty() ? "" : ", ") + tool;
    set_aside(entry, EntryState::kUnclean, because("found by " + names));
  } else if (!verdict.speed.review.empty()) {
    set_aside(entry, EntryState::kUnderReview, because(verdict.speed.review));
  }
}

bool has_attempt(const GradedStudent& student, const std::string& lab) {
  return std::any_of(student.attempts.begin(), student.attempts.end(),
                     [&lab](const GradedAttempt& attempt) { return attempt.lab == lab; });
}

std::string content_of(const GradedAttempt& attempt) { return attempt.source.parent_path().filename().string(); }

// Of all attempts: which of them counts may change from board to board.
void note_unfit(const GradedStudent& student, const Competition& competition, BoardEntry& entry) {
  for (const GradedAttempt& attempt : student.attempts)
    for (const CompetitionTask& task : competition.tasks) {
      const TaskVerdict* const verdict =
          attempt.lab == task.lab && attempt.verdict ? verdict_of(attempt, task.task) : nullptr;
      if (verdict == nullptr) continue;
      BoardEntry judged;
      CasePoints points;
      judge_task(*verdict, competition.weights.correctness > 0, judged, points);
      if (is_disqualifying(judged.state)) entry.unfit.insert(content_of(attempt));
    }
}

// Also of entries that do not race. The date is unknown if one of several is.
void take_contents(const GradedStudent& student, const Competition& competition, BoardEntry& entry) {
  bool is_dated = true;
  for (const CompetitionTask& task : competition.tasks)
    if (const GradedAttempt* const attempt = counted_attempt(student, task.lab)) {
      entry.contents.push_back(content_of(*attempt));
      entry.submitted = std::max(entry.submitted, attempt->submitted);
      is_dated = is_dated && attempt->submitted != 0;
    }
  if (!is_dated) entry.submitted = 0;
}

void judge(const GradedStudent& student, const Competition& competition, BoardEntry& entry) {
  CasePoints points;
  for (const CompetitionTask& task : competition.tasks) {
    const GradedAttempt* const attempt = counted_attempt(student, task.lab);
    if (attempt == nullptr && !has_attempt(student, task.lab))
      return set_aside(entry, EntryState::kIncomplete, fmt::format("nothing was submitted for {}", task.lab));
    if (attempt == nullptr) return set_aside(entry, EntryState::kNotGraded, why_not_counted(student, task.lab));
    const TaskVerdict* const verdict = verdict_of(*attempt, task.task);
    if (verdict == nullptr)
      return set_aside(entry, EntryState::kNotGraded, fmt::format("there is no verdict for {}", task.task));
    judge_task(*verdict, competition.weights.correctness > 0, entry, points);
    if (entry.state != EntryState::kFit) return;
  }
  entry.correctness = points.most > 0 ? points.points / points.most : 1;
}

std::string without_blanks_around(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

void name(const GradedStudent& student, std::set<std::string>& taken, int& anonymous, BoardEntry& entry) {
  const std::string chosen = without_blanks_around(safe_line(student.student.nickname));
  entry.name = entry.nickname = chosen;
  if (chosen.empty()) {
    do entry.name = fmt::format("anonymous {}", ++anonymous);
    while (taken.count(entry.name) != 0);
  } else {
    for (int number = 2; taken.count(entry.name) != 0; ++number) entry.name = fmt::format("{} ({})", chosen, number);
  }
  taken.insert(entry.name);
}

const GradedStudent* find_student(const GradedClass& graded, const std::string& id) {
  const auto found = std::find_if(graded.students.begin(), graded.students.end(),
                                  [&id](const GradedStudent& each) { return each.student.id == id; });
  return found == graded.students.end() ? nullptr : &*found;
}

// The roof belongs to the case, whichever entry's time it is computed from.
void take_case(const TaskVerdict& verdict, BoardCase& each) {
  for (const CaseVerdict& of : verdict.cases)
    if (of.name == each.name) each.sizes = of.sizes;
  const SpeedVerdict& speed = verdict.speed;
  const bool has_roof = std::any_of(each.marks.begin(), each.marks.end(),
                                    [](const BoardMark& mark) { return mark.kind == MarkKind::kRoof; });
  if (has_roof || speed.roof.empty()) return;
  each.marks.push_back(
      {MarkKind::kRoof, speed.roof, speed.roof_fraction * speed.time.milliseconds / each.reference_milliseconds});
  sort_marks(each.marks);
}

}  // namespace

std::vector<BoardEntry> entries_of(const GradedClass& graded, const Competition& competition) {
  std::vector<BoardEntry> entries;
  std::set<std::string> taken;
  int anonymous = 0;
  for (const GradedStudent& student : graded.students) {
    if (student.attempts.empty()) continue;
    BoardEntry& entry = entries.emplace_back();
    entry.id = student.student.id;
    name(student, taken, anonymous, entry);
    const auto clarity = competition.clarity.find(entry.id);
    entry.clarity = clarity != competition.clarity.end() ? clarity->second : 0;
    take_contents(student, competition, entry);
    note_unfit(student, competition, entry);
    judge(student, competition, entry);
  }
  return entries;
}

void take_modelled_times(const GradedClass& graded, const Competition& competition, Board& board) {
  for (BoardEntry& entry : board.entries) {
    const GradedStudent* const student = find_student(graded, entry.id);
    for (std::size_t i = 0; i < competition.tasks.size() && entry.state == EntryState::kFit; ++i) {
      const CompetitionTask& task = competition.tasks[i];
      const TaskVerdict& verdict = *verdict_of(*counted_attempt(*student, task.lab), task.task);
      const double milliseconds = verdict.speed.time.milliseconds;
      if (!verdict.speed.is_known || !(milliseconds > 0)) {
        set_aside(entry, EntryState::kNotTimed, fmt::format("{}: {}", task.task, verdict.speed.sentence));
        break;
      }
      const double ratio = milliseconds / board.cases[i].reference_milliseconds;
      entry.times.push_back({{ratio, ratio, ratio}, milliseconds});
      take_case(verdict, board.cases[i]);
    }
  }
}

}  // namespace lanewise
