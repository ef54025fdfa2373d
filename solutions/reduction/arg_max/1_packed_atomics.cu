// Step 1 of arg_max: value and index packed into one number, and an atomic maximum for each element.
// Idea      the greatest value and its index have to change together, and an atomic operation changes one number. So
//           make one number of both: the value in the high half, and the index below, complemented, so that of equal
//           values the lesser index wins.
// Gain      correct, in whatever order the threads come. The yardstick of the ladder.
// Traffic   4 bytes read per element, and an atomic operation on 8 bytes for each.
// Wastes    one address absorbs all n operations: 2^28 elements take 197 ms on an H200.
#include "reduction.cuh"

namespace {

constexpr int kThreadsPerBlock = 256;
static_assert(kThreadsPerBlock % 32 == 0, "a block is made of whole warps of 32 threads");
static_assert((kMaxElements + kThreadsPerBlock - 1) / kThreadsPerBlock < std::size_t{1} << 31,
              "a grid has fewer than 2^31 blocks in x");
static_assert(kMaxElements <= std::size_t{1} << 32, "an index fits 32 bits");

using Key = unsigned long long;  // the type that atomicMax takes

// An element and its index as one number. Of two such numbers, the greater one has the greater element, or an equal one
// and the lesser index.
__device__ Key key_of(std::int32_t value, std::size_t index) {
  const std::uint32_t ordered = static_cast<std::uint32_t>(value) ^ 0x80000000u;  // negative ones come first
  return Key{ordered} << 32 | static_cast<std::uint32_t>(~index);
}
__device__ std::int64_t index_of(Key key) { return static_cast<std::int64_t>(~static_cast<std::uint32_t>(key)); }

__global__ void max_kernel(const std::int32_t* x, std::size_t n, Key* greatest) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;  // 0 ... n - 1, and idle beyond
  if (i < n) atomicMax(greatest, key_of(x[i], i));
}

// d_index holds the greatest key; what remains to be done is to take the index out of it.
__global__ void unpack_kernel(std::int64_t* index) { *index = index_of(static_cast<Key>(*index)); }

}  // namespace

void arg_max(const std::int32_t* d_x, std::size_t n, std::int64_t* d_index) {
  if (n == 0) {
    CHECK(cudaMemsetAsync(d_index, 0xff, sizeof(std::int64_t)));  // all bits set: -1
    return;
  }
  CHECK(cudaMemsetAsync(d_index, 0, sizeof(std::int64_t)));  // no key is less
  const std::size_t blocks = (n + kThreadsPerBlock - 1) / kThreadsPerBlock;
  max_kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_x, n, reinterpret_cast<Key*>(d_index));
  CHECK(cudaGetLastError());
  unpack_kernel<<<1, 1>>>(d_index);
  CHECK(cudaGetLastError());
}
