// Step 6 of bfs: a warp pools its lists.
// Idea      the frontier holds lists of edges instead of vertices, and long lists in pieces of 64 edges. A warp takes
//           32 pieces, adds up their lengths, and lane l works on edges l, l + 32, ... of all of them, whichever list
//           they belong to. Lanes that work together queue together: a queue for each warp, and no barrier.
// Gain      x 40 over step 5 on an H200 on the social network (3.02 ms), x 30 over step 1: a hub's list is cut up and
//           shared by many warps, and no lane waits for another one's list: active lanes. Neighbouring lanes read
//           neighbouring columns: sectors of global loads fall by more than half. On the map, which has no hubs, x 1.08
//           (159 ms), which is within the variation from run to run.
// Traffic   row offsets are read when a vertex is found; a piece is written and read: 16 bytes per piece, 8 of row
//           offsets per vertex, 36 per stored edge.
// Wastes    every edge is examined, although in the large levels of a social network most lead to vertices that have
//           already been found. And finding out whose edge a lane has takes a dozen instructions: warp instructions
//           rise.
// Source    after D. Merrill, M. Garland, A. Grimshaw, "Scalable GPU graph traversal", PPoPP 2012.
#include "bfs.cuh"

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

// The first frontier is the source's list, which has at most as many pieces as there are vertices.
__global__ void begin_kernel(const std::int32_t* row_offsets, int num_vertices, int source, std::int32_t* distance,
                             Piece* frontier, std::int32_t* frontier_size) {
  const int v = static_cast<int>(blockIdx.x * kThreadsPerBlock + threadIdx.x);
  if (v >= num_vertices) return;
  distance[v] = v == source ? 0 : kUnreached;
  const std::int32_t first = row_offsets[source];
  const std::int32_t count = row_offsets[source + 1] - first;
  const int pieces = (count + kPieceEdges - 1) / kPieceEdges;
  if (v < pieces) frontier[v] = {first + v * kPieceEdges, min(kPieceEdges, count - v * kPieceEdges)};
  if (v == 0) *frontier_size = pieces;
}

__global__ void expand_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, const Piece* frontier,
                              int frontier_size, std::int32_t level, std::int32_t* distance, Piece* next,
                              std::int32_t* next_size) {
  __shared__ Piece items[kWarps][kQueueItems];
  WarpQueue queue(items[threadIdx.x / kWarp], next, next_size);
  const int i = static_cast<int>(blockIdx.x * kThreadsPerBlock + threadIdx.x);  // 0 ... frontier_size - 1, idle beyond
  const Piece piece = i < frontier_size ? frontier[i] : Piece{0, 0};
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
      const std::int32_t u = columns[list + x];
      has_found = read_word(distance[u]) == kUnreached && atomicCAS(&distance[u], kUnreached, level + 1) == kUnreached;
      if (has_found) {
        first = row_offsets[u];
        count = row_offsets[u + 1] - first;
      }
    }
    push_lists(queue, has_found, first, count);
  }
  queue.empty();
}

}  // namespace

void bfs(const std::int32_t* d_row_offsets, const std::int32_t* d_columns, int num_vertices, int num_edges, int source,
         std::int32_t* d_distance) {
  CHECK(pool::keep_freed_memory());
  pool::Scratch<std::int32_t> d_size;
  pool::Scratch<Piece> d_frontier;
  pool::Scratch<Piece> d_next;
  const std::size_t most_pieces = static_cast<std::size_t>(num_vertices) + num_edges / kPieceEdges;
  CHECK(d_size.allocate(1));
  CHECK(d_frontier.allocate(most_pieces));
  CHECK(d_next.allocate(most_pieces));
  const int blocks = (num_vertices + kThreadsPerBlock - 1) / kThreadsPerBlock;
  begin_kernel<<<blocks, kThreadsPerBlock>>>(d_row_offsets, num_vertices, source, d_distance, d_frontier.get(),
                                             d_size.get());
  CHECK(cudaGetLastError());
  for (std::int32_t level = 0;; ++level) {
    std::int32_t frontier_size = 0;
    CHECK(cudaMemcpy(&frontier_size, d_size.get(), sizeof(frontier_size), cudaMemcpyDeviceToHost));
    if (frontier_size == 0) return;
    CHECK(cudaMemsetAsync(d_size.get(), 0, sizeof(frontier_size)));
    const int level_blocks = (frontier_size + kThreadsPerBlock - 1) / kThreadsPerBlock;
    expand_kernel<<<level_blocks, kThreadsPerBlock>>>(d_row_offsets, d_columns, d_frontier.get(), frontier_size, level,
                                                      d_distance, d_next.get(), d_size.get());
    CHECK(cudaGetLastError());
    std::swap(d_frontier, d_next);
  }
}
