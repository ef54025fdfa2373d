// Step 10 of bfs: several levels between two barriers.
// Idea      on the map, a level is a barrier of all blocks, and a chain of requests for some 18 vertices per block. Let
//           a block follow what it has found itself, and only that, through 19 levels before it waits for the
//           others. It may find a vertex on a longer path than another block does: the least distance counts, and who
//           lowers one follows the vertex again. At the end of such a round, all distances are right.
// Leap      an addition: the code for narrow levels stands beside that of step 9, which hardly changes.
// Gain      x 3.2 over step 9 on an H200 on the map (11 ms, 1.5 microseconds per level). Counters: turns of global
//           atomics and warp instructions (`degree 4`). The social network has no such levels to speak of: 0.25 ms.
// Traffic   an edge costs an atomic access to the distance of its end, and at the same time two loads of where its list
//           is, which are of use once in three times.
// Wastes    a level still waits for two round trips, to columns and to distances, and a round for the slowest of 132
//           blocks. The map is not divided among blocks by place: each has pieces of the frontier all over it. A round
//           in which a block finds more than it has room for is undone, and its first level done in the usual way.
// Source    as in step 7 for push and pull. Paths beyond what is settled are followed by all label-correcting methods
//           for shortest paths.
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

// Pull when the frontier has more edges than the one before, more than 1/15 of the unexplored ones, and enough of them
// to pay for reading the whole bitmap; push again when it no longer grows and has at most 1/18 of all vertices.
constexpr int kPullShare = 15;
constexpr int kPushShare = 18;
// A frontier with more edges than half of the vertices finds so many that the next level will pull: nobody needs their
// lists, so they are not even looked up.
constexpr int kBlindShare = 2;

// While the frontier is narrow, a block runs so many levels with what it has found itself before it waits for the
// others. (The counters and queues of a level are found by its number modulo 3 and 2: a round is one step for both.)
constexpr int kRoundLevels = 19;
static_assert(kRoundLevels % 6 == 1, "after a round, it is the turn of the next counters and of the other queue");
// A frontier is narrow if it has at most so many edges per block, at most so many per vertex, and grows by a quarter at
// most.
constexpr int kNarrowEdges = 384;
constexpr int kNarrowDegree = 8;
constexpr int kOwnEdges = 4;  // of a piece in a block's own queue: a lane for each
constexpr int kOwnPieces = kThreadsPerBlock / kOwnEdges;
constexpr int kOwnKept = kOwnPieces / 2;  // a block with more pieces hands half of them over to the others

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
  unsigned long long arrivals;  // of blocks, at the end of a round of narrow levels: see Arrivals
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
    s.counters[0] = {0, {1, count}, pieces};
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

// The word that tells a block that all others have finished the round tells it all that it must know of them, too. It
// counts blocks (12 bits), pieces that they keep (20), pieces that they hand over (20), and blocks that gave up (12).
struct Arrivals {
  unsigned long long word;

  static __device__ Arrivals of_block(int kept, int handed_over, bool gave_up) {
    return {1ull | static_cast<unsigned long long>(kept) << 12 | static_cast<unsigned long long>(handed_over) << 32 |
            (gave_up ? 1ull : 0ull) << 52};
  }
  __device__ unsigned blocks() const { return static_cast<unsigned>(word & 0xFFF); }
  __device__ int handed_over() const { return static_cast<int>(word >> 32 & 0xFFFFF); }
  __device__ std::int32_t edges() const {  // at most
    return (static_cast<std::int32_t>(word >> 12 & 0xFFFFF) + handed_over()) * kOwnEdges;
  }
  __device__ bool one_gave_up() const { return word >> 52 != 0; }
};
using ArrivalWord = cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>;

// What a block needs in narrow levels.
struct NarrowBlock {
  Piece pieces[3][kOwnPieces];  // the frontier of the round's first level, which is kept, and two that take turns
  int count[kTurns];            // of the next frontier; may be more than there is room for
  int gave_up;
  std::int32_t first;  // place in the common queue of what is handed over
  Arrivals all;
};
static_assert(kWarps * kQueueItems * sizeof(Piece) + sizeof(NarrowBlock) < 48 * 1024,
              "with the queues of the warps, it fits the 48 KiB of static shared memory");
using BlockWord = cuda::atomic_ref<int, cuda::thread_scope_block>;

// Brings neighbouring sectors into the L2 cache, too: the levels to come will need them. As a relaxed load, it is sent
// where it stands; a plain one would be put off until it is certain that its result is needed.
__device__ std::int32_t load_early(const std::int32_t* p) {
  std::int32_t value;
  asm volatile("ld.relaxed.cta.global.L2::256B.s32 %0, [%1];" : "=r"(value) : "l"(p));
  return value;
}

// Another block may have found u already, on a path that is longer, or may still find it on one that is shorter. So the
// least distance counts; as an unsigned number, kUnreached is more than any.
__device__ void visit(const Search& s, std::int32_t edge, std::int32_t distance, unsigned* visited, NarrowBlock& block,
                      Piece* next, int* next_count) {
  const std::int32_t u = load_early(s.columns + edge);
  const std::int32_t first = load_early(s.row_offsets + u);  // on its way while the distance is asked for
  const std::int32_t end = load_early(s.row_offsets + u + 1);
  const unsigned mine = static_cast<unsigned>(distance);
  if (atomicMin(reinterpret_cast<unsigned*>(s.distance + u), mine) <= mine) return;
  atomicOr(visited + u / kWarp, 1u << u % kWarp);
  const std::int32_t count = end - first;
  if (count <= 1) return;
  const int pieces = (count + kOwnEdges - 1) / kOwnEdges;
  const int at = pieces <= kOwnPieces ? atomicAdd(next_count, pieces) : kOwnPieces;
  if (at + pieces <= kOwnPieces)
    for (int i = 0; i < pieces; ++i) next[at + i] = {first + i * kOwnEdges, min(kOwnEdges, count - i * kOwnEdges)};
  else
    BlockWord(block.gave_up).store(1, cuda::memory_order_relaxed);
}

// Moves pieces of a block's own queue to the common one. Called by the entire block.
__device__ void hand_over(const Search& s, std::int32_t level, const Piece* own, int count, NarrowBlock& block) {
  if (threadIdx.x == 0 && count > 0) block.first = atomicAdd(&counters_of(s, level).pieces, count);
  __syncthreads();  // `first` is known
  const int i = static_cast<int>(threadIdx.x);
  if (i < count) pieces_of(s, level)[block.first + i] = own[i];
  __syncthreads();  // all have written
}

// As if the round that began at `level` had not been. Called by the entire grid.
__device__ void undo_round(const Search& s, std::int32_t level, unsigned* visited) {
  const int words = (s.num_vertices + kWarp - 1) / kWarp;
  for (int word = warp_in_grid(); word < words; word += grid_warps()) {
    const int v = word * kWarp + lane_id();
    const std::int32_t distance = v < s.num_vertices ? s.distance[v] : kUnreached;
    if (distance > level) s.distance[v] = kUnreached;
    const unsigned found_before = __ballot_sync(kAllLanes, distance != kUnreached && distance <= level);
    if (lane_id() == 0) visited[word] = found_before;
  }
}

struct NarrowEnd {
  std::int32_t level;
  std::int32_t edges;  // of its frontier, about
  bool gave_up;
};

// Round after round, until the frontier is empty or no longer narrow, or until a block finds more than it has room for.
// In the end, all of the frontier is in the common queue.
//
// Why distances are right at the end of a round, up to that of its last level: let v be a vertex on a shortest path to
// another. The block that gives v its least distance follows v at that distance, and so gives the next vertex of the
// path its own. Blocks that have found v on longer paths have followed it, too, but lower no distance that is right.
__device__ NarrowEnd narrow(const Search& s, std::int32_t level, std::int32_t edges, unsigned* visited,
                            NarrowBlock& block) {
  const int thread = static_cast<int>(threadIdx.x);
  const int blocks = static_cast<int>(gridDim.x);
  int common = counters_of(s, level).pieces;
  int size = 0, first_size = 0;  // of the block's frontier: now, and in the first level of the round
  int from = 0;                  // which of `pieces` it is
  int turn = 0;
  if (thread < kTurns) block.count[thread] = 0;
  if (thread == 0) block.gave_up = 0;
  __syncthreads();  // all is set, and all have read the counters
  clear_counters(s, level + 2);
  for (;;) {
    const int first_from = from;
    for (int step = 0; step < kRoundLevels; ++step) {
      const std::int32_t distance = level + step + 1;
      const int to = (first_from + 1 + step % 2) % 3;
      const int own = thread / kOwnEdges, e = thread % kOwnEdges;
      if (own < size && e < block.pieces[from][own].count)
        visit(s, block.pieces[from][own].first + e, distance, visited, block, block.pieces[to], &block.count[turn]);
      if (step == 0) {  // a part of the common queue for each block
        const int share = (common + blocks - 1) / blocks;
        const int begin = min(common, share * static_cast<int>(blockIdx.x));
        const int end = min(common, begin + share);
        for (int i = begin * kPieceEdges + thread; i < end * kPieceEdges; i += kThreadsPerBlock) {
          const Piece piece = pieces_of(s, level)[i / kPieceEdges];
          const int x = i % kPieceEdges;
          if (x < piece.count)
            visit(s, piece.first + x, distance, visited, block, block.pieces[to], &block.count[turn]);
        }
      }
      __syncthreads();  // the block has finished the level
      // Too many pieces: the block has given up.
      size = block.count[turn] <= kOwnPieces ? block.count[turn] : 0;
      from = to;
      turn = (turn + 1) % kTurns;
      if (thread == 0) block.count[(turn + 1) % kTurns] = 0;
      if (size == 0) break;
    }
    const int handed_over = size > kOwnKept ? size / 2 : 0;
    size -= handed_over;
    hand_over(s, level + kRoundLevels, block.pieces[from] + size, handed_over, block);
    if (thread == 0) {
      ArrivalWord arrivals(counters_of(s, level + kRoundLevels).arrivals);
      const Arrivals mine = Arrivals::of_block(size, handed_over, block.gave_up != 0);
      arrivals.fetch_add(mine.word, cuda::memory_order_release);
      Arrivals all;
      do all.word = arrivals.load(cuda::memory_order_acquire);
      while (all.blocks() < gridDim.x);
      block.all = all;
    }
    __syncthreads();  // all blocks have arrived
    const Arrivals all = block.all;
    if (all.one_gave_up()) {
      undo_round(s, level, visited);
      hand_over(s, level, block.pieces[first_from], first_size, block);
      return {level, edges, true};
    }
    level += kRoundLevels;
    edges = all.edges();
    if (edges == 0 || edges > kNarrowEdges * blocks) {
      hand_over(s, level, block.pieces[from], size, block);
      return {level, edges, false};
    }
    first_size = size;
    common = all.handed_over() > 0 ? counters_of(s, level).pieces : 0;
    clear_counters(s, level + 2);
  }
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
  __shared__ NarrowBlock narrow_block;
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
  std::int32_t narrow_from = 0;  // a round that gave up is not tried again at once
  Found current = s.counters[0].found;
  while (current.vertices > 0) {  // all threads of the grid decide alike: they read the same numbers
    if (!is_pulling && !is_blind && level >= narrow_from &&
        current.edges <= kNarrowEdges / 2 * static_cast<int>(gridDim.x) &&
        current.edges / kNarrowDegree <= current.vertices && current.edges <= edges_before + edges_before / 4) {
      const NarrowEnd end = narrow(s, level, current.edges, visited, narrow_block);
      if (end.edges == 0) break;
      if (end.gave_up) {
        grid.sync();
        clear_counters(s, end.level + 1);
        narrow_from = end.level + 2 * kRoundLevels;
      }
      level = end.level;
      current = {end.edges, end.edges};
      grid.sync();
    }
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
  // Every vertex has a piece that is not full; the blocks' own ones are smaller.
  const std::size_t most_pieces =
      static_cast<std::size_t>(num_vertices) + num_edges / kPieceEdges + static_cast<std::size_t>(blocks) * kOwnPieces;
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
