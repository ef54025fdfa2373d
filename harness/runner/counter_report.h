// Reads what kernels have cost out of the virtual GPU's report.
#pragma once

#include <string_view>

#include "harness/lab/counters.h"
#include "harness/lab/failure.h"

namespace lanewise {

/// Adds up the kernels of a report document (schema "lanewise-vgpu-report"). A failure says that the text is no such
/// document, or one in which nothing was counted.
Expected<CounterSums> read_counters(std::string_view json);

}  // namespace lanewise
