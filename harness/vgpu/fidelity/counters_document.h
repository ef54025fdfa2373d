// Reads the counters of the document that the virtual GPU writes to LANEWISE_VGPU_REPORT.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace vgpu::fidelity {

/// What the virtual GPU counted for all launches of one kernel.
struct CountedKernel {
  std::string name;  ///< readable: "matmul(float const*, int)"
  double launches = 0;
  std::map<std::string, double> counts;  ///< of the objects "totals" and "memory"; missing ones were 0
  std::optional<double> blocks_per_sm;
};

struct CountersDocument {
  double l2_bytes = 0;
  std::vector<CountedKernel> kernels;
};

/// The document, or a sentence that says why it is not one.
std::variant<CountersDocument, std::string> read_counters(const std::string& json);

}  // namespace vgpu::fidelity
