// What can be read whole, and the sentence for each thing that cannot.
#include "harness/lab/read_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

TEST(ReadFile, FoldersLoopsMissingAndLargeFilesAreRefused) {
  const fs::path folder = fs::temp_directory_path() / ("lanewise_read_file_test_" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "ten") << "0123456789";
  fs::create_symlink("loop", folder / "loop");
  EXPECT_EQ(*read_file(folder / "ten", 10), "0123456789");
  EXPECT_NE(read_file(folder / "ten", 9).sentence().find("larger than the 9 bytes"), std::string::npos);
  EXPECT_NE(read_file(folder / "none", 10).sentence().find("no such file"), std::string::npos);
  EXPECT_NE(read_file(folder, 10).sentence().find("not a file"), std::string::npos);
  EXPECT_NE(read_file(folder / "loop", 10).sentence().find("cannot be read (Too many levels"), std::string::npos);
  fs::remove_all(folder);
}

TEST(ReadFile, NothingIsLostBetweenChunks) {
  constexpr std::size_t kChunk = std::size_t{64} << 10;
  const fs::path file = fs::temp_directory_path() / ("lanewise_read_file_test_chunks_" + std::to_string(getpid()));
  for (const std::size_t bytes : {std::size_t{0}, kChunk - 1, kChunk, kChunk + 1, 3 * kChunk}) {
    std::string text(bytes, '\0');
    for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>(i % 251);
    std::ofstream(file, std::ios::binary) << text;
    EXPECT_EQ(*read_file(file, bytes), text) << bytes;
  }
  fs::remove(file);
}

}  // namespace
}  // namespace lanewise
