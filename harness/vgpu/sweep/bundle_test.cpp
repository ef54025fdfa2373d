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

TEST(Bundle, PutsIncludesBeforeAllVariants) {
  const std::string text = Bundle(read_source(kSource).directives, {"first", "second"}).text();
  const std::size_t first = text.find("namespace variant_0 {\n#line 1 \"variant_0\"\nfirst\n}");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_LT(text.find("#include <vector>"), first);
  EXPECT_LT(text.find("#  include \"check.cuh\""), first);
  EXPECT_EQ(text.find("#define"), std::string::npos);
  EXPECT_NE(text.find("case 1: return variant_1::main();"), std::string::npos) << text;
}

TEST(Bundle, FindsVariantsInCompilerMessages) {
  EXPECT_EQ(Bundle::variants_with_errors("variant_12(4): error: no\n     ^\nvariant_0(11): error #20: yes\n"
                                         "variant_12(3): error: again\nvariant_3(8): warning: hm\n"
                                         "/tmp/a.cu(4): error: in no variant\n"),
            (std::vector<std::size_t>{0, 12}));
  EXPECT_TRUE(Bundle::variants_with_errors("nvcc fatal: no such file").empty());
}

}  // namespace
}  // namespace vgpu::sweep
