// Functions that the virtual GPU has itself: printf, malloc, free, what assert calls, and how kernels decide for
// graphs. CUDA C++ Programming Guide, "Formatted Output", "Dynamic Global Memory Allocation", "Assertion" and
// "Conditional Graph Nodes".
#pragma once

extern "C" {
__device__ int vprintf(const char* format, const char* arguments);
__device__ int printf(const char* format, ...);
__device__ void free(void* pointer) __attribute__((nothrow));
__device__ void* malloc(size_t bytes) __attribute__((nothrow, malloc));
__device__ void __assertfail(const char* condition, const char* file, unsigned int line, const char* function,
                             size_t character_bytes);
__device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);
__device__ static inline void __assert_fail(const char* condition, const char* file, unsigned int line,
                                            const char* function) {
  __assertfail(condition, file, line, function, sizeof(char));
}
}

namespace std {
__device__ static inline void free(void* pointer) { ::free(pointer); }
__device__ static inline void* malloc(size_t bytes) { return ::malloc(bytes); }
}  // namespace std

// threadIdx, blockIdx, blockDim and gridDim converted to a struct: clang declares this, and does not define it.
#define LANEWISE_WHOLE(type)                                              \
  __device__ inline type::operator dim3() const { return dim3(x, y, z); } \
  __device__ inline type::operator uint3() const { return {x, y, z}; }
LANEWISE_WHOLE(__cuda_builtin_threadIdx_t)
LANEWISE_WHOLE(__cuda_builtin_blockIdx_t)
LANEWISE_WHOLE(__cuda_builtin_blockDim_t)
LANEWISE_WHOLE(__cuda_builtin_gridDim_t)
#undef LANEWISE_WHOLE

// What clang calls for <<< >>>.
extern "C" unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                                    cudaStream_t stream = 0);
