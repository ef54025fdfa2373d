// The numbers of the lab scan, their sums, and what each mistake makes of them.
#include "harness/lab/lab.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "datasets/chunks.h"

namespace lanewise::labs {
Lab scan();
}

namespace lanewise::scan_test {
namespace {

using Numbers = std::vector<std::int32_t>;

const Task& task() {
  static const Lab kLab = labs::scan();
  return kLab.tasks.at(0);
}

Parameters kind(const std::string& name, std::int64_t n) {
  Parameters parameters;
  parameters.set("kind", name);
  parameters.set("n", n);
  return parameters;
}

Parameters uniform(std::int64_t n, std::int64_t low, std::int64_t high) {
  Parameters parameters = kind("uniform", n);
  parameters.set("low", low);
  parameters.set("high", high);
  return parameters;
}

Parameters constant(std::int64_t n, std::int64_t value) {
  Parameters parameters = kind("constant", n);
  parameters.set("value", value);
  return parameters;
}

Problem made(const Parameters& parameters, std::uint64_t seed = 3) {
  return std::get<Problem>(task().make(parameters, seed));
}

Numbers values(const Array& array) {
  const auto* const first = elements<std::int32_t>(array);
  return {first, first + element_count(array)};
}

Problem problem_of(const Numbers& numbers) {
  Problem problem = made(constant(static_cast<std::int64_t>(numbers.size()), 0));
  std::copy(numbers.begin(), numbers.end(), elements<std::int32_t>(problem.inputs[0]));
  return problem;
}

Numbers oracle(const Problem& problem) { return values(task().oracle(problem).at(0)); }

// What the misconception of that name gives; of those with the same name, the `which`-th.
Numbers outcome(const std::string& misconception, const Problem& problem, int which = 0) {
  for (const Misconception& mistake : task().misconceptions)
    if (mistake.name == misconception && which-- == 0) return values(mistake.outcome(problem).at(0));
  throw std::invalid_argument("no misconception is called " + misconception);
}

// Small numbers without a pattern.
Numbers some(std::size_t n) {
  Numbers numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<std::int32_t>(i * i * 7 % 101) - 40;
  return numbers;
}

std::int32_t poison() {
  std::int32_t value = 0;
  std::memset(&value, static_cast<int>(kPoison), sizeof(value));
  return value;
}

constexpr std::size_t kBlock = 256;  // of the first misconception of each name

// Element i: `local` of the block's own elements up to i, plus `carry` of the block's number.
template <class Carry>
Numbers expected_with(const Numbers& in, const Carry& carry) {
  Numbers out(in.size());
  std::int32_t running = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (i % kBlock == 0) running = carry(i / kBlock);
    out[i] = running += in[i];
  }
  return out;
}

std::int32_t sum(const Numbers& in, std::size_t begin, std::size_t end) {
  return std::accumulate(in.begin() + static_cast<std::ptrdiff_t>(std::min(begin, in.size())),
                         in.begin() + static_cast<std::ptrdiff_t>(std::min(end, in.size())), 0);
}

TEST(ScanMake, GivesOneArrayItsLengthAndOneOutput) {
  for (const std::int64_t n : {0, 1, 33, 1000}) {
    const Problem problem = made(uniform(n, -5, 5));
    ASSERT_EQ(problem.inputs.size(), 1u);
    ASSERT_EQ(problem.outputs.size(), 1u);
    EXPECT_EQ(problem.space, Space::kDevice);
    EXPECT_EQ(problem.inputs[0].name, "in");
    EXPECT_EQ(problem.outputs[0].name, "out");
    EXPECT_EQ(problem.outputs[0].shape, std::vector<std::int64_t>{n});
    EXPECT_EQ(integer_scalar(problem, "n"), n);
  }
}

TEST(ScanMake, UniformStaysInItsRangeAndFillsIt) {
  const Numbers numbers = values(made(uniform(10'000, -3, 4)).inputs[0]);
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  EXPECT_EQ(*least, -3);
  EXPECT_EQ(*most, 4);
}

TEST(ScanMake, AlternatingNumbersCancelInPairs) {
  const Numbers sums = oracle(made(kind("alternating", 1001)));
  for (std::size_t i = 1; i < sums.size(); i += 2) EXPECT_EQ(sums[i], 0);
  EXPECT_NE(sums[1000], 0);
}

TEST(ScanMake, AnyNumbersHaveBothSignsAndManyBits) {
  const Numbers numbers = values(made(kind("any", 1000)).inputs[0]);
  EXPECT_GT(std::count_if(numbers.begin(), numbers.end(), [](std::int32_t x) { return x > 1 << 29; }), 100);
  EXPECT_GT(std::count_if(numbers.begin(), numbers.end(), [](std::int32_t x) { return x < -(1 << 29); }), 100);
}

TEST(ScanMake, ChunksHaveNumbersOfTheirOwn) {
  const Numbers numbers = values(made(kind("any", 2 * kChunk + 1)).inputs[0]);
  const auto middle = numbers.begin() + kChunk;
  EXPECT_FALSE(std::equal(numbers.begin(), numbers.begin() + 8, middle));
  // The shorter array of the same seed begins with the same numbers: a chunk depends on its position alone.
  const Numbers shorter = values(made(kind("any", kChunk + 5)).inputs[0]);
  EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), numbers.begin()));
}

TEST(ScanMake, SaysWhatIsWrongWithACase) {
  EXPECT_THROW(made(uniform(-1, 0, 1)), std::invalid_argument);
  EXPECT_THROW(made(uniform(5, 2, 1)), std::invalid_argument);
  EXPECT_THROW(made(uniform(5, 0, std::int64_t{1} << 31)), std::invalid_argument);
  EXPECT_THROW(made(kind("sorted", 5)), std::invalid_argument);
  EXPECT_THROW(made(Parameters()), std::invalid_argument);
}

TEST(ScanOracle, AddsUpByHand) {
  EXPECT_EQ(oracle(problem_of({3, 1, 7, 0, 4, 1, 6, 3})), (Numbers{3, 4, 11, 11, 15, 16, 22, 25}));
}

TEST(ScanOracle, WrapsAround) {
  constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(oracle(problem_of({kMost, 1, kLeast, kLeast, -1})), (Numbers{kMost, kLeast, 0, kLeast, kMost}));
}

TEST(ScanOracle, IsTheLoopAcrossTheBordersOfChunks) {
  for (const std::int64_t n : {kChunk - 1, kChunk, kChunk + 1, 3 * kChunk + 7}) {
    const Problem problem = made(kind("any", n));
    const Numbers in = values(problem.inputs[0]);
    const Numbers out = oracle(problem);
    std::uint32_t running = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      running += static_cast<std::uint32_t>(in[i]);
      ASSERT_EQ(static_cast<std::uint32_t>(out[i]), running) << i;
    }
  }
}

TEST(ScanJudge, IsExact) {
  const Problem problem = problem_of(some(100));
  const auto expected = task().oracle(problem);
  auto got = expected;
  EXPECT_TRUE(task().judge(problem, expected, got).right);
  ++elements<std::int32_t>(got[0])[99];
  EXPECT_FALSE(task().judge(problem, expected, got).right);
}

TEST(ScanWork, IsEightBytesAndOneAdditionAnElement) {
  const Work work = task().work(made(uniform(1000, 0, 1)));
  EXPECT_EQ(work.bytes, 8000);
  EXPECT_EQ(work.flops, 1000);
}

TEST(ScanMistakes, OfEightByHand) {
  const Problem problem = problem_of({3, 1, 7, 0, 4, 1, 6, 3});
  EXPECT_EQ(outcome("exclusive instead of inclusive", problem), (Numbers{0, 3, 4, 11, 11, 15, 16, 22}));
  // Sums of 1, 2, 1, 4, 1, 2, 1, 8 elements.
  EXPECT_EQ(outcome("second half of Brent-Kung missing", problem), (Numbers{3, 4, 7, 11, 4, 5, 6, 25}));
  EXPECT_EQ(outcome("last n mod 4 elements skipped", problem_of({1, 2, 3, 4, 5, 6})),
            (Numbers{1, 3, 6, 10, poison(), poison()}));
}

TEST(ScanMistakes, InWhatIsAddedToABlock) {
  const Numbers in = some(5 * kBlock + 17);
  const Problem problem = problem_of(in);
  EXPECT_EQ(outcome("block sums not added", problem), expected_with(in, [](std::size_t) { return 0; }));
  EXPECT_EQ(outcome("only the previous block's sum added", problem),
            expected_with(in, [&](std::size_t b) { return b == 0 ? 0 : sum(in, (b - 1) * kBlock, b * kBlock); }));
  EXPECT_EQ(outcome("block's own sum added to it", problem),
            expected_with(in, [&](std::size_t b) { return sum(in, 0, (b + 1) * kBlock); }));
  EXPECT_EQ(outcome("block sums taken one block too early", problem),
            expected_with(in, [&](std::size_t b) { return b == 0 ? 0 : sum(in, 0, (b - 1) * kBlock); }));
  EXPECT_EQ(outcome("last element taken for the block's sum", problem), expected_with(in, [&](std::size_t b) {
              std::int32_t carry = 0;
              for (std::size_t k = 0; k < b; ++k) carry += in[(k + 1) * kBlock - 1];
              return carry;
            }));
  EXPECT_EQ(outcome("block sums lack their last element", problem), expected_with(in, [&](std::size_t b) {
              std::int32_t carry = 0;
              for (std::size_t k = 0; k < b; ++k) carry += sum(in, k * kBlock, (k + 1) * kBlock - 1);
              return carry;
            }));
}

TEST(ScanMistakes, OfMoreBlocksThanTheyCanTake) {
  const Numbers in = some((kBlock + 3) * kBlock);
  const Problem problem = problem_of(in);
  EXPECT_EQ(outcome("look-back stops after 32 blocks", problem),
            expected_with(in, [&](std::size_t b) { return sum(in, b < 32 ? 0 : (b - 32) * kBlock, b * kBlock); }));
  // Scanned by one block: sums 0 to 255 are, sums 256 on are not.
  EXPECT_EQ(outcome("second level of block sums missing", problem),
            expected_with(in, [&](std::size_t b) { return sum(in, b <= kBlock ? 0 : (b - 1) * kBlock, b * kBlock); }));
  // Scanned by two blocks, each for itself: entry b - 1 is of the second one for b > 256. Six sizes of blocks are
  // before it.
  EXPECT_EQ(outcome("second level of block sums missing", problem, 6),
            expected_with(in, [&](std::size_t b) { return sum(in, b <= kBlock ? 0 : kBlock * kBlock, b * kBlock); }));
}

TEST(ScanMistakes, InTheScanOfABlock) {
  const Numbers in = some(kBlock);
  const Numbers out = outcome("last stride of Kogge-Stone missing", problem_of(in));
  for (std::size_t i = 0; i < kBlock; ++i)
    EXPECT_EQ(out[i], sum(in, i < kBlock / 2 ? 0 : i + 1 - kBlock / 2, i + 1)) << i;
}

TEST(ScanMistakes, ThreadAtTheStrideLeavesOutTheFirstElementOfEveryBlock) {
  const Numbers in = some(2 * kBlock + 3);
  Numbers scanned = in;  // by blocks, as a student would have written it
  for (std::size_t stride = 1; stride < kBlock; stride *= 2) {
    const Numbers before = scanned;
    for (std::size_t i = 0; i < in.size(); ++i)
      if (i % kBlock > stride) scanned[i] += before[i - stride];
  }
  const std::int32_t first = scanned[kBlock - 1], second = scanned[2 * kBlock - 1];  // two sums, scanned alike
  for (std::size_t i = kBlock; i < in.size(); ++i) scanned[i] += i < 2 * kBlock ? first : second;
  EXPECT_EQ(outcome("element at the stride left out", problem_of(in)), scanned);
}

TEST(ScanMistakes, BlocksOwnSumIsAddedToAllBlocksOrToAllButTheFirst) {
  const Numbers in = some(3 * kBlock + 17);
  EXPECT_EQ(outcome("block's own sum added to it", problem_of(in), 6),  // six sizes of blocks are before it
            expected_with(in, [&](std::size_t b) { return b == 0 ? 0 : sum(in, 0, (b + 1) * kBlock); }));
}

TEST(ScanMistakes, FloatsAreExactUpToTheirLimit) {
  const Problem small = problem_of(some(1000));
  EXPECT_EQ(outcome("sums kept in floats", small), oracle(small));
  // 2^24 + 1 is no float, and neither is any odd number above it.
  EXPECT_EQ(outcome("sums kept in floats", problem_of({16777216, 1, 1})), (Numbers{16777216, 16777216, 16777216 + 2}));
}

TEST(ScanMistakes, InHowManyBlocksThereAre) {
  const Problem problem = problem_of(some(2 * kBlock + 3));
  const Numbers right = oracle(problem);
  const Numbers partial = outcome("last partial block skipped", problem);
  const Numbers first = outcome("only the first block computed", problem);
  for (std::size_t i = 0; i < right.size(); ++i) {
    EXPECT_EQ(partial[i], i < 2 * kBlock ? right[i] : poison()) << i;
    EXPECT_EQ(first[i], i < kBlock ? right[i] : poison()) << i;
  }
}

TEST(ScanMistakes, OfNothingAreNothing) {
  const Problem problem = problem_of({});
  for (const Misconception& mistake : task().misconceptions)
    EXPECT_TRUE(mistake.outcome(problem).at(0).bytes.empty()) << mistake.name;
}

}  // namespace
}  // namespace lanewise::scan_test
