// Twenty warm-ups. This is the only file you edit. README.md says what each puzzle is about; puzzles.cuh specifies
// exactly what each function must do.
//
//   build/lanewise check guard     builds this file, and checks the puzzle `guard`
//   make check LAB=puzzles         checks all twenty
//
// For each puzzle, fill in the kernel (ten lines at most), then remove the // in front of its launch and of any line
// just before it.
#include "puzzles.cuh"

// ---------------------------------------------------------------------------------------------------------------------
// 1. map: one thread for each element.
__global__ void map_kernel(const int* in, int* out) {
  // out[i] = in[i] + 10 for this thread's element i. The grid is one block of n threads.
}

void map(const int* d_in, int* d_out, int n) {
  // map_kernel<<<1, n>>>(d_in, d_out);
}

// ---------------------------------------------------------------------------------------------------------------------
// 2. guard: more threads than elements.
__global__ void guard_kernel(const int* in, int* out, int n) {
  // out[i] = 2 * in[i]. There are as many blocks of 128 threads as cover n elements: some threads have none.
}

void guard(const int* d_in, int* d_out, int n) {
  // guard_kernel<<<(n + 127) / 128, 128>>>(d_in, d_out, n);
}

// ---------------------------------------------------------------------------------------------------------------------
// 3. map_2d: two coordinates.
__global__ void map_2d_kernel(const int* in, int* out, int width, int height) {
  // out = in + 100 * row + col at row * width + col. Blocks are 16 threads wide (x) and 16 high (y).
}

void map_2d(const int* d_in, int* d_out, int width, int height) {
  // map_2d_kernel<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(d_in, d_out, width, height);
}

// ---------------------------------------------------------------------------------------------------------------------
// 4. broadcast: one value for many threads.
__global__ void broadcast_kernel(const int* across, const int* down, int* out, int width, int height) {
  // out = across[col] + down[row] at row * width + col. Blocks are 32 threads wide (x) and 8 high (y).
}

void broadcast(const int* d_across, const int* d_down, int* d_out, int width, int height) {
  // const dim3 blocks((width + 31) / 32, (height + 7) / 8);
  // broadcast_kernel<<<blocks, dim3(32, 8)>>>(d_across, d_down, d_out, width, height);
}

// ---------------------------------------------------------------------------------------------------------------------
// 5. grid_stride: fewer threads than elements.
__global__ void grid_stride_kernel(const int* in, int* out, int n) {
  // out[i] = in[i] * in[i]. There are 1024 threads, whatever n is: let each of them loop.
}

void grid_stride(const int* d_in, int* d_out, int n) {
  // grid_stride_kernel<<<8, 128>>>(d_in, d_out, n);
}

// ---------------------------------------------------------------------------------------------------------------------
// 6. shift: neighbours that may not exist.
__global__ void shift_kernel(const int* in, int* out, int n, int by) {
  // out[i] = in[i - by], or 0 if there is no such element. Which of the two tests guards what?
}

void shift(const int* d_in, int* d_out, int n, int by) {
  // shift_kernel<<<(n + 127) / 128, 128>>>(d_in, d_out, n, by);
}

// ---------------------------------------------------------------------------------------------------------------------
// 7. staging: shared memory.
__global__ void staging_kernel(const int* in, int* out) {
  __shared__ int tile[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  // Put the element of this thread into the tile. Barrier. Count the elements of the tile that are less than this
  // thread's own element, which is in the tile, too.
}

void staging(const int* d_in, int* d_out, int blocks) {
  // staging_kernel<<<blocks, 128>>>(d_in, d_out);
}

// ---------------------------------------------------------------------------------------------------------------------
// 8. place_barrier: where barriers belong.
__global__ void place_barrier_kernel(const int* in, int* out) {
  // Two barriers are missing.
  __shared__ int tile[128];
  for (int k = 0; k < 4; ++k) {
    const int first = (blockIdx.x * 4 + k) * 128;
    tile[threadIdx.x] = in[first + threadIdx.x];
    out[first + threadIdx.x] = tile[127 - threadIdx.x];
  }
}

void place_barrier(const int* d_in, int* d_out, int blocks) {
  // place_barrier_kernel<<<blocks, 128>>>(d_in, d_out);
}

// ---------------------------------------------------------------------------------------------------------------------
// 9. pooling: a window of three.
__global__ void pooling_kernel(const int* in, int* out, int n) {
  // out[i] is the greatest of in[i - 1], in[i] and in[i + 1]; the first and the last element have one neighbour.
}

void pooling(const int* d_in, int* d_out, int n) {
  // pooling_kernel<<<(n + 127) / 128, 128>>>(d_in, d_out, n);
}

// ---------------------------------------------------------------------------------------------------------------------
// 10. dot: many products, one sum.
__global__ void dot_kernel(const int* a, const int* b, int* out, int n) {
  __shared__ int products[256];
  const int t = threadIdx.x;
  // Every thread stores one product, or 0 if it has none. Barrier. Thread 0 adds them and writes *out.
}

void dot(const int* d_a, const int* d_b, int* d_out, int n) {
  // dot_kernel<<<1, 256>>>(d_a, d_b, d_out, n);
}

// ---------------------------------------------------------------------------------------------------------------------
// 11. block_sum: a tree.
__global__ void block_sum_kernel(const int* in, int* out) {
  __shared__ int partial[256];
  const int t = threadIdx.x;
  partial[t] = in[blockIdx.x * 256 + t];
  // 128 threads add a partial sum of the other half to theirs, then 64, 32, ... 1. Which barriers does this need?
}

void block_sum(const int* d_in, int* d_out, int blocks) {
  // block_sum_kernel<<<blocks, 256>>>(d_in, d_out);
}

// ---------------------------------------------------------------------------------------------------------------------
// 12. block_scan: all sums on the way.
__global__ void block_scan_kernel(const int* in, int* out) {
  __shared__ int sums[256];
  const int t = threadIdx.x;
  sums[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  // For distances of 1, 2, 4, ... 128: add sums[t - distance] to sums[t], if it exists. All threads read first, then
  // all write: a barrier after each.
}

void block_scan(const int* d_in, int* d_out, int blocks) {
  // block_scan_kernel<<<blocks, 256>>>(d_in, d_out);
}

// ---------------------------------------------------------------------------------------------------------------------
// 13. warp_sum: shuffles.
__global__ void warp_sum_kernel(const int* in, int* out) {
  int sum = in[blockIdx.x * 32 + threadIdx.x];
  // Add what __shfl_down_sync(0xffffffff, sum, offset) fetches from the lane `offset` further up: 16, 8, 4, 2, 1.
}

void warp_sum(const int* d_in, int* d_out, int warps) {
  // warp_sum_kernel<<<warps, 32>>>(d_in, d_out);
}

// ---------------------------------------------------------------------------------------------------------------------
// 14. ballot: a warp votes.
__global__ void ballot_kernel(const int* in, int* out) {
  // Let the warp vote on in[...] > 0, with __ballot_sync(0xffffffff, condition), and count the votes with __popc.
}

void ballot(const int* d_in, int* d_out, int warps) {
  // ballot_kernel<<<warps, 32>>>(d_in, d_out);
}

// ---------------------------------------------------------------------------------------------------------------------
// 15. atomic_count: one counter for all.
__global__ void atomic_count_kernel(const int* in, int* out, int n, int value) {
  // Threads of all blocks count in *out, which is 0 at first. Two of them must not read the same old count.
}

void atomic_count(const int* d_in, int* d_out, int n, int value) {
  // cudaMemset(d_out, 0, sizeof(int));
  // atomic_count_kernel<<<(n + 127) / 128, 128>>>(d_in, d_out, n, value);
}

// ---------------------------------------------------------------------------------------------------------------------
// 16. bins: counting in private first.
__global__ void bins_kernel(const int* in, int* out, int n) {
  __shared__ int bins[8];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // Eight threads set the bins of the block to 0. Barrier. Every thread that has an element counts it in them. Barrier.
  // Eight threads add the bins to out, which is 0 at first.
}

void bins(const int* d_in, int* d_out, int n) {
  // cudaMemset(d_out, 0, 8 * sizeof(int));
  // bins_kernel<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
}

// ---------------------------------------------------------------------------------------------------------------------
// 17. fix_race: a race to fix.
__global__ void fix_race_kernel(const int* in, int* out) {
  __shared__ int ring[256];
  const int t = threadIdx.x;
  ring[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int round = 0; round < 3; ++round) ring[t] += ring[(t + 255) % 256];  // wrong: fix this line
  out[blockIdx.x * 256 + t] = ring[t];
}

void fix_race(const int* d_in, int* d_out, int blocks) {
  // fix_race_kernel<<<blocks, 256>>>(d_in, d_out);
}

// ---------------------------------------------------------------------------------------------------------------------
// 18. turn_tiles: a matrix through tiles.
__global__ void turn_tiles_kernel(const int* in, int* out, int rows, int cols) {
  __shared__ int tile[32][33];  // 33: see puzzle 20
  // Load a tile so that neighbouring threads read neighbouring elements. Barrier. Store it so that they write
  // neighbouring elements, too: what changes places is which element of the tile a thread takes.
}

void turn_tiles(const int* d_in, int* d_out, int rows, int cols) {
  // turn_tiles_kernel<<<dim3(cols / 32, rows / 32), dim3(32, 32)>>>(d_in, d_out, rows, cols);
}

// ---------------------------------------------------------------------------------------------------------------------
// 19. coalesced: neighbours read neighbours.
__global__ void coalesced_kernel(const int* in, int* out, int n) {
  // Right, but every thread takes eight elements in a row: neighbouring threads are eight elements apart.
  const int first = blockIdx.x * 1024 + threadIdx.x * 8;
  for (int k = 0; k < 8; ++k)
    if (first + k < n) out[first + k] = in[first + k] + 1;
}

void coalesced(const int* d_in, int* d_out, int n) {
  // coalesced_kernel<<<(n + 1023) / 1024, 128>>>(d_in, d_out, n);
}

// ---------------------------------------------------------------------------------------------------------------------
// 20. bank_conflict: 32 banks.
__global__ void bank_conflict_kernel(const int* in, int* out) {
  // Right, but in the second loop all lanes read the same bank of shared memory: one after the other.
  __shared__ int tile[32][32];
  const int t = threadIdx.x;
  for (int k = 0; k < 32; ++k) tile[k][t] = in[blockIdx.x * 1024 + k * 32 + t];
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 32; ++k) sum += tile[t][k];
  out[blockIdx.x * 32 + t] = sum;
}

void bank_conflict(const int* d_in, int* d_out, int tiles) {
  // bank_conflict_kernel<<<tiles, 32>>>(d_in, d_out);
}
