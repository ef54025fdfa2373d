// Runs the keeper and reads what it says.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "grader/store/store.h"
#include "grader/store/testing/faulty_files.h"
#include "grader/workplace/temporary_folder.h"
#include "harness/runner/process.h"

namespace lanewise {

/// Of a process in a sanitizer, which takes ten times as long to start, each seventh step must do.
#if defined(LANEWISE_SANITIZED)
inline constexpr int kStride = 7;
#else
inline constexpr int kStride = 1;
#endif

/// What a keeper said, by number of the hand-in.
struct Said {
  std::set<int> known;
  std::set<int> graded;
  std::set<int> kept;
  bool is_finished = false;
  int steps = 0;
  std::string failure;  ///< the first sentence
  std::string all;
  bool was_killed = false;
};

Said read_said(const std::string& output);

/// How to start one.
ProcessOptions keeper(const std::filesystem::path& folder, int hand_ins, Fault fault = Fault::kNone, int at = 0);

/// Runs it to its end.
Said run_keeper(const ProcessOptions& options);

/// Which of the first `hand_ins` a store holds; each verdict as it was kept.
std::set<int> held(Store& store, int hand_ins);

/// A test with as many empty folders as it asks for.
class WithFolders : public ::testing::Test {
 protected:
  WithFolders() : folder_(std::move(*TemporaryFolder::create())) {}

  std::filesystem::path next_folder() {
    std::filesystem::path folder = folder_.path() / std::to_string(folders_++);
    std::filesystem::create_directory(folder);
    return folder;
  }

 private:
  TemporaryFolder folder_;
  int folders_ = 0;
};

}  // namespace lanewise
