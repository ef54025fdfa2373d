// Sparse matrices and graphs as files give them: a list of places, in any order. And what makes rows of it.
#pragma once

#include <cstdint>
#include <vector>

#include "datasets/csr.h"

namespace lanewise {

/// Entry i lies at (row[i], column[i]), counted from 0.
struct Coordinates {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<std::int32_t> row;
  std::vector<std::int32_t> column;
  std::vector<float> value;  ///< as many as places; none at all: a pattern, or a graph's edges
};

/// What to do with several entries at the same place.
enum class Duplicates : std::uint8_t {
  kKeep,  ///< keep them, in the order they were given
  kSum,   ///< add them, in the order they were given: in double, rounded to float at the end (a pattern: as kDrop)
  kDrop,  ///< keep the one that was given first
};

/// Rows with ascending columns. Places must be within rows x cols, and entries at most kMostEntries. By a counting sort
/// that several threads share; the result does not depend on how many.
Csr to_csr(const Coordinates& entries, Duplicates duplicates);

/// A graph's edges as u-v and v-u: after all edges as given, each once more the other way round, but for loops. The
/// result is square.
Coordinates both_directions(Coordinates edges);

/// The undirected graph of these edges, whichever way each is given and however often: both directions, no value, no
/// self-loop. The same as both_directions, loops left out, and to_csr with kDrop, in half the memory.
Csr undirected_graph(const Coordinates& edges);

}  // namespace lanewise
