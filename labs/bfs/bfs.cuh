// The contract of the lab bfs: the function to implement. Read it; there is nothing to change in it.
#pragma once

#include <cstdint>

/// What d_distance holds for a vertex that no path from the source leads to.
inline constexpr std::int32_t kUnreached = -1;

/// Neither vertices nor stored edges are more than this, so that an int holds the number of a thread for each, too,
/// with the idle ones of the last block.
inline constexpr int kMostVertices = 1 << 30;
inline constexpr int kMostEdges = 1 << 30;

/// Breadth-first search: how many edges does the shortest path from `source` to each vertex have?
///
/// The graph is in compressed sparse row form. The neighbours of vertex v are d_columns[e] for all e from
/// d_row_offsets[v] to d_row_offsets[v + 1] - 1. It is undirected: each edge u-v is stored twice, with v among the
/// neighbours of u and with u among those of v. So a vertex may be looked at from either side. The neighbours of a
/// vertex are in ascending order, none of them twice. A vertex may be its own neighbour (a self-loop, stored once), and
/// may have no neighbours at all.
///
/// @param d_row_offsets  num_vertices + 1 numbers in device memory, the first of them 0, the last num_edges, none less
///                       than the one before; aligned to 256 bytes, as cudaMalloc gives it. Read only.
/// @param d_columns      num_edges numbers in [0, num_vertices), aligned likewise. Read only. May be null if there are
///                       none.
/// @param num_vertices   at least 1, at most kMostVertices.
/// @param num_edges      stored edges: every edge between different vertices counts twice, every self-loop once. At
///                       most kMostEdges; 0 is allowed.
/// @param source         the vertex where the search begins, in [0, num_vertices).
/// @param d_distance     num_vertices numbers, aligned likewise. What it holds before the call has no meaning.
///                       Afterwards d_distance[source] is 0; other vertices hold the number of edges on a shortest
///                       path, or kUnreached.
///
/// The arrays do not overlap. Nothing outside them may be read, nothing outside d_distance[0] ... d_distance[n - 1],
/// where n is num_vertices, may be written. Scratch memory is the function's own to allocate and to free. The function
/// may return before its kernels have finished. A CUDA error that is left behind is reported by whoever called.
void bfs(const std::int32_t* d_row_offsets, const std::int32_t* d_columns, int num_vertices, int num_edges, int source,
         std::int32_t* d_distance);
