// One row per step, one column per counter; numbers are right-aligned.
#include "grader/bench/ladder_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "grader/bench/markdown_text.h"

namespace lanewise {
namespace {

constexpr const char* kNone = "–";
constexpr const char* kCompiledBy = "compiled by ";

std::string right_text(const StepObservation& step) {
  if (!step.was_run) return kNone;
  return step.trouble.empty() ? fmt::format("{} of {}", step.right, step.cases) : "no: " + step.trouble;
}

std::string findings_text(const StepObservation& step) {
  if (!step.was_run) return kNone;
  if (step.findings.empty()) return step.trouble.empty() ? "none" : kNone;
  std::vector<std::string> tools;
  for (const auto& [tool, count] : step.findings) tools.push_back(fmt::format("{} {}", tool, count));
  return fmt::format("{}", fmt::join(tools, ", "));
}

std::string time_text(const StepObservation& step, const std::string& case_name, const MeasuredTask* measured) {
  if (measured == nullptr) return kNone;
  for (const MeasuredTime& time : measured->times) {
    if (time.step != step.file || time.case_name != case_name) continue;
    const std::string rate = rate_text(time.milliseconds, time.bytes, time.flops);
    return fmt::format("{}{}{}{}{}", milliseconds_text(time.milliseconds), rate.empty() ? "" : " · ", rate,
                       time.right ? "" : " (different result)", time.source == step.source ? "" : " (earlier version)");
  }
  return kNone;
}

std::string short_gpu(const MeasuredTask* measured) {
  if (measured == nullptr) return "GPU";
  const std::string brand = "NVIDIA ";
  return measured->gpu.rfind(brand, 0) == 0 ? measured->gpu.substr(brand.size()) : measured->gpu;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string modelled_text(const ModelledSpan& modelled) {
  if (!(modelled.nanoseconds > 0)) return kNone;
  return fmt::format("{:.1f} µs{}{}", modelled.nanoseconds / 1e3, modelled.bound_by.empty() ? "" : " · ",
                     modelled.bound_by);
}

std::string measured_words(const MeasuredTask* measured) {
  if (measured == nullptr) return "Not timed on a GPU yet: run `make bench` on a machine that has one.";
  const std::string clock =
      measured->sm_clock > 0 ? fmt::format(", SMs at {} MHz right after", measured->sm_clock) : "";
  return fmt::format(
      "Times: {}, driver {}, CUDA {}{}, {}; median of whole calls between two CUDA events, with outputs poisoned and "
      "L2 flushed before each.",
      measured->gpu, measured->driver, measured->cuda, clock, measured->date);
}

// A table per counter, with a row per step and a column per class.
std::string class_tables(const ClassesFile& classes, const std::vector<StepObservation>& steps) {
  if (classes.title.empty()) return "";
  std::string text = fmt::format("\n{}, case by case:\n", classes.title);
  for (std::size_t c = 0; c < classes.counters.size(); ++c) {
    std::vector<std::string> heads = {markdown_cell(find_counter(classes.counters[c])->heading)};
    std::vector<std::string> rules = {"---"};
    for (const std::string& name : classes.cases) {
      heads.push_back(markdown_cell(name));
      rules.emplace_back("---:");
    }
    text += "\n" + markdown_row(heads) + fmt::format("|{}|\n", fmt::join(rules, "|"));
    for (const StepObservation& step : steps) {
      if (step.classes.rows.empty()) continue;  // a peer that needs an NVIDIA GPU
      std::vector<std::string> cells = {fmt::format("`{}`", step.file)};
      for (const ClassTable::Row& each : step.classes.rows)
        cells.push_back(c < each.values.size() ? each.values[c] : kNone);
      text += markdown_row(cells);
    }
  }
  return text;
}

}  // namespace

std::string section_name(const std::string& task) { return "ladder of " + task; }

std::string ladder_table(const TaskFile& file, const LadderSetting& setting, const std::vector<StepObservation>& steps,
                         const MeasuredTask* measured) {
  std::vector<std::string> heads = {"step", "right", "findings"};
  std::vector<std::string> rules = {"---", "---:", "---"};
  for (const std::string& name : file.ladder.counters) {
    heads.push_back(markdown_cell(find_counter(name)->heading));
    rules.emplace_back("---:");
  }
  const bool is_modelled = std::any_of(steps.begin(), steps.end(),
                                       [](const StepObservation& step) { return step.modelled.call.nanoseconds > 0; });
  if (is_modelled) {
    heads.push_back(fmt::format("modelled, {}", upper(setting.profile)));
    rules.emplace_back("---:");
  }
  for (const CaseFile& each : file.cases) {
    if (each.group != "race") continue;
    heads.push_back(markdown_cell(fmt::format("{}, {}", short_gpu(measured), each.name)));
    rules.emplace_back("---:");
  }
  std::string text = markdown_row(heads) + fmt::format("|{}|\n", fmt::join(rules, "|"));
  for (const StepObservation& step : steps) {
    std::vector<std::string> cells = {fmt::format("[`{}`]({})", step.file, step.link), markdown_cell(right_text(step)),
                                      markdown_cell(findings_text(step))};
    for (const std::string& name : file.ladder.counters) {
      const Counter& counter = *find_counter(name);
      const bool is_counted = step.was_run && !step.counters.empty();
      cells.push_back(is_counted ? counter_text(counter, value_of(counter, step.counters)) : kNone);
    }
    if (is_modelled) cells.push_back(modelled_text(step.modelled.call));
    for (const CaseFile& each : file.cases)
      if (each.group == "race") cells.push_back(time_text(step, each.name, measured));
    text += markdown_row(cells);
  }
  const std::string sizes = setting.sizes.empty() ? "" : fmt::format(" ({})", setting.sizes);
  const std::string caption = fmt::format(
      "Written by `lanewise bench`. *Right* and *findings*: all check cases on the virtual GPU under all checkers. "
      "Counters: "
      "the case `{}`{} there, {} profile, {}{}; {} {}",
      setting.case_name, sizes, upper(setting.profile), kCompiledBy, setting.compiler,
      is_modelled ? "warp instructions are PTX instructions. *Modelled*: the time that its model gives for that call, "
                    "and what bounds it."
                  : "warp instructions (of PTX) stand in for time until it has a time model.",
      measured_words(measured));
  return text + "\n" + markdown_wrapped(caption) + class_tables(file.classes, steps);
}

std::optional<std::string> compiler_of_section(const std::string& section) {
  // The words may be split over two lines.
  std::string flat = section;
  std::replace(flat.begin(), flat.end(), '\n', ' ');
  const std::string words = kCompiledBy;
  const std::size_t at = flat.find(words);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = at + words.size();
  const std::size_t end = flat.find(';', begin);
  return flat.substr(begin, end == std::string::npos ? end : end - begin);
}

}  // namespace lanewise
