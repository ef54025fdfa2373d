// Lab overlap: copies and kernels at the same time. This is the only file you edit. README.md is the handout;
// overlap.cuh specifies exactly what each function must do.
//
//   make check LAB=overlap         builds this file, runs it on many sizes, and reports what is wrong and where
//
// Both kernels are given. What there is to write, and to make fast, is what the host does.
#include "overlap.cuh"

constexpr int kThreadsPerBlock = 256;

// One thread stretches one key.
__global__ void stretch_kernel(const std::uint32_t* keys, std::uint32_t* digests, std::size_t n, int rounds) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  std::uint32_t x = keys[i];
  for (int round = 0; round < rounds; ++round) {
    x = (x ^ (x >> 15)) * kFactor + kTerm;
    x = x ^ (x >> 13);
  }
  digests[i] = x;
}

// Task stretch.
void stretch(const std::uint32_t* keys_h, std::uint32_t* digests_h, std::size_t n, int rounds) {
  // Not implemented yet: as it stands, this copies nothing and leaves digests_h as it was.
  //
  // Part 1  Without keys there is nothing to do. Otherwise allocate two arrays on the device, copy the keys in, launch
  //         the kernel, copy the digests out, and free both arrays. Check it before you go on.
  //
  // Part 2  Cut the keys into pieces. For each piece, ask for its copy in (cudaMemcpyAsync), its kernel and its copy
  //         out, all in one stream, and for the next piece in another stream: cudaStreamCreate makes them, the fourth
  //         parameter of a launch names one. Wait for all streams before you free anything. Mind the last piece.
  //
  // Part 3  How many streams does it take until a copy in, a kernel and a copy out go on at any time, and how many
  //         pieces are best? Predict it from the handout's formula first. Short arrays are not worth cutting.
}

// ---------------------------------------------------------------------------------------------------------------------
// One thread computes one cell's next value.
__global__ void step_kernel(const std::uint32_t* old_cells, std::uint32_t* new_cells, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  const std::uint32_t left = old_cells[i > 0 ? i - 1 : n - 1];
  const std::uint32_t right = old_cells[i + 1 < n ? i + 1 : 0];
  new_cells[i] = (left ^ (old_cells[i] >> 3)) + 5 * right;
}

// Task evolve.
void evolve(const std::uint32_t* d_start, std::uint32_t* d_end, int n, int steps) {
  // Not implemented yet: as it stands, this launches nothing and leaves d_end as it was.
  //
  // Part 1  Without cells there is nothing to do; without steps, copy. A step reads one array and writes another, so
  //         two are needed: d_end, and one that you allocate. d_start is not to be changed. Which of the two does the
  //         first step write to, so that the last one writes to d_end? Launch a kernel for each step.
  //
  // Part 2  Does the host have to wait anywhere?
  //
  // Part 3  Capture an even number of steps in a stream of your own (cudaStreamBeginCapture, launches into that stream,
  //         cudaStreamEndCapture), instantiate the graph (cudaGraphInstantiate) and launch it as often as it fits in
  //         (cudaGraphLaunch). Launch what is left over as before. Destroy graph, executable graph and stream.
}
