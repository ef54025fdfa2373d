// Text between markers is replaced, everything else stays to the byte.
#include "grader/bench/marked_section.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

constexpr const char* kDocument = "# Title\n\n<!-- x -->\n\nold\n\n<!-- end of x -->\n\nafter\n";

TEST(MarkedSection, IsReplaced) {
  const auto text = with_section(kDocument, "x", "new\n");
  ASSERT_TRUE(text) << text.sentence();
  EXPECT_EQ(*text, "# Title\n\n<!-- x -->\n\nnew\n\n<!-- end of x -->\n\nafter\n");
  EXPECT_EQ(section_of(*text, "x"), "new\n");
}

TEST(MarkedSection, ThatIsTheSameChangesNothing) { EXPECT_EQ(*with_section(kDocument, "x", "old\n"), kDocument); }

TEST(MarkedSection, ThatIsNotThereComesLast) {
  EXPECT_EQ(*with_section("text\n", "x", "new\n"), "text\n\n<!-- x -->\n\nnew\n\n<!-- end of x -->\n");
  EXPECT_EQ(*with_section("text", "x", "new\n"), "text\n\n<!-- x -->\n\nnew\n\n<!-- end of x -->\n");
  EXPECT_EQ(*with_section("", "x", "new\n"), "<!-- x -->\n\nnew\n\n<!-- end of x -->\n");
  EXPECT_FALSE(section_of("text\n", "x"));
}

TEST(MarkedSection, OfAnotherNameStays) {
  const auto text = with_section(kDocument, "xy", "new\n");
  ASSERT_TRUE(text);
  EXPECT_EQ(section_of(*text, "x"), "old\n");
  EXPECT_EQ(section_of(*text, "xy"), "new\n");
}

TEST(MarkedSection, EmptyIsThere) { EXPECT_EQ(section_of("<!-- x -->\n<!-- end of x -->\n", "x"), ""); }

TEST(MarkedSection, MissingOrDoubleMarkersAreSaid) {
  EXPECT_EQ(with_section("<!-- x -->\n", "x", "new\n").sentence(),
            "the line '<!-- x -->' has no '<!-- end of x -->' after it");
  EXPECT_EQ(with_section("<!-- end of x -->\n", "x", "new\n").sentence(),
            "the line '<!-- end of x -->' has no '<!-- x -->' before it");
  EXPECT_EQ(with_section("<!-- end of x -->\n<!-- x -->\n", "x", "new\n").sentence(),
            "the line '<!-- end of x -->' has no '<!-- x -->' before it");
  EXPECT_EQ(with_section(std::string(kDocument) + kDocument, "x", "new\n").sentence(),
            "the line '<!-- x -->' occurs twice");
}

TEST(MarkedSection, MarkersAreWholeLines) {
  const std::string document = "see <!-- x -->\n";
  EXPECT_FALSE(section_of(document, "x"));
  EXPECT_EQ(*with_section(document, "x", "new\n"), document + "\n<!-- x -->\n\nnew\n\n<!-- end of x -->\n");
}

}  // namespace
}  // namespace lanewise
