// What names say, and what they can never say once they are made safe.
#include "grader/class/file_names.h"

#include <gtest/gtest.h>

#include "grader/class/known_sources.h"
#include "grader/class/roster.h"

namespace lanewise::class_test {
namespace {

TEST(FileNames, OfCanvas) {
  const auto name = platform_name("doejane_LATE_501_67890_scan-1.cu");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->person, "doejane");
  EXPECT_EQ(name->number, "501");
  EXPECT_TRUE(name->is_late);
  EXPECT_TRUE(name->is_canvas);
  EXPECT_EQ(name->rest, "scan-1.cu");
  EXPECT_EQ(platform_name("doejane_501_67890_my_scan_2.cu")->rest, "my_scan_2.cu");
  EXPECT_FALSE(platform_name("doejane_501_67890_x.cu")->is_late);
}

TEST(FileNames, OfMoodle) {
  const auto folder = platform_name("Jane van Doe_4711_assignsubmission_file_");
  ASSERT_TRUE(folder);
  EXPECT_EQ(folder->person, "Jane van Doe");
  EXPECT_EQ(folder->number, "4711");
  EXPECT_EQ(folder->rest, "");
  EXPECT_FALSE(folder->is_canvas);
  EXPECT_EQ(platform_name("Jane_Doe_4711_assignsubmission_file")->person, "Jane_Doe");
  EXPECT_EQ(platform_name("Jane Doe_4711_assignsubmission_file_scan.cu")->rest, "scan.cu");
}

TEST(FileNames, OfNoPlatform) {
  for (const char* name :
       {"", "_", "____", "alice_scan.cu", "alice_1_2_", "_1_2_x.cu", "a_1_x_b.cu", "a_LATE_1_b.cu", "a_b_1_2_c.cu",
        "_assignsubmission_file_", "_4711_assignsubmission_file_", "Jane_x_assignsubmission_file_",
        "Jane_1_assignsubmission_files", "a_111111111111111111111_2_c.cu"}) {
    EXPECT_FALSE(platform_name(name)) << name;
  }
}

TEST(FileNames, KindsByEndingInAnyCase) {
  EXPECT_EQ(work_kind("Scan.CU"), WorkKind::kSource);
  EXPECT_EQ(work_kind("ANSWERS.toml"), WorkKind::kAnswers);
  EXPECT_EQ(work_kind("a.tar.gz"), WorkKind::kArchive);
  EXPECT_EQ(work_kind("a.ZIP"), WorkKind::kArchive);
  EXPECT_EQ(work_kind("a.7z"), WorkKind::kForeignArchive);
  EXPECT_EQ(work_kind("scan.cu.gz"), WorkKind::kForeignArchive);
  EXPECT_EQ(work_kind("._scan.cu"), WorkKind::kOfTheFileManager);
  EXPECT_EQ(work_kind("__MACOSX"), WorkKind::kOfTheFileManager);
  for (const char* name : {"scan.cuh", "cu", ".cu", "scan.cu~", "a.out", ".hidden.cu", "questions.toml"})
    EXPECT_EQ(work_kind(name), WorkKind::kOther) << name;
}

TEST(FileNames, MarksOfCopies) {
  EXPECT_EQ(copy_mark("scan-1").stem, "scan");
  EXPECT_EQ(copy_mark("scan-12").number, 12);
  EXPECT_EQ(copy_mark("scan (3)").stem, "scan");
  EXPECT_EQ(copy_mark("scan(3)").number, 3);
  for (const char* stem : {"scan", "-1", "(1)", "scan-", "scan-1234", "scan-x", "scan()", "scan 1", ""})
    EXPECT_EQ(copy_mark(stem).stem, stem);
}

TEST(FileNames, NumbersOfAttempts) {
  EXPECT_EQ(attempt_number("attempt_2"), 2);
  EXPECT_EQ(attempt_number("Attempt-10"), 10);
  EXPECT_EQ(attempt_number("try 3"), 3);
  EXPECT_EQ(attempt_number("submission4"), 4);
  for (const char* name : {"attempt", "attempts_2", "attempt_x", "attempt__2", "attempt_1234567", "scan_2", ""})
    EXPECT_EQ(attempt_number(name), 0) << name;
}

TEST(FileNames, WhateverItIsItBecomesSafe) {
  const std::string names[] = {"scan.cu",
                               "../../etc/passwd",
                               "/etc/passwd",
                               "..",
                               ".",
                               "",
                               "-rf.cu",
                               "a\nb.cu",
                               "\xff\xfe.cu",
                               std::string("\xe2\x80\xae") + "uc.nacs",
                               "\x1b[2J.cu",
                               "a\\b.cu",
                               "con:aux.cu",
                               std::string(300, 'x') + ".cu",
                               std::string(300, '.'),
                               "a." + std::string(300, 'y'),
                               "x.cu/",
                               "$(reboot).cu",
                               "a b;c|d.cu"};
  for (const std::string& name : names) {
    for (const std::string& safe : {safe_file_name(name), id_from_name(name), numbered_id_from_name(name)})
      EXPECT_TRUE(is_safe_id(safe)) << name << " became " << safe;
    const std::string folder = safe_folder_name(name);
    EXPECT_TRUE(is_safe_id(folder) && folder.find('.') == std::string::npos && folder.size() <= 32) << folder;
  }
  EXPECT_EQ(safe_file_name("scan.cu"), "scan.cu");
  EXPECT_EQ(safe_file_name(std::string(300, 'x') + ".cu").substr(61), ".cu");
}

TEST(FileNames, DifferentNamesMakeDifferentIds) {
  EXPECT_EQ(id_from_name("alice"), "alice");
  EXPECT_NE(id_from_name("al/ce"), id_from_name("al ce"));
  EXPECT_EQ(id_from_name("al ce"), id_from_name("al ce"));
  EXPECT_NE(id_from_name(std::string(100, 'a')), id_from_name(std::string(101, 'a')));
}

TEST(KnownSources, CopiesAreKnownByTheirNames) {
  const KnownSources known({"scan.cu", "vecadd.cu"});
  for (const char* name : {"scan.cu", "Scan.CU", "scan-1.cu", "scan (2).cu"}) EXPECT_EQ(known.source(name), "scan.cu");
  for (const char* name : {"scan", "scan.cuh", "myscan.cu", "scan_1.cu"}) EXPECT_FALSE(known.source(name));
  EXPECT_EQ(known.end_of_owner("mary_ann_scan"), 8U);
  EXPECT_FALSE(known.end_of_owner("_scan"));
}

}  // namespace
}  // namespace lanewise::class_test
