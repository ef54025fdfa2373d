// Unpacks the arrays of a case into the contract's call.
#include "harness/worker/entry.h"
#include "merge.cuh"

LANEWISE_TASK(merge_sorted) {
  merge_sorted(call.input<std::int32_t>("a"), call.integer<std::size_t>("m"), call.input<std::int32_t>("b"),
               call.integer<std::size_t>("n"), call.output<std::int32_t>("out"));
}
