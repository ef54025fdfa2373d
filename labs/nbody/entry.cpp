// Unpacks the arrays of a case into the contract's call.
#include "harness/worker/entry.h"
#include "nbody.cuh"

LANEWISE_TASK(accelerations) {
  accelerations(call.input<float>("bodies"), call.output<float>("acceleration"), call.integer<int>("n"),
                call.integer<int>("first"), call.integer<int>("count"), call.real<float>("softening"));
}
