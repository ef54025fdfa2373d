// Thread block clusters: blocks that wait for each other and use each other's shared memory. A histogram whose bins are
// spread over a cluster, values that go round a ring, a sum, and what the host can ask and is refused.
#include <cooperative_groups.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "check.cuh"

namespace cg = cooperative_groups;

namespace {

constexpr int kThreads = 128;

// --- a histogram with more bins than one block's shared memory has room for ---

__global__ void histogram(const int* values, int count, int* bins, int bins_per_block) {
  extern __shared__ int own_bins[];
  const cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x) own_bins[i] = 0;
  cluster.sync();  // no block may add to bins that are not there yet
  for (int i = cg::this_grid().thread_rank(); i < count; i += cg::this_grid().num_threads()) {
    const int bin = values[i];
    int* const home = cluster.map_shared_rank(own_bins, bin / bins_per_block);
    atomicAdd(home + bin % bins_per_block, 1);
  }
  cluster.sync();  // nor end while others add to its own
  int* const share = bins + cluster.block_rank() * bins_per_block;
  for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x) atomicAdd(share + i, own_bins[i]);
}

cudaLaunchConfig_t configuration(int blocks, int cluster, size_t shared, cudaLaunchAttribute* attribute) {
  attribute->id = cudaLaunchAttributeClusterDimension;
  attribute->val.clusterDim.x = cluster;
  attribute->val.clusterDim.y = attribute->val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(kThreads);
  config.dynamicSmemBytes = shared;
  config.attrs = attribute;
  config.numAttrs = 1;
  return config;
}

void check_histogram() {
  constexpr int kCount = 10'000, kBins = 240;
  std::vector<int> values(kCount), expected(kBins), got(kBins);
  for (int i = 0; i < kCount; ++i) values[i] = static_cast<int>(i * 2654435761u >> 16) % kBins, ++expected[values[i]];
  int *d_values, *d_bins;
  CHECK(cudaMalloc(&d_values, kCount * sizeof(int)));
  CHECK(cudaMalloc(&d_bins, kBins * sizeof(int)));
  CHECK(cudaMemcpy(d_values, values.data(), kCount * sizeof(int), cudaMemcpyHostToDevice));
  for (const int size : {1, 2, 4, 8}) {
    CHECK(cudaMemset(d_bins, 0, kBins * sizeof(int)));
    cudaLaunchAttribute attribute{};
    const cudaLaunchConfig_t config = configuration(16, size, kBins / size * sizeof(int), &attribute);
    CHECK(cudaLaunchKernelEx(&config, histogram, static_cast<const int*>(d_values), kCount, d_bins, kBins / size));
    CHECK(cudaMemcpy(got.data(), d_bins, kBins * sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("histogram over clusters of %d: %s\n", size, got == expected ? "right" : "wrong");
  }
  CHECK(cudaFree(d_values));
  CHECK(cudaFree(d_bins));
}

// --- each block hands what it has to the next, until everything has been everywhere ---

__global__ void __cluster_dims__(2, 2) ring(int* out) {
  __shared__ int held[2][kThreads];
  const cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x, size = cluster.num_blocks(), rank = cluster.block_rank();
  held[0][t] = 1000 * rank + t;
  int* const next = cluster.map_shared_rank(&held[0][0], (rank + 1) % size);
  int seen = 0;
  for (int step = 0; step < size; ++step) {
    cluster.sync();
    const int value = held[step % 2][t];
    seen = seen * 3 + value;
    next[(step + 1) % 2 * kThreads + t] = value;
  }
  cluster.sync();
  const int block = blockIdx.y * gridDim.x + blockIdx.x;
  out[block * kThreads + t] = seen;
}

void check_ring() {
  const dim3 grid(4, 6);
  constexpr int kBlocks = 24;
  std::vector<int> got(kBlocks * kThreads), expected;
  int* d_out;
  CHECK(cudaMalloc(&d_out, got.size() * sizeof(int)));
  ring<<<grid, kThreads>>>(d_out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(got.data(), d_out, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
  for (int block = 0; block < kBlocks; ++block) {
    const int rank = block % 4 % 2 + 2 * (block / 4 % 2);
    for (int t = 0; t < kThreads; ++t) {
      int seen = 0;
      for (int step = 0; step < 4; ++step) seen = seen * 3 + 1000 * ((rank - step + 4) % 4) + t;
      expected.push_back(seen);
    }
  }
  std::printf("ring of 2 x 2 blocks: %s\n", got == expected ? "right" : "wrong");
  CHECK(cudaFree(d_out));
}

// --- one number for each cluster ---

__global__ void cluster_sum(const int* in, int* sums) {
  __shared__ int block_sum;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) block_sum = 0;
  __syncthreads();
  atomicAdd(&block_sum, in[cg::this_grid().thread_rank()]);
  cluster.sync();
  if (cluster.thread_rank() == 0) {
    int sum = 0;
    for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank) sum += *cluster.map_shared_rank(&block_sum, rank);
    sums[blockIdx.x / cluster.dim_blocks().x] = sum;
  }
  cluster.sync();
}

void check_sums() {
  constexpr int kBlocks = 48;
  std::vector<int> values(kBlocks * kThreads);
  std::iota(values.begin(), values.end(), 1);
  int *d_in, *d_sums;
  CHECK(cudaMalloc(&d_in, values.size() * sizeof(int)));
  CHECK(cudaMalloc(&d_sums, kBlocks * sizeof(int)));
  CHECK(cudaMemcpy(d_in, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaFuncSetAttribute(cluster_sum, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  for (const int size : {1, 3, 8, 16}) {
    cudaLaunchAttribute attribute{};
    const cudaLaunchConfig_t config = configuration(kBlocks, size, 0, &attribute);
    CHECK(cudaLaunchKernelEx(&config, cluster_sum, static_cast<const int*>(d_in), d_sums));
    std::vector<int> got(kBlocks / size), expected(kBlocks / size);
    for (int i = 0; i < kBlocks * kThreads; ++i) expected[i / (size * kThreads)] += values[i];
    CHECK(cudaMemcpy(got.data(), d_sums, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("sums of clusters of %d: %s\n", size, got == expected ? "right" : "wrong");
  }
  CHECK(cudaFuncSetAttribute(cluster_sum, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_sums));
}

// --- whose addresses, and who is where ---

__global__ void __cluster_dims__(4) ranks(int* wrong) {
  __shared__ int mine;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned size = cluster.num_blocks(), rank = cluster.block_rank();
  for (unsigned other = 0; other < size; ++other) {
    int* const theirs = cluster.map_shared_rank(&mine, other);
    if (cluster.query_shared_rank(theirs) != other) atomicAdd(wrong, 1);
    if (__isClusterShared(theirs) == 0 || (__isShared(theirs) != 0) != (other == rank)) atomicAdd(wrong, 1);
  }
  if (rank != blockIdx.x % 4 || cluster.block_index().x != rank || cluster.dim_blocks().x != 4) atomicAdd(wrong, 1);
  if (cluster.thread_rank() != rank * blockDim.x + threadIdx.x || cluster.num_threads() != 4 * blockDim.x)
    atomicAdd(wrong, 1);
  if (cluster.query_shared_rank(&mine) != rank) atomicAdd(wrong, 1);
  // Split: what each block writes before it arrives is there for who has waited.
  mine = 10;
  cluster.barrier_wait(cluster.barrier_arrive());
  if (*cluster.map_shared_rank(&mine, (rank + 1) % size) != 10) atomicAdd(wrong, 1);
  cluster.sync();
}

__global__ void alone(int* out) {
  __shared__ int mine;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) *cluster.map_shared_rank(&mine, 0) = 5;
  cluster.sync();
  if (threadIdx.x == 0) atomicAdd(out, mine + cluster.num_blocks());
}

void check_places() {
  int* d_wrong;
  int wrong = -1;
  CHECK(cudaMalloc(&d_wrong, sizeof(int)));
  CHECK(cudaMemset(d_wrong, 0, sizeof(int)));
  ranks<<<8, 1>>>(d_wrong);
  CHECK(cudaMemcpy(&wrong, d_wrong, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("mistakes about ranks: %d\n", wrong);
  CHECK(cudaMemset(d_wrong, 0, sizeof(int)));
  alone<<<3, 64>>>(d_wrong);
  CHECK(cudaMemcpy(&wrong, d_wrong, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("blocks that are clusters by themselves: %d\n", wrong);
  CHECK(cudaFree(d_wrong));
}

// --- what the host can ask, and launches that are refused ---

void check_host() {
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, ring));
  std::printf("ring requires clusters of %d x %d x %d\n", attributes.requiredClusterWidth,
              attributes.requiredClusterHeight, attributes.requiredClusterDepth);
  std::printf("setting that: %s\n",
              cudaGetErrorName(cudaFuncSetAttribute(ring, cudaFuncAttributeRequiredClusterWidth, 4)));
  cudaLaunchAttribute attribute{};
  cudaLaunchConfig_t config = configuration(48, 4, 0, &attribute);
  int size = 0, clusters = 0;
  CHECK(cudaOccupancyMaxPotentialClusterSize(&size, cluster_sum, &config));
  std::printf("largest cluster: %d\n", size);
  CHECK(cudaOccupancyMaxActiveClusters(&clusters, cluster_sum, &config));
  std::printf("some clusters fit: %s\n", clusters > 0 ? "yes" : "no");
  CHECK(cudaFuncSetAttribute(cluster_sum, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  CHECK(cudaOccupancyMaxPotentialClusterSize(&size, cluster_sum, &config));
  std::printf("largest cluster, if it need not be portable: %d\n", size);
  CHECK(cudaFuncSetAttribute(cluster_sum, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
  config.numAttrs = 0;
  std::printf("clusters of no size: %s\n",
              cudaGetErrorName(cudaOccupancyMaxActiveClusters(&clusters, cluster_sum, &config)));
  cudaGetLastError();
}

}  // namespace

int main() {
  check_histogram();
  check_ring();
  check_sums();
  check_places();
  check_host();
  return 0;
}
