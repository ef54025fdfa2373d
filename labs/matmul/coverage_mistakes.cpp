// Mistakes in the grid and in where results go: elements of C that nobody writes, or that land elsewhere.
#include <algorithm>
#include <string>

#include "labs/matmul/misconceptions.h"
#include "labs/matmul/outcome.h"

namespace lanewise::labs::matmul_lab {
namespace {

constexpr std::int64_t kTiles[] = {16, 32, 8, 64, 128};  // the most likely ones first

// The right product where is_computed(extents, row, col), nothing written elsewhere.
template <class IsComputed>
auto partly(const IsComputed& is_computed) {
  return outcome_of([=](const Problem& problem) {
    const Extents extents = extents_of(problem);
    Array result = unwritten(problem);
    const Array right = right_product(problem);
    const float* from = elements<float>(right);
    float* to = elements<float>(result);
    for (std::int64_t row = 0; row < extents.m; ++row)
      for (std::int64_t col = 0; col < extents.n; ++col, ++from, ++to)
        if (is_computed(extents, row, col)) *to = *from;
    return result;
  });
}

std::int64_t up_to_whole_tiles(std::int64_t extent, std::int64_t tile) { return (extent + tile - 1) / tile * tile; }

}  // namespace

std::vector<Misconception> coverage_mistakes() {
  std::vector<Misconception> list;
  list.push_back({"nothing written when k is 0",
                  "With k = 0, C was left unchanged. A sum of no products is 0: there is nothing to do only if m = 0 "
                  "or n = 0, and the sum is stored after the loop over the products or tiles, not in it.",
                  outcome_of([](const Problem& problem) {
                    return extents_of(problem).k == 0 ? unwritten(problem) : right_product(problem);
                  })});
  for (const std::int64_t tile : kTiles) {
    list.push_back({"partial tiles of C skipped",
                    "The last rows and columns, which do not fill a whole tile, were never computed: the number of "
                    "blocks was rounded down, or threads of a partial tile returned too early. Round up; and if a "
                    "block loads tiles, let every thread help before those outside C skip the store.",
                    partly([=](Extents extents, std::int64_t row, std::int64_t col) {
                      return row < extents.m / tile * tile && col < extents.n / tile * tile;
                    })});
  }
  for (const std::int64_t tile : kTiles) {
    list.push_back({"only one tile of C computed",
                    "Only the upper left tile of C was computed. Either the grid has a single block, or every block "
                    "works on the same tile because row and col omit blockIdx.",
                    partly([=](Extents, std::int64_t row, std::int64_t col) { return row < tile && col < tile; }),
                    {"racecheck"}});
  }
  for (const std::int64_t tile : kTiles) {
    list.push_back(
        {"grid made with m and n swapped",
         "The computed part ends where a grid for an n x m result would end. The blocks in x cover the columns of C, "
         "of which there are n; those in y cover the rows, of which there are m. Likewise, col comes from the x "
         "members of blockIdx and threadIdx, and row from the y members.",
         partly([=](Extents extents, std::int64_t row, std::int64_t col) {
           return row < up_to_whole_tiles(extents.n, tile) && col < up_to_whole_tiles(extents.m, tile);
         })});
  }
  list.push_back({"last n mod 4 columns skipped",
                  "The one to three columns after the last group of four were never computed. If n is not a multiple "
                  "of 4, some threads have to store single elements.",
                  partly([](Extents extents, std::int64_t, std::int64_t col) { return col < extents.n / 4 * 4; })});
  list.push_back({"result stored transposed",
                  "The result is right but transposed: element (row, col) was stored at col * m + row. It belongs at "
                  "row * n + col.",
                  outcome_of([](const Problem& problem) {
                    const auto [m, n, k] = extents_of(problem);
                    const Array right = right_product(problem);
                    Array result = unwritten(problem);
                    const float* from = elements<float>(right);
                    float* to = elements<float>(result);
                    for (std::int64_t row = 0; row < m; ++row)
                      for (std::int64_t col = 0; col < n; ++col) to[col * m + row] = *from++;
                    return result;
                  })});
  list.push_back({"added to the old C",
                  "The sums were added to what C held before the call, which is meaningless. Sum in a variable that "
                  "starts at 0, and store with =, not with +=.",
                  outcome_of([](const Problem& problem) {
                    Array result = unwritten(problem);
                    const Array right = right_product(problem);
                    for (std::size_t i = 0; i < element_count(result); ++i)
                      elements<float>(result)[i] += elements<float>(right)[i];
                    return result;
                  }),
                  {"initcheck"}});
  return list;
}

}  // namespace lanewise::labs::matmul_lab
