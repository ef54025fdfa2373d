// Filled under another name beside its own, then renamed.
#include "grader/server/submission_export.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "grader/server/class_server.h"
#include "grader/server/submission_files.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

struct Copy {
  const Ticket* ticket = nullptr;
  fs::path folder;  // relative to the export's
};

// Tickets are by time.
std::vector<Copy> newest_of_each(const std::vector<Ticket>& tickets) {
  std::map<std::pair<std::string, std::string>, const Ticket*> newest;
  for (const Ticket& ticket : tickets) newest[{ticket.sent.student, ticket.sent.lab}] = &ticket;
  std::vector<Copy> copies;
  copies.reserve(newest.size());
  for (const auto& [whose, ticket] : newest) copies.push_back({ticket, fs::path(whose.first) / whose.second});
  return copies;
}

std::vector<Copy> all_attempts(const std::vector<Ticket>& tickets) {
  struct Attempt {
    int number = 1;
    std::set<std::string> labs;
  };
  std::map<std::string, Attempt> attempts;  // the newest of each student's
  std::vector<Copy> copies;
  copies.reserve(tickets.size());
  for (const Ticket& ticket : tickets) {
    Attempt& attempt = attempts[ticket.sent.student];
    if (!attempt.labs.insert(ticket.sent.lab).second) attempt = Attempt{attempt.number + 1, {ticket.sent.lab}};
    copies.push_back(
        {&ticket, fs::path(ticket.sent.student) / fmt::format("attempt_{}", attempt.number) / ticket.sent.lab});
  }
  return copies;
}

// The source and the answers: what the server itself has added to a ticket is in folders.
std::optional<Failure> copy_files(const fs::path& from, const fs::path& to, std::int64_t received) {
  std::error_code error;
  fs::create_directories(to, error);
  const timespec moment = {static_cast<time_t>(received), 0};
  const timespec both[2] = {moment, moment};
  for (fs::directory_iterator it(from, error), end; !error && it != end; it.increment(error)) {
    if (!it->is_regular_file(error) || error) continue;
    const fs::path copy = to / it->path().filename();
    fs::copy_file(it->path(), copy, error);
    if (!error && utimensat(AT_FDCWD, copy.c_str(), both, AT_SYMLINK_NOFOLLOW) != 0)
      error = std::error_code(errno, std::generic_category());
  }
  if (error) return Failure{fmt::format("{} cannot be copied to {} ({})", from.string(), to.string(), error.message())};
  return std::nullopt;
}

}  // namespace

Expected<Exported> export_submissions(ServerStore& store, const fs::path& course, const fs::path& into, bool all) {
  auto tickets = store.tickets(std::numeric_limits<std::int64_t>::max());
  if (!tickets) return tickets.failure();
  const auto is_left_out = [all](const Ticket& ticket) {
    return ticket.sent.student == kInstructor || (all && ticket.state == TicketState::kReplaced);
  };
  tickets->erase(std::remove_if(tickets->begin(), tickets->end(), is_left_out), tickets->end());
  std::sort(tickets->begin(), tickets->end(), [](const Ticket& a, const Ticket& b) {
    return std::pair(a.sent.received, a.number) < std::pair(b.sent.received, b.number);
  });
  const std::vector<Copy> copies = all ? all_attempts(*tickets) : newest_of_each(*tickets);

  std::error_code error;
  const fs::path final_name = fs::absolute(into, error).lexically_normal();
  const fs::path target = final_name.has_filename() ? final_name : final_name.parent_path();
  const fs::path growing = target.parent_path() / fmt::format(".{}-{}", target.filename().string(), random_name());
  fs::create_directories(growing, error);
  std::optional<Failure> failure;
  if (error) failure = Failure{fmt::format("{} cannot be created ({})", growing.string(), error.message())};
  std::set<std::string> students;
  for (const Copy& copy : copies) {
    if (failure) break;
    failure = copy_files(folder_of_ticket(course, copy.ticket->sent.ticket), growing / copy.folder,
                         copy.ticket->sent.received);
    students.insert(copy.ticket->sent.student);
  }
  // Replaces an empty folder, and nothing else.
  if (!failure && rename(growing.c_str(), target.c_str()) != 0)
    failure = Failure{fmt::format("{} must be a new or an empty folder ({})", target.string(), std::strerror(errno))};
  if (!failure) return Exported{copies.size(), students.size()};
  std::error_code ignored;
  fs::remove_all(growing, ignored);
  return *failure;
}

}  // namespace lanewise
