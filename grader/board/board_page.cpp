// Standings, entries without a rank, the cases, how times were determined. The script recognises rows by their keys.
#include "grader/board/board_page.h"

#include <fmt/format.h>

#include <iterator>

#include "grader/board/board_json.h"
#include "grader/board/history_section.h"
#include "grader/board/interval_picture.h"
#include "grader/board/table_region.h"
#include "grader/exports/counted.h"
#include "harness/lab/time_text.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

class BoardPage {
 public:
  explicit BoardPage(const Board& board) : board_(board) {}
  std::string render();

 private:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(page_), format, std::forward<Arguments>(arguments)...);
  }

  void head();
  void ranked();
  void standings_table();
  void ranked_row(const Place& place);
  void mark_row(const BoardMark& mark);
  void unranked();
  void cases();
  void one_case(std::size_t number);
  void marks(const std::string& caption, const std::vector<BoardMark>& marks, double reference_milliseconds);
  void submitted(const BoardEntry& entry);
  void picture(const std::string& title, const std::vector<IntervalRow>& rows, const std::vector<BoardMark>& marks);
  void rules();

  const BoardEntry& entry_of(const Place& place) const { return board_.entries[place.entry]; }
  std::size_t count(bool is_ranked) const {
    std::size_t count = 0;
    for (const Place& place : board_.places) count += (place.rank > 0) == is_ranked ? 1 : 0;
    return count;
  }
  std::string time(double milliseconds) const {
    return (board_.is_modelled ? "modelled " : "") + time_text(milliseconds);
  }

  const Board& board_;
  std::string page_;
};

std::string html_line(const std::string& text) { return html_text(safe_line(text)); }

std::string BoardPage::render() {
  head();
  ranked();
  unranked();
  page_ += history_section(board_);
  cases();
  rules();
  add("</main>\n</body>\n</html>\n");
  return std::move(page_);
}

void BoardPage::head() {
  // The policy is a second line of defence behind the escaping: markup that slipped through could load nothing from
  // elsewhere, and run nothing but the board's own script.
  add("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'self'; script-src 'self'; "
      "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>{0}</title>\n<link rel=\"stylesheet\" href=\"board.css\">\n"
      "<script src=\"board.js\" defer></script>\n</head>\n<body>\n"
      "<a class=\"skip\" href=\"#standings\">Skip to the standings</a>\n<main data-version=\"{1}\">\n<h1>{0}</h1>\n",
      html_line(board_.title), board_version(board_));
  if (board_.made != 0) {
    add("<p class=\"meta\">made {}{} · {} ranked · {} without a rank · {} · {}", submitted_text(board_.made),
        dates_text(board_, " · "), count(true), count(false), html_line(how_timed(board_)), html_line(board_.compiler));
    if (!board_.driver.empty()) add(" · driver {}", html_line(board_.driver));
    if (!board_.clocks.empty()) add(" · {}", html_line(board_.clocks));
    add("</p>\n");
  }
  add("<p id=\"live\" role=\"status\" aria-live=\"polite\"></p>\n"
      "<nav aria-label=\"Contents\"><a href=\"#standings\">Standings</a>{}{}<a href=\"#cases\">Cases</a>"
      "<a href=\"#rules\">How ranks are determined</a></nav>\n",
      count(false) > 0 ? "<a href=\"#without\">Without a rank</a>" : "",
      board_.since() != 0 ? "<a href=\"#history\">History</a>" : "");
  if (board_.frozen != 0) add("<p class=\"note\" id=\"freeze\">{}</p>\n", freeze_text(board_));
  if (board_.is_modelled)
    add("<p class=\"note\" id=\"modelled\">All times here are <strong>modelled</strong>: the virtual GPU's model "
        "computed them for the {} profile. No clock was read.</p>\n",
        html_line(board_.device));
}

void BoardPage::picture(const std::string& title, const std::vector<IntervalRow>& rows,
                        const std::vector<BoardMark>& marks) {
  add("<figure class=\"intervals wide\" tabindex=\"0\" aria-label=\"Intervals: {}\">{}</figure>\n", html_line(title),
      interval_picture(title, rows, marks));
}

void BoardPage::ranked() {
  add("<section id=\"standings\">\n<h2><span>Standings</span></h2>\n");
  if (count(true) == 0) {
    add("<p>Nobody has a rank yet.</p>\n</section>\n");
    return;
  }
  std::vector<IntervalRow> rows;
  for (const Place& place : board_.places)
    if (place.rank > 0)
      rows.push_back(
          {fmt::format("{}. {}", place.rank, entry_of(place).name), ratio_with_interval(place.ratio), place.ratio});
  picture("standings", rows, board_.marks);
  add("<p>{}</p>\n", what_changes_mean(board_));
  standings_table();
  if (board_.cases.size() > 1) {
    add("<h3>For comparison, over all cases</h3>\n");
    marks("Reference marks over all cases", board_.marks, 0);
  }
  add("</section>\n");
}

void BoardPage::standings_table() {
  const bool is_time_alone = board_.weights.is_time_alone();
  page_ += begin_table("standings-table", "Standings", Sorting::kByScript);
  add("<thead><tr><th class=\"number\" scope=\"col\">rank</th>{}<th scope=\"col\">name</th><th class=\"number\" "
      "scope=\"col\">{}time ÷ reference</th>{}<th scope=\"col\">submitted</th></tr></thead>\n<tbody>\n",
      board_.since() != 0 ? "<th scope=\"col\">change</th>" : "", board_.is_modelled ? "modelled " : "",
      is_time_alone ? ""
                    : "<th class=\"number\" scope=\"col\">score</th><th class=\"number\" "
                      "scope=\"col\">correctness</th><th class=\"number\" scope=\"col\">clarity</th>");
  // Reference marks are listed among the entries, unless more than time counts.
  auto mark = board_.marks.rbegin();
  for (const Place& place : board_.places) {
    if (place.rank == 0) continue;
    for (; is_time_alone && mark != board_.marks.rend() && mark->ratio < place.ratio.value; ++mark) mark_row(*mark);
    ranked_row(place);
  }
  for (; mark != board_.marks.rend(); ++mark) mark_row(*mark);
  page_ += kTableEnd;
}

void BoardPage::ranked_row(const Place& place) {
  const BoardEntry& entry = entry_of(place);
  const std::string name = html_line(entry.name);
  add("<tr data-key=\"entry {}\" data-rank=\"{}\"><td class=\"number\" data-value=\"{}\">{}</td>", name, place.rank,
      place.rank, rank_text(place));
  if (board_.since() != 0)
    add("<td class=\"change{}\" data-value=\"{}\"><span aria-hidden=\"true\">{}</span><span "
        "class=\"said\">{}</span></td>",
        entry.climbed.value_or(0) == 0 ? ""
        : *entry.climbed > 0           ? " up"
                                       : " down",
        entry.climbed ? std::to_string(*entry.climbed) : "", change_text(entry), change_in_words(entry));
  add("<th class=\"name\" scope=\"row\">{}</th><td class=\"number\" data-value=\"{}\">{}</td>", name, place.ratio.value,
      ratio_with_interval(place.ratio));
  if (!board_.weights.is_time_alone())
    add("<td class=\"number\" data-value=\"{0}\">{0:.1f}</td><td class=\"number\" data-value=\"{1}\">{1:.0f} %</td><td "
        "class=\"number\" data-value=\"{2}\">{2:.0f} %</td>",
        place.score, 100 * entry.correctness, 100 * entry.clarity);
  submitted(entry);
  add("</tr>\n");
}

void BoardPage::mark_row(const BoardMark& mark) {
  if (mark.kind == MarkKind::kStep || mark.kind == MarkKind::kRoof) return;
  const bool is_named = mark.kind == MarkKind::kGhost || mark.kind == MarkKind::kPeer;
  const std::string name = mark_text(mark.kind) + (is_named && !mark.name.empty() ? ": " + mark.name : "");
  add("<tr class=\"ghost\" data-key=\"mark {0}\"><td class=\"number\" data-value=\"\">–</td>{1}<th class=\"name\" "
      "scope=\"row\">{0}</th><td class=\"number\" data-value=\"{2}\">{2:.3f}</td>{3}<td class=\"date\"></td></tr>\n",
      html_line(name), board_.since() != 0 ? "<td class=\"change\" data-value=\"\"></td>" : "", mark.ratio,
      board_.weights.is_time_alone() ? ""
                                     : "<td class=\"number\" data-value=\"\"></td><td class=\"number\" "
                                       "data-value=\"\"></td><td class=\"number\" data-value=\"\"></td>");
}

void BoardPage::submitted(const BoardEntry& entry) {
  add("<td class=\"date\">{}", submission_date_text(entry.submitted, board_.made));
  if (!entry.not_counted.empty()) add("<small>{}</small>", html_line(entry.not_counted));
  add("</td>");
}

void BoardPage::unranked() {
  if (count(false) == 0) return;
  add("<section id=\"without\">\n<h2><span>Without a rank</span></h2>\n");
  page_ += begin_table("without-table", "Entries without a rank", Sorting::kByScript);
  add("<thead><tr><th scope=\"col\">name</th><th scope=\"col\">state</th><th scope=\"col\">why</th><th "
      "scope=\"col\">submitted</th></tr></thead>\n<tbody>\n");
  for (const Place& place : board_.places) {
    if (place.rank > 0) continue;
    const BoardEntry& entry = entry_of(place);
    add("<tr data-key=\"entry {0}\"><th class=\"name\" scope=\"row\">{0}</th><td>{1}</td><td>{2}</td>",
        html_line(entry.name), state_text(entry.state), html_line(entry.reason));
    submitted(entry);
    add("</tr>\n");
  }
  page_ += kTableEnd;
  add("</section>\n");
}

void BoardPage::cases() {
  add("<section id=\"cases\">\n<h2><span>Cases</span></h2>\n");
  for (std::size_t i = 0; i < board_.cases.size(); ++i) one_case(i);
  if (board_.cases.empty()) add("<p>They are shown with the first board.</p>\n");
  add("</section>\n");
}

void BoardPage::one_case(std::size_t number) {
  const BoardCase& each = board_.cases[number];
  const std::string title = fmt::format("{} · {}", each.task, each.name);
  add("<h3>{}{}{}</h3>\n", html_line(title), each.sizes.empty() ? "" : " · ", html_line(each.sizes));
  std::vector<IntervalRow> rows;
  std::vector<double> milliseconds;
  for (const Place& place : board_.places)
    if (place.rank > 0) {
      const CaseTime& time = entry_of(place).times[number];
      rows.push_back({entry_of(place).name, this->time(time.milliseconds), time.ratio});
      milliseconds.push_back(time.milliseconds);
    }
  if (!rows.empty() && board_.cases.size() > 1) picture(title, rows, each.marks);
  marks("Reference marks: " + title, each.marks, each.reference_milliseconds);
  if (rows.empty()) return;
  page_ += begin_table(fmt::format("case-{}-table", number + 1), "Times: " + title, Sorting::kByScript);
  add("<thead><tr><th scope=\"col\">name</th><th class=\"number\" scope=\"col\">time</th><th class=\"number\" "
      "scope=\"col\">÷ reference</th></tr></thead>\n<tbody>\n");
  for (std::size_t i = 0; i < rows.size(); ++i)
    add("<tr data-key=\"entry {0}\"><th class=\"name\" scope=\"row\">{0}</th><td class=\"number\" "
        "data-value=\"{1}\">{2}</td><td class=\"number\" data-value=\"{3}\">{4}</td></tr>\n",
        html_line(rows[i].name), milliseconds[i], rows[i].label, rows[i].ratio.value,
        ratio_with_interval(rows[i].ratio));
  page_ += kTableEnd;
}

void BoardPage::marks(const std::string& caption, const std::vector<BoardMark>& marks, double reference_milliseconds) {
  if (marks.empty()) return;
  page_ += begin_table("", caption, Sorting::kNone);
  add("<thead><tr><th scope=\"col\">reference mark</th><th scope=\"col\">which</th>{}<th class=\"number\" "
      "scope=\"col\">÷ reference's</th></tr></thead>\n<tbody>\n",
      reference_milliseconds > 0 ? "<th class=\"number\" scope=\"col\">time</th>" : "");
  for (const BoardMark& mark : marks) {
    add("<tr><td>{}</td><td>{}</td>", mark_text(mark.kind), html_line(mark.name));
    if (reference_milliseconds > 0) add("<td class=\"number\">{}</td>", time(mark.ratio * reference_milliseconds));
    add("<td class=\"number\">{:.3f}</td></tr>\n", mark.ratio);
  }
  page_ += kTableEnd;
}

void BoardPage::rules() {
  add("<section id=\"rules\">\n<h2><span>How ranks are determined</span></h2>\n"
      "<p>Only entries that are right and clean race. An entry's time is the geometric mean, over all cases, of its "
      "time as a "
      "multiple of the reference's{}. Intervals extend from the smallest ratio to the third quartile; entries whose "
      "intervals are less than {} % apart share a rank.</p>\n",
      board_.is_modelled ? "" : ", measured sample by sample in turn", 100 * kLeastGap);
  add("<p>The naive step, the reference, the library and earlier winners are listed among the entries for comparison; "
      "they have no "
      "rank.</p>\n");
  if (!board_.weights.is_time_alone())
    add("<p>The score, out of 100, combines time ({:g}), correctness ({:g}) and clarity ({:g}); for time, the fastest "
        "entry gets all points, one that takes twice as long gets half.</p>\n",
        board_.weights.time, board_.weights.correctness, board_.weights.clarity);
  if (board_.since() != 0)
    add("<p>An order that differs from the last board's, although neither of the two entries' intervals is {} % apart "
        "from what it was then, counts as no change of rank. A new nickname begins a new history. What turns out not "
        "to be right and clean loses its place in the history, too.</p>\n",
        100 * kLeastGap);
  add("</section>\n");
}

}  // namespace

std::string board_page(const Board& board) { return BoardPage(board).render(); }

}  // namespace lanewise
