// A folder for each, gone with its owner, where TMPDIR says.
#include "grader/workplace/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, IsOnesOwnAndGoesWithItsOwner) {
  fs::path first;
  {
    auto one = TemporaryFolder::create();
    auto other = TemporaryFolder::create();
    ASSERT_TRUE(one && other);
    EXPECT_NE(one->path(), other->path());
    EXPECT_EQ(fs::status(one->path()).permissions(), fs::perms::owner_all);
    first = one->path();
    const TemporaryFolder moved(std::move(*one));
    std::ofstream(first / "file") << "x";
    EXPECT_TRUE(fs::exists(moved.path() / "file"));
  }
  EXPECT_FALSE(fs::exists(first));
}

TEST(TemporaryFolder, LiesWhereTmpdirSays) {
  const auto parent = TemporaryFolder::create();
  ASSERT_TRUE(parent);
  setenv("TMPDIR", parent->path().c_str(), 1);
  const auto inner = TemporaryFolder::create();
  setenv("TMPDIR", (parent->path() / "missing").c_str(), 1);
  const auto nowhere = TemporaryFolder::create();
  unsetenv("TMPDIR");
  ASSERT_TRUE(inner) << inner.sentence();
  EXPECT_EQ(inner->path().parent_path(), parent->path());
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.sentence().find("TMPDIR"), std::string::npos);
}

}  // namespace
}  // namespace lanewise
