// Pairs of times on the same case, in one table per ladder, with overall figures at the top.
#include "grader/bench/model_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "grader/bench/markdown_text.h"
#include "grader/plots/model_scatter.h"

namespace lanewise {
namespace {

constexpr const char* kNoValue = "–";
constexpr const char* kFigure = "figures/model.svg";
constexpr const char* kModelPageHead = "# Modelled and measured times\n\n";
constexpr const char* kWhatItIs =
    "Written by `lanewise bench` from `modelled.toml` and `measured.toml`. Every step and peer on the case of its "
    "ladder that the virtual GPU counts: the time that its model gives (harness/vgpu/README.md), and the time measured "
    "on a GPU, the median between two CUDA events around the whole call. These cases are small: most take some "
    "microseconds, of which launches are a large part; the race cases in [README.md](README.md) are too large to be "
    "modelled.";

struct Pair {
  std::string step;
  double measured = 0;  ///< microseconds
  double modelled = 0;
  std::string bound_by;
  std::string interval;
  std::string note;
  bool is_peer = false;
};

std::vector<Pair> pairs_of(const ModelTask& task) {
  std::vector<Pair> pairs;
  if (task.measured == nullptr || task.modelled == nullptr) return pairs;
  for (const PageStep& step : task.steps) {
    const MeasuredTime* const measured = find_time(*task.measured, step.file, task.modelled->case_name);
    const auto modelled = std::find_if(task.modelled->steps.begin(), task.modelled->steps.end(),
                                       [&step](const ModelledStep& each) { return each.step == step.file; });
    if (measured == nullptr || modelled == task.modelled->steps.end()) continue;
    Pair& pair = pairs.emplace_back();
    pair.step = step.file;
    pair.measured = measured->milliseconds * 1e3;
    pair.modelled = modelled->nanoseconds / 1e3;
    pair.bound_by = modelled->bound_by;
    pair.is_peer = step.is_peer;
    if (measured->source != step.source) pair.note = " (earlier version)";
    if (measured->high > 0)
      pair.interval = fmt::format(
          " ± {:.1f}", std::max(measured->high - measured->milliseconds, measured->milliseconds - measured->low) * 1e3);
  }
  return pairs;
}

double ladder_correlation(const std::vector<Pair>& pairs) {
  std::vector<double> measured;
  std::vector<double> modelled;
  for (const Pair& pair : pairs) {
    if (pair.is_peer) continue;
    measured.push_back(pair.measured);
    modelled.push_back(pair.modelled);
  }
  return measured.size() < 2 ? 0 : rank_correlation(measured, modelled);
}

std::string agreement_words(const std::vector<double>& ratios) {
  const ModelAgreement agreement = agreement_of(ratios);
  return fmt::format(
      "Over {} pairs, the median ratio of modelled to measured time is {:.2f}; {:.0f} % are within a factor of 1.5, "
      "{:.0f} % within a factor of 2.",
      agreement.pairs, agreement.median_ratio, 100 * agreement.within_half, 100 * agreement.within_two);
}

std::string worst_words(std::vector<std::pair<double, std::string>> named) {
  constexpr std::size_t kMostNamed = 5;
  std::stable_sort(named.begin(), named.end(), [](const auto& a, const auto& b) {
    return std::abs(std::log(a.first)) > std::abs(std::log(b.first));
  });
  std::vector<std::string> words;
  for (const auto& [ratio, name] : named)
    if (words.size() < kMostNamed && (ratio > 2 || ratio < 0.5))
      words.push_back(fmt::format("{} ({:.2f})", name, ratio));
  return words.empty() ? "" : fmt::format(" Farthest off: {}.", fmt::join(words, ", "));
}

std::string task_table(const ModelTask& task, const std::vector<Pair>& pairs) {
  std::string text =
      fmt::format("\n## {}\n\nThe case `{}`, profile {}; measured on {}, {}.\n\n", task.file->name,
                  task.modelled->case_name, task.modelled->profile, task.measured->gpu, task.measured->date);
  text += markdown_heads({"step", "bound by", "modelled", "measured", "ratio"}, 2);
  for (const Pair& pair : pairs)
    text +=
        markdown_row({fmt::format("`{}`{}", pair.step, pair.note), pair.bound_by.empty() ? kNoValue : pair.bound_by,
                      fmt::format("{:.1f} µs", pair.modelled), fmt::format("{:.1f}{} µs", pair.measured, pair.interval),
                      fmt::format("{:.2f}", pair.modelled / pair.measured)});
  return text;
}

// What each step of a ladder earns, beside its time on a GPU.
std::string points_table(const ModelTask& task) {
  const auto has_points = [](const OrderedStep& step) { return step.scored > 0; };
  const std::vector<OrderedStep>& steps = task.order.steps;
  if (!(task.file->points.fast > 0) || std::none_of(steps.begin(), steps.end(), has_points)) return "";
  const SpeedFile& speed = task.file->speed;
  std::string text = fmt::format("\nPoints for *fast*, by the modelled time{} in the case `{}`:\n\n",
                                 speed.is_whole_call ? "" : " at scale", speed.modelled_case);
  text += markdown_heads({"step", "modelled", "points", fmt::format("measured, `{}`", speed.race_case)}, 1);
  for (const OrderedStep& step : steps)
    text += markdown_row({fmt::format("`{}`{}{}", step.file, step.is_loss ? " (a loss)" : "",
                                      step.is_by_size ? " (chooses by size)" : ""),
                          has_points(step) ? fmt::format("{:.1f} µs", step.scored / 1e3) : kNoValue,
                          has_points(step) ? fmt::format("{:.1f}", step.points) : kNoValue,
                          step.milliseconds > 0 ? milliseconds_text(step.milliseconds) : kNoValue});
  return text;
}

}  // namespace

ModelAgreement agreement_of(const std::vector<double>& ratios) {
  ModelAgreement agreement;
  agreement.pairs = ratios.size();
  if (ratios.empty()) return agreement;
  std::vector<double> sorted = ratios;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  agreement.median_ratio = sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  const auto share_within = [&sorted](double factor) {
    const auto count = std::count_if(sorted.begin(), sorted.end(),
                                     [factor](double ratio) { return ratio <= factor && ratio >= 1 / factor; });
    return static_cast<double>(count) / static_cast<double>(sorted.size());
  };
  agreement.within_half = share_within(1.5);
  agreement.within_two = share_within(2);
  return agreement;
}

std::string disagreement(const std::vector<ModelTask>& tasks) {
  constexpr double kLeastWithinTwo = 0.9;
  std::vector<double> ratios;
  for (const ModelTask& task : tasks)
    for (const Pair& pair : pairs_of(task)) ratios.push_back(pair.modelled / pair.measured);
  const ModelAgreement agreement = agreement_of(ratios);
  if (agreement.pairs == 0 || agreement.within_two >= kLeastWithinTwo) return "";
  return fmt::format(
      "only {:.0f} % of the modelled times are within a factor of 2 of the measured ones, {:.0f} % must be",
      100 * agreement.within_two, 100 * kLeastWithinTwo);
}

GeneratedPage model_page(const std::vector<ModelTask>& tasks) {
  GeneratedPage page;
  std::vector<double> ratios;
  std::vector<std::pair<double, std::string>> named;
  std::vector<ScatterDot> dots;
  std::string sections;
  std::vector<std::string> hosts;
  std::string orders =
      markdown_heads({"ladder", "steps", "rank correlation", "of points at the race case", "median ratio"}, 1);
  for (const ModelTask& task : tasks) {
    const std::vector<Pair> pairs = pairs_of(task);
    if (pairs.empty()) continue;
    sections += task_table(task, pairs) + points_table(task);
    std::vector<double> own;
    for (const Pair& pair : pairs) {
      own.push_back(pair.modelled / pair.measured);
      named.emplace_back(own.back(), fmt::format("`{}` of {}", pair.step, task.file->name));
      dots.push_back({fmt::format("{} · {}", task.file->name, pair.step), pair.measured, pair.modelled, pair.is_peer});
    }
    ratios.insert(ratios.end(), own.begin(), own.end());
    const auto steps = std::count_if(pairs.begin(), pairs.end(), [](const Pair& pair) { return !pair.is_peer; });
    const bool has_order = !task.order.is_about_host;
    if (!has_order) hosts.push_back(task.file->name);
    orders += markdown_row(
        {task.file->name, fmt::format("{}", steps),
         has_order ? fmt::format("{:.2f}", ladder_correlation(pairs)) : kNoValue,
         has_order && task.order.correlation != 0 ? fmt::format("{:.2f}", task.order.correlation) : kNoValue,
         fmt::format("{:.2f}", agreement_of(own).median_ratio)});
  }
  page.markdown = kModelPageHead + markdown_wrapped(kWhatItIs);
  if (ratios.empty()) {
    page.markdown += "\nNo step is both modelled and measured yet: run `make bench` on a machine with an NVIDIA GPU.\n";
    return page;
  }
  page.figures.push_back({kFigure, model_scatter_svg("Modelled against measured", dots)});
  page.markdown += "\n" + markdown_wrapped(agreement_words(ratios) + worst_words(std::move(named)));
  page.markdown += fmt::format("\n![Modelled times against measured ones]({})\n", kFigure);
  page.markdown +=
      "\nThe dotted lines mark a factor of two; peers are orange. The rank correlation (Spearman's: 1 is the same "
      "order)\n"
      "says whether the model puts the steps of a ladder in the right order:\n\n" +
      orders;
  if (!hosts.empty())
    page.markdown += "\n" + markdown_wrapped(fmt::format(
                                "No order is given for {}: its steps wait for the host's memory. How long it takes to "
                                "pin memory, or to copy memory that is not pinned, depends on what the system has done "
                                "with those pages before; the model has one rate for each.",
                                fmt::join(hosts, ", ")));
  page.markdown += sections;
  return page;
}

}  // namespace lanewise
