// A submission whose constructor prints a pass and ends the process before anything ran.
#include <cstddef>
#include <cstdio>
#include <cstdlib>

void copies(const float* a, float* b, std::size_t n);

#include "harness/worker/entry.h"
LANEWISE_TASK(copies) { copies(call.input<float>("a"), call.output<float>("b"), call.integer<std::size_t>("n")); }

void copies(const float* /*a*/, float* b, std::size_t /*n*/) { *b = 0; }

namespace {
struct Early {
  Early() {
    std::puts("PASS 100/100");
    std::exit(0);
  }
};
const Early kEarly;
}  // namespace
