#include "harness/vgpu/fidelity/profiles.h"

#include <gtest/gtest.h>

#include "harness/vgpu/fidelity/comparison.h"

namespace vgpu::fidelity {
namespace {

constexpr const char* kRead = "dram__bytes_read.sum";
constexpr const char* kBlocks = "launch__occupancy_limit_blocks";

std::vector<Profile> read_again(const std::vector<Profile>& profiles) {
  const auto read = read_ncu_csv(profiles_csv(profiles));
  if (const auto* sentence = std::get_if<std::string>(&read)) ADD_FAILURE() << *sentence;
  return std::get<std::vector<Profile>>(read);
}

TEST(Profiles, LaunchesOfAKernelAddUpAndTheirShapeIsThatOfTheLast) {
  const auto sums = sums_of(
      {{"p", "f", {{kRead, 10}, {kBlocks, 8}}}, {"p", "g", {{kRead, 1}}}, {"p", "f", {{kRead, 20}, {kBlocks, 4}}, 3}});
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums[0].kernel, "f");
  EXPECT_EQ(sums[0].launches, 4);
  EXPECT_EQ(sums[0].metrics.at(kRead), 30);
  EXPECT_EQ(sums[0].metrics.at(kBlocks), 4);
}

TEST(Profiles, KernelsOfTwoProgramsStayApart) { EXPECT_EQ(sums_of({{"p", "f", {}}, {"q", "f", {}}}).size(), 2u); }

TEST(Profiles, ReadAgainAreTheSame) {
  const auto again = read_again(
      {{"p", R"(void f<3, "x">(int))", {{kRead, 268435456}, {kBlocks, 12}}, 96}, {"q", "g", {{kRead, 0.1 + 0.2}}}});
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[0].program, "p");
  EXPECT_EQ(again[0].kernel, R"(void f<3, "x">(int))");
  EXPECT_EQ(again[0].launches, 96);
  EXPECT_EQ(again[0].metrics.at(kRead), 268435456);
  EXPECT_EQ(again[1].launches, 1);
  EXPECT_EQ(again[1].metrics.at(kRead), 0.1 + 0.2);
  EXPECT_EQ(again[1].metrics.count(kBlocks), 0u);  // it was not measured, which is not 0
}

TEST(Profiles, KeepWhatAComparisonLooksAtAndNothingElse) {
  Profile profile{"p", "f", {{"device__attribute_warp_size", 32}}};
  for (const std::string& metric : compared_metrics()) profile.metrics[metric] = 7;
  const auto again = read_again({profile});
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].metrics.size(), compared_metrics().size());
  EXPECT_EQ(again[0].metrics.count("device__attribute_warp_size"), 0u);
}

TEST(Profiles, APrintedOccupancyIsThatOfItsKernelAndIsKept) {
  std::vector<Profile> profiles = {{"p", "_Z4copyPKfPf", {}}, {"p", "_Z5copy2PKfPf", {}}};
  add_printed_occupancy("copy: 0x1, 16 blocks a multiprocessor\nsaid otherwise\n", profiles);
  EXPECT_EQ(read_again(sums_of(profiles))[0].metrics.at(kPrintedOccupancy), 16);
  EXPECT_EQ(profiles[1].metrics.count(kPrintedOccupancy), 0u);
}

}  // namespace
}  // namespace vgpu::fidelity
