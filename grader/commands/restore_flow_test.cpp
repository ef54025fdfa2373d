// `lanewise restore`: the skeleton is back, and nothing that a student wrote is lost.
#include "grader/commands/check_flow_fixture_test.h"

namespace lanewise::restore_flow_test {
namespace {

class Restore : public CheckFlow {
 protected:
  void SetUp() override {
    CheckFlow::SetUp();
    skeleton_ = text_in(file());
  }
  void TearDown() override {
    std::ofstream(file()) << skeleton_;
    for (const char* kept : {".mine", ".mine-2"}) fs::remove(file().string() + kept);
    CheckFlow::TearDown();
  }

  Outcome restore(const std::string& lab) { return execute({LANEWISE_EXECUTABLE, "restore", lab}); }
  static fs::path file() { return labs() / "scan" / "scan.cu"; }
  static std::string text_in(const fs::path& path) {
    const auto text = read_file(path, 1 << 20);
    return text ? *text : text.sentence();
  }

  std::string skeleton_;
};

TEST_F(Restore, DeletedSkeletonComesBackAndUntilThenCheckSaysHow) {
  fs::remove(file());
  const Outcome missing = run({"scan"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_TRUE(contains(missing.text, "lanewise restore scan brings it back")) << missing.text;
  EXPECT_EQ(run({"vecadd"}).exit_code, 0) << "other labs do not suffer";
  const Outcome restored = restore("scan");
  EXPECT_EQ(restored.exit_code, 0) << restored.text;
  EXPECT_EQ(text_in(file()), skeleton_);
  EXPECT_TRUE(contains(restore("scan").text, "is as it was handed out")) << "and is left alone from then on";
  EXPECT_FALSE(fs::exists(file().string() + ".mine"));
}

TEST_F(Restore, OwnWorkIsKeptUnderANameOfItsOwn) {
  for (const char* kept : {".mine", ".mine-2"}) {
    std::ofstream(file()) << "work of " << kept;
    const Outcome restored = restore("scan");
    EXPECT_EQ(restored.exit_code, 0) << restored.text;
    EXPECT_TRUE(contains(restored.text, std::string("scan.cu") + kept + "\n")) << restored.text;
    EXPECT_EQ(text_in(file()), skeleton_);
  }
  EXPECT_EQ(text_in(file().string() + ".mine"), "work of .mine");
  EXPECT_EQ(text_in(file().string() + ".mine-2"), "work of .mine-2");
}

TEST_F(Restore, FileBehindALinkIsNotWrittenTo) {
  const fs::path elsewhere = folder_ / "elsewhere.cu";
  std::ofstream(elsewhere) << "my work";
  fs::remove(file());
  fs::create_symlink(elsewhere, file());
  EXPECT_EQ(restore("scan").exit_code, 0);
  EXPECT_EQ(text_in(elsewhere), "my work");
  EXPECT_EQ(text_in(file()), skeleton_);
}

TEST_F(Restore, UnknownLabIsAMistakeOfTheCommandLine) {
  const Outcome unknown = restore("scna");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(contains(unknown.text, "did you mean 'scan'?")) << unknown.text;
}

}  // namespace
}  // namespace lanewise::restore_flow_test
