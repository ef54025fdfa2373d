// Writes the page from top to bottom: score, one section per task, then the machine it ran on.
#include "harness/report/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <vector>

#include "harness/lab/read_file.h"
#include "harness/report/base64.h"
#include "harness/report/case_groups.h"
#include "harness/report/finding_groups.h"
#include "harness/report/html_style.h"
#include "harness/report/mark_text.h"
#include "harness/report/next_step.h"
#include "harness/report/safe_text.h"
#include "harness/report/speed_picture.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr int kLinesAroundFinding = 2;
constexpr std::uintmax_t kLargestPicture = 4 << 20;

const char* words_for(TaskState state) {
  switch (state) {
    case TaskState::kNotStarted:
      return "Not started";
    case TaskState::kMissing:
      return "The function is missing";
    case TaskState::kRefused:
      return "Refused by the audit";
    case TaskState::kCompileError:
      return "Does not compile";
    case TaskState::kGraded:
      break;
  }
  return "";
}

class Page {
 public:
  Page(const Verdict& verdict, const HtmlSources& sources);
  std::string render();
  std::string render_sections();

 private:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(page_), format, std::forward<Arguments>(arguments)...);
  }

  void head();
  void task(const TaskVerdict& task);
  void hero(const TaskVerdict& task);
  void parts(const TaskVerdict& task);
  void written(const TaskVerdict& task);
  void failures(const TaskVerdict& task);
  void findings(const TaskVerdict& task);
  void goals(const TaskVerdict& task);
  void classes(const ClassTable& table);
  void speed(const SpeedVerdict& speed);
  void snippet(const SourcePlace& place);
  void cases(const TaskVerdict& task);
  void folded_cases(const TaskVerdict& task);
  void pictures(const CaseVerdict& verdict);
  std::string made_on() const;

  const Verdict& verdict_;
  const HtmlSources& sources_;
  std::vector<std::string> source_lines_;
  std::string page_;
};

Page::Page(const Verdict& verdict, const HtmlSources& sources) : verdict_(verdict), sources_(sources) {
  std::istringstream stream(sources.source);
  for (std::string line; std::getline(stream, line);) source_lines_.push_back(line);
}

std::string Page::render() {
  head();
  for (const TaskVerdict& task : verdict_.tasks) this->task(task);
  add("<footer class=\"meta\">{} Lanewise.</footer>\n</body>\n</html>\n", made_on());
  return std::move(page_);
}

std::string Page::render_sections() {
  for (const TaskVerdict& task : verdict_.tasks) this->task(task);
  add("<p class=\"meta\">{}</p>\n", made_on());
  return std::move(page_);
}

void Page::head() {
  const std::string name = html_text(sources_.source_name.empty() ? verdict_.submission : sources_.source_name);
  // The policy backs up the escaping: markup that slipped through could still not load or run anything.
  add("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src "
      "data:\">\n"
      "<title>{} · {}/{}</title>\n<style>{}</style>\n</head>\n<body>\n",
      name, points_text(verdict_.points), points_text(verdict_.max_points), kHtmlStyle);
  add("<h1>{}</h1>\n<p class=\"meta\"><strong class=\"score\">{} of {} points</strong>", name,
      points_text(verdict_.points), points_text(verdict_.max_points));
  if (!verdict_.environment.device.empty()) add(" · {}", html_text(verdict_.environment.device));
  add("</p>\n");
}

void Page::task(const TaskVerdict& task) {
  add("<section>\n<h2><span>{} · {}</span><span class=\"score {}\">{}/{}</span></h2>\n", html_text(task.lab),
      html_text(task.task), task.points >= task.max_points && task.state == TaskState::kGraded ? "good" : "",
      points_text(task.points), points_text(task.max_points));
  if (task.state != TaskState::kGraded) {
    add("<p><strong>{}.</strong></p>\n", words_for(task.state));
    if (!task.message.empty()) add("<pre>{}</pre>\n", html_text(task.message));
    written(task);
    add("</section>\n");
    return;
  }
  hero(task);
  parts(task);
  failures(task);
  findings(task);
  goals(task);
  classes(task.classes);
  speed(task.speed);
  folded_cases(task);
  written(task);
  if (task.output_bytes > 0)
    add("<h3>Printed</h3>\n<p class=\"dim\">{} bytes{}.</p>\n<pre>{}</pre>\n", task.output_bytes,
        task.output_bytes > task.output.size() ? "; only the beginning is shown" : "", html_text(task.output));
  add("</section>\n");
}

// What to do first, before all the evidence.
void Page::hero(const TaskVerdict& task) {
  const auto step = next_step(task);
  if (!step) return;
  add("<div class=\"next\">\n<h3>{}</h3>\n", step->is_mistake ? "Fix first" : "Improve next");
  if (!step->problem.empty()) add("<p>{}</p>\n", html_text(step->problem));
  if (!step->advice.empty()) add("<p class=\"hint\">{}</p>\n", html_text(step->advice));
  snippet(step->place);
  add("</div>\n");
}

void Page::parts(const TaskVerdict& task) {
  add("<table>\n<tbody>\n");
  for (const PartScore& part : task.parts) {
    if (part.scored)
      add("<tr><td>{0}</td><td class=\"points\">{1}/{2}</td><td><meter min=\"0\" max=\"{2}\" "
          "value=\"{1}\"></meter></td><td>{3}</td></tr>\n",
          html_text(part.name), points_text(part.points), points_text(part.max_points), html_text(part.evidence));
    else
      add("<tr class=\"dim\"><td>{}</td><td class=\"points\">–</td><td></td><td>not scored: {}</td></tr>\n",
          html_text(part.name), html_text(part.evidence));
  }
  add("</tbody>\n</table>\n");
}

// Free texts and how a human marked them.
void Page::written(const TaskVerdict& task) {
  for (const Marked& mark : task.marks)
    if (!mark.answer.empty())
      add("<h3>Question {}</h3>\n<p>{}</p>\n<pre>{}</pre>\n<p><strong>{}</strong></p>\n", html_text(safe_line(mark.id)),
          html_text(mark.text), html_text(mark.answer), html_text(mark_text(mark)));
}

void Page::failures(const TaskVerdict& task) {
  const std::vector<CaseGroup> groups = group_failures(task.cases);
  if (groups.empty()) return;
  add("<h3>What went wrong</h3>\n");
  for (const CaseGroup& group : groups) {
    const CaseVerdict& verdict = *group.shown;
    add("<div class=\"failure\">\n<p><strong>{}</strong> · {}</p>\n<p>{}</p>\n", html_text(case_label(verdict)),
        words_for(verdict.outcome), html_text(verdict.sentence));
    if (!verdict.hint.empty()) add("<p class=\"hint\">{}</p>\n", html_text(verdict.hint));
    if (!group.same.empty()) {
      add("<p class=\"dim\">Failing the same way: ");
      for (std::size_t i = 0; i < group.same.size(); ++i)
        add("{}{}", i == 0 ? "" : ", ", html_text(group.same[i]->name));
      add("</p>\n");
    }
    pictures(verdict);
    add("</div>\n");
  }
}

void Page::pictures(const CaseVerdict& verdict) {
  if (verdict.pictures.empty()) return;
  add("<div class=\"pictures\">\n");
  for (const std::string& picture : verdict.pictures) {
    const fs::path file = sources_.pictures / picture;
    const auto content = read_file(file, kLargestPicture);
    if (!content) continue;
    add("<figure><img alt=\"{0}\" src=\"data:image/png;base64,{1}\"><figcaption>{0}</figcaption></figure>\n",
        html_text(file.stem().string()), base64(*content));
  }
  add("</div>\n");
}

void Page::findings(const TaskVerdict& task) {
  if (task.findings.empty()) return;
  add("<h3>Findings</h3>\n");
  for (const FindingGroup& group : group_findings(task.findings)) {
    const Finding& finding = *group.shown;
    add("<div class=\"finding\">\n<p><strong>{}</strong> · {}", html_text(finding.tool), html_text(finding.kind));
    if (const std::string arrays = arrays_text(group); !arrays.empty()) add(" · <code>{}</code>", html_text(arrays));
    if (group.count > 1) add(" · {} times", group.count);
    add("</p>\n<p>{}</p>\n", html_text(finding.sentence));
    if (!finding.advice.empty()) add("<p class=\"hint\">{}</p>\n", html_text(finding.advice));
    snippet(finding.place);
    // The other end of a race, unless it is in view.
    if (const int other = other_line(finding); std::abs(other - finding.place.line) > kLinesAroundFinding)
      snippet({finding.place.file, other});
    add("<p class=\"dim\">");
    if (!finding.kernel.empty())
      add("<code>{}</code>, block ({}), thread ({}); ", html_text(finding.kernel), fmt::join(finding.block, ", "),
          fmt::join(finding.thread, ", "));
    add("first seen in the case {}</p>\n</div>\n", html_text(finding.case_name));
  }
}

void Page::goals(const TaskVerdict& task) {
  const auto is_lost = [](const GoalVerdict& goal) { return !goal.is_met && !goal.is_left_out; };
  if (std::none_of(task.goals.begin(), task.goals.end(), is_lost)) return;
  add("<h3>Missed goals</h3>\n");
  for (const GoalVerdict& goal : task.goals) {
    if (!is_lost(goal)) continue;
    add("<div class=\"finding\">\n<p>{}</p>\n", html_text(goal.sentence));
    if (goal.is_measured && !goal.hint.empty()) add("<p class=\"hint\">{}</p>\n", html_text(goal.hint));
    if (goal.is_measured) snippet(goal.place);
    add("<p class=\"dim\"><code>{}</code> in the case {}</p>\n</div>\n", html_text(goal.counter),
        html_text(goal.case_name));
  }
}

void Page::classes(const ClassTable& table) {
  if (table.title.empty()) return;
  add("<h3>{}</h3>\n<table>\n<thead><tr><th>case</th>", html_text(table.title));
  for (const std::string& heading : table.headings) add("<th class=\"points\">{}</th>", html_text(heading));
  add("</tr></thead>\n<tbody>\n");
  for (const ClassTable::Row& row : table.rows) {
    add("<tr><td>{}</td>", html_text(row.case_name));
    for (std::size_t c = 0; c < table.headings.size(); ++c)
      add("<td class=\"points\">{}</td>", c < row.values.size() ? html_text(row.values[c]) : "–");
    add("</tr>\n");
  }
  add("</tbody>\n</table>\n");
}

void Page::speed(const SpeedVerdict& speed) {
  if (!speed.is_known) return;
  add("<h3>{}</h3>\n", speed.is_modelled ? "Modelled time" : "Time");
  add("<figure class=\"speed\">{}</figure>\n", speed_picture(speed));
  if (!speed.review.empty()) add("<div class=\"finding\"><p>Under review: {}</p></div>\n", html_text(speed.review));
  add("<p class=\"dim\">");
  if (speed.is_modelled)
    add("Modelled, not measured: the virtual GPU counted the case {} ({}) and derived the time of {} from it{}.",
        html_text(speed.case_name), html_text(speed.sizes), html_text(speed.device),
        speed.is_at_scale ? ", per part of a call 256 times as large, where launches no longer matter" : "");
  else
    add("Measured on {} in the case {} ({}): the median of {} samples and its 95 % interval; each sample has "
        "fresh inputs and alternates with those of the other bars.",
        html_text(speed.device), html_text(speed.case_name), html_text(speed.sizes), speed.samples);
  if (speed.discarded > 0) add(" {} samples were discarded: the clock was low.", speed.discarded);
  if (!speed.clocks.empty()) add(" {}.", html_text(speed.clocks));
  add(" Full points up to 1.2 times the reference's time, none at or above the naive step's time.</p>\n");
  if (speed.bound_by.empty()) return;
  add("<p>Bound by <strong>{}</strong>", html_text(speed.bound_by));
  add(speed.bound_place.line > 0 ? ", mainly here:</p>\n" : ".</p>\n");
  snippet(speed.bound_place);
}

void Page::snippet(const SourcePlace& place) {
  if (place.line <= 0) return;
  const auto count = static_cast<int>(source_lines_.size());
  if (place.line > count || place.file != sources_.source_name) {
    add("<p class=\"mono\">{}:{}</p>\n", html_text(place.file), place.line);
    return;
  }
  add("<pre>");
  for (int line = std::max(1, place.line - kLinesAroundFinding);
       line <= std::min(count, place.line + kLinesAroundFinding); ++line) {
    const std::string text = html_text(source_lines_[static_cast<std::size_t>(line - 1)]);
    add(line == place.line ? "<mark>{:>5}  {}</mark>\n" : "{:>5}  {}\n", line, text);
  }
  add("</pre>\n");
}

void Page::cases(const TaskVerdict& task) {
  add("<table>\n<thead><tr><th>case</th><th>outcome</th><th>points</th><th>why it is "
      "here</th></tr></thead>\n<tbody>\n");
  for (const CaseVerdict& verdict : task.cases) {
    const char* const look = verdict.outcome == CaseOutcome::kRight     ? "good"
                             : verdict.outcome == CaseOutcome::kLeftOut ? "dim"
                                                                        : "bad";
    add("<tr><td>{}</td><td class=\"{}\">{}</td><td class=\"points\">{}/{}</td><td class=\"dim\">{}</td></tr>\n",
        html_text(case_label(verdict)), look, words_for(verdict.outcome), points_text(verdict.points),
        points_text(verdict.max_points),
        html_text(verdict.outcome == CaseOutcome::kLeftOut ? verdict.sentence : verdict.why));
  }
  add("</tbody>\n</table>\n");
}

// What failed is told above; the table is for looking things up.
void Page::folded_cases(const TaskVerdict& task) {
  if (task.cases.empty()) return;
  const auto right = std::count_if(task.cases.begin(), task.cases.end(),
                                   [](const CaseVerdict& each) { return each.outcome == CaseOutcome::kRight; });
  add("<details>\n<summary>Cases: {} of {} right</summary>\n", right, task.cases.size());
  cases(task);
  add("</details>\n");
}

std::string Page::made_on() const {
  const Environment& environment = verdict_.environment;
  const std::string where = environment.device.empty()
                                ? "Nothing was run"
                                : fmt::format("Ran on {} ({}), CUDA runtime {}", environment.device,
                                              environment.backend, environment.runtime_version);
  return fmt::format("{}; compiled with {}. Seed {}, source {}, {:.1f} s.", html_text(where),
                     html_text(environment.compiler), verdict_.seed, html_text(verdict_.source_hash), verdict_.seconds);
}

}  // namespace

std::string html_report(const Verdict& verdict, const HtmlSources& sources) { return Page(verdict, sources).render(); }

std::string html_report_sections(const Verdict& verdict, const HtmlSources& sources) {
  return Page(verdict, sources).render_sections();
}

}  // namespace lanewise
