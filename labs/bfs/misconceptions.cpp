// What typical mistakes in breadth-first search give.
#include "labs/bfs/misconceptions.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "labs/bfs/bfs.cuh"
#include "labs/bfs/graphs.h"
#include "labs/bfs/search.h"

namespace lanewise::labs::bfs_lab {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kBlocks[] = {256, 128, 512, 1024, 64, 32};                          // the most likely first
constexpr std::int64_t kQueues[] = {256, 6144, 3072, 1024, 512, 4096, 2048, 128, 64, 32};  // likewise
constexpr std::int64_t kLevels[] = {10, 1, 2, 3, 4, 5, 8, 16, 20, 32, 50, 64, 100, 128, 256};

using Distances = std::vector<std::int32_t>;
using Outcome = std::function<std::vector<Array>(const Problem&)>;

std::size_t place(std::int32_t v) { return static_cast<std::size_t>(v); }

std::vector<Array> output_of(const Distances& distances) {
  Array result = make_array<std::int32_t>("distance", {static_cast<std::int64_t>(distances.size())});
  std::copy(distances.begin(), distances.end(), elements<std::int32_t>(result));
  return {std::move(result)};
}

// A search that breaks some rule.
struct Rules {
  std::int64_t levels = kNoLimit;       // that are expanded
  std::int64_t queue_items = kNoLimit;  // of a frontier that are expanded
  bool takes_places = false;            // of the frontier for the vertices there
  bool ends_at_dead_end = false;        // as soon as one vertex of a frontier has no neighbour in the next
  std::function<bool(const Graph&, std::int32_t v, std::int32_t e)> follows;  // edge e of v; none: every edge
};

Distances searched(const Graph& graph, const Rules& rules) {
  Distances distance(place(graph.vertices), kUnreached);
  distance[place(graph.source)] = 0;
  Distances frontier = {graph.source};
  for (std::int32_t level = 0; !frontier.empty() && level < rules.levels; ++level) {
    if (static_cast<std::int64_t>(frontier.size()) > rules.queue_items)
      frontier.resize(static_cast<std::size_t>(rules.queue_items));
    if (rules.takes_places) std::iota(frontier.begin(), frontier.end(), 0);
    Distances next;
    bool dead_end = false;
    for (const std::int32_t v : frontier) {
      bool leads_on = false;
      for (std::int32_t e = graph.row_offsets[v]; e < graph.row_offsets[v + 1]; ++e) {
        if (rules.follows && !rules.follows(graph, v, e)) continue;
        std::int32_t& found = distance[place(graph.columns[e])];
        if (found == kUnreached) {
          found = level + 1;
          next.push_back(graph.columns[e]);
        }
        leads_on |= found == level + 1;
      }
      dead_end |= !leads_on;
    }
    if (dead_end && rules.ends_at_dead_end) break;
    frontier = std::move(next);
  }
  return distance;
}

Outcome by(const Rules& rules) {
  return [rules](const Problem& problem) { return output_of(searched(graph_of(problem), rules)); };
}

Outcome by_following(const std::function<bool(const Graph&, std::int32_t v, std::int32_t e)>& follows) {
  Rules rules;
  rules.follows = follows;
  return by(rules);
}

// The right distances, each of them changed.
Outcome changed(const std::function<std::int32_t(const Graph&, std::int32_t v, std::int32_t distance)>& change) {
  return [change](const Problem& problem) {
    const Graph graph = graph_of(problem);
    Distances distances = search(graph);
    for (std::int32_t v = 0; v < graph.vertices; ++v) distances[place(v)] = change(graph, v, distances[place(v)]);
    return output_of(distances);
  };
}

Outcome unreached_as(const std::function<std::int32_t(const Graph&)>& mark) {
  return changed([mark](const Graph& graph, std::int32_t, std::int32_t distance) {
    return distance == kUnreached ? mark(graph) : distance;
  });
}

std::vector<Array> without_last_level(const Problem& problem) {
  const Graph graph = graph_of(problem);
  Distances distances = search(graph);
  const std::int32_t last = *std::max_element(distances.begin(), distances.end());
  if (last > 0) std::replace(distances.begin(), distances.end(), last, kUnreached);
  return output_of(distances);
}

std::vector<Array> source_not_marked(const Problem& problem) {
  const Graph graph = graph_of(problem);
  Distances distances = search(graph);
  const std::int32_t* first = graph.columns + graph.row_offsets[graph.source];
  const std::int32_t* last = graph.columns + graph.row_offsets[graph.source + 1];
  const bool has_loop = std::find(first, last, graph.source) != last;
  distances[place(graph.source)] = has_loop ? 1 : first != last ? 2 : kUnreached;
  return output_of(distances);
}

// The newest vertex is expanded first, and a vertex keeps the distance that it was first found at.
std::vector<Array> newest_first(const Problem& problem) {
  const Graph graph = graph_of(problem);
  Distances distance(place(graph.vertices), kUnreached);
  distance[place(graph.source)] = 0;
  Distances stack = {graph.source};
  while (!stack.empty()) {
    const std::int32_t v = stack.back();
    stack.pop_back();
    for (std::int32_t e = graph.row_offsets[v]; e < graph.row_offsets[v + 1]; ++e) {
      std::int32_t& found = distance[place(graph.columns[e])];
      if (found != kUnreached) continue;
      found = distance[place(v)] + 1;
      stack.push_back(graph.columns[e]);
    }
  }
  return output_of(distance);
}

// As a function does that calls itself for each neighbour without a distance.
std::vector<Array> depth_first(const Problem& problem) {
  const Graph graph = graph_of(problem);
  Distances distance(place(graph.vertices), kUnreached);
  Distances next_edge(graph.row_offsets, graph.row_offsets + graph.vertices);
  distance[place(graph.source)] = 0;
  Distances path = {graph.source};
  while (!path.empty()) {
    const std::int32_t v = path.back();
    if (next_edge[place(v)] == graph.row_offsets[v + 1]) {
      path.pop_back();
      continue;
    }
    const std::int32_t u = graph.columns[next_edge[place(v)]++];
    if (distance[place(u)] != kUnreached) continue;
    distance[place(u)] = distance[place(v)] + 1;
    path.push_back(u);
  }
  return output_of(distance);
}

void add_number_mistakes(std::vector<Misconception>& list) {
  list.push_back({"distances counted from 1",
                  "Every distance is one too large: the source has distance 0, its neighbours have 1.",
                  changed([](const Graph&, std::int32_t, std::int32_t distance) {
                    return distance == kUnreached ? kUnreached : distance + 1;
                  })});
  list.push_back({"source not marked",
                  "Everything is right except the source: its distance was not set to 0 before the search, so its "
                  "neighbours found it like any other vertex.",
                  &source_not_marked});
  list.push_back({"every reached vertex at distance 1",
                  "All vertices but the source have distance 1: the level that is written never increases. Add 1 in "
                  "every iteration of the loop over levels.",
                  changed([](const Graph&, std::int32_t, std::int32_t distance) { return std::min(distance, 1); })});
  list.push_back({"unreached vertices are 0",
                  "Vertices without a path have distance 0, as if they were the source. They should hold kUnreached, "
                  "which is -1: fill the array with it before the search (cudaMemset writes bytes; 0xFF makes -1).",
                  unreached_as([](const Graph&) { return 0; })});
  list.push_back({"unreached vertices are INT_MAX",
                  "Vertices without a path hold the greatest int, a common marker for infinity. This contract requires "
                  "kUnreached, which is -1.",
                  unreached_as([](const Graph&) { return std::numeric_limits<std::int32_t>::max(); })});
  list.push_back({"unreached vertices are num_vertices",
                  "Vertices without a path hold the number of vertices, a distance that no path can have. This "
                  "contract requires kUnreached, which is -1.",
                  unreached_as([](const Graph& graph) { return graph.vertices; })});
}

void add_ending_mistakes(std::vector<Misconception>& list) {
  list.push_back({"last level missing",
                  "The vertices that are furthest away were not reached: the search ends one level early. It is over "
                  "when an entire level finds no new vertex, not when the frontier becomes small.",
                  &without_last_level});
  Rules none;
  none.levels = 0;
  list.push_back({"only the source reached",
                  "Only the source has a distance. Either no level was launched: the host's variable for the flag must "
                  "not be 0 before the first one, and the first frontier has one vertex. Or the level found nothing: "
                  "the first is level 0, and atomicCAS takes the address, then kUnreached, then the new distance.",
                  by(none)});
  for (const std::int64_t levels : kLevels) {
    Rules rules;
    rules.levels = levels;
    list.push_back({"fixed number of levels",
                    "The search is right up to some distance, and no vertex further away was reached. Either it runs a "
                    "fixed number of levels, or `level` stays the same, or a level expands the frontier of an earlier "
                    "one (swap the queues), or what was found is not queued (atomicCAS returns the old value), or the "
                    "host sees 0 although a vertex was found: the flag or counter must be cleared before the launch, "
                    "and copied after it. Continue until a level finds no new vertex.",
                    by(rules)});
  }
  Rules rules;
  rules.ends_at_dead_end = true;
  list.push_back({"search ends at a dead end",
                  "The search ended in the first level in which some vertex had no new neighbour. Others in that level "
                  "did: the search is over only when none of them finds a new vertex.",
                  by(rules)});
}

void add_coverage_mistakes(std::vector<Misconception>& list) {
  for (const std::int64_t items : kQueues) {
    Rules rules;
    rules.queue_items = items;
    list.push_back({"frontier entries lost",
                    "Only the first part of a large frontier was expanded, and what lies behind its other vertices was "
                    "not reached. Either a queue has too few places (or vertices queued twice take them), and threads "
                    "that find it full give up, or the next level is launched with too few threads.",
                    by(rules)});
    list.back().depends_on_order = true;  // which entries are lost does
  }
  Rules places;
  places.takes_places = true;
  list.push_back({"place taken for a vertex",
                  "Thread i expanded vertex i instead of the vertex at place i of the frontier: v = frontier[i].",
                  by(places)});
  const auto left_out = [&list](const std::function<std::int32_t(const Graph&)>& end) {
    const char* name = "last vertices left out";
    const char* hint =
        "The vertices with the highest numbers took no part: no thread handles them. Round the number of blocks up, so "
        "that vertex num_vertices - 1 has a thread, too.";
    list.push_back({name, hint, by_following([end](const Graph& graph, std::int32_t v, std::int32_t) {
                      return v < end(graph);  // they expand nobody
                    })});
    list.push_back({name, hint, by_following([end](const Graph& graph, std::int32_t, std::int32_t e) {
                      return graph.columns[e] < end(graph);  // they find nobody who reached them
                    })});
  };
  for (const std::int64_t block : kBlocks)
    left_out([block](const Graph& graph) { return static_cast<std::int32_t>(graph.vertices / block * block); });
  left_out([](const Graph& graph) { return graph.vertices - 1; });
}

void add_edge_mistakes(std::vector<Misconception>& list) {
  const char* name = "last neighbour left out";
  const char* hint =
      "The last edge of every vertex was skipped. The edges of v run from row_offsets[v] to row_offsets[v + 1] - 1, "
      "both included: e < row_offsets[v + 1].";
  list.push_back({name, hint, by_following([](const Graph& graph, std::int32_t v, std::int32_t e) {
                    return e + 1 < graph.row_offsets[v + 1];
                  })});
  list.push_back({name, hint, by_following([](const Graph& graph, std::int32_t v, std::int32_t e) {
                    return graph.columns[graph.row_offsets[graph.columns[e] + 1] - 1] !=
                           v;  // when looked at from there
                  })});
  for (const bool upwards : {true, false})
    list.push_back(
        {"edges followed in one direction only",
         "Only neighbours on one side were visited: those with a higher number than the vertex, or those with a lower "
         "one. An edge is stored at both of its ends, and the search may need it in either direction.",
         by_following([upwards](const Graph& graph, std::int32_t v, std::int32_t e) {
           return upwards ? graph.columns[e] > v : graph.columns[e] < v;
         })});
  list.push_back({"search begins at vertex 0", "The distances are those from vertex 0: `source` was ignored.",
                  [](const Problem& problem) {
                    Graph graph = graph_of(problem);
                    graph.source = 0;
                    return output_of(search(graph));
                  }});
  const char* depth_hint =
      "Distances are those along the first path that was found, not along the shortest one: some vertices were "
      "expanded before all those at smaller distances. A level must be complete before the next one begins.";
  list.push_back({"depth first", depth_hint, &newest_first});
  list.push_back({"depth first", depth_hint, &depth_first});
}

}  // namespace

std::vector<Misconception> search_mistakes() {
  std::vector<Misconception> list;
  add_number_mistakes(list);
  add_ending_mistakes(list);
  // Threads that store the same distance, or the same word for the host, race without bringing about any of these.
  for (Misconception& mistake : list) mistake.seen_by = {"racecheck"};
  add_edge_mistakes(list);
  add_coverage_mistakes(list);
  return list;
}

}  // namespace lanewise::labs::bfs_lab
