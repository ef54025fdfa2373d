// Every way in which classes hand in, and that each file ends with its student.
#include "grader/class/hand_ins.h"

#include "grader/class/class_fixture_test.h"

namespace lanewise::class_test {
namespace {

using Lines = std::vector<std::string>;

constexpr const char* kRoster =
    "id,name,login,number,email\n"
    "alice,\"Able, Alice\",aa1,501,al.able@uni.example\n"
    "bob,Bob Box,bb2,502,\n"
    "sam1,Sam Lee,s1,503,\n"
    "sam2,Lee Sam,s2,504,\n";

TEST_F(HandInsTest, AFolderAStudentWithItsFolders) {
  put("alice/scan/scan.cu", "A");
  put("alice/vecadd/vecadd.cu");
  put("alice/scan/answers.toml");
  put("bob/scan.cu", "B");
  collect();
  EXPECT_EQ(kept(), (Lines{"alice: scan/answers.toml scan/scan.cu vecadd/vecadd.cu", "bob: scan.cu"}));
  EXPECT_EQ(content(1, "scan.cu"), "B");
  EXPECT_EQ(found_.hand_ins[0].came_from, "alice");
  EXPECT_EQ(found_.hand_ins[0].submitted, 1'700'000'000);
  EXPECT_TRUE(aside().empty());
}

TEST_F(HandInsTest, AWrappingFolderIsLookedThrough) {
  put("download/scan submissions/alice/scan.cu");
  put("download/scan submissions/bob/scan.cu");
  collect();
  EXPECT_EQ(kept(), (Lines{"alice: scan.cu", "bob: scan.cu"}));
  EXPECT_EQ(found_.hand_ins[0].came_from, "download/scan submissions/alice");
}

TEST_F(HandInsTest, ALoneStudentIsNoWrapping) {
  put("alice/scan/scan.cu");
  collect();
  EXPECT_EQ(kept(), Lines{"alice: scan/scan.cu"});
}

TEST_F(HandInsTest, AFolderALabWithStudentsInside) {
  put("scan/alice/scan.cu");
  put("vecadd/alice/vecadd.cu");
  put("vecadd/bob/vecadd.cu");
  collect();
  EXPECT_EQ(kept(), (Lines{"alice: scan.cu", "alice: vecadd.cu", "bob: vecadd.cu"}));
}

TEST_F(HandInsTest, LooseFilesAreByWhatTheirNamesBeginWith) {
  put("alice.cu");
  put("bob_scan.cu");
  put("bob_vecadd.cu");
  put("bob_answers.toml");
  put("mary_ann_scan.cu");
  put("scan_carol.cu");
  collect();
  EXPECT_EQ(kept(),
            (Lines{"alice: alice.cu", "bob: answers.toml scan.cu vecadd.cu", "carol: scan.cu", "mary_ann: scan.cu"}));
}

TEST_F(HandInsTest, ANameOfALabAloneIsNobodys) {
  put("scan.cu");
  put("vecadd-1.cu");
  put("answers.toml");
  put("scan_answers.toml");
  collect();
  EXPECT_TRUE(kept().empty());
  const std::string why = ": it is unclear whose it is; put the student's id and a '_' before its name";
  EXPECT_EQ(aside(), (Lines{"answers.toml" + why, "scan.cu" + why, "scan_answers.toml" + why, "vecadd-1.cu" + why}));
}

TEST_F(HandInsTest, TheRosterFindsStudentsByWhateverIsKnown) {
  roster(kRoster);
  put("AA1/scan.cu");
  put("box bob/scan.cu");
  put("al.able_scan.cu");
  put("502.zip", "no archive");
  put("eve/scan.cu");
  collect();
  EXPECT_EQ(kept(), (Lines{"alice: scan.cu", "alice: scan.cu", "bob: scan.cu", "eve: scan.cu"}));
  ASSERT_EQ(found_.students.size(), 5U);
  EXPECT_EQ(found_.students[4].id, "eve");
  EXPECT_FALSE(found_.students[4].is_enrolled);
  EXPECT_TRUE(found_.students[0].is_enrolled);
  EXPECT_EQ(aside(), Lines{"502.zip: it is damaged, incomplete, or not a .zip, .tar or .tar.gz; ask for it again"});
}

TEST_F(HandInsTest, WhoMayBeMeantIsSaid) {
  roster(kRoster);
  put("Sam Lee/scan.cu");
  put("leesam_999_1_scan.cu");
  collect();
  EXPECT_TRUE(kept().empty());
  const std::string why =
      ": it may belong to any of 2 students: sam1 (Sam Lee) and sam2 (Lee Sam); replace the name with the right id";
  EXPECT_EQ(aside(), (Lines{"Sam Lee" + why, "leesam_999_1_scan.cu" + why}));
}

TEST_F(HandInsTest, CanvasWithLatenessAndResubmission) {
  roster(kRoster);
  put("ablealice_LATE_501_900_scan.cu", "first");
  put("ablealice_501_905_scan-1.cu", "second");
  put("boxbob_502_901_scan-2.cu");
  put("boxbob_502_902_answers-2.toml");
  put("newone_777_903_scan.cu");
  collect();
  EXPECT_EQ(kept(), (Lines{"alice: scan.cu", "alice: scan.cu", "bob: answers.toml scan.cu", "newone-777: scan.cu"}));
  EXPECT_EQ(content(0, "scan.cu"), "first");
  EXPECT_EQ(content(1, "scan.cu"), "second");
  EXPECT_TRUE(found_.hand_ins[0].is_marked_late);
  EXPECT_FALSE(found_.hand_ins[1].is_marked_late);
  EXPECT_EQ(found_.hand_ins[0].submitted, 0);  // Canvas's download says when it was downloaded
  EXPECT_EQ(found_.students.back().number, "777");
}

TEST_F(HandInsTest, MoodleFoldersAndFilesWithArchivesInside) {
  roster("Identifier,Full name,Email address\nParticipant 4711,Jane Doe,jd@x\nParticipant 4712,Jim Roe,jr@x\n");
  put("Jane Doe_4711_assignsubmission_file_/scan.cu");
  std::filesystem::create_directories(options_.input / "Jim Roe_4712_assignsubmission_file");
  pack(options_.input / "Jim Roe_4712_assignsubmission_file/work.zip", {{"work/scan.cu", "J"}});
  put("Jim Roe_4712_assignsubmission_file/answers.toml", "[answers]");
  put("Zo\xc3\xab X_9_assignsubmission_file_scan.cu");
  collect();
  EXPECT_EQ(kept(), (Lines{"4711: scan.cu", "4712: answers.toml work/scan.cu", "Zo___X-9: scan.cu"}));
  EXPECT_EQ(found_.hand_ins[1].came_from, "Jim Roe_4712_assignsubmission_file/work.zip");
  EXPECT_EQ(found_.students.back().name, "Zo\xc3\xab X");
}

TEST_F(HandInsTest, MoodleNumbersAnewSoTheNameComesFirst) {
  roster(
      "Identifier,Full name,Email address\nParticipant 4711,Jane Doe,jd@x\nParticipant 4712,Jim Roe,jr@x\n"
      "Participant 4713,Roe Jim,rj@x\n");
  put("Jane Doe_4712_assignsubmission_file_/scan.cu");       // not Jim Roe's
  put("Ann Other_4711_assignsubmission_file_/scan.cu");      // not Jane Doe's
  put("Jim Roe_4713_assignsubmission_file_/scan.cu");        // of the two of that name
  put("Participant_4712_assignsubmission_file_/vecadd.cu");  // marked blindly
  collect();
  EXPECT_EQ(kept(), (Lines{"4711: scan.cu", "4712: vecadd.cu", "4713: scan.cu", "Ann_Other-4711: scan.cu"}));
}

TEST_F(HandInsTest, EveryAttemptIsAHandInOfItsOwnInTheirOrder) {
  for (const char* number : {"1", "2", "10"}) put(std::string("alice/attempt_") + number + "/scan.cu", number);
  pack(options_.input / "bob/try2.zip", {{"scan.cu", "2"}});
  pack(options_.input / "bob/try1.zip", {{"scan.cu", "1"}});
  pack(options_.input / "carol.zip", {{"attempt-1/scan.cu", "1"}, {"attempt-2/scan.cu", "2"}});
  for (const char* name : {"bob/try1.zip", "bob/try2.zip", "carol.zip"}) set_time(options_.input / name, 1'700'000'000);
  collect();
  ASSERT_EQ(found_.hand_ins.size(), 7U);
  std::string order;
  for (std::size_t i = 0; i < found_.hand_ins.size(); ++i)
    order += found_.hand_ins[i].student.substr(0, 1) + content(i, "scan.cu") + " ";
  EXPECT_EQ(order, "a1 a2 a10 b1 b2 c1 c2 ");
  EXPECT_EQ(found_.hand_ins[6].came_from, "carol.zip/attempt-2");
}

TEST_F(HandInsTest, ArchivesOfEveryKindAlsoTheWholeClass) {
  pack(options_.input / "alice.zip", {{"scan.cu", "a"}});
  pack(options_.input / "bob.tar.gz", {{"x/scan.cu", "b"}});
  pack(options_.input / "carol.tgz", {{"scan.cu", "c"}});
  pack(options_.input / "dora.tar", {{"./scan.cu", "d"}});
  collect();
  EXPECT_EQ(kept(), (Lines{"alice: scan.cu", "bob: x/scan.cu", "carol: scan.cu", "dora: scan.cu"}));

  std::ifstream stream(options_.input / "alice.zip", std::ios::binary);
  const std::string inner{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  for (const char* name : {"class.zip", "class.tar.gz"}) {
    options_.input = scratch_.path() / "input" / name;
    pack(options_.input, {{"hw/alice.zip", inner}, {"hw/bob/scan.cu", "b"}, {"hw/carol_scan.cu", "c"}});
    collect();
    EXPECT_EQ(kept(), (Lines{"alice: scan.cu", "bob: scan.cu", "carol: scan.cu"})) << name;
  }
}

TEST_F(HandInsTest, WhatIsNotLookedAtIsSaidInOneLine) {
  put("alice/scan.cu");
  for (const char* name : {"a.out", "notes.pdf", "scan.cuh", "x/y.txt", ".git/config", ".git/HEAD", "q.o", "z"})
    put(std::string("alice/") + name);
  for (const char* name : {"__MACOSX/._scan.cu", ".DS_Store", "._scan.cu", "Thumbs.db"})
    put(std::string("alice/") + name);
  put("bob/scan.cu");
  put("bob/old.rar");
  put("readme.txt");
  put("carol/notes.txt");
  collect();
  EXPECT_EQ(kept(), (Lines{"alice: scan.cu", "bob: scan.cu"}));
  EXPECT_EQ(aside(),
            (Lines{".: 1 other file is ignored: readme.txt", "alice: 7 other files are ignored: .git, a.out and 5 more",
                   "bob: 1 archive is not unpacked (only .zip, .tar, .tar.gz and .tgz are): old.rar",
                   "carol: 1 other file is ignored: notes.txt", "carol: there is no .cu file in it"}));
}

TEST_F(HandInsTest, ACopyOfALabsFileGetsItsName) {
  put("alice/scan (1).cu");
  put("bob/scan.cu", "right");
  put("bob/scan (1).cu");
  collect();
  EXPECT_EQ(kept(), (Lines{"alice: scan.cu", "bob: scan.cu scan__1_.cu"}));
  EXPECT_EQ(content(1, "scan.cu"), "right");
}

TEST_F(HandInsTest, TheTimeIsThatOfTheFileAndOfAnArchiveNotOfItsInside) {
  put("alice/scan/scan.cu", "code", 1'700'000'100);
  put("alice/vecadd/vecadd.cu", "code", 1'700'000'200);
  pack(options_.input / "bob.zip", {{"scan.cu", "code"}});
  set_time(options_.input / "bob.zip", 1'700'000'300);
  collect();
  EXPECT_EQ(found_.hand_ins[0].submitted, 1'700'000'200);
  struct stat about = {};
  ASSERT_EQ(stat((found_.hand_ins[0].folder / "scan/scan.cu").c_str(), &about), 0);
  EXPECT_EQ(about.st_mtim.tv_sec, 1'700'000'100);
  EXPECT_EQ(found_.hand_ins[1].submitted, 1'700'000'300);
}

TEST_F(HandInsTest, TimesThatContradictTheAttemptsTellNothing) {
  put("alice/attempt_1/scan.cu", "1", 1'700'000'500);
  put("alice/attempt_2/scan.cu", "2", 1'700'000'100);
  collect();
  EXPECT_EQ(content(1, "scan.cu"), "2");
  EXPECT_EQ(found_.hand_ins[0].submitted, 0);
  EXPECT_EQ(found_.hand_ins[1].submitted, 0);
}

TEST_F(HandInsTest, SubmissionsCsvWins) {
  roster(kRoster);
  put("hw/alice/attempt_1/scan.cu");
  put("hw/alice/attempt_2/scan.cu");
  put("hw/bob.cu");
  put("hw/submissions.csv",
      "Student,Attempt,Submitted\naa1,2,2026-11-22T20:40:00+01:00\nbob,,2026-11-22T19:40:00Z\neve,,2026-11-22T19:40Z\n"
      "alice,7,2026-11-22T19:40Z\n");
  collect();
  ASSERT_EQ(found_.hand_ins.size(), 3U);
  EXPECT_EQ(found_.hand_ins[0].submitted, 1'700'000'000);
  EXPECT_EQ(found_.hand_ins[1].submitted, 1'795'376'400);
  EXPECT_EQ(found_.hand_ins[2].submitted, 1'795'376'400);
  EXPECT_EQ(aside(), (Lines{"hw/submissions.csv:4: 'eve' is not a student who submitted anything",
                            "hw/submissions.csv:5: alice submitted nothing named '7'"}));
}

TEST_F(HandInsTest, WhatIsWrongInSubmissionsCsvIsSaidWithItsLine) {
  put("alice/scan.cu");
  put("submissions.csv", "student,submitted\nalice,yesterday\n");
  EXPECT_EQ(failure(),
            "submissions.csv:2: 'yesterday' is not a date with a time; write it like 2026-11-22T23:59:00+01:00");
  put("submissions.csv", "student,submitted\nalice,2026-11-22T23:59\n");
  EXPECT_EQ(failure(),
            "submissions.csv:2: '2026-11-22T23:59' has no time zone; write 2026-11-22T23:59+01:00 (one "
            "hour ahead of UTC) or 2026-11-22T23:59Z (UTC)");
  put("submissions.csv", "student,when\n");
  EXPECT_EQ(failure(),
            "submissions.csv:1: there is no column \"submitted\"; the columns are student, file or attempt, submitted");
}

TEST_F(HandInsTest, WhatCannotBeReadAtAllIsAFailure) {
  const std::string input = options_.input.string();
  put("alice/scan.cu");
  put("broken.zip", "PK\x03\x04");
  options_.input = input + "/nothing";
  EXPECT_EQ(failure(), input + "/nothing: there is no such file or folder");
  options_.input = input + "/broken.zip";
  EXPECT_EQ(failure(),
            input + "/broken.zip: it is damaged, incomplete, or not a .zip, .tar or .tar.gz; ask for it again");
  options_.input = "/dev/null";
  EXPECT_EQ(failure(), "/dev/null: this is neither a folder nor a file");
  options_.input = input;
  options_.into = input + "/alice/copies";
  EXPECT_EQ(failure(), input + "/alice/copies: the copies would be among the submissions; name another folder");
  options_.into = "/proc/lanewise";
  EXPECT_EQ(failure().rfind("/proc/lanewise/.unpacked: the folder cannot be created (", 0), 0U) << failure();
  EXPECT_TRUE(std::filesystem::exists(input + "/alice/scan.cu"));
}

TEST_F(HandInsTest, TheSameAgainGivesTheSame) {
  put("alice/scan.cu", "first");
  pack(options_.input / "bob.zip", {{"scan.cu", "b"}});
  put("nobody knows/scan.cu");
  collect();
  const Lines first = kept();
  collect();
  EXPECT_EQ(kept(), first);
  put("alice/scan.cu", "second");
  collect();
  EXPECT_EQ(content(0, "scan.cu"), "second");
}

TEST_F(HandInsTest, NothingHandedInIsNothing) {
  roster(kRoster);
  EXPECT_TRUE(collect().hand_ins.empty());
  EXPECT_EQ(found_.students.size(), 4U);
  EXPECT_TRUE(aside().empty());
}

TEST_F(HandInsTest, TheRosterMayLieAmongWhatWasHandedIn) {
  put("roster.csv", kRoster);
  options_.roster = options_.input / "roster.csv";
  put("bb2_scan.cu");
  collect();
  EXPECT_EQ(kept(), Lines{"bob: scan.cu"});
  EXPECT_TRUE(aside().empty());
}

}  // namespace
}  // namespace lanewise::class_test
