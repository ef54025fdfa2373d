// The right distances.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/lab/lab.h"
#include "labs/bfs/graphs.h"

namespace lanewise::labs::bfs_lab {

/// The distance of every vertex from graph.source, kUnreached for those without a path. Level by level; where most of a
/// large graph is found at once, all threads of the machine look for it.
std::vector<std::int32_t> search(const Graph& graph);

/// The same as the task's output.
Array distances(const Problem& problem);

}  // namespace lanewise::labs::bfs_lab
