#include "harness/vgpu/fidelity/markdown.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <utility>

#include "harness/vgpu/fidelity/number_text.h"

namespace vgpu::fidelity {
namespace {

std::string formatted(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string row_text(const std::vector<std::string>& fields) {
  std::string text = "|";
  for (const std::string& field : fields) text += " " + field + " |";
  return text + "\n";
}

std::string heading_text(const std::vector<std::string>& headings) {
  std::vector<std::string> rule(headings.size(), "---:");
  rule.front() = "---";
  std::string text = row_text(headings) + "|";
  for (const std::string& field : rule) text += field + "|";
  return text + "\n";
}

std::string title_of(const Metric& metric) { return metric.group + ": " + metric.name; }

/// Names of kernels hold characters that Markdown would take for its own.
std::string code(const std::string& name) { return "`" + name + "`"; }

std::string table_of(const std::vector<Row>& rows) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < metrics().size(); ++c)
    if (std::any_of(rows.begin(), rows.end(),
                    [&](const Row& row) { return row.cells[c].verdict != Verdict::kNothing; }))
      columns.push_back(c);
  const bool has_remarks = std::any_of(rows.begin(), rows.end(), [](const Row& row) { return !row.remark.empty(); });
  std::vector<std::string> fields{"kernel"};
  for (const std::size_t c : columns) fields.push_back(title_of(metrics()[c]));
  if (has_remarks) fields.emplace_back("instructions, PTX → machine code; order of warps");
  std::string text = heading_text(fields);
  for (const Row& row : rows) {
    fields = {code(row.kernel)};
    for (const std::size_t c : columns) fields.push_back(cell_text(row.cells[c]));
    if (has_remarks) fields.push_back(row.remark);
    text += row_text(fields);
  }
  return text;
}

}  // namespace

std::string cell_text(const Cell& cell) {
  if (cell.verdict == Verdict::kNothing) return "";
  std::string ours = cell.ours ? number_text(*cell.ours) : "?";
  const std::string theirs = cell.theirs ? number_text(*cell.theirs) : "?";
  if (ours == theirs) return ours;
  std::string text = ours + " / " + theirs;
  if (cell.ours && cell.theirs && *cell.theirs != 0) text += formatted(" (%.3f)", *cell.ours / *cell.theirs);
  if (cell.verdict == Verdict::kBeyond) return "**" + text + "**";
  if (cell.verdict == Verdict::kRecompiled || cell.verdict == Verdict::kReordered) return "*" + text + "*";
  return text;
}

std::vector<ProgramRows> by_task(const std::vector<ProgramRows>& programs) {
  std::vector<ProgramRows> tasks;
  for (const auto& [name, rows] : programs) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) {
      tasks.emplace_back(name, rows);
      continue;
    }
    const std::string task = name.substr(0, dot);
    if (tasks.empty() || tasks.back().first != task) tasks.push_back({task, {}});
    for (Row row : rows) {
      row.kernel = name.substr(dot + 1) + ": " + row.kernel;
      tasks.back().second.push_back(std::move(row));
    }
  }
  return tasks;
}

std::string summary_of(const std::vector<ProgramRows>& programs) {
  std::string text = heading_text({"metric", "tolerance", "kernels", "equal", "within tolerance",
                                   "beyond, machine code differs", "beyond, order of warps matters", "beyond"});
  for (std::size_t c = 0; c < metrics().size(); ++c) {
    const Metric& metric = metrics()[c];
    std::array<int, 5> counts{};  // equal, within, recompiled, reordered, beyond
    for (const auto& [name, rows] : programs)
      for (const Row& row : rows) {
        const Verdict verdict = row.cells[c].verdict;
        if (verdict >= Verdict::kEqual)
          ++counts.at(static_cast<std::size_t>(verdict) - static_cast<std::size_t>(Verdict::kEqual));
      }
    const int kernels = std::accumulate(counts.begin(), counts.end(), 0);
    if (kernels == 0) continue;
    const std::string bar = metric.bar == 0 ? "equal" : formatted("%.0f %%", 100 * metric.bar);
    std::vector<std::string> fields{title_of(metric), bar, std::to_string(kernels)};
    for (const int count : counts) fields.push_back(std::to_string(count));
    text += row_text(fields);
  }
  return text;
}

std::string tables_of(const std::vector<ProgramRows>& programs) {
  std::string text;
  for (const auto& [name, rows] : programs) {
    if (rows.empty()) continue;
    text += "\n### " + name + "\n\n" + table_of(rows);
  }
  return text;
}

}  // namespace vgpu::fidelity
