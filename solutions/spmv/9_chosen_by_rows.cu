// Step 9 of spmv_csr: a kernel chosen by the rows.
// Idea      look first. A small kernel compares rows in 128 places with the mean, and leaves what it finds on the
//           device: the host launches a kernel for even rows and one for uneven rows, and the one that is not needed
//           ends at once. Even rows are given a thread each, which takes two entries at a time, or 4 or 8 lanes, which
//           take 16 bytes at a time. Uneven rows are done by the merge path, with tiles of a single warp: no barriers
//           for the block, no search within a tile; a lane adds up a short row, all lanes together a long one. And if
//           x is used often and all over, the elements that a sample of the columns finds most often are put into a
//           table in shared memory, beside their columns.
// Leap      four parts at once: the look, the kernels for even rows, tiles of one warp, and the table. Each has its own
//           section; the host's function at the end of the file shows how they fit together.
// Gain      on an H200 x 1.7 over step 7 for Poisson, x 1.04 over step 1 and x 1.4 over cuSPARSE's ALG1; x 1.23 over
//           step 7 for R-MAT, x 1.2 over ALG1. What limits R-MAT is none of the bytes and none of the instructions, but
//           requests: a multiprocessor sends the L2 cache about one every other clock cycle, and each element of x that
//           L1 lacks is one. L1 keeps x in lines of 128 bytes, and so finds some 5 % of R-MAT's elements there. In the
//           table's 128 KB, an element takes 8 bytes: it answers a third of all requests.
// Traffic   8 bytes per entry, 8 bytes per row, and the look: some 20 KB of row offsets; for uneven rows the searches
//           for the borders, and 4 MB of counters for the table.
// Wastes    launches, at small sizes: three kernels instead of one, although each is on its way while the one before it
//           runs. And a sample may miss what is rare: rows that are too long for their thread or lanes are therefore
//           left, in pieces, to the last kernel.
#include "spmv.cuh"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace {

constexpr int kWarp = 32;
constexpr int kVectorItems = 4;  // entries in 16 bytes
constexpr unsigned kAllLanes = 0xFFFFFFFFu;
static_assert(sizeof(float4) == kVectorItems * sizeof(float), "a vector is four numbers side by side");
static_assert(alignof(float4) <= 256, "the contract aligns arrays to 256 bytes, so entry 0 begins a whole vector");

// The arguments of the call.
struct Product {
  const std::int32_t* row_offsets;
  const std::int32_t* columns;
  const float* values;
  const float* x;
  float* y;
  int rows;
  int nnz;
};

// What the first kernel finds out stays on the device, where the others read it: the host does not wait.
struct alignas(16) Choice {
  int uneven;  // 1: tiles of the merge path; 0: a thread or several lanes for each row
  int hot;     // sampled entries that would have found their x in the table
  int pieces;  // pieces of long rows that the kernels for even rows have left
  int unused;  // four numbers are one load
};
struct alignas(8) Piece {
  std::int32_t row;
  std::int32_t first_entry;
};
// One element of x. The table has the most frequent column of all those with the same slot.
struct alignas(8) Slot {
  std::int32_t column;  // -1: none
  float x;
};
using Candidate = unsigned long long;  // above: how often it was seen; below: the column

struct Plan {
  Choice* choice;
  Piece* pieces;
  std::int32_t* borders;  // row ends before each tile
  int tiles;
  int samples;            // 0: no table
  Candidate* candidates;  // kSlots, 0 at first
  unsigned* counters;     // kCounters, 0 at first
  Slot* table;            // kSlots
};

__device__ float sum_of_lanes(float sum, int lanes) {
  for (int distance = lanes / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(kAllLanes, sum, distance, lanes);
  return sum;
}

// Reads that will not be repeated: the caches may evict them first.
__device__ float4 streamed(const float* from) { return __ldcs(reinterpret_cast<const float4*>(from)); }
__device__ int4 streamed(const std::int32_t* from) { return __ldcs(reinterpret_cast<const int4*>(from)); }

// A kernel may begin while the one before it in the stream still runs, if that one lets it. Then the host's launches
// and the blocks' beginnings cost no time, but what the other kernel writes is there only after
// wait_for_kernel_before().
__device__ void let_next_kernel_begin() { asm volatile("griddepcontrol.launch_dependents;"); }
__device__ void wait_for_kernel_before() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

// ---- First, look: are rows even? If not, prepare what the merge path needs.

constexpr int kLookThreads = 1024;  // few blocks: each makes all tests
constexpr int kTests = 128;         // places at which 32 neighbouring rows are compared with the mean
constexpr int kTestsPerWarp = kTests / (kLookThreads / kWarp);
static_assert(kTestsPerWarp <= kWarp, "every test of a warp has a lane that keeps its outcome");

constexpr int kVectorsPerLane = 4;
constexpr int kTileItems = kVectorsPerLane * kWarp * kVectorItems - 2 * kVectorItems;  // a warp's steps of the path
constexpr int kSlotBits = 14;
constexpr int kSlots = 1 << kSlotBits;
constexpr int kSamples = 1 << 18;
constexpr int kSectorItems = 8;  // elements of x in 32 bytes, the unit of the caches
constexpr int kCounterBits = 20;
constexpr int kCounters = 1 << kCounterBits;

__device__ unsigned slot_of(std::int32_t column) { return column * 2654435761u >> (32 - kSlotBits); }

// Every block makes the same tests: all come to the same conclusion, and need not tell each other.
__device__ bool rows_are_uneven(const Product& in) {
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const float limit = 16 + 2.0f * in.nnz / in.rows;
  bool is_long[kTestsPerWarp];
#pragma unroll
  for (int t = 0; t < kTestsPerWarp; ++t) {  // first all loads
    const std::int64_t row = std::int64_t{warp * kTestsPerWarp + t} * in.rows / kTests + lane;
    is_long[t] = row < in.rows && in.row_offsets[row + 1] - in.row_offsets[row] > limit;
  }
  bool exceeded = false;
#pragma unroll
  for (int t = 0; t < kTestsPerWarp; ++t) {
    const bool any = __any_sync(kAllLanes, is_long[t]);
    if (lane == t) exceeded = any;
  }
  return __syncthreads_count(exceeded) > kTests / 32;
}

// How many of the path's first k steps are row ends: the question of the steps before, but asked at several places at
// once, one lane for each. With eight of them, a round leaves a ninth of what is in doubt: six rounds for 100,000 rows
// instead of seventeen, and a round is a trip to memory. Called by whole warps.
template <int kSearchers>
__device__ std::int64_t rows_before(std::int64_t k, const std::int32_t* row_ends, std::int64_t rows,
                                    std::int64_t entries) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int searcher = lane % kSearchers;
  std::int64_t low = k > entries ? k - entries : 0;
  std::int64_t high = k < rows ? k : rows;
  while (__any_sync(kAllLanes, low < high)) {  // the answer is in [low, high]
    const std::int64_t part = (high - low) / (kSearchers + 1) + 1;
    const std::int64_t i = low + (searcher + 1) * part - 1;
    const bool too_few = i < high && row_ends[i] <= k - 1 - i;  // i row ends
    const unsigned of_group = __ballot_sync(kAllLanes, too_few) >> (lane - searcher) & ((1u << kSearchers) - 1);
    low += __popc(of_group) * part;
    high = min(high, low + part - 1);
  }
  return low;
}

template <int kSearchers>
__device__ void find_borders(const Product& in, const Plan& plan, int thread, int threads) {
  constexpr int kGroups = kWarp / kSearchers;  // of a warp, with a border each
  for (std::int64_t of_warp = thread / kWarp * kGroups; of_warp <= plan.tiles; of_warp += threads / kSearchers) {
    const std::int64_t t = of_warp + thread % kWarp / kSearchers;
    const std::int64_t k = min(t * kTileItems, std::int64_t{in.rows} + in.nnz);
    const std::int64_t row = rows_before<kSearchers>(k, in.row_offsets + 1, in.rows, in.nnz);
    if (thread % kSearchers != 0 || t > plan.tiles) continue;
    plan.borders[t] = static_cast<std::int32_t>(row);
    // A row that goes on across borders is a sum of parts, added to a 0, which is stored at the first of them.
    if (row < in.rows && (t == 0 || row + in.row_offsets[row] > k - kTileItems)) in.y[row] = 0;
  }
}

constexpr int kSearchers = 8;  // where there are so many threads for each border
__global__ void __launch_bounds__(kLookThreads) look_kernel(Product in, Plan plan) {
  let_next_kernel_begin();
  const bool uneven = rows_are_uneven(in);
  if (blockIdx.x == 0 && threadIdx.x == 0) *plan.choice = {uneven, 0, 0, 0};
  if (!uneven) return;
  const int thread = static_cast<int>(blockIdx.x) * kLookThreads + static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(gridDim.x) * kLookThreads;
  if ((plan.tiles + std::int64_t{1}) * kSearchers <= threads)
    find_borders<kSearchers>(in, plan, thread, threads);
  else
    find_borders<1>(in, plan, thread, threads);
  for (std::int64_t i = thread; i < plan.samples; i += threads) {
    const std::int64_t j = i * in.nnz / plan.samples;
    const std::int32_t column = in.columns[j];
    // Where neighbouring entries share a sector of x, the L1 cache does without a table.
    if (j + 1 < in.nnz && in.columns[j + 1] / kSectorItems == column / kSectorItems) continue;
    const unsigned seen = atomicAdd(&plan.counters[column * 2246822519u >> (32 - kCounterBits)], 1u) + 1;
    if (seen > 1) atomicMax(&plan.candidates[slot_of(column)], Candidate{seen} << 32 | static_cast<unsigned>(column));
  }
}

// The winners get their elements of x.
constexpr int kTableThreads = 256;
__global__ void __launch_bounds__(kTableThreads) table_kernel(Product in, Plan plan) {
  let_next_kernel_begin();
  wait_for_kernel_before();
  if (plan.choice->uneven == 0) return;
  const unsigned s = blockIdx.x * kTableThreads + threadIdx.x;  // 0 ... kSlots - 1
  const auto column = static_cast<std::int32_t>(plan.candidates[s]);
  const auto seen = static_cast<unsigned>(plan.candidates[s] >> 32);
  plan.table[s] = seen > 0 ? Slot{column, in.x[column]} : Slot{-1, 0};
  const unsigned of_warp = __reduce_add_sync(kAllLanes, seen);
  if (threadIdx.x % kWarp == 0) atomicAdd(&plan.choice->hot, static_cast<int>(of_warp));
}
static_assert(kSlots % kTableThreads == 0, "every thread has a slot");

// ---- Even rows: a thread or some lanes for each.

// A row that is too long for its thread or lanes is left to the last kernel, in pieces.
constexpr int kPieceItems = 1024;
constexpr int kLongForLanes = 1024;
constexpr int kLongForThread = 128;
__device__ void leave(std::int32_t row, std::int32_t first, std::int32_t end, int lane, int lanes, const Plan& plan) {
  const int pieces = (end - first - 1) / kPieceItems + 1;
  const int mine = (pieces - lane + lanes - 1) / lanes;  // numbers lane, lane + lanes, ...
  const int at = mine > 0 ? atomicAdd(&plan.choice->pieces, mine) : 0;
  for (int k = 0; k < mine; ++k) plan.pieces[at + k] = {row, first + (k * lanes + lane) * kPieceItems};
}

constexpr int kEvenThreads = 256;
__global__ void __launch_bounds__(kEvenThreads) thread_kernel(Product in, Plan plan) {
  let_next_kernel_begin();
  wait_for_kernel_before();
  if (plan.choice->uneven != 0) return;
  const std::int64_t row = std::int64_t{blockIdx.x} * kEvenThreads + threadIdx.x;
  if (row >= in.rows) return;
  const int first = in.row_offsets[row];
  int end = in.row_offsets[row + 1];
  if (end - first > kLongForThread) {
    leave(static_cast<std::int32_t>(row), first, end, 0, 1, plan);
    end = first;  // the pieces are added to a 0
  }
  float sum = 0;
  for (std::int64_t j = first; j < end; j += 2) {  // two entries at a time: twice as many loads on their way
    const bool both = j + 1 < end;
    const std::int32_t c[] = {in.columns[j], both ? in.columns[j + 1] : 0};
    const float a[] = {in.values[j], both ? in.values[j + 1] : 0};
    sum += a[0] * in.x[c[0]];
    if (both) sum += a[1] * in.x[c[1]];
  }
  in.y[row] = sum;
}

// A lane takes four adjacent entries at a time; a group of lanes takes `repeats` rows, one after another.
template <int kLanes>
__global__ void __launch_bounds__(kEvenThreads) lanes_kernel(Product in, Plan plan, int repeats) {
  let_next_kernel_begin();
  wait_for_kernel_before();
  if (plan.choice->uneven != 0) return;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
#pragma unroll 1
  for (int k = 0; k < repeats; ++k) {
    const std::int64_t row = (std::int64_t{blockIdx.x} * repeats + k) * (kEvenThreads / kLanes) + threadIdx.x / kLanes;
    const std::int64_t first = row < in.rows ? in.row_offsets[row] : 0;
    std::int64_t end = row < in.rows ? in.row_offsets[row + 1] : 0;
    if (end - first > kLongForLanes) {
      leave(static_cast<std::int32_t>(row), static_cast<std::int32_t>(first), static_cast<std::int32_t>(end), lane,
            kLanes, plan);
      end = first;
    }
    float sum = 0;
    // Vectors begin up to three entries early, and end up to three late.
#pragma unroll 2
    for (std::int64_t j = first - first % kVectorItems + lane * kVectorItems; j < end; j += kLanes * kVectorItems) {
      std::int32_t c[kVectorItems] = {};
      float a[kVectorItems] = {};
      if (j + kVectorItems <= in.nnz) {
        const int4 columns = streamed(in.columns + j);
        const float4 values = streamed(in.values + j);
        c[0] = columns.x, c[1] = columns.y, c[2] = columns.z, c[3] = columns.w;
        a[0] = values.x, a[1] = values.y, a[2] = values.z, a[3] = values.w;
      } else {
        for (int v = 0; v < kVectorItems; ++v)
          if (j + v < in.nnz) c[v] = in.columns[j + v], a[v] = in.values[j + v];
      }
#pragma unroll
      for (int v = 0; v < kVectorItems; ++v)
        if (j + v >= first && j + v < end) sum += a[v] * in.x[c[v]];
    }
    sum = sum_of_lanes(sum, kLanes);
    if (lane == 0 && row < in.rows) in.y[row] = sum;
  }
}

// ---- Uneven rows: tiles of the merge path, each of which is the work of one warp, without barriers for the block.

// A block without a table is small; one with a table has a multiprocessor to itself.
template <bool kTable>
constexpr int kWarps = kTable ? 16 : 4;
constexpr int kBlocksPerSm = 8;                            // without a table
constexpr int kTileSlots = kTileItems + 3 * kVectorItems;  // row ends, a gap, and products in whole vectors
constexpr int kAlone = 16;                                 // up to so many products are added up by one lane

// Four products. An element of x that the table has costs no access to the L2 cache. All lookups come before the first
// load, and all loads before the first use: a lane has as many of them on their way as it has entries.
template <bool kTable>
__device__ float4 products_of(int4 columns, float4 values, const float* x, const Slot* table) {
  const std::int32_t c[] = {columns.x, columns.y, columns.z, columns.w};
  float of_x[kVectorItems];
  if constexpr (kTable) {
    Slot slots[kVectorItems];
#pragma unroll
    for (int v = 0; v < kVectorItems; ++v) slots[v] = table[slot_of(c[v])];
#pragma unroll
    for (int v = 0; v < kVectorItems; ++v) {
      of_x[v] = slots[v].x;
      if (slots[v].column != c[v]) of_x[v] = x[c[v]];
    }
  } else {
#pragma unroll
    for (int v = 0; v < kVectorItems; ++v) of_x[v] = x[c[v]];
  }
  return make_float4(values.x * of_x[0], values.y * of_x[1], values.z * of_x[2], values.w * of_x[3]);
}

// A warp adds up the rows of its tile: short ones a lane each, long ones all lanes together. Row `row_count` is the one
// that goes on after the tile. It and the first row may have parts elsewhere.
__device__ void add_rows(const std::int32_t* row_ends, const float* products, int row_count, int entry_count, float* y,
                         int first_row, int rows) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  for (int base = 0; base <= row_count; base += kWarp) {
    const int i = base + lane;
    const int first = i > 0 && i <= row_count ? row_ends[i - 1] : 0;
    const int end = i < row_count ? row_ends[i] : i == row_count ? entry_count : first;
    const bool is_long = end - first > kAlone;
    float sum = 0;
    for (int j = first; j < end && !is_long; ++j) sum += products[j];
    for (unsigned left = __ballot_sync(kAllLanes, is_long); left != 0; left &= left - 1) {
      const int its_lane = __ffs(static_cast<int>(left)) - 1;
      const int its_end = __shfl_sync(kAllLanes, end, its_lane);
      float part = 0;
#pragma unroll 4
      for (int j = __shfl_sync(kAllLanes, first, its_lane) + lane; j < its_end; j += kWarp) part += products[j];
      part = sum_of_lanes(part, kWarp);
      if (lane == its_lane) sum = part;
    }
    if (i > row_count || first_row + i >= rows) continue;
    if (i > 0 && i < row_count)
      y[first_row + i] = sum;
    else if (end > first)
      atomicAdd(&y[first_row + i], sum);
  }
}

// Products of the tile's entries, from `first_entry` on, into shared memory: first whole vectors, which begin up to
// three entries early.
template <bool kTable>
__device__ void multiply(const Product& in, std::int64_t from, int vectors, float* to, const Slot* table) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  int4 columns[kVectorsPerLane];
  float4 values[kVectorsPerLane];
#pragma unroll
  for (int k = 0; k < kVectorsPerLane; ++k) {
    const int v = k * kWarp + lane;
    columns[k] = v < vectors ? streamed(in.columns + from + v * kVectorItems) : make_int4(0, 0, 0, 0);
    values[k] = v < vectors ? streamed(in.values + from + v * kVectorItems) : make_float4(0, 0, 0, 0);
  }
  __syncwarp();  // or else the compiler puts off the loads of values until x has come
#pragma unroll
  for (int k = 0; k < kVectorsPerLane; ++k) values[k] = products_of<kTable>(columns[k], values[k], in.x, table);
#pragma unroll
  for (int k = 0; k < kVectorsPerLane; ++k) {
    const int v = k * kWarp + lane;
    if (v < vectors) reinterpret_cast<float4*>(to)[v] = values[k];
  }
}

template <bool kTable>
__global__ void __launch_bounds__(kWarps<kTable>* kWarp, kTable ? 1 : kBlocksPerSm)
    tiles_kernel(Product in, Plan plan) {
  extern __shared__ float4 shared[];  // the slots of the warps, then the table
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warps = static_cast<int>(gridDim.x) * kWarps<kTable>;
  wait_for_kernel_before();
  const Choice choice = *plan.choice;
  for (int p = static_cast<int>(blockIdx.x) * kWarps<kTable> + warp; p < choice.pieces; p += warps) {
    const Piece piece = plan.pieces[p];
    const int end = min(in.row_offsets[piece.row + 1] - piece.first_entry, kPieceItems);
    float sum = 0;
#pragma unroll 8
    for (int j = lane; j < end; j += kWarp)
      sum += in.values[piece.first_entry + j] * in.x[in.columns[piece.first_entry + j]];
    sum = sum_of_lanes(sum, kWarp);
    if (lane == 0) atomicAdd(&in.y[piece.row], sum);
  }
  if (choice.uneven == 0) return;

  auto* table = reinterpret_cast<Slot*>(reinterpret_cast<float*>(shared) + kWarps<kTable> * kTileSlots);
  const bool use_table = kTable && choice.hot > plan.samples / 8;  // otherwise lookups cost more than they save
  if (use_table) {
    for (int s = static_cast<int>(threadIdx.x); s < kSlots; s += kWarps<kTable> * kWarp) table[s] = plan.table[s];
    __syncthreads();
  }
  auto* row_ends = reinterpret_cast<std::int32_t*>(shared) + warp * kTileSlots;
  int t = warp * static_cast<int>(gridDim.x) + static_cast<int>(blockIdx.x);
  int first_row = t < plan.tiles ? plan.borders[t] : 0;
  int next_row = t < plan.tiles ? plan.borders[t + 1] : 0;
  while (t < plan.tiles) {
    const std::int64_t first_step = std::int64_t{t} * kTileItems;
    const int steps = static_cast<int>(min(std::int64_t{in.rows} + in.nnz - first_step, std::int64_t{kTileItems}));
    const int row_count = next_row - first_row;
    const int first_entry = static_cast<int>(first_step - first_row);
    const int entry_count = steps - row_count;
    const int skip = first_entry % kVectorItems;
    const int vectors = (skip + entry_count + kVectorItems - 1) / kVectorItems;
    float* products = reinterpret_cast<float*>(row_ends + (row_count + kVectorItems - 1) / kVectorItems * kVectorItems);
    for (int i = lane; i < row_count; i += kWarp)
      row_ends[i] = __ldcs(in.row_offsets + first_row + i + 1) - first_entry;  // counted from the tile's first entry
    t += warps;  // the next tile's borders are under way while this one is multiplied
    const int its_first_row = t < plan.tiles ? plan.borders[t] : 0;
    const int its_next_row = t < plan.tiles ? plan.borders[t + 1] : 0;
    const std::int64_t from = first_entry - skip;
    if (from + std::int64_t{vectors} * kVectorItems <= in.nnz) {
      if (use_table)
        multiply<kTable>(in, from, vectors, products, table);
      else
        multiply<false>(in, from, vectors, products, table);
    } else {  // the last vector is not whole
      for (int j = lane; j < entry_count; j += kWarp)
        products[skip + j] = in.values[first_entry + j] * in.x[in.columns[first_entry + j]];
    }
    __syncwarp();
    add_rows(row_ends, products + skip, row_count, entry_count, in.y, first_row, in.rows);
    __syncwarp();  // the next tile's row ends come into the same place
    first_row = its_first_row, next_row = its_next_row;
  }
}
static_assert(kTileSlots % kVectorItems == 0 && sizeof(Slot) % sizeof(float) == 0, "vectors and slots are aligned");

// ---- The call.

unsigned blocks_of(std::int64_t threads, int threads_per_block) {
  return static_cast<unsigned>((threads + threads_per_block - 1) / threads_per_block);
}

// Launches a kernel that may begin while the one before it runs.
template <class... Parameters>
cudaError_t launch_early(void (*kernel)(Parameters...), unsigned blocks, int threads, int shared_bytes,
                         Parameters... arguments) {
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  config.attrs = &early;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

// Bytes of shared memory for a block of tiles_kernel.
template <bool kTable>
constexpr int shared_bytes() {
  return kWarps<kTable> * kTileSlots * int{sizeof(float)} + (kTable ? kSlots * int{sizeof(Slot)} : 0);
}

template <bool kTable>
cudaError_t launch_tiles(const Product& in, const Plan& plan, int sms) {
  if constexpr (kTable) {  // more than 48 KiB have to be asked for
    const auto size = cudaFuncAttributeMaxDynamicSharedMemorySize;
    if (const cudaError_t status = cudaFuncSetAttribute(tiles_kernel<kTable>, size, shared_bytes<kTable>());
        status != cudaSuccess)
      return status;
  }
  const unsigned blocks = std::min(blocks_of(plan.tiles, kWarps<kTable>), unsigned{kTable ? 1 : kBlocksPerSm} * sms);
  return launch_early(tiles_kernel<kTable>, blocks, kWarps<kTable> * kWarp, shared_bytes<kTable>(), in, plan);
}

}  // namespace

void spmv_csr(const std::int32_t* d_row_offsets, const std::int32_t* d_columns, const float* d_values, const float* d_x,
              float* d_y, int rows, int cols, int nnz) {
  if (rows == 0) return;  // a grid of no blocks is an error
  CHECK(pool::keep_freed_memory());
  int device = 0;
  int sms = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));

  const Product in{d_row_offsets, d_columns, d_values, d_x, d_y, rows, nnz};
  // A table pays where elements of x are used many times, and where the product takes longer than making the table. Not
  // every GPU has room for it.
  int most_shared = 0;
  CHECK(cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  const bool may_use_table = nnz >= (1 << 23) && nnz / cols >= 24 && shared_bytes<true>() <= most_shared;
  const auto tiles = static_cast<int>((std::int64_t{rows} + nnz + kTileItems - 1) / kTileItems);
  const std::size_t most_pieces = nnz / kPieceItems + nnz / kLongForThread + 1;

  std::size_t bytes = 0;  // one allocation for all scratch memory
  const auto place = [&bytes](std::size_t size) { return std::exchange(bytes, bytes + (size + 15) / 16 * 16); };
  const std::size_t candidates = place(may_use_table ? kSlots * sizeof(Candidate) : 0);
  const std::size_t counters = place(may_use_table ? kCounters * sizeof(unsigned) : 0);
  const std::size_t cleared = bytes;
  const std::size_t table = place(may_use_table ? kSlots * sizeof(Slot) : 0);
  const std::size_t choice = place(sizeof(Choice));
  const std::size_t pieces = place(most_pieces * sizeof(Piece));
  const std::size_t borders = place((std::size_t{1} + tiles) * sizeof(std::int32_t));
  pool::Scratch<std::byte> d_scratch;
  CHECK(d_scratch.allocate(bytes));
  std::byte* d_begin = d_scratch.get();
  const Plan plan{reinterpret_cast<Choice*>(d_begin + choice),
                  reinterpret_cast<Piece*>(d_begin + pieces),
                  reinterpret_cast<std::int32_t*>(d_begin + borders),
                  tiles,
                  may_use_table ? kSamples : 0,
                  reinterpret_cast<Candidate*>(d_begin + candidates),
                  reinterpret_cast<unsigned*>(d_begin + counters),
                  reinterpret_cast<Slot*>(d_begin + table)};
  if (cleared > 0) CHECK(cudaMemsetAsync(d_begin, 0, cleared, nullptr));

  const unsigned few_blocks = 8u * static_cast<unsigned>(sms);
  const unsigned look_blocks = blocks_of((std::int64_t{1} + tiles) * kSearchers, kLookThreads);
  look_kernel<<<std::min(look_blocks, 2u * static_cast<unsigned>(sms)), kLookThreads>>>(in, plan);
  CHECK(cudaGetLastError());
  if (may_use_table) CHECK(launch_early(table_kernel, kSlots / kTableThreads, kTableThreads, 0, in, plan));
  const int mean = nnz / rows;
  // Few blocks, since those of a kernel that was not chosen take time, too.
  const auto launch_lanes = [=](auto kernel, int lanes) {
    const unsigned most = may_use_table ? 8 : 4;
    const unsigned repeats = std::clamp(blocks_of(std::int64_t{rows} * lanes, kEvenThreads) / few_blocks, 1u, most);
    const unsigned blocks = blocks_of(std::int64_t{rows} * lanes, kEvenThreads * static_cast<int>(repeats));
    return launch_early(kernel, blocks, kEvenThreads, 0, in, plan, static_cast<int>(repeats));
  };
  if (mean <= 8)
    CHECK(launch_early(thread_kernel, blocks_of(rows, kEvenThreads), kEvenThreads, 0, in, plan));
  else if (mean <= 16)
    CHECK(launch_lanes(lanes_kernel<4>, 4));
  else
    CHECK(launch_lanes(lanes_kernel<8>, 8));
  CHECK(may_use_table ? launch_tiles<true>(in, plan, sms) : launch_tiles<false>(in, plan, sms));
}
