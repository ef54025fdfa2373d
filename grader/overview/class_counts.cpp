// One pass over the counted attempts per lab.
#include "grader/overview/class_counts.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>

#include "harness/report/case_groups.h"

namespace lanewise {
namespace {

void add_student(SharedBy& students, std::size_t student) {
  if (students.empty() || students.back() != student) students.push_back(student);
}

void add_misconception(std::vector<MisconceptionCount>& counts, const CaseVerdict& verdict, std::size_t student) {
  if (verdict.misconception.empty()) return;
  auto known = std::find_if(counts.begin(), counts.end(),
                            [&verdict](const MisconceptionCount& each) { return each.name == verdict.misconception; });
  if (known == counts.end()) known = counts.insert(counts.end(), {verdict.misconception, verdict.hint, {}});
  add_student(known->students, student);
}

template <class Count>
void most_common_first(std::vector<Count>& counts) {
  std::stable_sort(counts.begin(), counts.end(),
                   [](const Count& a, const Count& b) { return a.students.size() > b.students.size(); });
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

class LabCounter {
 public:
  explicit LabCounter(const GradedLab& lab) {
    counts_.id = lab.id;
    counts_.title = lab.title;
    counts_.max_points = lab.max_points;
  }

  void add(const GradedStudent& student, std::size_t position);
  LabCounts finish();

 private:
  struct PartSum {
    std::string name;
    double points = 0;
    double max_points = 0;
    SharedBy scored;
  };

  void add_verdict(const Verdict& verdict, std::size_t student);
  void add_part(const PartScore& part, std::size_t student);
  void add_case(const TaskVerdict& task, const CaseVerdict& verdict, std::size_t student);
  void add_finding(const Finding& finding, std::size_t student);

  LabCounts counts_;
  std::vector<PartSum> parts_;
};

void LabCounter::add(const GradedStudent& student, std::size_t position) {
  const GradedAttempt* const attempt = shown_attempt(student, counts_.id);
  if (!attempt) {
    if (student.student.is_enrolled) counts_.missing.push_back(position);
    return;
  }
  if (!attempt->verdict) {
    counts_.not_graded.push_back(position);
    return;
  }
  counts_.graded.push_back(position);
  counts_.points.push_back(attempt->verdict->points);
  if (attempt->score.days_late > 0) counts_.late.push_back(position);
  add_verdict(*attempt->verdict, position);
}

void LabCounter::add_verdict(const Verdict& verdict, std::size_t student) {
  for (const TaskVerdict& task : verdict.tasks) {
    for (const PartScore& part : task.parts) add_part(part, student);
    for (const CaseVerdict& each : task.cases) add_case(task, each, student);
    for (const Finding& finding : task.findings) add_finding(finding, student);
  }
}

void LabCounter::add_part(const PartScore& part, std::size_t student) {
  if (!part.scored) return;
  auto sum =
      std::find_if(parts_.begin(), parts_.end(), [&part](const PartSum& each) { return each.name == part.name; });
  if (sum == parts_.end()) sum = parts_.insert(parts_.end(), {part.name, 0, 0, {}});
  sum->points += part.points;
  sum->max_points += part.max_points;
  add_student(sum->scored, student);
}

void LabCounter::add_case(const TaskVerdict& task, const CaseVerdict& verdict, std::size_t student) {
  if (verdict.outcome == CaseOutcome::kLeftOut) return;
  const std::string label = case_label(verdict);
  auto count = std::find_if(counts_.cases.begin(), counts_.cases.end(),
                            [&](const CaseCount& each) { return each.task == task.task && each.label == label; });
  if (count == counts_.cases.end())
    count = counts_.cases.insert(counts_.cases.end(), {task.task, label, verdict.why, 0, {}, {}});
  ++count->ran;
  if (verdict.outcome == CaseOutcome::kRight) return;
  add_student(count->failed, student);
  add_misconception(count->misconceptions, verdict, student);
  add_misconception(counts_.misconceptions, verdict, student);
}

void LabCounter::add_finding(const Finding& finding, std::size_t student) {
  auto count = std::find_if(counts_.findings.begin(), counts_.findings.end(), [&finding](const FindingCount& each) {
    return each.tool == finding.tool && each.kind == finding.kind;
  });
  if (count == counts_.findings.end())
    count = counts_.findings.insert(counts_.findings.end(), {finding.tool, finding.kind, {}});
  add_student(count->students, student);
}

LabCounts LabCounter::finish() {
  if (!counts_.points.empty())
    counts_.mean =
        std::accumulate(counts_.points.begin(), counts_.points.end(), 0.0) / static_cast<double>(counts_.points.size());
  counts_.median = median_of(counts_.points);
  for (const PartSum& sum : parts_) {
    const auto scored = static_cast<double>(sum.scored.size());
    counts_.parts.push_back({sum.name, sum.points / scored, sum.max_points / scored});
  }
  for (CaseCount& each : counts_.cases) most_common_first(each.misconceptions);
  most_common_first(counts_.misconceptions);
  most_common_first(counts_.findings);
  return std::move(counts_);
}

// Whether the audit only reports a library that the task does not allow: that is not fraud, and is listed separately.
bool is_about_libraries(const std::string& message) {
  std::istringstream lines(message);
  for (std::string line; std::getline(lines, line);)
    if (line.find("it uses the library ") == std::string::npos) return false;
  return !message.empty();
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

bool is_empty_file(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::file_size(file, error) == 0 && !error;
}

class LookList {
 public:
  LookList(const GradedClass& graded, const std::vector<SimilarGroup>& groups) : graded_(graded), groups_(groups) {}
  std::vector<LookItem> make();

 private:
  void add(LookReason reason, const std::string& lab, const std::string& sentence);
  void add_attempt(const GradedAttempt& attempt);
  void add_task(const std::string& lab, const TaskVerdict& task);
  void add_similar(const std::string& lab);
  bool has_roster() const {
    return std::any_of(graded_.students.begin(), graded_.students.end(),
                       [](const GradedStudent& student) { return student.student.is_enrolled; });
  }

  const GradedClass& graded_;
  const std::vector<SimilarGroup>& groups_;
  std::size_t student_ = 0;
  std::map<LookReason, LookItem> of_student_;
};

void LookList::add(LookReason reason, const std::string& lab, const std::string& sentence) {
  const auto [place, is_new] = of_student_.try_emplace(reason);
  LookItem& item = place->second;
  if (is_new) {
    item.reason = reason;
    item.student = student_;
    item.sentence = sentence;
  } else if (!sentence.empty()) {
    ++item.more;
  }
  if (!lab.empty() && (item.labs.empty() || item.labs.back() != lab)) item.labs.push_back(lab);
}

void LookList::add_task(const std::string& lab, const TaskVerdict& task) {
  if (task.state == TaskState::kRefused)
    add(is_about_libraries(task.message) ? LookReason::kLibraryUsed : LookReason::kRefused, lab,
        first_line(task.message));
  for (const Finding& finding : task.findings)
    if (finding.tool == "lockdown") add(LookReason::kCallRefused, lab, finding.sentence);
  if (!task.speed.review.empty()) add(LookReason::kSpeedUnderReview, lab, task.speed.review);
  for (const Marked& mark : task.marks)
    if (mark.result == Marked::Result::kWaiting)
      add(LookReason::kWaitsForHuman, lab, "the answer to " + mark.id + " is to be marked in to_mark.csv");
}

// A file that does not compile does so for each of its tasks; of a lab with several tasks, some may be left undone.
void LookList::add_attempt(const GradedAttempt& attempt) {
  const std::vector<TaskVerdict>& tasks = attempt.verdict->tasks;
  for (const TaskVerdict& task : tasks) add_task(attempt.lab, task);
  const auto first_with = [&tasks](TaskState state) {
    return std::find_if(tasks.begin(), tasks.end(), [state](const TaskVerdict& task) { return task.state == state; });
  };
  const auto is_unwritten = [](const TaskVerdict& task) {
    return task.state == TaskState::kNotStarted || task.state == TaskState::kMissing;
  };
  if (const auto task = first_with(TaskState::kCompileError); task != tasks.end())
    add(LookReason::kDoesNotCompile, attempt.lab, first_line(task->message));
  else if (const auto missing = first_with(TaskState::kMissing);
           missing != tasks.end() && is_empty_file(attempt.source))
    add(LookReason::kEmpty, attempt.lab, "");
  else if (missing != tasks.end())
    add(LookReason::kMissing, attempt.lab, first_line(missing->message));
  else if (!tasks.empty() && std::all_of(tasks.begin(), tasks.end(), is_unwritten))
    add(LookReason::kNotStarted, attempt.lab,
        tasks.front().message.empty() ? "the skeleton is unchanged" : first_line(tasks.front().message));
}

void LookList::add_similar(const std::string& lab) {
  const std::string& id = graded_.students[student_].student.id;
  for (const SimilarGroup& group : groups_)
    if (group.lab == lab && std::binary_search(group.students.begin(), group.students.end(), id))
      add(LookReason::kSimilar, lab,
          group.students.size() == 2 ? "to one other student's"
                                     : "to those of " + std::to_string(group.students.size() - 1) + " other students");
}

std::vector<LookItem> LookList::make() {
  std::vector<LookItem> items;
  const bool has_roster = this->has_roster();
  for (student_ = 0; student_ < graded_.students.size(); ++student_) {
    const GradedStudent& student = graded_.students[student_];
    of_student_.clear();
    if (has_roster && !student.student.is_enrolled)
      add(LookReason::kNotEnrolled, "",
          student.attempts.empty() ? "" : "submitted as " + student.attempts.front().came_from);
    for (const GradedLab& lab : graded_.labs) {
      for (const GradedAttempt& attempt : student.attempts)
        if (attempt.lab == lab.id && !attempt.verdict) add(LookReason::kNotGraded, lab.id, attempt.trouble);
      const GradedAttempt* const attempt = shown_attempt(student, lab.id);
      if (attempt && attempt->verdict) add_attempt(*attempt);
      if (!attempt && student.student.is_enrolled)
        add(student.attempts.empty() ? LookReason::kNothing : LookReason::kLabsMissing, lab.id, "");
      add_similar(lab.id);
    }
    for (auto& [reason, item] : of_student_) items.push_back(std::move(item));
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const LookItem& a, const LookItem& b) { return a.reason < b.reason; });
  return items;
}

}  // namespace

const GradedAttempt* shown_attempt(const GradedStudent& student, const std::string& lab) {
  const GradedAttempt* found = nullptr;
  for (const GradedAttempt& attempt : student.attempts)
    if (attempt.lab == lab && (!found || !found->is_counted || attempt.is_counted)) found = &attempt;
  return found;
}

std::vector<LabCounts> count_class(const GradedClass& graded) {
  std::vector<LabCounts> labs;
  for (const GradedLab& lab : graded.labs) {
    LabCounter counter(lab);
    for (std::size_t i = 0; i < graded.students.size(); ++i) counter.add(graded.students[i], i);
    labs.push_back(counter.finish());
  }
  return labs;
}

std::vector<std::size_t> distribution(const std::vector<double>& points, double max_points, std::size_t bins) {
  std::vector<std::size_t> counts(bins, 0);
  if (bins == 0) return counts;
  for (const double each : points) {
    const double share = max_points > 0 ? std::clamp(each / max_points, 0.0, 1.0) : 0;
    // Points are sums of decimal fractions: 0.7 of 1 belongs where it is written to be.
    const auto bin = static_cast<std::size_t>(share * static_cast<double>(bins) + 1e-9);
    ++counts[std::min(bin, bins - 1)];
  }
  return counts;
}

std::vector<Trouble> count_troubles(const GradedClass& graded) {
  std::vector<Trouble> troubles;
  std::map<std::string, std::size_t> places;  // by sentence
  for (std::size_t i = 0; i < graded.students.size(); ++i)
    for (const GradedAttempt& attempt : graded.students[i].attempts) {
      if (attempt.verdict) continue;
      const auto place = places.emplace(attempt.trouble, troubles.size()).first;
      if (place->second == troubles.size()) troubles.push_back({attempt.trouble, {}});
      troubles[place->second].attempts.push_back({i, &attempt});
    }
  std::stable_sort(troubles.begin(), troubles.end(),
                   [](const Trouble& a, const Trouble& b) { return a.attempts.size() > b.attempts.size(); });
  return troubles;
}

std::vector<LookItem> to_be_looked_at(const GradedClass& graded, const std::vector<SimilarGroup>& groups) {
  return LookList(graded, groups).make();
}

const char* words_for(LookReason reason) {
  switch (reason) {
    case LookReason::kNotGraded:
      return "Not graded";
    case LookReason::kNotEnrolled:
      return "Not in the roster";
    case LookReason::kDoesNotCompile:
      return "Does not compile";
    case LookReason::kEmpty:
      return "Empty file";
    case LookReason::kMissing:
      return "Function missing";
    case LookReason::kNotStarted:
      return "Not started";
    case LookReason::kRefused:
      return "Refused by the audit";
    case LookReason::kCallRefused:
      return "Refused calls";
    case LookReason::kSpeedUnderReview:
      return "Speed under review";
    case LookReason::kLibraryUsed:
      return "Library used";
    case LookReason::kSimilar:
      return "Near-identical";
    case LookReason::kWaitsForHuman:
      return "Answers to be marked";
    case LookReason::kNothing:
      return "Nothing submitted";
    case LookReason::kLabsMissing:
      return "Labs missing";
  }
  return "";
}

}  // namespace lanewise
