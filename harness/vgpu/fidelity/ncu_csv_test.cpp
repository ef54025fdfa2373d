#include "harness/vgpu/fidelity/ncu_csv.h"

#include <gtest/gtest.h>

namespace vgpu::fidelity {
namespace {

/// As ncu writes a row: every field in quotes.
std::string row(const std::vector<std::string>& fields) {
  std::string text;
  for (const std::string& field : fields) text += (text.empty() ? "\"" : ",\"") + field + "\"";
  return text + "\n";
}

std::string head() {
  return row({"ID", "Process ID", "Process Name", "Kernel Name", "Block Size", "dram__bytes_read.sum",
              "launch__registers_per_thread", "smsp__inst_executed.sum"}) +
         row({"", "", "", "", "", "byte", "register/thread", "inst"});
}

std::vector<Profile> launches_in(const std::string& text) {
  const auto read = read_ncu_csv(text);
  if (const auto* sentence = std::get_if<std::string>(&read)) ADD_FAILURE() << *sentence;
  const auto* launches = std::get_if<std::vector<Profile>>(&read);
  return launches != nullptr ? *launches : std::vector<Profile>();
}

std::string failure_of(const std::string& text) {
  const auto read = read_ncu_csv(text);
  const auto* sentence = std::get_if<std::string>(&read);
  return sentence != nullptr ? *sentence : "";
}

TEST(NcuCsv, NumbersMayHaveThousandsSeparatorsAndFractions) {
  const auto launches =
      launches_in(head() + row({"0", "77", "copy", "_Z4copyPf", "(128, 1, 1)", "268,435,456", "16", "1,536.5"}));
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].program, "copy");
  EXPECT_EQ(launches[0].kernel, "_Z4copyPf");
  EXPECT_EQ(launches[0].metrics.at("dram__bytes_read.sum"), 268435456);
  EXPECT_EQ(launches[0].metrics.at("launch__registers_per_thread"), 16);
  EXPECT_EQ(launches[0].metrics.at("smsp__inst_executed.sum"), 1536.5);
  EXPECT_EQ(launches[0].metrics.size(), 3u);  // the block's size is no metric
}

TEST(NcuCsv, KernelNamesMayHoldCommasAndQuotes) {
  const auto launches =
      launches_in(head() + row({"0", "7", "p", R"(void f<3, ""x"">(const int *, int))", "b", "1", "2", "3"}));
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].kernel, R"(void f<3, "x">(const int *, int))");
}

TEST(NcuCsv, LaunchesOfOneKernelStayApart) {
  std::string text = head();
  for (const char* bytes : {"10", "20", "30"}) text += row({"0", "7", "p", "f", "b", bytes, "2", "3"});
  const auto launches = launches_in(text);
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_EQ(launches[2].metrics.at("dram__bytes_read.sum"), 30);
}

TEST(NcuCsv, WhatIsNoNumberIsLeftOut) {
  const auto launches = launches_in(head() + row({"0", "7", "p", "f", "b", "n/a", "", "7 of 9"}));
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_TRUE(launches[0].metrics.empty());
}

TEST(NcuCsv, RemarksAroundTheTableArePassedOver) {
  const auto launches = launches_in("==PROF== Connected to process 7, of \"p\"\nload: 0x12, 16 blocks\n" + head() +
                                    "\"0\",\"7\",\"p\",\"f\",\"b\",\"1\",\"2\",\"3\"\r\n==WARNING== a, b, c\n\n");
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].metrics.at("smsp__inst_executed.sum"), 3);
}

TEST(NcuCsv, ASecondTableMayHaveOtherColumns) {
  const auto launches = launches_in(head() + row({"0", "7", "p", "f", "b", "1", "2", "3"}) +
                                    row({"ID", "Process Name", "Kernel Name", "lts__t_sectors.sum"}) +
                                    row({"", "", "", "sector"}) + row({"0", "q", "g", "5"}));
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[1].program, "q");
  EXPECT_EQ(launches[1].metrics.at("lts__t_sectors.sum"), 5);
}

TEST(NcuCsv, AFileThatBreaksOffIsRefusedWithItsLine) {
  EXPECT_EQ(failure_of(head() + row({"0", "7", "p"})), "line 3 has 3 fields where 8 columns are: is the file whole?");
}

TEST(NcuCsv, TextWithoutATableIsRefused) {
  EXPECT_NE(failure_of(""), "");
  EXPECT_NE(failure_of("==ERROR== nothing was profiled\n"), "");
  EXPECT_EQ(failure_of(row({"ID", "Kernel Name"})), "line 1 has no column \"Process Name\"");
}

}  // namespace
}  // namespace vgpu::fidelity
