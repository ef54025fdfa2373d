// What grades depend on comes back as it was kept, is nobody else's to read, and is told when it is not itself any
// more.
#include "grader/grading/kept_inputs.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "grader/grading/digest.h"
#include "grader/workplace/temporary_folder.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

class KeptInputsTest : public ::testing::Test {
 protected:
  fs::path out() const { return folder_->path(); }

  Expected<TemporaryFolder> folder_ = TemporaryFolder::create();
};

TEST_F(KeptInputsTest, EqualContentsHaveOnePrivateCopyUnderTheirHash) {
  const auto one = keep_content(out(), "seed = 7\n");
  const auto same = keep_content(out(), "seed = 7\n");
  const auto other = keep_content(out(), "seed = 8\n");
  ASSERT_TRUE(one && same && other);
  EXPECT_EQ(*one, sha256_of("seed = 7\n"));
  EXPECT_EQ(*same, *one);
  EXPECT_NE(*other, *one);
  EXPECT_EQ(std::distance(fs::directory_iterator(out() / "kept"), fs::directory_iterator()), 2);
  EXPECT_EQ(fs::status(kept_file(out(), *one)).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  const auto content = kept_content(out(), *one);
  ASSERT_TRUE(content);
  EXPECT_EQ(*content, "seed = 7\n");
}

TEST_F(KeptInputsTest, CopiesThatAreGoneOrChangedAreToldAndMended) {
  const auto hash = keep_content(out(), "seed = 7\n");
  ASSERT_TRUE(hash);
  std::ofstream(kept_file(out(), *hash), std::ios::app) << "# more\n";
  EXPECT_NE(kept_content(out(), *hash).sentence().find("has been changed"), std::string::npos);
  ASSERT_TRUE(keep_content(out(), "seed = 7\n"));
  EXPECT_TRUE(kept_content(out(), *hash));
  fs::remove(kept_file(out(), *hash));
  EXPECT_NE(kept_content(out(), *hash).sentence().find("cannot be read"), std::string::npos);
}

TEST_F(KeptInputsTest, ComeBackFromTheTermsOfARunThatHasThem) {
  KeptInputs inputs;
  inputs.seed_file = sha256_of("a");
  inputs.labs["scan"]["labs/scan/lab.toml"] = sha256_of("b");
  inputs.versions["nvcc"] = "13.0.88";
  const nlohmann::json terms = {{"seed", 7}, {"inputs", inputs}};
  const auto read = inputs_in_terms(terms.dump());
  ASSERT_TRUE(read) << read.sentence();
  EXPECT_EQ(read->seed_file, inputs.seed_file);
  EXPECT_EQ(read->course, "");
  EXPECT_EQ(read->labs, inputs.labs);
  EXPECT_EQ(read->versions, inputs.versions);
  for (const char* const without : {"", "{}", "[]", "{\"inputs\": {}}", "{\"inputs\": 5}"})
    EXPECT_FALSE(inputs_in_terms(without)) << without;
}

}  // namespace
}  // namespace lanewise
