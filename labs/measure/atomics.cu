// What atomic additions cost, by how many threads of a warp, and of the device, want the same word.
//
//   nvcc -std=c++17 -arch=sm_90 -lineinfo -cudart shared -o atomics labs/measure/atomics.cu
//   ./atomics 2112                on a GPU: 2112 blocks
//   lanewise run -- ./atomics     on the virtual GPU
#include "measure.cuh"

namespace {

constexpr int kThreads = 256;
constexpr int kMostWords = 1 << 20;
constexpr int kSharedWords = 4096;
constexpr unsigned kTurns = 256;  // additions of each thread

// Spreads indices over [0, words), a power of two: a multiplication by an odd number keeps different ones different.
// What is added differs from turn to turn: ones could simply be counted.
__device__ unsigned scattered(unsigned i, unsigned words) { return i * 2654435761u % words; }

__global__ void add_global(unsigned* words, unsigned different) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  for (unsigned turn = 0; turn < kTurns; ++turn) atomicAdd(&words[scattered(i + turn * 7919, different)], turn);
}

__global__ void add_shared(unsigned* words, unsigned different) {
  __shared__ unsigned mine[kSharedWords];
  for (unsigned i = threadIdx.x; i < kSharedWords; i += kThreads) mine[i] = 0;
  __syncthreads();
  for (unsigned turn = 0; turn < kTurns; ++turn)
    atomicAdd(&mine[scattered(threadIdx.x + turn * 7919, different)], turn);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(words, mine[0]);  // or the compiler could leave the additions out
}

// One lane adds for all that want the same word, here for the whole warp.
__global__ void add_once_a_warp(unsigned* words) {
  for (unsigned turn = 0; turn < kTurns; ++turn) {
    const unsigned lanes = __activemask();
    if (threadIdx.x % 32 == 0) atomicAdd(words, turn * static_cast<unsigned>(__popc(lanes)));
    __syncwarp();
  }
}

}  // namespace

int main(int argument_count, char** argument_list) {
  const Arguments arguments = arguments_of(argument_count, argument_list, "blocks of 65,536 additions", 4, 1 << 16);
  const auto blocks = static_cast<unsigned>(arguments.size);
  const double additions = static_cast<double>(blocks) * kThreads * kTurns;
  const DeviceArray<unsigned> words(kMostWords);
  const auto rate = [&](const std::function<void()>& work) { return additions / milliseconds(work) / 1e6; };

  Chart global(arguments.csv, "additions to global memory, by different words", "billions a second");
  global.add("1, added once a warp", rate([&] { add_once_a_warp<<<blocks, kThreads>>>(words.get()); }));
  for (unsigned different = 1; different <= kMostWords; different *= 16)
    global.add(different, rate([&] { add_global<<<blocks, kThreads>>>(words.get(), different); }));
  global.print();

  Chart shared(arguments.csv, "additions to a block's shared memory, by different words", "billions a second");
  for (unsigned different = 1; different <= kSharedWords; different *= 4)
    shared.add(different, rate([&] { add_shared<<<blocks, kThreads>>>(words.get(), different); }));
  shared.print();
}
