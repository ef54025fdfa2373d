// tries: to keep the compiler busy for ever, and take all of the memory
// outcome: compile error: out of memory

template <class Left, class Right>
struct Pair {};

// Twice as many types a level, no two of them alike.
template <class Seed, int kLevels>
struct Tree {
  using Left = typename Tree<Pair<Seed, char>, kLevels - 1>::Type;
  using Right = typename Tree<Pair<char, Seed>, kLevels - 1>::Type;
  using Type = Pair<Left, Right>;
};

template <class Seed>
struct Tree<Seed, 0> {
  using Type = Seed;
};

static_assert(sizeof(Tree<int, 40>::Type) == 1, "a tree has leaves");

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
