#include "harness/vgpu/fidelity/comparison.h"

#include <algorithm>
#include <cmath>

#include "harness/vgpu/fidelity/number_text.h"
#include "harness/vgpu/fidelity/profiles.h"
#include "harness/vgpu/machine/symbol_names.h"

namespace vgpu::fidelity {
namespace {

constexpr std::size_t kLongestArguments = 24;  // of a template, in a short name
// What the order of warps may explain, besides what lies between the counts of two orders, or outside them by at most a
// tenth of their difference.
constexpr double kMostByOrder = 0.05;
constexpr double kOutsideOfOrders = 0.1;

/// The profiles of one program, one a kernel, with readable names.
std::vector<Profile> kernels_of(const std::string& program, const std::vector<Profile>& profiles) {
  std::vector<Profile> kernels;
  for (const Profile& profile : profiles) {
    if (profile.program != program) continue;
    kernels.push_back(profile);
    kernels.back().kernel = readable_function_name(profile.kernel);
  }
  return sums_of(kernels);
}

std::optional<double> measured(const Profile& kernel, const std::vector<Metric::Names>& alternatives) {
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

/// As the runtime said, or as Nsight Compute works it out: the least of what each resource allows.
std::optional<double> measured_occupancy(const Profile& kernel) {
  if (const auto printed = measured(kernel, {{kPrintedOccupancy}})) return printed;
  std::optional<double> least;
  for (const auto& [metric, value] : kernel.metrics)
    if (metric.rfind("launch__occupancy_limit_", 0) == 0) least = std::min(least.value_or(value), value);
  return least;
}

bool is_occupancy(const Metric& metric) { return metric.group == "occupancy"; }
bool is_ratio(const Metric& metric) { return metric.group == "threads"; }

class Comparison {
 public:
  Comparison(const ProgramRun& run, const CountedKernel& ours, const Profile& theirs)
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
      cell.theirs = measured_occupancy(theirs_);
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
    const double reordered = in_another_order(metric);
    const auto [least, most] = std::minmax(*cell.ours, reordered);
    const double outside = kOutsideOfOrders * (most - least);
    const bool is_near = std::abs(*cell.ours - *cell.theirs) <= kMostByOrder * *cell.theirs ||
                         (least - outside <= *cell.theirs && *cell.theirs <= most + outside);
    return is_near && reordered != cell.ours ? Verdict::kReordered : Verdict::kBeyond;
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
  const Profile& theirs_;
};

}  // namespace

std::vector<Row> compare(const ProgramRun& run, const std::vector<Profile>& profiles) {
  std::vector<Profile> profiled = kernels_of(run.name, profiles);
  std::vector<Row> rows;
  for (const CountedKernel& ours : run.counted.kernels) {
    const auto theirs =
        std::find_if(profiled.begin(), profiled.end(), [&](const auto& k) { return k.kernel == ours.name; });
    if (theirs == profiled.end()) {
      rows.push_back({short_name(ours.name), std::vector<Cell>(metrics().size()), "not profiled"});
      continue;
    }
    rows.push_back(Comparison(run, ours, *theirs).row());
    profiled.erase(theirs);
  }
  for (const Profile& theirs : profiled)
    rows.push_back({short_name(theirs.kernel), std::vector<Cell>(metrics().size()), "not counted"});
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
