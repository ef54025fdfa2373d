// Four levels of quarters out of every 64 random bits.
#include "datasets/rmat.h"

#include <cassert>
#include <numeric>

#include "datasets/chunks.h"
#include "datasets/random.h"

namespace lanewise {
namespace {

// In 65536ths. Graph500 has 0.57, 0.19, 0.19, 0.05.
constexpr std::uint32_t kUpperLeft = 37356;
constexpr std::uint32_t kUpperRight = 12452;
constexpr std::uint32_t kLowerLeft = 12452;
static_assert(65536 - kUpperLeft - kUpperRight - kLowerLeft == 3276, "0.05 of 65536 are left for the lower right");

struct Quarters {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
};

Quarters draw(Random& random, int scale) {
  Quarters place;
  std::uint64_t bits = 0;
  for (int level = 0; level < scale; ++level) {
    if (level % 4 == 0) bits = random.next();
    const auto part = static_cast<std::uint32_t>(bits & 0xFFFF);
    bits >>= 16;
    // Without branches: which quarter it is cannot be predicted.
    const std::uint32_t below = part >= kUpperLeft + kUpperRight ? 1U : 0U;
    const std::uint32_t right_of_upper = part >= kUpperLeft ? 1U : 0U;
    const std::uint32_t right_of_lower = part >= kUpperLeft + kUpperRight + kLowerLeft ? 1U : 0U;
    place.row = place.row << 1 | below;
    place.column = place.column << 1 | ((right_of_upper ^ below) | right_of_lower);
  }
  return place;
}

}  // namespace

std::vector<std::int32_t> random_order(std::int64_t count, std::uint64_t seed) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  Random random(mixed(~seed));
  shuffle(order, random);
  return order;
}

Coordinates rmat_places(int scale, int edge_factor, std::uint64_t seed) {
  assert(scale >= 0 && scale <= 30 && edge_factor >= 0);
  const std::int64_t vertices = std::int64_t{1} << scale;
  const std::int64_t n = vertices * edge_factor;
  const std::vector<std::int32_t> order = random_order(vertices, seed);
  Coordinates places{vertices, vertices, {}, {}, {}};
  places.row.resize(static_cast<std::size_t>(n));
  places.column.resize(static_cast<std::size_t>(n));
  constexpr std::int64_t kPlaces = 1 << 16;
  for_each_chunk_of(kPlaces, n, [&](int, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    Random random(seed_of_part(seed, chunk));
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const Quarters place = draw(random, scale);
      places.row[i] = order[place.row];
      places.column[i] = order[place.column];
    }
  });
  return places;
}

}  // namespace lanewise
