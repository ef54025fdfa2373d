// The contract of the warm-ups: twenty functions, each with one idea to practise. Read what belongs to your puzzle, and
// do not change it.
//
// All pointers are to device memory, aligned to 256 bytes. Inputs are read-only; what outputs hold before the call is
// meaningless. Nothing overlaps: read and write nothing outside the arrays. All sums fit into an int.
//
// Reports on wrong results name elements by their coordinates: by row and column, or by block and element of the block
// where a block has a fixed number of them (7, 8, 12, 17, 20). d_out[2 * 128 + 5] of puzzle 7 is out[2, 5].
#pragma once

/// 1. d_out[i] = d_in[i] + 10 for every i in [0, n), with n from 1 to 1024.
void map(const int* d_in, int* d_out, int n);

/// 2. d_out[i] = 2 * d_in[i] for every i in [0, n), with n > 0.
void guard(const int* d_in, int* d_out, int n);

/// 3. Adds its coordinates to every element of a matrix, row-major and without padding:
/// d_out[row * width + col] = d_in[row * width + col] + 100 * row + col.
void map_2d(const int* d_in, int* d_out, int width, int height);

/// 4. An addition table: d_out[row * width + col] = d_across[col] + d_down[row], where d_across has width elements and
/// d_down has height.
void broadcast(const int* d_across, const int* d_down, int* d_out, int width, int height);

/// 5. d_out[i] = d_in[i] * d_in[i] for every i in [0, n), with n > 0. The grid has 8 blocks of 128 threads, however
/// large n is.
void grid_stride(const int* d_in, int* d_out, int n);

/// 6. Moves all elements by the same distance: d_out[i] = d_in[i - by] where 0 <= i - by < n, otherwise 0. `by` may be
/// negative, or larger than n.
void shift(const int* d_in, int* d_out, int n, int by);

/// 7. The place of each element among its peers: d_out[i] is how many of the 128 elements of its block are less than
/// it. (Elements i / 128 * 128 to i / 128 * 128 + 127 are one block.)
void staging(const int* d_in, int* d_out, int blocks);

/// 8. Reverses every 128 elements: d_out[k * 128 + t] = d_in[k * 128 + 127 - t]. A block reverses four such tiles, one
/// after the other, in the same shared memory.
void place_barrier(const int* d_in, int* d_out, int blocks);

/// 9. d_out[i] is the greatest of d_in[i - 1], d_in[i] and d_in[i + 1], of those that exist. n > 0.
void pooling(const int* d_in, int* d_out, int n);

/// 10. *d_out is the sum of d_a[i] * d_b[i] for all i in [0, n), with n from 1 to 256. The grid is one block of 256
/// threads.
void dot(const int* d_a, const int* d_b, int* d_out, int n);

/// 11. d_out[b] is the sum of the 256 elements from d_in[256 * b] on. Every block of 256 threads makes one sum.
void block_sum(const int* d_in, int* d_out, int blocks);

/// 12. The running sums of every 256 elements: d_out[256 * b + t] = d_in[256 * b] + ... + d_in[256 * b + t]. One block
/// of 256 threads for each b.
void block_scan(const int* d_in, int* d_out, int blocks);

/// 13. d_out[w] is the sum of the 32 elements from d_in[32 * w] on. Every block is a single warp.
void warp_sum(const int* d_in, int* d_out, int warps);

/// 14. d_out[w] is how many of the 32 elements from d_in[32 * w] on are greater than 0. Every block is a single warp.
void ballot(const int* d_in, int* d_out, int warps);

/// 15. *d_out is how many of the n elements are equal to value. n > 0.
void atomic_count(const int* d_in, int* d_out, int n, int value);

/// 16. d_out[v] is how many of the n elements are equal to v, for v from 0 to 7. All elements are in this range. n > 0.
void bins(const int* d_in, int* d_out, int n);

/// 17. Three rounds, in each of which every element of a block of 256 becomes the sum of itself and its left neighbour.
/// The left neighbour of a block's first element is its last one. All elements change at the same time: what is added
/// is what the neighbour was before the round.
void fix_race(const int* d_in, int* d_out, int blocks);

/// 18. Transposes a matrix: d_out[col * rows + row] = d_in[row * cols + col]. rows and cols are multiples of 32; every
/// block of 32 x 32 threads moves one tile.
void turn_tiles(const int* d_in, int* d_out, int rows, int cols);

/// 19. d_out[i] = d_in[i] + 1 for every i in [0, n), with n > 0. Every block of 128 threads has 1024 neighbouring
/// elements.
void coalesced(const int* d_in, int* d_out, int n);

/// 20. d_out[r] is the sum of row r, the 32 elements from d_in[32 * r] on. Every block, a single warp, sums up the 32
/// rows of a tile: lane t the row 32 * b + t.
void bank_conflict(const int* d_in, int* d_out, int tiles);
