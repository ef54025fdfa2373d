// Unpacks the arrays of a case into the contract's calls.
#include "harness/worker/entry.h"
#include "image.cuh"

LANEWISE_TASK(grayscale) {
  grayscale(call.input<std::uint8_t>("rgb"), call.output<std::uint8_t>("gray"), call.integer<int>("width"),
            call.integer<int>("height"));
}

LANEWISE_TASK(blur) {
  blur(call.input<std::uint8_t>("in"), call.output<std::uint8_t>("out"), call.integer<int>("width"),
       call.integer<int>("height"), call.integer<int>("radius"));
}
