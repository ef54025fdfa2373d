#include "harness/vgpu/sweep/bundle.h"

#include <gtest/gtest.h>

namespace vgpu::sweep {
namespace {

const std::string kSource = "#include <vector>\n#define N 3\n  #  include \"check.cuh\"\nint main() { return N; }\n";

TEST(Bundle, TakesIncludesOutAndKeepsPlaces) {
  const std::string text = Bundle::without_includes(kSource, read_source(kSource).directives);
  EXPECT_EQ(text.size(), kSource.size());
  EXPECT_EQ(text.find("include"), std::string::npos);
  EXPECT_EQ(text.find("#define N 3"), kSource.find("#define N 3"));
  EXPECT_EQ(text.find("int main"), kSource.find("int main"));
}

TEST(Bundle, KnowsWhichVariantALineBelongsTo) {
  const Bundle bundle(read_source(kSource).directives, {"a\nb", "c\n"});
  // <cstdlib>, the two includes, a namespace; then the variants.
  EXPECT_FALSE(bundle.place_of(4).is_known);
  EXPECT_EQ(bundle.place_of(5).variant, 0u);
  EXPECT_EQ(bundle.place_of(5).line, 1u);
  EXPECT_EQ(bundle.place_of(6).line, 2u);
  EXPECT_EQ(bundle.place_of(9).variant, 1u);
  EXPECT_EQ(bundle.place_of(9).line, 1u);
  EXPECT_FALSE(bundle.place_of(1000).is_known);
}

TEST(Bundle, FindsVariantsInCompilerMessages) {
  const Bundle bundle({}, {"a\nb\n", "c\n", "d\n"});
  EXPECT_EQ(bundle.variants_with_errors("/tmp/x(1)/a.cu(4): error: no\n     ^\na.cu(12): error #20: yes\n"
                                        "a.cu(3): error: again\na.cu(8): warning: hm\n"),
            (std::vector<std::size_t>{0, 2}));
  EXPECT_TRUE(bundle.variants_with_errors("nvcc fatal: no such file").empty());
}

}  // namespace
}  // namespace vgpu::sweep
