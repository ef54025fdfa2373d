// Cooperative groups and asynchronous copies: groups of every size that reduce, scan, part and meet; grids that wait
// for each other; tiles that are fetched while others are worked on.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>

#include <algorithm>

#include "library_check.cuh"

// Barriers in shared memory are begun by init() or placement new, not by their constructors.
#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;

namespace {

constexpr int kThreads = 128;

// --- groups within a block ---

/// Sums, inclusive maxima and exclusive sums of tiles of `Size` threads.
template <int Size>
__global__ void tiles(const int* in, int* sums, int* maxima, int* before) {
  const auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
  const int i = threadIdx.x;
  sums[i] = cg::reduce(tile, in[i], cg::plus<int>());
  maxima[i] = cg::inclusive_scan(tile, in[i], cg::greater<int>());
  before[i] = cg::exclusive_scan(tile, in[i]);
}

template <int Size>
void check_tiles(const std::vector<int>& values) {
  const DeviceArray<int> in(values), sums(kThreads), maxima(kThreads), before(kThreads);
  tiles<Size><<<1, kThreads>>>(in.data(), sums.data(), maxima.data(), before.data());
  CHECK(cudaGetLastError());
  std::vector<int> expected_sums(kThreads), expected_maxima(kThreads), expected_before(kThreads);
  for (int t = 0; t < kThreads; t += Size) {
    int sum = 0, maximum = values[t];
    for (int i = t; i < t + Size; ++i) {
      expected_before[i] = sum;
      sum += values[i];
      expected_maxima[i] = maximum = std::max(maximum, values[i]);
    }
    std::fill_n(expected_sums.begin() + t, Size, sum);
  }
  verdict("tile reduce", Size, sums.values(), expected_sums);
  verdict("tile inclusive scan", Size, maxima.values(), expected_maxima);
  verdict("tile exclusive scan", Size, before.values(), expected_before);
}

/// A tile of two warps communicates through shared memory.
__global__ void wide_tiles(const int* in, int* sums) {
  __shared__ cg::block_tile_memory<kThreads> scratch;
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block(scratch));
  sums[threadIdx.x] = cg::reduce(tile, in[threadIdx.x], cg::plus<int>()) + tile.shfl(in[threadIdx.x], 40);
}

/// Whoever takes a branch is a group; whoever has the same label; whoever says yes.
__global__ void irregular_groups(const int* in, int* out, int* counter) {
  const int i = threadIdx.x, value = in[i];
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int result = 0;
  if (value % 3 == 0) {
    const cg::coalesced_group active = cg::coalesced_threads();
    int base = 0;
    if (active.thread_rank() == 0) base = atomicAdd(counter, static_cast<int>(active.size()));
    result = active.shfl(base, 0) >= 0 ? cg::reduce(active, value, cg::plus<int>()) : -1;
    result = result * 100 + static_cast<int>(active.thread_rank());
  } else if (value % 3 == 1) {
    const cg::coalesced_group active = cg::coalesced_threads();
    result = cg::inclusive_scan(active, value, cg::bit_xor<int>()) + (active.any(value > 900) ? 5000 : 0);
  }
  const auto same = cg::labeled_partition(warp, value % 5);
  result += 7 * cg::reduce(same, value, cg::less<int>()) + static_cast<int>(same.size());
  const auto agree = cg::binary_partition(warp, value % 7 < 3);
  result += 100000 * static_cast<int>(agree.thread_rank());
  int leaders = 0;
  cg::invoke_one(same, [&] { leaders = 1; });
  out[i] = result;
  out[kThreads + i] = cg::reduce(warp, leaders, cg::plus<int>());
}

void check_groups() {
  const auto values = numbers(kThreads, [](std::uint64_t i) { return static_cast<int>(scrambled(i) % 1000); });
  check_tiles<1>(values);
  check_tiles<2>(values);
  check_tiles<4>(values);
  check_tiles<8>(values);
  check_tiles<16>(values);
  check_tiles<32>(values);

  const DeviceArray<int> in(values), out(2 * kThreads), counter(std::vector<int>{0});
  wide_tiles<<<1, kThreads>>>(in.data(), out.data());
  CHECK(cudaGetLastError());
  std::vector<int> expected(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    const int first = i / 64 * 64;
    expected[i] = values[first + 40];
    for (int j = first; j < first + 64; ++j) expected[i] += values[j];
  }
  verdict("tile reduce", 64, out.first(kThreads), expected);

  irregular_groups<<<1, kThreads>>>(in.data(), out.data(), counter.data());
  CHECK(cudaGetLastError());
  int multiples = 0;
  expected.assign(2 * kThreads, 0);
  for (int first = 0; first < kThreads; first += 32) {
    int sum = 0, rank = 0, folded = 0, seen[2] = {0, 0};
    bool any_large = false, has_label[5] = {};
    int least[5] = {1000, 1000, 1000, 1000, 1000}, size[5] = {};
    for (int i = first; i < first + 32; ++i) {
      const int value = values[i];
      if (value % 3 == 0) sum += value, ++multiples;
      if (value % 3 == 1) any_large |= value > 900;
      least[value % 5] = std::min(least[value % 5], value);
      ++size[value % 5];
      has_label[value % 5] = true;
    }
    for (int i = first; i < first + 32; ++i) {
      const int value = values[i];
      if (value % 3 == 0) expected[i] = sum * 100 + rank++;
      if (value % 3 == 1) expected[i] = (folded ^= value) + (any_large ? 5000 : 0);
      expected[i] += 7 * least[value % 5] + size[value % 5] + 100000 * seen[value % 7 < 3]++;
      expected[kThreads + i] = static_cast<int>(std::count(has_label, has_label + 5, true));
    }
  }
  verdict("coalesced, labelled and binary groups", kThreads, out.values(), expected);
  verdict("one atomic a group", kThreads, counter.value(), multiples);
}

// --- the grid as a group ---

/// Rounds of averaging with neighbours in other blocks; all must have read before anyone writes.
__global__ void grid_rounds(std::uint32_t* values, int rounds) {
  const cg::grid_group grid = cg::this_grid();
  const unsigned n = static_cast<unsigned>(grid.size()), i = static_cast<unsigned>(grid.thread_rank());
  for (int round = 0; round < rounds; ++round) {
    const std::uint32_t sum = values[(i + 1) % n] * 3 + values[(i + n - 129) % n];
    grid.sync();
    values[i] = sum + i;
    auto token = grid.barrier_arrive();
    grid.barrier_wait(std::move(token));
  }
}

void check_grid() {
  constexpr int kBlocks = 9, kRounds = 4, kCount = kBlocks * kThreads;
  auto values = numbers(kCount, [](std::uint64_t i) { return static_cast<std::uint32_t>(scrambled(i)); });
  const DeviceArray<std::uint32_t> d_values(values);
  std::uint32_t* data = d_values.data();
  int rounds = kRounds;
  void* arguments[] = {&data, &rounds};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(&grid_rounds), kBlocks, kThreads, arguments));
  for (int round = 0; round < kRounds; ++round) {
    const auto before = values;
    for (unsigned i = 0; i < kCount; ++i)
      values[i] = before[(i + 1) % kCount] * 3 + before[(i + kCount - 129) % kCount] + i;
  }
  verdict("grid barrier", kCount, d_values.values(), values);
}

// --- asynchronous copies ---

constexpr int kTile = 512;

/// Sums of tiles: each is fetched as one copy of the block.
__global__ void sum_tiles(const int* in, int* sums, int count) {
  __shared__ alignas(16) int tile[2][kTile];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile[0], in, sizeof tile[0]);
  for (int t = 0; t < count; ++t) {
    if (t + 1 < count) {
      cg::memcpy_async(block, tile[(t + 1) % 2], in + (t + 1) * kTile, sizeof tile[0]);
      cg::wait_prior<1>(block);
    } else {
      cg::wait(block);
    }
    int sum = 0;
    for (int i = threadIdx.x; i < kTile; i += kThreads) sum += tile[t % 2][kTile - 1 - i];
    atomicAdd(&sums[t], sum);
    block.sync();
  }
}

/// The same, with a pipeline of two stages that all threads fill and empty.
__global__ void sum_tiles_in_pipeline(const int* in, int* sums, int count) {
  __shared__ alignas(16) int tile[2][kTile];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  const auto fetch = [&](int t) {
    pipeline.producer_acquire();
    if (t < count) cuda::memcpy_async(block, tile[t % 2], in + t * kTile, sizeof tile[0], pipeline);
    pipeline.producer_commit();
  };
  fetch(0);
  for (int t = 0; t < count; ++t) {
    fetch(t + 1);
    pipeline.consumer_wait();
    int sum = 0;
    for (int i = threadIdx.x; i < kTile; i += kThreads) sum += tile[t % 2][kTile - 1 - i];
    atomicAdd(&sums[t], sum);
    pipeline.consumer_release();
  }
}

/// The same, with one warp that fetches and the others adding up.
__global__ void sum_tiles_by_role(const int* in, int* sums, int count) {
  __shared__ alignas(16) int tile[2][kTile];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cg::this_thread_block();
  const auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipeline = cuda::make_pipeline(block, &state, role);
  if (role == cuda::pipeline_role::producer) {
    for (int t = 0; t < count; ++t) {
      pipeline.producer_acquire();
      for (int i = threadIdx.x; i < kTile / 4; i += 32)
        cuda::memcpy_async(&tile[t % 2][4 * i], &in[t * kTile + 4 * i], cuda::aligned_size_t<16>(16), pipeline);
      pipeline.producer_commit();
    }
    return;
  }
  for (int t = 0; t < count; ++t) {
    pipeline.consumer_wait();
    int sum = 0;
    for (int i = threadIdx.x - 32; i < kTile; i += kThreads - 32) sum += tile[t % 2][i];
    atomicAdd(&sums[t], sum);
    pipeline.consumer_release();
  }
}

/// Every thread fetches what it will need itself.
__global__ void sum_tiles_by_thread(const int* in, int* sums, int count) {
  __shared__ alignas(16) int tile[2][kThreads][4];
  auto pipeline = cuda::make_pipeline();
  const int t = threadIdx.x;
  const auto fetch = [&](int stage) {
    pipeline.producer_acquire();
    if (stage < count)
      cuda::memcpy_async(reinterpret_cast<int4*>(tile[stage % 2][t]),
                         reinterpret_cast<const int4*>(in + stage * kTile + 4 * t), sizeof(int4), pipeline);
    pipeline.producer_commit();
  };
  fetch(0);
  for (int stage = 0; stage < count; ++stage) {
    fetch(stage + 1);
    cuda::pipeline_consumer_wait_prior<1>(pipeline);
    const int(&own)[4] = tile[stage % 2][t];
    atomicAdd(&sums[stage], own[0] + own[1] + own[2] + own[3]);
    pipeline.consumer_release();
  }
}

using Barrier = cuda::barrier<cuda::thread_scope_block>;

/// A barrier tells when a copy is done that all threads make together; which instructions make it is for the library to
/// choose by what is known of the alignment.
template <class Size>
__global__ void sum_tiles_behind_barrier(const int* in, int* sums, int count) {
  __shared__ alignas(16) int tile[kTile];
  __shared__ Barrier barrier;
  const auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&barrier, kThreads);
  block.sync();
  for (int t = 0; t < count; ++t) {
    cuda::memcpy_async(block, tile, in + t * kTile, Size(sizeof tile), barrier);
    barrier.arrive_and_wait();
    int sum = 0;
    for (int i = threadIdx.x; i < kTile; i += kThreads) sum += tile[kTile - 1 - i];
    atomicAdd(&sums[t], sum);
    barrier.wait(barrier.arrive());  // before the tile is overwritten
  }
}

/// One thread has tiles fetched in bulk, all wait for the bytes, and double tiles go back in bulk.
__global__ void double_in_bulk(const int* in, int* out, int* sums, int count) {
  __shared__ alignas(128) int tile[kTile];
  __shared__ Barrier barrier;
  const bool leads = threadIdx.x == 0;
  if (leads) {
    init(&barrier, kThreads);
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
  }
  __syncthreads();
  for (int t = 0; t < count; ++t) {
    Barrier::arrival_token token;
    if (leads) {
      cuda::device::memcpy_async_tx(tile, in + t * kTile, cuda::aligned_size_t<16>(sizeof tile), barrier);
      token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof tile);
    } else {
      token = barrier.arrive();
    }
    barrier.wait(std::move(token));
    int sum = 0;
    for (int i = threadIdx.x; i < kTile; i += kThreads) sum += tile[i] *= 2;
    atomicAdd(&sums[t], sum / 2);
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    __syncthreads();
    if (leads) {
      cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, out + t * kTile, tile, sizeof tile);
      cuda::ptx::cp_async_bulk_commit_group();
      cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
    }
    __syncthreads();
  }
}

/// Tiles in turn: a warp's elected lane fetches, parities tell the phases apart.
__global__ void sum_tiles_by_parity(const int* in, int* sums, int count) {
  __shared__ alignas(128) int tile[2][kTile];
  __shared__ std::uint64_t full[2], empty[2];
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < 2; ++stage) {
      cuda::ptx::mbarrier_init(&full[stage], 1);
      cuda::ptx::mbarrier_init(&empty[stage], kThreads - 32);
    }
    cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    unsigned elected;
    asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xFFFFFFFF;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(elected));
    for (int t = 0; elected != 0 && t < count; ++t) {
      while (!cuda::ptx::mbarrier_try_wait_parity(&empty[t % 2], (t / 2 + 1) % 2)) {
      }
      cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared,
                                           &full[t % 2], sizeof tile[0]);
      for (int half = 0; half < 2; ++half)
        cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, tile[t % 2] + half * kTile / 2,
                                 in + t * kTile + half * kTile / 2, sizeof tile[0] / 2, &full[t % 2]);
    }
    return;
  }
  for (int t = 0; t < count; ++t) {
    while (!cuda::ptx::mbarrier_try_wait_parity(&full[t % 2], t / 2 % 2)) {
    }
    int sum = 0;
    for (int i = threadIdx.x - 32; i < kTile; i += kThreads - 32) sum += tile[t % 2][i];
    atomicAdd(&sums[t], sum);
    cuda::ptx::mbarrier_arrive(&empty[t % 2]);
  }
}

void check_copies() {
  constexpr int kTiles = 7;
  const auto values = numbers(kTiles * kTile, [](std::uint64_t i) { return static_cast<int>(scrambled(i) % 1000000); });
  std::vector<int> expected(kTiles), doubled(values);
  for (int i = 0; i < kTiles * kTile; ++i) expected[i / kTile] += values[i], doubled[i] *= 2;
  const DeviceArray<int> in(values), out(values.size());
  const auto check = [&](const char* what, auto launch) {
    const DeviceArray<int> sums(std::vector<int>(kTiles, 0));
    launch(sums.data());
    CHECK(cudaGetLastError());
    verdict(what, values.size(), sums.values(), expected);
  };
  check("memcpy_async of a block", [&](int* sums) { sum_tiles<<<1, kThreads>>>(in.data(), sums, kTiles); });
  check("pipeline of a block", [&](int* sums) { sum_tiles_in_pipeline<<<1, kThreads>>>(in.data(), sums, kTiles); });
  check("pipeline with roles", [&](int* sums) { sum_tiles_by_role<<<1, kThreads>>>(in.data(), sums, kTiles); });
  check("pipeline of a thread", [&](int* sums) { sum_tiles_by_thread<<<1, kThreads>>>(in.data(), sums, kTiles); });
  check("memcpy_async with a barrier",
        [&](int* sums) { sum_tiles_behind_barrier<size_t><<<1, kThreads>>>(in.data(), sums, kTiles); });
  check("aligned memcpy_async with a barrier", [&](int* sums) {
    sum_tiles_behind_barrier<cuda::aligned_size_t<16>><<<1, kThreads>>>(in.data(), sums, kTiles);
  });
  check("bulk copies", [&](int* sums) { double_in_bulk<<<1, kThreads>>>(in.data(), out.data(), sums, kTiles); });
  verdict("bulk copies back", values.size(), out.values(), doubled);
  check("bulk copies by parity", [&](int* sums) { sum_tiles_by_parity<<<1, kThreads>>>(in.data(), sums, kTiles); });
}

}  // namespace

int main() {
  check_groups();
  check_grid();
  check_copies();
  return 0;
}
