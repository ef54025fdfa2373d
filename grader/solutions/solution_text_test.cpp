// What a difference makes of the right file next to it.
#include "grader/solutions/solution_text.h"

#include <gtest/gtest.h>

#include <fstream>
#include <utility>

#include "grader/workplace/temporary_folder.h"

namespace lanewise {
namespace {

class SolutionText : public ::testing::Test {
 protected:
  SolutionText() : folder_(std::move(*TemporaryFolder::create())) {
    put("right_scan.cu",
        "// expect: scan: right\n// Explains itself.\n#include \"scan.cuh\"\n\nint a;\nint b;\nint a;\n\nint c;\n");
  }

  std::filesystem::path put(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name) << text;
    return folder_.path() / name;
  }

  /// The text that these changes give, or why they give none.
  std::string changed(const std::string& changes) const {
    const auto text = solution_text(put("x.diff", "// expect: scan: wrong\n// A mistake.\n" + changes));
    return text ? *text : text.sentence();
  }

  TemporaryFolder folder_;
};

TEST_F(SolutionText, OfAnOrdinaryFileIsItsOwn) {
  const auto text = solution_text(put("wrong.cu", "// expect: scan: wrong\n"));
  ASSERT_TRUE(text) << text.sentence();
  EXPECT_EQ(*text, "// expect: scan: wrong\n");
}

TEST_F(SolutionText, OfADifferenceIsTheRightFileWithItsChangesAndAnotherHeading) {
  EXPECT_EQ(changed("--- right_scan.cu\n@@\n int b;\n-int a;\n+int d;\n+int e;\n\n@@\n int c;\n+int f;\n"),
            "// expect: scan: wrong\n// A mistake.\n#include \"scan.cuh\"\n\nint a;\nint b;\nint d;\nint e;\n\nint "
            "c;\nint f;\n");
}

TEST_F(SolutionText, ChangesOnlyWhatIsThereOnce) {
  EXPECT_EQ(changed("--- right_scan.cu\n@@\n-int a;\n"),
            "x.diff:4: the lines that are changed here must occur in right_scan.cu once, not several times");
  EXPECT_EQ(changed("--- right_scan.cu\n@@\n int c;\n+int f;\n@@\n-int z;\n"),
            "x.diff:7: the lines that are changed here must occur in right_scan.cu once, not never");
  EXPECT_EQ(changed("--- right_scan.cu\n@@\n+int z;\n"),
            "x.diff:4: the lines that are changed here must occur in right_scan.cu once, not never")
      << "nor is it said where";
}

TEST_F(SolutionText, SaysWhatIsNotADifference) {
  EXPECT_EQ(changed("@@\n"), "x.diff: no line begins with '--- ' and names the file that is changed");
  EXPECT_EQ(changed("--- right_scan.cu\n"), "x.diff: it changes nothing");
  EXPECT_EQ(changed("--- right_scan.cu\nint a;\n"),
            "x.diff:4: expected '@@', then lines of ' ', '-' or '+' and a line of right_scan.cu");
  EXPECT_EQ(changed("--- right_scan.cu\n@@\nint a;\n"),
            "x.diff:5: expected '@@' or ' ', '-' or '+' and a line of right_scan.cu");
  EXPECT_EQ(changed("--- left.cu\n@@\n-int a;\n").rfind("x.diff: ", 0), 0U) << changed("--- left.cu\n@@\n-int a;\n");
}

}  // namespace
}  // namespace lanewise
