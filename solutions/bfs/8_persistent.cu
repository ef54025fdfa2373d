// Step 8 of bfs: one kernel for the entire search.
// Idea      as many blocks as the device runs at once stay resident until the search is over. Between levels they wait
//           for one another (a grid-wide barrier, which needs a cooperative launch), and every thread decides what the
//           host decided before: whether there is a next level, and whether to push or pull.
// Leap      the five kernels of step 7 become functions of one kernel, so all of them get other parameters and lose
//           their launches. What they do is the same; new are the loop over the levels and the barriers of the grid.
// Gain      x 4.8 over step 7 on an H200 on the map: 33 ms, 4.6 microseconds per level instead of 22, because a barrier
//           replaces launches and a copy to the host. Counter: kernels launched. And x 3.1 on the social network
//           (0.51 ms), where seven round trips are at most 0.2 of the 1.1 ms saved: the rest is probably due to blocks
//           that add up what they find before they publish it. Counter: turns of global atomics (`skewed`). Over step 1
//           that is x 13 and x 172.
// Traffic   as in step 7, and a few words per block and level.
// Wastes    all warps take part in every level, even those that find nothing to do there: warp instructions. And a
//           level is a chain of six or seven dependent accesses and a barrier, even for a frontier of one vertex.
// Source    as in step 7.
#include "bfs.cuh"

#include <cooperative_groups.h>

#include <algorithm>
#include <cuda/atomic>

namespace {

namespace cg = cooperative_groups;

constexpr int kWarp = 32;
constexpr int kThreadsPerBlock = 1024;  // few blocks make a fast barrier
constexpr int kWarps = kThreadsPerBlock / kWarp;
constexpr int kPieceEdges = 64;  // of a list that stay together
constexpr int kQueueItems = 96;  // of a warp: 24 KiB a block
static_assert(kThreadsPerBlock % kWarp == 0, "a block is made of whole warps of 32 threads");
static_assert(kQueueItems >= 2 * kWarp, "a queue that has no room for a whole warp's finds is emptied first");
static_assert(kWarps * kQueueItems * 8 <= 47 * 1024, "the queues of a block fit 48 KiB of static shared memory");

// Pull when the frontier has more edges than the one before, more than 1/15 of the unexplored ones, and enough of them
// to pay for reading all distances; push again when it no longer grows and has at most 1/18 of all vertices.
constexpr int kPullShare = 15;
constexpr int kPushShare = 18;

constexpr unsigned kAllLanes = 0xFFFFFFFFu;
__device__ int lane_id() { return static_cast<int>(threadIdx.x) % kWarp; }

// Some threads read a distance while others set it, so such words are read and written atomically. Relaxed order is
// enough, since no thread infers anything about other memory from them.
using Word = cuda::atomic_ref<std::int32_t, cuda::thread_scope_device>;
__device__ std::int32_t read_word(std::int32_t& word) { return Word(word).load(cuda::memory_order_relaxed); }

// Consecutive edges of one vertex. The vertex itself is no longer needed: its distance is set.
struct alignas(8) Piece {
  std::int32_t first;  // edge
  std::int32_t count;  // 0 ... kPieceEdges
};

// Totals of a frontier, added up by the blocks that find it.
struct Found {
  std::int32_t vertices;
  std::int32_t edges;  // in their lists
};

constexpr int kTurns = 3;  // levels whose counters are in use: the one at work, the one being found, one to be cleared

struct Search {
  const std::int32_t* row_offsets;
  const std::int32_t* columns;
  int num_vertices;
  int num_edges;
  int source;
  std::int32_t* distance;
  Piece* pieces[2];            // of the frontier and of the next one, which change places after every level
  unsigned* bits[2];           // likewise
  Found* found;                // kTurns
  std::int32_t* piece_counts;  // kTurns
};

// What a block has found and not yet published.
struct BlockSums {
  std::int32_t vertices;
  std::int32_t edges;
  std::int32_t pieces;  // that are left in the queues of its warps
  std::int32_t first;   // where these go
};

// What a warp has found and not yet published: a private queue in shared memory. All lanes call every function.
class WarpQueue {
 public:
  __device__ WarpQueue(Piece* items, Piece* next, std::int32_t* next_size)
      : items_(items), next_(next), next_size_(next_size) {}

  __device__ void push(bool has_one, Piece piece) {
    const unsigned with_one = __ballot_sync(kAllLanes, has_one);
    if (has_one) items_[count_ + __popc(with_one & ((1u << lane_id()) - 1))] = piece;
    count_ += __popc(with_one);
    if (count_ > kQueueItems - kWarp) empty();
  }

  // One addition to the common counter for everything that the queue holds.
  __device__ void empty() {
    std::int32_t first = 0;
    if (lane_id() == 0 && count_ > 0) first = atomicAdd(next_size_, count_);
    first = __shfl_sync(kAllLanes, first, 0);
    __syncwarp();  // the items are there
    copy_to(first);
  }

  // The same for all warps of the block together. It contains barriers.
  __device__ void empty_together(BlockSums& sums) {
    std::int32_t mine = 0;
    if (lane_id() == 0 && count_ > 0) mine = atomicAdd(&sums.pieces, count_);
    __syncthreads();  // the sum is complete
    if (threadIdx.x == 0) {
      const std::int32_t all = sums.pieces;
      if (all > 0) sums.first = atomicAdd(next_size_, all);
      sums.pieces = 0;
    }
    __syncthreads();  // `first` is known
    copy_to(sums.first + __shfl_sync(kAllLanes, mine, 0));
  }

 private:
  __device__ void copy_to(std::int32_t first) {
    for (int x = lane_id(); x < count_; x += kWarp) next_[first + x] = items_[x];
    __syncwarp();  // their places are free
    count_ = 0;
  }

  Piece* items_;  // kQueueItems
  Piece* next_;
  std::int32_t* next_size_;
  int count_ = 0;  // the same in all lanes
};

// Queues the lists of the lanes that have found a vertex, long ones in pieces, which all lanes write together, list by
// list. A vertex with a single edge has been found along it, and has no other neighbour to find.
__device__ void push_lists(WarpQueue& queue, bool has_found, std::int32_t first, std::int32_t count) {
  queue.push(has_found && count > 1 && count <= kPieceEdges, {first, count});
  for (unsigned rest = __ballot_sync(kAllLanes, has_found && count > kPieceEdges); rest != 0; rest &= rest - 1) {
    const int lane = __ffs(static_cast<int>(rest)) - 1;
    const std::int32_t list = __shfl_sync(kAllLanes, first, lane);
    const std::int32_t edges = __shfl_sync(kAllLanes, count, lane);
    for (std::int32_t from = 0; from < edges; from += kWarp * kPieceEdges) {
      const std::int32_t mine = from + lane_id() * kPieceEdges;
      queue.push(mine < edges, {list + mine, min(kPieceEdges, edges - mine)});
    }
  }
}

// Inclusive sum over the lanes of a warp.
__device__ int scan_lanes(int x) {
#pragma unroll
  for (int stride = 1; stride < kWarp; stride *= 2) {
    const int left = __shfl_up_sync(kAllLanes, x, stride);
    if (lane_id() >= stride) x += left;
  }
  return x;
}

// The last lane whose `before` is at most x. `before` never decreases from lane to lane.
__device__ int owner_of(int x, int before) {
  int owner = 0;
#pragma unroll
  for (int step = kWarp / 2; step > 0; step /= 2)
    if (__shfl_sync(kAllLanes, before, owner + step) <= x) owner += step;
  return owner;
}

// Adds up what the lanes of a warp have found. All lanes call it.
__device__ void tell_block(BlockSums& sums, int vertices, int edges) {
  if (!__any_sync(kAllLanes, vertices > 0)) return;
  vertices = __reduce_add_sync(kAllLanes, vertices);
  edges = __reduce_add_sync(kAllLanes, edges);
  if (lane_id() != 0) return;
  atomicAdd(&sums.vertices, vertices);
  atomicAdd(&sums.edges, edges);
}

// Called by the entire block, after a barrier.
__device__ void tell_all(BlockSums& sums, Found* found) {
  if (threadIdx.x != 0) return;
  const std::int32_t vertices = sums.vertices;
  if (vertices > 0) {
    atomicAdd(&found->vertices, vertices);
    atomicAdd(&found->edges, sums.edges);
  }
  sums.vertices = sums.edges = 0;
}

__device__ int grid_warps() { return static_cast<int>(gridDim.x) * kWarps; }
__device__ int warp_in_grid() { return static_cast<int>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kWarp; }

// The first frontier is the source's list, which has at most as many pieces as there are vertices.
__device__ void begin(const Search& s) {
  const std::int32_t first = s.row_offsets[s.source];
  const std::int32_t count = s.row_offsets[s.source + 1] - first;
  const int pieces = (count + kPieceEdges - 1) / kPieceEdges;
  const int thread = static_cast<int>(blockIdx.x) * kThreadsPerBlock + static_cast<int>(threadIdx.x);
  for (int v = thread; v < s.num_vertices; v += static_cast<int>(gridDim.x) * kThreadsPerBlock) {
    s.distance[v] = v == s.source ? 0 : kUnreached;
    if (v < pieces) s.pieces[0][v] = {first + v * kPieceEdges, min(kPieceEdges, count - v * kPieceEdges)};
  }
  if (thread == 0) {
    s.found[0] = {1, count};
    s.piece_counts[0] = pieces;
  }
}

__device__ void push(const Search& s, std::int32_t level, const Piece* frontier, WarpQueue& queue, BlockSums& sums) {
  const int size = s.piece_counts[level % kTurns];
  // A small frontier is spread over all warps, so that none has more than one round of loads to wait for.
  const int share = min(kWarp, (size + grid_warps() - 1) / grid_warps());
  int vertices = 0, edges = 0;  // that this lane finds
  for (int warp = warp_in_grid(); warp * share < size; warp += grid_warps()) {
    const int i = warp * share + lane_id();
    const Piece piece = lane_id() < share && i < size ? frontier[i] : Piece{0, 0};
    const int through = scan_lanes(piece.count);
    const int before = through - piece.count;  // edges of the lanes before this one
    const int total = __shfl_sync(kAllLanes, through, kWarp - 1);
    for (int from = 0; from < total; from += kWarp) {  // the same for all lanes
      const int x = from + lane_id();                  // this lane's edge among the warp's
      const int owner = owner_of(x, before);
      const std::int32_t list = __shfl_sync(kAllLanes, piece.first - before, owner);
      bool has_found = false;
      std::int32_t first = 0, count = 0;
      if (x < total) {
        const std::int32_t u = s.columns[list + x];
        has_found =
            read_word(s.distance[u]) == kUnreached && atomicCAS(&s.distance[u], kUnreached, level + 1) == kUnreached;
        if (has_found) {
          first = s.row_offsets[u];
          count = s.row_offsets[u + 1] - first;
          ++vertices;
          edges += count;
        }
      }
      push_lists(queue, has_found, first, count);
    }
  }
  tell_block(sums, vertices, edges);
  queue.empty_together(sums);
}

// The frontier as a bitmap: one word for the 32 vertices of a warp.
__device__ void mark(const Search& s, std::int32_t level, unsigned* bits) {
  for (int word = warp_in_grid(); word * kWarp < s.num_vertices; word += grid_warps()) {
    const int v = word * kWarp + lane_id();
    const unsigned marked = __ballot_sync(kAllLanes, v < s.num_vertices && s.distance[v] == level);
    if (lane_id() == 0) bits[word] = marked;
  }
}

// Unreached vertices look for a neighbour in the frontier. No other thread sets their distance: no atomics.
__device__ void pull(const Search& s, std::int32_t level, const unsigned* bits, unsigned* next_bits, BlockSums& sums) {
  int vertices = 0, edges = 0;
  for (int word = warp_in_grid(); word * kWarp < s.num_vertices; word += grid_warps()) {
    const int v = word * kWarp + lane_id();
    bool has_found = false;
    if (v < s.num_vertices && s.distance[v] == kUnreached) {
      const std::int32_t first = s.row_offsets[v];
      const std::int32_t end = s.row_offsets[v + 1];
      for (std::int32_t e = first; e < end && !has_found; ++e) {
        const std::int32_t u = s.columns[e];
        has_found = (bits[u / kWarp] >> (u % kWarp) & 1) != 0;
      }
      if (has_found) {
        s.distance[v] = level + 1;
        ++vertices;
        edges += end - first;
      }
    }
    const unsigned found = __ballot_sync(kAllLanes, has_found);
    if (lane_id() == 0) next_bits[word] = found;
  }
  tell_block(sums, vertices, edges);
  __syncthreads();  // the block's sums are complete
}

// The change back to push: the lists of the vertices at distance `level` are queued.
__device__ void collect(const Search& s, std::int32_t level, WarpQueue& queue, BlockSums& sums) {
  for (int word = warp_in_grid(); word * kWarp < s.num_vertices; word += grid_warps()) {
    const int v = word * kWarp + lane_id();
    const bool is_frontier = v < s.num_vertices && s.distance[v] == level;
    const std::int32_t first = is_frontier ? s.row_offsets[v] : 0;
    push_lists(queue, is_frontier, first, is_frontier ? s.row_offsets[v + 1] - first : 0);
  }
  queue.empty_together(sums);
}

template <class T>
__device__ void swap(T*& a, T*& b) {
  T* const kept = a;
  a = b;
  b = kept;
}

__global__ void __launch_bounds__(kThreadsPerBlock) search_kernel(Search s) {
  __shared__ Piece items[kWarps][kQueueItems];
  __shared__ BlockSums sums;
  Piece* const my_items = items[threadIdx.x / kWarp];
  const cg::grid_group grid = cg::this_grid();
  if (threadIdx.x == 0) sums = {0, 0, 0, 0};
  begin(s);
  grid.sync();

  Piece* frontier = s.pieces[0];
  Piece* next = s.pieces[1];
  unsigned* bits = s.bits[0];
  unsigned* next_bits = s.bits[1];
  bool is_pulling = false;
  std::int32_t vertices_before = 0;
  std::int32_t edges_before = 0;
  std::int32_t unexplored = s.num_edges;
  for (std::int32_t level = 0;; ++level) {  // all threads of the grid decide alike: they read the same numbers
    const Found current = s.found[level % kTurns];
    if (current.vertices == 0) return;
    Found* const found = s.found + (level + 1) % kTurns;
    if (grid.thread_rank() == 0) {  // all have read these before the last barrier, and add to them after the next
      s.found[(level + 2) % kTurns] = {0, 0};
      s.piece_counts[(level + 2) % kTurns] = 0;
    }
    unexplored -= current.edges;
    const bool was_pulling = is_pulling;
    if (was_pulling)
      is_pulling = current.vertices > vertices_before || current.vertices > s.num_vertices / kPushShare;
    else
      is_pulling =
          current.edges > edges_before && current.edges > max(unexplored / kPullShare, s.num_vertices / kPushShare);
    vertices_before = current.vertices;
    edges_before = current.edges;
    if (is_pulling) {
      if (!was_pulling) {
        mark(s, level, bits);
        grid.sync();
      }
      pull(s, level, bits, next_bits, sums);
    } else {
      if (was_pulling) {
        WarpQueue queue(my_items, frontier, &s.piece_counts[level % kTurns]);
        collect(s, level, queue, sums);
        grid.sync();
      }
      WarpQueue queue(my_items, next, &s.piece_counts[(level + 1) % kTurns]);
      push(s, level, frontier, queue, sums);
    }
    tell_all(sums, found);
    swap(frontier, next);
    swap(bits, next_bits);
    grid.sync();
  }
}

// The number of blocks that the device runs at the same time; 0 after an error.
int resident_blocks() {
  int device = 0, multiprocessors = 0, blocks_each = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device) != cudaSuccess ||
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_each, search_kernel, kThreadsPerBlock, 0) != cudaSuccess)
    return 0;
  return multiprocessors * blocks_each;
}

}  // namespace

void bfs(const std::int32_t* d_row_offsets, const std::int32_t* d_columns, int num_vertices, int num_edges, int source,
         std::int32_t* d_distance) {
  CHECK(pool::keep_freed_memory());
  pool::Scratch<Found> d_found;
  pool::Scratch<std::int32_t> d_piece_counts;
  pool::Scratch<Piece> d_pieces[2];
  pool::Scratch<unsigned> d_bits[2];
  const std::size_t most_pieces = static_cast<std::size_t>(num_vertices) + num_edges / kPieceEdges;
  const std::size_t words = (static_cast<std::size_t>(num_vertices) + kWarp - 1) / kWarp;
  CHECK(d_found.allocate(kTurns));
  CHECK(d_piece_counts.allocate(kTurns));
  for (int i = 0; i < 2; ++i) {
    CHECK(d_pieces[i].allocate(most_pieces));
    CHECK(d_bits[i].allocate(words));
  }
  CHECK(cudaMemsetAsync(d_found.get(), 0, kTurns * sizeof(Found)));
  CHECK(cudaMemsetAsync(d_piece_counts.get(), 0, kTurns * sizeof(std::int32_t)));

  Search search = {d_row_offsets,
                   d_columns,
                   num_vertices,
                   num_edges,
                   source,
                   d_distance,
                   {d_pieces[0].get(), d_pieces[1].get()},
                   {d_bits[0].get(), d_bits[1].get()},
                   d_found.get(),
                   d_piece_counts.get()};
  void* arguments[] = {&search};
  const int most_blocks = resident_blocks();
  CHECK(cudaGetLastError());
  const int blocks = std::min(most_blocks, (num_vertices + kThreadsPerBlock - 1) / kThreadsPerBlock);
  CHECK(cudaLaunchCooperativeKernel(search_kernel, dim3(blocks), dim3(kThreadsPerBlock), arguments));
}
