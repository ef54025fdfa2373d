// A row an answer, by lab and question: whoever marks sees all answers to one question together.
#include "grader/marks/to_mark.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "grader/exports/counted.h"
#include "grader/exports/csv.h"
#include "grader/marks/merge_marks.h"

namespace lanewise {
namespace {

struct Waiting {
  const Student* student = nullptr;
  std::string lab;
  const Marked* mark = nullptr;
};

// Points into `graded`.
std::vector<Waiting> waiting_answers(const GradedClass& graded) {
  std::vector<Waiting> waiting;
  for (const GradedLab& lab : graded.labs)
    for (const GradedStudent& student : graded.students) {
      const GradedAttempt* const attempt = counted_attempt(student, lab.id);
      if (attempt == nullptr) continue;
      for (const TaskVerdict& task : attempt->verdict->tasks)
        for (const Marked& mark : task.marks)
          if (mark.result == Marked::Result::kWaiting) waiting.push_back({&student.student, lab.id, &mark});
    }
  std::stable_sort(waiting.begin(), waiting.end(), [](const Waiting& a, const Waiting& b) {
    return std::tie(a.lab, a.mark->id) < std::tie(b.lab, b.mark->id);
  });
  return waiting;
}

std::string full_answer(const std::map<std::string, Answers>& keys, const Waiting& each) {
  const auto lab = keys.find(each.lab);
  if (lab == keys.end()) return "";
  const auto answer = lab->second.find(each.mark->id);
  const std::string* const words = answer == lab->second.end() ? nullptr : std::get_if<std::string>(&answer->second);
  return words == nullptr ? "" : *words;
}

}  // namespace

std::size_t count_waiting(const GradedClass& graded) { return waiting_answers(graded).size(); }

std::string to_mark_csv(const GradedClass& graded, const std::map<std::string, Answers>& keys) {
  std::vector<CsvCell> headings;
  for (const char* const heading : {"student", "name", "lab", "question", "what is asked", "a full answer", "answer",
                                    "out of", "points", "remark", "answer id"})
    headings.push_back(csv_text(heading));
  std::string csv = kByteOrderMark + csv_row(headings);
  for (const Waiting& each : waiting_answers(graded))
    csv +=
        csv_row({csv_text(each.student->id), csv_text(each.student->name), csv_text(each.lab), csv_text(each.mark->id),
                 csv_text(each.mark->text), csv_text(full_answer(keys, each)), csv_text(each.mark->answer),
                 csv_number(each.mark->max_points), CsvCell{}, CsvCell{}, csv_text(answer_id(each.mark->answer))});
  return csv;
}

}  // namespace lanewise
