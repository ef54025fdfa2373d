// Error checking for the test programs: says what failed and ends the program.
#pragma once

#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                        \
  do {                                                                                     \
    const cudaError_t error_ = (call);                                                     \
    if (error_ != cudaSuccess) {                                                           \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(error_)); \
      std::exit(1);                                                                        \
    }                                                                                      \
  } while (0)

/// Sixteen hexadecimal digits that stand for all the bytes (FNV-1a), so that large results fit on a line.
inline unsigned long long digest(const void* data, size_t bytes) {
  unsigned long long hash = 14695981039346656037ull;
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211ull;
  return hash;
}
