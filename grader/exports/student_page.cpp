// Writes the page from top to bottom: the total, then a section per lab.
#include "grader/exports/student_page.h"

#include <fmt/format.h>

#include <iterator>

#include "grader/exports/counted.h"
#include "harness/lab/read_file.h"
#include "harness/report/html_report.h"
#include "harness/report/html_style.h"
#include "harness/report/safe_text.h"
#include "harness/runner/build/builder.h"

namespace lanewise {
namespace {

// A lab's heading stands above its tasks'.
constexpr const char* kStudentStyle = R"css(
a { color: var(--accent); } a:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
summary { cursor: pointer; width: fit-content; margin: 1.2rem 0 .3rem; }
section section h2 { margin-top: 1.2rem; padding-top: 0; border-top: 0; font-size: 1.05rem; }
)css";

class Page {
 public:
  Page(const GradedClass& graded, const GradedStudent& student) : graded_(graded), student_(student) {}
  std::string render();

 private:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(page_), format, std::forward<Arguments>(arguments)...);
  }

  void head();
  void lab(const GradedLab& lab);
  void attempts(const GradedLab& lab);

  const GradedClass& graded_;
  const GradedStudent& student_;
  std::string page_;
};

std::string Page::render() {
  head();
  for (const GradedLab& lab : graded_.labs) this->lab(lab);
  add("<footer class=\"meta\">Graded on {}, cases: {}. Lanewise.</footer>\n</body>\n</html>\n",
      html_text(graded_.backend), html_text(graded_.cases));
  return std::move(page_);
}

void Page::head() {
  const Student& person = student_.student;
  const std::string name = html_text(safe_line(person.name.empty() ? person.id : person.name));
  const std::string title = html_text(safe_line(graded_.title.empty() ? "Grades" : graded_.title));
  double points = 0;
  double out_of = 0;
  for (const GradedLab& lab : graded_.labs) {
    const GradedAttempt* const counted = counted_attempt(student_, lab.id);
    points += counted == nullptr ? 0 : counted->score.points;
    out_of += counted == nullptr ? points_possible(graded_, lab) : counted->score.out_of;
  }
  // As in html_report: a second line of defence behind the escaping.
  add("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src "
      "data:\">\n"
      "<title>{} · {}</title>\n<style>{}{}</style>\n</head>\n<body>\n",
      title, name, kHtmlStyle, kStudentStyle);
  add("<h1>{}</h1>\n<p class=\"meta\"><bdi>{}</bdi> · <strong class=\"score\">{} of {} points</strong>", title, name,
      points_text(points), points_text(out_of));
  if (graded_.labs.size() > 1)
    for (const GradedLab& lab : graded_.labs) add(" · <a href=\"#{0}\">{0}</a>", html_text(lab.id));
  add("</p>\n");
}

void Page::lab(const GradedLab& lab) {
  const std::string heading = html_text(lab.title.empty() ? lab.id : lab.title);
  const GradedAttempt* const counted = counted_attempt(student_, lab.id);
  if (counted == nullptr) {
    add("<section id=\"{}\">\n<h2><span>{}</span><span class=\"score dim\">not graded</span></h2>\n<p>{}</p>\n",
        html_text(lab.id), heading, html_text(why_not_counted(student_, lab.id)));
    attempts(lab);
    add("</section>\n");
    return;
  }
  const CourseScore& score = counted->score;
  add("<section id=\"{}\">\n<h2><span>{}</span><span class=\"score {}\">{}/{}</span></h2>\n", html_text(lab.id),
      heading, score.points >= score.out_of ? "good" : "", points_text(score.points), points_text(score.out_of));
  if (!score.explanation.empty()) add("<p>{}</p>\n", html_text(score.explanation));
  attempts(lab);
  const auto source = read_file(counted->source, kLargestSource);
  page_ += html_report_sections(*counted->verdict,
                                {counted->pictures, source ? *source : "", counted->source.filename().string()});
  add("</section>\n");
}

// One attempt needs no list, unless it could not be graded for a reason not given above.
void Page::attempts(const GradedLab& lab) {
  std::vector<const GradedAttempt*> attempts;
  for (const GradedAttempt& attempt : student_.attempts)
    if (attempt.lab == lab.id) attempts.push_back(&attempt);
  if (attempts.size() < 2) return;
  add("<h3>Attempts</h3>\n<table>\n<tbody>\n");
  for (const GradedAttempt* const attempt : attempts) {
    const std::string when = submitted_text(attempt->submitted);
    add("<tr><td>{}</td>", when.empty() ? "time unknown" : when);
    if (attempt->verdict)
      add("<td class=\"points\">{}/{}</td>", points_text(attempt->score.points), points_text(attempt->score.out_of));
    else
      add("<td class=\"points\">–</td>");
    add("<td>{}</td></tr>\n", attempt->is_counted ? "counts" : html_text(attempt->trouble));
  }
  add("</tbody>\n</table>\n");
}

}  // namespace

std::string student_page(const GradedClass& graded, const GradedStudent& student) {
  return Page(graded, student).render();
}

}  // namespace lanewise
