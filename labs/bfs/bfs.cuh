// The contract of the bfs lab: the function to implement. Read it, but do not change it.
#pragma once

#include <cstdint>

#include "../cuda_host.cuh"  // CHECK, and scratch memory

/// The value in d_distance of a vertex that no path from the source leads to.
inline constexpr std::int32_t kUnreached = -1;

/// No graph has more vertices or stored edges than this. So with one thread for each of them, an int can hold every
/// thread number, including those of the idle threads of the last block.
inline constexpr int kMostVertices = 1 << 30;
inline constexpr int kMostEdges = 1 << 30;

/// Breadth-first search: how many edges does the shortest path from `source` to each vertex have?
///
/// The graph is in compressed sparse row form. The neighbours of vertex v are d_columns[e] for all e from
/// d_row_offsets[v] to d_row_offsets[v + 1] - 1. It is undirected: each edge u-v is stored twice, with v among the
/// neighbours of u and with u among those of v. So an edge may be followed from either side. The neighbours of a vertex
/// are in ascending order, without duplicates. A vertex may be its own neighbour (a self-loop, stored once), and may
/// have no neighbours at all.
///
/// @param d_row_offsets  num_vertices + 1 numbers in device memory. The first is 0, the last is num_edges, and none is
///                       less than the one before. Aligned to 256 bytes, as memory from cudaMalloc is. Read-only.
/// @param d_columns      num_edges numbers in [0, num_vertices), with the same alignment. Read-only. May be null if
///                       there are no edges.
/// @param num_vertices   at least 1, at most kMostVertices.
/// @param num_edges      stored edges: every edge between different vertices counts twice, every self-loop once. At
///                       most kMostEdges; 0 is allowed.
/// @param source         the vertex where the search begins, in [0, num_vertices).
/// @param d_distance     num_vertices numbers, with the same alignment. Its contents before the call are meaningless.
///                       After the call, d_distance[source] is 0; the elements of other vertices hold the number of
///                       edges on a shortest path, or kUnreached.
///
/// The arrays do not overlap. Read nothing outside them, and write nothing outside d_distance[0] ... d_distance[n - 1],
/// where n is num_vertices. The function must allocate and free any scratch memory itself. It may return before its
/// kernels have finished. The caller reports any CUDA error that the function leaves pending.
void bfs(const std::int32_t* d_row_offsets, const std::int32_t* d_columns, int num_vertices, int num_edges, int source,
         std::int32_t* d_distance);
