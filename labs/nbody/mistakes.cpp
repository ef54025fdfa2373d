// Works out mistakes: the right sums with something changed.
#include "labs/nbody/mistakes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "labs/nbody/bodies.h"

namespace lanewise::labs::nbody_lab {
namespace {

using Index = std::int64_t;
using Outcome = std::function<std::vector<Array>(const Problem&)>;

// Not worked out for more bodies than this: it would take longer than it is worth.
constexpr Index kMostBodies = 1 << 13;

constexpr Index kSizes[] = {256, 128, 64, 512, 32, 1024};  // of blocks and tiles; the most likely ones first

// A term as students write it, with something changed.
struct Law {
  double softening2;    // what is added to the square of the distance
  double power = -1.5;  // of r2
  double sign = 1;
  bool has_mass = true;   // that of the body that attracts
  bool own_mass = false;  // that of the body that is attracted
  bool skips_itself = false;
};

struct Range {
  Index first, end;
};

// What the bodies of a range add up to for body i. Places from n on repeat what stood `stale` places before, or the
// last body if that is 0.
Vector sum_of(const Bodies& bodies, const Law& law, Index i, Range range, Index stale = 0) {
  Vector sum;
  const auto at = static_cast<std::size_t>(i);
  for (Index place = range.first; place < range.end; ++place) {
    const Index past = stale == 0 ? bodies.n - 1 : place - stale;
    const auto j = static_cast<std::size_t>(place < bodies.n ? place : past);
    if (law.skips_itself && j == at) continue;
    const double dx = bodies.x[j] - bodies.x[at];
    const double dy = bodies.y[j] - bodies.y[at];
    const double dz = bodies.z[j] - bodies.z[at];
    const double mass = (law.has_mass ? bodies.mass[j] : 1) * (law.own_mass ? bodies.mass[at] : 1);
    const double factor = law.sign * mass * std::pow(dx * dx + dy * dy + dz * dz + law.softening2, law.power);
    sum.x += factor * dx;
    sum.y += factor * dy;
    sum.z += factor * dz;
  }
  return sum;
}

template <class Give>
Outcome outcome_of(const Give& give) {
  return [give](const Problem& problem) -> std::vector<Array> {
    if (integer_scalar(problem, "n") > kMostBodies) return {};
    return {give(problem)};
  };
}

Law right_law(const Bodies& bodies) { return {bodies.softening * bodies.softening}; }

// change(law, bodies) changes the law by which all bodies attract all others.
template <class Change>
Outcome with_law(const Change& change) {
  return outcome_of([change](const Problem& problem) {
    const Bodies bodies(problem);
    Law law = right_law(bodies);
    change(law, bodies);
    return array_of(bodies, [&](Index i) { return sum_of(bodies, law, i, {0, bodies.n}); });
  });
}

// range_of(bodies, i): which bodies are added up for body i. See sum_of for those past the last.
template <class RangeOf>
Outcome with_range(const RangeOf& range_of, Index stale = 0) {
  return outcome_of([range_of, stale](const Problem& problem) {
    const Bodies bodies(problem);
    return array_of(bodies, [&](Index i) { return sum_of(bodies, right_law(bodies), i, range_of(bodies, i), stale); });
  });
}

Index rounded_up(Index number, Index tile) { return (number + tile - 1) / tile * tile; }

// The numbers of the right result at other places: place_of(count, i, axis).
template <class PlaceOf>
Outcome moved(const PlaceOf& place_of) {
  return outcome_of([place_of](const Problem& problem) {
    const Array right = right_accelerations(problem);
    Array result = right;
    const Index count = right.shape[0];
    for (Index i = 0; i < count; ++i)
      for (Index axis = 0; axis < 3; ++axis)
        elements<float>(result)[place_of(count, i, axis)] = elements<float>(right)[3 * i + axis];
    return result;
  });
}

// Only the first end_of(count) bodies get a result.
template <class EndOf>
Outcome written_until(const EndOf& end_of) {
  return outcome_of([end_of](const Problem& problem) {
    Array result = right_accelerations(problem);
    const Index count = result.shape[0];
    std::fill(result.bytes.begin() + static_cast<std::ptrdiff_t>(3 * sizeof(float)) * std::min(count, end_of(count)),
              result.bytes.end(), kPoison);
    return result;
  });
}

void add_law_mistakes(std::vector<Misconception>& list) {
  const char* const no_softening =
      "Two bodies at the same place, or a body and itself, are at the distance 0, and 0 / 0 is not a number. The "
      "square "
      "of the softening belongs to r2 in every term.";
  list.push_back({"softening left out", no_softening, with_law([](Law& law, const Bodies&) { law.softening2 = 0; })});
  list.push_back({"softening left out", no_softening, with_law([](Law& law, const Bodies&) {
                    law.softening2 = 0;
                    law.skips_itself = true;
                  })});
  list.push_back({"softening not squared", "r2 is a sum of squares: softening * softening belongs to it.",
                  with_law([](Law& law, const Bodies& bodies) { law.softening2 = bodies.softening; })});
  list.push_back({"mass left out", "Every body attracts as if its mass were 1. The mass is the fourth float of a body.",
                  with_law([](Law& law, const Bodies&) { law.has_mass = false; })});
  list.push_back({"own mass taken",
                  "Each acceleration contains the mass of the body that is attracted. It has to be that of the body "
                  "that attracts: mass(j) in the sum of body i.",
                  with_law([](Law& law, const Bodies&) {
                    law.has_mass = false;
                    law.own_mass = true;
                  })});
  list.push_back({"own mass taken as well",
                  "Each result is the force: it is multiplied by the mass of the body that is attracted. In the "
                  "acceleration of body i, only mass(j) counts.",
                  with_law([](Law& law, const Bodies&) { law.own_mass = true; })});
  list.push_back(
      {"bodies repel each other",
       "Every result has the wrong sign. Gravity pulls body i towards body j: the difference is x(j) - x(i).",
       with_law([](Law& law, const Bodies&) { law.sign = -1; })});
  list.push_back(
      {"divided by the square of the distance",
       "The sum is that of mass (dx, dy, dz) / r2. Gravity falls with the square of the distance, but (dx, dy, "
       "dz) is itself as long as the distance: divide by its third power, r2 * sqrtf(r2).",
       with_law([](Law& law, const Bodies&) { law.power = -1; })});
  list.push_back({"divided by the distance",
                  "The sum is that of mass (dx, dy, dz) / r: the third power of 1 / r was forgotten. Divide by r2 * "
                  "sqrtf(r2).",
                  with_law([](Law& law, const Bodies&) { law.power = -0.5; })});
  list.push_back({"root not taken", "The sum is that of mass (dx, dy, dz) / (r2 r2 r2): its square root divides.",
                  with_law([](Law& law, const Bodies&) { law.power = -3; })});
}

void add_source_mistakes(std::vector<Misconception>& list) {
  list.push_back({"last body left out", "One term is missing in each sum: j runs from 0 to n - 1, both included.",
                  with_range([](const Bodies& bodies, Index) {
                    return Range{0, bodies.n - 1};
                  })});
  list.push_back({"first body left out", "One term is missing in each sum, that of body 0.",
                  with_range([](const Bodies& bodies, Index) {
                    return Range{1, bodies.n};
                  })});
  const char* const half_of_pairs =
      "Body i was attracted only by the bodies on one side of it in the array. If each pair is visited once, both "
      "bodies of it need their term.";
  list.push_back({"each pair added for one body only", half_of_pairs, with_range([](const Bodies&, Index i) {
                    return Range{0, i};
                  })});
  list.push_back({"each pair added for one body only", half_of_pairs, with_range([](const Bodies& bodies, Index i) {
                    return Range{i, bodies.n};
                  })});
  const auto only_the_last = [&list](Index tile) {
    list.push_back({"only the last bodies added up",
                    "Only the last body, or those of the last tile, are in the sums. Set the sums to 0 once, before "
                    "the loops, and add to them with +=.",
                    with_range([tile](const Bodies& bodies, Index) {
                      return Range{std::max<Index>(0, bodies.n - 1) / tile * tile, bodies.n};
                    })});
  };
  only_the_last(1);
  for (const Index tile : kSizes) only_the_last(tile);
  for (const Index tile : kSizes)
    list.push_back({"last partial tile left out",
                    "The last bodies attract nobody: the number of tiles was rounded down. If n is not a multiple of "
                    "the tile's size, one more tile is needed, of which only a part counts.",
                    with_range([tile](const Bodies& bodies, Index) {
                      return Range{0, bodies.n / tile * tile};
                    })});
  for (const Index tile : kSizes)
    list.push_back({"only the first tile added up",
                    "Only the bodies of the first tile attract others. Loading and adding belong in a loop over all "
                    "tiles.",
                    with_range([tile](const Bodies& bodies, Index) {
                      return Range{0, std::min(bodies.n, tile)};
                    })});
  for (const Index tile : kSizes)
    list.push_back(
        {"rest of the last tile added again",
         "The last tile is not full. Behind its bodies stand those of the tile before, and they were added a "
         "second time. Store bodies of mass 0 there, or stop at n.",
         with_range(
             [tile](const Bodies& bodies, Index) {
               return Range{0, bodies.n <= tile ? bodies.n : rounded_up(bodies.n, tile)};
             },
             tile),
         {"initcheck"}});
  for (const Index tile : kSizes)
    list.push_back({"last body repeated",
                    "The last tile was filled up with copies of the last body, and they attract, too. Fill it up with "
                    "bodies of mass 0.",
                    with_range([tile](const Bodies& bodies, Index) {
                      return Range{0, rounded_up(bodies.n, tile)};
                    })});
}

void add_place_mistakes(std::vector<Misconception>& list) {
  list.push_back({"stored axis by axis",
                  "All x components were stored first, then all y components, then all z components. The three "
                  "components of body i are neighbours: at 3 * i, 3 * i + 1 and 3 * i + 2.",
                  moved([](Index count, Index i, Index axis) { return axis * count + i; })});
  const auto swapped = [&list](Index one, Index other, const char* names) {
    list.push_back({"axes swapped", std::string("The ") + names + " components of each result are swapped.",
                    moved([one, other](Index, Index i, Index axis) {
                      return 3 * i + (axis == one ? other : axis == other ? one : axis);
                    })});
  };
  swapped(0, 1, "x and y");
  swapped(1, 2, "y and z");
  swapped(0, 2, "x and z");
  list.push_back(
      {"first left out", "The results are those of bodies 0, 1, 2, ...: result k belongs to body first + k.",
       outcome_of([](const Problem& problem) {
         Bodies bodies(problem);
         bodies.first = 0;
         return array_of(bodies, [&](Index i) { return sum_of(bodies, right_law(bodies), i, {0, bodies.n}); });
       })});
  const auto only_attracted = [&list](const auto& range_of) {
    list.push_back({"only the attracted bodies attract",
                    "The sums run over as many bodies as are attracted. All n bodies attract: loops over bodies, or "
                    "over tiles of them, end at n rather than `count`.",
                    with_range(range_of)});
  };
  only_attracted([](const Bodies& bodies, Index) { return Range{bodies.first, bodies.first + bodies.count}; });
  const auto first_ones = [&only_attracted](Index tile) {
    only_attracted([tile](const Bodies& bodies, Index) {
      return Range{0, std::min(bodies.n, rounded_up(bodies.count, tile))};
    });
  };
  first_ones(1);
  for (const Index tile : kSizes) first_ones(tile);
  for (const Index block : kSizes)
    list.push_back({"last partial block left out",
                    "The last bodies have no result: the number of blocks was rounded down. Round it up, and let "
                    "threads without a body store nothing.",
                    written_until([block](Index count) { return count / block * block; })});
  for (const Index block : kSizes)
    list.push_back({"only the first block has results",
                    "Only as many bodies as a block has threads have a result: either the grid has one block, or the "
                    "number of the body leaves out blockIdx.x.",
                    written_until([block](Index) { return block; }),
                    {"racecheck"}});
}

}  // namespace

std::vector<Misconception> mistakes() {
  std::vector<Misconception> list;
  add_law_mistakes(list);
  add_source_mistakes(list);
  add_place_mistakes(list);
  return list;
}

}  // namespace lanewise::labs::nbody_lab
