// Numbers that were cut to fewer bits before they were multiplied.
#include <algorithm>
#include <cmath>

#include "labs/spmv/misconceptions.h"
#include "labs/spmv/outcome.h"

namespace lanewise::labs::spmv_lab {
namespace {

// x to the nearest number with `bits` bits behind the leading one; halves to the even neighbour. Below
// 2^lowest_exponent the last place stays where it is there, as it does for denormal numbers.
double rounded(float x, int bits, int lowest_exponent) {
  if (x == 0) return x;
  const int exponent = std::max(std::ilogb(x), lowest_exponent);
  const double last_place = std::ldexp(1.0, exponent - bits);
  return std::nearbyint(x / last_place) * last_place;
}

Outcome with_rounded_factors(int bits, int lowest_exponent) {
  return by_rows([=](const Inputs& in, std::int64_t row) {
    return sum_of(in.row_offsets[row], in.row_offsets[row + 1], [&](std::int64_t j) {
      return rounded(in.values[j], bits, lowest_exponent) * rounded(in.x[in.columns[j]], bits, lowest_exponent);
    });
  });
}

}  // namespace

std::vector<Misconception> precision_mistakes() {
  std::vector<Misconception> list;
  list.push_back({"factors rounded to TF32",
                  "Values and x were rounded to TF32, the tensor cores' format for float, which has 10 fraction bits "
                  "where float has 23. This lab requires float.",
                  with_rounded_factors(10, -126)});
  list.push_back({"factors rounded to half",
                  "Values and x were rounded to half precision, which has 10 fraction bits where float has 23, and "
                  "even fewer for small numbers. This lab requires float.",
                  with_rounded_factors(10, -14)});
  list.push_back(
      {"factors rounded to bfloat16",
       "Values and x were rounded to bfloat16, which has 7 fraction bits where float has 23. This lab requires float.",
       with_rounded_factors(7, -126)});
  return list;
}

}  // namespace lanewise::labs::spmv_lab
