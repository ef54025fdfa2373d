// Unpacks the arrays of a case into the contract's call.
#include "harness/worker/entry.h"
#include "bfs.cuh"

LANEWISE_TASK(bfs) {
  bfs(call.input<std::int32_t>("row_offsets"), call.input<std::int32_t>("columns"), call.integer<int>("num_vertices"),
      call.integer<int>("num_edges"), call.integer<int>("source"), call.output<std::int32_t>("distance"));
}
