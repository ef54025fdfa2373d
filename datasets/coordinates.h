// Sparse matrices and graphs as stored in files: a list of places, in any order; and conversion to rows.
#pragma once

#include <cstdint>
#include <vector>

#include "datasets/csr.h"

namespace lanewise {

/// Entry i is at (row[i], column[i]), counted from 0.
struct Coordinates {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<std::int32_t> row;
  std::vector<std::int32_t> column;
  std::vector<float> value;  ///< one per place; empty: a pattern, or a graph's edges
};

/// What to do with several entries at the same place.
enum class Duplicates : std::uint8_t {
  kKeep,  ///< keep them, in the order given
  kSum,   ///< add them in the order given, in double, rounded to float at the end (a pattern: as kDrop)
  kDrop,  ///< keep the first one given
};

/// Rows with ascending columns. Places must be within rows x cols, and entries at most kMostEntries. Uses a parallel
/// counting sort; the result does not depend on the number of threads.
Csr to_csr(const Coordinates& entries, Duplicates duplicates);

/// A graph's edges as u-v and v-u: all edges as given, followed by each in reverse except loops. The result is square.
Coordinates both_directions(Coordinates edges);

/// The undirected graph of these edges, in whichever direction and however often each is given: both directions, no
/// values, no self-loops. The same as both_directions without loops and to_csr with kDrop, in half the memory.
Csr undirected_graph(const Coordinates& edges);

}  // namespace lanewise
