// What counts as a changed line, and what explains many of them.
#include "grader/bench/step_distance.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

TEST(StepDistance, CountsLinesThatAreAddedRemovedOrReplaced) {
  EXPECT_EQ(changed_lines("a\nb\nc\n", "a\nb\nc\n"), 0);
  EXPECT_EQ(changed_lines("a\nb\nc\n", "a\nx\nb\nc\n"), 1);
  EXPECT_EQ(changed_lines("a\nb\nc\n", "a\nc\n"), 1);
  EXPECT_EQ(changed_lines("a\nb\nc\n", "a\nx\nc\n"), 1) << "a replaced line counts once";
  EXPECT_EQ(changed_lines("a\nb\nc\nd\n", "b\nc\nd\na\n"), 1) << "a line that moves";
  EXPECT_EQ(changed_lines("", "a\nb\n"), 2);
  EXPECT_EQ(changed_lines("a\nb\n", ""), 2);
}

TEST(StepDistance, DoesNotCountComments) {
  EXPECT_EQ(changed_lines("// one\na\n\nb  // two\n", "// three\n// four\na\nb\n"), 0);
}

TEST(StepDistance, ALeapIsExplainedInTheHeader) {
  EXPECT_TRUE(explains_leap("// Step 2.\n// Leap      all at once.\n#include <a>\n"));
  EXPECT_FALSE(explains_leap("// Step 2.\n// Idea      a Leap of faith.\n#include <a>\n"));
  EXPECT_FALSE(explains_leap("// Step 2.\n#include <a>\n// Leap      too late.\n"));
}

}  // namespace
}  // namespace lanewise
