// Per ladder: a figure and a table for each race case, how the steps compare, and throughput against size.
#include "grader/bench/bench_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "grader/bench/gpu_times.h"
#include "grader/bench/how_close.h"
#include "grader/bench/markdown_text.h"
#include "grader/bench/step_distance.h"
#include "grader/plots/ladder_bars.h"
#include "grader/plots/scaling_lines.h"

namespace lanewise {
namespace {

constexpr const char* kNoCell = "–";
constexpr const char* kHead =
    "# What every ladder reaches\n\n"
    "A task's *ladder* is its solutions, from naive to fast. Written by `lanewise bench` from `measured.toml` and\n"
    "`roofs.toml`: the times change only when a GPU measures them again. What each step teaches, and its counters "
    "on\n"
    "the virtual GPU, are in the README of each lab's folder.\n";
constexpr const char* kHowMeasured =
    "Each time is the median over whole calls between two CUDA events, with the outputs poisoned and the L2 cache "
    "flushed before each call; ± is the distance to the farther end of the median's distribution-free 95 % confidence "
    "interval. "
    "Rates count only the bytes (or operations) that the task requires, so a step that moves more has a lower rate, "
    "not a higher one. *Of the baseline*: the rate as a multiple of the naive step's. *Of the peer*: the rate as a "
    "multiple of the fastest library's. *Of the roof*: the rate as a share of what the fastest kernels that only move "
    "data reach on the same GPU, with the same share of writes (or, "
    "where arithmetic is the limit, kernels that only multiply and add). *Of the floor*: the share of the time that is "
    "explained by what every step has to move or execute; how much that is, each section says.";
// A step that is slower by less than this counts as equally fast: steps that reach the roof differ by less.
constexpr double kSlower = 1.01;

// "inclusive_scan", "race, nothing divides it" -> "inclusive_scan_race_nothing_divides_it"
std::string file_name(const std::string& task, const std::string& words) {
  std::string name = task + "_";
  for (const char c : words) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (name.back() != '_')
      name += '_';
  }
  while (name.back() == '_') name.pop_back();
  return name;
}

/// The roof of one time: what limits that work.
struct Roof {
  double rate = 0;  ///< bytes or operations a second; 0: not known
  const char* name = "";
};

Roof roof_of(const MeasuredTime& time, const MeasuredRoofs* roofs) {
  if (roofs == nullptr) return {};
  if (is_arithmetic(time.bytes, time.flops)) return {roofs->ffma, "fused multiply-adds"};
  return {time.bytes > 0 ? bandwidth(*roofs, time.written / time.bytes) : 0, "memory"};
}

double unit_of(const MeasuredTime& time) { return is_arithmetic(time.bytes, time.flops) ? 1e12 : 1e9; }
const char* unit_name(const MeasuredTime& time) { return is_arithmetic(time.bytes, time.flops) ? "TFLOP/s" : "GB/s"; }
double rate(const MeasuredTime& time) { return rate_of(time.milliseconds, time.bytes, time.flops); }

std::string times_faster(double other, double own) {
  const double factor = other / own;
  return fmt::format("{:.{}f} ×", factor, factor < 9.995 ? 2 : factor < 99.95 ? 1 : 0);
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Everything said about one race case of a task.
class CaseSection {
 public:
  CaseSection(const PageTask& task, std::string case_name, const MeasuredRoofs* roofs)
      : task_(task), case_name_(std::move(case_name)), roofs_(roofs) {
    std::vector<std::string> peers;
    for (const PageStep& step : task.steps)
      if (step.is_peer) peers.push_back(step.file);
    peer_ = fastest_peer(*task.race, peers, case_name_);
    naive_ = find_time(*task.race, task.file->baseline, case_name_);
    for (const PageStep& step : task.steps) {
      const MeasuredTime* const time = find_time(*task.race, step.file, case_name_);
      if (time == nullptr || step.is_peer || !time->right) continue;
      if (best_ == nullptr || time->milliseconds < best_->milliseconds) best_ = time;
    }
  }

  const MeasuredTime* naive() const { return naive_; }
  const MeasuredTime* best() const { return best_; }
  const MeasuredTime* peer() const { return peer_; }
  /// The share of a time that the floor explains.
  std::string of_the_floor(const MeasuredTime& time) const {
    const double floor = floor_milliseconds(task_.file->floor, time, roofs_);
    return floor > 0 ? fmt::format("{:.0f} %", 100 * floor / time.milliseconds) : kNoCell;
  }
  bool is_behind_peer() const {
    return best_ != nullptr && peer_ != nullptr && best_->milliseconds > kSlower * peer_->milliseconds;
  }

  std::string figure() const {
    LadderBars bars;
    bars.title = fmt::format("{} · {} · {}", task_.file->name, case_name_, task_.race->gpu);
    for (const PageStep& step : task_.steps) {
      const MeasuredTime* const time = find_time(*task_.race, step.file, case_name_);
      if (time == nullptr || !(rate(*time) > 0)) continue;
      bars.unit = unit_name(*time);
      bars.roof = roof_of(*time, roofs_).rate / unit_of(*time);
      bars.roof_name = roof_of(*time, roofs_).name;
      bars.bars.push_back({step.file, rate(*time) / unit_of(*time),
                           fmt::format("{} · {}", milliseconds_text(time->milliseconds),
                                       rate_text(time->milliseconds, time->bytes, time->flops)),
                           step.is_peer});
    }
    return bars.bars.empty() ? "" : ladder_bars_svg(bars);
  }

  std::string table() const {
    std::vector<std::string> heads = {"step", "note", "time", "rate", "of the baseline", "of the peer", "of the roof"};
    if (has_floor()) heads.emplace_back("of the floor");
    std::string text = markdown_heads(heads, 2);
    const MeasuredTime* before = nullptr;
    for (const PageStep& step : task_.steps) {
      const MeasuredTime* const time = find_time(*task_.race, step.file, case_name_);
      std::vector<std::string> cells = {fmt::format("[`{}`]({})", step.file, step.link), note(step, time, before)};
      if (!step.is_peer) before = time;
      if (time == nullptr) {
        cells.resize(heads.size(), kNoCell);
        text += markdown_row(cells);
        continue;
      }
      const std::string rate_words = rate_text(time->milliseconds, time->bytes, time->flops);
      const Roof roof = roof_of(*time, roofs_);
      cells.push_back(interval_text(*time));
      cells.push_back(rate_words.empty() ? kNoCell : rate_words);
      cells.push_back(naive_ != nullptr ? times_faster(naive_->milliseconds, time->milliseconds) : kNoCell);
      cells.push_back(peer_ != nullptr ? times_faster(peer_->milliseconds, time->milliseconds) : kNoCell);
      cells.push_back(roof.rate > 0 ? fmt::format("{:.{}f} %", 100 * rate(*time) / roof.rate,
                                                  rate(*time) < 0.0995 * roof.rate ? 1 : 0)
                                    : kNoCell);
      if (has_floor()) cells.push_back(of_the_floor(*time));
      text += markdown_row(cells);
    }
    return text;
  }

  /// Whether each step is faster than the previous one.
  std::string order() const {
    std::vector<std::string> declared;
    std::vector<std::string> undeclared;
    const MeasuredTime* before = nullptr;
    std::size_t compared = 0;
    for (const PageStep& step : task_.steps) {
      if (step.is_peer) continue;
      const MeasuredTime* const time = find_time(*task_.race, step.file, case_name_);
      if (time != nullptr && before != nullptr) {
        ++compared;
        if (time->milliseconds > kSlower * before->milliseconds)
          (has(task_.file->ladder.losses, step.file) ? declared : undeclared)
              .push_back(fmt::format("`{}` ({})", step.file, times_faster(before->milliseconds, time->milliseconds)));
      }
      if (time != nullptr) before = time;
    }
    if (compared == 0) return "";
    if (declared.empty() && undeclared.empty())
      return "To within 1 %, every step is at least as fast as the previous one.";
    std::string text = "To within 1 %, every step is at least as fast as the previous one, except";
    if (!declared.empty())
      text +=
          fmt::format(" for the declared {} {}", declared.size() == 1 ? "loss" : "losses", fmt::join(declared, ", "));
    if (!undeclared.empty())
      text += fmt::format("{} {}, which `lab.toml` does not declare as a loss", declared.empty() ? " for" : ", and for",
                          fmt::join(undeclared, ", "));
    return text + ".";
  }

 private:
  bool has_floor() const { return !task_.file->floor.unit.empty(); }
  std::string note(const PageStep& step, const MeasuredTime* time, const MeasuredTime* before) const {
    std::vector<std::string> words;
    if (step.is_peer) words.emplace_back("peer");
    if (step.file == task_.file->baseline) words.emplace_back("baseline");
    if (step.file == task_.file->reference) words.emplace_back("reference");
    if (time == nullptr) {
      words.emplace_back("not measured");
    } else {
      if (before != nullptr && !step.is_peer && time->milliseconds > kSlower * before->milliseconds)
        words.emplace_back("slower than the previous step");
      if (!time->right) words.emplace_back("different result");
      if (time->source != step.source) words.emplace_back("earlier version");
      if (time->discarded > 0) words.push_back(fmt::format("{} samples discarded", time->discarded));
    }
    return fmt::format("{}", fmt::join(words, ", "));
  }

  const PageTask& task_;
  std::string case_name_;
  const MeasuredRoofs* roofs_;
  const MeasuredTime* naive_ = nullptr;
  const MeasuredTime* best_ = nullptr;  ///< of the steps
  const MeasuredTime* peer_ = nullptr;
};

std::vector<std::string> race_cases(const TaskFile& task) {
  std::vector<std::string> names;
  for (const CaseFile& each : task.cases)
    if (each.group == "race" && each.backend != "vgpu") names.push_back(each.name);
  return names;
}

std::string conditions(const MeasuredTask& task) {
  std::string clocks = task.sm_clock > 0 ? fmt::format(", SMs at {} MHz", task.sm_clock) : "";
  if (task.lowest_clock > 0 && task.lowest_clock < task.sm_clock)
    clocks = fmt::format(", SMs at {} to {} MHz", task.lowest_clock, task.sm_clock);
  return fmt::format("{}, driver {}, CUDA {}{}{}{}, {}.", task.gpu, task.driver, task.cuda,
                     task.cccl.empty() ? "" : ", CCCL " + task.cccl, clocks,
                     task.throttling.empty() ? "" : ", throttling: " + task.throttling, task.date);
}

// The size of the race case that is scaled; 0 if its parameters differ.
double race_size(const TaskFile& task) {
  std::int64_t size = 0;
  for (const CaseFile& each : task.cases) {
    if (each.name != task.scaling.case_name) continue;
    for (const std::string& name : task.scaling.parameters) {
      const std::int64_t value = each.make.integer_or(name, 0);
      if (size != 0 && value != size) return 0;
      size = value;
    }
  }
  return static_cast<double>(size);
}

// The last step, the reference and the fastest peer; the race itself is the last size.
std::string scaling_figure(const PageTask& task, const MeasuredRoofs* roofs) {
  const ScalingFile& scaling = task.file->scaling;
  ScalingLines figure;
  figure.title = fmt::format("{} · throughput against size · {}", task.file->name, task.scaling->gpu);
  figure.size_name = fmt::format("{}", fmt::join(scaling.parameters, " = "));
  const auto add = [&](const std::string& step, const char* style) {
    ScalingLine line{step, style, {}};
    for (const MeasuredTime& time : task.scaling->times) {
      if (time.step != step || !(time.size > 0) || !(rate(time) > 0)) continue;
      figure.unit = unit_name(time);
      const Roof roof = roof_of(time, roofs);
      figure.roof = roof.rate / unit_of(time);
      figure.roof_name = roof.name;
      line.points.emplace_back(time.size, rate(time) / unit_of(time));
    }
    const MeasuredTime* const race = task.race != nullptr ? find_time(*task.race, step, scaling.case_name) : nullptr;
    const double size = race_size(*task.file);
    if (race != nullptr && size > 0 && rate(*race) > 0) line.points.emplace_back(size, rate(*race) / unit_of(*race));
    std::sort(line.points.begin(), line.points.end());
    if (!line.points.empty()) figure.lines.push_back(std::move(line));
  };
  std::string last;
  std::vector<std::string> peers;
  for (const PageStep& step : task.steps) {
    if (step.is_peer)
      peers.push_back(step.file);
    else
      last = step.file;
  }
  const MeasuredTime* const peer = task.race != nullptr ? fastest_peer(*task.race, peers, scaling.case_name) : nullptr;
  add(last, "own");
  if (task.file->reference != last) add(task.file->reference, "reference");
  if (peer != nullptr)
    add(peer->step, "peer");
  else if (!peers.empty())
    add(peers.front(), "peer");
  return figure.lines.empty() ? "" : scaling_lines_svg(figure);
}

std::string roofs_table(const std::vector<MeasuredRoofs>& roofs) {
  if (roofs.empty()) return "";
  std::string text =
      "\n## Roofs\n\n" + markdown_heads({"GPU", "measured", "read", "copy", "triad", "fused multiply-adds"}, 2);
  for (const MeasuredRoofs& each : roofs)
    text += markdown_row({each.gpu, fmt::format("driver {}, CUDA {}, {}", each.driver, each.cuda, each.date),
                          rate_text(1e3, each.read, 0), rate_text(1e3, each.copy, 0), rate_text(1e3, each.triad, 0),
                          rate_text(1e3, 0, each.ffma)});
  return text;
}

std::string task_title(const PageTask& task) { return fmt::format("{} ({})", task.file->name, task.title); }

// As GitHub derives it from a heading: lower case, blanks as dashes, other characters dropped.
std::string anchor(const std::string& heading) {
  std::string result;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ')
      result += '-';
    else if (std::isalnum(byte) != 0 || c == '_' || c == '-' || byte >= 0x80)
      result += static_cast<char>(std::tolower(byte));
  }
  return result;
}

std::string task_section(const PageTask& task, const MeasuredRoofs* roofs, std::vector<PageFigure>& figures) {
  std::string text = fmt::format("\n## {}\n\n", task_title(task));
  const auto show = [&](const std::string& svg, const std::string& words, const std::string& alt) {
    if (svg.empty()) return;
    figures.push_back({fmt::format("figures/{}.svg", file_name(task.file->name, words)), svg});
    text += fmt::format("\n![{}]({})\n", alt, figures.back().name);
  };
  if (task.race == nullptr) {
    text += "Not measured yet.\n";
  } else {
    text += markdown_wrapped(conditions(*task.race) + fmt::format(" The steps: [{0}]({0}/README.md).", task.lab));
    bool is_behind = false;
    std::string behind;
    for (const std::string& name : race_cases(*task.file)) {
      const CaseSection section(task, name, roofs);
      if (section.best() == nullptr && section.peer() == nullptr) continue;
      text += fmt::format("\n### {}\n", name);
      show(section.figure(), name,
           fmt::format("{}, {}: the rate of every step, with the roof{}", task.file->name, name,
                       section.peer() != nullptr ? " and the library" : ""));
      text += "\n" + section.table();
      if (const std::string order = section.order(); !order.empty()) text += "\n" + markdown_wrapped(order);
      if (section.is_behind_peer()) {
        is_behind = true;
        behind += fmt::format("{}`{}` reaches {:.2f} of the rate of `{}` ({})", behind.empty() ? "" : ", and ",
                              section.best()->step, section.peer()->milliseconds / section.best()->milliseconds,
                              section.peer()->step, name);
      }
    }
    if (const std::string floor = floor_words(task.file->floor, roofs); !floor.empty())
      text += "\n" + markdown_wrapped(floor);
    if (is_behind)
      text += "\n" + markdown_wrapped(fmt::format(
                         "Behind its peer: {}. {}", behind,
                         task.file->ladder.note.empty() ? "The reason is not known." : task.file->ladder.note));
  }
  if (const std::string sizes = sizes_words(task); !sizes.empty()) text += "\n" + markdown_wrapped(sizes);
  if (task.scaling != nullptr)
    show(scaling_figure(task, roofs), "sizes",
         fmt::format("{}: throughput against size for the last step, the reference and the peer", task.file->name));
  return text;
}

std::string overview(const std::vector<PageTask>& tasks, const std::vector<MeasuredRoofs>& roofs) {
  std::string text = "\n" + markdown_heads({"task", "fastest step", "case", "time", "of the baseline", "of the peer",
                                            "of the roof", "of the floor"},
                                           3);
  for (const PageTask& task : tasks) {
    const std::string link = fmt::format("[{}](#{})", task.file->name, anchor(task_title(task)));
    const std::vector<std::string> cases = race_cases(*task.file);
    if (task.race == nullptr || cases.empty()) {
      text += markdown_row({link, "not measured yet", kNoCell, kNoCell, kNoCell, kNoCell, kNoCell, kNoCell});
      continue;
    }
    for (const std::string& name : cases) {
      const MeasuredRoofs* const known = find_roofs(roofs, task.race->gpu);
      const CaseSection section(task, name, known);
      const MeasuredTime* const best = section.best();
      if (best == nullptr) continue;
      const Roof roof = roof_of(*best, known);
      text += markdown_row(
          {link, fmt::format("`{}`", best->step), markdown_cell(name), interval_text(*best),
           section.naive() != nullptr ? times_faster(section.naive()->milliseconds, best->milliseconds) : kNoCell,
           section.peer() != nullptr ? times_faster(section.peer()->milliseconds, best->milliseconds) : kNoCell,
           roof.rate > 0 ? fmt::format("{:.0f} %", 100 * rate(*best) / roof.rate) : kNoCell,
           section.of_the_floor(*best)});
    }
  }
  return text;
}

// Empty without a ladder of two steps.
std::string distances(const std::vector<PageTask>& tasks) {
  std::size_t longest = 0;
  std::vector<std::vector<std::string>> rows;
  for (const PageTask& task : tasks) {
    std::vector<std::string> cells = {task.file->name};
    const PageStep* before = nullptr;
    for (const PageStep& step : task.steps) {
      if (step.is_peer) continue;
      if (before != nullptr)
        cells.push_back(step.changed > kLongestStep ? fmt::format("[{}]({})", step.changed, step.link)
                                                    : fmt::format("{}", step.changed));
      before = &step;
    }
    longest = std::max(longest, cells.size());
    rows.push_back(std::move(cells));
  }
  if (longest < 2) return "";
  std::vector<std::string> heads = {"task"};
  for (std::size_t step = 2; step <= longest; ++step) heads.push_back(fmt::format("step {}", step));
  std::string text = "\n## How far apart the steps are\n\n" +
                     markdown_wrapped(fmt::format(
                         "Lines of code that each step changes in the one before it; a line that takes the place of "
                         "another counts once. Those of more than {} lines, with a link, say in their headers why "
                         "there is no step between.",
                         kLongestStep)) +
                     "\n" + markdown_heads(heads, 1);
  for (std::vector<std::string>& cells : rows) {
    cells.resize(heads.size(), kNoCell);
    text += markdown_row(cells);
  }
  return text;
}

}  // namespace

GeneratedPage bench_page(const std::vector<PageTask>& tasks, const std::vector<MeasuredRoofs>& roofs) {
  GeneratedPage page;
  page.markdown = kHead + overview(tasks, roofs) + "\n" + markdown_wrapped(kHowMeasured) + roofs_table(roofs);
  for (const PageTask& task : tasks)
    page.markdown +=
        task_section(task, task.race != nullptr ? find_roofs(roofs, task.race->gpu) : nullptr, page.figures);
  page.markdown += distances(tasks);
  return page;
}

}  // namespace lanewise
