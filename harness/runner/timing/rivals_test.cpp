// The files that a submission is timed against are found where the ladder lies, and one is timed at a time.
#include "harness/runner/timing/rivals.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

class RivalsTest : public ::testing::Test {
 protected:
  RivalsTest() : root_(fs::temp_directory_path() / ("lanewise_rivals_test_" + std::to_string(getpid()))) {
    lab_.id = "image";
    TaskFile& blur = lab_.tasks.emplace_back();
    blur.name = "blur";
    blur.baseline = "1_naive.cu";
    blur.reference = "3_separable.cu";
    put("image/blur/1_naive.cu");
    put("image/blur/2_shared_tile.cu");
    put("image/blur/3_separable.cu");
    put("image/blur/library_npp.cu");
    put("image/blur/library_another.cu");
  }
  ~RivalsTest() override { fs::remove_all(root_); }

  void put(const fs::path& file) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << "\n";
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const Rival& rival : find_rivals(root_, lab_, lab_.tasks[0])) all.push_back(rival.source.filename().string());
    return all;
  }

  fs::path root_;
  LabFile lab_;
};

TEST_F(RivalsTest, AreBaselineReferenceAndTheFirstLibrary) {
  EXPECT_EQ(names(), (std::vector<std::string>{"1_naive.cu", "3_separable.cu", "library_another.cu"}));
  const std::vector<Rival> rivals = find_rivals(root_, lab_, lab_.tasks[0]);
  EXPECT_EQ(rivals[0].role, TimedRole::kBaseline);
  EXPECT_EQ(rivals[1].role, TimedRole::kReference);
  EXPECT_EQ(rivals[2].role, TimedRole::kPeer);
}

TEST_F(RivalsTest, ThereAreNoneWithoutSolutions) {
  fs::remove_all(root_);
  EXPECT_EQ(names(), std::vector<std::string>{});
}

TEST_F(RivalsTest, ALabOfOneTaskMayKeepItsLadderBesideItsAnswers) {
  EXPECT_EQ(ladder_folder(root_, lab_, lab_.tasks[0]), root_ / "image" / "blur");
  fs::remove_all(root_ / "image" / "blur");
  EXPECT_EQ(ladder_folder(root_, lab_, lab_.tasks[0]), root_ / "image");
  lab_.tasks.emplace_back();
  EXPECT_EQ(ladder_folder(root_, lab_, lab_.tasks[0]), root_ / "image" / "blur");
}

TEST_F(RivalsTest, OneIsTimedAtATime) {
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        const TimingLock lock(root_);
        const int now = ++inside;
        if (now > most) most = now;
        std::this_thread::yield();
        --inside;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
}

}  // namespace
}  // namespace lanewise
