// The scoring rules, one function a part.
#include "harness/runner/verdict/score.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/lab/number_text.h"
#include "harness/runner/verdict/speed.h"

namespace lanewise {
namespace {

constexpr double kShareLostPerChecker = 0.5;

PartScore not_scored(const char* name, double max_points, std::string why) {
  return {name, 0, max_points, false, std::move(why)};
}

// Right, and with something to get wrong: a case of size 0 is right for whoever does nothing.
bool is_achievement(const CaseVerdict& verdict) {
  return verdict.outcome == CaseOutcome::kRight && verdict.judgement.compared > 0;
}

bool is_race(const Finding& finding) { return finding.tool == "racecheck"; }

bool is_left_out(const CaseVerdict& verdict) { return verdict.outcome == CaseOutcome::kLeftOut; }

PartScore score_correct(double max_points, const std::vector<CaseVerdict>& cases, bool has_achievement) {
  double earned = 0;
  double possible = 0;
  int right = 0;
  int counted = 0;
  for (const CaseVerdict& verdict : cases) {
    if (is_left_out(verdict)) continue;
    earned += has_achievement ? verdict.points : 0;
    possible += verdict.max_points;
    right += verdict.outcome == CaseOutcome::kRight ? 1 : 0;
    ++counted;
  }
  if (possible <= 0) return not_scored("correct", max_points, "no case with points could be run");
  std::string evidence = fmt::format("{} of {} cases right", right, counted);
  if (right > 0 && !has_achievement) evidence += ", none of which has anything to compute";
  // In this order, so that full points give a share of exactly 1.
  return {"correct", max_points * (earned / possible), max_points, true, std::move(evidence)};
}

PartScore score_clean(double max_points, const std::vector<CaseVerdict>& cases, const std::vector<Finding>& findings,
                      bool has_checkers, bool has_achievement) {
  if (!has_checkers) return not_scored("clean", max_points, "only the virtual GPU has checkers: --backend vgpu");
  if (std::all_of(cases.begin(), cases.end(), is_left_out))
    return not_scored("clean", max_points, "no case could be run");
  if (!has_achievement) return {"clean", 0, max_points, true, "counts once a case is right"};
  if (findings.empty()) return {"clean", max_points, max_points, true, "no findings"};
  // By checker, not by line or by instruction: an unrolled loop repeats one mistake, a macro hides many in one line.
  std::set<std::string> checkers;
  for (const Finding& finding : findings) checkers.insert(finding.tool);
  const double share = std::max(0.0, 1 - kShareLostPerChecker * static_cast<double>(checkers.size()));
  std::string evidence = fmt::format("{} finding{} of {}", with_commas(findings.size()),
                                     findings.size() == 1 ? "" : "s", fmt::join(checkers, ", "));
  return {"clean", max_points * share, max_points, true, std::move(evidence)};
}

// An answer not yet marked counts neither for nor against.
PartScore score_marked(double max_points, const std::vector<Marked>& marks) {
  double earned = 0;
  double possible = 0;
  std::map<Marked::Result, int> how_many;
  for (const Marked& mark : marks) {
    ++how_many[mark.result];
    if (mark.result == Marked::Result::kWaiting) continue;
    earned += mark.points;
    possible += mark.max_points;
  }
  const int asked = static_cast<int>(marks.size());
  const int waiting = how_many[Marked::Result::kWaiting];
  const int by_hand = how_many[Marked::Result::kByHand];
  std::string evidence =
      fmt::format("{} of {} questions answered", asked - how_many[Marked::Result::kUnanswered], asked);
  if (waiting + by_hand < asked) evidence += fmt::format(", {} right", how_many[Marked::Result::kRight]);
  if (by_hand > 0) evidence += fmt::format(", {} marked by hand", by_hand);
  if (waiting > 0) evidence += fmt::format("; {} {} marking", waiting, waiting == 1 ? "awaits" : "await");
  if (!(possible > 0)) return not_scored("understood", max_points, std::move(evidence));
  return {"understood", max_points * (earned / possible), max_points, true, std::move(evidence)};
}

PartScore score_understood(double max_points, const Understanding& understanding) {
  if (understanding.questions == 0) return not_scored("understood", max_points, "there are no questions");
  if (!understanding.trouble.empty() && understanding.has_key)
    return {"understood", 0, max_points, true, understanding.trouble};
  if (!understanding.trouble.empty()) return not_scored("understood", max_points, understanding.trouble);
  if (understanding.has_key) return score_marked(max_points, understanding.marks);
  return not_scored("understood", max_points,
                    fmt::format("{} of {} questions answered; marked by your instructor", understanding.answered,
                                understanding.questions));
}

PartScore score_efficient(double max_points, const std::vector<GoalVerdict>& goals, bool has_counters,
                          bool has_achievement) {
  if (goals.empty()) return not_scored("efficient", max_points, "this task has no goals for counters");
  if (!has_counters) return not_scored("efficient", max_points, "only the virtual GPU has counters: --backend vgpu");
  double earned = 0;
  double possible = 0;
  int met = 0;
  int counted = 0;
  for (const GoalVerdict& goal : goals) {
    if (goal.is_left_out) continue;
    earned += has_achievement ? goal.points : 0;
    possible += goal.max_points;
    met += goal.is_met ? 1 : 0;
    ++counted;
  }
  if (counted == 0) return not_scored("efficient", max_points, "no counted case could be run");
  if (!has_achievement) return {"efficient", 0, max_points, true, "counts once a case is right"};
  return {"efficient", max_points * (earned / possible), max_points, true,
          fmt::format("{} of {} goal{} met", met, counted, counted == 1 ? "" : "s")};
}

PartScore score_fast(double max_points, const std::vector<CaseVerdict>& cases, const std::vector<Finding>& findings,
                     const SpeedVerdict& speed, bool has_achievement) {
  const auto not_yet = [&](std::string why) { return PartScore{"fast", 0, max_points, true, std::move(why)}; };
  if (!speed.is_gradable)
    return not_scored("fast", max_points,
                      speed.is_known ? fmt::format("{}; {}", speed_text(speed), speed.sentence) : speed.sentence);
  const bool is_all_right = std::all_of(cases.begin(), cases.end(), [](const CaseVerdict& verdict) {
    return verdict.outcome == CaseOutcome::kRight || is_left_out(verdict);
  });
  if (!is_all_right || !has_achievement) return not_yet("timed once every case is right");
  if (!speed.is_known) return not_yet(speed.sentence);
  if (!speed.review.empty()) return not_yet(fmt::format("{} · under review: {}", speed_text(speed), speed.review));
  // What threads that race do not wait for may be what takes the time: the model cannot know.
  if (speed.is_modelled && std::any_of(findings.begin(), findings.end(), is_race))
    return not_yet(fmt::format("{} · counts once no threads race", speed_text(speed)));
  return {"fast", max_points * speed_share(speed), max_points, true, speed_text(speed)};
}

}  // namespace

std::vector<PartScore> score_task(const PartPoints& points, const std::vector<CaseVerdict>& cases,
                                  const std::vector<Finding>& findings, bool has_checkers,
                                  const Understanding& understanding, const std::vector<GoalVerdict>& goals,
                                  const SpeedVerdict& speed) {
  const bool has_achievement = std::any_of(cases.begin(), cases.end(), is_achievement);
  std::vector<PartScore> parts;
  parts.push_back(score_correct(points.correct, cases, has_achievement));
  if (points.clean > 0) parts.push_back(score_clean(points.clean, cases, findings, has_checkers, has_achievement));
  if (points.understood > 0) parts.push_back(score_understood(points.understood, understanding));
  if (points.fast > 0) parts.push_back(score_fast(points.fast, cases, findings, speed, has_achievement));
  if (points.efficient > 0) parts.push_back(score_efficient(points.efficient, goals, has_checkers, has_achievement));
  return parts;
}

void score_marks(TaskVerdict& task) {
  if (task.marks.empty()) return;
  for (PartScore& part : task.parts)
    if (part.name == "understood") part = score_marked(part.max_points, task.marks);
  sum_parts(task);
}

void sum_parts(TaskVerdict& task) {
  task.points = 0;
  task.max_points = 0;
  for (const PartScore& part : task.parts) {
    if (!part.scored) continue;
    task.points += part.points;
    task.max_points += part.max_points;
  }
}

void sum_tasks(Verdict& verdict) {
  verdict.points = 0;
  verdict.max_points = 0;
  for (const TaskVerdict& task : verdict.tasks) {
    verdict.points += task.points;
    verdict.max_points += task.max_points;
  }
}

}  // namespace lanewise
