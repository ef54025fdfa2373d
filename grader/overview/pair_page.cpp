// One pane per source; each line knows the run that it belongs to.
#include "grader/overview/pair_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <sstream>
#include <vector>

#include "grader/overview/overview_style.h"
#include "harness/lab/number_text.h"
#include "harness/report/html_style.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

constexpr std::size_t kMostLines = 5000;  // ten times the longest step of a ladder
constexpr std::size_t kMostColumns = 500;
constexpr std::size_t kLongestPairName = 60;  // columns
constexpr std::size_t kColours = 6;

// Neighbouring runs differ in colour; numbers tell them apart without one.
constexpr const char* kPairStyle = R"css(
body { max-width: 110rem; }
.panes { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1rem; margin-top: 1rem; }
.panes h2 { margin: 0 0 .4rem; padding: 0; border: 0; font-size: 1.05rem; }
.pane pre { height: 80vh; overflow: auto; padding: .4rem 0; margin: 0; line-height: 1.45; white-space: pre-wrap; overflow-wrap: anywhere; }
.line { display: block; padding: 0 .6rem 0 7.6em; text-indent: -7.2em; border-left: 4px solid transparent; }
.nr, .go { text-indent: 0; }
.nr { display: inline-block; width: 3.2em; text-align: right; margin-right: .8em; color: var(--dim); user-select: none; }
.go { display: inline-block; min-width: 2.2em; margin-right: .4em; user-select: none; font-weight: 600; }
.go a { text-decoration: none; scroll-margin-top: 6rem; } .go a:target { outline: 2px solid var(--accent); outline-offset: 2px; }
.c0 { border-color: #2f6fb2; background: #2f6fb222; } .c1 { border-color: #c2571a; background: #c2571a22; }
.c2 { border-color: #17803d; background: #17803d22; } .c3 { border-color: #8a4fc0; background: #8a4fc022; }
.c4 { border-color: #b0892a; background: #b0892a22; } .c5 { border-color: #0e8f9c; background: #0e8f9c22; }
@media (max-width: 50rem) { .panes { grid-template-columns: minmax(0, 1fr); } }
@media print { @page { size: landscape; } .pane pre { height: auto; overflow: visible; font-size: 7.5pt; } .c0, .c1, .c2, .c3, .c4, .c5 { background: none; } }
)css";

struct Side {
  char letter;        // of the anchors: 'a' or 'b'
  char other_letter;  // of where its numbers lead
  int (*begin)(const MatchedLines&);
  int (*end)(const MatchedLines&);
};

constexpr Side kFirst = {'a', 'b', [](const MatchedLines& run) { return run.first_begin; },
                         [](const MatchedLines& run) { return run.first_end; }};
constexpr Side kSecond = {'b', 'a', [](const MatchedLines& run) { return run.second_begin; },
                          [](const MatchedLines& run) { return run.second_end; }};

// What a line shows: runs are counted from 0.
struct LineRuns {
  std::optional<std::size_t> colour;  // the run that it belongs to; the first where several share it
  std::vector<std::size_t> begin;     // runs that begin here: each, so that every number has a place on both sides
};

std::vector<LineRuns> runs_by_line(const std::vector<MatchedLines>& runs, const Side& side, std::size_t lines) {
  std::vector<LineRuns> of_line(lines);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto begin = static_cast<std::size_t>(std::max(1, side.begin(runs[i]))) - 1;
    const auto end = std::min(lines, static_cast<std::size_t>(std::max(0, side.end(runs[i]))));
    if (begin < lines) of_line[begin].begin.push_back(i);
    for (std::size_t line = begin; line < end; ++line)
      if (!of_line[line].colour) of_line[line].colour = i;
  }
  return of_line;
}

class PairPage {
 public:
  PairPage(const SimilarPair& pair, const PairSource& first, const PairSource& second)
      : pair_(pair), first_(first), second_(second) {}
  std::string render();

 private:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(page_), format, std::forward<Arguments>(arguments)...);
  }
  static std::string name_of(const PairSource& source);
  void pane(const PairSource& source, double percent, const Side& side);

  const SimilarPair& pair_;
  const PairSource& first_;
  const PairSource& second_;
  std::string page_;
};

std::string PairPage::name_of(const PairSource& source) {
  return html_text(first_columns(safe_line(source.name.empty() ? source.id : source.name), kLongestPairName));
}

void PairPage::pane(const PairSource& source, double percent, const Side& side) {
  std::vector<std::string> lines;
  std::istringstream stream(source.source);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(std::move(line));
  }
  const std::size_t shown = std::min(lines.size(), kMostLines);
  const std::vector<LineRuns> runs = runs_by_line(pair_.runs, side, shown);
  add("<div class=\"pane\">\n<h2><a href=\"../students/{}/index.html\">{}</a><span class=\"score\">{:.0f} % "
      "shared</span></h2>\n<pre>",
      html_text(source.id), name_of(source), percent);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string text = html_text(first_columns(safe_text(lines[i]), kMostColumns));
    add("<span class=\"line{}\"><span class=\"nr\">{}</span><span class=\"go\">",
        runs[i].colour ? fmt::format(" c{}", *runs[i].colour % kColours) : "", i + 1);
    for (const std::size_t run : runs[i].begin)
      add("<a id=\"{0}{2}\" href=\"#{1}{2}\" aria-label=\"passage {2} on the other side\">{2}</a> ", side.letter,
          side.other_letter, run + 1);
    add("</span>{}</span>", text);
  }
  add("</pre>\n");
  if (shown < lines.size()) add("<p class=\"dim\">And {} more lines.</p>\n", with_commas(lines.size() - shown));
  add("</div>\n");
}

std::string PairPage::render() {
  const std::string title = fmt::format("{}: {} and {}", html_text(pair_.lab), name_of(first_), name_of(second_));
  add("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src "
      "data:; base-uri 'none'; form-action 'none'\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{}</title>\n<style>{}{}{}</style>\n</head>\n<body>\n",
      title, kHtmlStyle, kOverviewStyle, kPairStyle);
  add("<h1>{}</h1>\n<p class=\"meta\"><a href=\"../index.html\">Overview</a> · {}; each number links to the other "
      "side. Names, comments, numbers and layout make no difference; what was handed out is not counted.</p>\n<div "
      "class=\"panes\">\n",
      title, pair_.runs.size() == 1 ? "1 matching passage" : fmt::format("{} matching passages", pair_.runs.size()));
  pane(first_, pair_.first_percent, kFirst);
  pane(second_, pair_.second_percent, kSecond);
  add("</div>\n</body>\n</html>\n");
  return std::move(page_);
}

}  // namespace

std::string pair_page(const SimilarPair& pair, const PairSource& first, const PairSource& second) {
  return PairPage(pair, first, second).render();
}

}  // namespace lanewise
