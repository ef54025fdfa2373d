// Unpacks the arrays of a case into the contract's calls.
#include "harness/worker/entry.h"
#include "attention.cuh"

LANEWISE_TASK(softmax) {
  softmax(call.input<float>("x"), call.output<float>("y"), call.integer<int>("rows"), call.integer<int>("cols"));
}

LANEWISE_TASK(attention) {
  attention(call.input<float>("q"), call.input<float>("k"), call.input<float>("v"), call.output<float>("out"),
            call.integer<int>("heads"), call.integer<int>("n"), call.integer<int>("d"));
}
