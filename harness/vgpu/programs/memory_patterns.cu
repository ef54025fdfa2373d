// Accesses at the edges of what they may touch: some beyond, some just inside, each a kernel.
// Usage: memory_patterns NAME
// A line that ends in "CHECKER: NAME" is where that checker must report that pattern, and nowhere else.
#include <cstdio>
#include <cstring>

namespace {

constexpr int kThreads = 128;
constexpr int kBlocks = 3;
constexpr int kElements = 300;  // no multiple of kThreads: the last block has threads without one

struct Buffers {
  int* in;     // kElements zeros
  int* out;    // kElements zeros
  int* freed;  // was as long
  int* null;
  int* host;  // ordinary memory of the host
};

__device__ int here() { return static_cast<int>(blockIdx.x * kThreads + threadIdx.x); }

// --- wrong ---

__global__ void no_guard(Buffers b) {
  b.out[here()] = 1;  // memcheck: no_guard
}

__global__ void guard_off_by_one(Buffers b) {
  if (here() <= kElements) b.out[here()] = 1;  // memcheck: guard_off_by_one
}

__global__ void right_neighbour(Buffers b) {
  if (here() < kElements) b.out[here()] = b.in[here() + 1];  // memcheck: right_neighbour
}

__global__ void left_neighbour(Buffers b) {
  if (here() < kElements) b.out[here()] = b.in[here() - 1];  // memcheck: left_neighbour
}

__global__ void bytes_for_elements(Buffers b) {
  const int at = here() * static_cast<int>(sizeof(int));
  if (here() < kElements) b.out[at] = 1;  // memcheck: bytes_for_elements
}

__global__ void pairs_of_too_few(Buffers b) {
  auto* const pairs = reinterpret_cast<int2*>(b.out);
  if (here() <= kElements / 2) pairs[here()] = make_int2(1, 2);  // memcheck: pairs_of_too_few
}

__global__ void atomic_past_the_end(Buffers b) {
  if (here() < kElements) atomicAdd(&b.out[kElements + here() % 4], 1);  // memcheck: atomic_past_the_end
}

__global__ void tile_too_small(Buffers b) {
  __shared__ int tile[kThreads];
  tile[threadIdx.x + 1] = static_cast<int>(threadIdx.x);  // memcheck: tile_too_small
  __syncthreads();
  if (here() < kElements) b.out[here()] = tile[threadIdx.x == 0 ? 1 : threadIdx.x];
}

__global__ void dynamic_shared_too_small(Buffers b) {
  extern __shared__ int values[];
  values[2 * threadIdx.x] = 1;  // memcheck: dynamic_shared_too_small
  if (here() < kElements) b.out[here()] = 1;
}

__global__ void local_array_overrun(Buffers b) {
  int values[4] = {1, 2, 3, 4};
  if (here() >= kElements) return;
  values[b.in[here()] & 3] = 7;
  b.out[here()] = values[100000 + b.in[here()]];  // memcheck: local_array_overrun
}

__global__ void odd_address(Buffers b) {
  if (here() != 0) return;
  *reinterpret_cast<int*>(reinterpret_cast<char*>(b.out) + 2) = 1;  // memcheck: odd_address
}

__global__ void vector_at_an_element(Buffers b) {
  if (here() != 0) return;
  *reinterpret_cast<int4*>(b.out + 1) = make_int4(1, 2, 3, 4);  // memcheck: vector_at_an_element
}

__global__ void after_free(Buffers b) {
  if (here() < kElements) b.out[here()] = b.freed[here()];  // memcheck: after_free
}

__global__ void null_pointer(Buffers b) {
  if (here() < kElements) b.out[here()] = b.null[here()];  // memcheck: null_pointer
}

__global__ void host_memory(Buffers b) {
  if (here() < kElements) b.host[here()] = 1;  // memcheck: host_memory
}

// --- right ---

__global__ void guarded(Buffers b) {
  if (here() < kElements) b.out[here()] = b.in[here()] + 1;
}

__global__ void strided_loop(Buffers b) {
  for (int i = here(); i < kElements; i += static_cast<int>(gridDim.x * blockDim.x)) b.out[i] = i;
}

__global__ void neighbours_inside(Buffers b) {
  const int i = here();
  if (i < kElements) b.out[i] = (i > 0 ? b.in[i - 1] : 0) + (i + 1 < kElements ? b.in[i + 1] : 0);
}

__global__ void pointer_past_the_end(Buffers b) {
  const int* const end = b.in + kElements;
  for (const int* at = b.in + here(); at < end; at += static_cast<int>(gridDim.x * blockDim.x)) b.out[at - b.in] = *at;
}

__global__ void bytes_of_elements(Buffers b) {
  auto* const bytes = reinterpret_cast<unsigned char*>(b.out);
  if (here() < kElements) bytes[sizeof(int) * here() + 3] = 1;
}

__global__ void vectors(Buffers b) {
  if (here() < kElements / 4) reinterpret_cast<int4*>(b.out)[here()] = reinterpret_cast<const int4*>(b.in)[here()];
}

__global__ void tile_with_halo(Buffers b) {
  __shared__ int tile[kThreads + 2];
  const int i = here(), t = static_cast<int>(threadIdx.x);
  tile[t + 1] = i < kElements ? b.in[i] : 0;
  if (t == 0) tile[0] = i > 0 ? b.in[i - 1] : 0;
  if (t == kThreads - 1) tile[kThreads + 1] = i + 1 < kElements ? b.in[i + 1] : 0;
  __syncthreads();
  if (i < kElements) b.out[i] = tile[t] + tile[t + 1] + tile[t + 2];
}

__global__ void dynamic_shared_filled_up(Buffers b) {
  extern __shared__ int values[];
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  if (here() < kElements) b.out[here()] = values[kThreads - 1 - threadIdx.x];
}

__global__ void local_array(Buffers b) {
  int values[8] = {};
  if (here() >= kElements) return;
  for (int k = 0; k < 8; ++k) values[(k + b.in[here()]) & 7] = k;
  b.out[here()] = values[(here() + b.in[here()]) & 7];
}

__global__ void null_pointer_not_used(Buffers b) {
  if (here() < kElements && b.null != nullptr) b.out[here()] = b.null[here()];
}

struct Pattern {
  const char* name;
  void (*kernel)(Buffers);
};
#define PATTERN(kernel) \
  { #kernel, kernel }
const Pattern kPatterns[] = {
    PATTERN(no_guard),
    PATTERN(guard_off_by_one),
    PATTERN(right_neighbour),
    PATTERN(left_neighbour),
    PATTERN(bytes_for_elements),
    PATTERN(pairs_of_too_few),
    PATTERN(atomic_past_the_end),
    PATTERN(tile_too_small),
    PATTERN(dynamic_shared_too_small),
    PATTERN(local_array_overrun),
    PATTERN(odd_address),
    PATTERN(vector_at_an_element),
    PATTERN(after_free),
    PATTERN(null_pointer),
    PATTERN(host_memory),
    PATTERN(guarded),
    PATTERN(strided_loop),
    PATTERN(neighbours_inside),
    PATTERN(pointer_past_the_end),
    PATTERN(bytes_of_elements),
    PATTERN(vectors),
    PATTERN(tile_with_halo),
    PATTERN(dynamic_shared_filled_up),
    PATTERN(local_array),
    PATTERN(null_pointer_not_used),
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
    static int host[kElements];
    Buffers b{nullptr, nullptr, nullptr, nullptr, host};
    for (int** buffer : {&b.in, &b.out, &b.freed}) {
      cudaMalloc(buffer, kBytes);
      cudaMemset(*buffer, 0, kBytes);
    }
    cudaFree(b.freed);
    pattern.kernel<<<kBlocks, kThreads, kThreads * sizeof(int)>>>(b);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(b.in);
    cudaFree(b.out);
    std::printf("%s: %s\n", pattern.name, cudaGetErrorName(status));
    return 0;
  }
  return argc < 2 ? 0 : 1;
}
