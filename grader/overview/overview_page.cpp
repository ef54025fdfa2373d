// Writes the page from top to bottom: who and what needs a person, the students, then a section per lab.
#include "grader/overview/overview_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "datasets/sha256.h"
#include "grader/exports/counted.h"
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
        groups_(similar_groups(similarity.pairs)),
        items_(to_be_looked_at(graded, groups_)) {
    for (std::size_t i = 0; i < graded.students.size(); ++i) {
      positions_[graded.students[i].student.id] = i;
      has_roster_ = has_roster_ || graded.students[i].student.is_enrolled;
    }
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
  void look_at();
  void look_row(const LookItem& item);
  void similar();
  void group(std::size_t position);
  void pairs_of(const SimilarGroup& group);
  std::string first_of(const SimilarGroup& group) const;
  void set_aside();
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
  std::vector<SimilarGroup> groups_;
  std::vector<LookItem> items_;
  std::map<std::string, std::size_t> positions_;  // of students, by id
  bool has_roster_ = false;
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
  look_at();
  similar();
  set_aside();
  students();
  if (labs_.size() > 1) lab_table();
  for (std::size_t i = 0; i < labs_.size(); ++i) lab(i);
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
  add("<nav aria-label=\"Contents\"><a href=\"#look-at\">To be looked at</a>");
  if (!groups_.empty()) add("<a href=\"#similar\">Near-identical</a>");
  if (!graded_.set_aside.empty()) add("<a href=\"#set-aside\">Set aside</a>");
  add("<a href=\"#students\">Students</a>");
  for (std::size_t i = 0; i < labs_.size(); ++i) add("<a href=\"#lab-{}\">{}</a>", i + 1, html_text(labs_[i].id));
  add("</nav>\n");
}

void OverviewPage::lab_table() {
  add("<section>\n<h2><span>Labs</span></h2>\n<div class=\"wide\"><table "
      "class=\"sortable\">\n<thead><tr><th>lab</th><th class=\"number\">graded</th><th class=\"number\">not "
      "graded</th><th class=\"number\">nothing submitted</th><th class=\"number\">late</th><th "
      "class=\"number\">mean</th>"
      "<th class=\"number\">median</th><th class=\"number\">of</th><th>most common "
      "mistake</th></tr></thead>\n<tbody>\n");
  for (std::size_t i = 0; i < labs_.size(); ++i) {
    const LabCounts& lab = labs_[i];
    add("<tr><td><a href=\"#lab-{}\">{}</a></td>", i + 1, html_text(lab.id));
    for (const SharedBy* who : {&lab.graded, &lab.not_graded, &lab.missing, &lab.late})
      add("<td class=\"number\">{}</td>", who->size());
    for (const double value : {lab.mean, lab.median}) {
      const std::string points = points_text(value);
      add("<td class=\"number\" data-value=\"{}\">{}</td>", lab.points.empty() ? "-1" : points,
          lab.points.empty() ? "–" : points);
    }
    add("<td class=\"number\">{}</td><td>", points_text(lab.max_points));
    if (!lab.misconceptions.empty())
      add("{}: <a href=\"#{}\">{}</a>", counted_words(lab.misconceptions[0].students.size(), "student"), anchor(i, 0),
          html_text(lab.misconceptions[0].name));
    add("</td></tr>\n");
  }
  add("</tbody>\n</table></div>\n</section>\n");
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
  const auto failed =
      std::count_if(lab.cases.begin(), lab.cases.end(), [](const CaseCount& each) { return !each.failed.empty(); });
  add("<details>\n<summary>Cases: {} of {} failed by somebody</summary>\n<div "
      "class=\"wide\"><table>\n<thead><tr><th>case</th><th class=\"number\">failed</th><th>mistakes</th><th>why it is "
      "here</th></tr></thead>\n<tbody>\n",
      failed, lab.cases.size());
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
  add("</tbody>\n</table></div>\n</details>\n");
}

void OverviewPage::findings(const LabCounts& lab) {
  if (lab.findings.empty()) return;
  add("<h3>Findings</h3>\n<div class=\"wide\"><table class=\"sortable\">\n<thead><tr><th>tool</th><th>kind</th><th "
      "class=\"number\">students</th><th>who</th>"
      "</tr></thead>\n<tbody>\n");
  const std::size_t shown = std::min(lab.findings.size(), kPeopleListed);
  for (std::size_t i = 0; i < shown; ++i) {
    const FindingCount& each = lab.findings[i];
    add("<tr><td>{}</td><td>{}</td><td class=\"number\">{}</td><td class=\"who\">{}</td></tr>\n", html_text(each.tool),
        short_text(each.kind, kLongestName), each.students.size(), people(each.students));
  }
  add("</tbody>\n</table></div>\n");
  and_more(shown, lab.findings.size());
}

void OverviewPage::students() {
  add("<section id=\"students\">\n<h2><span>Students</span></h2>\n");
  if (graded_.students.empty()) {
    add("<p>There are none.</p>\n</section>\n");
    return;
  }
  add("<div class=\"wide\"><table class=\"sortable\" data-filter=\"Filter the students\">\n<thead><tr><th>student</th>"
      "<th>id</th>");
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
      who.is_enrolled || !has_roster_ ? "" : "<span class=\"mark\">not in the roster</span>", html_text(who.id));
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

void OverviewPage::look_at() {
  add("<section id=\"look-at\">\n<h2><span>To be looked at</span></h2>\n");
  if (items_.empty()) {
    add("<p>Nobody: all that was submitted is graded, and nothing in it needs a second look.</p>\n</section>\n");
    return;
  }
  add("<p class=\"meta\">");
  for (auto at = items_.begin(); at != items_.end();) {
    const LookReason reason = at->reason;
    const auto end = std::find_if(at, items_.end(), [reason](const LookItem& item) { return item.reason != reason; });
    add("{}{}: {}", at == items_.begin() ? "" : " · ", words_for(reason), with_commas(end - at));
    at = end;
  }
  add("</p>\n<div class=\"wide\"><table class=\"sortable people\" data-filter=\"Filter what is to be looked at\">\n"
      "<thead><tr><th>student</th><th>reason</th><th>lab</th><th>details</th></tr></thead>\n<tbody>\n");
  const std::size_t shown = std::min(items_.size(), kRowsOnPage);
  for (std::size_t i = 0; i < shown; ++i) look_row(items_[i]);
  add("</tbody>\n</table></div>\n");
  and_more(shown, items_.size());
  add("</section>\n");
}

void OverviewPage::look_row(const LookItem& item) {
  const bool is_similar = item.reason == LookReason::kSimilar;
  add("<tr><td class=\"who\">{}</td><td>{}{}{}</td><td>", link(item.student), is_similar ? "<a href=\"#similar\">" : "",
      words_for(item.reason), is_similar ? "</a>" : "");
  for (std::size_t i = 0; i < item.labs.size(); ++i)
    add("{}<a href=\"students/{}/index.html#{}\">{}</a>", i == 0 ? "" : ", ",
        html_text(graded_.students[item.student].student.id), html_text(item.labs[i]), html_text(item.labs[i]));
  add("</td><td class=\"who\">{}", short_text(item.sentence, kLongestSentence));
  if (item.more > 0) add(" <span class=\"dim\">and {} more</span>", with_commas(item.more));
  add("</td></tr>\n");
}

void OverviewPage::similar() {
  if (groups_.empty() && similarity_.notes.empty()) return;
  add("<section id=\"similar\">\n<h2><span>Near-identical submissions</span><span class=\"score\">{}</span></h2>\n<p "
      "class=\"dim\">In a group, each resembles each other one: the percentage is how much of one's own code another "
      "contains. Names, comments, numbers and layout do not count, nor does what was handed out. It says where to "
      "look, "
      "not who did what.</p>\n",
      counted_words(groups_.size(), "group"));
  const std::size_t shown = std::min(groups_.size(), kRowsOnPage);
  for (std::size_t i = 0; i < shown; ++i) group(i);
  and_more(shown, groups_.size());
  if (similarity_.more > 0)
    add("<p class=\"dim\">{} less similar were not compared in detail.</p>\n", counted_words(similarity_.more, "pair"));
  for (std::size_t i = 0; i < std::min(similarity_.notes.size(), kPeopleListed); ++i)
    add("<p>{}</p>\n", short_text(similarity_.notes[i], kLongestSentence));
  and_more(std::min(similarity_.notes.size(), kPeopleListed), similarity_.notes.size());
  add("</section>\n");
}

void OverviewPage::group(std::size_t position) {
  const SimilarGroup& group = groups_[position];
  const auto share = [&](std::size_t pair) { return fmt::format("{:.0f}", largest_share(similarity_.pairs[pair])); };
  const std::string most = share(group.pairs.front());
  const std::string least = share(group.pairs.back());
  add("<div class=\"group\">\n<p><strong>{}: {}</strong>, sharing {} %</p>\n<p class=\"who\">", html_text(group.lab),
      counted_words(group.students.size(), "student"), most == least ? most : least + " to " + most);
  const std::size_t named = std::min(group.students.size(), kPeopleListed);
  for (std::size_t i = 0; i < named; ++i) add("{}{}", i == 0 ? "" : ", ", link(group.students[i]));
  if (named < group.students.size()) add(" and {} more", group.students.size() - named);
  add("</p>\n{}", first_of(group));
  pairs_of(group);
  add("</div>\n");
}

// Only if every time is known and one is the earliest; files can be given any time, so it is no proof.
std::string OverviewPage::first_of(const SimilarGroup& group) const {
  std::vector<std::pair<std::int64_t, std::size_t>> times;  // with the student's position
  for (const std::string& id : group.students) {
    const auto known = positions_.find(id);
    if (known == positions_.end()) return "";
    const GradedAttempt* const attempt = shown_attempt(graded_.students[known->second], group.lab);
    if (!attempt || attempt->submitted == 0) return "";
    times.emplace_back(attempt->submitted, known->second);
  }
  std::sort(times.begin(), times.end());
  if (times[0].first == times[1].first) return "";
  return fmt::format("<p class=\"who\">Probable source, by time of submission: {}, {}</p>\n", link(times[0].second),
                     submitted_text(times[0].first));
}

void OverviewPage::pairs_of(const SimilarGroup& group) {
  const auto page_of = [](std::size_t pair) {
    return pair < kRowsOnPage ? fmt::format("<a href=\"{}\">side by side</a>", pair_file(pair)) : std::string();
  };
  if (group.pairs.size() == 1) {
    if (const std::string page = page_of(group.pairs[0]); !page.empty()) add("<p>{}</p>\n", page);
    return;
  }
  const std::size_t shown = std::min(group.pairs.size(), kRowsOnPage);
  add("<details>\n<summary>{}</summary>\n<div class=\"wide\"><table class=\"sortable\">\n<thead><tr><th>one</th><th "
      "class=\"number\">shares</th><th>other</th><th class=\"number\">shares</th><th></th></tr></thead>\n<tbody>\n",
      counted_words(group.pairs.size(), "pair"));
  for (std::size_t i = 0; i < shown; ++i) {
    const SimilarPair& pair = similarity_.pairs[group.pairs[i]];
    add("<tr><td class=\"who\">{0}</td><td class=\"number\" data-value=\"{1:.0f}\">{1:.0f} %</td><td "
        "class=\"who\">{2}</td><td class=\"number\" data-value=\"{3:.0f}\">{3:.0f} %</td><td>{4}</td></tr>\n",
        link(pair.first), pair.first_percent, link(pair.second), pair.second_percent, page_of(group.pairs[i]));
  }
  add("</tbody>\n</table></div>\n");
  and_more(shown, group.pairs.size());
  add("</details>\n");
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
