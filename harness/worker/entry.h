// What a lab's entry.cpp is written with: unpacks the arrays and scalars the worker holds into the contract's call.
//
//   #include "vecadd.cuh"
//   #include "harness/worker/entry.h"
//   LANEWISE_TASK(vec_add_device) {
//     vec_add_device(call.input<float>("a"), call.input<float>("b"), call.output<float>("c"),
//     call.integer<size_t>("n"));
//   }
//
// Linked into submission.so, so it is plain data and inline code: nothing of the harness's comes along with it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {

/// One array as the worker holds it. `data` is a device pointer, or a host pointer for tasks with Space::kHost.
struct LanewiseArray {
  const char* name;
  void* data;
  std::uint64_t bytes;
  std::uint8_t dtype;  ///< lanewise::DType
  std::uint8_t is_output;
};

/// One scalar; integers and reals are both given, the entry takes the one its contract asks for.
struct LanewiseScalar {
  const char* name;
  std::int64_t integer;
  double real;
};

struct LanewiseCall {
  const LanewiseArray* arrays;
  std::uint32_t array_count;
  const LanewiseScalar* scalars;
  std::uint32_t scalar_count;
};

/// Exported as lanewise_task_<function>. `contract` is null when the submission does not define the function.
struct LanewiseTaskEntry {
  void (*invoke)(const LanewiseCall*);
  const void* contract;
};

}  // extern "C"

namespace lanewise {

/// Typed view of a LanewiseCall. A name the lab did not provide is a mistake in the lab: it stops the worker with a
/// sentence.
class Call {
 public:
  explicit Call(const LanewiseCall& raw) : raw_(raw) {}

  template <class T>
  const T* input(const char* name) const {
    return static_cast<const T*>(find(name, 0).data);
  }
  template <class T>
  T* output(const char* name) const {
    return static_cast<T*>(find(name, 1).data);
  }
  template <class T>
  T integer(const char* name) const {
    return static_cast<T>(scalar(name).integer);
  }
  template <class T>
  T real(const char* name) const {
    return static_cast<T>(scalar(name).real);
  }

 private:
  // Not inlined: for each argument of each function anew, that takes compilers longer than all else here.
  __attribute__((noinline)) const LanewiseArray& find(const char* name, int is_output) const {
    for (std::uint32_t i = 0; i < raw_.array_count; ++i)
      if (raw_.arrays[i].is_output == is_output && std::strcmp(raw_.arrays[i].name, name) == 0) return raw_.arrays[i];
    stop(is_output ? "output array" : "input array", name);
  }
  __attribute__((noinline)) const LanewiseScalar& scalar(const char* name) const {
    for (std::uint32_t i = 0; i < raw_.scalar_count; ++i)
      if (std::strcmp(raw_.scalars[i].name, name) == 0) return raw_.scalars[i];
    stop("scalar", name);
  }
  [[noreturn]] static void stop(const char* what, const char* name) {
    std::fprintf(stderr, "lanewise: entry.cpp asks for the %s '%s', which lab.cpp does not provide\n", what, name);
    std::abort();
  }

  const LanewiseCall& raw_;
};

}  // namespace lanewise

/// Defines the entry of the contract's `function`; the body that follows sees `call`. The contract is referred to
/// weakly, so a submission may define one task of a lab and not the others.
#define LANEWISE_TASK(function)                                                                          \
  decltype(function) function __attribute__((weak));                                                     \
  static void lanewise_invoke_##function(const lanewise::Call& call);                                    \
  static void lanewise_unpack_##function(const LanewiseCall* raw) {                                      \
    lanewise_invoke_##function(lanewise::Call(*raw));                                                    \
  }                                                                                                      \
  extern "C" __attribute__((visibility("default"))) const LanewiseTaskEntry lanewise_task_##function = { \
      &lanewise_unpack_##function, reinterpret_cast<const void*>(&function)};                            \
  static void lanewise_invoke_##function([[maybe_unused]] const lanewise::Call& call)
