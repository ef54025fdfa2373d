// Classes as graded, for the tests of the overview: of any size, and with something of everything.
#pragma once

#include <fmt/format.h>

#include <string>

#include "grader/class/graded_class.h"
#include "harness/report/sample_verdict_test.h"

namespace lanewise {

/// A verdict at the lab "scan": points out of 100 as said, one case right, one wrong by the misconception (none if it
/// is empty).
inline Verdict scan_verdict(double points, const std::string& misconception = "") {
  Verdict verdict = sample_verdict();
  verdict.tasks.resize(1);
  TaskVerdict& task = verdict.tasks[0];
  task.findings.clear();
  task.cases.resize(2);
  if (misconception.empty()) {
    task.cases[1] = task.cases[0];
    task.cases[1].name = "block + 1";
    task.cases[1].sizes = "n = 1025";
  } else {
    task.cases[1].misconception = misconception;
  }
  task.points = verdict.points = points;
  task.max_points = verdict.max_points = 100;
  return verdict;
}

inline GradedAttempt graded_attempt(const std::string& lab, Verdict verdict) {
  GradedAttempt attempt;
  attempt.lab = lab;
  attempt.is_counted = true;
  attempt.score.points = verdict.points;
  attempt.score.out_of = verdict.max_points;
  attempt.verdict = std::move(verdict);
  return attempt;
}

inline GradedAttempt ungraded_attempt(const std::string& lab, const std::string& trouble) {
  GradedAttempt attempt;
  attempt.lab = lab;
  attempt.is_counted = true;
  attempt.trouble = trouble;
  return attempt;
}

inline GradedStudent student_called(const std::string& id, const std::string& name = "") {
  GradedStudent student;
  student.student.id = id;
  student.student.name = name;
  student.student.is_enrolled = true;
  return student;
}

inline GradedClass class_without_students() {
  GradedClass graded;
  graded.title = "GPU Programming";
  graded.labs = {{"scan", "Prefix sum", 100}};
  graded.seed = 42;
  graded.cases = "grade";
  graded.backend = "virtual GPU (NVIDIA H200 profile)";
  return graded;
}

/// Two right, three with the same misconception, one with another, one that could not be graded, one who handed in
/// nothing. All that a person should look at is in it, and something was set aside.
inline GradedClass small_class() {
  GradedClass graded = class_without_students();
  const auto add = [&graded](const std::string& id, const std::string& name, GradedAttempt attempt) {
    GradedStudent student = student_called(id, name);
    student.attempts = {std::move(attempt)};
    graded.students.push_back(std::move(student));
  };
  add("ada", "Ada Lovelace", graded_attempt("scan", scan_verdict(100)));
  add("alan", "Alan Turing", graded_attempt("scan", scan_verdict(60, "block sums not added")));
  add("barbara", "Barbara Liskov", graded_attempt("scan", scan_verdict(55, "block sums not added")));
  add("donald", "Donald Knuth", graded_attempt("scan", scan_verdict(52, "block sums not added")));
  add("edsger", "Edsger Dijkstra", graded_attempt("scan", scan_verdict(40, "exclusive instead of inclusive")));
  add("grace", "Grace Hopper", graded_attempt("scan", scan_verdict(100)));
  add("john", "John Backus", ungraded_attempt("scan", "scan.cu is not valid: it holds 0 bytes; ask for it again"));
  graded.students.push_back(student_called("ken", "Ken Thompson"));
  graded.students[1].attempts[0].score.days_late = 2;
  graded.students[1].attempts[0].score.points = 48;
  graded.students[4].attempts[0].verdict->tasks[0].findings = sample_verdict().tasks[0].findings;
  graded.students[5].attempts[0].verdict->tasks[0].speed.review = "two clocks disagree";
  graded.set_aside = {{"notes.docx", "It is no source: hand in scan.cu."}};
  return graded;
}

/// `count` students and `labs` labs, everybody graded in all of them.
inline GradedClass large_class(std::size_t count, std::size_t labs) {
  GradedClass graded = class_without_students();
  graded.labs.clear();
  for (std::size_t l = 0; l < labs; ++l) graded.labs.push_back({fmt::format("lab{}", l), "Prefix sum", 100});
  for (std::size_t i = 0; i < count; ++i) {
    GradedStudent student = student_called(fmt::format("student{:04}", i), fmt::format("Given{} Family{}", i, i));
    for (std::size_t l = 0; l < labs; ++l) {
      const std::string mistakes[] = {"", "block sums not added", "exclusive instead of inclusive"};
      student.attempts.push_back(
          graded_attempt(graded.labs[l].id, scan_verdict(static_cast<double>(i * 7 % 101), mistakes[i % 3])));
    }
    graded.students.push_back(std::move(student));
  }
  return graded;
}

/// What students may put into names and outputs: markup, terminal escapes, text that runs backwards, invalid UTF-8.
inline std::string hostile_text() { return "\"><script>alert('1')</script>\n\x1b[31m\xe2\x80\xae\xff"; }

/// The small class with hostile text wherever a student may have put it.
inline GradedClass hostile_class() {
  GradedClass graded = small_class();
  graded.set_aside = {{hostile_text(), hostile_text()}};
  for (GradedStudent& student : graded.students) {
    student.student.name = hostile_text();
    for (GradedAttempt& attempt : student.attempts) {
      attempt.came_from = attempt.trouble = attempt.score.explanation = hostile_text();
      if (!attempt.verdict) continue;
      TaskVerdict& task = attempt.verdict->tasks[0];
      task.message = task.output = task.speed.review = hostile_text();
      for (CaseVerdict& each : task.cases) each.sentence = each.hint = hostile_text();
      for (Finding& finding : task.findings) finding.kind = finding.sentence = hostile_text();
    }
  }
  return graded;
}

}  // namespace lanewise
