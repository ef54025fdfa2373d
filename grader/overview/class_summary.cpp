// Lays out the table; what does not fit goes below its line.
#include "grader/overview/class_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "grader/overview/class_counts.h"
#include "grader/workplace/workplace.h"
#include "harness/lab/number_text.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

constexpr std::size_t kTroubleLines = 10;
constexpr std::size_t kSetAsideLines = 5;
constexpr std::size_t kNotesTold = 3;
constexpr std::size_t kNamesOfATrouble = 4;
constexpr std::size_t kBins = 10;
constexpr std::size_t kWidestLab = 18;
constexpr std::size_t kLeastForMisconception = 24;  // columns; with fewer it goes on a line of its own

enum class Ink { kPlain, kBold, kDim };

std::string count_of(std::size_t count, const char* thing) {
  return fmt::format("{} {}{}", with_commas(count), thing, count == 1 ? "" : "s");
}

class ClassSummary {
 public:
  ClassSummary(const GradedClass& graded, const TextStyle& style, const std::filesystem::path& pages,
               const Similarity& similarity)
      : graded_(graded), style_(style), pages_(pages), similarity_(similarity), labs_(count_class(graded)) {}
  std::string render();

 private:
  std::string ink(Ink ink, const std::string& text) const {
    if (!style_.colour || ink == Ink::kPlain) return text;
    return (ink == Ink::kBold ? "\x1b[1m" : "\x1b[2m") + text + "\x1b[0m";
  }
  void line(std::size_t indent, const std::string& text, Ink ink = Ink::kPlain);
  // Cut where the terminal ends.
  std::string cut(const std::string& text, std::size_t columns) const;
  void head();
  void table();
  void lab_line(const LabCounts& lab, std::size_t name_columns);
  std::string bars(const LabCounts& lab) const;
  void troubles();
  void set_aside();
  void review();

  const GradedClass& graded_;
  const TextStyle& style_;
  const std::filesystem::path& pages_;
  const Similarity& similarity_;
  std::vector<LabCounts> labs_;
  std::string out_;
};

void ClassSummary::line(std::size_t indent, const std::string& text, Ink ink) {
  out_ += std::string(indent, ' ') + this->ink(ink, style_.utf8 ? text : ascii_text(text)) + "\n";
}

std::string ClassSummary::cut(const std::string& text, std::size_t columns) const {
  return columns_of(text) <= columns ? text : first_columns(text, columns > 1 ? columns - 1 : 0) + "…";
}

std::string ClassSummary::render() {
  head();
  if (!labs_.empty()) table();
  troubles();
  set_aside();
  review();
  if (!pages_.empty()) line(0, "\noverview   " + shown_path(pages_ / "index.html"));
  return std::move(out_);
}

void ClassSummary::head() {
  std::string text = graded_.title.empty() ? "" : safe_line(graded_.title) + " · ";
  text += count_of(graded_.students.size(), "student") + " · " + count_of(labs_.size(), "lab");
  line(0, cut(text, style_.width), Ink::kBold);
  if (!graded_.backend.empty())
    line(
        0,
        cut(fmt::format("{} · cases: {} · seed {}", safe_line(graded_.backend), safe_line(graded_.cases), graded_.seed),
            style_.width),
        Ink::kDim);
}

void ClassSummary::table() {
  std::size_t name_columns = columns_of("lab");
  for (const LabCounts& lab : labs_) name_columns = std::max(name_columns, columns_of(safe_line(lab.id)));
  name_columns = std::min(name_columns, kWidestLab);
  out_ += "\n";
  std::string heading = fmt::format("{:<{}}  {:>9}  {:>5}  {:>6}  {:>5}  {:<{}}", "lab", name_columns, "graded", "mean",
                                    "median", "of", "0 to full", kBins + 2);
  const bool has_misconceptions =
      std::any_of(labs_.begin(), labs_.end(), [](const LabCounts& lab) { return !lab.misconceptions.empty(); });
  heading +=
      has_misconceptions && heading.size() + 4 + kLeastForMisconception <= style_.width ? "  most common mistake" : "";
  line(2, heading.substr(0, heading.find_last_not_of(' ') + 1), Ink::kDim);
  for (const LabCounts& lab : labs_) lab_line(lab, name_columns);
}

void ClassSummary::lab_line(const LabCounts& lab, std::size_t name_columns) {
  const std::string name = cut(safe_line(lab.id), name_columns);
  const std::size_t handed_in = lab.graded.size() + lab.not_graded.size();
  const bool has_points = !lab.points.empty();
  std::string text =
      fmt::format("{}{}  {:>9}  {:>5}  {:>6}  {:>5}  {}", name, std::string(name_columns - columns_of(name), ' '),
                  fmt::format("{}/{}", lab.graded.size(), handed_in), has_points ? points_text(lab.mean) : "–",
                  has_points ? points_text(lab.median) : "–", points_text(lab.max_points), bars(lab));
  std::string below;
  if (!lab.misconceptions.empty()) {
    const MisconceptionCount& first = lab.misconceptions.front();
    const std::string words = fmt::format("{} × {}", first.students.size(), safe_line(first.name));
    const std::size_t left = style_.width - std::min(style_.width, 2 + columns_of(text) + 2);
    if (left >= kLeastForMisconception)
      text += "  " + cut(words, left);
    else
      below = words;
  }
  line(2, text);
  if (!below.empty()) line(4, cut(below, style_.width - 4), Ink::kDim);
}

// A column for each tenth of the points, its height relative to the fullest one.
std::string ClassSummary::bars(const LabCounts& lab) const {
  constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr const char* kSigns[] = {".", ":", "-", "=", "+", "*", "#", "@"};
  constexpr std::size_t kHeights = 8;
  const std::vector<std::size_t> counts = distribution(lab.points, lab.max_points, kBins);
  const std::size_t most = *std::max_element(counts.begin(), counts.end());
  std::string text = "|";
  for (const std::size_t count : counts) {
    const std::size_t height = count == 0 ? 0 : (count * kHeights + most - 1) / most;  // 1 ... kHeights
    text += height == 0 ? " " : (style_.utf8 ? kBlocks : kSigns)[height - 1];
  }
  return text + "|";
}

void ClassSummary::troubles() {
  const std::vector<Trouble> troubles = count_troubles(graded_);
  if (troubles.empty()) return;
  std::size_t all = 0;
  for (const Trouble& each : troubles) all += each.attempts.size();
  out_ += "\n";
  line(0, fmt::format("{} could not be graded", count_of(all, "attempt")), Ink::kBold);
  std::size_t told = 0;
  for (std::size_t i = 0; i < std::min(troubles.size(), kTroubleLines); ++i) {
    const Trouble& trouble = troubles[i];
    std::string whose;
    for (std::size_t j = 0; j < std::min(trouble.attempts.size(), kNamesOfATrouble); ++j) {
      const Trouble::Whose& each = trouble.attempts[j];
      whose += fmt::format("{}{} · {}", j == 0 ? "" : ", ", safe_line(graded_.students[each.student].student.id),
                           safe_line(each.attempt->lab));
    }
    if (trouble.attempts.size() > kNamesOfATrouble)
      whose += fmt::format(" and {} more", trouble.attempts.size() - kNamesOfATrouble);
    line(2, cut(whose + "  " + safe_line(trouble.sentence), style_.width - 2));
    told += trouble.attempts.size();
  }
  if (told < all) line(2, fmt::format("and {} more", all - told), Ink::kDim);
}

void ClassSummary::set_aside() {
  const std::vector<SetAside>& all = graded_.set_aside;
  if (all.empty()) return;
  out_ += "\n";
  line(0, fmt::format("{} set aside", count_of(all.size(), "item")), Ink::kBold);
  for (std::size_t i = 0; i < std::min(all.size(), kSetAsideLines); ++i)
    line(2, cut(cut(safe_line(all[i].what), style_.width / 2) + "  " + safe_line(all[i].why), style_.width - 2));
  if (all.size() > kSetAsideLines) line(2, fmt::format("and {} more", all.size() - kSetAsideLines), Ink::kDim);
}

void ClassSummary::review() {
  const std::vector<SimilarGroup> groups = similar_groups(similarity_.pairs);
  std::vector<LookItem> items = to_be_looked_at(graded_, groups);
  // Told already, or told below by group.
  items.erase(std::remove_if(items.begin(), items.end(),
                             [](const LookItem& item) {
                               return item.reason == LookReason::kNotGraded || item.reason == LookReason::kSimilar;
                             }),
              items.end());
  if (items.empty() && groups.empty() && similarity_.notes.empty()) return;
  out_ += "\n";
  line(0, "To be looked at", Ink::kBold);
  for (auto at = items.begin(); at != items.end();) {
    const LookReason reason = at->reason;
    const auto end = std::find_if(at, items.end(), [reason](const LookItem& item) { return item.reason != reason; });
    std::string names;
    for (; at != end; ++at) names += (names.empty() ? "" : ", ") + safe_line(graded_.students[at->student].student.id);
    line(2, cut(fmt::format("{}: {}", words_for(reason), names), style_.width - 2));
  }
  if (!groups.empty()) {
    const SimilarPair& first = similarity_.pairs.front();
    line(2,
         cut(fmt::format("Near-identical submissions: {} (closest: {} and {} in {})", count_of(groups.size(), "group"),
                         safe_line(first.first), safe_line(first.second), safe_line(first.lab)),
             style_.width - 2));
  }
  for (std::size_t i = 0; i < std::min(similarity_.notes.size(), kNotesTold); ++i)
    line(2, cut(safe_line(similarity_.notes[i]), style_.width - 2), Ink::kDim);
}

}  // namespace

std::string class_summary(const GradedClass& graded, const TextStyle& style, const std::filesystem::path& pages,
                          const Similarity& similarity) {
  return ClassSummary(graded, style, pages, similarity).render();
}

}  // namespace lanewise
