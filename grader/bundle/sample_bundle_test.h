// A bundle with something of everything, for its tests.
#pragma once

#include <map>
#include <string>

#include "grader/bundle/bundle.h"
#include "grader/grading/digest.h"
#include "grader/marks/merge_marks.h"
#include "harness/runner/verdict/score.h"

namespace lanewise {

inline constexpr std::int64_t kDay = 86'400;
inline constexpr std::int64_t kDue = 1'700'000'000;

/// 50 of 60 points: two cases, of which a hidden one is wrong, an answer that a human gave 2 of 4 for, a measured time.
inline Verdict sample_work() {
  CaseVerdict seen;
  seen.name = "one block";
  seen.group = "check";
  seen.points = seen.max_points = 5;
  seen.outcome = CaseOutcome::kRight;
  CaseVerdict hidden = seen;
  hidden.name = "a prime";
  hidden.group = "grade";
  hidden.max_points = 1;
  hidden.points = 0;
  hidden.outcome = CaseOutcome::kWrong;
  Marked mark;
  mark.id = "why";
  mark.text = "Why?";
  mark.answer = "because";
  mark.max_points = 4;
  mark.result = Marked::Result::kWaiting;

  Verdict verdict;
  verdict.submission = "scan.cu";
  verdict.seed = 7;
  verdict.environment = {"gpu", "NVIDIA H200", "13.0", "580.1", "nvcc 13.0.88"};
  TaskVerdict& task = verdict.tasks.emplace_back();
  task.lab = "scan";
  task.task = "inclusive_scan";
  task.state = TaskState::kGraded;
  task.cases = {seen, hidden};
  task.marks = {mark};
  task.parts = {{"correct", 25, 30, true, "1 of 2 cases right"},
                {"fast", 20, 20, true, "1.1 × reference"},
                {"understood", 0, 10, false, "waits"}};
  task.speed.is_known = task.speed.is_gradable = true;
  task.speed.ratio = {1.1, 1.09, 1.11};
  return verdict;
}

inline Manifest sample_manifest() {
  Manifest manifest;
  manifest.student = "ada";
  manifest.name = "Ada \"the first\" Lovelace";
  manifest.lab = "scan";
  manifest.content = digest_of({"the source\n", ""});
  manifest.course.late.percent_a_day = 10;
  manifest.course.labs["scan"].due = kDue;
  manifest.course.labs["scan"].extra_points = {{"ada", 1}, {"bob", 5}};
  manifest.course.extensions = {{"ada", kDay}, {"bob", 9 * kDay}};
  manifest.tasks = {"inclusive_scan"};
  manifest.cases = "grade";
  manifest.backend = "gpu";
  manifest.seed = 7;
  manifest.marks = {{"ada", "scan", "why", answer_id("because"), 2, 4, "half of it"}};
  manifest.versions = {{"nvcc", "13.0.88"}, {"lanewise (program)", sha256_of("a program")}};
  manifest.verdict = sample_work();
  merge_marks(marks_by_answer(manifest.marks), manifest.student, manifest.verdict);
  // Of two days one is forgiven: a day late. 50 - 5, and the point given by hand.
  manifest.attempts = {{"ada/1.zip", kDue, 10, 60, "", false},
                       {"ada/2.zip", kDue + 2 * kDay, 46, 60, "1 day late: -5; +1", true}};
  return manifest;
}

inline std::map<std::string, std::string> sample_files() {
  return {{"hand-in/scan.cu", "the source\n"}, {"labs/scan/lab.toml", "[lab]\n"}, {"seed.toml", "seed = 7\n"}};
}

}  // namespace lanewise
