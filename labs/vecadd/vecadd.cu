// Lab vecadd: add two vectors on the GPU. This is the only file you edit. README.md is the handout; vecadd.cuh
// specifies exactly what each function must do.
//
//   make check LAB=vecadd          builds this file, runs it on many sizes, and reports what is wrong and where
//
// The two tasks are graded separately. Start with vec_add_device: it is the smaller half.
#include "vecadd.cuh"

// ---------------------------------------------------------------------------------------------------------------------
// The kernel: what ONE thread does. The loop `for (i = 0; i < n; ++i)` of the sequential program is gone: as
// many threads as there are elements replace it, and each of them asks "which element is mine?"
__global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  // TODO 1  Compute the index of this thread's element from blockIdx.x, blockDim.x and threadIdx.x.
  //         (The first factor of the product is a 32-bit number: make it a std::size_t before multiplying.)
  // TODO 2  The last block is rarely full: threads whose index is n or more must do nothing.
  // TODO 3  Add.
}

// ---------------------------------------------------------------------------------------------------------------------
// Task vec_add_device: the vectors are already in device memory. Launch the kernel.
void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  // Not implemented yet: as it stands, this launches nothing and leaves d_c as it was.
  //
  // TODO 1  With n == 0 there is nothing to launch: a grid of no blocks is an error.
  // TODO 2  Choose the number of threads per block (256 is a good choice) and compute how many blocks cover n elements.
  //         Integer division rounds down; you need to round up.
  // TODO 3  Launch:  add_kernel<<<blocks, threads_per_block>>>(d_a, d_b, d_c, n);
  // TODO 4  A launch returns no status. Ask for it:  CHECK(cudaGetLastError());
}

// ---------------------------------------------------------------------------------------------------------------------
// Task vec_add: the vectors are in host memory. There are six steps, of one to three calls each.
void vec_add(const float* a_h, const float* b_h, float* c_h, int n) {
  // Not implemented yet: as it stands, this copies nothing and leaves c_h as it was.
  //
  // TODO 1  How many BYTES is one vector? cudaMalloc and cudaMemcpy count bytes, not elements.
  // TODO 2  cudaMalloc three device arrays. Name them d_a, d_b and d_c, so that you can tell them from the host arrays.
  // TODO 3  cudaMemcpy a_h and b_h to the device (cudaMemcpyHostToDevice; the destination comes first).
  // TODO 4  Compute: call vec_add_device, once you have written it.
  // TODO 5  cudaMemcpy the result back to c_h (cudaMemcpyDeviceToHost). This call waits for the kernel.
  // TODO 6  cudaFree all three.
}
