// The published values of FNV-1a, and what cannot be read as a file.
#include "harness/runner/content_hash.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

TEST(ContentHash, AgreesWithPublishedValues) {
  // From the test vectors of the FNV reference distribution (128-bit FNV-1a).
  EXPECT_EQ(content_hash(""), "6c62272e07bb014262b821756295c58d");
  EXPECT_EQ(content_hash("a"), "d228cb696f1a8caf78912b704e4a8964");
  EXPECT_EQ(content_hash("foobar"), "343e1662793c64bf6f0d3597ba446f18");
}

TEST(ContentHash, ZeroBytesCount) {
  EXPECT_NE(content_hash(std::string_view("\0", 1)), content_hash(std::string_view("\0\0", 2)));
}

TEST(ReadFile, FoldersMissingAndLargeFilesAreRefused) {
  const fs::path folder = fs::temp_directory_path() / ("lanewise_read_file_test_" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "ten") << "0123456789";
  EXPECT_EQ(*read_file(folder / "ten", 10), "0123456789");
  EXPECT_NE(read_file(folder / "ten", 9).sentence().find("larger than the 9 bytes"), std::string::npos);
  EXPECT_NE(read_file(folder / "none", 10).sentence().find("no such file"), std::string::npos);
  EXPECT_NE(read_file(folder, 10).sentence().find("not a file"), std::string::npos);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace lanewise
