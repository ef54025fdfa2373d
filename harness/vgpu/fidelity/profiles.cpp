#include "harness/vgpu/fidelity/profiles.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <set>
#include <sstream>

#include "harness/vgpu/fidelity/comparison.h"
#include "harness/vgpu/machine/symbol_names.h"

namespace vgpu::fidelity {
namespace {

bool describes_launch(const std::string& metric) {
  return metric.rfind("launch__", 0) == 0 || metric == kPrintedOccupancy;
}

std::optional<double> occupancy_in(const std::string& printed, const std::string& kernel) {
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(kernel + ": ", 0) != 0) continue;
    const std::size_t comma = line.rfind(", ");
    if (comma == std::string::npos || line.find(" blocks a multiprocessor", comma) == std::string::npos) continue;
    return std::atoi(line.c_str() + comma + 2);
  }
  return std::nullopt;
}

/// Short, and exactly this number when it is read again.
std::string digits_of(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string quoted(const std::string& text) {
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? "\"\"" : std::string(1, c);
  return field + "\"";
}

}  // namespace

std::vector<Profile> sums_of(const std::vector<Profile>& profiles) {
  std::vector<Profile> sums;
  for (const Profile& profile : profiles) {
    const auto sum = std::find_if(sums.begin(), sums.end(), [&](const Profile& other) {
      return other.program == profile.program && other.kernel == profile.kernel;
    });
    if (sum == sums.end()) {
      sums.push_back(profile);
      continue;
    }
    sum->launches += profile.launches;
    for (const auto& [metric, value] : profile.metrics) {
      double& total = sum->metrics[metric];
      total = describes_launch(metric) ? value : total + value;
    }
  }
  return sums;
}

void add_printed_occupancy(const std::string& printed, std::vector<Profile>& profiles) {
  for (Profile& profile : profiles)
    if (const auto blocks = occupancy_in(printed, short_name(readable_function_name(profile.kernel))))
      profile.metrics[kPrintedOccupancy] = *blocks;
}

std::string profiles_csv(const std::vector<Profile>& profiles) {
  std::set<std::string> columns;
  for (const std::string& metric : compared_metrics())
    if (std::any_of(profiles.begin(), profiles.end(), [&](const Profile& p) { return p.metrics.count(metric) != 0; }))
      columns.insert(metric);

  std::string text = std::string("ID,") + kProgramColumn + ',' + kKernelColumn + ',' + kLaunchesColumn;
  for (const std::string& column : columns) text += ',' + column;
  text += '\n';
  for (std::size_t row = 0; row < profiles.size(); ++row) {
    const Profile& profile = profiles[row];
    text += std::to_string(row) + ',' + quoted(profile.program) + ',' + quoted(profile.kernel) + ',' +
            digits_of(profile.launches);
    for (const std::string& column : columns) {
      const auto metric = profile.metrics.find(column);
      text += ',' + (metric == profile.metrics.end() ? "" : digits_of(metric->second));
    }
    text += '\n';
  }
  return text;
}

}  // namespace vgpu::fidelity
