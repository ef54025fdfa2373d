// Another student's ticket is answered like one that does not exist.
#include "grader/server/ticket_views.h"

#include <nlohmann/json.hpp>

#include "grader/server/intake.h"
#include "grader/server/shown_verdict.h"
#include "grader/server/submission_files.h"
#include "harness/lab/read_file.h"
#include "harness/report/html_report.h"
#include "harness/report/json_report.h"
#include "harness/report/text_report.h"

namespace lanewise {
namespace {

constexpr const char* kNotTheirFault =
    "this is not your fault; your instructor can see the reason and have it graded again";

}  // namespace

bool TicketViews::may_see_scores(const Person& person) const {
  return person.is_instructor || parts_.course.server.shows_verdict;
}

std::variant<Ticket, Refusal> TicketViews::find(const std::string& ticket, const Person& person) const {
  const auto found = parts_.store.find(ticket);
  if (!found) return troubled(found.failure());
  if (*found && (person.is_instructor || (*found)->sent.student == person.id)) return **found;
  return Refusal{404, "there is no such ticket"};
}

TicketLine TicketViews::line(const Ticket& ticket, const Person& person) const {
  TicketLine line{ticket, 0, "", ""};
  if (ticket.state == TicketState::kWaiting)
    if (const auto place = parts_.store.place(ticket.sent.ticket)) line.place = *place;
  if (ticket.state == TicketState::kGrading) line.progress = parts_.queue.progress_of(ticket.sent.ticket);
  if (!ticket.outcome.pictures.empty() && may_see_scores(person)) line.score = score_text(parts_.course, ticket);
  if (person.is_instructor) return line;
  line.progress = shown_progress(line.progress, ticket.sent.lab, parts_.course.server, parts_.secrets);
  if (ticket.state == TicketState::kFailed) line.ticket.outcome.trouble = kNotTheirFault;
  return line;
}

std::vector<TicketLine> TicketViews::lines(const std::vector<Ticket>& tickets, const Person& person) const {
  std::vector<TicketLine> lines;
  lines.reserve(tickets.size());
  for (const Ticket& ticket : tickets) lines.push_back(line(ticket, person));
  return lines;
}

std::string TicketViews::json(const Ticket& ticket, const Person& person) const {
  const TicketLine shown = line(ticket, person);
  nlohmann::ordered_json json{{"ticket", ticket.sent.ticket},
                              {"lab", ticket.sent.lab},
                              {"received", moment_text(ticket.sent.received)},
                              {"state", name_of(ticket.state)}};
  if (shown.place > 0) json["place"] = shown.place;
  if (ticket.state == TicketState::kGrading) json["progress"] = shown.progress;
  if (ticket.state == TicketState::kFailed) json["sentence"] = shown.ticket.outcome.trouble;
  if (ticket.state == TicketState::kReplaced) json["replaced_by"] = ticket.replaced_by;
  if (!shown.score.empty()) {
    json["score"] = shown.score;
    json["points"] = ticket.outcome.points;
    json["max_points"] = ticket.outcome.max_points;
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::variant<Verdict, Refusal> TicketViews::verdict(const Ticket& ticket, const Person& person) const {
  const auto json = parts_.store.verdict(ticket.sent.ticket);
  if (!json) return troubled(json.failure());
  if (json->empty()) return Refusal{404, "this submission has no verdict yet"};
  if (!may_see_scores(person)) return Refusal{403, "your instructor does not show verdicts"};
  const auto verdicts = read_json_report(*json);
  if (!verdicts || verdicts->size() != 1)
    return Refusal{
        503, "the verdict was made by another version of Lanewise; your instructor can have the work graded again"};
  if (person.is_instructor) return verdicts->front();
  return shown_verdict(verdicts->front(), parts_.course.server, parts_.secrets);
}

std::variant<std::string, Refusal> TicketViews::verdict_text(const Ticket& ticket, const Person& person) const {
  const auto found = verdict(ticket, person);
  if (const auto* refusal = std::get_if<Refusal>(&found)) return *refusal;
  return text_report(std::get<Verdict>(found), TextStyle{});
}

std::variant<std::string, Refusal> TicketViews::report_page(const Ticket& ticket, const Person& person) const {
  const auto found = verdict(ticket, person);
  if (const auto* refusal = std::get_if<Refusal>(&found)) return *refusal;
  const auto& verdict = std::get<Verdict>(found);
  HtmlSources sources;
  sources.source_name = verdict.submission;
  sources.pictures = folder_of_ticket(course_, ticket.outcome.pictures) / "pictures";
  if (const LabSelection* lab = find_lab(parts_.labs, ticket.sent.lab); lab != nullptr)
    if (const auto source = read_file(folder_of_ticket(course_, ticket.sent.ticket) / lab->file.skeleton,
                                      parts_.course.server.largest_upload))
      sources.source = *source;
  return html_report(verdict, sources);
}

}  // namespace lanewise
