// The sequences, held against what cuRAND 10.4 made on an H200 (November 2026).
#include "harness/vgpu/libraries/random_sequences.h"

#include <gtest/gtest.h>

namespace vgpu::random_sequences_test {
namespace {

using namespace libraries;

using Make = std::unique_ptr<RandomSequence> (*)(std::uint64_t seed, std::uint64_t offset);
constexpr std::uint64_t kSeed = 1234;

/// Of the bytes of numbers made in several calls (FNV-1a).
template <class T>
std::uint64_t hash(RandomSequence& sequence, const std::vector<std::size_t>& counts,
                   void (RandomSequence::*make)(T*, std::size_t)) {
  std::uint64_t hash = 14695981039346656037U;
  for (const std::size_t count : counts) {
    std::vector<T> numbers(count);
    (sequence.*make)(numbers.data(), count);
    const auto* const bytes = reinterpret_cast<const unsigned char*>(numbers.data());
    for (std::size_t i = 0; i < count * sizeof(T); ++i) hash = (hash ^ bytes[i]) * 1099511628211U;
  }
  return hash;
}

struct Numbers {
  Make make;
  std::uint64_t offset;
  std::vector<std::size_t> counts;
  std::uint64_t words, floats, doubles;  ///< hashes; 0: not measured
};

// More than there are generators, so that each takes several turns; offsets in the middle of a chunk; and calls that
// end there.
const Numbers kMeasured[] = {
    {&xorwow_sequence, 0, {600000}, 0xf801b1b6779ce975, 0x3a1359f8365adfc1, 0x6801a7f01af338c1},
    {&xorwow_sequence, 5, {10000}, 0x07328ae65326fe63, 0, 0x8b32a190d7f56ef9},
    {&xorwow_sequence, 100000, {10000}, 0xdf808708ae71519b, 0, 0},
    {&xorwow_sequence, 0, {1000, 1000, 3002}, 0x92ed97b6fbe628fc, 0, 0},
    {&mrg32k3a_sequence, 0, {150000}, 0xec20626b5c5b31b1, 0xed9395ed0f1f77b7, 0xa57f8ee57129df51},
    {&mrg32k3a_sequence, 5, {10000}, 0x67b9602d880dc9fe, 0, 0xde1bf5289a09ae20},
    {&philox_sequence, 0, {150000}, 0xe462dc211897cc4d, 0x22a03684e9686e20, 0x764226c5e7ad7a85},
    {&xorwow_sequence, 3, {1002, 8194, 70000}, 0, 0, 0xb95a36cd6230e9ff},
    {&mrg32k3a_sequence, 3, {1002, 8194, 20000}, 0, 0, 0x0536529aed0b5ac8},
    {&philox_sequence, 3, {1002, 8194, 20000}, 0, 0, 0x701f193a0b84914b},
    {&philox_sequence, 5, {10000}, 0x794c9df9ac068cfd, 0, 0x42e5a90c334eefcd},
};

TEST(RandomSequences, WordsAndUniformNumbersAreThoseOfAnH200) {
  for (const Numbers& measured : kMeasured) {
    SCOPED_TRACE(&measured - kMeasured);
    const auto sequence = [&] { return measured.make(kSeed, measured.offset); };
    if (measured.words != 0) {
      EXPECT_EQ(hash(*sequence(), measured.counts, &RandomSequence::words), measured.words);
    }
    if (measured.floats != 0) {
      EXPECT_EQ(hash<float>(*sequence(), measured.counts, &RandomSequence::uniform), measured.floats);
    }
    if (measured.doubles != 0) {
      EXPECT_EQ(hash<double>(*sequence(), measured.counts, &RandomSequence::uniform), measured.doubles);
    }
  }
}

/// Its functions for logarithms and sines are approximate, so that the last digits differ.
TEST(RandomSequences, NormalNumbersAreThoseOfAnH200ButForTheirLastDigits) {
  std::vector<float> normal(4);
  xorwow_sequence(kSeed, 5)->normal(normal.data(), normal.size());
  const float measured[] = {1.49170363F, 0.440083385F, 4.40039349F, 2.30951524F};  // mean 1.5, deviation 2
  for (std::size_t i = 0; i < normal.size(); ++i) EXPECT_NEAR(1.5F + 2 * normal[i], measured[i], 1e-5);
}

TEST(RandomSequences, HowCallsAreSplitMakesNoDifference) {
  for (const Make make : {&xorwow_sequence, &mrg32k3a_sequence, &philox_sequence}) {
    const auto whole = hash<double>(*make(7, 3), {20000}, &RandomSequence::uniform);
    EXPECT_EQ(hash<double>(*make(7, 3), {1, 1001, 6998, 12000}, &RandomSequence::uniform), whole);
  }
}

}  // namespace
}  // namespace vgpu::random_sequences_test
