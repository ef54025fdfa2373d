// Workers that die, are stopped, or find that a chunk has killed others.
#include "grader/executors/chunk_worker.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "grader/executors/made_up_chunks_test.h"

namespace lanewise::executors_test {
namespace {

namespace fs = std::filesystem;

class ChunkWorkerTest : public MadeUpChunks {
 protected:
  WorkDone work(const std::shared_ptr<SubmissionGrader>& grader, const WorkerOptions& options = {}) const {
    const auto done = work_on_chunks(folder(), always(grader), options);
    EXPECT_TRUE(done) << done.sentence();
    return done ? *done : WorkDone{};
  }

  // Works in a process of its own, which kills itself at the submission called "deadly".
  void work_until_killed() const {
    class Deadly : public CountingGrader {
      ChunkResult grade(const fs::path& chunk, const ChunkSubmission& submission) override {
        if (submission.content == "deadly") raise(SIGKILL);
        return CountingGrader::grade(chunk, submission);
      }
    };
    const pid_t child = fork();
    if (child == 0) {
      work(std::make_shared<Deadly>());
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
  }
};

TEST_F(ChunkWorkerTest, EachSubmissionIsGradedOnceHoweverManyThreadsAndWorkersThereAre) {
  for (int i = 0; i < 12; ++i)
    publish(std::to_string(i), chunk_of({std::to_string(i) + "a", std::to_string(i) + "b", std::to_string(i) + "c"}));
  const auto grader = std::make_shared<CountingGrader>();
  WorkerOptions options;
  options.jobs = 3;
  options.stays = true;
  std::thread other([&] { work(grader, options); });
  work(grader, options);
  other.join();
  EXPECT_EQ(grader->graded.size(), 36U);
  for (const auto& [content, times] : grader->graded) EXPECT_EQ(times, 1) << content;
  EXPECT_EQ(folder().finished().size(), 12U);
}

TEST_F(ChunkWorkerTest, OneThatIsToTakeOneChunkTakesOne) {
  publish("1", chunk_of({"a", "b"}));
  publish("2", chunk_of({"c"}));
  WorkerOptions options;
  options.jobs = 4;
  options.most_chunks = 1;
  EXPECT_EQ(work(std::make_shared<CountingGrader>(), options).submissions, 2U);
  EXPECT_EQ(folder().waiting().size(), 1U);
}

TEST_F(ChunkWorkerTest, WhatADeadWorkerHadKeptCountsAndTheRestIsTakenOver) {
  publish("1", chunk_of({"a", "deadly", "b"}));
  work_until_killed();
  ASSERT_EQ(folder().claimed().size(), 1U);
  const auto grader = std::make_shared<CountingGrader>();
  WorkerOptions options;
  options.stays = true;
  work(grader, options);
  EXPECT_EQ(grader->graded, (std::map<std::string, int>{{"b", 1}, {"deadly", 1}}));
  ASSERT_EQ(folder().finished().size(), 1U);
  for (const char* content : {"a", "b", "deadly"})
    EXPECT_EQ(read_result(folder().finished()[0], submission(content))->verdict, std::string("verdict on ") + content);
}

TEST_F(ChunkWorkerTest, ASubmissionThatKillsItsWorkersCostsOnlyItself) {
  publish("1", chunk_of({"a", "deadly", "b", "c"}));
  ClaimWatch watch{kPatience};
  for (int i = 0; i < kMostAttempts; ++i) {
    work_until_killed();
    EXPECT_EQ(watch.give_back_dead(folder()), 0U);
  }
  EXPECT_TRUE(folder().waiting().empty());
  ASSERT_EQ(folder().given_up().size(), 1U);
  for (const char* content : {"a", "b", "c"}) EXPECT_TRUE(read_result(folder().given_up()[0], submission(content)));
  EXPECT_FALSE(read_result(folder().given_up()[0], submission("deadly")));
}

TEST_F(ChunkWorkerTest, AStoppedWorkerLosesItsChunkAndDoesNoHarmWhenItGoesOn) {
  class Slow : public CountingGrader {
   public:
    ChunkResult grade(const fs::path& chunk, const ChunkSubmission& submission) override {
      begun = true;
      while (!may_go_on) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return CountingGrader::grade(chunk, submission);
    }
    std::atomic<bool> begun{false}, may_go_on{false};
  };
  publish("1", chunk_of({"a"}));
  const auto slow = std::make_shared<Slow>();
  WorkDone late;
  std::thread stopped([&] { late = work(slow); });
  while (!slow->begun) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  folder().give_back(folder().claimed().at(0), true);
  EXPECT_EQ(work(std::make_shared<CountingGrader>()).chunks, 1U);
  slow->may_go_on = true;
  stopped.join();
  EXPECT_EQ(late.chunks, 0U);
  EXPECT_EQ(folder().finished().size(), 1U);
  EXPECT_TRUE(folder().claimed().empty());
}

TEST_F(ChunkWorkerTest, AMachineThatCannotGradeAChunkLeavesItToOthers) {
  publish("1", chunk_of({"a"}));
  const MakeGrader none = [](const fs::path&, const Chunk&) -> Expected<std::shared_ptr<SubmissionGrader>> {
    return Failure{"another compiler"};
  };
  const auto done = work_on_chunks(folder(), none, {});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.sentence(), "another compiler");
  EXPECT_EQ(folder().waiting().size(), 1U);
  EXPECT_EQ(folder().waiting()[0].filename(), "1.1") << "no attempt was made";
}

// Of another machine, since its name is; so only its heart tells.
TEST(ClaimWatchTest, OnlySilenceAsMeasuredHereIsDeath) {
  const auto scratch = TemporaryFolder::create();
  ASSERT_TRUE(scratch);
  const WorkFolder folder(scratch->path() / "work");
  ASSERT_FALSE(folder.create("test"));
  ASSERT_TRUE(folder.begin("1"));
  Chunk chunk;
  chunk.options.backend = "vgpu";
  chunk.options.toolchain = "clang";
  ASSERT_FALSE(folder.publish("1", chunk));
  const fs::path claim = *folder.claim("elsewhere-12345678-1-1-1");
  constexpr std::chrono::milliseconds kShort(300);
  ClaimWatch watch(kShort);
  for (int i = 0; i < 8; ++i) {
    beat_heart(claim);
    // Whatever its clock says.
    const auto year = std::chrono::hours(24 * 365);
    fs::last_write_time(claim / "heartbeat", fs::file_time_type::clock::now() + (i % 2 == 0 ? year : -year));
    EXPECT_EQ(watch.give_back_dead(folder), 1U);
    std::this_thread::sleep_for(kShort / 3);
  }
  EXPECT_EQ(watch.give_back_dead(folder), 1U) << "not silent for long enough";
  std::this_thread::sleep_for(kShort);
  EXPECT_EQ(watch.give_back_dead(folder), 0U);
  EXPECT_EQ(folder.waiting().at(0).filename(), "1.2");
}

}  // namespace
}  // namespace lanewise::executors_test
