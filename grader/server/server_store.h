// server.db: people, their submissions and the outcomes. An acknowledged change survives a power cut.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/lab/failure.h"

namespace SQLite {
class Database;
}

namespace lanewise {

enum class TicketState : std::uint8_t {
  kWaiting,
  kGrading,
  kDone,
  kFailed,    ///< could not be graded, through no fault of the submission
  kReplaced,  ///< by a newer one of the same student for the same lab, before it was graded
};

/// As in the database and in answers to clients: "waiting", ...
const char* name_of(TicketState state);

/// The sender of a request.
struct Person {
  std::string id;
  bool is_instructor = false;
};

/// A submission as received. Times are seconds since 1970 in UTC.
struct NewSubmission {
  std::string ticket;   ///< unguessable; also the name of the folder with its files
  std::string student;  ///< id
  std::string lab;      ///< id
  std::string key;      ///< chosen by the client: a second submission with the same key is the first one, sent again
  std::string content;  ///< digest of source and answers
  std::int64_t received = 0;
};

/// The outcome of grading a submission.
struct Outcome {
  std::string verdict;   ///< json_report() of one verdict; empty if it could not be graded
  std::string trouble;   ///< why
  std::string terms;     ///< digest of what it was graded under
  std::string pictures;  ///< the ticket whose folder holds the verdict's pictures
  double points = 0;
  double max_points = 0;
  double reference_ms = 0;  ///< the reference's time, measured in turn with it; 0: not timed
};

struct Ticket {
  std::int64_t number = 0;
  NewSubmission sent;
  TicketState state = TicketState::kWaiting;
  std::string replaced_by;
  bool is_fresh = false;      ///< to be graded even if the verdict of an equal submission is known
  std::int64_t started = 0;   ///< 0: not yet
  std::int64_t finished = 0;  ///< likewise
  Outcome outcome;            ///< without its verdict
};

/// The store's answer to a submission.
struct Receipt {
  std::string ticket;            ///< empty: refused, because of the number of entries a day
  bool is_repeat = false;        ///< it was known: the ticket is the one issued the first time
  std::int64_t retry_after = 0;  ///< if refused: seconds until one more is accepted
};

/// Thread-safe. Every failure is a sentence about the database.
///
/// Order: each student's first waiting submission comes before anybody's second (start-time fair queueing: Goyal, Vin,
/// Cheng, SIGCOMM 1996, with equal weights); among equals, the earlier one. A submission that replaces a waiting one
/// takes its place.
class ServerStore {
 public:
  /// Opens or creates FOLDER/server.db.
  static Expected<std::unique_ptr<ServerStore>> open(const std::filesystem::path& folder);
  ~ServerStore();
  ServerStore(const ServerStore&) = delete;
  ServerStore& operator=(const ServerStore&) = delete;

  /// Only digests of tokens and sessions are stored. A person's token replaces an earlier one.
  std::optional<Failure> keep_token(const Person& person, const std::string& digest);
  /// Also ends the person's sessions. False: the person had none.
  Expected<bool> revoke_token(const std::string& id);
  Expected<bool> has_token(const std::string& id);
  Expected<std::optional<Person>> person_with_token(const std::string& digest);
  std::optional<Failure> begin_session(const std::string& id, const std::string& digest, std::int64_t expires);
  Expected<std::optional<Person>> person_in_session(const std::string& digest, std::int64_t now);
  std::optional<Failure> end_session(const std::string& digest);

  /// Accepts a submission whose files are on the disk, unless its student has sent `entries_a_day` for that lab within
  /// 24 hours.
  Expected<Receipt> add(const NewSubmission& submission, int entries_a_day);
  /// The ticket for that key of the student's; nothing if it is new.
  Expected<std::optional<std::string>> ticket_for(const std::string& student, const std::string& key);

  Expected<std::optional<Ticket>> find(const std::string& ticket);
  /// json_report() of its verdict; empty while there is none.
  Expected<std::string> verdict(const std::string& ticket);
  /// Its place in the queue, from 1; 0 if it does not wait.
  Expected<std::int64_t> place(const std::string& ticket);
  /// A student's, or everyone's, newest first.
  Expected<std::vector<Ticket>> tickets_of(const std::string& student, std::size_t most);
  Expected<std::vector<Ticket>> tickets(std::size_t most);
  /// In the order in which they are graded, those being graded first.
  Expected<std::vector<Ticket>> queue(std::size_t most);
  /// All that were ever issued.
  Expected<std::vector<std::string>> all_tickets();

  /// Takes the next one to grade; nothing if none waits or the queue is paused.
  Expected<std::optional<Ticket>> take_next(std::int64_t now);
  std::optional<Failure> finish(const std::string& ticket, const Outcome& outcome, std::int64_t now);
  /// Puts what was being graded when the server ended back in its old place. Returns how many there were.
  Expected<int> requeue_unfinished();
  /// Lets a graded submission wait again; its verdict is kept until the new one. False: it is not graded.
  Expected<bool> regrade(const std::string& ticket);
  /// The outcome of equal content under equal terms.
  Expected<std::optional<Outcome>> known_outcome(const std::string& lab, const std::string& content,
                                                 const std::string& terms);

  std::optional<Failure> set_paused(bool is_paused);
  Expected<bool> is_paused();

 private:
  struct State;
  explicit ServerStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace lanewise
