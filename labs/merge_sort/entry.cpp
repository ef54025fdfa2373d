// Unpacks the arrays of a case into the contract's call.
#include "harness/worker/entry.h"
#include "merge_sort.cuh"

LANEWISE_TASK(merge_sort) {
  merge_sort(call.input<std::int32_t>("in"), call.output<std::int32_t>("out"), call.integer<std::size_t>("n"));
}
