// Unpacks the arrays of a case into the contract's calls.
#include "harness/worker/entry.h"
#include "histogram.cuh"

LANEWISE_TASK(histogram_bytes) {
  histogram_bytes(call.input<std::uint8_t>("data"), call.integer<std::size_t>("n"), call.output<std::uint32_t>("bins"));
}

LANEWISE_TASK(histogram_wide) {
  histogram_wide(call.input<std::uint32_t>("data"), call.integer<std::size_t>("n"), call.output<std::uint32_t>("bins"),
                 call.integer<int>("num_bins"));
}
