// One function per part of a page; every value goes through html_text.
#include "grader/server/pages.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "grader/exports/csv.h"
#include "harness/report/safe_text.h"

namespace lanewise {

const char* const kServerStyle = R"(:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #8884;vertical-align:top}
form.line{display:inline}
label{display:block;margin:.6rem 0}
code{font-size:.85em}
)";

namespace {

template <class... Values>
void add(std::string& page, fmt::format_string<Values...> format, Values&&... values) {
  fmt::format_to(std::back_inserter(page), format, std::forward<Values>(values)...);
}

std::string title_of(const Course& course) { return course.title.empty() ? "Lanewise" : course.title; }

// `refresh`: seconds after which the page is loaded again, if it shows something unfinished; 0: never.
std::string page_of(const std::string& title, const std::string& body, int refresh = 0) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n{}<title>{}</title>\n"
      "<link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"/style.css\">\n</head>\n<body>\n"
      "<h1>{}</h1>\n{}</body>\n</html>\n",
      refresh > 0 ? fmt::format("<meta http-equiv=\"refresh\" content=\"{}\">\n", refresh) : "", html_text(title),
      html_text(title), body);
}

std::string button(const char* action, const char* label, const std::string& ticket = "") {
  const std::string hidden =
      ticket.empty() ? "" : fmt::format("<input type=\"hidden\" name=\"ticket\" value=\"{}\">", html_text(ticket));
  return fmt::format("<form class=\"line\" method=\"post\" action=\"{}\">{}<button>{}</button></form>", action, hidden,
                     label);
}

std::string state_cell(const TicketLine& line) {
  const Ticket& ticket = line.ticket;
  switch (ticket.state) {
    case TicketState::kWaiting:
      return line.place > 0 ? fmt::format("waiting, number {} in the queue", line.place) : "waiting";
    case TicketState::kGrading:
      return line.progress.empty() ? "being graded" : fmt::format("being graded: {}", html_text(line.progress));
    case TicketState::kDone:
      return fmt::format("<a href=\"/tickets/{}/report\">graded</a>", html_text(ticket.sent.ticket));
    case TicketState::kFailed:
      return fmt::format("could not be graded: {}", html_text(ticket.outcome.trouble));
    case TicketState::kReplaced:
      return fmt::format("replaced by <code>{}</code>", html_text(ticket.replaced_by));
  }
  return "";
}

std::string ticket_table(const std::vector<TicketLine>& lines, bool is_for_instructor) {
  std::string table = "<table>\n<tr><th>Received</th><th>Lab</th>";
  if (is_for_instructor) table += "<th>Student</th>";
  table += "<th>State</th><th>Score</th><th>Ticket</th></tr>\n";
  for (const TicketLine& line : lines) {
    const NewSubmission& sent = line.ticket.sent;
    add(table, "<tr><td>{}</td><td>{}</td>", moment_text(sent.received), html_text(sent.lab));
    if (is_for_instructor) add(table, "<td>{}</td>", html_text(sent.student));
    add(table, "<td>{}", state_cell(line));
    const bool is_over = line.ticket.state == TicketState::kDone || line.ticket.state == TicketState::kFailed;
    if (is_for_instructor && is_over) add(table, " {}", button("/instructor/regrade", "Regrade", sent.ticket));
    add(table, "</td><td>{}</td><td><code>{}</code></td></tr>\n", html_text(line.score), html_text(sent.ticket));
  }
  return table + "</table>\n";
}

bool is_moving(const std::vector<TicketLine>& lines) {
  return std::any_of(lines.begin(), lines.end(), [](const TicketLine& line) {
    return line.ticket.state == TicketState::kWaiting || line.ticket.state == TicketState::kGrading;
  });
}

std::string upload_form(const std::vector<LabSelection>& labs) {
  std::string form =
      "<h2>Submit</h2>\n<form method=\"post\" action=\"/submissions\" enctype=\"multipart/form-data\">\n"
      "<label>Lab <select name=\"lab\">";
  for (const LabSelection& lab : labs)
    add(form, "<option value=\"{0}\">{0} ({1})</option>", html_text(lab.file.id), html_text(lab.file.skeleton));
  return form +
         "</select></label>\n<label>Source (.cu) <input type=\"file\" name=\"source\" required></label>\n"
         "<label>Answers (answers.toml) <input type=\"file\" name=\"answers\"></label>\n<button>Submit</button>\n"
         "</form>\n";
}

// The reference is the same program on the same inputs: if its time changes, the machine has.
std::string drift_table(const std::vector<Ticket>& timed) {
  std::map<std::string, std::pair<const Ticket*, const Ticket*>> ends;  // of each lab
  for (const Ticket& ticket : timed) {
    auto& [first, last] = ends[ticket.sent.lab];
    if (first == nullptr) first = &ticket;
    last = &ticket;
  }
  if (ends.empty()) return "";
  std::string table =
      "<h2>The reference's own time</h2>\n<table>\n<tr><th>Lab</th><th>First</th><th>Latest</th><th>Change</th></tr>\n";
  for (const auto& [lab, pair] : ends) {
    const double first = pair.first->outcome.reference_ms;
    const double last = pair.second->outcome.reference_ms;
    add(table, "<tr><td>{}</td><td>{:.3f} ms on {}</td><td>{:.3f} ms on {}</td><td>{:+.1f} %</td></tr>\n",
        html_text(lab), first, moment_text(pair.first->finished), last, moment_text(pair.second->finished),
        100 * (last / first - 1));
  }
  return table + "</table>\n";
}

CourseScore score_of(const Course& course, const Ticket& ticket) {
  return course_score(course, ticket.sent.student, ticket.sent.lab, ticket.outcome.points, ticket.outcome.max_points,
                      ticket.sent.received, false);
}

}  // namespace

std::string moment_text(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::string score_text(const Course& course, const Ticket& ticket) {
  const CourseScore score = score_of(course, ticket);
  if (!score.explanation.empty()) return score.explanation;
  return fmt::format("{} of {} points", points_text(score.points), points_text(score.out_of));
}

std::string login_page(const Course& course) {
  return page_of(title_of(course),
                 "<form method=\"post\" action=\"/login\">\n<label>Your token <input type=\"password\" name=\"token\" "
                 "autocomplete=\"off\" required></label>\n<button>Log in</button>\n</form>\n");
}

std::string message_page(const Course& course, std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() += 'A' - 'a';
  if (!text.empty() && text.back() != '.' && text.back() != '?') text += '.';
  return page_of(title_of(course), fmt::format("<p>{}</p>\n<p><a href=\"/\">Back</a></p>\n", html_text(text)));
}

std::string student_page(const Course& course, const Person& student, const std::vector<LabSelection>& labs,
                         const std::vector<TicketLine>& lines, bool has_board) {
  const bool may_see_board = has_board && (student.is_instructor || course.server.shows_board);
  std::string body = fmt::format("<div>{} · {}{}{}</div>\n", html_text(student.id), button("/logout", "Log out"),
                                 student.is_instructor ? " · <a href=\"/instructor\">Instructor's page</a>" : "",
                                 may_see_board ? " · <a href=\"/board\">Board</a>" : "");
  body += upload_form(labs);
  body += "<h2>Your submissions</h2>\n";
  if (is_moving(lines)) body += "<p><a href=\"/\">Reload</a> to see their progress.</p>\n";
  body += lines.empty() ? "<p>None yet.</p>\n" : ticket_table(lines, false);
  return page_of(title_of(course), body);
}

std::string instructor_page(const Course& course, const ClassState& state) {
  std::string body = fmt::format(
      "<div>Instructor · {} · {} · <a href=\"/instructor/points.csv\">Points as CSV</a>{}</div>\n",
      state.is_paused ? button("/instructor/resume", "Resume grading") : button("/instructor/pause", "Pause grading"),
      button("/logout", "Log out"), state.has_board ? " · <a href=\"/board\">Board</a>" : "");
  if (state.is_paused)
    body += "<p><strong>Grading is paused: submissions are still accepted, and wait in the queue.</strong></p>\n";
  body += "<h2>Queue</h2>\n";
  body += state.queue.empty() ? "<p>The queue is empty.</p>\n" : ticket_table(state.queue, true);
  std::vector<TicketLine> failed;
  std::copy_if(state.latest.begin(), state.latest.end(), std::back_inserter(failed),
               [](const TicketLine& line) { return line.ticket.state == TicketState::kFailed; });
  if (!failed.empty()) body += "<h2>Could not be graded</h2>\n" + ticket_table(failed, true);
  body += drift_table(state.timed);
  body += "<h2>Latest</h2>\n";
  body += state.latest.empty() ? "<p>None yet.</p>\n" : ticket_table(state.latest, true);
  return page_of(title_of(course), body, is_moving(state.queue) ? 10 : 0);
}

std::string points_csv(const Course& course, const std::vector<Student>& students, const std::vector<Ticket>& tickets) {
  std::map<std::pair<std::string, std::string>, std::pair<const Ticket*, CourseScore>> counted;
  for (const Ticket& ticket : tickets) {
    if (ticket.outcome.pictures.empty()) continue;  // not graded yet
    const CourseScore score = score_of(course, ticket);
    auto& [best, best_score] = counted[{ticket.sent.student, ticket.sent.lab}];
    const bool is_later = best == nullptr || ticket.number > best->number;
    const bool is_better = best == nullptr || score.points > best_score.points;
    if (!(course.counted == CountedAttempt::kLatest ? is_later : is_better)) continue;
    best = &ticket;
    best_score = score;
  }
  std::string csv = csv_row({csv_text("student"), csv_text("name"), csv_text("lab"), csv_text("points"),
                             csv_text("out of"), csv_text("received"), csv_text("ticket"), csv_text("explanation")});
  for (const Student& student : students)
    for (const auto& [whose, what] : counted) {
      if (whose.first != student.id) continue;
      const auto& [ticket, score] = what;
      csv += csv_row({csv_text(student.id), csv_text(student.name), csv_text(whose.second), csv_number(score.points),
                      csv_number(score.out_of), csv_text(moment_text(ticket->sent.received)),
                      csv_text(ticket->sent.ticket), csv_text(score.explanation)});
    }
  return csv;
}

}  // namespace lanewise
