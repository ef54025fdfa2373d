// R-MAT: places in a square matrix whose rows and columns are skewed like the degrees of a social network.
#pragma once

#include <cstdint>

#include "datasets/coordinates.h"

namespace lanewise {

/// The random order in which vertices are renumbered: otherwise low numbers would have the high degrees. Entry v is the
/// new number of vertex v; every order of `count` is equally likely.
std::vector<std::int32_t> random_order(std::int64_t count, std::uint64_t seed);

/// edge_factor * 2^scale places in a matrix of 2^scale rows and columns, some of them repeated: at every level the
/// matrix is quartered, and the place falls into the upper left quarter with probability 0.57, the upper right 0.19,
/// the lower left 0.19, the lower right 0.05 (each within 2^-16), as in the Graph500 benchmark. Rows and columns are
/// then renumbered in the same random order. Scale is 0 to 30. Source: D. Chakrabarti, Y. Zhan, C. Faloutsos, "R-MAT: a
/// recursive model for graph mining", SDM 2004.
Coordinates rmat_places(int scale, int edge_factor, std::uint64_t seed);

}  // namespace lanewise
