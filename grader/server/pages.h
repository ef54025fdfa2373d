// The class server's pages: plain HTML without scripts, in which no user's text becomes markup.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "grader/class/course.h"
#include "grader/class/student.h"
#include "grader/server/server_store.h"
#include "harness/runner/find.h"

namespace lanewise {

extern const char* const kServerStyle;  ///< /style.css

std::string login_page(const Course& course);

/// A page that says one thing: "there is no such ticket" becomes a sentence.
std::string message_page(const Course& course, std::string text);

/// A ticket and what else its row shows.
struct TicketLine {
  Ticket ticket;
  std::int64_t place = 0;  ///< in the queue; 0: does not wait
  std::string progress;    ///< while it is graded
  std::string score;       ///< "41 of 75 become 54.67 of 100"; empty if there is none, or it is not shown
};

std::string student_page(const Course& course, const Person& student, const std::vector<LabSelection>& labs,
                         const std::vector<TicketLine>& lines, bool has_board);

/// What an instructor sees: the queue, failures, the latest submissions, and the drift of the machine's times.
struct ClassState {
  bool is_paused = false;
  bool has_board = false;
  std::vector<TicketLine> queue;
  std::vector<TicketLine> latest;
  std::vector<Ticket> timed;  ///< on a GPU, oldest first
};

std::string instructor_page(const Course& course, const ClassState& state);

/// student,name,lab,points,... : each student's counted submission for each lab, by the course's rule.
std::string points_csv(const Course& course, const std::vector<Student>& students, const std::vector<Ticket>& tickets);

/// "2026-11-28 18:30 UTC"
std::string moment_text(std::int64_t seconds);

/// "41 of 75 points", or what the course makes of them.
std::string score_text(const Course& course, const Ticket& ticket);

}  // namespace lanewise
