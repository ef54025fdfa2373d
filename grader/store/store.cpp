// Store over SQLite: one connection behind one mutex. Storing takes a disk write and a sync, some milliseconds; grading
// takes seconds.
#include "grader/store/store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>

#include "grader/store/folder_lock.h"
#include "grader/store/schema.h"
#include "grader/store/store_failure.h"
#include "harness/runner/descriptor.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDatabase = "grades.db";
constexpr const char* kLock = "grades.lock";
// An sqlite3 shell may write for a moment; a transaction left open there has to be ended by its user.
constexpr int kPatienceMilliseconds = 10'000;

// Text as text, so that people can query it in an sqlite3 shell; as a blob if it has a zero byte. The same bytes are
// always stored in the same way, so that equal means equal bytes.
void bind(SQLite::Statement& statement, int place, const std::string& bytes) {
  if (bytes.find('\0') == std::string::npos)
    statement.bindNoCopy(place, bytes);
  else
    statement.bindNoCopy(place, bytes.data(), static_cast<int>(bytes.size()));
}
void bind(SQLite::Statement& statement, int place, std::int64_t value) { statement.bind(place, value); }
void bind(SQLite::Statement& statement, int place, double value) { statement.bind(place, value); }

// `values` outlive the statement: texts are not copied.
template <class... Values>
SQLite::Statement prepare(SQLite::Database& database, const char* sql, const Values&... values) {
  SQLite::Statement statement(database, sql);
  int place = 0;
  (bind(statement, ++place, values), ...);
  return statement;
}

// SQLite syncs a file's contents; its name, and its folder's, reach the disk when their parent folders are synced.
void sync_folder(const fs::path& folder) {
  const Descriptor handle(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (handle) fsync(handle.get());  // what cannot be synced is on a file system that does not need it
}

class SqliteStore final : public Store {
 public:
  SqliteStore(fs::path file, FolderLock lock, std::unique_ptr<SQLite::Database> database)
      : file_(std::move(file)), lock_(std::move(lock)), database_(std::move(database)) {}

  Expected<std::int64_t> begin_run(const std::string& terms) override {
    return guarded([&]() -> Expected<std::int64_t> {
      prepare(*database_, "INSERT INTO runs (started, terms) VALUES (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?)", terms)
          .exec();
      return static_cast<std::int64_t>(database_->getLastInsertRowid());
    });
  }

  std::optional<Failure> finish_run(std::int64_t run, const std::vector<StoredScore>& scores) override {
    for (const StoredScore& score : scores)
      if (!std::isfinite(score.points) || !std::isfinite(score.out_of))
        return Failure{fmt::format("{} accepts no score that is not a number: {} has {} of {} for {}", file_.string(),
                                   score.student, score.points, score.out_of, score.lab)};
    return guarded([&]() -> std::optional<Failure> {
      SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
      if (auto failure = closed(run)) return failure;
      for (const StoredScore& score : scores)
        prepare(*database_,
                "INSERT INTO scores (run, hand_in, student, came_from, submitted, points, out_of, is_counted, "
                "explanation) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                run, hand_in(run, score.lab, score.content), score.student, score.came_from, score.submitted,
                score.points, score.out_of, std::int64_t{score.is_counted}, score.explanation)
            .exec();
      prepare(*database_, "UPDATE runs SET finished = strftime('%Y-%m-%dT%H:%M:%SZ', 'now') WHERE number = ?", run)
          .exec();
      transaction.commit();
      return std::nullopt;
    });
  }

  Expected<std::optional<StoredVerdict>> find(const StoredKey& key) override {
    return find_as_of(std::numeric_limits<std::int64_t>::max(), key);
  }

  Expected<std::optional<StoredVerdict>> find_as_of(std::int64_t run, const StoredKey& key) override {
    return guarded([&]() -> Expected<std::optional<StoredVerdict>> {
      SQLite::Statement query =
          prepare(*database_,
                  "SELECT verdict FROM observations JOIN hand_ins ON hand_ins.number = hand_in WHERE lab = ? AND "
                  "content = ? AND observations.terms = ? AND observations.run <= ? AND trouble = '' AND verdict <> '' "
                  "ORDER BY observations.number DESC LIMIT 1",
                  key.lab, key.content, key.terms, run);
      if (!query.executeStep()) return std::optional<StoredVerdict>();
      return std::optional(StoredVerdict{query.getColumn(0).getString(), ""});
    });
  }

  Expected<std::optional<StoredVerdict>> find_under(const std::string& lab, const std::string& content,
                                                    const std::string& start) override {
    return guarded([&]() -> Expected<std::optional<StoredVerdict>> {
      SQLite::Statement query = prepare(
          *database_,
          "SELECT verdict FROM observations JOIN hand_ins ON hand_ins.number = hand_in WHERE lab = ?1 AND content = ?2 "
          "AND substr(observations.terms, 1, length(?3)) = ?3 AND trouble = '' AND verdict <> '' "
          "ORDER BY observations.number DESC LIMIT 1",
          lab, content, start);
      if (!query.executeStep()) return std::optional<StoredVerdict>();
      return std::optional(StoredVerdict{query.getColumn(0).getString(), ""});
    });
  }

  std::optional<Failure> keep(std::int64_t run, const StoredKey& key, const StoredVerdict& verdict) override {
    return guarded([&]() -> std::optional<Failure> {
      SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
      if (auto failure = closed(run)) return failure;
      prepare(*database_,
              "INSERT INTO observations (run, hand_in, kept, terms, verdict, trouble) "
              "VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?, ?, ?)",
              run, hand_in(run, key.lab, key.content), key.terms, verdict.json, verdict.trouble)
          .exec();
      transaction.commit();
      return std::nullopt;
    });
  }

  std::optional<Failure> keep_marks(std::int64_t run, const std::vector<StoredMark>& marks) override {
    for (const StoredMark& mark : marks)
      if (!std::isfinite(mark.points) || !std::isfinite(mark.out_of))
        return Failure{fmt::format("{} accepts no mark that is not a number: {} has one for {} of {}", file_.string(),
                                   mark.student, mark.question, mark.lab)};
    return guarded([&]() -> std::optional<Failure> {
      SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
      if (auto failure = closed(run)) return failure;
      for (const StoredMark& mark : marks)
        prepare(*database_,
                "INSERT INTO marks (run, student, lab, question, answer, points, out_of, remark) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                run, mark.student, mark.lab, mark.question, mark.answer, mark.points, mark.out_of, mark.remark)
            .exec();
      transaction.commit();
      return std::nullopt;
    });
  }

  Expected<std::vector<StoredMark>> marks(std::int64_t run) override {
    return guarded([&]() -> Expected<std::vector<StoredMark>> {
      std::vector<StoredMark> marks;
      SQLite::Statement query = prepare(*database_,
                                        "SELECT student, lab, question, answer, points, out_of, remark FROM marks "
                                        "WHERE number IN (SELECT max(number) FROM marks WHERE run <= ? "
                                        "GROUP BY student, lab, question, answer) ORDER BY number",
                                        run);
      while (query.executeStep())
        marks.push_back({query.getColumn(0).getString(), query.getColumn(1).getString(), query.getColumn(2).getString(),
                         query.getColumn(3).getString(), query.getColumn(4).getDouble(), query.getColumn(5).getDouble(),
                         query.getColumn(6).getString()});
      return marks;
    });
  }

  std::optional<Failure> keep_class(std::int64_t run, const std::string& json) override {
    return guarded([&]() -> std::optional<Failure> {
      SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
      if (auto failure = closed(run)) return failure;
      prepare(*database_,
              "INSERT INTO classes (run, class) SELECT ?1, ?2 WHERE ?2 IS NOT "
              "(SELECT class FROM classes ORDER BY number DESC LIMIT 1)",
              run, json)
          .exec();
      transaction.commit();
      return std::nullopt;
    });
  }

  Expected<std::optional<StoredClass>> finished_class() override {
    return guarded([&]() -> Expected<std::optional<StoredClass>> {
      SQLite::Statement query(*database_,
                              "SELECT number, started, finished, terms, (SELECT class FROM classes WHERE run <= "
                              "runs.number ORDER BY classes.number DESC LIMIT 1) FROM runs WHERE finished IS NOT NULL "
                              "ORDER BY number DESC LIMIT 1");
      if (!query.executeStep()) return std::optional<StoredClass>();
      return std::optional(StoredClass{run_of(query), query.getColumn(4).getString()});
    });
  }

  Expected<std::vector<StoredRun>> runs() override {
    return guarded([&]() -> Expected<std::vector<StoredRun>> {
      std::vector<StoredRun> runs;
      SQLite::Statement query(*database_, "SELECT number, started, finished, terms FROM runs ORDER BY number");
      while (query.executeStep()) runs.push_back(run_of(query));
      return runs;
    });
  }

  Expected<std::vector<StoredScore>> scores(std::int64_t run) override {
    return guarded([&]() -> Expected<std::vector<StoredScore>> {
      std::vector<StoredScore> scores;
      SQLite::Statement query =
          prepare(*database_,
                  "SELECT student, lab, content, came_from, submitted, points, out_of, is_counted, explanation "
                  "FROM scores JOIN hand_ins ON hand_ins.number = hand_in WHERE scores.run = ? ORDER BY scores.number",
                  run);
      while (query.executeStep())
        scores.push_back({query.getColumn(0).getString(), query.getColumn(1).getString(),
                          query.getColumn(2).getString(), query.getColumn(3).getString(), query.getColumn(4).getInt64(),
                          query.getColumn(5).getDouble(), query.getColumn(6).getDouble(),
                          query.getColumn(7).getInt() != 0, query.getColumn(8).getString()});
      return scores;
    });
  }

 private:
  static StoredRun run_of(SQLite::Statement& query) {
    return {query.getColumn(0).getInt64(), query.getColumn(1).getString(), query.getColumn(2).getString(),
            query.getColumn(3).getString()};
  }

  // A transaction that `work` leaves unfinished, by an exception or a failure, is rolled back.
  template <class Work>
  auto guarded(const Work& work) -> decltype(work()) {
    const std::lock_guard<std::mutex> alone(mutex_);
    try {
      return work();
    } catch (const SQLite::Exception& error) {
      return store_failure(file_, error.getExtendedErrorCode(), error.what());
    }
  }

  // Why nothing can be added to this run.
  std::optional<Failure> closed(std::int64_t run) {
    SQLite::Statement query = prepare(*database_, "SELECT finished FROM runs WHERE number = ?", run);
    if (!query.executeStep()) return Failure{fmt::format("{} has no run {}", file_.string(), run)};
    if (query.getColumn(0).isNull()) return std::nullopt;
    return Failure{fmt::format("run {} of {} is complete: nothing can be added to it", run, file_.string())};
  }

  // The number of a submission, which is stored with its first verdict or score.
  std::int64_t hand_in(std::int64_t run, const std::string& lab, const std::string& content) {
    SQLite::Statement query =
        prepare(*database_, "SELECT number FROM hand_ins WHERE content = ? AND lab = ?", content, lab);
    if (query.executeStep()) return query.getColumn(0).getInt64();
    prepare(*database_, "INSERT INTO hand_ins (run, lab, content) VALUES (?, ?, ?)", run, lab, content).exec();
    return static_cast<std::int64_t>(database_->getLastInsertRowid());
  }

  const fs::path file_;
  const FolderLock lock_;  // outlives the connection
  const std::unique_ptr<SQLite::Database> database_;
  std::mutex mutex_;
};

// What is in the way of a database of that name; nothing if there is no file.
std::optional<Failure> obstacle(const fs::path& folder, const fs::path& file) {
  std::error_code error;
  const fs::file_status above = fs::status(folder, error);
  if (above.type() == fs::file_type::not_found)
    return Failure{fmt::format("the output folder {} does not exist: create it, or choose another", folder.string())};
  if (fs::exists(above) && !fs::is_directory(above))
    return Failure{fmt::format("{} is not a folder: choose another output folder", folder.string())};
  const fs::file_status status = fs::status(file, error);
  if (fs::is_directory(status))
    return Failure{fmt::format("{} is a folder, but must be a file: move it away, or choose another output folder",
                               file.string())};
  if (fs::exists(status) && !fs::is_regular_file(status))
    return Failure{
        fmt::format("{} is not a regular file: move it away, or choose another output folder", file.string())};
  // SQLite adds "-journal" to the name.
  const std::size_t most = static_cast<std::size_t>(sqlite3_vfs_find(nullptr)->mxPathname) - sizeof "-journal";
  if (fs::absolute(file, error).string().size() > most)
    return Failure{
        fmt::format("{} has a path of more than {} bytes, which SQLite cannot open: choose another output folder",
                    file.string(), most)};
  return std::nullopt;
}

Expected<std::unique_ptr<SQLite::Database>> open_database(const fs::path& folder, const fs::path& file) {
  // Absolute: SQLite takes a path that starts with "file:" for an address.
  auto database = std::make_unique<SQLite::Database>(
      fs::absolute(file).string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kPatienceMilliseconds);
  // A file that is not writable is silently opened for reading.
  if (sqlite3_db_readonly(database->getHandle(), "main") != 0) return store_failure(file, SQLITE_READONLY, "");
  database->exec("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;");
  const auto is_made = has_tables(*database, file);
  if (!is_made) return is_made.failure();
  if (database->execAndGet("PRAGMA journal_mode = WAL").getString() != "wal")
    return Failure{
        fmt::format("{} is on a file system that cannot share memory between programs, which SQLite's write-ahead log "
                    "needs: choose an output folder on a local disk",
                    file.string())};
  if (*is_made) {
    add_new_tables(*database);
    return database;
  }
  make_tables(*database);
  sync_folder(folder);
  sync_folder(fs::absolute(folder).parent_path());
  return database;
}

}  // namespace

Expected<std::unique_ptr<Store>> Store::open(const fs::path& folder) {
  const fs::path file = folder / kDatabase;
  if (auto failure = obstacle(folder, file)) return *failure;
  auto lock = FolderLock::take(folder / kLock, file.string());
  if (!lock) return lock.failure();
  try {
    auto database = open_database(folder, file);
    if (!database) return database.failure();
    return std::unique_ptr<Store>(std::make_unique<SqliteStore>(file, std::move(*lock), std::move(*database)));
  } catch (const SQLite::Exception& error) {
    return store_failure(file, error.getExtendedErrorCode(), error.what());
  }
}

}  // namespace lanewise
