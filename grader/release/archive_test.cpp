#include "grader/release/archive.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace lanewise::release_test {
namespace {

constexpr std::int64_t kTime = 1'700'000'000;

std::vector<ArchiveFile> two_files() { return {{"a/run.sh", "#!/bin/sh\n", true}, {"a/empty", "", false}}; }

class Archive : public ::testing::TestWithParam<ArchiveFormat> {};

TEST_P(Archive, SameFilesInAnyOrderGiveTheSameBytes) {
  const auto one = archive_of(two_files(), GetParam(), kTime);
  const auto other = archive_of({two_files()[1], two_files()[0]}, GetParam(), kTime);
  ASSERT_TRUE(one && other);
  EXPECT_FALSE(one->empty());
  EXPECT_EQ(*one, *other);
}

TEST_P(Archive, TimeZoneLeavesNoTraceAndIsAsBefore) {
  const auto here = archive_of(two_files(), GetParam(), kTime);
  setenv("TZ", "XYZ-11:30", 1);
  const auto elsewhere = archive_of(two_files(), GetParam(), kTime);
  EXPECT_STREQ(std::getenv("TZ"), "XYZ-11:30");
  unsetenv("TZ");
  tzset();
  ASSERT_TRUE(here && elsewhere);
  EXPECT_EQ(*here, *elsewhere);
}

TEST_P(Archive, ContentModeNameAndTimeCount) {
  const auto before = archive_of(two_files(), GetParam(), kTime);
  ASSERT_TRUE(before);
  std::vector<std::vector<ArchiveFile>> changed(3, two_files());
  changed[0][0].content += "\n";
  changed[1][0].is_executable = false;
  changed[2][1].path = "a/other";
  for (const auto& files : changed) {
    const auto after = archive_of(files, GetParam(), kTime);
    ASSERT_TRUE(after);
    EXPECT_NE(*after, *before);
  }
  const auto later = archive_of(two_files(), GetParam(), kTime + 2);
  ASSERT_TRUE(later);
  EXPECT_NE(*later, *before);
}

TEST_P(Archive, NothingFollowsItsEnd) {
  const auto archive = archive_of(two_files(), GetParam(), kTime);
  ASSERT_TRUE(archive);
  EXPECT_LT(archive->size(), 1000U) << "zeros fill a block of ten thousand bytes";
  constexpr std::size_t kEndRecord = 22;  // of a zip without a comment
  if (GetParam() == ArchiveFormat::kZip) {
    EXPECT_EQ(archive->substr(archive->size() - kEndRecord, 4), "PK\5\6");
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Archive, ::testing::Values(ArchiveFormat::kTarGz, ArchiveFormat::kZip));

}  // namespace
}  // namespace lanewise::release_test
