// Compares counters with bounds; blames the line that contributes most to what is too much.
#include "harness/runner/verdict/goals.h"

#include <fmt/format.h>

#include <algorithm>

namespace lanewise {
namespace {

// How much of what is too much a line is to blame for: of a sum its share, of a ratio what is beyond the bound.
double blame_of(const Counter& counter, double at_most, const CounterSums& line) {
  const auto parts = static_cast<double>(sum_of(counter.parts, line));
  if (counter.per.empty()) return parts;
  return parts - at_most * static_cast<double>(sum_of(counter.per, line));
}

const LineCost* worst_line(const Counter& counter, double at_most, const std::vector<LineCost>& lines) {
  const LineCost* worst = nullptr;
  double most = 0;
  for (const LineCost& line : lines) {
    const double blame = blame_of(counter, at_most, line.sums);
    if (blame <= most) continue;
    most = blame;
    worst = &line;
  }
  return worst;
}

}  // namespace

std::vector<GoalVerdict> unmeasured_goals(const TaskFile& file, const std::string& why) {
  std::vector<GoalVerdict> goals;
  for (const GoalFile& goal : file.goals) {
    const Counter& counter = *find_counter(goal.counter);
    GoalVerdict& verdict = goals.emplace_back();
    verdict.counter = goal.counter;
    verdict.heading = counter.heading;
    verdict.case_name = goal.case_name;
    verdict.goal = "≤ " + counter_text(counter, goal.at_most);
    verdict.max_points = goal.points;
    verdict.hint = goal.hint;
    verdict.sentence = why;
  }
  return goals;
}

void measure_goal(const GoalFile& goal, const CounterReport& cost, GoalVerdict& verdict) {
  const Counter& counter = *find_counter(goal.counter);
  const auto value = value_of(counter, cost.sums);
  verdict.is_measured = true;
  verdict.is_met = !value || *value <= goal.at_most;
  verdict.points = verdict.is_met ? goal.points : 0;
  verdict.value = counter_text(counter, value);
  if (!verdict.is_met && "≤ " + verdict.value == verdict.goal) verdict.value = "just over " + verdict.value;
  verdict.sentence = fmt::format("{}: {}, goal {}", counter.heading, verdict.value, verdict.goal);
  if (verdict.is_met) return;
  const LineCost* const line = worst_line(counter, goal.at_most, cost.lines);
  if (line == nullptr) return;
  verdict.place = {line->file, line->line};
  const std::string here = counter_text(counter, value_of(counter, line->sums));
  const std::string share = here == counter_text(counter, value) ? "all" : here;
  verdict.sentence += counter.per.empty() ? fmt::format("; {} of it here", share) : fmt::format("; {} here", here);
}

void hold_back_goals(const TaskFile& file, std::vector<GoalVerdict>& goals) {
  for (std::size_t i = 0; i < goals.size(); ++i) {
    if (!goals[i].is_met || file.goals[i].after.empty()) continue;
    const auto earlier = std::find_if(goals.begin(), goals.begin() + static_cast<std::ptrdiff_t>(i),
                                      [&](const GoalVerdict& each) { return each.counter == file.goals[i].after; });
    if (earlier->is_met) continue;
    goals[i].is_met = false;
    goals[i].points = 0;
    goals[i].hint.clear();
    goals[i].sentence += fmt::format("; counts once the goal for '{}' is met", earlier->heading);
  }
}

}  // namespace lanewise
