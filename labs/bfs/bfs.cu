// Lab bfs: distances of all vertices of a graph from one of them. This is the only file you edit. README.md is the
// handout, bfs.cuh says exactly what the function must do.
//
//   make check LAB=bfs             builds this file, runs it on many graphs, and says what is wrong and where
//
// Write part 1 first and check it: it can have every point of "correct" and "clean". Parts 2 and 3 take its kernel's
// place, and are for graphs with many levels. Part 4 is for graphs in which a few vertices have most of the edges. Only
// the declaration of bfs() must stay as it is: what parameters the kernels have is up to you.
#include "bfs.cuh"

#include <cstdio>
#include <cuda/atomic>

// Every CUDA function returns a status, and a status nobody looks at is a bug that shows up somewhere else. Wrap each
// call: CHECK(cudaMalloc(...)). On an error it says where and why, and leaves the function it stands in.
#define CHECK(call)                                                                                   \
  do {                                                                                                \
    const cudaError_t status = (call);                                                                \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      return;                                                                                         \
    }                                                                                                 \
  } while (false)

constexpr int kThreadsPerBlock = 256;

// Words that one thread reads while another one may write them. Use these wherever that happens:
//   read_word(distance[v])   write_word(distance[v], 7)
// The handout says why plain reads and writes will not do.
using Word = cuda::atomic_ref<std::int32_t, cuda::thread_scope_device>;
__device__ inline std::int32_t read_word(std::int32_t& word) { return Word(word).load(cuda::memory_order_relaxed); }
__device__ inline void write_word(std::int32_t& word, std::int32_t value) {
  Word(word).store(value, cuda::memory_order_relaxed);
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 1: in every level, every vertex asks whether it is its turn.
__global__ void begin_kernel(std::int32_t* distance, int num_vertices, int source) {
  // TODO 1  One thread a vertex: the source's distance is 0, all others' kUnreached. Threads behind the last vertex
  //         have nothing to do.
}

// found_any: a word in device memory that is 0 before the launch. Whoever finds a vertex sets it to 1.
__global__ void push_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, int num_vertices,
                            std::int32_t level, std::int32_t* distance, std::int32_t* found_any) {
  // TODO 2  One thread a vertex. Is its distance `level`? If not, it has nothing to do in this level.
  // TODO 3  For each neighbour whose distance is kUnreached: set it to level + 1, and say so in *found_any.
}

// ---------------------------------------------------------------------------------------------------------------------
// Task bfs.
void bfs(const std::int32_t* d_row_offsets, const std::int32_t* d_columns, int num_vertices, int num_edges, int source,
         std::int32_t* d_distance) {
  // Not implemented yet: as it stands this launches nothing and leaves d_distance as it was.
  //
  // TODO 4  Allocate one word for found_any. Launch begin_kernel.
  // TODO 5  For level = 0, 1, 2, ...: set the word to 0 (cudaMemset), launch push_kernel, and copy the word to the host
  //         (cudaMemcpy, which waits for the kernel). When nobody was found the search is over. CHECK every call, and
  //         CHECK(cudaGetLastError()) after every launch.
  // TODO 6  Free the word.
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 2, when all of the above is right: a thread only for those whose turn it is. Two arrays of num_vertices numbers
// hold the frontier, which is the vertices at distance `level`, and the next one; a word in device memory counts the
// latter.
//
// TODO 1  begin_kernel also makes the first frontier: the source.
// TODO 2  A kernel with one thread for each vertex v of the frontier. A neighbour that is unreached is claimed by
//         atomicCAS(&distance[u], kUnreached, level + 1). The one thread whose atomicCAS returns kUnreached puts u into
//         the next frontier, at the place that atomicAdd(next_size, 1) gives it.
// TODO 3  The loop: set the counter to 0, launch as many blocks as the frontier needs, copy the counter to the host,
//         and let the two arrays change places. The search is over when the new frontier has no vertices.
//
// Part 3: a queue for every block, in shared memory. In the kernel of part 2,
//
// TODO 1  __shared__: the queue, a counter of its vertices that one thread sets to 0, and a place for TODO 4. Barrier.
// TODO 2  Who finds a vertex gets a place in the queue by atomicAdd on the block's counter. If the queue is full, the
//         vertex goes straight into the next frontier, as in part 2.
// TODO 3  Barrier: the queue is complete. (So threads without a vertex must not have returned.)
// TODO 4  One thread reserves places for all that is in the queue, with one atomicAdd(next_size, ...). Barrier.
// TODO 5  All threads copy: neighbouring threads neighbouring places.
//
// Part 4: a warp pools its lists. The frontier holds pieces of lists, of at most 64 edges each, in place of vertices.
//
// TODO 1  struct Piece: its first edge and how many edges. Frontiers of num_vertices + num_edges / 64 pieces; the first
//         one is made of the source's list.
// TODO 2  The warp's 32 pieces end to end: a scan of their counts by shuffles, in which all 32 lanes take part.
// TODO 3  A loop over these edges, 32 at a time. Which lane's piece does an edge belong to? A search by shuffles.
// TODO 4  Look and swap as before. Who wins a vertex queues the pieces of its list; the queue is that of part 3.
