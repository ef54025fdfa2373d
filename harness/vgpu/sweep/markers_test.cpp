#include "harness/vgpu/sweep/markers.h"

#include <gtest/gtest.h>

namespace vgpu::sweep {
namespace {

std::variant<std::vector<Marker>, MarkerProblem> read(const std::string& body) {
  const std::string source = "__global__ void kernel(int* a, int n) {\n" + body + "\n}\n";
  const SourceText text = read_source(source);
  return read_markers(text, mutations_of(source, DeviceCode(text.tokens)));
}

TEST(Markers, AreReadAtTheLineAndAboveIt) {
  for (const char* body : {"if (a[i] < n) f();  // sweep: equivalent widen-index 2: for a reason",
                           "// sweep: equivalent widen-index 2: for a reason\n// that is long\n\nif (a[i] < n) f();"}) {
    const auto result = read(body);
    ASSERT_EQ(result.index(), 0u) << std::get<1>(result).sentence;
    const auto& markers = std::get<0>(result);
    ASSERT_EQ(markers.size(), 1u);
    EXPECT_EQ(markers[0].mutation, 2u);  // after the bound and the first index
    EXPECT_EQ(markers[0].reason, "for a reason");
    EXPECT_TRUE(markers[0].is_equivalent);
  }
}

TEST(Markers, MayBeSeveral) {
  const auto result = read(
      "// sweep: equivalent widen-index 1, 2: once\n"
      "// sweep: missed shift-bound 1: and again\n"
      "if (a[i] < n) f();");
  ASSERT_EQ(result.index(), 0u) << std::get<1>(result).sentence;
  ASSERT_EQ(std::get<0>(result).size(), 3u);
  EXPECT_FALSE(std::get<0>(result)[2].is_equivalent);
}

TEST(Markers, WithoutMeaningAreRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"// sweep: equivalent shift-bound 2: x", "line 3 has no mutation 'shift-bound 2': the marker is stale"},
      {"// sweep: equivalent plain-atomic 1: x", "the marker is stale"},
      {"// sweep: equivalent shift-bounds 1: x", "there is no operator 'shift-bounds'"},
      {"// sweep: same shift-bound 1: x", "a marker reads"},
      {"// sweep: equivalent shift-bound: x", "does not identify a mutation"},
      {"// sweep: equivalent shift-bound 1", "a colon and the reason are missing"},
      {"// sweep: equivalent shift-bound 1:", "the reason is missing"},
  };
  for (const auto& [comment, sentence] : cases) {
    const auto result = read(std::string(comment) + "\nif (i < n) f();");
    ASSERT_EQ(result.index(), 1u) << comment;
    EXPECT_EQ(std::get<1>(result).line, 2u);
    EXPECT_NE(std::get<1>(result).sentence.find(sentence), std::string::npos) << std::get<1>(result).sentence;
  }
}

TEST(Markers, OtherCommentsMeanNothing) {
  const auto result = read("// A sweep: equivalent or not\nif (i < n) f();");
  ASSERT_EQ(result.index(), 0u);
  EXPECT_TRUE(std::get<0>(result).empty());
}

}  // namespace
}  // namespace vgpu::sweep
