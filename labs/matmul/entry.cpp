// Unpacks the arrays of a case into the contract's call.
#include "harness/worker/entry.h"
#include "matmul.cuh"

LANEWISE_TASK(matmul) {
  matmul(call.input<float>("a"), call.input<float>("b"), call.output<float>("c"), call.integer<int>("m"),
         call.integer<int>("n"), call.integer<int>("k"));
}
