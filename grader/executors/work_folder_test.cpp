// Chunks that change hands, and results that are whole or none.
#include "grader/executors/work_folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <thread>

#include "grader/executors/made_up_chunks_test.h"

namespace lanewise::executors_test {
namespace {

namespace fs = std::filesystem;

class WorkFolderTest : public MadeUpChunks {};

TEST_F(WorkFolderTest, AChunkIsReadAsItWasWritten) {
  Chunk chunk = chunk_of({"a", "b"});
  chunk.options.groups = {"check", "grade"};
  chunk.options.seed = 9223372036854775807U;
  chunk.options.is_timed = false;
  chunk.submissions[1].tasks = {"quoted \"name\""};
  publish("1-0001", chunk);
  const auto read = read_chunk(folder().waiting().at(0));
  ASSERT_TRUE(read) << read.sentence();
  EXPECT_EQ(chunk_toml(*read), chunk_toml(chunk));
  EXPECT_EQ(read->options.seed, chunk.options.seed);
  EXPECT_EQ(read->submissions.at(1).tasks, chunk.submissions[1].tasks);
}

TEST_F(WorkFolderTest, AChunkThatLeadsElsewhereIsRefused) {
  for (const char* content : {"../../home", "/etc", ".", ""}) {
    Chunk chunk = chunk_of({"a"});
    chunk.submissions[0].content = content;
    publish("1-0001", chunk);
    EXPECT_FALSE(read_chunk(folder().waiting().at(0))) << content;
    folder().remove(folder().waiting().at(0));
  }
}

TEST_F(WorkFolderTest, AFolderOfSomebodyElsesIsLeftAlone) {
  EXPECT_FALSE(folder().create("test")) << "once more";
  EXPECT_TRUE(folder().create("another class"));
  const WorkFolder documents(scratch_->path());
  EXPECT_TRUE(documents.create("test"));
  std::ofstream(folder().path() / "thesis.tex") << "years of work";
  folder().remove_all();
  EXPECT_EQ(std::distance(fs::directory_iterator(folder().path()), fs::directory_iterator()), 1);
}

TEST_F(WorkFolderTest, NobodyElseReadsOrMakesChunks) {
  const WorkFolder made_before(scratch_->path() / "shared");
  fs::create_directories(made_before.path());
  fs::permissions(made_before.path(), fs::perms::all);
  EXPECT_FALSE(made_before.create("test"));
  EXPECT_FALSE(made_before.check());
  const fs::path waiting = made_before.path() / "waiting";
  EXPECT_EQ(fs::status(waiting).permissions(), fs::perms::owner_all);
  fs::permissions(waiting, fs::perms::owner_all | fs::perms::group_write);
  EXPECT_TRUE(made_before.check()) << "somebody else may have made a chunk";
}

TEST_F(WorkFolderTest, EachChunkIsClaimedByOne) {
  constexpr int kChunks = 40;
  constexpr int kWorkers = 4;
  for (int i = 0; i < kChunks; ++i) publish(std::to_string(i), chunk_of({"a"}));
  std::vector<std::vector<fs::path>> claims(kWorkers);
  std::vector<std::thread> workers;
  for (int w = 0; w < kWorkers; ++w)
    workers.emplace_back([&, w] {
      while (const auto claim = folder().claim("worker" + std::to_string(w))) claims[w].push_back(*claim);
    });
  for (std::thread& worker : workers) worker.join();
  std::set<std::string> names;
  std::size_t count = 0;
  for (const auto& claimed : claims)
    for (const fs::path& claim : claimed) {
      EXPECT_TRUE(fs::exists(claim / kChunkFile));
      names.insert(claim.filename().string().substr(0, claim.filename().string().find('@')));
      ++count;
    }
  EXPECT_EQ(count, static_cast<std::size_t>(kChunks));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kChunks));
}

TEST_F(WorkFolderTest, AChunkIsGivenUpAfterItsLastAttempt) {
  publish("1-0001", chunk_of({"a"}));
  for (int attempt = 1; attempt <= kMostAttempts; ++attempt) {
    auto claim = folder().claim("w");
    ASSERT_TRUE(claim);
    folder().give_back(*claim, false);  // by a worker that is interrupted: no attempt
    claim = folder().claim("w");
    ASSERT_TRUE(claim);
    folder().give_back(*claim, true);
  }
  EXPECT_FALSE(folder().claim("w"));
  EXPECT_EQ(folder().given_up().size(), 1U);
}

TEST_F(WorkFolderTest, WhoeverLostAChunkCannotWriteIntoIt) {
  const Chunk chunk = chunk_of({"a"});
  publish("1-0001", chunk);
  const auto first = folder().claim("stopped");
  folder().give_back(*first, true);
  const auto second = folder().claim("next");
  ASSERT_TRUE(second);
  EXPECT_TRUE(keep_result(*first, chunk.submissions[0], {"late", ""}));
  EXPECT_FALSE(folder().finish(*first));
  EXPECT_FALSE(keep_result(*second, chunk.submissions[0], {"right", ""}));
  EXPECT_TRUE(folder().finish(*second));
  EXPECT_EQ(read_result(folder().finished().at(0), chunk.submissions[0])->verdict, "right");
}

TEST_F(WorkFolderTest, AChunkThatWasDoneTwiceIsThereOnce) {
  const Chunk chunk = chunk_of({"a"});
  publish("1-0001", chunk);
  const auto claim = folder().claim("w");
  keep_result(*claim, chunk.submissions[0], {"v", ""});
  fs::copy(*claim, folder().path() / "claimed/1-0001.1@copy", fs::copy_options::recursive);
  EXPECT_TRUE(folder().finish(*claim));
  EXPECT_TRUE(folder().finish(folder().path() / "claimed/1-0001.1@copy"));
  EXPECT_EQ(folder().finished().size(), 1U);
  EXPECT_TRUE(folder().claimed().empty());
}

TEST_F(WorkFolderTest, AResultThatIsCutShortOrUnderOtherTermsOrLacksAPictureIsNone) {
  const Chunk chunk = chunk_of({"a"});
  const ChunkSubmission& submission = chunk.submissions[0];
  publish("1-0001", chunk);
  const fs::path claim = *folder().claim("w");
  fs::create_directories(picture_folder(claim, submission) / "case");
  const fs::path picture = picture_folder(claim, submission) / "case" / "got.png";
  std::ofstream(picture) << "many pixels";
  ASSERT_FALSE(keep_result(claim, submission, {"{\"points\": 3}", ""}));
  ASSERT_TRUE(read_result(claim, submission));
  EXPECT_EQ(read_result(claim, submission)->verdict, "{\"points\": 3}");

  ChunkSubmission other = submission;
  other.terms = "other";
  EXPECT_FALSE(read_result(claim, other));

  fs::resize_file(picture, 4);
  EXPECT_FALSE(read_result(claim, submission));
  std::ofstream(picture) << "many pixels";
  ASSERT_TRUE(read_result(claim, submission));

  fs::path file;
  for (const auto& entry : fs::directory_iterator(claim / "results"))
    if (entry.path().extension() == ".json") file = entry.path();
  for (const std::uintmax_t size : {fs::file_size(file) - 1, fs::file_size(file) / 2, std::uintmax_t{0}}) {
    fs::resize_file(file, size);
    EXPECT_FALSE(read_result(claim, submission)) << size;
  }
}

}  // namespace
}  // namespace lanewise::executors_test
