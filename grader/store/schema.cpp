// grades.db as SQL. README.md documents the tables.
#include "grader/store/schema.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <string>

#include "grader/store/store_failure.h"

namespace lanewise {
namespace {

// "Lane" in ASCII: identifies our files (PRAGMA application_id).
constexpr int kApplication = 0x4c616e65;

// STRICT: numbers are numbers. ANY is for data from outside: text, or a blob if it contains a zero byte, where SQLite's
// functions would end a text.
constexpr const char* kTables = R"(
CREATE TABLE runs (
  number INTEGER PRIMARY KEY CHECK (number > 0),
  started TEXT NOT NULL,
  finished TEXT,
  terms ANY NOT NULL
) STRICT;

CREATE TABLE hand_ins (
  number INTEGER PRIMARY KEY CHECK (number > 0),
  run INTEGER NOT NULL REFERENCES runs,
  lab ANY NOT NULL,
  content ANY NOT NULL,
  UNIQUE (content, lab)
) STRICT;

CREATE TABLE observations (
  number INTEGER PRIMARY KEY CHECK (number > 0),
  run INTEGER NOT NULL REFERENCES runs,
  hand_in INTEGER NOT NULL REFERENCES hand_ins,
  kept TEXT NOT NULL,
  terms ANY NOT NULL,
  verdict ANY NOT NULL,
  trouble ANY NOT NULL
) STRICT;
CREATE INDEX observations_of_hand_in ON observations (hand_in, terms);

CREATE TABLE scores (
  number INTEGER PRIMARY KEY CHECK (number > 0),
  run INTEGER NOT NULL REFERENCES runs,
  hand_in INTEGER NOT NULL REFERENCES hand_ins,
  student ANY NOT NULL,
  came_from ANY NOT NULL,
  submitted INTEGER NOT NULL,
  points REAL NOT NULL,
  out_of REAL NOT NULL,
  is_counted INTEGER NOT NULL CHECK (is_counted IN (0, 1)),
  explanation ANY NOT NULL
) STRICT;
CREATE INDEX scores_of_run ON scores (run);
CREATE INDEX scores_of_student ON scores (student);

)";

// Of version 2.
constexpr const char* kMarksAndClasses = R"(
CREATE TABLE marks (
  number INTEGER PRIMARY KEY CHECK (number > 0),
  run INTEGER NOT NULL REFERENCES runs,
  student ANY NOT NULL,
  lab ANY NOT NULL,
  question ANY NOT NULL,
  answer ANY NOT NULL,
  points REAL NOT NULL,
  out_of REAL NOT NULL,
  remark ANY NOT NULL
) STRICT;
CREATE INDEX marks_of_answer ON marks (student, lab, question, answer);

CREATE TABLE classes (
  number INTEGER PRIMARY KEY CHECK (number > 0),
  run INTEGER NOT NULL REFERENCES runs,
  class ANY NOT NULL
) STRICT;
)";

constexpr const char* kGuards = R"(
CREATE TRIGGER runs_end_once BEFORE UPDATE ON runs
WHEN old.finished IS NOT NULL OR new.finished IS NULL
  OR (new.number, new.started, new.terms) IS NOT (old.number, old.started, old.terms)
BEGIN SELECT RAISE(ABORT, 'a run is never changed: only its end is written, once'); END;

CREATE TRIGGER hand_ins_are_kept_once BEFORE INSERT ON hand_ins
WHEN EXISTS (SELECT 1 FROM hand_ins WHERE content = new.content AND lab = new.lab)
BEGIN SELECT RAISE(ABORT, 'this hand-in is kept already'); END;
)";

// A run's end is the only field that is ever updated.
constexpr const char* kNeverChanged = R"(
CREATE TRIGGER {0}_are_never_changed BEFORE UPDATE ON {0}
BEGIN SELECT RAISE(ABORT, '{0} are added and never changed'); END;
)";

constexpr const char* kOfAnOpenRun = R"(
CREATE TRIGGER {0}_are_of_an_open_run BEFORE INSERT ON {0}
WHEN (SELECT finished FROM runs WHERE number = new.run) IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'the run has come to its end: nothing is added to it'); END;
)";

// Without the second, REPLACE would delete the old row without asking the first.
constexpr const char* kNeverRemoved = R"(
CREATE TRIGGER {0}_are_never_removed BEFORE DELETE ON {0}
BEGIN SELECT RAISE(ABORT, '{0} are added and never removed'); END;

CREATE TRIGGER {0}_are_never_replaced BEFORE INSERT ON {0}
WHEN EXISTS (SELECT 1 FROM {0} WHERE number = new.number)
BEGIN SELECT RAISE(ABORT, '{0} are added and never replaced'); END;
)";

int number(SQLite::Database& database, const std::string& sql) { return database.execAndGet(sql).getInt(); }

void guard(SQLite::Database& database, const char* table) {
  database.exec(fmt::format(kNeverRemoved, table));
  if (table == std::string("runs")) return;
  database.exec(fmt::format(kNeverChanged, table));
  database.exec(fmt::format(kOfAnOpenRun, table));
}

void add_marks_and_classes(SQLite::Database& database) {
  database.exec(kMarksAndClasses);
  for (const char* const table : {"marks", "classes"}) guard(database, table);
  database.exec(fmt::format("PRAGMA user_version = {};", kStoreVersion));
}

}  // namespace

void make_tables(SQLite::Database& database) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  database.exec(kTables);
  database.exec(kGuards);
  for (const char* const table : {"runs", "hand_ins", "observations", "scores"}) guard(database, table);
  add_marks_and_classes(database);
  database.exec(fmt::format("PRAGMA application_id = {};", kApplication));
  transaction.commit();
}

void add_new_tables(SQLite::Database& database) {
  if (number(database, "PRAGMA user_version") >= kStoreVersion) return;
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  add_marks_and_classes(database);
  transaction.commit();
}

Expected<bool> has_tables(SQLite::Database& database, const std::filesystem::path& file) {
  const int application = number(database, "PRAGMA application_id");
  const int version = number(database, "PRAGMA user_version");
  if (application == 0 && version == 0 && number(database, "SELECT count(*) FROM sqlite_schema") == 0) return false;
  if (application != kApplication) return foreign_store(file);
  if (version > kStoreVersion)
    return Failure{
        fmt::format("{} is from a newer lanewise (its tables have version {}, this one supports {}): use that one, or "
                    "choose another output folder",
                    file.string(), version, kStoreVersion)};
  // Checked before anything is added: a row missing from its index would be graded twice.
  const std::string found = database.execAndGet("PRAGMA integrity_check(1)").getString();
  if (found != "ok") return damaged_store(file, found);
  SQLite::Statement strays(database, "PRAGMA foreign_key_check");
  if (strays.executeStep()) return damaged_store(file, "a row of " + strays.getColumn(0).getString() + " has no match");
  return true;
}

}  // namespace lanewise
