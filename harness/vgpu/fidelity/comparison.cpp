#include "harness/vgpu/fidelity/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

#include "harness/vgpu/fidelity/number_text.h"
#include "harness/vgpu/machine/symbol_names.h"

namespace vgpu::fidelity {
namespace {

constexpr std::size_t kLongestArguments = 24;  // of a template, in a short name
constexpr double kMostByOrder = 0.05;          // what the order of warps may explain

/// All launches of one kernel. Metrics of launches add up; those that describe a launch are of the last one.
struct ProfiledKernel {
  std::string name;
  double launches = 0;
  std::map<std::string, double> metrics;
};

bool describes_launch(const std::string& metric) { return metric.rfind("launch__", 0) == 0; }

std::vector<ProfiledKernel> kernels_of(const std::string& program, const std::vector<ProfiledLaunch>& launches) {
  std::vector<ProfiledKernel> kernels;
  for (const ProfiledLaunch& launch : launches) {
    if (launch.program != program) continue;
    const std::string name = readable_function_name(launch.kernel);
    auto kernel = std::find_if(kernels.begin(), kernels.end(), [&](const auto& k) { return k.name == name; });
    if (kernel == kernels.end()) kernel = kernels.insert(kernels.end(), ProfiledKernel{name, 0, {}});
    kernel->launches += 1;
    for (const auto& [metric, value] : launch.metrics) {
      double& sum = kernel->metrics[metric];
      sum = describes_launch(metric) ? value : sum + value;
    }
  }
  return kernels;
}

std::optional<double> measured(const ProfiledKernel& kernel, const std::vector<Metric::Names>& alternatives) {
  for (const Metric::Names& names : alternatives) {
    double sum = 0;
    std::size_t found = 0;
    for (const std::string& name : names) {
      const auto metric = kernel.metrics.find(name);
      if (metric == kernel.metrics.end()) break;
      sum += metric->second;
      ++found;
    }
    if (found != 0 && found == names.size()) return sum;
  }
  return std::nullopt;
}

double counted(const CountedKernel& kernel, const Metric::Names& names) {
  double sum = 0;
  for (const std::string& name : names)
    if (const auto found = kernel.counts.find(name); found != kernel.counts.end()) sum += found->second;
  return sum;
}

/// Blocks that fit on a multiprocessor, as the program printed them.
std::optional<double> printed_occupancy(const std::string& printed, const std::string& kernel) {
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(kernel + ": ", 0) != 0) continue;
    const std::size_t comma = line.rfind(", ");
    if (comma == std::string::npos || line.find(" blocks a multiprocessor", comma) == std::string::npos) continue;
    return std::atoi(line.c_str() + comma + 2);
  }
  return std::nullopt;
}

/// As Nsight Compute works it out: the least of what each resource allows.
std::optional<double> measured_occupancy(const ProfiledKernel& kernel) {
  std::optional<double> least;
  for (const auto& [metric, value] : kernel.metrics)
    if (metric.rfind("launch__occupancy_limit_", 0) == 0) least = std::min(least.value_or(value), value);
  return least;
}

bool is_occupancy(const Metric& metric) { return metric.group == "occupancy"; }
bool is_ratio(const Metric& metric) { return metric.group == "threads"; }

class Comparison {
 public:
  Comparison(const ProgramRun& run, const CountedKernel& ours, const ProfiledKernel& theirs)
      : run_(run), ours_(ours), theirs_(theirs) {}

  Row row() {
    Row row{short_name(ours_.name), {}, ""};
    for (const Metric& metric : metrics()) row.cells.push_back(cell(metric));
    row.remark = remark(row.cells);
    return row;
  }

 private:
  Cell cell(const Metric& metric) const {
    Cell cell;
    if (is_occupancy(metric)) {
      cell.ours = ours_.blocks_per_sm;
      cell.theirs = printed_occupancy(run_.printed, short_name(ours_.name));
      if (!cell.theirs) cell.theirs = measured_occupancy(theirs_);
    } else if (is_ratio(metric)) {
      const double executions = counted(ours_, {"executions"});
      if (executions > 0) cell.ours = counted(ours_, metric.ours) / executions;
      const auto instructions = measured(theirs_, {{"smsp__inst_executed.sum"}});
      const auto threads = measured(theirs_, metric.theirs);
      if (threads && instructions && *instructions > 0) cell.theirs = *threads / *instructions;
    } else {
      cell.ours = counted(ours_, metric.ours);
      cell.theirs = measured(theirs_, metric.theirs);
    }
    cell.verdict = verdict(metric, cell);
    return cell;
  }

  Verdict verdict(const Metric& metric, const Cell& cell) const {
    if (!cell.theirs || !cell.ours)
      return cell.ours.value_or(0) == 0 && cell.theirs.value_or(0) == 0 ? Verdict::kNothing : Verdict::kShown;
    if (*cell.ours == 0 && *cell.theirs == 0) return Verdict::kNothing;
    if (!metric.is_judged || (metric.is_dram && !moves_much())) return Verdict::kShown;
    if (metric.is_dram && std::max(*cell.ours, *cell.theirs) < run_.counted.l2_bytes) return Verdict::kShown;
    if (*cell.ours == *cell.theirs) return Verdict::kEqual;
    if (std::abs(*cell.ours - *cell.theirs) <= metric.bar * *cell.theirs) return Verdict::kWithin;
    if (is_recompiled(metric)) return Verdict::kRecompiled;
    const bool is_near = std::abs(*cell.ours - *cell.theirs) <= kMostByOrder * *cell.theirs;
    return is_near && in_another_order(metric) != cell.ours ? Verdict::kReordered : Verdict::kBeyond;
  }

  /// What was counted with the warps in another order; the same where they were run in one order only.
  double in_another_order(const Metric& metric) const {
    const auto& kernels = run_.reordered.kernels;
    const auto same = std::find_if(kernels.begin(), kernels.end(), [&](const auto& k) { return k.name == ours_.name; });
    return counted(same == kernels.end() ? ours_ : *same, metric.ours);
  }

  bool moves_much() const {
    constexpr double kTimesTheCache = 4;
    double ours = 0, theirs = 0;
    for (const Metric& metric : metrics()) {
      if (!metric.is_dram) continue;
      ours += counted(ours_, metric.ours);
      theirs += measured(theirs_, metric.theirs).value_or(0);
    }
    return std::max(ours, theirs) >= kTimesTheCache * run_.counted.l2_bytes;
  }

  /// One kind of instruction at a time where both sides tell them apart: a load less and a store more are two changes.
  bool is_recompiled(const Metric& metric) const {
    const auto differs = [&](const Metric::Names& theirs, const Metric::Names& ours) {
      const auto instructions = measured(theirs_, {theirs});
      return instructions && *instructions != counted(ours_, ours);
    };
    for (const Metric::Names& names : metric.instructions) {
      if (!measured(theirs_, {names})) continue;
      if (names.size() != metric.our_instructions.size()) return differs(names, metric.our_instructions);
      for (std::size_t i = 0; i < names.size(); ++i)
        if (differs({names[i]}, {metric.our_instructions[i]})) return true;
      return false;
    }
    return false;
  }

  std::string remark(const std::vector<Cell>& cells) const {
    std::string text;
    const auto add = [&](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
    if (ours_.launches != theirs_.launches)
      add(number_text(ours_.launches) + " launches here, " + number_text(theirs_.launches) + " there");
    for (const Metric& metric : metrics()) {
      if (metric.instructions.empty() || metric.name != "requests" || !is_recompiled(metric)) continue;
      add(metric.group + " " + number_text(counted(ours_, metric.our_instructions)) + " → " +
          number_text(*measured(theirs_, metric.instructions)));
    }
    for (std::size_t c = 0; c < cells.size(); ++c)
      if (cells[c].verdict == Verdict::kReordered)
        add(metrics()[c].group + ", " + metrics()[c].name + ": " + number_text(in_another_order(metrics()[c])) +
            " with warps in another order");
    return text;
  }

  const ProgramRun& run_;
  const CountedKernel& ours_;
  const ProfiledKernel& theirs_;
};

}  // namespace

std::vector<Row> compare(const ProgramRun& run, const std::vector<ProfiledLaunch>& launches) {
  std::vector<ProfiledKernel> profiled = kernels_of(run.name, launches);
  std::vector<Row> rows;
  for (const CountedKernel& ours : run.counted.kernels) {
    const auto theirs =
        std::find_if(profiled.begin(), profiled.end(), [&](const auto& k) { return k.name == ours.name; });
    if (theirs == profiled.end()) {
      rows.push_back({short_name(ours.name), std::vector<Cell>(metrics().size()), "not profiled"});
      continue;
    }
    rows.push_back(Comparison(run, ours, *theirs).row());
    profiled.erase(theirs);
  }
  for (const ProfiledKernel& theirs : profiled)
    rows.push_back({short_name(theirs.name), std::vector<Cell>(metrics().size()), "not counted"});
  return rows;
}

std::string short_name(const std::string& readable) {
  // The parameter list begins at the last opening parenthesis outside of others; what lies in template arguments is
  // skipped both for it and for scopes.
  static const std::string kUnnamed = "(anonymous namespace)::";
  std::string name = readable;
  for (std::size_t at; (at = name.find(kUnnamed)) != std::string::npos;) name.erase(at, kUnnamed.size());
  int depth = 0;
  std::size_t begin = 0, arguments = std::string::npos, end = name.size();
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '(' && depth == 0) {
      end = i;
      break;
    }
    if (c == '<' && depth++ == 0) arguments = i;
    if (c == '>') --depth;
    if (depth == 0 && (c == ':' || c == ' ')) begin = i + 1, arguments = std::string::npos;
  }
  if (arguments != std::string::npos && end - arguments > kLongestArguments) end = arguments;
  return name.substr(begin, end - begin);
}

}  // namespace vgpu::fidelity
