// Step 9 of bfs: a bit per vertex.
// Idea      what a search asks about a vertex is whether it has been visited. One bitmap answers that for push and for
//           pull, since a visited neighbour of an unvisited vertex can only be in the frontier; distances are only
//           written. A thread sends the requests for four edges, or four vertices, before it waits for the first. And
//           if the frontier has so many edges that the next level is sure to pull, nobody queues what this one finds.
// Leap      whether a vertex has been reached is what every part asks: push, pull, collect and the counters between
//           them change together.
// Gain      x 2.0 over step 8 on an H200 on the social network (0.25 ms). Counter: sectors of global loads (`skewed`).
// Traffic   1 MiB of bitmap for 2^23 vertices, which stays in the L2 cache, instead of 32 MiB of distances. A push
//           level sends L2 a request for every edge and two more for every vertex it finds.
// Wastes    as in step 8 on the map: a level is a chain of six or seven dependent accesses and a barrier, even for a
//           frontier of one vertex.
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
constexpr int kPieceEdges = 96;  // of a list that stay together
constexpr int kPushEdges = 4;    // that a lane follows at the same time
constexpr int kPullWords = 4;    // of the bitmap that a warp works on at the same time, with a vertex per lane in each
constexpr int kQueueItems = 96;  // of a warp: 24 KiB a block
static_assert(kThreadsPerBlock % kWarp == 0, "a block is made of whole warps of 32 threads");
static_assert(kQueueItems >= 2 * kWarp, "a queue that has no room for a whole warp's finds is emptied first");
static_assert(kWarps * kQueueItems * 8 <= 47 * 1024, "the queues of a block fit 48 KiB of static shared memory");

// Pull when the frontier has more edges than the one before, more than 1/15 of the unexplored ones, and enough of them
// to pay for reading the whole bitmap; push again when it no longer grows and has at most 1/18 of all vertices.
constexpr int kPullShare = 15;
constexpr int kPushShare = 18;
// A frontier with more edges than half of the vertices finds so many that the next level will pull: nobody needs their
// lists, so they are not even looked up.
constexpr int kBlindShare = 2;

constexpr unsigned kAllLanes = 0xFFFFFFFFu;
__device__ int lane_id() { return static_cast<int>(threadIdx.x) % kWarp; }

// Some threads read a word of the bitmap while others set bits in it, so such words are read and written atomically.
// Relaxed order is enough, since no thread infers anything about other memory from them.
using Word = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
__device__ unsigned read_word(unsigned& word) { return Word(word).load(cuda::memory_order_relaxed); }
__device__ unsigned set_bit(unsigned& word, unsigned bit) {
  return Word(word).fetch_or(bit, cuda::memory_order_relaxed);
}
__device__ bool is_set(unsigned word, int bit) { return (word >> bit & 1) != 0; }

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

// The counters of a level, in a line of memory of their own.
struct alignas(128) Counters {
  Found found;
  std::int32_t pieces;  // in the queue
};
constexpr int kTurns = 3;  // levels whose counters are in use: the one at work, the one being found, one to be cleared

struct Search {
  const std::int32_t* row_offsets;
  const std::int32_t* columns;
  int num_vertices;
  int num_edges;
  int source;
  std::int32_t* distance;
  Piece* pieces[2];      // of the frontier and of the next one, which change places after every level
  unsigned* visited[2];  // a bit per vertex; a pull level reads one bitmap and writes the other
  Counters* counters;    // kTurns
};

__device__ Piece* pieces_of(const Search& s, std::int32_t level) { return level % 2 == 0 ? s.pieces[0] : s.pieces[1]; }
__device__ Counters& counters_of(const Search& s, std::int32_t level) { return s.counters[level % kTurns]; }
__device__ void clear_counters(const Search& s, std::int32_t level) {
  if (blockIdx.x == 0 && threadIdx.x == 0) counters_of(s, level) = {};
}

// What a block has found and not yet published.
struct BlockSums {
  std::int32_t vertices;
  std::int32_t edges;
  std::int32_t pieces;  // that are left in the queues of its warps
  std::int32_t first;   // where these go
};

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

  // The lists of the lanes that have found a vertex. One with a single edge has been found along it, and has no other
  // neighbour to find. A list that is too long for one piece goes to the common queue at once: the warp reserves places
  // for those of all lanes, and all lanes write the pieces together, list by list.
  __device__ void push_lists(bool has_found, std::int32_t first, std::int32_t count) {
    push(has_found && count > 1 && count <= kPieceEdges, {first, count});
    const bool is_long = has_found && count > kPieceEdges;
    const unsigned with_one = __ballot_sync(kAllLanes, is_long);
    if (with_one == 0) return;
    const int pieces = is_long ? (count + kPieceEdges - 1) / kPieceEdges : 0;
    const int through = scan_lanes(pieces);
    std::int32_t place = 0;
    if (lane_id() == kWarp - 1) place = atomicAdd(next_size_, through);
    place = __shfl_sync(kAllLanes, place, kWarp - 1) + through - pieces;
    for (unsigned rest = with_one; rest != 0; rest &= rest - 1) {
      const int lane = __ffs(static_cast<int>(rest)) - 1;
      const std::int32_t list = __shfl_sync(kAllLanes, first, lane);
      const std::int32_t edges = __shfl_sync(kAllLanes, count, lane);
      const std::int32_t to = __shfl_sync(kAllLanes, place, lane);
      for (int i = lane_id(); i * kPieceEdges < edges; i += kWarp)
        next_[to + i] = {list + i * kPieceEdges, min(kPieceEdges, edges - i * kPieceEdges)};
    }
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
// Four warps of a block, then four of the next: a little work is spread over all multiprocessors, and yet warps that
// read the same sector share a cache.
__device__ int warp_in_grid() {
  constexpr int kTeam = 4;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  return (warp / kTeam * static_cast<int>(gridDim.x) + static_cast<int>(blockIdx.x)) * kTeam + warp % kTeam;
}

// The first frontier is the source's list.
__device__ void begin(const Search& s) {
  const std::int32_t first = s.row_offsets[s.source];
  const std::int32_t count = s.row_offsets[s.source + 1] - first;
  const int pieces = (count + kPieceEdges - 1) / kPieceEdges;
  const int thread = static_cast<int>(blockIdx.x) * kThreadsPerBlock + static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(gridDim.x) * kThreadsPerBlock;
  for (int word = thread; word * kWarp < s.num_vertices; word += threads)
    s.visited[0][word] = word == s.source / kWarp ? 1u << s.source % kWarp : 0;
  for (int v = thread; v < s.num_vertices; v += threads) s.distance[v] = v == s.source ? 0 : kUnreached;
  for (int i = thread; i < pieces; i += threads)
    s.pieces[0][i] = {first + i * kPieceEdges, min(kPieceEdges, count - i * kPieceEdges)};
  if (thread == 0) {
    s.counters[0] = {{1, count}, pieces};
    s.counters[1] = s.counters[2] = {};
  }
}

// The lists of the vertices found are queued, unless the level is `blind`.
template <bool blind>
__device__ void push(const Search& s, std::int32_t level, const Piece* frontier, unsigned* visited, WarpQueue& queue,
                     BlockSums& sums) {
  const int size = counters_of(s, level).pieces;
  // A small frontier is spread over all warps, so that none has more than one round of loads to wait for.
  const int share = min(kWarp, (size + grid_warps() - 1) / grid_warps());
  int vertices = 0, edges = 0;  // that this lane finds
  for (int warp = warp_in_grid(); warp * share < size; warp += grid_warps()) {
    const int i = warp * share + lane_id();
    const Piece piece = lane_id() < share && i < size ? frontier[i] : Piece{0, 0};
    const int through = scan_lanes(piece.count);
    const int before = through - piece.count;  // edges of the lanes before this one
    const int total = __shfl_sync(kAllLanes, through, kWarp - 1);
    for (int from = 0; from < total; from += kWarp * kPushEdges) {  // the same for all lanes
      // Each of these loops, which compilers unroll, sends its requests before the next one waits for the first.
      std::int32_t u[kPushEdges];  // -1: no edge
      unsigned seen[kPushEdges];   // the bitmap's word
      bool has_found[kPushEdges];
      std::int32_t first[kPushEdges], end[kPushEdges];
      for (int k = 0; k < kPushEdges; ++k) {
        u[k] = -1;
        if (from + k * kWarp < total) {                // the same for all lanes
          const int x = from + k * kWarp + lane_id();  // this lane's edge among the warp's
          const int owner = owner_of(x, before);
          const std::int32_t list = __shfl_sync(kAllLanes, piece.first - before, owner);
          if (x < total) u[k] = s.columns[list + x];
        }
      }
      for (int k = 0; k < kPushEdges; ++k) seen[k] = u[k] >= 0 ? read_word(visited[u[k] / kWarp]) : 0;
      for (int k = 0; k < kPushEdges; ++k) {
        has_found[k] = u[k] >= 0 && !is_set(seen[k], u[k] % kWarp);
        if (has_found[k]) seen[k] = set_bit(visited[u[k] / kWarp], 1u << u[k] % kWarp);
      }
      for (int k = 0; k < kPushEdges; ++k) {
        has_found[k] = has_found[k] && !is_set(seen[k], u[k] % kWarp);
        if (has_found[k]) s.distance[u[k]] = level + 1;
        vertices += has_found[k] ? 1 : 0;
        first[k] = !blind && has_found[k] ? s.row_offsets[u[k]] : 0;
        end[k] = !blind && has_found[k] ? s.row_offsets[u[k] + 1] : 0;
      }
      for (int k = 0; k < kPushEdges; ++k) {
        if (blind || from + k * kWarp >= total) break;
        edges += end[k] - first[k];
        queue.push_lists(has_found[k], first[k], end[k] - first[k]);
      }
    }
  }
  tell_block(sums, vertices, edges);
  if (blind)
    __syncthreads();  // the block's sums are complete
  else
    queue.empty_together(sums);
}

// Unvisited vertices look for a visited neighbour. It can only be one of the frontier: those found earlier have no
// unvisited neighbours left. No other thread sets their distance or writes their bit: no atomics.
__device__ void pull(const Search& s, std::int32_t level, const unsigned* visited, unsigned* next, BlockSums& sums) {
  int vertices = 0, edges = 0;
  const int words = (s.num_vertices + kWarp - 1) / kWarp;
  for (int word = warp_in_grid() * kPullWords; word < words; word += grid_warps() * kPullWords) {
    unsigned old[kPullWords];
    std::int32_t first[kPullWords], at[kPullWords], end[kPullWords];
    bool has_found[kPullWords], is_alone[kPullWords];
    for (int k = 0; k < kPullWords; ++k) old[k] = word + k < words ? visited[word + k] : 0;
    for (int k = 0; k < kPullWords; ++k) {
      const int v = (word + k) * kWarp + lane_id();
      const bool is_open = v < s.num_vertices && !is_set(old[k], lane_id());
      first[k] = is_open ? s.row_offsets[v] : 0;
      end[k] = is_open ? s.row_offsets[v + 1] : 0;
      has_found[k] = false;
      is_alone[k] = is_open && first[k] == end[k];  // no neighbours: marked as visited, and not looked at again
      at[k] = first[k];
    }
    for (bool goes_on = true; goes_on;) {
      std::int32_t u[kPullWords];
      for (int k = 0; k < kPullWords; ++k) u[k] = at[k] < end[k] ? s.columns[at[k]] : -1;
      goes_on = false;
      for (int k = 0; k < kPullWords; ++k) {
        if (u[k] >= 0 && is_set(visited[u[k] / kWarp], u[k] % kWarp)) has_found[k] = true;
        at[k] = has_found[k] ? end[k] : at[k] + 1;
        goes_on |= at[k] < end[k];
      }
    }
    for (int k = 0; k < kPullWords; ++k) {
      if (has_found[k]) {
        s.distance[(word + k) * kWarp + lane_id()] = level + 1;
        ++vertices;
        edges += end[k] - first[k];
      }
      const unsigned closed = __ballot_sync(kAllLanes, has_found[k] || is_alone[k]);
      if (lane_id() == 0 && word + k < words) next[word + k] = old[k] | closed;
    }
  }
  tell_block(sums, vertices, edges);
  __syncthreads();  // the block's sums are complete
}

// The change back to push: the lists of the vertices that the last level has visited are queued. Each lane reads a
// word.
__device__ void collect(const Search& s, const unsigned* visited, const unsigned* before, WarpQueue& queue,
                        BlockSums& sums) {
  const int words = (s.num_vertices + kWarp - 1) / kWarp;
  for (int first_word = warp_in_grid() * kWarp; first_word < words; first_word += grid_warps() * kWarp) {
    const int word = first_word + lane_id();
    unsigned found = word < words ? visited[word] & ~before[word] : 0;
    while (__any_sync(kAllLanes, found != 0)) {  // a vertex of each lane
      const bool has_one = found != 0;
      const int v = word * kWarp + __ffs(static_cast<int>(found)) - 1;
      const std::int32_t first = has_one ? s.row_offsets[v] : 0;
      queue.push_lists(has_one, first, has_one ? s.row_offsets[v + 1] - first : 0);
      found &= found - 1;
    }
  }
  queue.empty_together(sums);
}

template <class T>
__device__ void swap(T*& a, T*& b) {
  T* const kept = a;
  a = b;
  b = kept;
}

__global__ void __launch_bounds__(kThreadsPerBlock, 1) search_kernel(Search s) {
  __shared__ Piece items[kWarps][kQueueItems];
  __shared__ BlockSums sums;
  Piece* const my_items = items[threadIdx.x / kWarp];
  const cg::grid_group grid = cg::this_grid();
  if (threadIdx.x == 0) sums = {0, 0, 0, 0};
  begin(s);
  grid.sync();

  unsigned* visited = s.visited[0];
  unsigned* other = s.visited[1];
  bool is_pulling = false;
  bool is_blind = false;  // of the last level: what it has found is only in the bitmap
  std::int32_t vertices_before = 0;
  std::int32_t edges_before = 0;
  std::int32_t unexplored = s.num_edges;
  std::int32_t level = 0;
  Found current = s.counters[0].found;
  while (current.vertices > 0) {   // all threads of the grid decide alike: they read the same numbers
    clear_counters(s, level + 2);  // all have read these before the last barrier, and add to them after the next
    unexplored -= current.edges;
    const bool was_pulling = is_pulling;
    if (is_blind)
      is_pulling = true;
    else if (was_pulling)
      is_pulling = current.vertices > vertices_before || current.vertices > s.num_vertices / kPushShare;
    else
      is_pulling =
          current.edges > edges_before && current.edges > max(unexplored / kPullShare, s.num_vertices / kPushShare);
    vertices_before = current.vertices;
    edges_before = current.edges;
    is_blind = !is_pulling && current.edges > s.num_vertices / kBlindShare;
    if (is_pulling) {
      pull(s, level, visited, other, sums);
      swap(visited, other);
    } else {
      if (was_pulling) {
        WarpQueue queue(my_items, pieces_of(s, level), &counters_of(s, level).pieces);
        collect(s, visited, other, queue, sums);
        grid.sync();
      }
      WarpQueue queue(my_items, pieces_of(s, level + 1), &counters_of(s, level + 1).pieces);
      if (is_blind)
        push<true>(s, level, pieces_of(s, level), visited, queue, sums);
      else
        push<false>(s, level, pieces_of(s, level), visited, queue, sums);
    }
    tell_all(sums, &counters_of(s, level + 1).found);
    grid.sync();
    ++level;
    current = counters_of(s, level).found;
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
  pool::Scratch<Counters> d_counters;
  pool::Scratch<Piece> d_pieces[2];
  pool::Scratch<unsigned> d_visited[2];
  const int most_blocks = resident_blocks();
  CHECK(cudaGetLastError());
  const int blocks = std::min(most_blocks, (num_vertices + kThreadsPerBlock - 1) / kThreadsPerBlock);
  const std::size_t most_pieces = static_cast<std::size_t>(num_vertices) + num_edges / kPieceEdges;
  const std::size_t words = (static_cast<std::size_t>(num_vertices) + kWarp - 1) / kWarp;
  CHECK(d_counters.allocate(kTurns));
  for (int i = 0; i < 2; ++i) {
    CHECK(d_pieces[i].allocate(most_pieces));
    CHECK(d_visited[i].allocate(words));
  }
  Search search = {d_row_offsets,
                   d_columns,
                   num_vertices,
                   num_edges,
                   source,
                   d_distance,
                   {d_pieces[0].get(), d_pieces[1].get()},
                   {d_visited[0].get(), d_visited[1].get()},
                   d_counters.get()};
  void* arguments[] = {&search};
  CHECK(cudaLaunchCooperativeKernel(search_kernel, dim3(blocks), dim3(kThreadsPerBlock), arguments));
}
