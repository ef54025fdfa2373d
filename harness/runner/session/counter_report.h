// Reads the cost of kernels from the virtual GPU's report.
#pragma once

#include <string_view>

#include "harness/lab/counters.h"
#include "harness/lab/failure.h"

namespace lanewise {

/// Adds up the kernels of a report document (schema "lanewise-vgpu-report"), and each line over all kernels; the lines
/// are in order. A failure says that the text is not such a document, or has no counters.
Expected<CounterReport> read_counters(std::string_view json);

}  // namespace lanewise
