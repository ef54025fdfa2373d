// A table says what was seen, what was measured, and what was not.
#include "grader/bench/ladder_table.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

const LadderSetting kSetting{"blur", "rocket", "width = 640", "h200", "nvcc 13.0.88"};

TaskFile task() {
  TaskFile file;
  file.name = "blur";
  file.cases.resize(2);
  file.cases[0].name = "rocket";
  file.cases[0].group = "check";
  file.cases[1].name = "race | wide";
  file.cases[1].group = "race";
  file.ladder = {"rocket", {"instructions", "sectors_per_request.global_load"}};
  return file;
}

StepObservation step(const std::string& file) {
  StepObservation seen;
  seen.file = file;
  seen.link = "blur/" + file;
  seen.source = "0123";
  seen.was_run = true;
  seen.right = 13;
  seen.cases = 13;
  seen.counters = {{"executions", 1200}, {"global_load_requests", 10}, {"global_load_sectors", 40}};
  return seen;
}

bool table_has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(LadderTable, HasARowForEachStep) {
  StepObservation unclean = step("2_tile.cu");
  unclean.right = 12;
  unclean.findings = {{"memcheck", 2}, {"racecheck", 1}};
  const std::string table = ladder_table(task(), kSetting, {step("1_naive.cu"), unclean}, nullptr);
  EXPECT_TRUE(table_has_line(
      table,
      "| step | right | findings | warp instructions | sectors per request, global loads | GPU, race \\| "
      "wide |"))
      << table;
  EXPECT_TRUE(table_has_line(table, "|---|---:|---|---:|---:|---:|")) << table;
  EXPECT_TRUE(table_has_line(table, "| [`1_naive.cu`](blur/1_naive.cu) | 13 of 13 | none | 1,200 | 4.00 | – |"))
      << table;
  EXPECT_TRUE(table_has_line(
      table, "| [`2_tile.cu`](blur/2_tile.cu) | 12 of 13 | memcheck 2, racecheck 1 | 1,200 | 4.00 | – |"))
      << table;
  EXPECT_NE(table.find("the case `rocket` (width = 640) there, H200 profile"), std::string::npos) << table;
  EXPECT_NE(table.find("Not timed on a GPU yet"), std::string::npos) << table;
}

TEST(LadderTable, ModelledTimesHaveAColumn) {
  StepObservation modelled = step("1_naive.cu");
  modelled.modelled.call.nanoseconds = 12345;
  modelled.modelled.call.bound_by = "memory";
  const std::string table = ladder_table(task(), kSetting, {modelled, step("2_tile.cu")}, nullptr);
  EXPECT_NE(table.find("| modelled, H200 | GPU, race"), std::string::npos) << table;
  EXPECT_NE(table.find("| 4.00 | 12.3 µs · memory | – |"), std::string::npos) << table;
  EXPECT_NE(table.find("| 4.00 | – | – |"), std::string::npos) << table;
}

TEST(LadderTable, PeersWithoutAGpuHaveDashes) {
  StepObservation peer;
  peer.file = "library_npp.cu";
  peer.link = "blur/library_npp.cu";
  const std::string table = ladder_table(task(), kSetting, {peer}, nullptr);
  EXPECT_TRUE(table_has_line(table, "| [`library_npp.cu`](blur/library_npp.cu) | – | – | – | – | – |")) << table;
}

TEST(LadderTable, TroubleTakesTheNumbersPlace) {
  StepObservation broken = step("1_naive.cu");
  broken.trouble = "it does not\ncompile\n";
  broken.counters.clear();
  const std::string table = ladder_table(task(), kSetting, {broken}, nullptr);
  EXPECT_TRUE(table_has_line(table, "| [`1_naive.cu`](blur/1_naive.cu) | no: it does not compile | – | – | – | – |"))
      << table;
}

TEST(LadderTable, ClassesHaveATableACounter) {
  TaskFile file = task();
  file.classes = {"What the length of rows costs", {"rows of 2", "rows of 32"}, {"instructions", "active_lanes"}};
  StepObservation counted = step("1_naive.cu");
  counted.classes = {"", {}, {{"rows of 2", {"1,234", "6 %"}}, {"rows of 32", {}}}};
  StepObservation peer = step("library_npp.cu");
  const std::string table = ladder_table(file, kSetting, {counted, peer}, nullptr);
  EXPECT_TRUE(table_has_line(table, "What the length of rows costs, case by case:")) << table;
  EXPECT_TRUE(table_has_line(table, "| active lanes | rows of 2 | rows of 32 |")) << table;
  EXPECT_TRUE(table_has_line(table, "| `1_naive.cu` | 6 % | – |")) << table;
  EXPECT_FALSE(table_has_line(table, "| `library_npp.cu` | – | – |")) << table;
}

TEST(LadderTable, ShowsMeasuredTimes) {
  MeasuredTask measured{"blur",
                        "NVIDIA H200",
                        "580.95.05",
                        "13.0",
                        1980,
                        "2026-11-22",
                        {{"1_naive.cu", "race | wide", 3.3, 15, 1.34e8, 3e8, true, "0123"},
                         {"library_npp.cu", "race | wide", 0.5, 15, 1.34e8, 3e8, false, "0123"},
                         {"1_naive.cu", "another case", 7, 15, 1.34e8, 3e8, true, "0123"}}};
  StepObservation peer;
  peer.file = "library_npp.cu";
  peer.link = "library_npp.cu";
  peer.source = "4567";
  const std::string table = ladder_table(task(), kSetting, {step("1_naive.cu"), step("2_tile.cu"), peer}, &measured);
  EXPECT_NE(table.find("| H200, race \\| wide |"), std::string::npos) << table;
  EXPECT_NE(table.find("| 4.00 | 3.30 ms · 40.6 GB/s |"), std::string::npos) << table;
  EXPECT_NE(table.find("2_tile.cu) | 13 of 13 | none | 1,200 | 4.00 | – |"), std::string::npos) << table;
  EXPECT_NE(table.find("| 0.500 ms · 268 GB/s (different result) (earlier version) |"), std::string::npos) << table;
  EXPECT_NE(table.find("driver 580.95.05"), std::string::npos) << table;
}

TEST(LadderTable, TheCompilerCanBeReadBack) {
  EXPECT_EQ(compiler_of_section(ladder_table(task(), kSetting, {}, nullptr)), "nvcc 13.0.88");
  EXPECT_EQ(compiler_of_section("no table"), std::nullopt);
}

}  // namespace
}  // namespace lanewise
