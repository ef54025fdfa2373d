// Makes the graphs of the lab bfs.
#include "labs/bfs/graphs.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "datasets/coordinates.h"
#include "datasets/csr.h"
#include "datasets/data_path.h"
#include "datasets/edge_list.h"
#include "datasets/graph_generators.h"
#include "datasets/random.h"
#include "labs/bfs/bfs.cuh"

namespace lanewise::labs::bfs_lab {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 28;  // of any number in a case
static_assert(kLargest <= kMostVertices, "every case keeps to the contract");

std::int64_t bounded(const Parameters& parameters, const char* key, std::int64_t least, std::int64_t most) {
  const std::int64_t value = parameters.integer(key);
  if (value < least || value > most)
    throw std::invalid_argument(std::string("the key '") + key + "' of a graph must lie between " +
                                std::to_string(least) + " and " + std::to_string(most));
  return value;
}

// Edges as pairs, each of them once, in any order; ids are permuted before they are put into rows.
class Edges {
 public:
  explicit Edges(std::int64_t vertices) : ids_(static_cast<std::size_t>(vertices)) {
    std::iota(ids_.begin(), ids_.end(), std::int32_t{0});
  }
  void permute(Random& random) { shuffle(ids_, random); }

  void join(std::int64_t u, std::int64_t v) {
    edges_.row.push_back(ids_[static_cast<std::size_t>(u)]);
    edges_.column.push_back(ids_[static_cast<std::size_t>(v)]);
  }

  Csr in_rows() && {
    edges_.rows = edges_.cols = static_cast<std::int64_t>(ids_.size());
    return undirected_graph(edges_);
  }

 private:
  std::vector<std::int32_t> ids_;
  Coordinates edges_;
};

Csr cycle(std::int64_t vertices, Random& random) {
  Edges edges(vertices);
  edges.permute(random);
  for (std::int64_t v = 0; v < vertices; ++v) edges.join(v, (v + 1) % vertices);
  return std::move(edges).in_rows();
}

Csr complete(std::int64_t vertices) {
  Edges edges(vertices);
  for (std::int64_t v = 0; v < vertices; ++v)
    for (std::int64_t u = v + 1; u < vertices; ++u) edges.join(v, u);
  return std::move(edges).in_rows();
}

Csr spider(std::int64_t legs, std::int64_t length) {
  Edges edges(legs * length + 1);
  for (std::int64_t leg = 0; leg < legs; ++leg)
    for (std::int64_t step = 0; step < length; ++step)
      edges.join(step == 0 ? 0 : 1 + (step - 1) * legs + leg, 1 + step * legs + leg);
  return std::move(edges).in_rows();
}

Csr layers(std::int64_t count, std::int64_t width) {
  Edges edges(count * width);
  for (std::int64_t layer = 0; layer + 1 < count; ++layer)
    for (std::int64_t v = 0; v < width; ++v)
      for (std::int64_t u = 0; u < width; ++u) edges.join(layer * width + v, (layer + 1) * width + u);
  return std::move(edges).in_rows();
}

// Vertices in a circle, each joined to those at degree / 2 different distances, 1 among them.
Csr regular(std::int64_t vertices, std::int64_t degree, Random& random) {
  std::vector<std::int64_t> strides(static_cast<std::size_t>((vertices - 1) / 2 - 1));
  std::iota(strides.begin(), strides.end(), std::int64_t{2});
  shuffle(strides, random);
  strides.insert(strides.begin(), 1);
  Edges edges(vertices);
  edges.permute(random);
  for (std::int64_t v = 0; v < vertices; ++v)
    for (std::int64_t i = 0; i < degree / 2; ++i) edges.join(v, (v + strides[static_cast<std::size_t>(i)]) % vertices);
  return std::move(edges).in_rows();
}

Csr hubs(std::int64_t vertices, std::int64_t count, std::int64_t degree, Random& random) {
  Edges edges(vertices);
  edges.permute(random);
  std::vector<std::int64_t> others(static_cast<std::size_t>(vertices - count));
  std::iota(others.begin(), others.end(), count);
  for (std::int64_t hub = 0; hub < count; ++hub) {
    shuffle(others, random);
    for (std::int64_t i = 0; i < degree; ++i) edges.join(hub, others[static_cast<std::size_t>(i)]);
  }
  return std::move(edges).in_rows();
}

std::variant<Csr, MissingData> from_file(const std::string& name) {
  const auto found = find_data(name);
  if (const auto* error = std::get_if<DataError>(&found)) return MissingData{error->sentence};
  const auto read = read_edge_list(std::get<std::filesystem::path>(found));
  if (const auto* error = std::get_if<DataError>(&read)) return MissingData{error->sentence};
  return undirected_graph(std::get<Coordinates>(read));
}

std::variant<Csr, MissingData> graph_from(const Parameters& parameters, Random& random) {
  const std::string& kind = parameters.text("kind");
  const auto count = [&](const char* key, std::int64_t least) { return bounded(parameters, key, least, kLargest); };
  const std::uint64_t seed = random.next();
  if (kind == "path") return path_graph(count("vertices", 1), seed | 1);  // seed 0 would not permute
  if (kind == "cycle") return cycle(count("vertices", 3), random);
  if (kind == "star") return star_graph(count("vertices", 1));
  if (kind == "complete") return complete(bounded(parameters, "vertices", 1, 10'000));
  if (kind == "spider") return spider(count("legs", 1), bounded(parameters, "length", 1, 100));
  if (kind == "layers") return layers(count("layers", 1), bounded(parameters, "width", 1, 1000));
  if (kind == "regular") {
    const std::int64_t vertices = count("vertices", 5);
    const std::int64_t degree = bounded(parameters, "degree", 2, (vertices - 1) / 2 * 2);
    if (degree % 2 != 0) throw std::invalid_argument("the degree of a regular graph must be even");
    return regular(vertices, degree, random);
  }
  if (kind == "hubs") {
    const std::int64_t vertices = count("vertices", 2);
    const std::int64_t hub_count = bounded(parameters, "hubs", 1, vertices - 1);
    return hubs(vertices, hub_count, bounded(parameters, "degree", 1, vertices - hub_count), random);
  }
  if (kind == "components") {
    const std::int64_t vertices = count("vertices", 1);
    return components_graph(vertices, bounded(parameters, "components", 1, vertices), seed);
  }
  if (kind == "rmat")
    return rmat_graph(static_cast<int>(bounded(parameters, "scale", 1, 26)),
                      static_cast<int>(bounded(parameters, "edge_factor", 1, 64)), seed);
  if (kind == "uniform") return uniform_graph(count("vertices", 2), count("edges", 0), seed);
  if (kind == "lattice") return lattice_graph(count("width", 1), count("height", 1), seed);
  if (kind == "file") return from_file(parameters.text("file"));
  throw std::invalid_argument("there is no kind of graph called '" + kind + "'");
}

std::int64_t source_of(const Csr& graph, const std::string& which, Random& random) {
  const auto degree = [&graph](std::int64_t v) {
    const auto row = static_cast<std::size_t>(v);
    return graph.row_offsets[row + 1] - graph.row_offsets[row];
  };
  if (which == "first") return 0;
  if (which == "last") return graph.rows - 1;
  if (which == "random") {
    if (graph.columns.empty()) return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(graph.rows)));
    for (;;) {
      const auto v = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(graph.rows)));
      if (degree(v) > 0) return v;
    }
  }
  if (which != "hub" && which != "end" && which != "isolated")
    throw std::invalid_argument(
        "the source of a search is 'first', 'last', 'random', 'hub', 'end' or 'isolated', not '" + which + "'");
  std::int64_t best = -1;
  for (std::int64_t v = 0; v < graph.rows; ++v) {
    if (which == "hub" && (best < 0 || degree(v) > degree(best))) best = v;
    if (which == "end" && degree(v) > 0 && (best < 0 || degree(v) < degree(best))) best = v;
    if (which == "isolated" && degree(v) == 0) best = v;
  }
  if (best < 0) throw std::invalid_argument("this graph has no vertex to begin with that is '" + which + "'");
  return best;
}

Array array_of(const char* name, const std::vector<std::int32_t>& values) {
  Array array = make_array<std::int32_t>(name, {static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), elements<std::int32_t>(array));
  return array;
}

}  // namespace

Graph graph_of(const Problem& problem) {
  return {elements<std::int32_t>(find_array(problem.inputs, "row_offsets")),
          elements<std::int32_t>(find_array(problem.inputs, "columns")),
          static_cast<std::int32_t>(integer_scalar(problem, "num_vertices")),
          static_cast<std::int32_t>(integer_scalar(problem, "num_edges")),
          static_cast<std::int32_t>(integer_scalar(problem, "source"))};
}

std::variant<Problem, MissingData> make(const Parameters& parameters, std::uint64_t seed) {
  Random random(seed);
  auto made = graph_from(parameters, random);
  if (auto* missing = std::get_if<MissingData>(&made)) return std::move(*missing);
  Csr graph = std::get<Csr>(std::move(made));
  if (parameters.has("loops")) graph = with_self_loops(std::move(graph), bounded(parameters, "loops", 1, kLargest));
  const auto edges = static_cast<std::int64_t>(graph.columns.size());
  if (edges > kMostEdges) throw std::invalid_argument("a graph has at most 2^30 stored edges");
  Problem problem;
  problem.inputs = {array_of("row_offsets", graph.row_offsets), array_of("columns", graph.columns)};
  problem.outputs = {{"distance", DType::kInt32, {graph.rows}}};
  problem.scalars = {{"num_vertices", graph.rows},
                     {"num_edges", edges},
                     {"source", source_of(graph, parameters.text("source"), random)}};
  return problem;
}

}  // namespace lanewise::labs::bfs_lab
