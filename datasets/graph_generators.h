// Generated graphs: the same for the same seed on every machine. All are undirected: every edge is stored once in each
// direction, the neighbours of a vertex ascend, and there are no self-loops.
#pragma once

#include <cstdint>

#include "datasets/csr.h"

namespace lanewise {

/// Few vertices of very high degree, many of degree 0, everything else within a few steps: the Graph500 benchmark's
/// graph. 2^scale vertices (scale 0 to 30); edge_factor edges per vertex are drawn, without loops and repetitions.
/// edge_factor * 2^(scale + 1) is at most kMostEntries. Vertices are numbered at random.
Csr rmat_graph(int scale, int edge_factor, std::uint64_t seed);

/// `edges` pairs of vertices drawn at random, without loops and repetitions: all degrees are similar.
Csr uniform_graph(std::int64_t vertices, std::int64_t edges, std::uint64_t seed);

/// Like a road map: vertices on a grid, numbered row by row; a quarter of the edges between neighbours are missing, and
/// one in 32 of the possible diagonals is present. All edges along the border are present, so that its vertices,
/// including 0, are never isolated.
Csr lattice_graph(std::int64_t width, std::int64_t height, std::uint64_t seed);

/// All vertices in one line, numbered at random, or from one end to the other if the seed is 0.
Csr path_graph(std::int64_t vertices, std::uint64_t seed);

/// Vertex 0 is joined to all others.
Csr star_graph(std::int64_t vertices);

/// Exactly that many connected components, at most one per vertex. A quarter of them (rounded down), and more by
/// chance, are isolated vertices. The others vary widely in size: random trees, alternately shallow (a new vertex is
/// joined to any earlier one) and deep (to one of the last 8), with one more edge per 8 vertices. Vertices are numbered
/// at random.
Csr components_graph(std::int64_t vertices, std::int64_t components, std::uint64_t seed);

/// The graph with a loop at vertices 0, every, 2 * every, ...; existing loops are kept. `every` is positive.
Csr with_self_loops(Csr graph, std::int64_t every);

}  // namespace lanewise
