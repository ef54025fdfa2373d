// Unpacks the arrays of a case into the contract's calls.
#include "harness/worker/entry.h"
#include "sort.cuh"

LANEWISE_TASK(radix_sort) {
  radix_sort(call.input<std::uint32_t>("in"), call.output<std::uint32_t>("out"), call.integer<std::size_t>("n"));
}

LANEWISE_TASK(merge_sort) {
  merge_sort(call.input<std::int32_t>("in"), call.output<std::int32_t>("out"), call.integer<std::size_t>("n"));
}
