// Lab bfs: the distance of every vertex of a graph from one of them. This is the only file you edit. README.md is the
// handout; bfs.cuh specifies exactly what the function must do.
//
//   make check LAB=bfs             builds this file, runs it on many graphs, and reports what is wrong and where
//
// Write part 1 first and check it: it can earn full marks for "correct" and "clean". Part 2 replaces its kernel and
// helps with graphs that have many levels. Part 3 prepares for part 4, which is for graphs in which a few vertices have
// most of the edges. Only the declaration of bfs() must stay as it is; the parameters of the kernels are up to you.
#include "bfs.cuh"

#include <cuda/atomic>

constexpr int kThreadsPerBlock = 256;

// Access to words that one thread may write while another one reads or writes them. Use these wherever that happens:
//   read_word(distance[v])   write_word(distance[v], 7)
// The handout explains why plain reads and writes will not do.
using Word = cuda::atomic_ref<std::int32_t, cuda::thread_scope_device>;
__device__ inline std::int32_t read_word(std::int32_t& word) { return Word(word).load(cuda::memory_order_relaxed); }
__device__ inline void write_word(std::int32_t& word, std::int32_t value) {
  Word(word).store(value, cuda::memory_order_relaxed);
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 1: in every level, every vertex checks whether it is its turn.
__global__ void begin_kernel(std::int32_t* distance, int num_vertices, int source) {
  // TODO 1  One thread per vertex: the distance of the source is 0, that of all others is kUnreached. Threads beyond
  //         the last vertex have nothing to do.
}

// found_any: a word in device memory that is 0 before the launch. A thread that finds a vertex sets it to 1.
__global__ void push_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, int num_vertices,
                            std::int32_t level, std::int32_t* distance, std::int32_t* found_any) {
  // TODO 2  One thread per vertex. Is its distance `level`? If not, there is nothing to do in this level.
  // TODO 3  For each neighbour whose distance is kUnreached: set the distance to level + 1. If there was one, set
  //         *found_any.
}

// ---------------------------------------------------------------------------------------------------------------------
// Task bfs.
void bfs(const std::int32_t* d_row_offsets, const std::int32_t* d_columns, int num_vertices, int num_edges, int source,
         std::int32_t* d_distance) {
  // Not implemented yet: as it stands, this launches nothing and leaves d_distance as it was.
  //
  // TODO 4  Allocate one word for found_any. Launch begin_kernel.
  // TODO 5  For level = 0, 1, 2, ...: set the word to 0 (cudaMemset), launch push_kernel, and copy the word to the host
  //         (cudaMemcpy, which waits for the kernel). The search is over when no vertex was found. CHECK every call,
  //         and CHECK(cudaGetLastError()) after every launch.
  // TODO 6  Free the word.
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 2, when all of the above is right: threads only for the vertices whose turn it is. Two arrays of num_vertices
// numbers hold this level's frontier, that is, the vertices at distance `level`, and the next one; a word in device
// memory counts the vertices of the next frontier.
//
// TODO 1  begin_kernel also makes the first frontier: the source.
// TODO 2  A kernel with one thread for each vertex v of the frontier. It claims an unreached neighbour u by calling
//         atomicCAS(&distance[u], kUnreached, level + 1). The one thread whose atomicCAS returns kUnreached puts u into
//         the next frontier, at the place that atomicAdd(next_size, 1) returns.
// TODO 3  The loop: set the counter to 0, launch as many blocks as the frontier needs, copy the counter to the host,
//         and swap the two arrays. The search is over when the new frontier has no vertices.
//
// Part 3: a queue for every block, in shared memory. In the kernel of part 2,
//
// TODO 1  __shared__: the queue, a counter of its vertices that one thread sets to 0, and a place for TODO 4. Barrier.
// TODO 2  A thread that finds a vertex gets a place in the queue by atomicAdd on the block's counter. If the queue is
//         full, the vertex goes straight into the next frontier, as in part 2.
// TODO 3  Barrier: the queue is complete. (So threads without a vertex must not have returned.)
// TODO 4  One thread reserves places for everything in the queue, with one atomicAdd(next_size, ...). Barrier.
// TODO 5  All threads copy: neighbouring threads write to neighbouring places.
//
// Part 4: a warp pools its lists. The frontier holds pieces of lists, of at most 64 edges each, instead of vertices.
//
// TODO 1  struct Piece: its first edge and the number of edges. Frontiers have num_vertices + num_edges / 64 places;
//         the first one holds the pieces of the source's list.
// TODO 2  The warp's 32 pieces end to end: scan their counts by shuffles, in which all 32 lanes take part.
// TODO 3  A loop over these edges, 32 at a time. Which lane's piece does an edge belong to? Search by shuffles.
// TODO 4  Look and swap as before. The lane that wins a vertex queues the pieces of its list, in the queue of part 3.
// TODO 5  cudaMalloc and cudaFree are slow: use pool::Scratch, and pool::keep_freed_memory() first (../cuda_host.cuh).
