// What each typical mistake makes of a product, by hand and against the loops a student would have written.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <string>

#include "labs/matmul/test_matrices.h"

namespace lanewise::matmul_test {
namespace {

float poison() {
  const std::uint32_t bits = 0xA5A5A5A5;
  float value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// A = (1 2 3; 4 5 6), B = (1 2 3 4; 5 6 7 8; 9 10 11 12).
Problem counting() { return made(shape("counting", 2, 4, 3)); }

// C with element (row, col) = the sum of term(row, p, col).
template <class Term>
std::vector<float> sums(const Problem& problem, const Term& term) {
  std::vector<float> c;
  for (std::int64_t row = 0; row < integer_scalar(problem, "m"); ++row)
    for (std::int64_t col = 0; col < integer_scalar(problem, "n"); ++col) {
      double sum = 0;
      for (std::int64_t p = 0; p < integer_scalar(problem, "k"); ++p) sum += term(row, p, col);
      c.push_back(static_cast<float>(sum));
    }
  return c;
}

TEST(MatmulMistakes, ByHand) {
  EXPECT_EQ(outcome("last product left out", counting()), (std::vector<float>{11, 14, 17, 20, 29, 38, 47, 56}));
  EXPECT_EQ(outcome("only the last product kept", counting()), (std::vector<float>{27, 30, 33, 36, 54, 60, 66, 72}));
  EXPECT_EQ(outcome("result stored transposed", counting()), (std::vector<float>{38, 83, 44, 98, 50, 113, 56, 128}));
  // row 0 of "A" is then elements 0, 2 and 4 of the array: 1, 3, 5
  EXPECT_EQ(outcome("A read transposed", counting())[0], 1 * 1 + 3 * 5 + 5 * 9);
  // column 1 of "B" is then elements 3, 4 and 5 of the array: 4, 5, 6
  EXPECT_EQ(outcome("B read transposed", counting())[1], 1 * 4 + 2 * 5 + 3 * 6);
}

TEST(MatmulMistakes, OfPlacesAreWhatTheirLoopsGive) {
  for (const auto& [m, n, k] : {std::array{3, 5, 7}, {7, 3, 2}, {20, 20, 20}}) {
    const Problem problem = made(shape("integers", m, n, k));
    const float* a = elements<float>(problem.inputs[0]);
    const float* b = elements<float>(problem.inputs[1]);
    const std::int64_t rows = m;
    const std::int64_t cols = n;
    const std::int64_t terms = k;
    EXPECT_EQ(outcome("A read transposed", problem),
              sums(problem, [&](std::int64_t row, std::int64_t p, std::int64_t col) {
                return a[p * rows + row] * b[p * cols + col];
              }));
    EXPECT_EQ(outcome("B read transposed", problem),
              sums(problem, [&](std::int64_t row, std::int64_t p, std::int64_t col) {
                return a[row * terms + p] * b[col * terms + p];
              }));
  }
}

TEST(MatmulMistakes, OfTilesAlongKAreWhatTheirLoopsGive) {
  const Problem problem = made(shape("integers", 4, 3, 37));  // tiles of 16: two whole ones and 5 places of a third
  const float* a = elements<float>(problem.inputs[0]);
  const float* b = elements<float>(problem.inputs[1]);
  const auto term = [&](std::int64_t row, std::int64_t p, std::int64_t col) {
    return a[row * 37 + p] * b[p * 3 + col];
  };
  EXPECT_EQ(outcome("last partial tile of k left out", problem),
            sums(problem,
                 [&](std::int64_t row, std::int64_t p, std::int64_t col) { return p < 32 ? term(row, p, col) : 0; }));
  EXPECT_EQ(outcome("only the first tile of k summed", problem),
            sums(problem,
                 [&](std::int64_t row, std::int64_t p, std::int64_t col) { return p < 16 ? term(row, p, col) : 0; }));
  EXPECT_EQ(outcome("only the last tile of k summed", problem),
            sums(problem,
                 [&](std::int64_t row, std::int64_t p, std::int64_t col) { return p < 32 ? 0 : term(row, p, col); }));
  EXPECT_EQ(
      outcome("first product left out", problem),
      sums(problem, [&](std::int64_t row, std::int64_t p, std::int64_t col) { return p < 1 ? 0 : term(row, p, col); }));
  // places 5 ... 15 of the third tile still hold places 21 ... 31 of the sum
  EXPECT_EQ(outcome("rest of the last tile not set to zero", problem),
            sums(problem, [&](std::int64_t row, std::int64_t p, std::int64_t col) {
              return term(row, p, col) * (p >= 21 && p < 32 ? 2 : 1);
            }));
  const Problem short_sums = made(shape("integers", 4, 3, 7));
  for (int which : {0, 1})  // tiles of 16 and of 32: nothing was there before
    EXPECT_EQ(outcome("rest of the last tile not set to zero", short_sums, which), product_of(short_sums));
}

TEST(MatmulMistakes, OfTransposedTilesAreWhatTheirLoopsGive) {
  constexpr std::int64_t kTile = 16, kRows = 20, kCols = 18, kTerms = 21;  // whole tiles and parts of some
  const Problem problem = made(shape("integers", kRows, kCols, kTerms));
  const float* a = elements<float>(problem.inputs[0]);
  const float* b = elements<float>(problem.inputs[1]);
  const auto in_a = [&](std::int64_t row, std::int64_t p) {
    return row < kRows && p < kTerms ? a[row * kTerms + p] : 0;
  };
  const auto in_b = [&](std::int64_t p, std::int64_t col) {
    return p < kTerms && col < kCols ? b[p * kCols + col] : 0;
  };
  for (const int which : {0, 1, 2}) {  // A, B, both
    std::vector<float> c;
    for (std::int64_t row = 0; row < kRows; ++row)
      for (std::int64_t col = 0; col < kCols; ++col) {
        const std::int64_t ty = row % kTile, tx = col % kTile;
        float sum = 0;
        for (std::int64_t p0 = 0; p0 < kTerms; p0 += kTile)
          for (std::int64_t i = 0; i < kTile; ++i)
            sum += (which != 1 ? in_a(row - ty + i, p0 + ty) : in_a(row, p0 + i)) *
                   (which != 0 ? in_b(p0 + tx, col - tx + i) : in_b(p0 + i, col));
        c.push_back(sum);
      }
    EXPECT_EQ(outcome("tile read transposed", problem, which), c) << which;
  }
}

TEST(MatmulMistakes, OfLoadedTilesAreWhatTheirLoopsGive) {
  constexpr std::int64_t kTile = 16, kRows = 20, kCols = 18, kTerms = 37;  // whole tiles and parts of some
  const Problem problem = made(shape("integers", kRows, kCols, kTerms));
  const float* a = elements<float>(problem.inputs[0]);
  const float* b = elements<float>(problem.inputs[1]);
  const auto in_a = [&](std::int64_t row, std::int64_t p) { return p < kTerms ? a[row * kTerms + p] : 0; };
  const auto in_b = [&](std::int64_t p, std::int64_t col) { return p < kTerms ? b[p * kCols + col] : 0; };
  // The loop over tiles: term(row, col, first, i) is the i-th product of the tile that begins at first.
  const auto looped = [&](std::int64_t rounds, std::int64_t step, const auto& term) {
    std::vector<float> c;
    for (std::int64_t row = 0; row < kRows; ++row)
      for (std::int64_t col = 0; col < kCols; ++col) {
        float sum = 0;
        for (std::int64_t round = 0; round < rounds; ++round)
          for (std::int64_t i = 0; i < kTile; ++i) sum += term(row, col, round * step, i);
        c.push_back(sum);
      }
    return c;
  };
  using I = std::int64_t;
  EXPECT_EQ(outcome("tile loaded by the wrong coordinate", problem, 0),
            looped(3, kTile,
                   [&](I row, I col, I first, I i) { return in_a(row, first + row % kTile) * in_b(first + i, col); }));
  EXPECT_EQ(outcome("tile loaded by the wrong coordinate", problem, 1),
            looped(3, kTile,
                   [&](I row, I col, I first, I i) { return in_a(row, first + i) * in_b(first + col % kTile, col); }));
  EXPECT_EQ(outcome("tile does not move along k", problem, 0),
            looped(3, kTile, [&](I row, I col, I first, I i) { return in_a(row, i) * in_b(first + i, col); }));
  EXPECT_EQ(outcome("tile does not move along k", problem, 1),
            looped(3, kTile, [&](I row, I col, I first, I i) { return in_a(row, first + i) * in_b(i, col); }));
  EXPECT_EQ(outcome("tile does not move along k", problem, 2),
            looped(3, kTile, [&](I row, I col, I, I i) { return in_a(row, i) * in_b(i, col); }));
  const auto right = [&](I row, I col, I first, I i) { return in_a(row, first + i) * in_b(first + i, col); };
  EXPECT_EQ(outcome("tiles overlap along k", problem, 0), looped(kTerms, 1, right));
  EXPECT_EQ(outcome("tiles overlap along k", problem, 1), looped(3, 1, right));
  for (const int which : {0, 1, 2})  // A, B, both
    EXPECT_EQ(outcome("tile not shared", problem, which), looped(3, kTile,
                                                                 [&](I row, I col, I first, I i) {
                                                                   const bool has_a = which == 1 || i == col % kTile;
                                                                   const bool has_b = which == 0 || i == row % kTile;
                                                                   return has_a && has_b ? right(row, col, first, i)
                                                                                         : 0;
                                                                 }))
        << which;
}

TEST(MatmulMistakes, OfTheGridLeaveElementsUnwritten) {
  const Problem problem = made(shape("integers", 20, 40, 5));
  const auto right = product_of(problem);
  const auto partial = outcome("partial tiles of C skipped", problem);      // 1 x 2 tiles of 16
  const auto swapped = outcome("grid made with m and n swapped", problem);  // 3 x 2
  const auto first = outcome("only one tile of C computed", problem);
  const auto columns = outcome("last n mod 4 columns skipped", made(shape("integers", 1, 7, 5)));
  for (std::size_t row = 0; row < 20; ++row)
    for (std::size_t col = 0; col < 40; ++col) {
      const std::size_t i = row * 40 + col;
      EXPECT_EQ(partial[i], row < 16 && col < 32 ? right[i] : poison());
      EXPECT_EQ(swapped[i], col < 32 ? right[i] : poison());
      EXPECT_EQ(first[i], row < 16 && col < 16 ? right[i] : poison());
    }
  for (std::size_t col = 0; col < 7; ++col) EXPECT_EQ(columns[col] == poison(), col >= 4) << col;
}

TEST(MatmulMistakes, WhatCHeldBeforeShowsWhereTheProductIsZero) {
  const Problem problem = made(shape("zeros", 3, 2, 5));
  EXPECT_EQ(outcome("added to the old C", problem)[2], poison());
  EXPECT_EQ(outcome("nothing written when k is 0", problem), product_of(problem));
  const Problem no_products = made(shape("integers", 3, 2, 0));
  EXPECT_EQ(outcome("nothing written when k is 0", no_products), std::vector<float>(6, poison()));
}

TEST(MatmulMistakes, AnIntLosesTheFractionOfEverySum) {
  Problem problem = made(shape("uniform", 1, 1, 4));
  const std::vector<float> a = {1.5f, 0.75f, -2.5f, -0.5f};  // sums 1.5, 1.75, -1.5, -1.5, each cut
  std::copy(a.begin(), a.end(), elements<float>(problem.inputs[0]));
  std::fill_n(elements<float>(problem.inputs[1]), 4, 1.0f);
  EXPECT_EQ(outcome("sum kept in an int", problem), std::vector<float>{-1.0f});
}

TEST(MatmulMistakes, ReducedPrecisionOfOneProduct) {
  Problem problem = made(shape("uniform", 1, 1, 1));
  float& a = *elements<float>(problem.inputs[0]);
  *elements<float>(problem.inputs[1]) = 1;
  struct Format {
    const char* name;
    float given, rounded;
  };
  const float tenth = std::ldexp(1.0f, -10);
  for (const Format& each :
       {Format{"factors rounded to TF32", 1 + 0.75f * tenth, 1 + tenth},
        Format{"factors rounded to TF32", 1 + 0.25f * tenth, 1},
        Format{"factors rounded to TF32", std::ldexp(1 + 3 * tenth, -20), std::ldexp(1 + 3 * tenth, -20)},
        Format{"factors rounded to TF32", 1 + 0.5f * tenth, 1 + tenth},  // halves away from zero
        Format{"factors rounded to half", 1 + 0.5f * tenth, 1},          // to the even neighbour
        Format{"factors rounded to half", -(1 + 0.75f * tenth), -(1 + tenth)},
        Format{"factors rounded to half", std::ldexp(1 + 3 * tenth, -20), std::ldexp(1.0f, -20)},
        Format{"factors rounded to half", std::ldexp(1.0f, -26), 0},
        Format{"factors rounded to bfloat16", 1 + 3 * tenth, 1},
        Format{"factors rounded to bfloat16", 1 + 7 * tenth, 1 + 8 * tenth}}) {
    a = each.given;
    EXPECT_EQ(outcome(each.name, problem), std::vector<float>{each.rounded}) << each.name << ' ' << each.given;
  }
}

TEST(MatmulMistakes, OfNothingAreNothing) {
  for (const auto& [m, n] : {std::pair{0, 7}, {7, 0}})
    for (const int k : {0, 5})
      for (const Misconception& mistake : task().misconceptions)
        EXPECT_TRUE(mistake.outcome(made(shape("integers", m, n, k))).at(0).bytes.empty()) << mistake.name;
}

// Worked out for sizes that a student waits for only.
TEST(MatmulMistakes, ResembleEachOtherUpToTheRoundingOfTheLargestRowAndColumn) {
  Problem problem = made(shape("uniform", 2, 1, 1));  // rows of length 0 and 3, a column of length 1
  elements<float>(problem.inputs[0])[0] = 0;
  elements<float>(problem.inputs[0])[1] = 3;
  elements<float>(problem.inputs[1])[0] = 1;
  const auto resembles = [&](double off) {
    std::vector<Array> a = task().oracle(problem), b = a;
    elements<float>(a[0])[0] = 1;
    elements<float>(b[0])[0] = static_cast<float>(1 + off);
    return task().resembles(problem, a, b);
  };
  const double bound = 16 * std::ldexp(1.0, -24) * 3;
  EXPECT_TRUE(resembles(0.9 * bound));
  EXPECT_FALSE(resembles(1.1 * bound));
}

TEST(MatmulMistakes, OfHugeProductsAreNotWorkedOut) {
  const Problem problem = made(shape("zeros", 2048, 2048, 1100));
  for (const Misconception& mistake : task().misconceptions)
    EXPECT_TRUE(mistake.outcome(problem).empty()) << mistake.name;
}

}  // namespace
}  // namespace lanewise::matmul_test
