// Unpacks the arrays of a case into the contract's call.
#include "harness/worker/entry.h"
#include "scan.cuh"

LANEWISE_TASK(inclusive_scan) {
  inclusive_scan(call.input<std::int32_t>("in"), call.output<std::int32_t>("out"), call.integer<std::size_t>("n"));
}
