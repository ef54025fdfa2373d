#include "harness/vgpu/fidelity/markdown.h"

#include <gtest/gtest.h>

#include "harness/vgpu/fidelity/number_text.h"

namespace vgpu::fidelity {
namespace {

TEST(NumberText, HasThousandsSeparators) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(999), "999");
  EXPECT_EQ(number_text(1000), "1,000");
  EXPECT_EQ(number_text(268435456), "268,435,456");
  EXPECT_EQ(number_text(31.256), "31.26");
}

TEST(CellText, ShowsBothSidesWhereTheyDiffer) {
  EXPECT_EQ(cell_text({768, 768, Verdict::kEqual}), "768");
  EXPECT_EQ(cell_text({768, 770, Verdict::kWithin}), "768 / 770 (0.997)");
  EXPECT_EQ(cell_text({800, 400, Verdict::kBeyond}), "**800 / 400 (2.000)**");
  EXPECT_EQ(cell_text({800, 400, Verdict::kRecompiled}), "*800 / 400 (2.000)*");
  EXPECT_EQ(cell_text({97, 100, Verdict::kReordered}), "*97 / 100 (0.970)*");
  EXPECT_EQ(cell_text({5, 0, Verdict::kBeyond}), "**5 / 0**");
  EXPECT_EQ(cell_text({5, std::nullopt, Verdict::kShown}), "5 / ?");
  EXPECT_EQ(cell_text({0, 0, Verdict::kNothing}), "");
}

Row row_of(const std::string& kernel, std::size_t column, const Cell& cell) {
  Row row{kernel, std::vector<Cell>(metrics().size()), ""};
  row.cells.at(column) = cell;
  return row;
}

TEST(Tables, HaveTheColumnsInWhichThereIsSomething) {
  const std::string table = tables_of({{"program", {row_of("f<1>", 0, {96, 96, Verdict::kEqual})}}, {"empty", {}}});
  EXPECT_EQ(table, "\n### program\n\n| kernel | global loads: requests |\n|---|---:|\n| `f<1>` | 96 |\n");
}

TEST(Tables, HaveAColumnForRemarksIfThereIsOne) {
  Row row = row_of("f", 0, {96, 24, Verdict::kRecompiled});
  row.remark = "global loads 96 → 24";
  EXPECT_NE(tables_of({{"program", {row}}}).find("| *96 / 24 (4.000)* | global loads 96 → 24 |"), std::string::npos);
}

TEST(Tables, StepsOfALadderAreOneTable) {
  const Row row = row_of("f", 0, {96, 96, Verdict::kEqual});
  const auto tasks = by_task({{"plain", {row}}, {"image.blur.1_naive", {row}}, {"image.blur.2_tile", {row, row}}});
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[0].first, "plain");
  EXPECT_EQ(tasks[1].first, "image.blur");
  ASSERT_EQ(tasks[1].second.size(), 3u);
  EXPECT_EQ(tasks[1].second[0].kernel, "1_naive: f");
  EXPECT_EQ(tasks[1].second[2].kernel, "2_tile: f");
}

TEST(Summary, CountsKernelsByVerdict) {
  const std::string summary =
      summary_of({{"p", {row_of("f", 1, {4, 4, Verdict::kEqual}), row_of("g", 1, {4, 5, Verdict::kBeyond})}},
                  {"q", {row_of("h", 1, {4, 4, Verdict::kEqual}), row_of("i", 1, {})}}});
  EXPECT_NE(summary.find("| global loads: sectors | 1 % | 3 | 2 | 0 | 0 | 0 | 1 |\n"), std::string::npos) << summary;
  EXPECT_EQ(summary.find("shared"), std::string::npos);
}

}  // namespace
}  // namespace vgpu::fidelity
