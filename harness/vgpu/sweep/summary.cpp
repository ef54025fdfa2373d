#include "harness/vgpu/sweep/summary.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/vgpu/monitor/checker_names.h"

namespace vgpu::sweep {
namespace {

using Row = std::vector<std::string>;
using Condition = std::function<bool(const Mutant&)>;

/// Column headings, and which mutants count there.
std::vector<std::pair<std::string, Condition>> columns() {
  const auto is_run = [](const Mutant& m) { return m.fate != Fate::kNotCompiled; };
  std::vector<std::pair<std::string, Condition>> result{{"mutants", is_run}};
  const std::array<const char*, kOperators.size()> headings = {"barrier", "bound",  "index", "swap",
                                                               "init",    "atomic", "guard", "mask"};
  for (std::size_t o = 0; o < kOperators.size(); ++o)
    result.emplace_back(headings[o], [=](const Mutant& m) { return is_run(m) && m.mutation.op == kOperators[o]; });
  for (const char* checker : kCheckerNames)
    result.emplace_back(checker, [=](const Mutant& m) { return m.outcome.checkers.count(checker) != 0; });
  result.emplace_back("output", [](const Mutant& m) { return m.outcome.wrong_output; });
  result.emplace_back("hang/fault", [](const Mutant& m) { return m.outcome.stopped; });
  result.emplace_back("survivors", [](const Mutant& m) { return m.fate == Fate::kSurvived; });
  result.emplace_back("missed", [](const Mutant& m) { return m.fate == Fate::kMissed; });
  result.emplace_back("equivalent", [](const Mutant& m) { return m.fate == Fate::kEquivalent; });
  return result;
}

std::string on_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

const char* name_of(Fate fate) {
  switch (fate) {
    case Fate::kFound:
      return "found";
    case Fate::kEquivalent:
      return "equivalent";
    case Fate::kMissed:
      return "missed";
    case Fate::kSurvived:
      return "survived";
    case Fate::kNotCompiled:
      return "not compiled";
  }
  return "";
}

}  // namespace

double Totals::percent_found() const {
  const std::size_t changing = found + missed + survived;
  return changing == 0 ? 100.0 : 100.0 * static_cast<double>(found) / static_cast<double>(changing);
}

Totals totals_of(const std::vector<SweptSource>& sources) {
  Totals totals;
  for (const SweptSource& source : sources) {
    for (const Mutant& m : source.mutants) {
      totals.mutants += m.fate != Fate::kNotCompiled ? 1 : 0;
      totals.found += m.fate == Fate::kFound ? 1 : 0;
      totals.equivalent += m.fate == Fate::kEquivalent ? 1 : 0;
      totals.missed += m.fate == Fate::kMissed ? 1 : 0;
      totals.survived += m.fate == Fate::kSurvived ? 1 : 0;
      totals.silent += m.fate == Fate::kFound && !m.outcome.wrong_output && !m.outcome.stopped ? 1 : 0;
    }
  }
  return totals;
}

std::string table_of(const std::vector<SweptSource>& sources) {
  const auto kinds = columns();
  std::vector<Row> rows(1, Row{"kernel"});
  for (const auto& [heading, condition] : kinds) rows[0].push_back(heading);
  std::vector<std::size_t> sums(kinds.size(), 0);
  for (const SweptSource& source : sources) {
    Row& row = rows.emplace_back(Row{source.path.stem().string()});
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const auto count = std::count_if(source.mutants.begin(), source.mutants.end(), kinds[k].second);
      sums[k] += static_cast<std::size_t>(count);
      row.push_back(std::to_string(count));
    }
  }
  Row& last = rows.emplace_back(Row{"all"});
  for (const std::size_t sum : sums) last.push_back(std::to_string(sum));

  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const Row& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  std::string table;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < widths.size(); ++c) {
      const std::string padding(widths[c] - rows[r][c].size(), ' ');
      table += "| " + (c == 0 ? rows[r][c] + padding : padding + rows[r][c]) + " ";
    }
    table += "|\n";
    if (r != 0) continue;
    for (std::size_t c = 0; c < widths.size(); ++c)
      table += c == 0 ? "|" + std::string(widths[c] + 2, '-') : "|" + std::string(widths[c] + 1, '-') + ":";
    table += "|\n";
  }
  return table;
}

std::string remarks_on(const std::vector<SweptSource>& sources) {
  const Totals totals = totals_of(sources);
  char share[32];
  std::snprintf(share, sizeof share, "%.1f %%", totals.percent_found());
  std::string text = std::to_string(totals.found) + " of " +
                     std::to_string(totals.found + totals.missed + totals.survived) +
                     " mutants that change behaviour are found (" + share + "), " + std::to_string(totals.silent) +
                     " of them by a checker alone: their output was right. " + std::to_string(totals.equivalent) +
                     " behave like the original.\n";
  for (const SweptSource& source : sources) {
    for (const Mutant& m : source.mutants) {
      if (m.fate == Fate::kNotCompiled)
        text += "Does not compile: " + source.path.string() + ":" + std::to_string(m.mutation.line) + ": '" +
                vgpu::sweep::name_of(m.mutation.op) + " " + std::to_string(m.mutation.number) + "'.\n";
      if (m.fate != Fate::kSurvived && m.fate != Fate::kMissed) continue;
      text += (m.fate == Fate::kMissed ? "Missed, as declared: " : "SURVIVED: ") + source.path.string() + ":" +
              std::to_string(m.mutation.line) + ": '" + vgpu::sweep::name_of(m.mutation.op) + " " +
              std::to_string(m.mutation.number) + "' in " + m.mutation.function + ": " + on_one_line(m.original) +
              "  ->  " + on_one_line(m.mutation.replacement) + "\n";
    }
    for (const std::string& problem : source.problems) text += "PROBLEM: " + problem + "\n";
  }
  return text;
}

std::string as_json(const std::vector<SweptSource>& sources) {
  nlohmann::json mutants = nlohmann::json::array(), problems = nlohmann::json::array();
  for (const SweptSource& source : sources) {
    for (const std::string& problem : source.problems) problems.push_back(problem);
    for (const Mutant& m : source.mutants)
      mutants.push_back({{"source", source.path.string()},
                         {"function", m.mutation.function},
                         {"line", m.mutation.line},
                         {"operator", vgpu::sweep::name_of(m.mutation.op)},
                         {"number", m.mutation.number},
                         {"original", m.original},
                         {"replacement", m.mutation.replacement},
                         {"fate", name_of(m.fate)},
                         {"checkers", m.outcome.checkers},
                         {"wrong_output", m.outcome.wrong_output},
                         {"stopped", m.outcome.stopped},
                         {"evidence", m.outcome.evidence},
                         {"reason", m.marker ? m.marker->reason : ""}});
  }
  const Totals totals = totals_of(sources);
  const nlohmann::json all = {{"mutants", mutants},
                              {"problems", problems},
                              {"totals",
                               {{"mutants", totals.mutants},
                                {"found", totals.found},
                                {"equivalent", totals.equivalent},
                                {"missed", totals.missed},
                                {"survived", totals.survived},
                                {"found_by_checkers_alone", totals.silent},
                                {"percent_found", totals.percent_found()}}}};
  return all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace vgpu::sweep
