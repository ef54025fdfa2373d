// A program of several files that call each other's device code and use each other's variables, built with -rdc=true;
// two of them are in a static library.
#include "../check.cuh"
#include "geometry.cuh"
#include "tables.cuh"

namespace {

__device__ int stamps = 300;
__device__ __noinline__ int stamp(int i) { return i * 3 + atomicAdd(&stamps, 1); }

__global__ void write_stamp(int* out) {
  out[0] = stamp(1);
  printf("main: %d\n", out[0]);
}

__global__ void areas(float* out) {
  const Square square(static_cast<float>(threadIdx.x));
  const Shape shape(7);
  const Shape* const shapes[2] = {&square, &shape};
  out[threadIdx.x] = shapes[threadIdx.x % 2]->area();
}

__global__ void transform(float* out) {
  const float x = static_cast<float>(threadIdx.x);
  out[threadIdx.x] = transforms[threadIdx.x % 3](x);
  atomicAdd(&visits, 100);
}

__global__ void sums(float* out) {
  extern __shared__ float dynamic[];
  if (threadIdx.x == 0) dynamic[0] = 0.5f;
  __syncthreads();
  const float sum = block_sum(static_cast<float>(threadIdx.x));
  if (threadIdx.x == 1) out[0] = sum + first_of_dynamic_shared();
}

__global__ void tickets(int* out) { out[threadIdx.x] = ticket() >= 0 ? 1 : 0; }

}  // namespace

template <class T>
void show(const char* name, const T* values, int count) {
  std::printf("%s:", name);
  for (int i = 0; i < count; ++i) std::printf(" %g", static_cast<double>(values[i]));
  std::printf("\n");
}

int main() {
  float* numbers = nullptr;
  int* integers = nullptr;
  CHECK(cudaMallocManaged(&numbers, 64 * sizeof(float)));
  CHECK(cudaMallocManaged(&integers, 64 * sizeof(int)));

  areas<<<1, 6>>>(numbers);
  CHECK(cudaDeviceSynchronize());
  show("areas", numbers, 6);

  transform<<<1, 9>>>(numbers);
  CHECK(cudaDeviceSynchronize());
  show("transforms", numbers, 9);

  // Variables that other files define, by the host.
  const float heavier[4] = {2, 20, 200, 2000};
  CHECK(cudaMemcpyToSymbol(weights, heavier, sizeof heavier));
  scale = 5;
  transform<<<1, 9>>>(numbers);
  CHECK(cudaDeviceSynchronize());
  show("heavier", numbers, 9);
  int seen = 0;
  CHECK(cudaMemcpyFromSymbol(&seen, visits, sizeof seen));
  std::printf("visits: %d\n", seen);

  sums<<<1, 64, sizeof(float)>>>(numbers);
  CHECK(cudaDeviceSynchronize());
  show("sum", numbers, 1);

  tickets<<<1, 32>>>(integers);
  CHECK(cudaDeviceSynchronize());
  show("tickets", integers, 4);

  write_stamp<<<1, 1>>>(integers);
  CHECK(cudaDeviceSynchronize());
  launch_geometry_stamp(integers);
  CHECK(cudaDeviceSynchronize());

  fill_with_seven(integers);
  CHECK(cudaDeviceSynchronize());
  show("seven", integers, 4);
  fill<7><<<1, 4>>>(integers);
  fill<8><<<1, 2>>>(integers);
  CHECK(cudaDeviceSynchronize());
  show("eight", integers, 4);

  CHECK(cudaFree(numbers));
  CHECK(cudaFree(integers));
  return 0;
}
