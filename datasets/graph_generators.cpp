// Random graphs by way of lists of edges; regular ones row by row.
#include "datasets/graph_generators.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "datasets/coordinates.h"
#include "datasets/csr_rows.h"
#include "datasets/random.h"
#include "datasets/rmat.h"

namespace lanewise {
namespace {

std::size_t place(std::int64_t i) { return static_cast<std::size_t>(i); }

Coordinates room_for_edges(std::int64_t vertices, std::int64_t edges) {
  Coordinates result{vertices, vertices, {}, {}, {}};
  result.row.resize(place(edges));
  result.column.resize(place(edges));
  return result;
}

std::int32_t vertex_below(Random& random, std::int64_t vertices) {
  return static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(vertices)));
}

class Lattice {
 public:
  Lattice(std::int64_t width, std::int64_t height, std::uint64_t seed) : width_(width), height_(height), seed_(seed) {}

  // Calls take(neighbour) in ascending order.
  template <class Take>
  void for_neighbours(std::int64_t vertex, const Take& take) const {
    const std::int64_t x = vertex % width_;
    const std::int64_t y = vertex / width_;
    // Which edges there are is decided at their upper or left end.
    if (y > 0) {
      if (x > 0 && is_diagonal(vertex - width_ - 1, kDownRight)) take(vertex - width_ - 1);
      if (is_down(vertex - width_, x)) take(vertex - width_);
      if (x + 1 < width_ && is_diagonal(vertex - width_ + 1, kDownLeft)) take(vertex - width_ + 1);
    }
    if (x > 0 && is_right(vertex - 1, y)) take(vertex - 1);
    if (x + 1 < width_ && is_right(vertex, y)) take(vertex + 1);
    if (y + 1 < height_) {
      if (x > 0 && is_diagonal(vertex, kDownLeft)) take(vertex + width_ - 1);
      if (is_down(vertex, x)) take(vertex + width_);
      if (x + 1 < width_ && is_diagonal(vertex, kDownRight)) take(vertex + width_ + 1);
    }
  }

 private:
  static constexpr int kRight = 0, kDown = 16, kDownLeft = 32, kDownRight = 48;  // 16 random bits for each

  std::uint32_t bits(std::int64_t vertex, int shift) const {
    return static_cast<std::uint32_t>(seed_of_part(seed_, vertex) >> shift & 0xFFFF);
  }
  bool is_right(std::int64_t vertex, std::int64_t y) const {
    return y == 0 || y + 1 == height_ || bits(vertex, kRight) >= 65536 / 4;
  }
  bool is_down(std::int64_t vertex, std::int64_t x) const {
    return x == 0 || x + 1 == width_ || bits(vertex, kDown) >= 65536 / 4;
  }
  bool is_diagonal(std::int64_t vertex, int shift) const { return bits(vertex, shift) < 65536 / 32; }

  const std::int64_t width_;
  const std::int64_t height_;
  const std::uint64_t seed_;
};

// Where each component begins among the vertices, in ascending order, and the number of vertices at the end: the
// isolated ones first. Places to cut are drawn at random, which gives sizes that differ much.
std::vector<std::int64_t> component_begins(std::int64_t vertices, std::int64_t components, Random& random) {
  std::vector<std::int64_t> begins;
  const std::int64_t isolated = components / 4;
  for (std::int64_t i = 0; i < isolated; ++i) begins.push_back(i);
  begins.push_back(isolated);
  // A random subset of the places behind, every one equally likely: of the places left, so many are still wanted.
  std::int64_t wanted = components - isolated - 1;
  for (std::int64_t at = isolated + 1; at < vertices && wanted > 0; ++at)
    if (static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(vertices - at))) < wanted) {
      begins.push_back(at);
      --wanted;
    }
  begins.push_back(vertices);
  return begins;
}

}  // namespace

Csr rmat_graph(int scale, int edge_factor, std::uint64_t seed) {
  return undirected_graph(rmat_places(scale, edge_factor, seed));
}

Csr uniform_graph(std::int64_t vertices, std::int64_t edges, std::uint64_t seed) {
  Coordinates result = room_for_edges(vertices, vertices > 0 ? edges : 0);
  constexpr std::int64_t kEdges = 1 << 16;
  for_each_chunk_of(kEdges, edges, [&](int, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    if (vertices == 0) return;
    Random random(seed_of_part(seed, chunk));
    for (std::int64_t i = begin; i < end; ++i) {
      result.row[place(i)] = vertex_below(random, vertices);
      result.column[place(i)] = vertex_below(random, vertices);
    }
  });
  return undirected_graph(result);
}

Csr lattice_graph(std::int64_t width, std::int64_t height, std::uint64_t seed) {
  const Lattice lattice(width, height, seed);
  const auto degree = [&lattice](std::int64_t vertex) {
    std::int64_t count = 0;
    lattice.for_neighbours(vertex, [&count](std::int64_t) { ++count; });
    return count;
  };
  return csr_by_rows(width * height, width * height, WithValues::kNo, degree,
                     [&lattice](std::int64_t vertex, std::int32_t* columns, float*) {
                       lattice.for_neighbours(vertex, [&columns](std::int64_t neighbour) {
                         *columns++ = static_cast<std::int32_t>(neighbour);
                       });
                     });
}

Csr path_graph(std::int64_t vertices, std::uint64_t seed) {
  std::vector<std::int32_t> at;        // which vertex is at a place of the line
  std::vector<std::int32_t> place_of;  // where a vertex is
  if (seed != 0) {
    at = random_order(vertices, seed);
    place_of.resize(at.size());
    for (std::size_t i = 0; i < at.size(); ++i) place_of[place(at[i])] = static_cast<std::int32_t>(i);
  }
  const auto place_on_line = [&](std::int64_t vertex) {
    return seed == 0 ? vertex : std::int64_t{place_of[place(vertex)]};
  };
  const auto vertex_at = [&](std::int64_t i) { return seed == 0 ? static_cast<std::int32_t>(i) : at[place(i)]; };
  return csr_by_rows(
      vertices, vertices, WithValues::kNo,
      [&](std::int64_t vertex) {
        const std::int64_t i = place_on_line(vertex);
        return std::int64_t{i > 0 ? 1 : 0} + (i + 1 < vertices ? 1 : 0);
      },
      [&](std::int64_t vertex, std::int32_t* columns, float*) {
        const std::int64_t i = place_on_line(vertex);
        std::int32_t* end = columns;
        if (i > 0) *end++ = vertex_at(i - 1);
        if (i + 1 < vertices) *end++ = vertex_at(i + 1);
        std::sort(columns, end);
      });
}

Csr star_graph(std::int64_t vertices) {
  return csr_by_rows(
      vertices, vertices, WithValues::kNo,
      [vertices](std::int64_t vertex) { return vertex == 0 ? vertices - 1 : std::int64_t{1}; },
      [vertices](std::int64_t vertex, std::int32_t* columns, float*) {
        if (vertex > 0)
          columns[0] = 0;
        else
          for (std::int64_t leaf = 1; leaf < vertices; ++leaf) columns[leaf - 1] = static_cast<std::int32_t>(leaf);
      });
}

Csr components_graph(std::int64_t vertices, std::int64_t components, std::uint64_t seed) {
  assert(components <= vertices && (vertices == 0 || components > 0));
  if (vertices == 0) return Csr{0, 0, {0}, {}, {}};
  Random random(seed);
  const std::vector<std::int64_t> begins = component_begins(vertices, components, random);
  const std::vector<std::int32_t> order = random_order(vertices, seed);
  Coordinates edges{vertices, vertices, {}, {}, {}};
  const auto add = [&edges, &order](std::int64_t from, std::int64_t to) {
    edges.row.push_back(order[place(from)]);
    edges.column.push_back(order[place(to)]);
  };
  for (std::size_t component = 0; component + 1 < begins.size(); ++component) {
    const std::int64_t begin = begins[component];
    const std::int64_t end = begins[component + 1];
    constexpr std::int64_t kLast = 8;
    for (std::int64_t vertex = begin + 1; vertex < end; ++vertex) {
      const std::int64_t first = component % 2 == 0 ? begin : std::max(begin, vertex - kLast);
      add(vertex, random.between(first, vertex - 1));
    }
    for (std::int64_t extra = 0; extra < (end - begin) / 8; ++extra)
      add(random.between(begin, end - 1), random.between(begin, end - 1));
  }
  return undirected_graph(edges);
}

Csr with_self_loops(Csr graph, std::int64_t every) {
  assert(every > 0);
  const auto neighbours = [&graph](std::int64_t vertex) {
    return std::pair(graph.columns.data() + graph.row_offsets[place(vertex)],
                     graph.columns.data() + graph.row_offsets[place(vertex) + 1]);
  };
  const auto needs_loop = [&](std::int64_t vertex) {
    const auto [begin, end] = neighbours(vertex);
    return vertex % every == 0 && !std::binary_search(begin, end, static_cast<std::int32_t>(vertex));
  };
  return csr_by_rows(
      graph.rows, graph.cols, WithValues::kNo,
      [&](std::int64_t vertex) {
        const auto [begin, end] = neighbours(vertex);
        return end - begin + (needs_loop(vertex) ? 1 : 0);
      },
      [&](std::int64_t vertex, std::int32_t* columns, float*) {
        const auto [begin, end] = neighbours(vertex);
        const auto* const middle = std::lower_bound(begin, end, static_cast<std::int32_t>(vertex));
        std::int32_t* to = std::copy(static_cast<const std::int32_t*>(begin), middle, columns);
        if (needs_loop(vertex)) *to++ = static_cast<std::int32_t>(vertex);
        std::copy(middle, static_cast<const std::int32_t*>(end), to);
      });
}

}  // namespace lanewise
