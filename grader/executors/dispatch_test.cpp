// Every submission is taken once, whatever becomes of chunks on the way.
#include "grader/executors/dispatch.h"

#include <gtest/gtest.h>

#include <fstream>

#include "grader/executors/made_up_chunks_test.h"

namespace lanewise::executors_test {
namespace {

namespace fs = std::filesystem;

class DispatchTest : public MadeUpChunks {
 protected:
  DispatchRequest request(const std::vector<std::string>& contents) {
    DispatchRequest request;
    request.folder = folder();
    request.used_by = "test";
    request.name = "1";
    request.options = chunk_of({}).options;
    for (const std::string& content : contents) request.submissions.push_back(submission(content));
    request.put_inputs = [](const fs::path&, const Chunk&) { return std::optional<Failure>(); };
    request.take = [this, contents](std::size_t i, const ChunkResult& result, const fs::path&) {
      EXPECT_TRUE(taken_.emplace(contents[i], result.verdict + result.trouble).second) << contents[i];
      return std::optional<Failure>();
    };
    return request;
  }

  std::map<std::string, std::string> taken_;
};

// Does `now` with the folder at its first look, and has the chunks worked on in later ones.
class Intruder : public Executor {
 public:
  Intruder(std::shared_ptr<SubmissionGrader> grader, std::function<void(const WorkFolder&)> now)
      : grader_(std::move(grader)), now_(std::move(now)) {}

  std::size_t chunk_size(std::size_t) const override { return 2; }
  std::optional<Failure> tend(const WorkFolder& folder) override {
    if (looks_++ == 0) {
      now_(folder);
      return std::nullopt;
    }
    const auto done = work_on_chunks(folder, always(grader_), {});
    return done ? std::nullopt : std::optional(done.failure());
  }
  std::chrono::milliseconds between_looks() const override { return std::chrono::milliseconds(1); }

 private:
  std::shared_ptr<SubmissionGrader> grader_;
  std::function<void(const WorkFolder&)> now_;
  int looks_ = 0;
};

const std::map<std::string, std::string> kAllRight = {
    {"a", "verdict on a"}, {"b", "verdict on b"}, {"c", "verdict on c"}, {"d", "verdict on d"}, {"e", "verdict on e"}};

TEST_F(DispatchTest, ThreadsOfThisProcessGradeEachOnce) {
  const auto grader = std::make_shared<CountingGrader>();
  const auto executor = local_executor(always(grader), 3);
  const auto failure = dispatch(request({"a", "b", "c", "d", "e"}), *executor);
  EXPECT_FALSE(failure) << failure->sentence;
  EXPECT_EQ(taken_, kAllRight);
  for (const auto& [content, times] : grader->graded) EXPECT_EQ(times, 1) << content;
  EXPECT_FALSE(fs::exists(folder().path()));
}

TEST_F(DispatchTest, WhateverHappensToChunksTheResultsAreTheSame) {
  const auto finish_badly = [](const WorkFolder& folder, bool is_cut) {
    const fs::path claim = *folder.claim("w");
    const auto chunk = read_chunk(claim);
    ASSERT_TRUE(chunk) << chunk.sentence();
    for (const ChunkSubmission& each : chunk->submissions)
      EXPECT_FALSE(keep_result(claim, each, {"verdict on " + each.content, ""}));
    for (const auto& entry : fs::directory_iterator(claim / "results"))
      if (is_cut) fs::resize_file(entry.path(), 100);
    EXPECT_TRUE(folder.finish(claim));
  };
  const std::vector<std::pair<const char*, std::function<void(const WorkFolder&)>>> faults = {
      {"nothing", [](const WorkFolder&) {}},
      {"a result is cut short", [&](const WorkFolder& folder) { finish_badly(folder, true); }},
      {"a chunk is done twice",
       [&](const WorkFolder& folder) {
         fs::copy(folder.waiting().at(0), folder.path() / "waiting/1-0009.1", fs::copy_options::recursive);
         finish_badly(folder, false);
       }},
      {"a waiting chunk vanishes", [](const WorkFolder& folder) { fs::remove_all(folder.waiting().at(0)); }},
      {"its description is damaged",
       [](const WorkFolder& folder) {
         const fs::path claim = *folder.claim("w");
         std::ofstream(claim / kChunkFile) << "format = 7";
         EXPECT_TRUE(folder.finish(claim));
       }},
      {"a worker of this machine died", [](const WorkFolder& folder) { folder.claim(worker_name() + "0"); }},
  };
  for (const auto& [what, fault] : faults) {
    taken_.clear();
    Intruder executor(std::make_shared<CountingGrader>(), fault);
    const auto failure = dispatch(request({"a", "b", "c", "d", "e"}), executor);
    EXPECT_FALSE(failure) << what << ": " << failure->sentence;
    EXPECT_EQ(taken_, kAllRight) << what;
    EXPECT_FALSE(fs::exists(folder().path())) << what;
  }
}

TEST_F(DispatchTest, WhatAnInterruptedDispatchLeftIsUsedAndWhatNobodyWantsIsRemoved) {
  publish("0-0001", chunk_of({"a", "b"}));
  publish("0-0002", chunk_of({"c", "unwanted"}));
  publish("0-0003", chunk_of({"unwanted"}));
  const auto grader = std::make_shared<CountingGrader>();
  const fs::path claim = *folder().claim("elsewhere-12345678-1-1-1");
  EXPECT_FALSE(keep_result(claim, submission("a"), {"verdict on a", ""}));
  EXPECT_FALSE(keep_result(claim, submission("b"), {"verdict on b", ""}));
  EXPECT_TRUE(folder().finish(claim));
  Intruder executor(grader, [](const WorkFolder& folder) {
    EXPECT_EQ(folder.waiting().size(), 2U) << "one of before with c, and one with d and e";
  });
  const auto failure = dispatch(request({"a", "b", "c", "d", "e"}), executor);
  EXPECT_FALSE(failure) << failure->sentence;
  EXPECT_EQ(taken_, kAllRight);
  EXPECT_EQ(grader->graded.count("a"), 0U);
}

TEST_F(DispatchTest, ASubmissionThatEndsItsWorkersIsGivenUpAloneEvenIfOthersWereBegunWithIt) {
  class Deadly : public Executor {
   public:
    std::size_t chunk_size(std::size_t) const override { return 3; }
    std::optional<Failure> tend(const WorkFolder& folder) override {
      while (const auto claim = folder.claim("w")) {
        const auto chunk = read_chunk(*claim);
        const auto has_deadly = [](const ChunkSubmission& each) { return each.content == "deadly"; };
        const bool ends = std::any_of(chunk->submissions.begin(), chunk->submissions.end(), has_deadly);
        for (const ChunkSubmission& each : chunk->submissions) {
          note_begun(*claim, each);
          if (!ends) keep_result(*claim, each, {"verdict on " + each.content, ""});
        }
        if (ends)
          folder.give_back(*claim, true);
        else
          folder.finish(*claim);
      }
      return std::nullopt;
    }
    std::chrono::milliseconds between_looks() const override { return std::chrono::milliseconds(1); }
  } executor;
  const auto failure = dispatch(request({"a", "deadly", "b", "c"}), executor);
  EXPECT_FALSE(failure) << failure->sentence;
  EXPECT_EQ(taken_["deadly"], "3 workers ended while they were grading it");
  for (const char* content : {"a", "b", "c"}) EXPECT_EQ(taken_[content], std::string("verdict on ") + content);
}

TEST_F(DispatchTest, WhatAMachineCannotGradeIsTriedAgain) {
  class Ailing : public CountingGrader {
    ChunkResult grade(const fs::path& chunk, const ChunkSubmission& submission) override {
      const ChunkResult result = CountingGrader::grade(chunk, submission);
      return submission.content == "b" || graded.at(submission.content) < 3 ? ChunkResult{"", "no disk"} : result;
    }
  };
  const auto grader = std::make_shared<Ailing>();
  const auto executor = local_executor(always(grader), 1);
  const auto failure = dispatch(request({"a", "b"}), *executor);
  EXPECT_FALSE(failure) << failure->sentence;
  EXPECT_EQ(taken_["a"], "verdict on a");
  EXPECT_EQ(taken_["b"], "no disk");
  EXPECT_EQ(grader->graded["b"], 3);
}

TEST_F(DispatchTest, AnExceptionOfALabsOwnCodeIsATrouble) {
  class Throwing : public CountingGrader {
    ChunkResult grade(const fs::path&, const ChunkSubmission&) override { throw std::runtime_error("not a number"); }
  };
  const auto executor = local_executor(always(std::make_shared<Throwing>()), 2);
  const auto failure = dispatch(request({"a"}), *executor);
  EXPECT_FALSE(failure) << failure->sentence;
  EXPECT_EQ(taken_["a"], "not a number");
}

TEST_F(DispatchTest, AFailureOfTheStoreEndsItAndTheResultIsThereNextTime) {
  const auto grader = std::make_shared<CountingGrader>();
  const auto executor = local_executor(always(grader), 1);
  DispatchRequest failing = request({"a", "b"});
  failing.take = [](std::size_t, const ChunkResult&, const fs::path&) { return Failure{"the disk is full"}; };
  const auto failure = dispatch(failing, *executor);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->sentence, "the disk is full");
  const auto second = local_executor(always(grader), 1);
  EXPECT_FALSE(dispatch(request({"a", "b"}), *second));
  EXPECT_EQ(taken_.size(), 2U);
  EXPECT_EQ(grader->graded["a"], 1) << "it was graded, though not stored, before";
}

}  // namespace
}  // namespace lanewise::executors_test
