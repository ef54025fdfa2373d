// Writes the page from top to bottom: the class, a section per lab, the students, then what needs a person.
#include "grader/overview/overview_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "datasets/sha256.h"
#include "grader/overview/class_counts.h"
#include "grader/overview/histogram.h"
#include "grader/overview/overview_script.h"
#include "grader/overview/overview_style.h"
#include "harness/lab/number_text.h"
#include "harness/report/base64.h"
#include "harness/report/html_style.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

constexpr std::size_t kScoreBins = 10;
// Lists are cut, so that a page for 500 students and ten labs still opens at once.
constexpr std::size_t kPeopleListed = 40;
constexpr std::size_t kLongestName = 60;  // columns
constexpr std::size_t kLongestSentence = 300;
constexpr std::size_t kLongestPlace = 120;

std::string short_text(const std::string& text, std::size_t columns) {
  const std::string line = safe_line(text);
  return html_text(columns_of(line) <= columns ? line : first_columns(line, columns - 1) + "…");
}

std::string counted_words(std::size_t count, const char* thing) {
  return fmt::format("{} {}{}", with_commas(count), thing, count == 1 ? "" : "s");
}

// The policy's source expression for the only script that may run, by its digest.
std::string script_source(const char* script) {
  const std::string text = script;
  Sha256 hash;
  hash.add(text.data(), text.size());
  const std::string digits = hash.digest();
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return "'sha256-" + base64(bytes) + "'";
}

class OverviewPage {
 public:
  OverviewPage(const GradedClass& graded, const Similarity& similarity)
      : graded_(graded),
        similarity_(similarity),
        labs_(count_class(graded)),
        troubles_(count_troubles(graded)),
        reviews_(review_items(graded)) {
    for (std::size_t i = 0; i < graded.students.size(); ++i) positions_[graded.students[i].student.id] = i;
  }
  std::string render();

 private:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(page_), format, std::forward<Arguments>(arguments)...);
  }

  void head();
  void contents();
  void lab_table();
  void lab(std::size_t position);
  void misconceptions(std::size_t position);
  void cases(std::size_t position);
  void findings(const LabCounts& lab);
  void students();
  void student_row(const GradedStudent& student);
  void score_cell(const GradedStudent& student, const std::string& lab);
  void troubles();
  void set_aside();
  void review();
  void similar();
  void foot();

  std::string link(std::size_t student) const;
  std::string link(const std::string& id) const;
  std::string people(const SharedBy& students) const;
  void and_more(std::size_t shown, std::size_t all);
  // The anchor of a misconception: by lab and position in its list.
  static std::string anchor(std::size_t lab, std::size_t misconception) {
    return fmt::format("lab-{}-mistake-{}", lab + 1, misconception + 1);
  }

  const GradedClass& graded_;
  const Similarity& similarity_;
  std::vector<LabCounts> labs_;
  std::vector<Trouble> troubles_;
  std::vector<ReviewItem> reviews_;
  std::map<std::string, std::size_t> positions_;  // of students, by id
  std::string page_;
};

std::string OverviewPage::link(std::size_t student) const {
  const Student& who = graded_.students[student].student;
  return fmt::format("<a href=\"students/{}/index.html\">{}</a>", html_text(who.id),
                     short_text(who.name.empty() ? who.id : who.name, kLongestName));
}

std::string OverviewPage::link(const std::string& id) const {
  const auto known = positions_.find(id);
  return known == positions_.end() ? html_text(id) : link(known->second);
}

std::string OverviewPage::people(const SharedBy& students) const {
  std::string text;
  for (std::size_t i = 0; i < std::min(students.size(), kPeopleListed); ++i)
    text += (i == 0 ? "" : ", ") + link(students[i]);
  if (students.size() > kPeopleListed) text += fmt::format(" and {} more", students.size() - kPeopleListed);
  return text;
}

void OverviewPage::and_more(std::size_t shown, std::size_t all) {
  if (shown < all) add("<p class=\"dim\">And {} more.</p>\n", with_commas(all - shown));
}

std::string OverviewPage::render() {
  head();
  contents();
  if (labs_.size() > 1) lab_table();
  for (std::size_t i = 0; i < labs_.size(); ++i) lab(i);
  students();
  troubles();
  set_aside();
  review();
  similar();
  foot();
  return std::move(page_);
}

void OverviewPage::head() {
  const std::string title = graded_.title.empty() ? "The class" : short_text(graded_.title, kLongestPlace);
  // The policy is a second line of defence behind the escaping: markup that slipped through could load or run nothing.
  add("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src {}; img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>{} · overview</title>\n<style>{}{}</style>\n</head>\n<body>\n",
      script_source(kOverviewScript), title, kHtmlStyle, kOverviewStyle);
  std::size_t attempts = 0;
  std::size_t graded = 0;
  for (const LabCounts& lab : labs_) {
    graded += lab.graded.size();
    attempts += lab.graded.size() + lab.not_graded.size();
  }
  add("<h1>{}</h1>\n<p class=\"meta\"><strong class=\"score\">{} of {} graded</strong> · {} · {}", title,
      with_commas(graded), counted_words(attempts, "submission"), counted_words(graded_.students.size(), "student"),
      counted_words(labs_.size(), "lab"));
  if (!graded_.backend.empty()) add(" · {}", html_text(graded_.backend));
  if (!graded_.cases.empty()) add(" · cases: {}", html_text(graded_.cases));
  add(" · seed {}</p>\n", graded_.seed);
}

void OverviewPage::contents() {
  add("<nav aria-label=\"Contents\">");
  for (std::size_t i = 0; i < labs_.size(); ++i) add("<a href=\"#lab-{}\">{}</a>", i + 1, html_text(labs_[i].id));
  add("<a href=\"#students\">Students</a>");
  if (!troubles_.empty()) add("<a href=\"#not-graded\">Not graded</a>");
  if (!graded_.set_aside.empty()) add("<a href=\"#set-aside\">Set aside</a>");
  if (!reviews_.empty()) add("<a href=\"#review\">For review</a>");
  if (!similarity_.pairs.empty()) add("<a href=\"#similar\">Similar</a>");
  add("</nav>\n");
}

void OverviewPage::lab_table() {
  add("<div class=\"wide\"><table>\n<thead><tr><th>lab</th><th class=\"number\">graded</th><th class=\"number\">not "
      "graded</th><th class=\"number\">nothing submitted</th><th class=\"number\">late</th><th "
      "class=\"number\">mean</th>"
      "<th class=\"number\">median</th><th class=\"number\">of</th><th>most common "
      "mistake</th></tr></thead>\n<tbody>\n");
  for (std::size_t i = 0; i < labs_.size(); ++i) {
    const LabCounts& lab = labs_[i];
    add("<tr><td><a href=\"#lab-{}\">{}</a></td>", i + 1, html_text(lab.id));
    for (const SharedBy* who : {&lab.graded, &lab.not_graded, &lab.missing, &lab.late})
      add("<td class=\"number\">{}</td>", who->size());
    add("<td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td>",
        lab.points.empty() ? "–" : points_text(lab.mean), lab.points.empty() ? "–" : points_text(lab.median),
        points_text(lab.max_points));
    if (!lab.misconceptions.empty())
      add("{}: <a href=\"#{}\">{}</a>", counted_words(lab.misconceptions[0].students.size(), "student"), anchor(i, 0),
          html_text(lab.misconceptions[0].name));
    add("</td></tr>\n");
  }
  add("</tbody>\n</table></div>\n");
}

void OverviewPage::lab(std::size_t position) {
  const LabCounts& lab = labs_[position];
  add("<section id=\"lab-{}\">\n<h2><span>{}{}{}</span>", position + 1, html_text(lab.id),
      lab.title.empty() ? "" : " · ", html_text(lab.title));
  if (!lab.points.empty())
    add("<span class=\"score\">mean {}/{}</span>", points_text(lab.mean), points_text(lab.max_points));
  add("</h2>\n<p class=\"meta\">{} graded, {} not graded, {} submitted nothing, {} late</p>\n", lab.graded.size(),
      lab.not_graded.size(), lab.missing.size(), lab.late.size());
  if (lab.points.empty()) {
    add("<p>Nobody's work has been graded yet.</p>\n</section>\n");
    return;
  }
  add("<h3>Points</h3>\n<figure class=\"histogram\">{}<figcaption>Students by points as graded, before lateness and "
      "extra credit.</figcaption></figure>\n",
      histogram_picture({distribution(lab.points, lab.max_points, kScoreBins), lab.max_points, lab.mean, lab.median}));
  add("<h3>Where points come from</h3>\n<table>\n<tbody>\n");
  for (const PartCount& part : lab.parts)
    add("<tr><td>{0}</td><td class=\"points\">{1}/{2}</td><td><meter min=\"0\" max=\"{2}\" value=\"{1}\"></meter></td>"
        "</tr>\n",
        html_text(part.name), points_text(part.points), points_text(part.max_points));
  add("</tbody>\n</table>\n<p class=\"dim\">Means over the students for whom the part was scored.</p>\n");
  misconceptions(position);
  cases(position);
  findings(lab);
  add("</section>\n");
}

void OverviewPage::misconceptions(std::size_t position) {
  const LabCounts& lab = labs_[position];
  if (lab.misconceptions.empty()) return;
  add("<h3>Recognised mistakes</h3>\n");
  for (std::size_t i = 0; i < lab.misconceptions.size(); ++i) {
    const MisconceptionCount& each = lab.misconceptions[i];
    add("<div class=\"misconception\" id=\"{}\">\n<p><strong>{}: {}</strong></p>\n", anchor(position, i),
        counted_words(each.students.size(), "student"), html_text(each.name));
    if (!each.hint.empty()) add("<p>{}</p>\n", short_text(each.hint, kLongestSentence));
    add("<p class=\"who\">{}</p>\n</div>\n", people(each.students));
  }
}

void OverviewPage::cases(std::size_t position) {
  const LabCounts& lab = labs_[position];
  if (lab.cases.empty()) return;
  add("<h3>Cases</h3>\n<div class=\"wide\"><table>\n<thead><tr><th>case</th><th "
      "class=\"number\">failed</th><th>mistakes</th><th>why it is here</th></tr></thead>\n<tbody>\n");
  const std::string* task = nullptr;
  for (const CaseCount& each : lab.cases) {
    if (!task || *task != each.task)
      add("<tr><th colspan=\"4\" scope=\"colgroup\">{}</th></tr>\n", html_text(each.task));
    task = &each.task;
    add("<tr><td>{}</td><td class=\"number {}\">{} of {}</td><td>", html_text(each.label),
        each.failed.empty() ? "dim" : "bad", each.failed.size(), each.ran);
    for (std::size_t i = 0; i < each.misconceptions.size(); ++i) {
      const MisconceptionCount& shared = each.misconceptions[i];
      const auto known = std::find_if(lab.misconceptions.begin(), lab.misconceptions.end(),
                                      [&shared](const MisconceptionCount& of) { return of.name == shared.name; });
      add("{}{}: <a href=\"#{}\">{}</a>", i == 0 ? "" : "<br>", counted_words(shared.students.size(), "student"),
          anchor(position, static_cast<std::size_t>(known - lab.misconceptions.begin())), html_text(shared.name));
    }
    add("</td><td class=\"dim\">{}</td></tr>\n", html_text(each.why));
  }
  add("</tbody>\n</table></div>\n");
}

void OverviewPage::findings(const LabCounts& lab) {
  if (lab.findings.empty()) return;
  add("<h3>Findings</h3>\n<table>\n<thead><tr><th>tool</th><th>kind</th><th class=\"number\">students</th><th>who</th>"
      "</tr></thead>\n<tbody>\n");
  const std::size_t shown = std::min(lab.findings.size(), kPeopleListed);
  for (std::size_t i = 0; i < shown; ++i) {
    const FindingCount& each = lab.findings[i];
    add("<tr><td>{}</td><td>{}</td><td class=\"number\">{}</td><td class=\"who\">{}</td></tr>\n", html_text(each.tool),
        short_text(each.kind, kLongestName), each.students.size(), people(each.students));
  }
  add("</tbody>\n</table>\n");
  and_more(shown, lab.findings.size());
}

void OverviewPage::students() {
  add("<section id=\"students\">\n<h2><span>Students</span></h2>\n");
  if (graded_.students.empty()) {
    add("<p>There are none.</p>\n</section>\n");
    return;
  }
  add("<div class=\"wide\"><table class=\"sortable\">\n<thead><tr><th>student</th><th>id</th>");
  for (const LabCounts& lab : labs_) add("<th class=\"number\">{}</th>", html_text(lab.id));
  if (labs_.size() > 1) add("<th class=\"number\">all</th>");
  add("</tr></thead>\n<tbody>\n");
  for (const GradedStudent& student : graded_.students) student_row(student);
  add("</tbody>\n</table></div>\n<p class=\"dim\">Points that count in the course, after lateness and extra "
      "credit.</p>\n"
      "</section>\n");
}

void OverviewPage::student_row(const GradedStudent& student) {
  const Student& who = student.student;
  add("<tr><td><a href=\"students/{}/index.html\">{}</a>{}</td><td class=\"mono\">{}</td>", html_text(who.id),
      short_text(who.name.empty() ? who.id : who.name, kLongestName),
      who.is_enrolled ? "" : "<span class=\"mark\">not in the roster</span>", html_text(who.id));
  double sum = 0;
  for (const LabCounts& lab : labs_) {
    score_cell(student, lab.id);
    const GradedAttempt* const attempt = shown_attempt(student, lab.id);
    if (attempt && attempt->verdict) sum += attempt->score.points;
  }
  if (labs_.size() > 1) add("<td class=\"number\">{}</td>", points_text(sum));
  add("</tr>\n");
}

// A missing score sorts below zero points.
void OverviewPage::score_cell(const GradedStudent& student, const std::string& lab) {
  const GradedAttempt* const attempt = shown_attempt(student, lab);
  if (!attempt) {
    add("<td class=\"number dim\" data-value=\"-2\">–</td>");
    return;
  }
  if (!attempt->verdict) {
    add("<td class=\"number bad\" data-value=\"-1\">not graded</td>");
    return;
  }
  const CourseScore& score = attempt->score;
  add("<td class=\"number\" data-value=\"{}\">{}", points_text(score.points), points_text(score.points));
  if (score.days_late > 0) add("<span class=\"mark\">{} d late</span>", points_text(score.days_late));
  add("</td>");
}

void OverviewPage::troubles() {
  if (troubles_.empty()) return;
  std::size_t all = 0;
  for (const Trouble& each : troubles_) all += each.attempts.size();
  add("<section id=\"not-graded\">\n<h2><span>What could not be graded</span><span class=\"score\">{}</span></h2>\n"
      "<table>\n<thead><tr><th>who</th><th>why</th></tr></thead>\n<tbody>\n",
      counted_words(all, "attempt"));
  std::size_t shown = 0;
  for (std::size_t i = 0; i < std::min(troubles_.size(), kRowsOnPage); ++i) {
    const Trouble& trouble = troubles_[i];
    shown += trouble.attempts.size();
    add("<tr><td class=\"who\">");
    for (std::size_t j = 0; j < std::min(trouble.attempts.size(), kPeopleListed); ++j)
      add("{}{} · {}", j == 0 ? "" : ", ", link(trouble.attempts[j].student),
          html_text(trouble.attempts[j].attempt->lab));
    if (trouble.attempts.size() > kPeopleListed) add(" and {} more", trouble.attempts.size() - kPeopleListed);
    add("</td><td>{}</td></tr>\n", short_text(trouble.sentence, kLongestSentence));
  }
  add("</tbody>\n</table>\n");
  and_more(shown, all);
  add("</section>\n");
}

void OverviewPage::set_aside() {
  const std::vector<SetAside>& all = graded_.set_aside;
  if (all.empty()) return;
  add("<section id=\"set-aside\">\n<h2><span>What was set aside</span><span class=\"score\">{}</span></h2>\n"
      "<table>\n<thead><tr><th>what</th><th>why</th></tr></thead>\n<tbody>\n",
      with_commas(all.size()));
  const std::size_t shown = std::min(all.size(), kRowsOnPage);
  for (std::size_t i = 0; i < shown; ++i)
    add("<tr><td class=\"who\"><code>{}</code></td><td>{}</td></tr>\n", short_text(all[i].what, kLongestPlace),
        short_text(all[i].why, kLongestSentence));
  add("</tbody>\n</table>\n");
  if (shown < all.size())
    add("<p class=\"dim\">And {} more: <a href=\"{}\">all of them</a>.</p>\n", with_commas(all.size() - shown),
        kSetAsideFile);
  add("</section>\n");
}

void OverviewPage::review() {
  if (reviews_.empty()) return;
  add("<section id=\"review\">\n<h2><span>For review</span></h2>\n");
  for (auto at = reviews_.begin(); at != reviews_.end();) {
    const auto end = std::find_if(at, reviews_.end(), [at](const ReviewItem& item) { return item.kind != at->kind; });
    const auto all = static_cast<std::size_t>(end - at);
    const std::size_t shown = std::min(all, kRowsOnPage);
    add("<h3>{}: {}</h3>\n<table>\n<tbody>\n", words_for(at->kind), with_commas(all));
    for (auto item = at; item != at + static_cast<std::ptrdiff_t>(shown); ++item)
      add("<tr><td class=\"who\">{}</td><td>{} · {}</td><td>{}</td></tr>\n", link(item->student), html_text(item->lab),
          html_text(item->task), short_text(item->sentence, kLongestSentence));
    add("</tbody>\n</table>\n");
    and_more(shown, all);
    at = end;
  }
  add("</section>\n");
}

void OverviewPage::similar() {
  if (similarity_.pairs.empty() && similarity_.notes.empty()) return;
  add("<section id=\"similar\">\n<h2><span>Near-identical submissions</span></h2>\n<p class=\"dim\">How much of each "
      "one's own code the other also contains. Names, comments, numbers and layout do not count, nor does what was "
      "handed out. It says where to look, not who did what.</p>\n");
  const std::size_t shown = std::min(similarity_.pairs.size(), kRowsOnPage);
  if (shown > 0) {
    add("<table>\n<thead><tr><th>lab</th><th>one</th><th class=\"number\">shares</th><th>other</th><th "
        "class=\"number\">shares</th><th></th></tr></thead>\n<tbody>\n");
    for (std::size_t i = 0; i < shown; ++i) {
      const SimilarPair& pair = similarity_.pairs[i];
      add("<tr><td>{}</td><td class=\"who\">{}</td><td class=\"number\">{:.0f} %</td><td class=\"who\">{}</td><td "
          "class=\"number\">{:.0f} %</td><td><a href=\"{}\">side by side</a></td></tr>\n",
          html_text(pair.lab), link(pair.first), pair.first_percent, link(pair.second), pair.second_percent,
          pair_file(i));
    }
    add("</tbody>\n</table>\n");
  }
  and_more(shown, similarity_.pairs.size() + similarity_.more);
  for (std::size_t i = 0; i < std::min(similarity_.notes.size(), kPeopleListed); ++i)
    add("<p>{}</p>\n", short_text(similarity_.notes[i], kLongestSentence));
  and_more(std::min(similarity_.notes.size(), kPeopleListed), similarity_.notes.size());
  add("</section>\n");
}

void OverviewPage::foot() {
  add("<footer class=\"meta\">Random inputs are made from seed {}: with it, every verdict can be reproduced. "
      "Lanewise.</footer>\n<script>{}</script>\n</body>\n</html>\n",
      graded_.seed, kOverviewScript);
}

}  // namespace

std::string overview_page(const GradedClass& graded, const Similarity& similarity) {
  return OverviewPage(graded, similarity).render();
}

std::string pair_file(std::size_t position) { return fmt::format("similar/{:02}.html", position + 1); }

}  // namespace lanewise
