// What geometry.cu, a file of the static library, offers to device code in other files.
#pragma once

struct Shape {
  __device__ explicit Shape(float size);
  __device__ virtual ~Shape();
  __device__ virtual float area() const;
  float size;
};

struct Square : Shape {
  __device__ explicit Square(float size);
  __device__ float area() const override;
};

using Transform = float (*)(float);
extern __device__ Transform transforms[3];

/// Of all files together: an inline function is one function, and so is its variable.
__device__ inline int ticket() {
  static __device__ int next;
  return atomicAdd(&next, 1);
}

/// Sums over a block by way of shared memory that only geometry.cu knows; `dynamic` is the caller's.
__device__ float block_sum(float value);
__device__ float first_of_dynamic_shared();

/// Kernels that only their file knows may have the same name.
void launch_geometry_stamp(int* out);
