// What a person may see of a ticket, as a line, JSON, text or a page.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "grader/server/class_server.h"
#include "grader/server/pages.h"
#include "grader/server/request_check.h"
#include "harness/lab/verdict.h"

namespace lanewise {

class TicketViews {
 public:
  /// Everything must outlive it. `course` is the course's folder.
  TicketViews(const ServerParts& parts, std::filesystem::path course) : parts_(parts), course_(std::move(course)) {}

  /// The ticket, if it is the person's; an instructor sees all of them.
  std::variant<Ticket, Refusal> find(const std::string& ticket, const Person& person) const;
  TicketLine line(const Ticket& ticket, const Person& person) const;
  std::vector<TicketLine> lines(const std::vector<Ticket>& tickets, const Person& person) const;
  /// An object, for programs.
  std::string json(const Ticket& ticket, const Person& person) const;
  std::variant<std::string, Refusal> verdict_text(const Ticket& ticket, const Person& person) const;
  std::variant<std::string, Refusal> report_page(const Ticket& ticket, const Person& person) const;

 private:
  bool may_see_scores(const Person& person) const;
  std::variant<Verdict, Refusal> verdict(const Ticket& ticket, const Person& person) const;

  ServerParts parts_;
  std::filesystem::path course_;
};

}  // namespace lanewise
