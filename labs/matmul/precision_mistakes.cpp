// Numbers that were cut to fewer bits before they were multiplied.
#include <algorithm>
#include <cmath>

#include "labs/matmul/misconceptions.h"
#include "labs/matmul/outcome.h"

namespace lanewise::labs::matmul_lab {
namespace {

// x to the nearest number with `bits` bits behind the leading one; `nearest` decides about halves. Below
// 2^lowest_exponent the last place stays where it is there, as it does for denormal numbers.
template <class Nearest>
float rounded(float x, int bits, int lowest_exponent, const Nearest& nearest) {
  if (x == 0) return x;
  const int exponent = std::max(std::ilogb(x), lowest_exponent);
  const double last_place = std::ldexp(1.0, exponent - bits);
  return static_cast<float>(nearest(x / last_place) * last_place);
}

double to_even(double x) { return std::nearbyint(x); }
double away_from_zero(double x) { return std::round(x); }

template <class Round>
auto product_of_rounded(const Round& round) {
  return outcome_of([=](const Problem& problem) {
    const Extents extents = extents_of(problem);
    const auto all = [&](const float* values, std::int64_t rows, std::int64_t cols) {
      return matrix_of(rows, cols, [&](std::int64_t row, std::int64_t col) { return round(values[row * cols + col]); });
    };
    return times(all(factor_a(problem), extents.m, extents.k), all(factor_b(problem), extents.k, extents.n));
  });
}

}  // namespace

std::vector<Misconception> precision_mistakes() {
  std::vector<Misconception> list;
  list.push_back({"factors rounded to TF32",
                  "The factors were rounded to TF32, the tensor cores' format for float, which has 10 fraction bits "
                  "where float has 23: too few for the bound in the contract.",
                  product_of_rounded([](float x) { return rounded(x, 10, -126, &away_from_zero); })});  // cvt.rna.tf32
  list.push_back({"factors rounded to half",
                  "The factors were rounded to half precision, which has 10 fraction bits where float has 23, and even "
                  "fewer for small numbers: too few for the bound in the contract.",
                  product_of_rounded([](float x) { return rounded(x, 10, -14, &to_even); })});
  list.push_back({"factors rounded to bfloat16",
                  "The factors were rounded to bfloat16, which has 7 fraction bits where float has 23: too few for the "
                  "bound in the contract.",
                  product_of_rounded([](float x) { return rounded(x, 7, -126, &to_even); })});
  return list;
}

}  // namespace lanewise::labs::matmul_lab
