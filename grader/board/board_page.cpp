// Standings, who has no rank, the cases, how it was timed.
#include "grader/board/board_page.h"

#include <fmt/format.h>

#include <iterator>

#include "grader/board/history_section.h"
#include "grader/board/interval_picture.h"
#include "grader/exports/counted.h"
#include "harness/lab/time_text.h"
#include "harness/report/html_style.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

constexpr const char* kBoardStyle = R"css(
body { max-width: 72rem; }
nav { margin: 1rem 0 0; display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; font-size: .93rem; }
a { color: var(--accent); text-underline-offset: 2px; }
a:focus-visible, .wide:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.wide { overflow-x: auto; }
.note { border-left: 3px solid var(--accent); background: var(--panel); padding: .6rem 1rem; margin: 1rem 0; }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; padding-right: 1rem; }
td.name { overflow-wrap: anywhere; font-weight: 600; min-width: 8rem; }
@media (max-width: 40rem) { th.number { white-space: normal; } }
.intervals svg { width: 100%; min-width: 40rem; height: auto; display: block; font: 13px system-ui, sans-serif; }
.intervals text { fill: var(--ink); stroke: var(--paper); stroke-width: 4px; paint-order: stroke; }
.intervals .dim, .intervals g text { fill: var(--dim); font-size: 11.5px; }
.intervals .grid { stroke: var(--line); } .intervals g line { stroke: var(--dim); stroke-dasharray: 3 4; }
.intervals .interval { fill: var(--accent); opacity: .55; } .intervals .median { fill: var(--accent); }
.intervals .mark-reference line { stroke: var(--ink); stroke-dasharray: none; }
.intervals .mark-peer line, .intervals .mark-roof line { stroke: var(--bad); }
.intervals .mark-peer line { stroke-dasharray: 8 3; } .intervals .mark-roof line { stroke-dasharray: none; }
.intervals .mark-naive line { stroke: var(--ink); }
@media print { nav { display: none; } .wide { overflow: visible; } .intervals svg { min-width: 0; }
  .intervals .interval { fill: #999; opacity: 1; } .intervals .median { fill: #000; } }
)css";

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
  void unranked();
  void cases();
  void one_case(std::size_t number);
  void marks(const std::vector<BoardMark>& marks, double reference_milliseconds);
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
  // The policy is a second line of defence behind the escaping: markup that slipped through could load or run nothing.
  add("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>{0}</title>\n<style>{1}{2}{3}</style>\n</head>\n<body>\n<main>\n"
      "<h1>{0}</h1>\n<p class=\"meta\">made {4}{5} · {6} ranked · {7} without a rank · {8} · {9}",
      html_line(board_.title), kHtmlStyle, kBoardStyle, kHistoryStyle, submitted_text(board_.made),
      end_text(board_, " · "), count(true), count(false), html_line(how_timed(board_)), html_line(board_.compiler));
  if (!board_.driver.empty()) add(" · driver {}", html_line(board_.driver));
  if (!board_.clocks.empty()) add(" · {}", html_line(board_.clocks));
  add("</p>\n<nav aria-label=\"Contents\"><a href=\"#standings\">Standings</a>{}{}<a href=\"#cases\">Cases</a>"
      "<a href=\"#rules\">How ranks are determined</a></nav>\n",
      count(false) > 0 ? "<a href=\"#without\">Without a rank</a>" : "",
      board_.since() != 0 ? "<a href=\"#history\">History</a>" : "");
  if (board_.is_modelled)
    add("<p class=\"note\">All times here are <strong>modelled</strong>: the virtual GPU's model computed them for the "
        "{} profile. No clock was read.</p>\n",
        html_line(board_.device));
}

void BoardPage::picture(const std::string& title, const std::vector<IntervalRow>& rows,
                        const std::vector<BoardMark>& marks) {
  add("<figure class=\"intervals wide\" tabindex=\"0\">{}</figure>\n", interval_picture(title, rows, marks));
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
    marks(board_.marks, 0);
  }
  add("</section>\n");
}

void BoardPage::standings_table() {
  const bool is_time_alone = board_.weights.is_time_alone();
  add("<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr><th class=\"number\" scope=\"col\">rank</th>{}<th "
      "scope=\"col\">name</th><th class=\"number\" scope=\"col\">{}time ÷ reference</th>{}<th "
      "scope=\"col\">submitted</th></tr></thead>\n<tbody>\n",
      board_.since() != 0 ? "<th scope=\"col\">change</th>" : "", board_.is_modelled ? "modelled " : "",
      is_time_alone ? ""
                    : "<th class=\"number\" scope=\"col\">score</th><th class=\"number\" "
                      "scope=\"col\">correctness</th><th class=\"number\" scope=\"col\">clarity</th>");
  for (const Place& place : board_.places) {
    if (place.rank == 0) continue;
    const BoardEntry& entry = entry_of(place);
    add("<tr><td class=\"number\">{}</td>", rank_text(place));
    if (board_.since() != 0)
      add("<td class=\"change{}\"><span aria-hidden=\"true\">{}</span><span class=\"said\">{}</span></td>",
          entry.climbed.value_or(0) == 0 ? ""
          : *entry.climbed > 0           ? " up"
                                         : " down",
          change_text(entry), change_in_words(entry));
    add("<td class=\"name\">{}</td><td class=\"number\">{}</td>", html_line(entry.name),
        ratio_with_interval(place.ratio));
    if (!is_time_alone)
      add("<td class=\"number\">{:.1f}</td><td class=\"number\">{:.0f} %</td><td class=\"number\">{:.0f} %</td>",
          place.score, 100 * entry.correctness, 100 * entry.clarity);
    add("<td class=\"date\">{}</td></tr>\n", submission_date_text(entry.submitted, board_.made));
  }
  add("</tbody>\n</table></div>\n");
}

void BoardPage::unranked() {
  if (count(false) == 0) return;
  add("<section id=\"without\">\n<h2><span>Without a rank</span></h2>\n<div class=\"wide\" "
      "tabindex=\"0\"><table>\n<thead><tr><th "
      "scope=\"col\">name</th><th scope=\"col\">state</th><th scope=\"col\">why</th><th "
      "scope=\"col\">submitted</th></tr></thead>\n<tbody>\n");
  for (const Place& place : board_.places)
    if (place.rank == 0)
      add("<tr><td class=\"name\">{}</td><td>{}</td><td>{}</td><td class=\"date\">{}</td></tr>\n",
          html_line(entry_of(place).name), state_text(entry_of(place).state), html_line(entry_of(place).reason),
          submission_date_text(entry_of(place).submitted, board_.made));
  add("</tbody>\n</table></div>\n</section>\n");
}

void BoardPage::cases() {
  add("<section id=\"cases\">\n<h2><span>Cases</span></h2>\n");
  for (std::size_t i = 0; i < board_.cases.size(); ++i) one_case(i);
  add("</section>\n");
}

void BoardPage::one_case(std::size_t number) {
  const BoardCase& each = board_.cases[number];
  const std::string title = fmt::format("{} · {}", each.task, each.name);
  add("<h3>{}{}{}</h3>\n", html_line(title), each.sizes.empty() ? "" : " · ", html_line(each.sizes));
  std::vector<IntervalRow> rows;
  for (const Place& place : board_.places)
    if (place.rank > 0) {
      const CaseTime& time = entry_of(place).times[number];
      rows.push_back({entry_of(place).name, this->time(time.milliseconds), time.ratio});
    }
  if (!rows.empty() && board_.cases.size() > 1) picture(title, rows, each.marks);
  marks(each.marks, each.reference_milliseconds);
  if (rows.empty()) return;
  add("<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr><th scope=\"col\">name</th><th class=\"number\" "
      "scope=\"col\">time</th><th class=\"number\" scope=\"col\">÷ reference</th></tr></thead>\n<tbody>\n");
  for (const IntervalRow& row : rows)
    add("<tr><td class=\"name\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
        html_line(row.name), row.label, ratio_with_interval(row.ratio));
  add("</tbody>\n</table></div>\n");
}

void BoardPage::marks(const std::vector<BoardMark>& marks, double reference_milliseconds) {
  if (marks.empty()) return;
  add("<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr><th scope=\"col\">reference mark</th><th "
      "scope=\"col\">which</th>{}<th class=\"number\" "
      "scope=\"col\">÷ reference's</th></tr></thead>\n<tbody>\n",
      reference_milliseconds > 0 ? "<th class=\"number\" scope=\"col\">time</th>" : "");
  for (const BoardMark& mark : marks) {
    add("<tr><td>{}</td><td>{}</td>", mark_text(mark.kind), html_line(mark.name));
    if (reference_milliseconds > 0) add("<td class=\"number\">{}</td>", time(mark.ratio * reference_milliseconds));
    add("<td class=\"number\">{:.3f}</td></tr>\n", mark.ratio);
  }
  add("</tbody>\n</table></div>\n");
}

void BoardPage::rules() {
  add("<section id=\"rules\">\n<h2><span>How ranks are determined</span></h2>\n"
      "<p>Only entries that are right and clean race. An entry's time is the geometric mean, over all cases, of its "
      "time as a "
      "multiple of the reference's{}. Intervals extend from the smallest ratio to the third quartile; entries whose "
      "intervals are less than {} % apart share a rank.</p>\n",
      board_.is_modelled ? "" : ", measured sample by sample in turn", 100 * kLeastGap);
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
