// Bodies with positions and masses, and their gravity in double precision.
#pragma once

#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::nbody_lab {

/// Makes the problem that a case's parameters n, softening and kind describe, and first and count if it has them:
/// without them, all bodies are attracted. The kinds:
///   kind = "line"      bodies on the x axis, 3 apart, with the masses 125, 250, 125, 250, ...
///   kind = "uniform"   size: in a cube from -size to size, with masses from [0.5, 1.5)
///   kind = "plane"     size: the same, but all have one z: the z components are exactly 0
///   kind = "pairs"     size: the same as "uniform", but the second half of the bodies is where the first half is
///   kind = "far"       size: the same cube, 1000 from the origin in each direction: differences are small beside
///                      coordinates
///   kind = "scaled"    size: every mass multiplied by a power of two, 2^-10 ... 2^10, or by 0
///   kind = "rounding"  size: all bodies but every 32nd are between 1 and 2 times `size` from the origin in each
///                      direction, the others are near it. Rounding a mass to half precision, TF32 or bfloat16 always
///                      makes it smaller, so that what is lost adds up
std::variant<Problem, MissingData> make(const Parameters& parameters, std::uint64_t seed);

/// Three numbers, or three sums.
struct Vector {
  double x = 0, y = 0, z = 0;
};

/// The input of a problem, in double.
struct Bodies {
  explicit Bodies(const Problem& problem);

  std::int64_t n, first, count;
  double softening;
  std::vector<double> x, y, z, mass;
};

/// The array "acceleration" made of what of_body(i) gives for each body i that is attracted. Calls are made on several
/// threads if there are many bodies, and must not depend on one another.
Array array_of(const Bodies& bodies, const std::function<Vector(std::int64_t)>& of_body);

/// What is right.
Array right_accelerations(const Problem& problem);

/// The sums of the absolute values of body i's terms.
Vector sums_of_magnitudes(const Bodies& bodies, std::int64_t i);

}  // namespace lanewise::labs::nbody_lab
