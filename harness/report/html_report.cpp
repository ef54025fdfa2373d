// Writes the page from top to bottom: score, one section per task, then the machine it ran on.
#include "harness/report/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/lab/number_text.h"
#include "harness/lab/read_file.h"
#include "harness/lab/text_lines.h"
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

std::string without_indent(const std::string& line) {
  return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
}

/// The policy's expression for the one script that may run: its digest.
std::string script_source() {
  const std::string digits = kHtmlScriptSha256;
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return "'sha256-" + base64(bytes) + "'";
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
  void lines(const TaskVerdict& task);
  void findings(const TaskVerdict& task);
  void finding(const FindingGroup& group);
  void goals(const TaskVerdict& task);
  void goal(const GoalVerdict& goal);
  void bound_by(const SpeedVerdict& speed);
  void classes(const ClassTable& table);
  void speed(const SpeedVerdict& speed);
  bool is_shown(const SourcePlace& place) const;
  bool is_missed_at_a_line(const GoalVerdict& goal) const;
  static std::string anchor(const TaskVerdict& task, int line);
  void place_name(const SourcePlace& place);
  void cases(const TaskVerdict& task);
  void folded_cases(const TaskVerdict& task);
  void pictures(const CaseVerdict& verdict);
  std::string made_on() const;

  const Verdict& verdict_;
  const HtmlSources& sources_;
  std::vector<std::string> source_lines_;
  std::string page_;
};

Page::Page(const Verdict& verdict, const HtmlSources& sources)
    : verdict_(verdict), sources_(sources), source_lines_(lines_of(sources.source)) {}

std::string Page::render() {
  head();
  for (const TaskVerdict& task : verdict_.tasks) this->task(task);
  add("<footer class=\"meta\">{} Lanewise.</footer>\n<script>{}</script>\n</body>\n</html>\n", made_on(), kHtmlScript);
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
  // Only the page's own script may.
  add("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src "
      "{}; img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{} · {}/{}</title>\n<style>{}</style>\n</head>\n<body>\n",
      script_source(), name, points_text(verdict_.points), points_text(verdict_.max_points), kHtmlStyle);
  add("<header class=\"top\"><span class=\"brand\">Lanewise</span><span class=\"dim\">{}</span></header>\n",
      html_text(verdict_.environment.device));
  add("<h1 class=\"name\">{}</h1>\n<p class=\"meta\"><strong class=\"score\">{} of {} points</strong></p>\n", name,
      points_text(verdict_.points), points_text(verdict_.max_points));
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
  lines(task);
  findings(task);
  goals(task);
  classes(task.classes);
  speed(task.speed);
  folded_cases(task);
  written(task);
  if (task.output_bytes > 0)
    add("<h3>Printed</h3>\n<p class=\"dim\">{} bytes{}.</p>\n<pre>{}</pre>\n", with_commas(task.output_bytes),
        task.output_bytes > task.output.size() ? "; only the beginning is shown" : "", html_text(task.output));
  add("</section>\n");
}

// What to do first, before all the evidence.
void Page::hero(const TaskVerdict& task) {
  const auto step = next_step(task);
  if (!step) return;
  add("<div class=\"next{}\">\n<h3>{}</h3>\n", step->is_mistake ? " mistake" : "",
      step->is_mistake ? "Fix first" : "Improve next");
  if (!step->problem.empty()) add("<p>{}</p>\n", html_text(step->problem));
  if (!step->advice.empty()) add("<p class=\"hint\">{}</p>\n", html_text(step->advice));
  if (is_shown(step->place))
    add("<p><a href=\"#{}\">{}:{}</a></p>\n<pre class=\"culprit\">{}</pre>\n", anchor(task, step->place.line),
        html_text(step->place.file), step->place.line,
        html_text(without_indent(source_lines_[static_cast<std::size_t>(step->place.line - 1)])));
  else
    place_name(step->place);
  add("</div>\n");
}

void Page::parts(const TaskVerdict& task) {
  add("<table class=\"stacked\">\n<tbody>\n");
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

// The code once, and at each line what checkers and counters say of it.
void Page::lines(const TaskVerdict& task) {
  std::map<int, std::vector<const FindingGroup*>> found;
  std::map<int, std::vector<const GoalVerdict*>> missed;
  std::set<int> marked, wrong;
  const std::vector<FindingGroup> groups = group_findings(task.findings);
  for (const FindingGroup& group : groups) {
    if (!is_shown(group.shown->place)) continue;
    found[group.shown->place.line].push_back(&group);
    wrong.insert(group.shown->place.line);
    if (const int other = other_line(*group.shown); is_shown({group.shown->place.file, other})) wrong.insert(other);
  }
  for (const GoalVerdict& goal : task.goals)
    if (is_missed_at_a_line(goal)) missed[goal.place.line].push_back(&goal);
  const int bound = task.speed.is_known && is_shown(task.speed.bound_place) ? task.speed.bound_place.line : 0;
  marked = wrong;
  for (const auto& [line, goals] : missed) marked.insert(line);
  if (bound > 0) marked.insert(bound);
  if (marked.empty()) return;

  add("<h3>Line by line</h3>\n<div class=\"code\" tabindex=\"0\" role=\"region\" aria-label=\"Your code\">\n");
  const int count = static_cast<int>(source_lines_.size());
  int next = 1;  // to be shown, or left out
  bool is_open = false;
  const auto close = [&] {
    if (is_open) add("</pre>\n");
    is_open = false;
  };
  for (const int line : marked) {
    const int first = std::max(next, line - kLinesAroundFinding);
    if (first > next) {
      close();
      if (next > 1) add("<p class=\"gap\">⋮</p>\n");
    }
    const auto after = marked.upper_bound(line);
    const int last = std::min({count, line + kLinesAroundFinding, after == marked.end() ? count : *after - 1});
    for (int at = first; at <= last; ++at) {
      if (!is_open) add("<pre>");
      is_open = true;
      const std::string text = html_text(source_lines_[static_cast<std::size_t>(at - 1)]);
      if (at == line)
        add("<mark id=\"{}\"{}>{:>5}  {}</mark>\n", anchor(task, at), wrong.count(at) != 0 ? "" : " class=\"better\"",
            at, text);
      else
        add("{:>5}  {}\n", at, text);
      if (at != line) continue;
      const bool has_notes = found.count(at) != 0 || missed.count(at) != 0 || at == bound;
      if (has_notes) close();
      for (const FindingGroup* const group : found[at]) finding(*group);
      for (const GoalVerdict* const each : missed[at]) goal(*each);
      if (at == bound) bound_by(task.speed);
    }
    next = last + 1;
  }
  close();
  add("</div>\n");
}

void Page::finding(const FindingGroup& group) {
  const Finding& finding = *group.shown;
  add("<div class=\"finding\">\n<p><strong>{}</strong> · {}", html_text(finding.tool), html_text(finding.kind));
  if (const std::string arrays = arrays_text(group); !arrays.empty()) add(" · <code>{}</code>", html_text(arrays));
  if (group.count > 1) add(" · {} times", with_commas(group.count));
  add("</p>\n<p>{}</p>\n", html_text(finding.sentence));
  if (!finding.advice.empty()) add("<p class=\"hint\">{}</p>\n", html_text(finding.advice));
  if (!is_shown(finding.place)) place_name(finding.place);
  add("<p class=\"dim\">");
  if (!finding.kernel.empty())
    add("<code>{}</code>, block ({}), thread ({}); ", html_text(finding.kernel), fmt::join(finding.block, ", "),
        fmt::join(finding.thread, ", "));
  add("first seen in the case {}</p>\n</div>\n", html_text(finding.case_name));
}

// Those that are at no line of the submission.
void Page::findings(const TaskVerdict& task) {
  bool has_heading = false;
  for (const FindingGroup& group : group_findings(task.findings)) {
    if (is_shown(group.shown->place)) continue;
    if (!std::exchange(has_heading, true)) add("<h3>Findings</h3>\n");
    finding(group);
  }
}

void Page::goal(const GoalVerdict& goal) {
  add("<div class=\"finding {}\">\n<p>{}</p>\n", goal.is_measured ? "better" : "waiting", html_text(goal.sentence));
  if (goal.is_measured && !goal.hint.empty()) add("<p class=\"hint\">{}</p>\n", html_text(goal.hint));
  if (goal.is_measured && !is_shown(goal.place)) place_name(goal.place);
  add("<p class=\"dim\"><code>{}</code> in the case {}</p>\n</div>\n", html_text(goal.counter),
      html_text(goal.case_name));
}

// The others; those that could not be measured yet only wait.
void Page::goals(const TaskVerdict& task) {
  for (const bool is_measured : {true, false}) {
    bool has_heading = false;
    for (const GoalVerdict& each : task.goals) {
      if (each.is_met || each.is_left_out || each.is_measured != is_measured || is_missed_at_a_line(each)) continue;
      if (!std::exchange(has_heading, true)) add("<h3>{}</h3>\n", is_measured ? "Missed goals" : "Goals that wait");
      goal(each);
    }
  }
}

void Page::classes(const ClassTable& table) {
  if (table.title.empty()) return;
  add("<h3>{}</h3>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{}\">\n<table>\n<thead><tr><th>case</th>",
      html_text(table.title), html_text(table.title));
  for (const std::string& heading : table.headings) add("<th class=\"points\">{}</th>", html_text(heading));
  add("</tr></thead>\n<tbody>\n");
  for (const ClassTable::Row& row : table.rows) {
    add("<tr><td>{}</td>", html_text(row.case_name));
    for (std::size_t c = 0; c < table.headings.size(); ++c)
      add("<td class=\"points\">{}</td>", c < row.values.size() ? html_text(row.values[c]) : "–");
    add("</tr>\n");
  }
  add("</tbody>\n</table>\n</div>\n");
}

void Page::speed(const SpeedVerdict& speed) {
  if (!speed.is_known) return;
  add("<h3>{}</h3>\n", speed.is_modelled ? "Modelled time" : "Time");
  add("<figure class=\"speed\">{}</figure>\n", speed_picture(speed));
  if (!speed.review.empty())
    add("<div class=\"finding waiting\"><p>Under review: {}</p></div>\n", html_text(speed.review));
  add("<p class=\"dim\">");
  if (speed.is_modelled)
    add("Modelled, not measured: the virtual GPU counted the case {} ({}) and derived the time of {} from it{}.",
        html_text(speed.case_name), html_text(speed.sizes), html_text(speed.device),
        speed.is_at_scale ? ", per part of a call 256 times as large, where launches no longer matter" : "");
  else
    add("Measured on {} in the case {} ({}): the median of {} samples and its 95 % interval; each sample has "
        "fresh inputs and alternates with those of the other bars.",
        html_text(speed.device), html_text(speed.case_name), html_text(speed.sizes), with_commas(speed.samples));
  if (speed.discarded > 0) add(" {} samples were discarded: the clock was low.", with_commas(speed.discarded));
  if (!speed.clocks.empty()) add(" {}.", html_text(speed.clocks));
  add(" Full points up to 1.2 times the reference's time, none at or above the naive step's time.</p>\n");
  if (!is_shown(speed.bound_place)) bound_by(speed);
}

void Page::bound_by(const SpeedVerdict& speed) {
  if (speed.bound_by.empty()) return;
  add("<div class=\"finding better\"><p>Bound by <strong>{}</strong>{}.</p></div>\n", html_text(speed.bound_by),
      is_shown(speed.bound_place) ? ", mainly here" : "");
  if (!is_shown(speed.bound_place)) place_name(speed.bound_place);
}

bool Page::is_shown(const SourcePlace& place) const {
  return place.line > 0 && place.line <= static_cast<int>(source_lines_.size()) && place.file == sources_.source_name;
}

bool Page::is_missed_at_a_line(const GoalVerdict& goal) const {
  return goal.is_measured && !goal.is_met && !goal.is_left_out && is_shown(goal.place);
}

// Tasks may share a file, and labs a page, so the number of a line is not enough.
std::string Page::anchor(const TaskVerdict& task, int line) {
  return fmt::format("{}-{}-line{}", html_text(task.lab), html_text(task.task), line);
}

void Page::place_name(const SourcePlace& place) {
  if (place.line > 0) add("<p class=\"mono\">{}:{}</p>\n", html_text(place.file), place.line);
}

void Page::cases(const TaskVerdict& task) {
  add("<table class=\"stacked\">\n<thead><tr><th>case</th><th>outcome</th><th>points</th><th>why it is "
      "here</th></tr></thead>\n<tbody>\n");
  for (const CaseVerdict& verdict : task.cases) {
    const char* const look = verdict.outcome == CaseOutcome::kRight     ? "good"
                             : verdict.outcome == CaseOutcome::kLeftOut ? "dim"
                                                                        : "bad";
    add("<tr><td class=\"whole\">{}</td><td class=\"{}\">{}</td><td class=\"points\">{}/{}</td><td "
        "class=\"dim\">{}</td></tr>\n",
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
