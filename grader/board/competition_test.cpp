// competition.toml as people write and miswrite it, held against the real labs.
#include "grader/board/competition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>

#include "grader/board/modelled_marks.h"
#include "grader/board/new_competition.h"
#include "grader/workplace/temporary_folder.h"
#include "harness/declared/known_labs.h"

namespace lanewise::board_test {
namespace {

class CompetitionFile : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) const { std::ofstream(folder_->path() / name) << text; }

  static const std::vector<LabSelection>& labs() {
    static const auto kLabs = [] {
      Installation installation;
      installation.labs = LANEWISE_LABS_FOLDER;
      return known_labs(installation, {}, Oracles::kLater);
    }();
    return *kLabs;
  }

  Expected<Competition> read(const std::string& text) const {
    put("race.toml", text);
    return read_competition(folder_->path() / "race.toml", labs());
  }

  // The sentence of the failure, from the line's number on.
  std::string trouble(const std::string& text) const {
    const auto competition = read(text);
    if (competition) return "it was read";
    const std::string& sentence = competition.sentence();
    const std::size_t at = sentence.find("race.toml:");
    return at == std::string::npos ? sentence : sentence.substr(at + 10);
  }

  Expected<TemporaryFolder> folder_ = TemporaryFolder::create();
};

constexpr std::int64_t kMondayMorning = 1'791'784'800;  // 2026-10-12 06:00 UTC
constexpr const char* kScan = "title = \"x\"\n[[task]]\nlab = \"scan\"\n";

TEST_F(CompetitionFile, ByDefaultALabsOnlyTaskRacesAtAllItsRaceCasesForTimeAlone) {
  const auto competition = read(kScan);
  ASSERT_TRUE(competition) << competition.sentence();
  EXPECT_EQ(competition->title, "x");
  EXPECT_EQ(competition->counted, CountedAttempt::kLatest);
  EXPECT_TRUE(competition->weights.is_time_alone());
  ASSERT_EQ(competition->tasks.size(), 1U);
  EXPECT_EQ(competition->tasks[0].task, "inclusive_scan");
  EXPECT_EQ(competition->tasks[0].race_cases, (std::vector<std::string>{"race", "race, nothing divides it"}));
  EXPECT_EQ(competition->tasks[0].modelled_case, "a million");
}

TEST_F(CompetitionFile, ItsEndIsAMomentWithItsTimeZone) {
  const std::string rest = "\n" + std::string(kScan);
  EXPECT_EQ(read(kScan)->ends, 0);
  EXPECT_EQ(read("ends = 1970-01-02T01:00:00+01:00" + rest)->ends, 86'400);
  EXPECT_EQ(trouble("ends = 2026-12-18T23:59:00" + rest),
            "1: the key 'ends' has no time zone; write 2026-12-18T23:59:00+01:00 (one hour ahead of UTC) or "
            "2026-12-18T23:59:00Z (UTC)");
  EXPECT_EQ(trouble("ends = \"soon\"" + rest),
            "1: the key 'ends' must be a date with its time and offset, without quotes, such as "
            "2026-11-22T23:59:00+01:00");
}

TEST_F(CompetitionFile, ItsWeeksHaveAnOpeningALimitAFreezeAndAReveal) {
  const auto competition = read(
      "opens = 2026-11-30T08:00:00+01:00\nends = 2026-12-20T23:59:00+01:00\nfreeze = 2026-12-17T23:59:00+01:00\n"
      "entries_a_day = 3\nfinal = 8\nprofile = \"h200\"\n" +
      std::string(kScan));
  ASSERT_TRUE(competition) << competition.sentence();
  EXPECT_EQ(competition->ends - competition->freeze, 3 * 86'400);
  EXPECT_EQ(competition->reveal, competition->ends) << "if nothing else is said";
  EXPECT_EQ(competition->entries_a_day, 3);
  EXPECT_EQ(competition->day_begins, -3600);
  EXPECT_EQ(competition->finalists, 8);
  EXPECT_EQ(competition->profile, "h200");
  EXPECT_EQ(read("freeze = 2026-12-17T23:59:00Z\n" + std::string(kScan))->reveal, 0) << "by hand";
}

TEST_F(CompetitionFile, DatesInTheWrongOrderAndLimitsOutOfRangeAreSaid) {
  const auto rest = "\n" + std::string(kScan);
  EXPECT_EQ(trouble("opens = 2026-12-01T00:00:00Z\nends = 2026-11-01T00:00:00Z" + rest),
            "2: the key 'ends' must be later than 'opens'");
  EXPECT_EQ(trouble("ends = 2026-12-01T00:00:00Z\nfreeze = 2026-12-02T00:00:00Z" + rest),
            "1: the key 'ends' must be later than 'freeze'");
  EXPECT_EQ(trouble("freeze = 2026-12-02T00:00:00Z\nreveal = 2026-12-01T00:00:00Z" + rest),
            "2: the key 'reveal' must be later than 'freeze'");
  EXPECT_EQ(trouble("reveal = 2026-12-01T00:00:00Z" + rest),
            "1: the key 'reveal' ends a freeze, so the key 'freeze' must say when that begins");
  EXPECT_EQ(trouble("freeze = 2026-12-01" + rest).find("1: the key 'freeze' must be a date with its time"), 0U);
  EXPECT_EQ(trouble("entries_a_day = 3" + rest),
            "1: the key 'entries_a_day' needs 'opens' or 'ends', whose time zone says when a day begins");
  for (const char* const wrong : {"0", "-1", "2.5", "100000"})
    EXPECT_EQ(trouble(std::string("entries_a_day = ") + wrong + rest),
              "1: the key 'entries_a_day' must be a whole number from 1 to 1000");
  EXPECT_EQ(trouble("final = 1" + rest), "1: the key 'final' must be a whole number from 2 to 32");
  EXPECT_EQ(trouble("profile = \"b200\"" + rest),
            "1: the times of scan are modelled on the profile h200, not on 'b200'");
  EXPECT_EQ(trouble("device = \"NVIDIA H200\"\nprofile = \"h200\"" + rest).find("2: there is a 'device'"), 0U);
  EXPECT_EQ(
      trouble(std::string(kScan) + "[[ghost]]\nname = \"x\"\nfile = \"none.json\"\n").find("6: there is no file "), 0U);
  put("last.json", "{}");
  const std::string ghost = "[[ghost]]\nname = \"x\"\nfile = \"last.json\"\n";
  EXPECT_EQ(trouble(kScan + ghost + ghost), "8: there are two ghosts named 'x'");
}

TEST_F(CompetitionFile, ANewOneIsUnderstoodForEveryTaskWithAllThatItSuggests) {
  put("clarity.csv", "id,points\n");
  put("last-year.json", "{}");
  const std::regex suggestion("(^|\n)# ([a-z_]+ = |\\[)");
  const std::regex device("\ndevice = [^\n]*");
  std::size_t tasks = 0;
  for (const LabSelection& lab : labs())
    for (const TaskFile& task : lab.file.tasks) {
      ++tasks;
      const std::string text = new_competition({"", &lab.file, task.name, kMondayMorning});
      const auto competition = read(text);
      ASSERT_TRUE(competition) << competition.sentence() << "\n" << text;
      EXPECT_EQ(competition->tasks.at(0).task, task.name);
      EXPECT_EQ(competition->opens, kMondayMorning);
      const std::string all = std::regex_replace(text, suggestion, "$1$2");
      const auto with_all = read(std::regex_replace(all, device, ""));
      ASSERT_TRUE(with_all) << with_all.sentence() << "\n" << all;
      EXPECT_EQ(with_all->ghosts.size(), 1U);
      EXPECT_FALSE(with_all->weights.is_time_alone());
      EXPECT_EQ(with_all->profile, lab.file.profile);
    }
  EXPECT_GT(tasks, 10U);
}

// The clocks go back on 25 October 2026.
TEST_F(CompetitionFile, ANewOneLastsThreeWeeksOfTheCalendarHere) {
  const char* const before = std::getenv("TZ");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
  tzset();
  const std::int64_t opens = next_monday(kMondayMorning + 60);
  const std::string text = new_competition({"", &labs().front().file, labs().front().file.tasks.front().name, opens});
  before == nullptr ? unsetenv("TZ") : setenv("TZ", kept.c_str(), 1);
  tzset();
  EXPECT_NE(text.find("opens = 2026-10-19T08:00:00+02:00"), std::string::npos) << text;
  EXPECT_NE(text.find("ends = 2026-11-08T23:59:00+01:00"), std::string::npos) << text;
  EXPECT_NE(text.find("freeze = 2026-11-05T23:59:00+01:00"), std::string::npos) << text;
}

TEST_F(CompetitionFile, SaysAllThatMayBeSaid) {
  put("clarity.csv", "Id;Points\nada;10\nbob;2.5\ncem;\n");
  const auto competition = read(
      "title = \"x\"\ncount = \"best\"\nclarity = \"clarity.csv\"\n[weights]\ntime = 8\ncorrectness = 1\nclarity = 1\n"
      "[[task]]\nlab = \"scan\"\ncases = [\"race\"]\n[[task]]\nlab = \"vecadd\"\ntask = \"vec_add_device\"\n");
  ASSERT_TRUE(competition) << competition.sentence();
  EXPECT_EQ(competition->counted, CountedAttempt::kBest);
  EXPECT_EQ(competition->weights.time, 8);
  EXPECT_EQ(competition->weights.clarity, 1);
  EXPECT_EQ(competition->tasks.at(0).race_cases, std::vector<std::string>{"race"});
  EXPECT_EQ(competition->tasks.at(1).task, "vec_add_device");
  EXPECT_EQ(competition->clarity, (std::map<std::string, double>{{"ada", 1}, {"bob", 0.25}}));
}

TEST_F(CompetitionFile, WhatMakesNoSenseIsSaidWithItsLine) {
  EXPECT_NE(trouble("[[task]]\nlab = \"scan\"\n").find("the key 'title' is missing"), std::string::npos);
  EXPECT_NE(trouble("title = \"x\"\n").find("there is no [[task]]"), std::string::npos);
  EXPECT_EQ(
      trouble("title = \"x\"\n[[task]]\nlab = \"skan\"\n").find("3: there is no lab 'skan'; did you mean 'scan'?"), 0U);
  EXPECT_EQ(trouble("title = \"x\"\n[[task]]\nlab = \"reduction\"\n").find("2: the lab reduction has several tasks"),
            0U);
  EXPECT_EQ(trouble(std::string(kScan) + "task = \"sort\"\n").find("4: the lab scan has no task 'sort'"), 0U);
  EXPECT_EQ(trouble(std::string(kScan) + "cases = [\"eight\"]\n").find("4: 'eight' is not a race case"), 0U);
  EXPECT_EQ(trouble(std::string(kScan) + "cases = []\n").find("4: "), 0U);
  EXPECT_EQ(trouble(std::string(kScan) + "cases = [\"race\", \"race\"]\n").find("4: the case 'race' is named twice"),
            0U);
  EXPECT_EQ(
      trouble(std::string(kScan) + "[[task]]\nlab = \"scan\"\n").find("5: the task inclusive_scan is named twice"), 0U);
  EXPECT_EQ(trouble(std::string("count = \"first\"\n") + kScan).find("1: 'first' cannot be counted"), 0U);
  EXPECT_EQ(trouble(std::string(kScan) + "[weights]\ntime = 0\n").find("5: the key 'time' must be above 0"), 0U);
  EXPECT_EQ(trouble(std::string(kScan) + "[weights]\ntime = 1\nclarity = -1\n").find("6: "), 0U);
  EXPECT_NE(trouble(std::string(kScan) + "[weights]\ntime = 1\nclarity = 1\n").find("clarity has a weight"),
            std::string::npos);
  EXPECT_EQ(trouble(std::string("clarity = \"none.csv\"\n") + kScan).find("1: "), 0U);
}

TEST_F(CompetitionFile, PointsForClarityOutOfRangeAreSaidWithTheirLine) {
  for (const char* const points : {"11", "-1", "ten", "nan", "1e400"}) {
    put("clarity.csv", std::string("id,points\nada,") + points + "\n");
    EXPECT_NE(trouble(std::string("clarity = \"clarity.csv\"\n") + kScan).find("clarity.csv:2: "), std::string::npos)
        << points;
  }
  put("clarity.csv", "id,points\nada,1\nada,2\n");
  EXPECT_NE(trouble(std::string("clarity = \"clarity.csv\"\n") + kScan).find("3: 'ada' already has points"),
            std::string::npos);
  put("clarity.csv", "name,points\nada,1\n");
  EXPECT_NE(trouble(std::string("clarity = \"clarity.csv\"\n") + kScan).find("there is no column 'id'"),
            std::string::npos);
}

TEST_F(CompetitionFile, ModelledCasesHaveTheMarksThatBenchWrote) {
  auto competition = read("title = \"x\"\n[[task]]\nlab = \"matmul\"\n");
  ASSERT_TRUE(competition) << competition.sentence();
  const auto cases = modelled_cases(*competition, labs(), LANEWISE_SOLUTIONS_FOLDER, "nvcc");
  ASSERT_TRUE(cases) << cases.sentence();
  ASSERT_EQ(cases->size(), 1U);
  const std::vector<BoardMark>& marks = cases->at(0).marks;
  EXPECT_TRUE(std::any_of(marks.begin(), marks.end(), [](const BoardMark& mark) {
    return mark.kind == MarkKind::kNaive && mark.name == "1_naive.cu" && mark.ratio > 1.2;
  }));
  EXPECT_TRUE(std::is_sorted(marks.begin(), marks.end(),
                             [](const BoardMark& a, const BoardMark& b) { return a.ratio > b.ratio; }));
  EXPECT_GT(cases->at(0).reference_milliseconds, 0);
  const auto count = [&marks](MarkKind kind) {
    return std::count_if(marks.begin(), marks.end(), [kind](const BoardMark& mark) { return mark.kind == kind; });
  };
  EXPECT_EQ(count(MarkKind::kReference), 1);
  EXPECT_GE(count(MarkKind::kStep), 3) << "the ladder is modelled at the same case";
  const auto without = modelled_cases(*competition, labs(), "/nonexistent", "nvcc");
  ASSERT_TRUE(without) << "speed.toml is the lab's";
  EXPECT_EQ(without->at(0).marks.size(), 2U);
  competition->tasks[0].modelled_case.clear();
  EXPECT_FALSE(modelled_cases(*competition, labs(), LANEWISE_SOLUTIONS_FOLDER, "nvcc"));
}

}  // namespace
}  // namespace lanewise::board_test
