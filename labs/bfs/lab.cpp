// The lab bfs as the harness sees it: distances of all vertices from one.
#include "harness/lab/lab.h"

#include "labs/bfs/graphs.h"
#include "labs/bfs/misconceptions.h"
#include "labs/bfs/search.h"

namespace lanewise::labs {

Lab bfs() {
  Task task;
  task.name = "bfs";
  task.make = &bfs_lab::make;
  task.oracle = [](const Problem& problem) { return std::vector<Array>{bfs_lab::distances(problem)}; };
  task.judge = [](const Problem&, const std::vector<Array>& expected, const std::vector<Array>& got) {
    return judge_exact(expected, got);
  };
  // Row offsets and columns are read once, distances written once. A search computes nothing that would count as an
  // operation; one look at each stored edge is what there is.
  task.work = [](const Problem& problem) {
    const bfs_lab::Graph graph = bfs_lab::graph_of(problem);
    const auto vertices = static_cast<double>(graph.vertices), edges = static_cast<double>(graph.edges);
    return Work{(2 * vertices + 1 + edges) * sizeof(std::int32_t), edges};
  };
  task.misconceptions = bfs_lab::search_mistakes();
  return {"bfs", {std::move(task)}};
}

}  // namespace lanewise::labs
