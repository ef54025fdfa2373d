// What a terminal and a log get to see of long work.
#include "harness/report/progress.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <array>

namespace lanewise {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

class ProgressTest : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const int end : {reader_, writer_}) close(end);
  }

  void open_pipe() {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    reader_ = ends[0];
    writer_ = ends[1];
  }

  void open_terminal() { ASSERT_EQ(openpty(&reader_, &writer_, nullptr, nullptr, nullptr), 0); }

  // What was written, and a mark that was written after it, so that there is something to read.
  std::string seen() {
    const std::string mark = "|";
    EXPECT_EQ(write(writer_, mark.data(), mark.size()), 1);
    std::string text;
    std::array<char, 4096> buffer{};
    while (text.empty() || text.back() != '|') {
      const ssize_t got = read(reader_, buffer.data(), buffer.size());
      if (got <= 0) break;
      text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    text.pop_back();
    return text;
  }

  int reader_ = -1;
  int writer_ = -1;
};

TEST_F(ProgressTest, TerminalHasOneLineThatGoes) {
  open_terminal();
  {
    Progress progress(writer_, 80);
    progress.show("1 of 2");
    progress.show("2 of 2");
    EXPECT_EQ(seen(), "\r1 of 2\x1b[K\r2 of 2\x1b[K");
  }
  EXPECT_EQ(seen(), "\r\x1b[K");
}

TEST_F(ProgressTest, LogHasWholeLinesOfLongWorkAndNothingOfShort) {
  open_pipe();
  for (const auto between_lines : {milliseconds(0), milliseconds(hours(1))}) {
    {
      Progress progress(writer_, 8, between_lines);
      progress.show("1 of 2");
      progress.show("a long name\n\x1b[2J");
    }
    EXPECT_EQ(seen(), between_lines == milliseconds(0) ? "1 of 2\na long \n" : "");
  }
}

TEST(TimeLeft, IsToldOnceEnoughIsDone) {
  using std::chrono::seconds;
  EXPECT_EQ(time_left(seconds(60), 2, 10), "") << "the first pieces tell little of the others";
  EXPECT_EQ(time_left(seconds(21), 7, 6), " · about 18 s left");
  EXPECT_EQ(time_left(seconds(60), 3, 6), " · about 2 min left");
  EXPECT_EQ(time_left(seconds(60), 3, 0), "");
}

}  // namespace
}  // namespace lanewise
