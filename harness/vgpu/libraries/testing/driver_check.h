// Calls of the driver's API whose errors are printed by name.
#pragma once

#include <cuda.h>

#include <cstdio>

/// The name of an error, without what all begin with.
inline const char* name_of(CUresult error) {
  const char* name = nullptr;
  return cuGetErrorName(error, &name) == CUDA_SUCCESS ? name : "no error of this number";
}

#define SHOW(call) std::printf("%s: %s\n", #call, name_of(call))

#define NEED(call)                                                                \
  do {                                                                            \
    const CUresult error_ = (call);                                               \
    if (error_ != CUDA_SUCCESS) {                                                 \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, name_of(error_)); \
      return 1;                                                                   \
    }                                                                             \
  } while (false)
