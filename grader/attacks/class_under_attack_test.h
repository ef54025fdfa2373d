// A class of honest students, graded alone and once more among everybody who attacks: by the real command, in the
// sandbox. Both runs are made once, before the first test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grader/attacks/hand_in_recipe.h"
#include "grader/workplace/temporary_folder.h"
#include "harness/lab/verdict.h"
#include "harness/runner/process.h"

namespace lanewise {

/// A submission of grader/attacks/grading, as its first lines declare it.
struct HostileSource {
  std::string name;
  std::string expect;  ///< the line
  std::string says;    ///< words that the verdict has to have; may be empty
};

class ClassUnderAttack : public ::testing::Test {
 protected:
  struct Outcome {
    int exit_code = -1;
    std::string text;
    bool leaves_processes = false;
  };
  /// What all tests look at.
  struct Shared {
    TemporaryFolder folder;
    std::vector<HostileSource> sources;
    std::vector<Recipe> recipes;
    std::set<std::string> before;  ///< files_outside() when everybody had handed in
    Outcome alone;
    Outcome attacked;
  };

  static void SetUpTestSuite();
  static void TearDownTestSuite() { shared.reset(); }

  void SetUp() override {
    ASSERT_TRUE(shared) << "the class could not be made";
    ASSERT_EQ(shared->alone.exit_code, 0) << shared->alone.text;
    ASSERT_EQ(shared->attacked.exit_code, 0) << shared->attacked.text;
  }

  /// Grades the class into root() / out; `environment` replaces PATH.
  static Outcome grade(const std::string& out, const std::vector<std::string>& more = {},
                       const std::string& path = "/usr/local/bin:/usr/bin:/bin");

  static std::filesystem::path root() { return shared->folder.path(); }
  /// The content of a file of one of the runs; a failed test if it cannot be read.
  static std::string content_of(const std::filesystem::path& file);
  /// Of the only verdict of a student, with times taken out.
  static std::optional<Verdict> verdict_of(const std::string& out, const std::string& student);
  /// All files and links below root() but those of the runs, with their sizes.
  static std::set<std::string> files_outside();

  static std::unique_ptr<Shared> shared;

 private:
  static std::optional<Failure> prepare();
};

inline constexpr const char* kAlone = "alone";
inline constexpr const char* kAttacked = "attacked";
/// One of grader/attacks/sandbox that runs into the limits as they are, quickly; also the student's name.
inline constexpr const char* kBomb = "huge_array";
/// What an attack might have put outside of everything.
inline constexpr const char* kOutside = "/tmp/lanewise-xattack.cu";

}  // namespace lanewise
