// Managed variables: one storage under one address for host code and kernels, whatever their type, linkage and initial
// value, and what calls say of them.
#include "check.cuh"

struct Particle {
  int id;
  float position[3];
  Particle* next;
};

__device__ __managed__ int counter = 41;
__managed__ float table[5] = {1, 2, 3};
static __managed__ double quiet = 0.5;
__managed__ Particle first = {1, {1, 2, 3}, nullptr};
__managed__ Particle second = {2, {4, 5, 6}, nullptr};
__managed__ int zeros[1 << 20];
__managed__ int* found;
__device__ int plain = 7;

namespace inner {
__managed__ short narrow = -3;
}

__host__ __device__ int doubled() { return 2 * counter; }

__global__ void change() {
  static __managed__ int launches = 10;
  ++launches;
  counter = doubled() + launches;
  for (float& element : table) element *= 2;
  quiet += plain;
  first.next = &second;
  second.position[2] = second.next->position[1];
  zeros[(1 << 20) - 1] = inner::narrow;
  found = &counter;
}
__global__ void sum_through_pointers(const Particle* head, int* sum) {
  *sum = 0;
  for (int n = 0; n < 3; ++n, head = head->next) *sum += head->id;
}

const char* name_of(cudaMemoryType type) {
  return type == cudaMemoryTypeManaged ? "managed" : type == cudaMemoryTypeDevice ? "device" : "something else";
}

int main() {
  std::printf("before: %d, %g %g, %g, %d %g, %d, %d\n", counter, table[2], table[4], quiet, first.id,
              second.position[2], zeros[5], inner::narrow);
  second.next = &first;
  change<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  std::printf("after: %d, %g %g, %g, %d %g, %d\n", counter, table[2], table[4], quiet, first.next->id,
              second.position[2], zeros[(1 << 20) - 1]);
  std::printf("the same address on both sides: %d\n", found == &counter);

  counter = 100;
  table[4] = 0.25f;
  change<<<1, 1>>>();
  sum_through_pointers<<<1, 1>>>(&second, &zeros[3]);
  CHECK(cudaDeviceSynchronize());
  std::printf("written by host code: %d, %g; ids in a ring: %d\n", counter, table[4], zeros[3]);

  int number = 5;
  CHECK(cudaMemcpyToSymbol(counter, &number, sizeof number));
  std::printf("copied to the symbol: %d\n", counter);
  float part[2];
  CHECK(cudaMemcpyFromSymbol(part, table, sizeof part, sizeof(float)));
  std::printf("copied from the symbol: %g %g\n", part[0], part[1]);
  CHECK(cudaMemset(zeros, 0, sizeof zeros));
  CHECK(cudaMemcpy(zeros + 1, table, 2 * sizeof(float), cudaMemcpyDefault));
  std::printf("filled and copied by pointer: %d %#x\n", zeros[(1 << 20) - 1], zeros[1]);

  void* address;
  size_t bytes;
  CHECK(cudaGetSymbolAddress(&address, table));
  CHECK(cudaGetSymbolSize(&bytes, table));
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, &table[1]));
  std::printf("%s memory of %zu bytes, symbol at the variable: %d, one pointer for both: %d\n",
              name_of(attributes.type), bytes, address == table, attributes.devicePointer == attributes.hostPointer);
  CHECK(cudaGetSymbolAddress(&address, plain));
  CHECK(cudaPointerGetAttributes(&attributes, address));
  std::printf("a __device__ variable: %s memory\n", name_of(attributes.type));
  return 0;
}
