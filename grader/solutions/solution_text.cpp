// Applies changes that say which lines they are about, and not where these are.
#include "grader/solutions/solution_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/lab/read_file.h"
#include "harness/lab/text_lines.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = 1 << 20;
constexpr const char* kNamesFile = "--- ";
constexpr const char* kBeginsChange = "@@";

using Lines = std::vector<std::string>;

struct Change {
  std::size_t at = 0;  ///< its line in the difference, from 1
  Lines before, after;
};

struct Difference {
  Lines heading;
  std::string right_file;
  std::vector<Change> changes;
};

bool begins_with(const std::string& line, const std::string& start) { return line.rfind(start, 0) == 0; }

std::string text_of(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

Expected<Difference> parse(const std::string& name, const std::string& text) {
  Difference difference;
  const Lines lines = lines_of(text);
  auto line = lines.begin();
  for (; line != lines.end() && !begins_with(*line, kNamesFile); ++line) difference.heading.push_back(*line);
  if (line == lines.end())
    return Failure{fmt::format("{}: no line begins with '{}' and names the file that is changed", name, kNamesFile)};
  difference.right_file = line->substr(std::string(kNamesFile).size());
  for (++line; line != lines.end(); ++line) {
    const auto at = static_cast<std::size_t>(line - lines.begin()) + 1;
    if (*line == kBeginsChange) {
      difference.changes.push_back({at, {}, {}});
      continue;
    }
    const char sign = line->empty() ? ' ' : line->front();  // editors remove blanks at the end
    if (difference.changes.empty() || (sign != ' ' && sign != '-' && sign != '+'))
      return Failure{fmt::format("{}:{}: expected {} ' ', '-' or '+' and a line of {}", name, at,
                                 difference.changes.empty() ? "'@@', then lines of" : "'@@' or",
                                 difference.right_file)};
    const std::string content = line->empty() ? "" : line->substr(1);
    if (sign != '+') difference.changes.back().before.push_back(content);
    if (sign != '-') difference.changes.back().after.push_back(content);
  }
  return difference;
}

std::optional<Failure> apply(const Change& change, const std::string& name, const std::string& right_file,
                             Lines& lines) {
  const auto search = [&](Lines::iterator from) {
    return std::search(from, lines.end(), change.before.begin(), change.before.end());
  };
  const auto found = search(lines.begin());
  const bool is_there = !change.before.empty() && found != lines.end();
  if (!is_there || search(found + 1) != lines.end())
    return Failure{fmt::format("{}:{}: the lines that are changed here must occur in {} once, not {}", name, change.at,
                               right_file, is_there ? "several times" : "never")};
  const auto place = lines.erase(found, found + static_cast<std::ptrdiff_t>(change.before.size()));
  lines.insert(place, change.after.begin(), change.after.end());
  return std::nullopt;
}

}  // namespace

bool is_difference(const fs::path& file) { return file.extension() == ".diff"; }

Expected<std::string> solution_text(const fs::path& file) {
  auto text = read_file(file, kLargestFile);
  if (!text || !is_difference(file)) return text;
  const std::string name = file.filename().string();
  const auto difference = parse(name, *text);
  if (!difference) return difference.failure();
  if (difference->changes.empty()) return Failure{fmt::format("{}: it changes nothing", name)};
  const auto right = read_file(file.parent_path() / difference->right_file, kLargestFile);
  if (!right) return Failure{fmt::format("{}: {}", name, right.sentence())};
  Lines lines = lines_of(*right);
  const auto is_code = [](const std::string& line) { return !begins_with(line, "//"); };
  lines.erase(lines.begin(), std::find_if(lines.begin(), lines.end(), is_code));
  for (const Change& change : difference->changes)
    if (const auto failure = apply(change, name, difference->right_file, lines)) return *failure;
  return text_of(difference->heading) + text_of(lines);
}

}  // namespace lanewise
