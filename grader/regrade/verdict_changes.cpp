// Part by part: first the part's own worth, then the prices of its items, then any remaining rule.
#include "grader/regrade/verdict_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "harness/report/case_groups.h"
#include "harness/report/mark_text.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

constexpr double kLeastTold = 0.005;

// A case, goal or question that can cost points.
struct Item {
  std::string id;  // tells it from the others of its kind
  std::string name;
  std::string state;  // in words, such as "right"
  double points = 0;
  double max_points = 0;
  bool is_counted = true;  // false: neither way
};

const char* word_for(Marked::Result result) {
  if (result == Marked::Result::kRight) return "right";
  return result == Marked::Result::kWrong ? "wrong" : "not answered";
}

std::vector<Item> items_of(const TaskVerdict& task, const std::string& part) {
  std::vector<Item> items;
  if (part == "correct")
    for (const CaseVerdict& each : task.cases)
      items.push_back({each.name, "case " + each.name, words_for(each.outcome), each.points, each.max_points,
                       each.outcome != CaseOutcome::kLeftOut});
  if (part == "efficient")
    for (const GoalVerdict& each : task.goals)
      items.push_back({each.counter + "\n" + each.case_name, "goal " + each.counter,
                       fmt::format("{}, goal {}", each.is_met ? "met" : "missed", each.goal), each.points,
                       each.max_points, !each.is_left_out});
  if (part == "understood")
    for (const Marked& each : task.marks) {
      items.push_back({each.id, "question " + each.id, each.text.empty() ? word_for(each.result) : mark_text(each),
                       each.points, each.max_points, each.result != Marked::Result::kWaiting});
    }
  return items;
}

const Item* find(const std::vector<Item>& items, const std::string& id) {
  const auto found = std::find_if(items.begin(), items.end(), [&id](const Item& item) { return item.id == id; });
  return found == items.end() ? nullptr : &*found;
}

double possible(const std::vector<Item>& items) {
  double sum = 0;
  for (const Item& item : items) sum += item.is_counted ? item.max_points : 0;
  return sum;
}

// What the item costs the part.
double price(const Item* item, double part, double all) {
  if (item == nullptr || !item->is_counted || !(all > 0)) return 0;
  return part * ((item->max_points - item->points) / all);
}

// Empty: nothing about the item itself changed.
std::string change_of(const Item* before, const Item* after) {
  if (before == nullptr) return "new: " + after->state;
  if (after == nullptr) return fmt::format("removed; it was {}", before->state);
  std::string text;
  if (before->state != after->state) text = fmt::format("{} before, {} now", before->state, after->state);
  if (before->max_points != after->max_points)
    text += fmt::format("{}worth {}, not {}", text.empty() ? after->state + "; " : "; ", points_text(after->max_points),
                        points_text(before->max_points));
  return text;
}

class PartChanges {
 public:
  PartChanges(const TaskVerdict& before, const TaskVerdict& after, std::string part)
      : before_(before), after_(after), part_(std::move(part)) {}

  std::vector<PointChange> explain();

 private:
  static const PartScore* scored(const TaskVerdict& task, const std::string& name);
  void add(const std::string& what, const std::string& why, double moved);
  void scoring(const PartScore* before, const PartScore* after);
  void items(const PartScore& before, const PartScore& after);

  const TaskVerdict& before_;
  const TaskVerdict& after_;
  const std::string part_;
  std::vector<PointChange> changes_;
};

const PartScore* PartChanges::scored(const TaskVerdict& task, const std::string& name) {
  for (const PartScore& part : task.parts)
    if (part.name == name && part.scored) return &part;
  return nullptr;
}

void PartChanges::add(const std::string& what, const std::string& why, double moved) {
  if (is_moved(moved)) changes_.push_back({after_.task, part_, what, why, moved});
}

std::vector<PointChange> PartChanges::explain() {
  const PartScore* const before = scored(before_, part_);
  const PartScore* const after = scored(after_, part_);
  if (before == nullptr || after == nullptr) {
    scoring(before, after);
    return std::move(changes_);
  }
  if (before->max_points != after->max_points)
    add("", fmt::format("worth {}, not {}", points_text(after->max_points), points_text(before->max_points)),
        after->max_points - before->max_points);
  items(*before, *after);
  double told = 0;
  for (const PointChange& change : changes_) told += change.moved;
  add("", fmt::format("{} before, {} now", before->evidence, after->evidence), after->points - before->points - told);
  return std::move(changes_);
}

void PartChanges::scoring(const PartScore* before, const PartScore* after) {
  if (after != nullptr)
    add("", fmt::format("scored now: {} of {}", points_text(after->points), points_text(after->max_points)),
        after->points);
  if (before != nullptr)
    add("",
        fmt::format("no longer scored; it was {} of {}", points_text(before->points), points_text(before->max_points)),
        -before->points);
}

void PartChanges::items(const PartScore& before, const PartScore& after) {
  const std::vector<Item> old_items = items_of(before_, part_);
  const std::vector<Item> new_items = items_of(after_, part_);
  const double old_all = possible(old_items);
  const double new_all = possible(new_items);
  std::vector<std::pair<const Item*, const Item*>> pairs;
  pairs.reserve(new_items.size() + old_items.size());
  for (const Item& item : new_items) pairs.emplace_back(find(old_items, item.id), &item);
  for (const Item& item : old_items)
    if (find(new_items, item.id) == nullptr) pairs.emplace_back(&item, nullptr);
  double others = 0;
  for (const auto& [old_item, new_item] : pairs) {
    const double moved = price(old_item, before.max_points, old_all) - price(new_item, after.max_points, new_all);
    const std::string why = change_of(old_item, new_item);
    if (why.empty())
      others += moved;
    else
      add((new_item ? new_item : old_item)->name, why, moved);
  }
  add("others", "losses there now weigh more or less relative to the rest", others);
}

const TaskVerdict* find(const Verdict& verdict, const std::string& task) {
  for (const TaskVerdict& each : verdict.tasks)
    if (each.task == task) return &each;
  return nullptr;
}

void add_task(const TaskVerdict& before, const TaskVerdict& after, std::vector<PointChange>& changes) {
  for (const char* const part : {"correct", "clean", "understood", "fast", "efficient"}) {
    const std::vector<PointChange> lines = PartChanges(before, after, part).explain();
    changes.insert(changes.end(), lines.begin(), lines.end());
  }
}

}  // namespace

bool is_moved(double points) { return std::abs(points) >= kLeastTold; }

std::vector<PointChange> verdict_changes(const Verdict& before, const Verdict& after) {
  std::vector<PointChange> changes;
  for (const TaskVerdict& task : after.tasks) {
    TaskVerdict none;
    const TaskVerdict* const earlier = find(before, task.task);
    add_task(earlier ? *earlier : none, task, changes);
  }
  for (const TaskVerdict& task : before.tasks)
    if (find(after, task.task) == nullptr && is_moved(task.points))
      changes.push_back({task.task, "task", "", "no longer graded", -task.points});
  return changes;
}

}  // namespace lanewise
