// Unpacks the arrays of a case into the contract's calls.
#include "harness/worker/entry.h"
#include "vecadd.cuh"

LANEWISE_TASK(vec_add) {
  vec_add(call.input<float>("a"), call.input<float>("b"), call.output<float>("c"), call.integer<int>("n"));
}

LANEWISE_TASK(vec_add_device) {
  vec_add_device(call.input<float>("a"), call.input<float>("b"), call.output<float>("c"),
                 call.integer<std::size_t>("n"));
}
