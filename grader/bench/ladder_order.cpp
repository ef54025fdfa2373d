#include "grader/bench/ladder_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "harness/runner/verdict/speed.h"

namespace lanewise {
namespace {

constexpr double kLeastFall = 0.5;
constexpr double kLeastCorrelation = 0.9;
constexpr double kTie = 0.1;

std::vector<double> ranks(const std::vector<double>& values, double tie) {
  std::vector<double> result;
  for (const double value : values) {
    const auto below =
        std::count_if(values.begin(), values.end(), [=](double other) { return other * (1 + tie) < value; });
    const auto equal = std::count_if(values.begin(), values.end(), [=](double other) {
      return std::max(other, value) <= std::min(other, value) * (1 + tie);
    });
    result.push_back(static_cast<double>(below) + (static_cast<double>(equal) + 1) / 2);
  }
  return result;
}

const ModelledStep* find_step(const ModelledTask* task, const std::string& file) {
  if (task == nullptr) return nullptr;
  const auto found = std::find_if(task->steps.begin(), task->steps.end(),
                                  [&file](const ModelledStep& each) { return each.step == file; });
  return found != task->steps.end() ? &*found : nullptr;
}

class Rules {
 public:
  Rules(const TaskFile& task, const std::vector<std::string>& steps, const ModelledTask* modelled,
        const MeasuredTask* race)
      : task_(task), files_(steps), modelled_(modelled), race_(race) {}

  LadderOrder apply() {
    gather();
    if (order_.steps.empty()) return std::move(order_);
    hold_names("losses", task_.ladder.losses);
    hold_names("by_size", task_.ladder.by_size);
    hold_points();
    hold_order();
    hold_losses();
    for (const GoalFile& goal : task_.goals) hold_goal(goal_name(goal));
    return std::move(order_);
  }

 private:
  template <class... Arguments>
  void breaks(fmt::format_string<Arguments...> sentence, Arguments&&... arguments) {
    order_.broken.push_back(task_.name + ": " + fmt::format(sentence, std::forward<Arguments>(arguments)...));
  }

  double scored(const std::string& file) const {
    const ModelledStep* const step = find_step(modelled_, file);
    return step != nullptr ? step->scored : 0;
  }

  void gather() {
    SpeedVerdict speed;
    speed.is_modelled = speed.is_gradable = true;
    speed.baseline = scored(task_.baseline) / 1e6;
    speed.reference = scored(task_.reference) / 1e6;
    std::size_t known = 0, host = 0;
    for (const std::string& file : files_) {
      OrderedStep& step = order_.steps.emplace_back();
      step.file = file;
      const auto is_in = [&file](const std::vector<std::string>& names) {
        return std::find(names.begin(), names.end(), file) != names.end();
      };
      step.is_loss = is_in(task_.ladder.losses);
      step.is_by_size = is_in(task_.ladder.by_size);
      step.scored = scored(file);
      if (const MeasuredTime* const time = race_ != nullptr ? find_time(*race_, file, task_.speed.race_case) : nullptr)
        step.milliseconds = time->milliseconds;
      if (const ModelledStep* const modelled = find_step(modelled_, file)) {
        ++known;
        host += modelled->bound_by == "copies between host and device" || modelled->bound_by == "pinning host memory";
      }
      speed.time.milliseconds = step.scored / 1e6;
      if (step.scored > 0 && speed.baseline > 0 && speed.reference > 0)
        step.points = task_.points.fast * speed_share(speed);
    }
    order_.is_about_host = known != 0 && host == known;
  }

  void hold_names(const char* key, const std::vector<std::string>& names) {
    for (const std::string& name : names)
      if (std::find(files_.begin(), files_.end(), name) == files_.end())
        breaks("'{}' in [task.ladder] names {}, which is no step of the ladder", key, name);
  }

  void hold_points() {
    for (std::size_t n = 1; n < order_.steps.size(); ++n) {
      const OrderedStep &before = order_.steps[n - 1], &step = order_.steps[n];
      if (step.is_loss || !(before.scored > 0) || !(step.scored > 0) || before.points - step.points < kLeastFall)
        continue;
      breaks("{} earns {:.1f} points for fast, {} before it {:.1f}: the next step must not lose points", step.file,
             step.points, before.file, before.points);
    }
  }

  void hold_order() {
    std::vector<double> scored, measured;
    for (const OrderedStep& step : order_.steps) {
      if (!(step.scored > 0) || !(step.milliseconds > 0) || step.is_by_size) continue;
      scored.push_back(step.scored);
      measured.push_back(step.milliseconds);
    }
    if (scored.size() < 2) return;
    order_.correlation = rank_correlation(scored, measured, kTie);
    if (order_.is_about_host || order_.correlation >= kLeastCorrelation) return;
    breaks("modelled times rank its steps differently from the race case '{}': the rank correlation is {:.2f}",
           task_.speed.race_case, order_.correlation);
  }

  /// Whether `step` took less time than the previous one in some race case, or more if not `less`; true if unknown.
  bool differs_somewhere(std::size_t step, bool less) const {
    if (race_ == nullptr) return true;
    bool is_known = false;
    for (const MeasuredTime& before : race_->times) {
      if (before.step != order_.steps[step - 1].file) continue;
      const MeasuredTime* const own = find_time(*race_, order_.steps[step].file, before.case_name);
      if (own == nullptr) continue;
      is_known = true;
      if (less ? own->milliseconds < before.milliseconds : own->milliseconds > before.milliseconds) return true;
    }
    return !is_known;
  }

  void hold_losses() {
    if (order_.is_about_host) return;
    for (std::size_t n = 1; n < order_.steps.size(); ++n)
      if (order_.steps[n].is_loss && !differs_somewhere(n, false))
        breaks("{} is declared a loss, but is faster than {} in every race case", order_.steps[n].file,
               order_.steps[n - 1].file);
  }

  void hold_goal(const std::string& goal) {
    if (modelled_ == nullptr) return;
    const auto meets = [&](const OrderedStep& step) {
      const ModelledStep* const modelled = find_step(modelled_, step.file);
      return modelled != nullptr &&
             std::find(modelled->goals.begin(), modelled->goals.end(), goal) != modelled->goals.end();
    };
    const auto first = std::find_if(order_.steps.begin(), order_.steps.end(), meets);
    const bool is_whole = scored(task_.reference) > 0;
    if (first == order_.steps.end() && !is_whole) return;
    if (first == order_.steps.end()) return breaks("no step meets the goal '{}'", goal);
    const auto number = static_cast<std::size_t>(first - order_.steps.begin());
    if (number != 0 && !differs_somewhere(number, true))
      breaks("{} is the first to meet the goal '{}', but is slower than {} in every race case", first->file, goal,
             order_.steps[number - 1].file);
  }

  const TaskFile& task_;
  const std::vector<std::string>& files_;
  const ModelledTask* modelled_;
  const MeasuredTask* race_;
  LadderOrder order_;
};

}  // namespace

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b, double tie) {
  const std::vector<double> x = ranks(a, tie);
  const std::vector<double> y = ranks(b, tie);
  const auto mean = [](const std::vector<double>& of) {
    return std::accumulate(of.begin(), of.end(), 0.0) / static_cast<double>(of.size());
  };
  const double mean_x = mean(x), mean_y = mean(y);
  double both = 0;
  double of_x = 0;
  double of_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    both += (x[i] - mean_x) * (y[i] - mean_y);
    of_x += (x[i] - mean_x) * (x[i] - mean_x);
    of_y += (y[i] - mean_y) * (y[i] - mean_y);
  }
  return of_x > 0 && of_y > 0 ? both / std::sqrt(of_x * of_y) : 0;
}

LadderOrder ladder_order(const TaskFile& task, const std::vector<std::string>& steps, const ModelledTask* modelled,
                         const MeasuredTask* race) {
  return Rules(task, steps, modelled, race).apply();
}

}  // namespace lanewise
