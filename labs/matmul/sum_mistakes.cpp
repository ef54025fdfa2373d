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

// The element that stands in a tile where (row, col) of the matrix belongs.
using Place = std::pair<std::int64_t, std::int64_t>;
using PlaceInTile = Place (*)(std::int64_t tile, std::int64_t row, std::int64_t col);
Place right_place(std::int64_t, std::int64_t row, std::int64_t col) { return {row, col}; }
Place other_row(std::int64_t tile, std::int64_t row, std::int64_t col) { return {row - row % tile + col % tile, col}; }
Place other_col(std::int64_t tile, std::int64_t row, std::int64_t col) { return {row, col - col % tile + row % tile}; }
Place transposed(std::int64_t tile, std::int64_t row, std::int64_t col) {
  return {other_row(tile, row, col).first, other_col(tile, row, col).second};
}
Place first_rows(std::int64_t tile, std::int64_t row, std::int64_t col) { return {row % tile, col}; }
Place first_cols(std::int64_t tile, std::int64_t row, std::int64_t col) { return {row, col % tile}; }

// Tiles of A and of B with these elements; places outside the matrix hold 0.
auto tiles_of(std::int64_t tile, PlaceInTile place_a, PlaceInTile place_b) {
  return outcome_of([=](const Problem& problem) {
    const Extents extents = extents_of(problem);
    const std::int64_t end = (extents.k + tile - 1) / tile * tile;
    const float* a = factor_a(problem);
    const float* b = factor_b(problem);
    return times(matrix_of(extents.m, end,
                           [&](std::int64_t row, std::int64_t p) {
                             const auto [r, c] = place_a(tile, row, p);
                             return r < extents.m && c < extents.k ? a[r * extents.k + c] : 0.0F;
                           }),
                 matrix_of(end, extents.n, [&](std::int64_t p, std::int64_t col) {
                   const auto [r, c] = place_b(tile, p, col);
                   return r < extents.k && c < extents.n ? b[r * extents.n + c] : 0.0F;
                 }));
  });
}

// The tile moves by one place from round to round, so most products are added once for each place in a tile. So many
// additions are rounded by more than sums that resemble each other may differ: they are made in the kernel's order, and
// only where that takes less than a second.
template <class RoundsOf>
auto overlapping_tiles(std::int64_t tile, const RoundsOf& rounds_of) {
  return [=](const Problem& problem) -> std::vector<Array> {
    const Extents extents = extents_of(problem);
    constexpr std::int64_t kMostProducts = std::int64_t{1} << 25;
    if (extents.m * extents.n > kMostProducts / (extents.k + 1)) return {};
    const float* a = factor_a(problem);
    const float* b = factor_b(problem);
    Array result = make_array<float>("c", {extents.m, extents.n});
    for (std::int64_t row = 0; row < extents.m; ++row) {
      float* sums = elements<float>(result) + row * extents.n;
      for (std::int64_t first = 0; first < rounds_of(extents.k); ++first)
        for (std::int64_t p = first; p < std::min(first + tile, extents.k); ++p)
          for (std::int64_t col = 0; col < extents.n; ++col)
            sums[col] = std::fma(a[row * extents.k + p], b[p * extents.n + col], sums[col]);
    }
    return {std::move(result)};
  };
}

// Every thread has a tile of A, of B or of both to itself: it holds the one number that this thread has loaded, and
// zeros, which is what the virtual GPU's local memory begins with.
auto private_tiles(std::int64_t tile, bool of_a, bool of_b) {
  return outcome_of([=](const Problem& problem) {
    const Extents extents = extents_of(problem);
    const float* a = factor_a(problem);
    const float* b = factor_b(problem);
    Array result = make_array<float>("c", {extents.m, extents.n});
    float* to = elements<float>(result);
    for (std::int64_t row = 0; row < extents.m; ++row)
      for (std::int64_t col = 0; col < extents.n; ++col) {
        double sum = 0;
        for (std::int64_t p = 0; p < extents.k; ++p)
          if ((!of_a || p % tile == col % tile) && (!of_b || p % tile == row % tile))
            sum += static_cast<double>(a[row * extents.k + p]) * b[p * extents.n + col];
        *to++ = static_cast<float>(sum);
      }
    return result;
  });
}

void add_mistakes_of_whole_tiles(std::vector<Misconception>& list, std::int64_t tile) {
  const auto swapped = [&](const char* of, PlaceInTile place_a, PlaceInTile place_b) {
    list.push_back(
        {"tile read transposed",
         std::string("Row and column are swapped in ") + of +
             ": what was stored at tile[ty][tx] was read as if it stood at tile[tx][ty]. Thread (tx, ty) "
             "stores the element in row ty and column tx of the tile, and sums a_tile[ty][p] * b_tile[p][tx].",
         tiles_of(tile, place_a, place_b)});
  };
  swapped("the tile of A", &transposed, &right_place);
  swapped("the tile of B", &right_place, &transposed);
  swapped("both tiles", &transposed, &transposed);

  const std::string loads = " Thread (tx, ty) loads a(row, first + tx) and b(first + ty, col).";
  list.push_back(
      {"tile loaded by the wrong coordinate",
       "A's tile was loaded from column first + threadIdx.y, so each of its rows repeats one number." + loads,
       tiles_of(tile, &other_col, &right_place)});
  list.push_back(
      {"tile loaded by the wrong coordinate",
       "B's tile was loaded from row first + threadIdx.x, so each of its columns repeats one number." + loads,
       tiles_of(tile, &right_place, &other_row)});
  const auto stays = [&](const char* of, PlaceInTile place_a, PlaceInTile place_b) {
    list.push_back({"tile does not move along k",
                    std::string("Every round of the loop loads the first tile of ") + of +
                        " again: first is missing in an index." + loads,
                    tiles_of(tile, place_a, place_b)});
  };
  stays("A", &first_cols, &right_place);
  stays("B", &right_place, &first_rows);
  stays("A and of B", &first_cols, &first_rows);

  const std::string moves =
      "Products were added several times: from one tile to the next, first grows by 1. It has to grow by the width of "
      "a tile: 0, kTile, 2 * kTile, ...";
  list.push_back({"tiles overlap along k", moves, overlapping_tiles(tile, [](std::int64_t k) { return k; })});
  list.push_back(
      {"tiles overlap along k", moves, overlapping_tiles(tile, [=](std::int64_t k) { return (k + tile - 1) / tile; })});

  const auto is_private = [&](const char* name, bool of_a, bool of_b) {
    list.push_back({"tile not shared",
                    std::string("__shared__ is missing before ") + name +
                        ": each thread has a tile to itself, with nothing in it but the number that it loaded.",
                    private_tiles(tile, of_a, of_b)});
  };
  is_private("A's tile", true, false);
  is_private("B's tile", false, true);
  is_private("both tiles", true, true);
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
  for (const std::int64_t tile : {16, 32}) add_mistakes_of_whole_tiles(list, tile);
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
