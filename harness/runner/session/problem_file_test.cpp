// A case in a file: inputs where the message says, outputs read back from where a call leaves them.
#include "harness/runner/session/problem_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "harness/worker/protocol.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

class ProblemFile : public ::testing::Test {
 protected:
  ProblemFile() {
    problem_.inputs.push_back(make_array<std::int32_t>("a", {3}));
    elements<std::int32_t>(problem_.inputs[0])[2] = 77;
    problem_.inputs.push_back(make_array<std::uint8_t>("empty", {0}));
    problem_.outputs.push_back({"out", DType::kUint8, {2}});
    problem_.scalars.push_back({"n", std::int64_t{3}});
  }
  ~ProblemFile() override { fs::remove(file_); }

  // The message at the file's end.
  protocol::Prepare message() const {
    auto prepare = protocol::make_message<protocol::Prepare>();
    std::ifstream stream(file_, std::ios::binary);
    stream.seekg(-static_cast<std::streamoff>(sizeof(prepare)), std::ios::end);
    stream.read(reinterpret_cast<char*>(&prepare), sizeof(prepare));
    return prepare;
  }

  Problem problem_;
  const fs::path file_ = fs::temp_directory_path() / ("lanewise_problem_file_test_" + std::to_string(getpid()));
};

TEST_F(ProblemFile, HoldsTheInputsAndTheirDescription) {
  ASSERT_FALSE(write_problem(problem_, file_));
  const protocol::Prepare prepare = message();
  EXPECT_EQ(prepare.header.magic, protocol::kMagic);
  EXPECT_EQ(prepare.memory_bytes + sizeof(prepare), fs::file_size(file_));
  EXPECT_EQ(prepare.array_count, 3U);
  EXPECT_EQ(prepare.scalar_count, 1U);
  EXPECT_EQ(protocol::text_of(prepare.arrays[2].name), "out");
  std::ifstream stream(file_, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(prepare.arrays[0].offset) + 8);
  std::int32_t value = 0;
  stream.read(reinterpret_cast<char*>(&value), sizeof(value));
  EXPECT_EQ(value, 77);
}

TEST_F(ProblemFile, OutputsComeBack) {
  ASSERT_FALSE(write_problem(problem_, file_));
  std::fstream stream(file_, std::ios::binary | std::ios::in | std::ios::out);
  stream.seekp(static_cast<std::streamoff>(message().arrays[2].offset));
  stream.write("\x05\x06", 2);
  stream.close();
  const auto outputs = read_outputs(problem_, file_);
  ASSERT_TRUE(outputs) << outputs.sentence();
  ASSERT_EQ(outputs->size(), 1U);
  EXPECT_EQ(outputs->at(0).name, "out");
  EXPECT_EQ(outputs->at(0).bytes, (std::vector<std::byte>{std::byte{5}, std::byte{6}}));
}

TEST_F(ProblemFile, TroubleIsSaid) {
  EXPECT_TRUE(write_problem(problem_, file_ / "nowhere"));
  EXPECT_FALSE(read_outputs(problem_, file_));
  problem_.inputs[0].bytes.pop_back();
  const auto failure = write_problem(problem_, file_);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->sentence, "the input 'a' does not hold as many bytes as its shape requires");
}

}  // namespace
}  // namespace lanewise
