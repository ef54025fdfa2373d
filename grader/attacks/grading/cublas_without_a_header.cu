// expect: vec_add_device: refused by audit
// tries: to call a library that the task forbids, by declaring it itself
// says: uses the library cublas (cublasCreate_v2)
// What is linked against is seen in the object.

#include "vecadd.cuh"

extern "C" int cublasCreate_v2(void** handle);
extern "C" int cublasSaxpy_v2(void* handle, int n, const float* alpha, const float* x, int dx, float* y, int dy);

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  void* handle = nullptr;
  const float one = 1;
  cudaMemcpy(d_c, d_a, n * sizeof(float), cudaMemcpyDeviceToDevice);
  cublasCreate_v2(&handle);
  cublasSaxpy_v2(handle, static_cast<int>(n), &one, d_b, 1, d_c, 1);
}
