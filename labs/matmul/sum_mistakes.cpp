// Mistakes in the sum: elements taken from the wrong place, products left out, products that do not belong.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "labs/matmul/misconceptions.h"
#include "labs/matmul/outcome.h"

namespace lanewise::labs::matmul_lab {
namespace {

constexpr std::int64_t kSumTiles[] = {16, 32, 8, 64, 4};  // along k; the most likely ones first

// A(row, p) B(p, col) summed over the p that terms(k) names, in [first, end).
struct Terms {
  std::int64_t first, end;
};
template <class TermsOf>
auto sum_over(const TermsOf& terms_of) {
  return outcome_of([=](const Problem& problem) {
    const Extents extents = extents_of(problem);
    const Terms terms = terms_of(extents.k);
    const std::int64_t count = std::max<std::int64_t>(0, terms.end - terms.first);
    const float* a = factor_a(problem);
    const float* b = factor_b(problem);
    return times(matrix_of(extents.m, count,
                           [&](std::int64_t row, std::int64_t p) { return a[row * extents.k + terms.first + p]; }),
                 matrix_of(count, extents.n,
                           [&](std::int64_t p, std::int64_t col) { return b[(terms.first + p) * extents.n + col]; }));
  });
}

// The same sum over other elements: place_a(extents, row, p) and place_b(extents, p, col) are positions in the arrays.
template <class PlaceA, class PlaceB>
auto sum_of(const PlaceA& place_a, const PlaceB& place_b) {
  return outcome_of([=](const Problem& problem) {
    const Extents extents = extents_of(problem);
    const float* a = factor_a(problem);
    const float* b = factor_b(problem);
    return times(
        matrix_of(extents.m, extents.k, [&](std::int64_t row, std::int64_t p) { return a[place_a(extents, row, p)]; }),
        matrix_of(extents.k, extents.n, [&](std::int64_t p, std::int64_t col) { return b[place_b(extents, p, col)]; }));
  });
}

std::int64_t right_a(Extents extents, std::int64_t row, std::int64_t p) { return row * extents.k + p; }
std::int64_t right_b(Extents extents, std::int64_t p, std::int64_t col) { return p * extents.n + col; }

void add_place_mistakes(std::vector<Misconception>& list) {
  list.push_back(
      {"A read transposed",
       "A was read column by column: element (row, p) at p * m + row. It is row-major: element (row, p) is at "
       "row * k + p.",
       sum_of([](Extents extents, std::int64_t row, std::int64_t p) { return p * extents.m + row; }, &right_b)});
  list.push_back(
      {"B read transposed",
       "B was read column by column: element (p, col) at col * k + p. It is row-major: element (p, col) is at p * n + "
       "col.",
       sum_of(&right_a, [](Extents extents, std::int64_t p, std::int64_t col) { return col * extents.k + p; })});
}

// The last tile of A and B is loaded over the one before it, only where there are elements: what is left of that one
// in the rest is added again.
template <class Tile>
auto stale_rest(Tile tile) {
  return outcome_of([=](const Problem& problem) {
    const Extents extents = extents_of(problem);
    if (extents.k <= tile) return right_product(problem);  // there was no tile before: the rest was never written
    const std::int64_t end = (extents.k + tile - 1) / tile * tile;
    const auto source = [&](std::int64_t p) { return p < extents.k ? p : p - tile; };
    const float* a = factor_a(problem);
    const float* b = factor_b(problem);
    return times(
        matrix_of(extents.m, end, [&](std::int64_t row, std::int64_t p) { return a[row * extents.k + source(p)]; }),
        matrix_of(end, extents.n, [&](std::int64_t p, std::int64_t col) { return b[source(p) * extents.n + col]; }));
  });
}

// Tiles of A, of B or of both are read with row and column swapped; places outside the matrix hold 0.
template <class Tile>
auto tiles_transposed(Tile tile, bool of_a, bool of_b) {
  return outcome_of([=](const Problem& problem) {
    const Extents extents = extents_of(problem);
    const std::int64_t end = (extents.k + tile - 1) / tile * tile;
    const float* a = factor_a(problem);
    const float* b = factor_b(problem);
    const auto place_in = [tile](std::int64_t row, std::int64_t col, bool is_swapped) {
      if (is_swapped) return std::pair{row - row % tile + col % tile, col - col % tile + row % tile};
      return std::pair{row, col};
    };
    return times(matrix_of(extents.m, end,
                           [&](std::int64_t row, std::int64_t p) {
                             const auto [r, c] = place_in(row, p, of_a);
                             return r < extents.m && c < extents.k ? a[r * extents.k + c] : 0.0F;
                           }),
                 matrix_of(end, extents.n, [&](std::int64_t p, std::int64_t col) {
                   const auto [r, c] = place_in(p, col, of_b);
                   return r < extents.k && c < extents.n ? b[r * extents.n + c] : 0.0F;
                 }));
  });
}

void add_tile_mistakes(std::vector<Misconception>& list) {
  for (const std::int64_t tile : kSumTiles)
    list.push_back({"last partial tile of k left out",
                    "The last products of each sum are missing: the number of tiles along k was rounded down. If k is "
                    "not a multiple of the tile size, one more tile is needed, partly filled with zeros.",
                    sum_over([=](std::int64_t k) {
                      return Terms{0, k / tile * tile};
                    })});
  for (const std::int64_t tile : kSumTiles)
    list.push_back({"only the first tile of k summed",
                    "Only the products of the first tile were added. The tile has to move along k: loading and "
                    "multiplying belong in a loop over all tiles.",
                    sum_over([=](std::int64_t k) {
                      return Terms{0, std::min(k, tile)};
                    })});
  for (const std::int64_t tile : kSumTiles)
    list.push_back(
        {"only the last tile of k summed",
         "Only the products of the last tile were added: the sum is set to 0 again for every tile. Set it to "
         "0 once, before the loop over the tiles.",
         sum_over([=](std::int64_t k) {
           return Terms{std::max<std::int64_t>(0, k - 1) / tile * tile, k};
         })});
  for (const std::int64_t tile : kSumTiles)
    list.push_back({"rest of the last tile not set to zero",
                    "If k is not a multiple of the tile size, the places past its end still hold what the previous "
                    "tile left there, and this was added, too. Threads that have nothing to load must store 0.",
                    stale_rest(tile),
                    {"initcheck"}});
  const auto transposed = [&list](std::int64_t tile, const char* of, bool of_a, bool of_b) {
    list.push_back(
        {"tile read transposed",
         std::string("Row and column are swapped in ") + of +
             ": what was stored at tile[ty][tx] was read as if it stood at tile[tx][ty]. Thread (tx, ty) "
             "stores the element in row ty and column tx of the tile, and sums a_tile[ty][p] * b_tile[p][tx].",
         tiles_transposed(tile, of_a, of_b)});
  };
  for (const std::int64_t tile : {16, 32}) {
    transposed(tile, "the tile of A", true, false);
    transposed(tile, "the tile of B", false, true);
    transposed(tile, "both tiles", true, true);
  }
}

std::vector<Misconception> arithmetic_mistakes() {
  std::vector<Misconception> list;
  list.push_back({"last product left out",
                  "One product is missing in each sum: the loop ends one step early. p runs from 0 to k - 1, both "
                  "included.",
                  sum_over([](std::int64_t k) {
                    return Terms{0, k - 1};
                  })});
  list.push_back({"first product left out",
                  "One product is missing in each sum, the first: p runs from 0 to k - 1, both included.",
                  sum_over([](std::int64_t k) {
                    return Terms{std::min<std::int64_t>(1, k), k};
                  })});
  list.push_back({"only the last product kept",
                  "Each result is a single product, the last one: sum = ... where sum += ... belongs.",
                  sum_over([](std::int64_t k) {
                    return Terms{std::max<std::int64_t>(0, k - 1), k};
                  })});
  list.push_back({"sum kept in an int",
                  "After each addition the fraction was dropped: the sum is kept in an integer. Declare it as a float.",
                  outcome_of([](const Problem& problem) {
                    const Extents extents = extents_of(problem);
                    const float* a = factor_a(problem);
                    const float* b = factor_b(problem);
                    Array result = make_array<float>("c", {extents.m, extents.n});
                    float* c = elements<float>(result);
                    for (std::int64_t row = 0; row < extents.m; ++row)
                      for (std::int64_t p = 0; p < extents.k; ++p)
                        for (std::int64_t col = 0; col < extents.n; ++col) {
                          float& sum = c[row * extents.n + col];
                          sum = std::trunc(std::fma(a[row * extents.k + p], b[p * extents.n + col], sum));
                        }
                    return result;
                  })});
  return list;
}

}  // namespace

std::vector<Misconception> sum_mistakes() {
  std::vector<Misconception> list;
  add_place_mistakes(list);
  add_tile_mistakes(list);
  for (const Misconception& mistake : arithmetic_mistakes()) list.push_back(mistake);
  return list;
}

}  // namespace lanewise::labs::matmul_lab
