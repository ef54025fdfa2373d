// Ways in which memory that nobody wrote is read: some where it matters, some where it does not, each a kernel.
// Usage: uninitialised_patterns NAME
// A line that ends in "CHECKER: NAME" is where that checker must report that pattern, and nowhere else.
#include <cuda_pipeline.h>

#include <cstdio>
#include <cstring>

namespace {

constexpr int kThreads = 256;
constexpr int kBlocks = 2;
constexpr int kElements = kBlocks * kThreads;
constexpr int kFilled = 200;  // of the elements of a block
constexpr unsigned kWarp = 0xFFFFFFFFu;

struct Buffers {
  int* in;             // zeros
  int* out;            // zeros
  int* fresh;          // as cudaMalloc gave it
  int* copied;         // copied from in, on the device
  int* copy_of_fresh;  // copied from fresh, on the device
};

__device__ int here() { return static_cast<int>(blockIdx.x * kThreads + threadIdx.x); }

// --- wrong ---

__global__ void stored_as_it_was(Buffers b) {
  b.out[here()] = b.fresh[here()];  // initcheck: stored_as_it_was
}

__global__ void stored_after_arithmetic(Buffers b) {
  const int twice = 2 * b.fresh[here()];  // initcheck: stored_after_arithmetic
  b.out[here()] = b.in[here()] - twice;
}

__global__ void branch(Buffers b) {
  const int value = b.fresh[here()];  // initcheck: branch
  if (value > 7)
    atomicAdd(&b.out[0], 1);
  else
    atomicMax(&b.out[1], 2);
}

__global__ void index(Buffers b) {
  const int which = b.fresh[threadIdx.x];  // initcheck: index
  if (here() == 0) b.out[which & 255] = 1;
}

__global__ void added_to_the_result(Buffers b) {
  b.fresh[here()] += b.in[here()];  // initcheck: added_to_the_result
}

__global__ void counters_never_zeroed(Buffers b) {
  __shared__ int bins[16];
  atomicAdd(&bins[threadIdx.x % 16], 1);  // initcheck: counters_never_zeroed
  __syncthreads();
  if (threadIdx.x < 16) b.out[blockIdx.x * 16 + threadIdx.x] = bins[threadIdx.x];
}

__global__ void sum_never_zeroed(Buffers b) {
  atomicAdd(b.fresh, b.in[here()]);  // initcheck: sum_never_zeroed
}

__global__ void partly_filled_tile(Buffers b) {
  __shared__ int tile[kThreads];
  if (threadIdx.x < kFilled) tile[threadIdx.x] = b.in[here()];
  __syncthreads();
  b.out[here()] = tile[kThreads - 1 - threadIdx.x];  // initcheck: partly_filled_tile
}

__global__ void dynamic_shared_not_filled(Buffers b) {
  extern __shared__ int values[];
  if (threadIdx.x >= 32) values[threadIdx.x] = b.in[here()];
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < kThreads; i += 8) sum += values[i];  // initcheck: dynamic_shared_not_filled
  b.out[here()] = sum;
}

__global__ void through_a_shuffle(Buffers b) {
  const int value = threadIdx.x % 32 == 31 ? b.fresh[here()] : 0;  // initcheck: through_a_shuffle
  b.out[here()] = __shfl_down_sync(kWarp, value, 1);
}

__device__ __noinline__ int square(int value) { return value * value; }

__global__ void through_a_call(Buffers b) {
  const int value = b.fresh[here()];  // initcheck: through_a_call
  b.out[here()] = square(value);
}

__global__ void through_shared_memory(Buffers b) {
  __shared__ int tile[kThreads];
  tile[threadIdx.x] = b.fresh[here()];  // initcheck: through_shared_memory
  __syncthreads();
  b.out[here()] = tile[kThreads - 1 - threadIdx.x];
}

__global__ void through_local_memory(Buffers b) {
  int values[8] = {};
  values[threadIdx.x % 8] = b.fresh[here()];  // initcheck: through_local_memory
  b.out[here()] = values[(b.in[here()] + threadIdx.x) % 8];
}

__global__ void through_an_async_copy(Buffers b) {
  __shared__ int tile[kThreads];
  __pipeline_memcpy_async(&tile[threadIdx.x], &b.fresh[here()], sizeof(int));  // initcheck: through_an_async_copy
  __pipeline_commit();
  __pipeline_wait_prior(0);
  b.out[here()] = tile[threadIdx.x];
}

__global__ void copied_before_it_was_written(Buffers b) {
  b.out[here()] = b.copy_of_fresh[here()];  // initcheck: copied_before_it_was_written
}

__global__ void vote(Buffers b) {
  const int value = b.fresh[here()];  // initcheck: vote
  if (__any_sync(kWarp, value == 5)) b.out[here()] = 1;
}

__global__ void memory_of_the_heap(Buffers b) {
  if (threadIdx.x != 0) return;
  int* const values = static_cast<int*>(malloc(4 * sizeof(int)));
  values[0] = 1;
  b.out[here()] = values[1];  // initcheck: memory_of_the_heap
  free(values);
}

// What lies past the filled part of a tile, and where that matters.

__device__ int* tile_filled_in_part(Buffers b) {
  __shared__ int tile[kThreads];
  if (threadIdx.x < kFilled) tile[threadIdx.x] = b.in[here()];
  __syncthreads();
  return tile;
}

// By all threads, as the compiler does not know how long the tile is. A macro: its line is that of its use.
#define ELEMENT_OF(tile) (*const_cast<const volatile int*>(&(tile)[threadIdx.x]))

__global__ void selected_by_the_unknown(Buffers b) {
  const int value = ELEMENT_OF(tile_filled_in_part(b));  // initcheck: selected_by_the_unknown
  b.out[here()] = value > 0 ? 1 : 2;
}

__global__ void smaller_of_two(Buffers b) {
  const int value = ELEMENT_OF(tile_filled_in_part(b));  // initcheck: smaller_of_two
  b.out[here()] = value < 7 ? value : 7;
}

__global__ void masked_in_part(Buffers b) {
  const int value = ELEMENT_OF(tile_filled_in_part(b));  // initcheck: masked_in_part
  b.out[here()] = (value & 0x0F0F0F0F) + 1;
}

__global__ void product_with_a_number(Buffers b) {
  const int value = ELEMENT_OF(tile_filled_in_part(b));  // initcheck: product_with_a_number
  b.out[here()] = value * (b.in[here()] + 3);
}

__global__ void ballot_of_all(Buffers b) {
  const int value = ELEMENT_OF(tile_filled_in_part(b));  // initcheck: ballot_of_all
  b.out[here()] = static_cast<int>(__ballot_sync(kWarp, value == 0));
}

__global__ void number_of_all(Buffers b) {
  const int value = ELEMENT_OF(tile_filled_in_part(b));  // initcheck: number_of_all
  b.out[here()] = __popc(__ballot_sync(kWarp, value == 0));
}

__global__ void all_of_all(Buffers b) {
  const int value = ELEMENT_OF(tile_filled_in_part(b));  // initcheck: all_of_all
  b.out[here()] = __all_sync(kWarp, value == 0);
}

__global__ void match_of_all(Buffers b) {
  const int value = ELEMENT_OF(tile_filled_in_part(b));  // initcheck: match_of_all
  b.out[here()] = static_cast<int>(__match_any_sync(kWarp, value));
}

__global__ void sum_over_the_tail(Buffers b) {
  int value = ELEMENT_OF(tile_filled_in_part(b));  // initcheck: sum_over_the_tail
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(kWarp, value, step);
  if (threadIdx.x % 32 == 0) b.out[here()] = value;
}

__global__ void other_half_of_a_pair(Buffers b) {
  __shared__ unsigned pairs[kThreads];
  reinterpret_cast<volatile unsigned short*>(pairs)[2 * threadIdx.x] = 7;
  __syncthreads();
  const unsigned pair = *const_cast<volatile unsigned*>(&pairs[threadIdx.x]);  // initcheck: other_half_of_a_pair
  unsigned sum;
  asm("add.f16x2 %0, %1, %1;" : "=r"(sum) : "r"(pair));
  reinterpret_cast<unsigned short*>(b.out)[here()] = static_cast<unsigned short>(sum >> 16);
}

// --- right ---

struct Gap {
  char tag;
  int value;
};

__global__ void structures_with_gaps(Buffers b) {
  __shared__ Gap gaps[kThreads];
  gaps[threadIdx.x].tag = 'a';
  gaps[threadIdx.x].value = here();
  __syncthreads();
  auto* const out = reinterpret_cast<Gap*>(b.out);
  if (blockIdx.x == 0) out[threadIdx.x] = gaps[kThreads - 1 - threadIdx.x];
}

__device__ __noinline__ int sum_of(Gap gap) { return gap.tag + gap.value; }

__global__ void structures_by_value(Buffers b) {
  __shared__ Gap gaps[kThreads];
  gaps[threadIdx.x].tag = 'a';
  gaps[threadIdx.x].value = here();
  __syncthreads();
  b.out[here()] = sum_of(gaps[kThreads - 1 - threadIdx.x]);
}

__global__ void read_too_much_and_guarded(Buffers b) {
  __shared__ int tile[kThreads];
  if (threadIdx.x < kFilled) tile[threadIdx.x] = b.in[here()];
  __syncthreads();
  const int value = *const_cast<volatile int*>(&tile[threadIdx.x]) + 1;
  if (threadIdx.x < kFilled) b.out[here()] = value;
}

__global__ void vector_past_the_tail(Buffers b) {
  __shared__ alignas(16) int tile[kThreads];
  constexpr int kTail = kFilled - 2;
  if (threadIdx.x < kTail) tile[threadIdx.x] = b.in[here()];
  __syncthreads();
  const int first = 4 * static_cast<int>(threadIdx.x);
  if (first >= kTail) return;
  const int4 four = *reinterpret_cast<const int4*>(&tile[first]);
  int* const out = b.out + blockIdx.x * kThreads + first;
  if (first < kTail) out[0] = four.x;
  if (first + 1 < kTail) out[1] = four.y;
  if (first + 2 < kTail) out[2] = four.z;
  if (first + 3 < kTail) out[3] = four.w;
}

__global__ void bytes_of_a_word(Buffers b) {
  __shared__ alignas(4) unsigned char bytes[4 * kThreads];
  bytes[4 * threadIdx.x] = 3;
  bytes[4 * threadIdx.x + 2] = 5;
  __syncwarp();
  const unsigned word = *reinterpret_cast<const volatile unsigned*>(&bytes[4 * threadIdx.x]);
  b.out[here()] = static_cast<int>((word & 0xFF) + (word >> 16 & 0xFF));
}

__global__ void decided_by_the_other_half(Buffers b) {
  __shared__ int tile[kThreads];
  if (threadIdx.x < kFilled) tile[threadIdx.x] = b.in[here()];
  __syncthreads();
  const int value = *const_cast<volatile int*>(&tile[threadIdx.x]);
  const unsigned found = __ballot_sync(kWarp, threadIdx.x < kFilled && value == 0);
  if (threadIdx.x % 32 == 0) b.out[here()] = static_cast<int>(found);
}

__global__ void shuffled_from_where_it_is(Buffers b) {
  __shared__ int tile[kThreads];
  if (threadIdx.x % 32 < 16) tile[threadIdx.x] = b.in[here()];
  __syncwarp();
  const int value = *const_cast<volatile int*>(&tile[threadIdx.x]);
  b.out[here()] = __shfl_sync(kWarp, value, static_cast<int>(threadIdx.x) % 16);
}

__global__ void dynamic_shared_filled(Buffers b) {
  extern __shared__ int values[];
  values[threadIdx.x] = b.in[here()];
  __syncthreads();
  b.out[here()] = values[kThreads - 1 - threadIdx.x];
}

__global__ void filled_by_the_host(Buffers b) { b.out[here()] = b.in[kElements - 1 - here()]; }

__global__ void copied_on_the_device(Buffers b) { b.out[here()] = b.copied[kElements - 1 - here()]; }

__global__ void written_before(Buffers b) {
  b.fresh[here()] = static_cast<int>(threadIdx.x);
  __syncthreads();
  b.out[here()] = b.fresh[blockIdx.x * kThreads + kThreads - 1 - threadIdx.x];
}

__global__ void counters_zeroed(Buffers b) {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) b.out[blockIdx.x * 16 + threadIdx.x] = bins[threadIdx.x];
}

__global__ void exchanged_and_forgotten(Buffers b) {
  atomicExch(&b.fresh[here()], 1);
  atomicAdd(&b.fresh[here()], 1);
}

__global__ void heap_written(Buffers b) {
  if (threadIdx.x != 0) return;
  int* const values = static_cast<int*>(malloc(4 * sizeof(int)));
  values[1] = 1;
  b.out[here()] = values[1];
  free(values);
}

__global__ void asynchronous_copy(Buffers b) {
  __shared__ int tile[kThreads];
  __pipeline_memcpy_async(&tile[threadIdx.x], &b.in[here()], sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  b.out[here()] = tile[threadIdx.x];
}

__global__ void tail_selected_away(Buffers b) {
  const int value = ELEMENT_OF(tile_filled_in_part(b));
  b.out[here()] = threadIdx.x < kFilled ? value : 0;
}

__global__ void smaller_of_two_discarded(Buffers b) {
  const int value = ELEMENT_OF(tile_filled_in_part(b));
  const int smaller = value < 7 ? value + 1 : 7;
  if (threadIdx.x < kFilled) b.out[here()] = smaller;
}

__global__ void same_whatever_it_is(Buffers b) {
  const int value = ELEMENT_OF(tile_filled_in_part(b));
  const int same = b.in[here()] + 5;
  b.out[here()] = value < 7 ? same : 5;
}

__global__ void masked_with_zeros(Buffers b) {
  const int value = ELEMENT_OF(tile_filled_in_part(b));
  b.out[here()] = value & (threadIdx.x < kFilled ? -1 : 0);
}

__global__ void masked_and_joined(Buffers b) {
  const int value = ELEMENT_OF(tile_filled_in_part(b));
  const int mask = threadIdx.x < kFilled ? -1 : 0;
  int joined;
  asm("lop3.b32 %0, %1, %2, %3, 0xEA;" : "=r"(joined) : "r"(value), "r"(mask), "r"(b.in[here()]));  // a & b | c
  b.out[here()] = joined;
}

__global__ void times_zero(Buffers b) {
  const int value = ELEMENT_OF(tile_filled_in_part(b));
  b.out[here()] = value * (threadIdx.x < kFilled ? 1 : 0) + b.in[here()];
}

__global__ void least_of_zero(Buffers b) {
  const auto value = static_cast<unsigned>(ELEMENT_OF(tile_filled_in_part(b)));
  b.out[here()] = static_cast<int>(min(value, threadIdx.x < kFilled ? kWarp : 0u));
}

__global__ void ballot_of_the_filled(Buffers b) {
  const int value = ELEMENT_OF(tile_filled_in_part(b));
  const unsigned filled = __ballot_sync(kWarp, threadIdx.x < kFilled);
  b.out[here()] = __popc(__ballot_sync(kWarp, value == 0) & filled);
}

__global__ void any_without_the_tail(Buffers b) {
  const int value = ELEMENT_OF(tile_filled_in_part(b));
  const bool is_one = threadIdx.x % 32 == 0;
  if (__any_sync(kWarp, is_one || value == 5)) b.out[here()] = 1;
}

__global__ void match_of_the_filled(Buffers b) {
  const int value = ELEMENT_OF(tile_filled_in_part(b));
  const unsigned filled = __ballot_sync(kWarp, threadIdx.x < kFilled);
  const unsigned same = __match_any_sync(kWarp, value) & filled;
  if (threadIdx.x < kFilled) b.out[here()] = static_cast<int>(same);
}

__global__ void sum_without_the_tail(Buffers b) {  // the last warp has 8 of its 32 elements
  int value = ELEMENT_OF(tile_filled_in_part(b));
  for (int step = 4; step > 0; step /= 2) value += __shfl_down_sync(kWarp, value, step);
  if (threadIdx.x % 32 == 0 && threadIdx.x < kFilled) b.out[here()] = value;
}

__global__ void one_half_of_a_pair(Buffers b) {
  __shared__ unsigned pairs[kThreads];
  reinterpret_cast<volatile unsigned short*>(pairs)[2 * threadIdx.x] = 7;
  __syncthreads();
  const unsigned pair = *const_cast<volatile unsigned*>(&pairs[threadIdx.x]);
  unsigned sum;
  asm("add.f16x2 %0, %1, %1;" : "=r"(sum) : "r"(pair));
  b.out[here()] = static_cast<int>((sum & 0xFFFF) + ((pair + 1) & 0xFF));
}

__global__ void next_tile_that_is_not_used(Buffers b) {
  const int* const tile = tile_filled_in_part(b);
  int sum = 0, next = *const_cast<const volatile int*>(&tile[0]);
  for (int i = 1; i <= kFilled; ++i) {  // reads one too many
    const int value = next;
    next = *const_cast<const volatile int*>(&tile[i]);
    sum += value;
  }
  b.out[here()] = sum;
}

struct Pattern {
  const char* name;
  void (*kernel)(Buffers);
};
#define PATTERN(kernel) \
  { #kernel, kernel }
const Pattern kPatterns[] = {
    PATTERN(stored_as_it_was),
    PATTERN(stored_after_arithmetic),
    PATTERN(branch),
    PATTERN(index),
    PATTERN(added_to_the_result),
    PATTERN(counters_never_zeroed),
    PATTERN(sum_never_zeroed),
    PATTERN(partly_filled_tile),
    PATTERN(dynamic_shared_not_filled),
    PATTERN(through_a_shuffle),
    PATTERN(through_a_call),
    PATTERN(through_shared_memory),
    PATTERN(through_local_memory),
    PATTERN(through_an_async_copy),
    PATTERN(copied_before_it_was_written),
    PATTERN(vote),
    PATTERN(memory_of_the_heap),
    PATTERN(selected_by_the_unknown),
    PATTERN(smaller_of_two),
    PATTERN(masked_in_part),
    PATTERN(product_with_a_number),
    PATTERN(ballot_of_all),
    PATTERN(number_of_all),
    PATTERN(all_of_all),
    PATTERN(match_of_all),
    PATTERN(sum_over_the_tail),
    PATTERN(other_half_of_a_pair),
    PATTERN(structures_with_gaps),
    PATTERN(structures_by_value),
    PATTERN(read_too_much_and_guarded),
    PATTERN(vector_past_the_tail),
    PATTERN(bytes_of_a_word),
    PATTERN(decided_by_the_other_half),
    PATTERN(shuffled_from_where_it_is),
    PATTERN(dynamic_shared_filled),
    PATTERN(filled_by_the_host),
    PATTERN(copied_on_the_device),
    PATTERN(written_before),
    PATTERN(counters_zeroed),
    PATTERN(exchanged_and_forgotten),
    PATTERN(heap_written),
    PATTERN(asynchronous_copy),
    PATTERN(tail_selected_away),
    PATTERN(smaller_of_two_discarded),
    PATTERN(same_whatever_it_is),
    PATTERN(masked_with_zeros),
    PATTERN(masked_and_joined),
    PATTERN(times_zero),
    PATTERN(least_of_zero),
    PATTERN(ballot_of_the_filled),
    PATTERN(any_without_the_tail),
    PATTERN(match_of_the_filled),
    PATTERN(sum_without_the_tail),
    PATTERN(one_half_of_a_pair),
    PATTERN(next_tile_that_is_not_used),
};

}  // namespace

int main(int argc, char** argv) {
  for (const Pattern& pattern : kPatterns) {
    if (argc < 2) {
      std::printf("%s\n", pattern.name);
      continue;
    }
    if (std::strcmp(argv[1], pattern.name) != 0) continue;
    constexpr std::size_t kBytes = kElements * sizeof(int);
    Buffers b{};
    for (int** buffer : {&b.in, &b.out, &b.fresh, &b.copied, &b.copy_of_fresh}) cudaMalloc(buffer, kBytes);
    cudaMemset(b.in, 0, kBytes);
    cudaMemset(b.out, 0, kBytes);
    cudaMemcpy(b.copied, b.in, kBytes, cudaMemcpyDeviceToDevice);
    if (pattern.kernel == copied_before_it_was_written)
      cudaMemcpy(b.copy_of_fresh, b.fresh, kBytes, cudaMemcpyDeviceToDevice);
    pattern.kernel<<<kBlocks, kThreads, kThreads * sizeof(int)>>>(b);
    const cudaError_t status = cudaDeviceSynchronize();
    for (int* buffer : {b.in, b.out, b.fresh, b.copied, b.copy_of_fresh}) cudaFree(buffer);
    std::printf("%s: %s\n", pattern.name, cudaGetErrorName(status));
    return 0;
  }
  return argc < 2 ? 0 : 1;
}
