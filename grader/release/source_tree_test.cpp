#include "grader/release/source_tree.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "grader/workplace/temporary_folder.h"

namespace lanewise::release_test {
namespace {

namespace fs = std::filesystem;

class SourceTreeTest : public ::testing::Test {
 protected:
  fs::path root() const { return folder_->path(); }
  void put(const fs::path& name) const {
    fs::create_directories((root() / name).parent_path());
    std::ofstream(root() / name) << name.string();
  }
  bool git(const std::string& arguments) const {
    const std::string command =
        "git -C '" + root().string() + "' -c user.name=a -c user.email=a@b.example " + arguments;
    return std::system((command + " > /dev/null 2>&1").c_str()) == 0;
  }

  Expected<TemporaryFolder> folder_ = TemporaryFolder::create();
};

TEST_F(SourceTreeTest, FoldersWithoutBuildsAndHiddenFiles) {
  for (const char* name : {"b.cpp", "a/c.h", "build/x.o", "build-asan/y.o", ".vscode/settings", "a/.a.swp"}) put(name);
  fs::create_symlink("/etc/hostname", root() / "link");
  const auto tree = read_source_tree(root());
  ASSERT_TRUE(tree) << tree.sentence();
  EXPECT_EQ(tree->files, (std::vector<std::string>{"a/c.h", "b.cpp"}));
  EXPECT_EQ(tree->origin, "its folders");
  EXPECT_TRUE(tree->changed.empty());
  EXPECT_GT(tree->time, 0);
}

TEST_F(SourceTreeTest, GitSaysWhatIsKeptAndWhatChanged) {
  put("kept.cpp");
  put("changed.cpp");
  if (!git("init -q")) GTEST_SKIP() << "there is no git";
  ASSERT_TRUE(git("add .") && git("commit -q -m all --date '2020-01-01T00:00:00Z'"));
  put("draft.cpp");
  std::ofstream(root() / "changed.cpp") << "more";
  const auto tree = read_source_tree(root());
  ASSERT_TRUE(tree) << tree.sentence();
  EXPECT_EQ(tree->files, (std::vector<std::string>{"changed.cpp", "kept.cpp"}));
  EXPECT_EQ(tree->changed, (std::vector<std::string>{"changed.cpp"}));
  EXPECT_EQ(tree->origin.rfind("commit ", 0), 0U) << tree->origin;
  EXPECT_GT(tree->time, 1'577'836'800);  // the commit's own time, not its author's
}

TEST_F(SourceTreeTest, GitThatCannotBeAskedIsNoReasonToTakeEverything) {
  put("draft.cpp");
  fs::create_directories(root() / ".git");
  EXPECT_FALSE(read_source_tree(root()));
}

TEST_F(SourceTreeTest, FolderThatIsNotThere) { EXPECT_FALSE(read_source_tree(root() / "none")); }

}  // namespace
}  // namespace lanewise::release_test
