#include "harness/runner/verdict/class_table.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

const ClassesFile kClasses = {
    "What length costs", {"short", "long"}, {"instructions", "sectors_per_request.global_load"}};

TEST(ClassTable, CasesFillTheirRowsInTheOrderOfTheLab) {
  ClassTable table;
  add_to_classes(kClasses, "long", {{"executions", 1200}, {"global_load_requests", 10}, {"global_load_sectors", 45}},
                 table);
  EXPECT_EQ(table.title, "What length costs");
  EXPECT_EQ(table.headings, (std::vector<std::string>{"warp instructions", "sectors per request, global loads"}));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0].case_name, "short");
  EXPECT_TRUE(table.rows[0].values.empty()) << "not counted yet";
  EXPECT_EQ(table.rows[1].values, (std::vector<std::string>{"1,200", "4.50"}));
  add_to_classes(kClasses, "short", {{"executions", 7}}, table);
  EXPECT_EQ(table.rows[0].values, (std::vector<std::string>{"7", "–"})) << "no loads, no share of them";
}

TEST(ClassTable, OtherCasesLeaveItEmpty) {
  ClassTable table;
  add_to_classes(kClasses, "another", {{"executions", 1}}, table);
  add_to_classes({}, "short", {{"executions", 1}}, table);
  EXPECT_TRUE(table.title.empty() && table.rows.empty());
}

}  // namespace
}  // namespace lanewise
