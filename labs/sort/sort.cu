// Lab sort: the same keys, in ascending order. This is the only file you edit. README.md is the handout, sort.cuh says
// exactly what each function must do.
//
//   make check LAB=sort            builds this file, runs it on many arrays, and says what is wrong and where
//
// The two tasks are graded apart.
#include "sort.cuh"

#include <cstdio>

// Every CUDA function returns a status, and a status nobody looks at is a bug that shows up somewhere else. Wrap each
// call: CHECK(cudaMalloc(...)). On an error it says where and why, and leaves the function it stands in.
#define CHECK(call)                                                                                   \
  do {                                                                                                \
    const cudaError_t status = (call);                                                                \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      return;                                                                                         \
    }                                                                                                 \
  } while (false)

// ---------------------------------------------------------------------------------------------------------------------
// Task radix_sort.
void radix_sort(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n) {
  // Not implemented yet: as it stands this launches nothing and leaves d_out as it was.
}

// ---------------------------------------------------------------------------------------------------------------------
// Task merge_sort.
void merge_sort(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  // Not implemented yet: as it stands this launches nothing and leaves d_out as it was.
}
