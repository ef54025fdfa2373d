// Breadth-first search on the CPU.
#include "labs/bfs/search.h"

#include <algorithm>
#include <cstddef>

#include "datasets/chunks.h"
#include "labs/bfs/bfs.cuh"

namespace lanewise::labs::bfs_lab {
namespace {

// A frontier with more edges than this is looked for from the other side, by many threads.
constexpr std::int64_t kManyEdges = 4 * kChunk;

using Vertices = std::vector<std::int32_t>;

std::int64_t degree(const Graph& graph, std::int32_t v) { return graph.row_offsets[v + 1] - graph.row_offsets[v]; }

// The vertices at distance `level` + 1: the unreached neighbours of the frontier.
Vertices pushed(const Graph& graph, const Vertices& frontier, std::int32_t level, Vertices& distance) {
  Vertices next;
  for (const std::int32_t v : frontier)
    for (std::int32_t e = graph.row_offsets[v]; e < graph.row_offsets[v + 1]; ++e) {
      std::int32_t& found = distance[static_cast<std::size_t>(graph.columns[e])];
      if (found != kUnreached) continue;
      found = level + 1;
      next.push_back(graph.columns[e]);
    }
  return next;
}

// The same, in ascending order: every unreached vertex looks for a neighbour in the frontier. Each thread writes the
// distances of its own vertices only, and what all of them read does not change.
Vertices pulled(const Graph& graph, const Vertices& frontier, std::int32_t level, Vertices& distance) {
  std::vector<std::uint8_t> is_frontier(static_cast<std::size_t>(graph.vertices));
  for (const std::int32_t v : frontier) is_frontier[static_cast<std::size_t>(v)] = 1;
  std::vector<Vertices> found(static_cast<std::size_t>(chunk_count(graph.vertices)));
  for_each_chunk(graph.vertices, [&](int, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    for (auto v = static_cast<std::int32_t>(begin); v < end; ++v) {
      if (distance[static_cast<std::size_t>(v)] != kUnreached) continue;
      const std::int32_t* first = graph.columns + graph.row_offsets[v];
      const std::int32_t* last = graph.columns + graph.row_offsets[v + 1];
      if (std::none_of(first, last, [&](std::int32_t u) { return is_frontier[static_cast<std::size_t>(u)] != 0; }))
        continue;
      distance[static_cast<std::size_t>(v)] = level + 1;
      found[static_cast<std::size_t>(chunk)].push_back(v);
    }
  });
  Vertices next;
  for (const Vertices& each : found) next.insert(next.end(), each.begin(), each.end());
  return next;
}

}  // namespace

std::vector<std::int32_t> search(const Graph& graph) {
  Vertices distance(static_cast<std::size_t>(graph.vertices), kUnreached);
  distance[static_cast<std::size_t>(graph.source)] = 0;
  Vertices frontier = {graph.source};
  for (std::int32_t level = 0; !frontier.empty(); ++level) {
    std::int64_t edges = 0;
    for (const std::int32_t v : frontier) edges += degree(graph, v);
    frontier = edges > kManyEdges ? pulled(graph, frontier, level, distance) : pushed(graph, frontier, level, distance);
  }
  return distance;
}

Array distances(const Problem& problem) {
  const Graph graph = graph_of(problem);
  Array result = make_array<std::int32_t>("distance", {graph.vertices});
  const std::vector<std::int32_t> found = search(graph);
  std::copy(found.begin(), found.end(), elements<std::int32_t>(result));
  return result;
}

}  // namespace lanewise::labs::bfs_lab
