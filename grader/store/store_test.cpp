// What was kept is found again, and only that.
#include "grader/store/store.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <thread>

#include "grader/store/store_fixture_test.h"

namespace lanewise::store_test {
namespace {

using Stores = StoreInAFolder;

TEST_F(Stores, WhatWasKeptIsFoundAfterReopening) {
  {
    const auto store = open();
    EXPECT_EQ(found(*store, kKey), "nothing");
    const auto run = store->begin_run("{\"seed\":7}");
    ASSERT_TRUE(run) << run.sentence();
    EXPECT_EQ(*run, 1);
    EXPECT_FALSE(store->keep(*run, kKey, {"{\"points\":41.5}", ""}));
    EXPECT_EQ(found(*store, kKey), "{\"points\":41.5}");
  }
  EXPECT_EQ(found(*open(), kKey), "{\"points\":41.5}");
}

TEST_F(Stores, NewestVerdictIsFoundAndNoTroubleHidesIt) {
  const auto store = open();
  store->begin_run("");
  store->begin_run("");
  EXPECT_FALSE(store->keep(1, kKey, {"", "the compiler ran out of time"}));
  EXPECT_EQ(found(*store, kKey), "nothing") << "it is to be tried again";
  EXPECT_FALSE(store->keep(1, kKey, {"first", ""}));
  EXPECT_FALSE(store->keep(2, kKey, {"second", ""}));
  EXPECT_FALSE(store->keep(2, kKey, {"", "the disk is full"}));
  EXPECT_FALSE(store->keep(2, kKey, {"half of one", "the worker died"}));
  EXPECT_EQ(found(*store, kKey), "second");
}

TEST_F(Stores, AsOfARunIsNotWhatALaterOneKept) {
  const auto store = open();
  for (const char* const verdict : {"old", "new"}) {
    const auto run = store->begin_run("{}");
    ASSERT_TRUE(run) << run.sentence();
    ASSERT_FALSE(store->keep(*run, kKey, {verdict, ""}));
    ASSERT_FALSE(store->finish_run(*run, {score("ada")}));
  }
  EXPECT_EQ(store->find_as_of(1, kKey)->value().json, "old");
  EXPECT_EQ(store->find_as_of(2, kKey)->value().json, "new");
  EXPECT_FALSE(store->find_as_of(0, kKey)->has_value());
}

TEST_F(Stores, KeysAreComparedWholeByteForByte) {
  const std::string any_bytes("\0\xff\x1b[31m\n'; DROP TABLE runs; --", 29);
  const std::vector<StoredKey> keys = {
      kKey,
      {"scan", "c0ffee", "terms "},
      {"scan", "c0ffee", "Terms"},
      {"scan", "c0ffee", ""},
      {"scan", "c0ffe", "terms"},
      {"scan", "", "terms"},
      {"sca", "nc0ffee", "terms"},
      {"", "scanc0ffee", "terms"},
      {"", "", ""},
      {"scan", any_bytes, "terms"},
      {"scan", any_bytes.substr(0, 1), "terms"},  // a zero byte, where text would end
      {"scan", std::string("c0ffee\0", 7), "terms"},
      {"scan", std::string("c0ffee\0a", 8), "terms"},
      {"scan", std::string("c0ffee\0b", 8), "terms"},
      {"scan", "\xc3\xa9", "terms"},   // é
      {"scan", "e\xcc\x81", "terms"},  // é of two characters
      {"scan", "\xc3", "terms"},       // the half of one: no UTF-8
      {"scan", "7", "terms"},
      {"scan", "7.0", "terms"},
      {"scan", "07", "terms"},
      {any_bytes, any_bytes, any_bytes},
      {"scan", std::string(3 << 20, '7'), "terms"},
  };
  const auto store = open();
  store->begin_run("");
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(found(*store, keys[i]), "nothing") << i;
    EXPECT_FALSE(store->keep(1, keys[i], {std::to_string(i), ""})) << i;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(found(*store, keys[i]), std::to_string(i)) << i;
}

TEST_F(Stores, NewestVerdictUnderTermsThatBeginAlikeIsFound) {
  const auto store = open();
  store->begin_run("");
  const auto under = [&](const std::string& start) {
    const auto verdict = store->find_under("scan", "c0ffee", start);
    return verdict && *verdict ? (*verdict)->json : "nothing";
  };
  EXPECT_EQ(under("seen."), "nothing");
  EXPECT_FALSE(store->keep(1, {"scan", "c0ffee", "seen.old"}, {"first", ""}));
  EXPECT_FALSE(store->keep(1, {"scan", "c0ffee", "seen.new"}, {"second", ""}));
  EXPECT_FALSE(store->keep(1, {"scan", "c0ffee", "seen.newer"}, {"", "trouble"}));
  EXPECT_FALSE(store->keep(1, {"scan", "c0ffee", "seen"}, {"shorter", ""}));
  EXPECT_FALSE(store->keep(1, {"scan", "another", "seen.new"}, {"other work", ""}));
  EXPECT_FALSE(store->keep(1, {"merge", "c0ffee", "seen.new"}, {"other lab", ""}));
  EXPECT_EQ(under("seen."), "second");
  EXPECT_EQ(under("seen.o"), "first");
  EXPECT_EQ(under("%"), "nothing") << "no pattern";
}

TEST_F(Stores, RunsAndScoresComeBackAsTheyWere) {
  StoredScore odd = score("grace");
  odd.came_from = std::string("grace\n../\0\xff.cu", 14);
  odd.submitted = std::numeric_limits<std::int64_t>::min();
  odd.points = 0.1 + 0.2;
  odd.is_counted = false;
  odd.explanation = "";
  {
    const auto store = open();
    ASSERT_EQ(*store->begin_run("{\"seed\":1}"), 1);
    ASSERT_EQ(*store->begin_run("{\"seed\":2}"), 2);
    EXPECT_FALSE(store->finish_run(2, {score("ada"), odd, score("ada")}));
  }
  const auto store = open();
  const auto runs = store->runs();
  ASSERT_TRUE(runs) << runs.sentence();
  ASSERT_EQ(runs->size(), 2U);
  EXPECT_EQ((*runs)[0].number, 1);
  EXPECT_EQ((*runs)[0].terms, "{\"seed\":1}");
  EXPECT_EQ((*runs)[0].finished, "") << "it was cut off";
  EXPECT_EQ((*runs)[1].number, 2);
  for (const std::string& time : {(*runs)[0].started, (*runs)[1].finished}) {
    ASSERT_EQ(time.size(), std::string("2026-11-22T19:40:00Z").size());
    EXPECT_EQ(time.substr(0, 2) + time.substr(10, 1) + time.substr(19), "20TZ") << time;
  }
  EXPECT_TRUE(store->scores(1)->empty());
  const auto scores = store->scores(2);
  ASSERT_TRUE(scores) << scores.sentence();
  ASSERT_EQ(scores->size(), 3U);
  const StoredScore& got = (*scores)[1];
  EXPECT_EQ(got.student, "grace");
  EXPECT_EQ(got.lab, odd.lab);
  EXPECT_EQ(got.content, odd.content);
  EXPECT_EQ(got.came_from, odd.came_from);
  EXPECT_EQ(got.submitted, odd.submitted);
  EXPECT_EQ(got.points, odd.points);
  EXPECT_EQ(got.out_of, odd.out_of);
  EXPECT_FALSE(got.is_counted);
  EXPECT_TRUE((*scores)[0].is_counted);
  EXPECT_EQ((*scores)[0].explanation, "41.5 of 75");
  EXPECT_EQ(*store->begin_run(""), 3);
}

TEST_F(Stores, EndedRunTakesNoMore) {
  fill();
  const auto store = open();
  const std::string ended = "run 1 of " + file().string() + " is complete: nothing can be added to it";
  const auto kept = store->keep(1, {"scan", "new", "terms"}, {"{}", ""});
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->sentence, ended);
  const auto finished = store->finish_run(1, {score("grace")});
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->sentence, ended);
  const auto unknown = store->keep(2, kKey, {"{}", ""});
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->sentence, file().string() + " has no run 2");
  EXPECT_EQ(store->scores(1)->size(), 1U);
  EXPECT_EQ(found(*store, {"scan", "new", "terms"}), "nothing");
}

TEST_F(Stores, ScoresOfARunAreWrittenAllOrNone) {
  const auto store = open();
  store->begin_run("");
  StoredScore impossible = score("grace");
  impossible.points = std::nan("");
  const auto failure = store->finish_run(1, {score("ada"), impossible});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->sentence,
            file().string() + " accepts no score that is not a number: grace has nan of 75 for scan");
  EXPECT_TRUE(store->scores(1)->empty());
  EXPECT_EQ(store->runs()->front().finished, "");
  EXPECT_FALSE(store->finish_run(1, {score("ada")}));
  EXPECT_EQ(store->scores(1)->size(), 1U);
}

// Guards against slips of whoever has an sqlite3 shell open; who means to can always edit a file of their own.
TEST_F(Stores, RowsAreNeverChangedRemovedOrReplacedBySlips) {
  fill();
  ASSERT_EQ(*open()->begin_run(""), 2);  // not ended: only the rows themselves are in the way
  const auto content = [&] {
    SQLite::Database database(file().string());
    std::string text;
    for (const char* const table : {"runs", "hand_ins", "observations", "scores"}) {
      SQLite::Statement rows(database, fmt::format("SELECT * FROM {}", table));
      while (rows.executeStep())
        for (int i = 0; i < rows.getColumnCount(); ++i) text += rows.getColumn(i).getString() + "|";
    }
    return text;
  };
  const std::string before = content();
  ASSERT_FALSE(before.empty());
  const std::vector<std::pair<std::string, std::string>> slips = {
      {"DELETE FROM scores", "scores are added and never removed"},
      {"DELETE FROM observations", "observations are added and never removed"},
      {"DELETE FROM hand_ins", "hand_ins are added and never removed"},
      {"DELETE FROM runs", "runs are added and never removed"},
      {"UPDATE scores SET points = 75", "scores are added and never changed"},
      {"UPDATE observations SET verdict = ''", "observations are added and never changed"},
      {"UPDATE hand_ins SET content = ''", "hand_ins are added and never changed"},
      {"UPDATE runs SET terms = 'others'", "a run is never changed: only its end is written, once"},
      {"UPDATE runs SET finished = NULL", "a run is never changed: only its end is written, once"},
      {"UPDATE runs SET number = 2", "a run is never changed: only its end is written, once"},
      {"REPLACE INTO runs VALUES (1, 'now', NULL, '')", "runs are added and never replaced"},
      {"REPLACE INTO hand_ins VALUES (1, 1, 'scan', 'x')", "the run has come to its end: nothing is added to it"},
      {"REPLACE INTO hand_ins VALUES (1, 2, 'scan', 'x')", "hand_ins are added and never replaced"},
      {"REPLACE INTO hand_ins (run, lab, content) VALUES (2, 'scan', 'c0ffee')", "this hand-in is kept already"},
      {"REPLACE INTO observations VALUES (1, 2, 1, 'now', 'terms', 'x', '')",
       "observations are added and never replaced"},
      {"REPLACE INTO scores VALUES (1, 2, 1, 'ada', '', 0, 75, 75, 1, '')", "scores are added and never replaced"},
      {"INSERT INTO scores VALUES (2, 1, 1, 'ada', '', 0, 75, 75, 1, '')",
       "the run has come to its end: nothing is added to it"},
      {"INSERT INTO scores VALUES (2, 2, 1, 'ada', '', 0, 'many', 75, 1, '')",
       "cannot store TEXT value in REAL column scores.points"},
  };
  for (const auto& [sql, words] : slips) EXPECT_EQ(run_sql(sql), words) << sql;
  EXPECT_EQ(run_sql("PRAGMA foreign_keys = ON; INSERT INTO scores VALUES (2, 2, 9, 'ada', '', 0, 75, 75, 1, '')"),
            "FOREIGN KEY constraint failed");
  EXPECT_EQ(content(), before);
}

TEST_F(Stores, MayBeReadWhileItIsWritten) {
  const auto store = open();
  store->begin_run("");
  SQLite::Database reader(file().string());
  SQLite::Transaction snapshot(reader);
  EXPECT_EQ(reader.execAndGet("SELECT count(*) FROM observations").getInt(), 0);
  EXPECT_FALSE(store->keep(1, kKey, {"{}", ""}));
  EXPECT_EQ(reader.execAndGet("SELECT count(*) FROM observations").getInt(), 0);
  snapshot.commit();
  EXPECT_EQ(reader.execAndGet("SELECT count(*) FROM observations").getInt(), 1);
}

TEST_F(Stores, ManyThreadsKeepAndFindAsOne) {
  constexpr int kThreads = 8;  // more than cores, so that they are interrupted anywhere
  constexpr int kEach = 25;
  {
    const auto store = open();
    store->begin_run("");
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    std::vector<int> wrong(kThreads);
    for (int thread = 0; thread < kThreads; ++thread)
      threads.emplace_back([&, thread] {
        for (int i = 0; i < kEach; ++i) {
          // Half of the keys are everyone's, half are one's own.
          const StoredKey key{"scan", i % 2 == 0 ? fmt::format("{}", i) : fmt::format("{} {}", thread, i), "terms"};
          const std::string json = fmt::format("{} {}", thread, i);
          wrong[thread] += store->keep(1, key, {json, ""}).has_value();
          const std::string there = found(*store, key);
          wrong[thread] += i % 2 == 0 ? there.substr(there.find(' ')) != fmt::format(" {}", i) : there != json;
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<int>(kThreads));
  }
  SQLite::Database database(file().string());
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM observations").getInt(), kThreads * kEach);
  EXPECT_EQ(database.execAndGet("SELECT count(DISTINCT verdict) FROM observations").getInt(), kThreads * kEach);
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM hand_ins").getInt(), 13 + kThreads * 12);
}

}  // namespace
}  // namespace lanewise::store_test
