// What pages and tables say, and that nothing that people wrote is markup in them.
#include "grader/server/pages.h"

#include <gtest/gtest.h>

namespace lanewise::pages_test {
namespace {

Ticket graded(std::int64_t number, const char* student, double points) {
  Ticket ticket;
  ticket.number = number;
  ticket.sent = {std::to_string(number), student, "scan", "", "", 1000 * number};
  ticket.state = TicketState::kDone;
  ticket.outcome.pictures = ticket.sent.ticket;
  ticket.outcome.points = points;
  ticket.outcome.max_points = 75;
  return ticket;
}

TEST(ServerPages, PointsAreTheBestOrTheLatestAsTheCourseSays) {
  Student ada;
  ada.id = "ada";
  ada.name = "=cmd()";
  Course course;
  const std::vector<Ticket> tickets = {graded(3, "ada", 10), graded(2, "ada", 60), graded(1, "ada", 30),
                                       graded(4, "somebody who left", 75)};
  EXPECT_NE(points_csv(course, {ada}, tickets).find("scan,60,75"), std::string::npos);
  course.counted = CountedAttempt::kLatest;
  const std::string latest = points_csv(course, {ada}, tickets);
  EXPECT_NE(latest.find("scan,10,75"), std::string::npos) << latest;
  EXPECT_EQ(latest.find("left"), std::string::npos);
  EXPECT_NE(latest.find("'=cmd()"), std::string::npos) << "no formula: " << latest;
}

TEST(ServerPages, TheReferencesOwnTimeTellsHowTheMachineDrifts) {
  ClassState state;
  EXPECT_EQ(instructor_page({}, state).find("reference's own time"), std::string::npos) << "nothing was timed";
  state.timed = {graded(1, "ada", 1), graded(2, "bob", 1), graded(3, "ada", 1)};
  state.timed[0].outcome.reference_ms = 2;
  state.timed[1].outcome.reference_ms = 5;
  state.timed[2].outcome.reference_ms = 2.1;
  EXPECT_NE(instructor_page({}, state).find("+5.0 %"), std::string::npos) << "from the first to the latest";
}

TEST(ServerPages, AMessageIsASentenceUnderTheCoursesTitle) {
  Course course;
  course.title = "GPU programming";
  const std::string page = message_page(course, "log in first");
  EXPECT_NE(page.find("<h1>GPU programming</h1>"), std::string::npos) << page;
  EXPECT_NE(page.find("<p>Log in first.</p>"), std::string::npos) << page;
}

TEST(ServerPages, LinkToABoardOnlyIfThereIsOne) {
  Course course;
  ClassState state;
  for (const bool has_board : {false, true}) {
    state.has_board = has_board;
    EXPECT_EQ(instructor_page(course, state).find("/board") != std::string::npos, has_board);
    EXPECT_EQ(student_page(course, {"ada"}, {}, {}, has_board).find("/board") != std::string::npos, has_board);
  }
  course.server.shows_board = false;
  EXPECT_EQ(student_page(course, {"ada"}, {}, {}, true).find("/board"), std::string::npos);
}

TEST(ServerPages, NothingThatPeopleWroteIsMarkup) {
  const std::string hostile = "<script>alert('1')</script>\"><img src=x>";
  Course course;
  course.title = hostile;
  Ticket ticket = graded(1, hostile.c_str(), 1);
  ticket.sent.lab = hostile;
  ticket.outcome.trouble = ticket.replaced_by = hostile;
  ClassState state;
  for (const TicketState each : {TicketState::kWaiting, TicketState::kGrading, TicketState::kDone, TicketState::kFailed,
                                 TicketState::kReplaced}) {
    ticket.state = each;
    state.queue.push_back({ticket, 0, hostile, hostile});
  }
  state.latest = state.queue;
  state.timed = {ticket};
  for (const std::string& page :
       {instructor_page(course, state), student_page(course, {hostile}, {}, state.queue, true),
        message_page(course, hostile), login_page(course)}) {
    EXPECT_EQ(page.find("<script"), std::string::npos) << page;
    EXPECT_EQ(page.find("<img"), std::string::npos) << page;
    EXPECT_NE(page.find("&lt;script&gt;"), std::string::npos);
  }
}

}  // namespace
}  // namespace lanewise::pages_test
