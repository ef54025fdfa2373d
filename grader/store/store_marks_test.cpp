// Marks given by hand and who was in the class: appended, the newest counts, and files of version 1 take them too.
#include <cmath>

#include "grader/store/store_fixture_test.h"

namespace lanewise::store_test {
namespace {

class StoreMarks : public StoreInAFolder {
 protected:
  static StoredMark mark(const std::string& student, const std::string& answer, double points) {
    return {student, "scan", "why", answer, points, 4, "remark"};
  }
  // "ada/x:3 bob/x:1", as they stand up to that run.
  static std::string marks(Store& store, std::int64_t run) {
    const auto kept = store.marks(run);
    if (!kept) return kept.sentence();
    std::string text;
    for (const StoredMark& each : *kept)
      text += (text.empty() ? "" : " ") + each.student + "/" + each.answer + ":" +
              std::to_string(static_cast<int>(each.points));
    return text;
  }
};

TEST_F(StoreMarks, NewestOfAnAnswerCountsAndEarlierRunsKeepTheirs) {
  {
    const auto store = open();
    ASSERT_EQ(*store->begin_run(""), 1);
    EXPECT_FALSE(store->keep_marks(1, {mark("ada", "x", 3), mark("bob", "x", 1)}));
    EXPECT_FALSE(store->finish_run(1, {}));
    ASSERT_EQ(*store->begin_run(""), 2);
    EXPECT_FALSE(store->keep_marks(2, {mark("ada", "x", 4), mark("ada", "y", 2)}));
  }
  const auto store = open();
  EXPECT_EQ(marks(*store, 0), "");
  EXPECT_EQ(marks(*store, 1), "ada/x:3 bob/x:1");
  EXPECT_EQ(marks(*store, 2), "bob/x:1 ada/x:4 ada/y:2");
}

TEST_F(StoreMarks, AnyBytesComeBackAsTheyWere) {
  const auto store = open();
  store->begin_run("");
  StoredMark odd = mark("'; DROP TABLE marks; --", "x", 0.1 + 0.2);
  odd.remark = std::string("a\0\xff\x1b[31m", 8);
  ASSERT_FALSE(store->keep_marks(1, {odd}));
  const StoredMark got = store->marks(1)->at(0);
  EXPECT_EQ(got.student, odd.student);
  EXPECT_EQ(got.lab, odd.lab);
  EXPECT_EQ(got.question, odd.question);
  EXPECT_EQ(got.points, odd.points);
  EXPECT_EQ(got.out_of, 4);
  EXPECT_EQ(got.remark, odd.remark);
}

TEST_F(StoreMarks, AllOrNoneAndOnlyInAnOpenRun) {
  const auto store = open();
  store->begin_run("");
  const auto failure = store->keep_marks(1, {mark("ada", "x", 1), mark("bob", "x", std::nan(""))});
  ASSERT_TRUE(failure);
  EXPECT_NE(failure->sentence.find("accepts no mark that is not a number: bob has one for why of scan"),
            std::string::npos);
  EXPECT_EQ(marks(*store, 1), "");
  ASSERT_FALSE(store->finish_run(1, {}));
  EXPECT_TRUE(store->keep_marks(1, {mark("ada", "x", 1)}));
  EXPECT_TRUE(store->keep_class(1, "{}"));
  EXPECT_TRUE(store->keep_marks(7, {mark("ada", "x", 1)})) << "there is no such run";
  EXPECT_EQ(marks(*store, 9), "");
}

TEST_F(StoreMarks, ClassIsThatOfTheNewestRunThatEnded) {
  const auto store = open();
  EXPECT_FALSE(*store->finished_class());
  store->begin_run("first");
  ASSERT_FALSE(store->keep_class(1, "two people"));
  EXPECT_FALSE(*store->finished_class()) << "it has not ended";
  ASSERT_FALSE(store->finish_run(1, {}));
  store->begin_run("cut off");
  ASSERT_FALSE(store->keep_class(2, "three people"));
  EXPECT_EQ((*store->finished_class())->json, "two people");
  store->begin_run("as before");
  ASSERT_FALSE(store->keep_class(3, "two people"));
  ASSERT_FALSE(store->finish_run(3, {}));
  store->begin_run("once more");
  ASSERT_FALSE(store->keep_class(4, "two people"));
  ASSERT_FALSE(store->finish_run(4, {}));
  const auto found = store->finished_class();
  EXPECT_EQ((*found)->json, "two people");
  EXPECT_EQ((*found)->run.number, 4);
  EXPECT_EQ((*found)->run.terms, "once more");
  SQLite::Database database(file().string());
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM classes").getInt(), 3) << "equal ones side by side are one";
}

TEST_F(StoreMarks, FileOfVersionOneTakesThemAndKeepsItsRows) {
  {
    const auto store = open();
    store->begin_run("old");
    ASSERT_FALSE(store->keep(1, {"scan", "content", "terms"}, {"{}", ""}));
    ASSERT_FALSE(store->finish_run(1, {{"ada", "scan", "content", "", 0, 3, 4, true, ""}}));
  }
  ASSERT_EQ(run_sql("DROP TABLE marks; DROP TABLE classes; PRAGMA user_version = 1"), "");
  for (int i = 0; i < 2; ++i) {  // the second time nothing is left to do
    const auto store = open();
    ASSERT_TRUE(store);
    EXPECT_EQ(store->scores(1)->size(), 1U);
    EXPECT_EQ((*store->finished_class())->json, "") << "no class was kept then";
    const auto run = store->begin_run("new");
    EXPECT_FALSE(store->keep_marks(*run, {mark("ada", "x", i)}));
    EXPECT_EQ(marks(*store, *run), "ada/x:" + std::to_string(i));
  }
}

TEST_F(StoreMarks, RowsAreNeverChangedRemovedOrReplacedBySlips) {
  {
    const auto store = open();
    store->begin_run("");
    ASSERT_FALSE(store->keep_marks(1, {mark("ada", "x", 1)}));
    ASSERT_FALSE(store->keep_class(1, "people"));
  }
  EXPECT_EQ(run_sql("DELETE FROM marks"), "marks are added and never removed");
  EXPECT_EQ(run_sql("UPDATE marks SET points = 4"), "marks are added and never changed");
  EXPECT_EQ(run_sql("REPLACE INTO marks VALUES (1, 1, 'ada', 'scan', 'why', 'x', 4, 4, '')"),
            "marks are added and never replaced");
  EXPECT_EQ(run_sql("DELETE FROM classes"), "classes are added and never removed");
  EXPECT_EQ(run_sql("UPDATE classes SET class = ''"), "classes are added and never changed");
  EXPECT_EQ(marks(*open(), 1), "ada/x:1");
}

}  // namespace
}  // namespace lanewise::store_test
