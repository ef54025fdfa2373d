// Fetching from a server that is right, wrong, cut off, forgetful, or not there.
#include "grader/data/download.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <fstream>

#include "datasets/environment_variable.h"
#include "datasets/scratch_folder.h"
#include "datasets/sha256.h"
#include "grader/data/small_server.h"
#include "harness/lab/read_file.h"

namespace lanewise::data_test {
namespace {

namespace fs = std::filesystem;

std::string numbers() {
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += std::to_string(i) + " " + std::to_string(i * 7 % 60'000) + "\n";
  return text;
}

std::string digest_of(const std::string& text) {
  Sha256 hash;
  hash.add(text.data(), text.size());
  return hash.digest();
}

std::string content_of(const fs::path& file) {
  const auto content = read_file(file, 1 << 24);
  return content ? *content : content.sentence();
}

// What gzip or tar makes of the content, as bytes.
std::string packed(const ScratchFolder& folder, const std::string& content, bool is_tar) {
  const std::string at = folder.path().string();
  fs::create_directories(folder.path() / "inside");
  std::ofstream(folder.path() / "inside" / "graph.txt") << content;
  const std::string command = is_tar ? "tar -C '" + at + "' -czf '" + at + "/packed' inside"
                                     : "gzip -c '" + at + "/inside/graph.txt' > '" + at + "/packed'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return content_of(folder.path() / "packed");
}

class Download : public ::testing::Test {
 protected:
  void SetUp() override {
    if (find_program("curl").empty()) GTEST_SKIP() << "the program curl is not installed";
  }

  DataSet set_for(const std::string& url) const {
    DataSet set;
    set.kind = DataSet::Kind::kUrl;
    set.name = "graph.txt";
    set.source = "a test";
    set.url = url;
    set.bytes = static_cast<std::int64_t>(content_.size());
    set.sha256 = digest_of(content_);
    return set;
  }
  FetchResult fetched(const DataSet& set) const { return fetch(set, {folder_.path() / "data", {}}); }
  fs::path file(const std::string& ending = "") const { return folder_.path() / "data" / ("graph.txt" + ending); }
  // Nothing but the file itself, or not even the folder.
  void expect_tidy(bool is_there) const {
    EXPECT_EQ(fs::exists(folder_.path() / "data"), is_there);
    if (!is_there) return;
    for (const auto& entry : fs::directory_iterator(folder_.path() / "data")) EXPECT_EQ(entry.path(), file());
  }

  const ScratchFolder folder_;
  const std::string content_ = numbers();
};

TEST_F(Download, AFileArrivesWhole) {
  SmallServer server({{"graph.txt", {content_}}});
  const FetchResult result = fetched(set_for(server.url("graph.txt")));
  EXPECT_EQ(result.outcome, FetchOutcome::kDone) << result.sentence;
  EXPECT_EQ(content_of(file()), content_);
  expect_tidy(true);
}

TEST_F(Download, GzipAndTarAreUnpacked) {
  for (const bool is_tar : {false, true}) {
    SmallServer server({{"packed", {packed(folder_, content_, is_tar)}}});
    DataSet set = set_for(server.url("packed"));
    set.packing = is_tar ? DataSet::Packing::kTarGz : DataSet::Packing::kGzip;
    if (is_tar) set.member = "inside/graph.txt";
    const FetchResult result = fetched(set);
    EXPECT_EQ(result.outcome, FetchOutcome::kDone) << result.sentence;
    EXPECT_EQ(content_of(file()), content_);
    expect_tidy(true);
    fs::remove(file());
  }
}

TEST_F(Download, WhatWasCutOffGoesOnWhereItStopped) {
  SmallServer server({{"graph.txt", {content_, 2}}});
  const FetchResult result = fetched(set_for(server.url("graph.txt")));
  EXPECT_EQ(result.outcome, FetchOutcome::kDone) << result.sentence;
  EXPECT_EQ(content_of(file()), content_);
  const auto asked = server.asked_from();
  ASSERT_EQ(asked.size(), 3u);
  EXPECT_EQ(asked[0], 0u);
  EXPECT_EQ(asked[1], content_.size() / 3);
  EXPECT_GT(asked[2], asked[1]);
}

TEST_F(Download, WhatStaysCutOffIsKeptForAnotherTime) {
  {
    SmallServer server({{"graph.txt", {content_, 100}}});
    const FetchResult result = fetched(set_for(server.url("graph.txt")));
    EXPECT_EQ(result.outcome, FetchOutcome::kFailed);
    EXPECT_NE(result.sentence.find("was interrupted 4 times"), std::string::npos) << result.sentence;
  }
  ASSERT_TRUE(fs::exists(file(".part")));
  EXPECT_FALSE(fs::exists(file()));
  const auto kept = static_cast<std::size_t>(fs::file_size(file(".part")));
  SmallServer server({{"graph.txt", {content_}}});
  EXPECT_EQ(fetched(set_for(server.url("graph.txt"))).outcome, FetchOutcome::kDone);
  EXPECT_EQ(server.asked_from(), std::vector<std::size_t>{kept});
  EXPECT_EQ(content_of(file()), content_);
  expect_tidy(true);
}

TEST_F(Download, AServerWithoutRangesIsAskedForAllOfItAgain) {
  fs::create_directories(file().parent_path());
  std::ofstream(file(".part")) << content_.substr(0, 1000);
  SmallServer server({{"graph.txt", {content_, 0, false}}});
  const FetchResult result = fetched(set_for(server.url("graph.txt")));
  EXPECT_EQ(result.outcome, FetchOutcome::kDone) << result.sentence;
  EXPECT_EQ(content_of(file()), content_);
}

TEST_F(Download, APartThatIsLongerThanTheFileIsThrownAway) {
  fs::create_directories(file().parent_path());
  std::ofstream(file(".part")) << content_ << "and more";
  SmallServer server({{"graph.txt", {content_}}});
  const FetchResult result = fetched(set_for(server.url("graph.txt")));
  EXPECT_EQ(result.outcome, FetchOutcome::kDone) << result.sentence;
  EXPECT_EQ(content_of(file()), content_);
}

TEST_F(Download, AnotherFileThanTheOneMeantIsThrownAway) {
  std::string other = content_;
  other[5000] = 'x';
  SmallServer server({{"graph.txt", {other}}});
  const FetchResult result = fetched(set_for(server.url("graph.txt")));
  EXPECT_EQ(result.outcome, FetchOutcome::kFailed);
  EXPECT_NE(result.sentence.find("its SHA-256 is " + digest_of(other) + ", not " + digest_of(content_)),
            std::string::npos)
      << result.sentence;
  expect_tidy(false);
}

TEST_F(Download, WhatCannotBeUnpackedIsThrownAway) {
  SmallServer server({{"packed", {content_}}});
  for (const DataSet::Packing packing : {DataSet::Packing::kGzip, DataSet::Packing::kTarGz}) {
    DataSet set = set_for(server.url("packed"));
    set.packing = packing;
    set.member = "inside/graph.txt";
    const FetchResult result = fetched(set);
    EXPECT_EQ(result.outcome, FetchOutcome::kFailed);
    EXPECT_NE(result.sentence.find("cannot be unpacked"), std::string::npos) << result.sentence;
    expect_tidy(false);
  }
}

// A few bytes may unpack to any number: no more is written than the file should have.
TEST_F(Download, AFileThatUnpacksToMoreThanItShouldIsStopped) {
  std::string zeros;
  zeros.resize(50'000'000, '0');
  SmallServer server({{"packed", {packed(folder_, zeros, false)}}});
  DataSet set = set_for(server.url("packed"));
  set.packing = DataSet::Packing::kGzip;
  const FetchResult result = fetched(set);
  EXPECT_EQ(result.outcome, FetchOutcome::kFailed);
  expect_tidy(false);
}

TEST_F(Download, AFileThatIsNotThereIsNamed) {
  SmallServer server({});
  const FetchResult result = fetched(set_for(server.url("gone.txt")));
  EXPECT_EQ(result.outcome, FetchOutcome::kFailed);
  EXPECT_NE(result.sentence.find("/gone.txt (404)"), std::string::npos) << result.sentence;
  expect_tidy(false);
}

TEST_F(Download, NoServerIsNoNetwork) {
  std::string url;
  {
    SmallServer server({});
    url = server.url("graph.txt");
  }
  const FetchResult result = fetched(set_for(url));
  EXPECT_EQ(result.outcome, FetchOutcome::kNoNetwork);
  EXPECT_NE(result.sentence.find("cannot be reached: is there a network?"), std::string::npos) << result.sentence;
  expect_tidy(false);
}

TEST_F(Download, AFolderThatCannotBeWrittenIsNamed) {
  folder_.write("data", {1});
  const FetchResult result = fetched(set_for("http://127.0.0.1:1/graph.txt"));
  EXPECT_EQ(result.outcome, FetchOutcome::kNothingToUse);
  EXPECT_NE(result.sentence.find("cannot be written"), std::string::npos) << result.sentence;
}

TEST_F(Download, WithoutCurlThePackageIsNamed) {
  const EnvironmentVariable path("PATH", folder_.path().string());
  const FetchResult result = fetched(set_for("http://127.0.0.1:1/graph.txt"));
  EXPECT_EQ(result.outcome, FetchOutcome::kNothingToUse);
  EXPECT_NE(result.sentence.find("install the package curl"), std::string::npos) << result.sentence;
}

TEST(Secrets, AreSentByHttpToThisMachineAlone) {
  for (const char* url : {"https://gpu.example.edu", "https://gpu.example.edu:8443/x?a=b", "http://127.0.0.1:8080",
                          "http://localhost", "http://[::1]:8080/api"})
    EXPECT_TRUE(is_safe_for_secrets(url)) << url;
  for (const char* url : {"http://gpu.example.edu", "http://localhost.example.edu", "http://127.0.0.1:80@example.edu/",
                          "https://", "gpu.example.edu", "ftp://localhost", "https://a\nb", "http://[::1"})
    EXPECT_FALSE(is_safe_for_secrets(url)) << url;
}

TEST(BytesText, HasThreeDigits) {
  EXPECT_EQ(bytes_text(0), "0 bytes");
  EXPECT_EQ(bytes_text(999), "999 bytes");
  EXPECT_EQ(bytes_text(1000), "1 kB");
  EXPECT_EQ(bytes_text(854'362), "854 kB");
  EXPECT_EQ(bytes_text(44'830'000), "44.8 MB");
  EXPECT_EQ(bytes_text(999'900), "1 MB");
}

}  // namespace
}  // namespace lanewise::data_test
