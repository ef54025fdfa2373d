// Chunks of submissions that nobody wrote.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "grader/executors/chunk_worker.h"
#include "grader/executors/work_folder.h"
#include "grader/workplace/temporary_folder.h"

namespace lanewise::executors_test {

/// An empty folder of chunks.
class MadeUpChunks : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(scratch_) << scratch_.sentence();
    ASSERT_FALSE(folder().create("test"));
  }

  WorkFolder folder() const { return WorkFolder(scratch_->path() / "work"); }

  static ChunkSubmission submission(const std::string& content) { return {"scan", content, "terms", {}}; }

  static Chunk chunk_of(const std::vector<std::string>& contents) {
    Chunk chunk;
    chunk.options.backend = "vgpu";
    chunk.options.toolchain = "clang";
    for (const std::string& content : contents) chunk.submissions.push_back(submission(content));
    return chunk;
  }

  void publish(const std::string& name, const Chunk& chunk) const {
    ASSERT_TRUE(folder().begin(name));
    const auto failure = folder().publish(name, chunk);
    ASSERT_FALSE(failure) << failure->sentence;
  }

  Expected<TemporaryFolder> scratch_ = TemporaryFolder::create();
};

/// Grades by saying so, and counts how often.
class CountingGrader : public SubmissionGrader {
 public:
  bool is_exclusive() const override { return false; }
  void prepare(const std::filesystem::path&, const ChunkSubmission&) override {}
  ChunkResult grade(const std::filesystem::path&, const ChunkSubmission& submission) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++graded[submission.content];
    return {"verdict on " + submission.content, ""};
  }

  std::map<std::string, int> graded;

 protected:
  std::mutex mutex_;
};

inline MakeGrader always(std::shared_ptr<SubmissionGrader> grader) {
  return [grader = std::move(grader)](const std::filesystem::path&,
                                      const Chunk&) -> Expected<std::shared_ptr<SubmissionGrader>> { return grader; };
}

}  // namespace lanewise::executors_test
