// The graphs that the cases of the lab bfs are made of.
#pragma once

#include <cstdint>
#include <variant>

#include "harness/lab/lab.h"

namespace lanewise::labs::bfs_lab {

/// What a search is given. The pointers live as long as the problem.
struct Graph {
  const std::int32_t* row_offsets = nullptr;  ///< vertices + 1
  const std::int32_t* columns = nullptr;      ///< edges; null if there are none
  std::int32_t vertices = 0;
  std::int32_t edges = 0;  ///< stored ones
  std::int32_t source = 0;
};
Graph graph_of(const Problem& problem);

/// Makes the problem that a case's parameters describe.
///   kind = "path"        `vertices` in a row, ids permuted
///   kind = "cycle"       the same, closed
///   kind = "star"        vertex 0 joined to all other `vertices`
///   kind = "complete"    each of `vertices` joined to each other
///   kind = "spider"      vertex 0 is the end of `legs` paths of `length` vertices each; the vertices next to it come
///                        first, then those at distance 2, and so on
///   kind = "layers"      `layers` of `width` vertices, each joined to all of the next layer, in order
///   kind = "regular"     `vertices` of the same even `degree`, connected, ids permuted
///   kind = "hubs"        `hubs` vertices joined to `degree` random others each, ids permuted
///   kind = "components"  `components` random trees with some extra edges, isolated vertices among them
///   kind = "rmat"        2^`scale` vertices, skewed degrees, ids permuted
///   kind = "uniform"     `edges` random edges between `vertices`
///   kind = "lattice"     `width` x `height`, like a map of roads; ids row by row
///   kind = "file"        the edge list `file`, each edge in both directions
/// `loops`, if given, adds a self-loop to every so manyth vertex. source is "first", "last", "random" (of those with
/// neighbours), "hub" (one with most neighbours), "end" (one with fewest, but one at least) or "isolated" (the last
/// vertex without neighbours).
std::variant<Problem, MissingData> make(const Parameters& parameters, std::uint64_t seed);

}  // namespace lanewise::labs::bfs_lab
