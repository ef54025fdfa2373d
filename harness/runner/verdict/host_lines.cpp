// Puts lines and variables of the source where the runtime knew addresses and serial numbers.
#include "harness/runner/verdict/host_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>

#include "harness/runner/session/findings.h"

namespace lanewise {
namespace {

constexpr std::size_t kLongestVariable = 40;
// A call's line is that of its end: it may begin some lines before.
constexpr int kLinesOfCall = 4;

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string without_spaces(std::string text) {
  const auto is_space = [](unsigned char c) { return std::isspace(c) != 0; };
  text.erase(std::remove_if(text.begin(), text.end(), is_space), text.end());
  return text;
}

// Up to the comma or parenthesis that ends the argument which begins at `at`.
std::string argument_at(const std::string& text, std::size_t at) {
  int depth = 0;
  std::size_t end = at;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (depth == 0 && (c == ',' || c == ')')) break;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
  }
  return text.substr(at, end - at);
}

// "&d_a" of "(void**)&d_a" and of "reinterpret_cast<void**>(&d_a)".
std::string without_casts(std::string text) {
  for (;;) {
    const std::size_t close = text.find(')');
    if (!text.empty() && text.front() == '(' && close != std::string::npos && close + 1 < text.size() &&
        text.find('*') < close) {
      text.erase(0, close + 1);
    } else if (const std::size_t cast = text.find("_cast<"); cast != std::string::npos && text.back() == ')') {
      const std::size_t open = text.find(">(", cast);
      if (open == std::string::npos) return text;
      text = text.substr(open + 2, text.size() - open - 3);
    } else {
      return text;
    }
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The variable that the call which ends in line `number` allocates.
std::string variable_at(const std::vector<std::string>& lines, int number) {
  std::string call;
  for (int first = number; first > 0 && first > number - kLinesOfCall; --first) {
    if (first > static_cast<int>(lines.size())) return "";
    const std::string& line = lines[static_cast<std::size_t>(first) - 1];
    if (first < number && line.find(';') != std::string::npos) return "";  // of another statement
    call.insert(0, line + " ");
    if (call.find("Malloc") != std::string::npos || call.find("HostAlloc") != std::string::npos)
      return allocated_variable(call);
  }
  return "";
}

// All of them, but none inside a longer number.
void replace_name(std::string& text, const std::string& name, const std::string& by) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
    const std::size_t end = at + name.size();
    if (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) {
      at = end;
      continue;
    }
    text.replace(at, name.size(), by);
    at += by.size();
  }
}

class Locating {
 public:
  Locating(const HostSource& source, const HostLines& lines)
      : source_(source), lines_(lines), text_(lines_of(source.text)) {}

  SourcePlace place_of(const CodeSite& site) const {
    const auto found = site.object == source_.object ? lines_.find(site.offset) : lines_.end();
    return found != lines_.end() ? SourcePlace{source_.name, found->second} : SourcePlace{};
  }

  void locate(Finding& finding) const {
    if (finding.place.line == 0) finding.place = place_of(finding.site);
    std::map<std::string, int> times;  // a variable may have held several allocations
    for (const OwnAllocation& allocation : finding.allocations) ++times[variable_of(allocation)];
    for (const OwnAllocation& allocation : finding.allocations) {
      const SourcePlace place = place_of(allocation.site);
      std::string name = variable_of(allocation);
      if (name.empty())
        name = allocation.name;
      else if (times[name] > 1)
        name += allocation.name.substr(allocation.name.find('#'));
      const bool is_array = finding.array == allocation.name;
      replace_name(finding.array, allocation.name, name);
      replace_name(finding.sentence, allocation.name, name);
      if (is_array && place.line > 0 && place.line != finding.place.line)
        finding.sentence += fmt::format("; {} was allocated in line {}", name, place.line);
    }
    finding.allocations.clear();
  }

 private:
  std::string variable_of(const OwnAllocation& allocation) const {
    const SourcePlace place = place_of(allocation.site);
    return place.line > 0 ? variable_at(text_, place.line) : "";
  }

  const HostSource& source_;
  const HostLines& lines_;
  std::vector<std::string> text_;
};

}  // namespace

std::string allocated_variable(const std::string& line) {
  constexpr std::string_view kCalls[] = {"cudaMalloc",      "cudaMallocManaged", "cudaMallocHost",
                                         "cudaMallocAsync", "cudaMallocPitch",   "cudaHostAlloc"};
  std::string variable;
  int calls = 0;
  for (std::size_t at = 0; at < line.size();) {
    if (!is_of_word(line[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < line.size() && is_of_word(line[end])) ++end;
    const std::string_view word = std::string_view(line).substr(at, end - at);
    at = end;
    if (std::find(std::begin(kCalls), std::end(kCalls), word) == std::end(kCalls)) continue;
    const std::size_t open = line.find_first_not_of(' ', line[end] == '<' ? line.find('>', end) + 1 : end);
    if (open == std::string::npos || line[open] != '(') continue;
    ++calls;
    variable = without_casts(without_spaces(argument_at(line, open + 1)));
  }
  if (calls != 1 || variable.size() < 2 || variable.front() != '&') return "";
  variable.erase(0, 1);
  const auto is_plain = [](char c) {
    return is_of_word(c) || c == '.' || c == '[' || c == ']' || c == '-' || c == '>';
  };
  const bool is_name = variable.size() <= kLongestVariable && std::all_of(variable.begin(), variable.end(), is_plain);
  return is_name ? variable : "";
}

std::set<std::uint64_t> host_offsets(const TaskVerdict& verdict, const HostSource& source) {
  std::set<std::uint64_t> offsets;
  const auto add = [&](const CodeSite& site) {
    if (site.object == source.object) offsets.insert(site.offset);
  };
  for (const Finding& finding : verdict.findings) {
    if (finding.place.line == 0) add(finding.site);
    for (const OwnAllocation& allocation : finding.allocations) add(allocation.site);
  }
  for (const CaseVerdict& each : verdict.cases) add(each.crash_site);
  return offsets;
}

void locate_host_code(TaskVerdict& verdict, const HostSource& source, const HostLines& lines) {
  const Locating locating(source, lines);
  for (Finding& finding : verdict.findings) locating.locate(finding);
  std::vector<Finding> found = std::move(verdict.findings);
  verdict.findings.clear();
  merge_findings(verdict.findings, found);  // what differed in a serial number alone
  for (CaseVerdict& each : verdict.cases) {
    each.place = locating.place_of(each.crash_site);
    constexpr std::string_view kHostCode = "host code ";
    if (each.place.line > 0 && each.sentence.compare(0, kHostCode.size(), kHostCode) == 0)
      each.sentence.insert(kHostCode.size(), fmt::format("in line {} ", each.place.line));
  }
}

}  // namespace lanewise
