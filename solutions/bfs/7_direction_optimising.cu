// Step 7 of bfs: push or pull, whichever examines less.
// Idea      while the frontier is small, it looks for unreached vertices (push). Once its edges number more than a
//           fifteenth of the unexplored ones, unreached vertices look for it (pull), and stop at their first neighbour
//           in it. Frontiers of pull levels are bitmaps: one bit per vertex, one word per warp.
// Gain      x 1.9 on an H200 on the social network (1.57 ms): most edges are never examined, and sectors of global
//           loads fall to less than half. Pull levels need no atomics to find a vertex. On the map, where frontiers
//           stay small, nothing is gained beyond the variation from run to run (160 ms), and warps that find something
//           must also publish how much. Counters of `degree 4`: more turns of global atomics, more warp instructions.
// Traffic   push levels as in step 6. A pull level reads all distances, 4 bytes per vertex, and for unreached ones 8 of
//           row offsets and, for every edge examined, 4 and a sector of the bitmap, which stays in the L2 cache.
// Wastes    a launch or two and a copy to the host in every level, however little there is to do: kernels launched.
//           Each of 2^18 warps of a pull level may add its counts to the same two words: turns of global atomics. An
//           unreached vertex without a neighbour in the frontier searches its entire list, in a single lane.
// Source    S. Beamer, K. Asanovic, D. Patterson, "Direction-optimizing breadth-first search", SC 2012: the rule, with
//           15 and 18 as in their GAP benchmark suite. That a pull must pay for reading all distances is added here.
#include "bfs.cuh"

#include <algorithm>
#include <cuda/atomic>
#include <utility>

namespace {

constexpr int kWarp = 32;
constexpr int kThreadsPerBlock = 256;
constexpr int kWarps = kThreadsPerBlock / kWarp;
constexpr int kPieceEdges = 64;   // of a list that stay together
constexpr int kQueueItems = 128;  // of a warp: 1 KiB
static_assert(kThreadsPerBlock % kWarp == 0, "a block is made of whole warps of 32 threads");
static_assert(kQueueItems >= 2 * kWarp, "a queue that has no room for a whole warp's finds is emptied first");

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

// Totals of the next frontier, added up by the warps that find it.
struct Found {
  std::int32_t vertices;
  std::int32_t edges;   // in their lists
  std::int32_t pieces;  // of the lists that are queued: those of push levels
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
    for (int x = lane_id(); x < count_; x += kWarp) next_[first + x] = items_[x];
    __syncwarp();  // their places are free
    count_ = 0;
  }

 private:
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
__device__ void tell(Found* found, int vertices, int edges) {
  if (!__any_sync(kAllLanes, vertices > 0)) return;
  vertices = __reduce_add_sync(kAllLanes, vertices);
  edges = __reduce_add_sync(kAllLanes, edges);
  if (lane_id() != 0) return;
  atomicAdd(&found->vertices, vertices);
  atomicAdd(&found->edges, edges);
}

// The first frontier is the source's list, which has at most as many pieces as there are vertices.
__global__ void begin_kernel(const std::int32_t* row_offsets, int num_vertices, int source, std::int32_t* distance,
                             Piece* frontier, Found* found) {
  const int v = static_cast<int>(blockIdx.x * kThreadsPerBlock + threadIdx.x);
  if (v >= num_vertices) return;
  distance[v] = v == source ? 0 : kUnreached;
  const std::int32_t first = row_offsets[source];
  const std::int32_t count = row_offsets[source + 1] - first;
  const int pieces = (count + kPieceEdges - 1) / kPieceEdges;
  if (v < pieces) frontier[v] = {first + v * kPieceEdges, min(kPieceEdges, count - v * kPieceEdges)};
  if (v == 0) *found = {1, count, pieces};
}

__global__ void push_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, const Piece* frontier,
                            const Found* current, std::int32_t level, std::int32_t* distance, Piece* next,
                            Found* found) {
  __shared__ Piece items[kWarps][kQueueItems];
  WarpQueue queue(items[threadIdx.x / kWarp], next, &found->pieces);
  const int i = static_cast<int>(blockIdx.x * kThreadsPerBlock + threadIdx.x);  // 0 ... pieces - 1, idle beyond
  const Piece piece = i < current->pieces ? frontier[i] : Piece{0, 0};
  const int through = scan_lanes(piece.count);
  const int before = through - piece.count;  // edges of the lanes before this one
  const int total = __shfl_sync(kAllLanes, through, kWarp - 1);

  int vertices = 0, edges = 0;                       // that this lane finds
  for (int from = 0; from < total; from += kWarp) {  // the same for all lanes
    const int x = from + lane_id();                  // this lane's edge among the warp's
    const int owner = owner_of(x, before);
    const std::int32_t list = __shfl_sync(kAllLanes, piece.first - before, owner);
    bool has_found = false;
    std::int32_t first = 0, count = 0;
    if (x < total) {
      const std::int32_t u = columns[list + x];
      has_found = read_word(distance[u]) == kUnreached && atomicCAS(&distance[u], kUnreached, level + 1) == kUnreached;
      if (has_found) {
        first = row_offsets[u];
        count = row_offsets[u + 1] - first;
        ++vertices;
        edges += count;
      }
    }
    push_lists(queue, has_found, first, count);
  }
  queue.empty();
  tell(found, vertices, edges);
}

// The frontier as a bitmap: one word for the 32 vertices of a warp.
__global__ void mark_kernel(const std::int32_t* distance, int num_vertices, std::int32_t level, unsigned* bits) {
  const int v = static_cast<int>(blockIdx.x * kThreadsPerBlock + threadIdx.x);
  const unsigned word = __ballot_sync(kAllLanes, v < num_vertices && distance[v] == level);
  if (lane_id() == 0 && v < num_vertices) bits[v / kWarp] = word;
}

// Unreached vertices look for a neighbour in the frontier. No other thread sets their distance: no atomics.
__global__ void pull_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, int num_vertices,
                            std::int32_t level, const unsigned* bits, std::int32_t* distance, unsigned* next_bits,
                            Found* found) {
  const int v = static_cast<int>(blockIdx.x * kThreadsPerBlock + threadIdx.x);
  bool has_found = false;
  std::int32_t first = 0, end = 0;
  if (v < num_vertices && distance[v] == kUnreached) {
    first = row_offsets[v];
    end = row_offsets[v + 1];
    for (std::int32_t e = first; e < end && !has_found; ++e) {
      const std::int32_t u = columns[e];
      has_found = (bits[u / kWarp] >> (u % kWarp) & 1) != 0;
    }
    if (has_found) distance[v] = level + 1;
  }
  const unsigned word = __ballot_sync(kAllLanes, has_found);
  if (lane_id() == 0 && v < num_vertices) next_bits[v / kWarp] = word;
  tell(found, has_found ? 1 : 0, has_found ? end - first : 0);
}

// The change back to push: the lists of the vertices at distance `level` are queued.
__global__ void collect_kernel(const std::int32_t* row_offsets, const std::int32_t* distance, int num_vertices,
                               std::int32_t level, Piece* frontier, Found* current) {
  __shared__ Piece items[kWarps][kQueueItems];
  WarpQueue queue(items[threadIdx.x / kWarp], frontier, &current->pieces);
  const int v = static_cast<int>(blockIdx.x * kThreadsPerBlock + threadIdx.x);
  const bool is_frontier = v < num_vertices && distance[v] == level;
  const std::int32_t first = is_frontier ? row_offsets[v] : 0;
  push_lists(queue, is_frontier, first, is_frontier ? row_offsets[v + 1] - first : 0);
  queue.empty();
}

}  // namespace

void bfs(const std::int32_t* d_row_offsets, const std::int32_t* d_columns, int num_vertices, int num_edges, int source,
         std::int32_t* d_distance) {
  CHECK(pool::keep_freed_memory());
  pool::Scratch<Found> d_found;  // of this level and of the next, in turns
  pool::Scratch<Piece> d_frontier;
  pool::Scratch<Piece> d_next;
  pool::Scratch<unsigned> d_bits;
  pool::Scratch<unsigned> d_next_bits;
  const std::size_t most_pieces = static_cast<std::size_t>(num_vertices) + num_edges / kPieceEdges;
  const std::size_t words = (static_cast<std::size_t>(num_vertices) + kWarp - 1) / kWarp;
  CHECK(d_found.allocate(2));
  CHECK(d_frontier.allocate(most_pieces));
  CHECK(d_next.allocate(most_pieces));
  CHECK(d_bits.allocate(words));
  CHECK(d_next_bits.allocate(words));
  const int blocks = (num_vertices + kThreadsPerBlock - 1) / kThreadsPerBlock;
  begin_kernel<<<blocks, kThreadsPerBlock>>>(d_row_offsets, num_vertices, source, d_distance, d_frontier.get(),
                                             d_found.get());
  CHECK(cudaGetLastError());

  bool is_pulling = false;
  std::int32_t vertices_before = 0;
  std::int32_t edges_before = 0;
  std::int32_t unexplored = num_edges;
  for (std::int32_t level = 0;; ++level) {
    Found* const d_current = d_found.get() + level % 2;
    Found* const d_coming = d_found.get() + (level + 1) % 2;
    Found current{};
    CHECK(cudaMemcpy(&current, d_current, sizeof(current), cudaMemcpyDeviceToHost));
    if (current.vertices == 0) return;
    CHECK(cudaMemsetAsync(d_coming, 0, sizeof(current)));
    unexplored -= current.edges;
    const bool was_pulling = is_pulling;
    if (was_pulling)
      is_pulling = current.vertices > vertices_before || current.vertices > num_vertices / kPushShare;
    else
      is_pulling =
          current.edges > edges_before && current.edges > std::max(unexplored / kPullShare, num_vertices / kPushShare);
    vertices_before = current.vertices;
    edges_before = current.edges;
    if (is_pulling) {
      if (!was_pulling) mark_kernel<<<blocks, kThreadsPerBlock>>>(d_distance, num_vertices, level, d_bits.get());
      CHECK(cudaGetLastError());
      pull_kernel<<<blocks, kThreadsPerBlock>>>(d_row_offsets, d_columns, num_vertices, level, d_bits.get(), d_distance,
                                                d_next_bits.get(), d_coming);
      CHECK(cudaGetLastError());
      std::swap(d_bits, d_next_bits);
    } else {
      if (was_pulling)
        collect_kernel<<<blocks, kThreadsPerBlock>>>(d_row_offsets, d_distance, num_vertices, level, d_frontier.get(),
                                                     d_current);
      CHECK(cudaGetLastError());
      const int pieces = current.vertices + current.edges / kPieceEdges;  // at most
      push_kernel<<<(pieces + kThreadsPerBlock - 1) / kThreadsPerBlock, kThreadsPerBlock>>>(
          d_row_offsets, d_columns, d_frontier.get(), d_current, level, d_distance, d_next.get(), d_coming);
      CHECK(cudaGetLastError());
      std::swap(d_frontier, d_next);
    }
  }
}
