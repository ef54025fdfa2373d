// Unpacks the arrays of a case into the contract's call.
#include "harness/worker/entry.h"
#include "radix_sort.cuh"

LANEWISE_TASK(radix_sort) {
  radix_sort(call.input<std::uint32_t>("in"), call.output<std::uint32_t>("out"), call.integer<std::size_t>("n"));
}
