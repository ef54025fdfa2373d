// Step 1 of merge_sort: one merge per level, one launch per level, a search for every key.
// Idea      single keys are sorted runs of length 1. Each level merges neighbouring runs in pairs, so that runs double
//           until one is left. A key finds its place in the merged pair on its own: its index in its own run, plus the
//           number of keys before it in the partner run, which a binary search counts.
// Gain      the yardstick of the ladder, 120 ms for 2^28 keys on an H200. Every level has work for n threads, however
//           long its runs are; with one thread per pair of runs, the last level, as long as any other, would be left to
//           a single thread.
// Traffic   8 bytes per key and level, and there are log2 n levels: 28 for 2^28 keys, which makes 224 bytes per key.
// Wastes    almost everything: 28 trips through memory, and in each of them up to 28 dependent probes per key.
//           Counters: kernels, sectors of global loads, warp instructions.

#include "merge_sort.cuh"

namespace {

constexpr int kThreadsPerBlock = 256;
static_assert(kThreadsPerBlock % 32 == 0, "a block is made of whole warps of 32 threads");

// Of equal keys, those of the left run come first. So a key of the left run goes after those of the right run that are
// less, and a key of the right run after those of the left run that are less or equal. With the same comparison on both
// sides, two keys would get one place.
enum class Ties { kNotCounted, kCounted };

// Number of keys that are less than `key` (or equal to it, if those are counted).
template <Ties kTies>
__device__ std::size_t count_before(std::int32_t key, const std::int32_t* keys, std::size_t count) {
  std::size_t low = 0;
  std::size_t high = count;
  while (low < high) {  // the answer is in [low, high]
    const std::size_t middle = low + (high - low) / 2;
    const bool is_before = kTies == Ties::kCounted ? keys[middle] <= key : keys[middle] < key;
    if (is_before)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Merges runs of 2^level keys in pairs. The last run may be shorter, and may have no partner: it is then merged with
// nothing, which copies it.
__global__ void merge_level(const std::int32_t* in, std::int32_t* out, std::size_t n, int level) {
  const std::size_t k = std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;
  if (k >= n) return;
  const std::size_t run = k >> level;                      // number of the key's own run
  const std::size_t own = run << level;                    // where it begins
  const std::size_t partner = min((run ^ 1) << level, n);  // n: there is none
  const std::size_t partner_end = min(((run ^ 1) + 1) << level, n);
  const std::size_t pair = (run & ~std::size_t{1}) << level;  // where the merged run begins
  const std::size_t count = partner_end - partner;            // 0 ... 2^level
  const std::size_t before = run % 2 == 0 ? count_before<Ties::kNotCounted>(in[k], in + partner, count)
                                          : count_before<Ties::kCounted>(in[k], in + partner, count);
  out[pair + (k - own) + before] = in[k];
}

}  // namespace

void merge_sort(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  if (n == 0) return;  // a grid of no blocks is an error
  int levels = 0;
  while (std::size_t{1} << levels < n) ++levels;
  if (levels == 0) CHECK(cudaMemcpyAsync(d_out, d_in, sizeof(std::int32_t), cudaMemcpyDeviceToDevice));  // one key
  pool::Scratch<std::int32_t> d_scratch;
  if (levels > 1) {
    CHECK(pool::keep_freed_memory());
    CHECK(d_scratch.allocate(n));
  }
  const std::size_t blocks = (n + kThreadsPerBlock - 1) / kThreadsPerBlock;
  const std::int32_t* d_from = d_in;
  for (int level = 0; level < levels; ++level) {
    // The last level writes to d_out, the one before it to the scratch memory, and so on, alternating.
    std::int32_t* d_to = (levels - 1 - level) % 2 == 0 ? d_out : d_scratch.get();
    merge_level<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_from, d_to, n, level);
    CHECK(cudaGetLastError());
    d_from = d_to;
  }
}
