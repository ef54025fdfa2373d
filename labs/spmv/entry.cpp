// Unpacks the arrays of a case into the contract's call.
#include "harness/worker/entry.h"
#include "spmv.cuh"

LANEWISE_TASK(spmv_csr) {
  spmv_csr(call.input<std::int32_t>("row_offsets"), call.input<std::int32_t>("columns"), call.input<float>("values"),
           call.input<float>("x"), call.output<float>("y"), call.integer<int>("rows"), call.integer<int>("cols"),
           call.integer<int>("nnz"));
}
