// One connection behind one mutex. A commit waits for the disk, everything else takes microseconds.
#include "grader/server/server_store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "grader/store/store_failure.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDatabase = "server.db";
constexpr int kPatienceMilliseconds = 10'000;
constexpr std::int64_t kDay = 86'400;

// "LaSe" in ASCII: identifies our files (PRAGMA application_id).
constexpr int kApplication = 0x4c615365;
constexpr int kVersion = 1;

// `turn` and `position` are a submission's place in the order: turns count rounds in which each student is served once.
constexpr const char* kTables = R"(
CREATE TABLE people (
  id TEXT PRIMARY KEY,
  is_instructor INTEGER NOT NULL CHECK (is_instructor IN (0, 1)),
  token TEXT UNIQUE
) STRICT;

CREATE TABLE sessions (
  digest TEXT PRIMARY KEY,
  person TEXT NOT NULL REFERENCES people,
  expires INTEGER NOT NULL
) STRICT;

CREATE TABLE submissions (
  number INTEGER PRIMARY KEY CHECK (number > 0),
  ticket TEXT NOT NULL UNIQUE,
  student TEXT NOT NULL,
  lab TEXT NOT NULL,
  key TEXT NOT NULL,
  content TEXT NOT NULL,
  received INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  position INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'grading', 'done', 'failed', 'replaced')),
  replaced_by TEXT NOT NULL DEFAULT '',
  is_fresh INTEGER NOT NULL DEFAULT 0,
  started INTEGER NOT NULL DEFAULT 0,
  finished INTEGER NOT NULL DEFAULT 0,
  verdict TEXT NOT NULL DEFAULT '',
  trouble TEXT NOT NULL DEFAULT '',
  terms TEXT NOT NULL DEFAULT '',
  pictures TEXT NOT NULL DEFAULT '',
  points REAL NOT NULL DEFAULT 0,
  max_points REAL NOT NULL DEFAULT 0,
  reference_ms REAL NOT NULL DEFAULT 0,
  UNIQUE (student, key)
) STRICT;
CREATE INDEX submissions_in_order ON submissions (state, turn, position);
CREATE INDEX submissions_of_student ON submissions (student, lab);
CREATE INDEX submissions_by_content ON submissions (content, lab);

CREATE TABLE queue (turn INTEGER NOT NULL, is_paused INTEGER NOT NULL) STRICT;
INSERT INTO queue VALUES (0, 0);
)";

constexpr const char* kColumns =
    "number, ticket, student, lab, key, content, received, state, replaced_by, is_fresh, started, finished, trouble, "
    "terms, pictures, points, max_points, reference_ms";

constexpr std::array kNames = {"waiting", "grading", "done", "failed", "replaced"};

void bind_value(SQLite::Statement& statement, int place, const std::string& text) { statement.bind(place, text); }
void bind_value(SQLite::Statement& statement, int place, std::int64_t number) { statement.bind(place, number); }
void bind_value(SQLite::Statement& statement, int place, double number) { statement.bind(place, number); }

template <class... Values>
SQLite::Statement query(SQLite::Database& database, const std::string& sql, const Values&... values) {
  SQLite::Statement statement(database, sql);
  int place = 0;
  (bind_value(statement, ++place, values), ...);
  return statement;
}

Ticket ticket_of(SQLite::Statement& row) {
  Ticket ticket;
  ticket.number = row.getColumn(0).getInt64();
  ticket.sent = {row.getColumn(1).getString(), row.getColumn(2).getString(), row.getColumn(3).getString(),
                 row.getColumn(4).getString(), row.getColumn(5).getString(), row.getColumn(6).getInt64()};
  const std::string state = row.getColumn(7).getString();
  ticket.state = static_cast<TicketState>(std::find(kNames.begin(), kNames.end(), state) - kNames.begin());
  ticket.replaced_by = row.getColumn(8).getString();
  ticket.is_fresh = row.getColumn(9).getInt() != 0;
  ticket.started = row.getColumn(10).getInt64();
  ticket.finished = row.getColumn(11).getInt64();
  ticket.outcome.trouble = row.getColumn(12).getString();
  ticket.outcome.terms = row.getColumn(13).getString();
  ticket.outcome.pictures = row.getColumn(14).getString();
  ticket.outcome.points = row.getColumn(15).getDouble();
  ticket.outcome.max_points = row.getColumn(16).getDouble();
  ticket.outcome.reference_ms = row.getColumn(17).getDouble();
  return ticket;
}

std::int64_t number_in(SQLite::Statement statement) {
  return statement.executeStep() ? statement.getColumn(0).getInt64() : 0;
}

std::vector<Ticket> all_of(SQLite::Statement statement) {
  std::vector<Ticket> tickets;
  while (statement.executeStep()) tickets.push_back(ticket_of(statement));
  return tickets;
}

std::optional<Ticket> first_of(SQLite::Statement statement) {
  if (!statement.executeStep()) return std::nullopt;
  return ticket_of(statement);
}

std::optional<Person> person_of(SQLite::Statement statement) {
  if (!statement.executeStep()) return std::nullopt;
  return Person{statement.getColumn(0).getString(), statement.getColumn(1).getInt() != 0};
}

// Seconds until one more is accepted; 0: now.
std::int64_t seconds_to_wait(SQLite::Database& database, const NewSubmission& sent, int entries_a_day) {
  SQLite::Statement recent = query(database,
                                   "SELECT received FROM submissions WHERE student = ? AND lab = ? AND received > ? "
                                   "ORDER BY received DESC LIMIT 1 OFFSET ?",
                                   sent.student, sent.lab, sent.received - kDay, std::int64_t{entries_a_day} - 1);
  if (!recent.executeStep()) return 0;
  return std::max<std::int64_t>(1, recent.getColumn(0).getInt64() + kDay - sent.received);
}

}  // namespace

const char* name_of(TicketState state) { return kNames.at(static_cast<std::size_t>(state)); }

struct ServerStore::State {
  fs::path file;
  std::unique_ptr<SQLite::Database> database;
  std::mutex mutex;

  // A transaction that `work` leaves unfinished is rolled back.
  template <class Work>
  auto guarded(const Work& work) -> decltype(work(*database)) {
    const std::lock_guard<std::mutex> alone(mutex);
    try {
      return work(*database);
    } catch (const SQLite::Exception& error) {
      return store_failure(file, error.getExtendedErrorCode(), error.what());
    }
  }

  template <class... Values>
  std::optional<Failure> change(const char* sql, const Values&... values) {
    return guarded([&](SQLite::Database& at) -> std::optional<Failure> {
      query(at, sql, values...).exec();
      return std::nullopt;
    });
  }
};

ServerStore::ServerStore(std::unique_ptr<State> state) : state_(std::move(state)) {}
ServerStore::~ServerStore() = default;

Expected<std::unique_ptr<ServerStore>> ServerStore::open(const fs::path& folder) {
  auto state = std::make_unique<State>();
  state->file = folder / kDatabase;
  try {
    state->database = std::make_unique<SQLite::Database>(
        state->file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kPatienceMilliseconds);
    SQLite::Database& database = *state->database;
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::EXCLUSIVE);
    const int application = database.execAndGet("PRAGMA application_id").getInt();
    const int tables = database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt();
    if (application != kApplication && (application != 0 || tables != 0)) return foreign_store(state->file);
    if (application == 0) {
      database.exec(kTables);
      database.exec(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, kVersion));
    }
    if (const int version = database.execAndGet("PRAGMA user_version").getInt(); version != kVersion)
      return Failure{fmt::format("{} is of version {}, which this lanewise does not know: use a newer one",
                                 state->file.string(), version)};
    transaction.commit();
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
    database.exec("DELETE FROM sessions WHERE expires <= CAST(strftime('%s', 'now') AS INTEGER)");
  } catch (const SQLite::Exception& error) {
    return store_failure(state->file, error.getExtendedErrorCode(), error.what());
  }
  std::error_code ignored;
  fs::permissions(state->file, fs::perms::owner_read | fs::perms::owner_write, ignored);
  return std::unique_ptr<ServerStore>(new ServerStore(std::move(state)));
}

// --- people

std::optional<Failure> ServerStore::keep_token(const Person& person, const std::string& digest) {
  return state_->change(
      "INSERT INTO people (id, is_instructor, token) VALUES (?1, ?2, ?3) "
      "ON CONFLICT (id) DO UPDATE SET is_instructor = ?2, token = ?3",
      person.id, std::int64_t{person.is_instructor}, digest);
}

Expected<bool> ServerStore::revoke_token(const std::string& id) {
  return state_->guarded([&](SQLite::Database& at) -> Expected<bool> {
    SQLite::Transaction transaction(at, SQLite::TransactionBehavior::IMMEDIATE);
    query(at, "DELETE FROM sessions WHERE person = ?", id).exec();
    const bool had_one = query(at, "UPDATE people SET token = NULL WHERE id = ? AND token IS NOT NULL", id).exec() > 0;
    transaction.commit();
    return had_one;
  });
}

Expected<bool> ServerStore::has_token(const std::string& id) {
  return state_->guarded([&](SQLite::Database& at) -> Expected<bool> {
    return number_in(query(at, "SELECT count(*) FROM people WHERE id = ? AND token IS NOT NULL", id)) > 0;
  });
}

Expected<std::optional<Person>> ServerStore::person_with_token(const std::string& digest) {
  return state_->guarded([&](SQLite::Database& at) -> Expected<std::optional<Person>> {
    return person_of(query(at, "SELECT id, is_instructor FROM people WHERE token = ?", digest));
  });
}

std::optional<Failure> ServerStore::begin_session(const std::string& id, const std::string& digest,
                                                  std::int64_t expires) {
  return state_->change("INSERT INTO sessions (digest, person, expires) VALUES (?, ?, ?)", digest, id, expires);
}

Expected<std::optional<Person>> ServerStore::person_in_session(const std::string& digest, std::int64_t now) {
  return state_->guarded([&](SQLite::Database& at) -> Expected<std::optional<Person>> {
    return person_of(query(at,
                           "SELECT id, is_instructor FROM sessions JOIN people ON people.id = person "
                           "WHERE digest = ? AND expires > ? AND token IS NOT NULL",
                           digest, now));
  });
}

std::optional<Failure> ServerStore::end_session(const std::string& digest) {
  return state_->change("DELETE FROM sessions WHERE digest = ?", digest);
}

// --- submissions

Expected<Receipt> ServerStore::add(const NewSubmission& sent, int entries_a_day) {
  return state_->guarded([&](SQLite::Database& at) -> Expected<Receipt> {
    SQLite::Transaction transaction(at, SQLite::TransactionBehavior::IMMEDIATE);
    if (SQLite::Statement known =
            query(at, "SELECT ticket FROM submissions WHERE student = ? AND key = ?", sent.student, sent.key);
        known.executeStep())
      return Receipt{known.getColumn(0).getString(), true, 0};
    if (const std::int64_t wait = seconds_to_wait(at, sent, entries_a_day); wait > 0) return Receipt{"", false, wait};

    std::int64_t position = number_in(query(at, "SELECT ifnull(max(position), 0) + 1 FROM submissions"));
    std::int64_t turn = std::max(number_in(query(at, "SELECT turn FROM queue")),
                                 number_in(query(at,
                                                 "SELECT ifnull(max(turn), -1) + 1 FROM submissions WHERE student = ? "
                                                 "AND state <> 'replaced'",
                                                 sent.student)));
    SQLite::Statement older = query(at,
                                    "SELECT number, turn, position FROM submissions WHERE student = ? AND lab = ? AND "
                                    "state = 'waiting' AND finished = 0",
                                    sent.student, sent.lab);
    if (older.executeStep()) {
      turn = older.getColumn(1).getInt64();
      position = older.getColumn(2).getInt64();
      query(at, "UPDATE submissions SET state = 'replaced', replaced_by = ? WHERE number = ?", sent.ticket,
            older.getColumn(0).getInt64())
          .exec();
    }
    query(at,
          "INSERT INTO submissions (ticket, student, lab, key, content, received, turn, position, state) "
          "VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting')",
          sent.ticket, sent.student, sent.lab, sent.key, sent.content, sent.received, turn, position)
        .exec();
    transaction.commit();
    return Receipt{sent.ticket, false, 0};
  });
}

Expected<std::optional<std::string>> ServerStore::ticket_for(const std::string& student, const std::string& key) {
  return state_->guarded([&](SQLite::Database& at) -> Expected<std::optional<std::string>> {
    SQLite::Statement known = query(at, "SELECT ticket FROM submissions WHERE student = ? AND key = ?", student, key);
    if (!known.executeStep()) return std::optional<std::string>();
    return std::optional(known.getColumn(0).getString());
  });
}

Expected<std::optional<Ticket>> ServerStore::find(const std::string& ticket) {
  return state_->guarded([&](SQLite::Database& at) -> Expected<std::optional<Ticket>> {
    return first_of(query(at, fmt::format("SELECT {} FROM submissions WHERE ticket = ?", kColumns), ticket));
  });
}

Expected<std::string> ServerStore::verdict(const std::string& ticket) {
  return state_->guarded([&](SQLite::Database& at) -> Expected<std::string> {
    SQLite::Statement found = query(at, "SELECT verdict FROM submissions WHERE ticket = ?", ticket);
    return found.executeStep() ? found.getColumn(0).getString() : "";
  });
}

Expected<std::int64_t> ServerStore::place(const std::string& ticket) {
  return state_->guarded([&](SQLite::Database& at) -> Expected<std::int64_t> {
    return number_in(query(at,
                           "SELECT count(*) FROM submissions AS other, submissions AS mine WHERE mine.ticket = ? AND "
                           "mine.state = 'waiting' AND other.state = 'waiting' AND "
                           "(other.turn, other.position) <= (mine.turn, mine.position)",
                           ticket));
  });
}

Expected<std::vector<Ticket>> ServerStore::tickets_of(const std::string& student, std::size_t most) {
  return state_->guarded([&](SQLite::Database& at) -> Expected<std::vector<Ticket>> {
    return all_of(
        query(at, fmt::format("SELECT {} FROM submissions WHERE student = ? ORDER BY number DESC LIMIT ?", kColumns),
              student, static_cast<std::int64_t>(most)));
  });
}

Expected<std::vector<Ticket>> ServerStore::tickets(std::size_t most) {
  return state_->guarded([&](SQLite::Database& at) -> Expected<std::vector<Ticket>> {
    return all_of(query(at, fmt::format("SELECT {} FROM submissions ORDER BY number DESC LIMIT ?", kColumns),
                        static_cast<std::int64_t>(most)));
  });
}

Expected<std::vector<Ticket>> ServerStore::queue(std::size_t most) {
  return state_->guarded([&](SQLite::Database& at) -> Expected<std::vector<Ticket>> {
    return all_of(query(at,
                        fmt::format("SELECT {} FROM submissions WHERE state IN ('grading', 'waiting') "
                                    "ORDER BY state, turn, position LIMIT ?",
                                    kColumns),
                        static_cast<std::int64_t>(most)));
  });
}

Expected<std::vector<std::string>> ServerStore::all_tickets() {
  return state_->guarded([&](SQLite::Database& at) -> Expected<std::vector<std::string>> {
    std::vector<std::string> tickets;
    SQLite::Statement all(at, "SELECT ticket FROM submissions");
    while (all.executeStep()) tickets.push_back(all.getColumn(0).getString());
    return tickets;
  });
}

// --- grading

Expected<std::optional<Ticket>> ServerStore::take_next(std::int64_t now) {
  return state_->guarded([&](SQLite::Database& at) -> Expected<std::optional<Ticket>> {
    if (number_in(query(at, "SELECT is_paused FROM queue")) != 0) return std::optional<Ticket>();
    SQLite::Transaction transaction(at, SQLite::TransactionBehavior::IMMEDIATE);
    auto next = first_of(query(
        at,
        fmt::format("SELECT {} FROM submissions WHERE state = 'waiting' ORDER BY turn, position LIMIT 1", kColumns)));
    if (!next) return next;
    query(at, "UPDATE submissions SET state = 'grading', started = ? WHERE number = ?", now, next->number).exec();
    query(at, "UPDATE queue SET turn = max(turn, (SELECT turn FROM submissions WHERE number = ?))", next->number)
        .exec();
    transaction.commit();
    next->state = TicketState::kGrading;
    next->started = now;
    return next;
  });
}

// A submission that cannot be graded again keeps its earlier verdict.
std::optional<Failure> ServerStore::finish(const std::string& ticket, const Outcome& outcome, std::int64_t now) {
  if (outcome.verdict.empty())
    return state_->change(
        "UPDATE submissions SET state = 'failed', is_fresh = 0, finished = ?, trouble = ? "
        "WHERE ticket = ? AND state = 'grading'",
        now, outcome.trouble, ticket);
  return state_->change(
      "UPDATE submissions SET state = 'done', is_fresh = 0, finished = ?, verdict = ?, trouble = '', terms = ?, "
      "pictures = ?, points = ?, max_points = ?, reference_ms = ? WHERE ticket = ? AND state = 'grading'",
      now, outcome.verdict, outcome.terms, outcome.pictures, outcome.points, outcome.max_points, outcome.reference_ms,
      ticket);
}

Expected<int> ServerStore::requeue_unfinished() {
  return state_->guarded([&](SQLite::Database& at) -> Expected<int> {
    return query(at, "UPDATE submissions SET state = 'waiting' WHERE state = 'grading'").exec();
  });
}

Expected<bool> ServerStore::regrade(const std::string& ticket) {
  return state_->guarded([&](SQLite::Database& at) -> Expected<bool> {
    return query(at,
                 "UPDATE submissions SET state = 'waiting', is_fresh = 1, turn = (SELECT turn FROM queue) "
                 "WHERE ticket = ? AND state IN ('done', 'failed')",
                 ticket)
               .exec() > 0;
  });
}

Expected<std::optional<Outcome>> ServerStore::known_outcome(const std::string& lab, const std::string& content,
                                                            const std::string& terms) {
  return state_->guarded([&](SQLite::Database& at) -> Expected<std::optional<Outcome>> {
    SQLite::Statement found =
        query(at,
              fmt::format(
                  "SELECT {}, verdict FROM submissions WHERE lab = ? AND content = ? AND terms = ? AND state = 'done' "
                  "ORDER BY finished DESC LIMIT 1",
                  kColumns),
              lab, content, terms);
    if (!found.executeStep()) return std::optional<Outcome>();
    Outcome outcome = ticket_of(found).outcome;
    outcome.verdict = found.getColumn(18).getString();
    return std::optional(std::move(outcome));
  });
}

std::optional<Failure> ServerStore::set_paused(bool is_paused) {
  return state_->change("UPDATE queue SET is_paused = ?", std::int64_t{is_paused});
}

Expected<bool> ServerStore::is_paused() {
  return state_->guarded(
      [&](SQLite::Database& at) -> Expected<bool> { return number_in(query(at, "SELECT is_paused FROM queue")) != 0; });
}

}  // namespace lanewise
