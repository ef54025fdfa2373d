#include "harness/runner/build/compiler_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <utility>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestBeginning = 600;  // of a line: matching takes stack for each character

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + by.size()))
    text.replace(at, part.size(), by);
  return text;
}

// A header the student wrote, next to the source and yet not found; a way out of the folder is not followed.
bool lies_beside(const std::string& header, const fs::path& source) {
  const fs::path path(header);
  std::error_code error;
  return !path.empty() && path.is_relative() && std::find(path.begin(), path.end(), "..") == path.end() &&
         fs::exists(source.parent_path() / path, error);
}

// Candidates that a call did not match, in the toolkit's or the system's words: pages of them, none of the student's.
std::string without_foreign_notes(const std::string& words) {
  // "/usr/include/x.h(12): note #3326-D: ..." as nvcc writes it, "/usr/include/x.h:12:3: note: ..." as others do.
  static const std::regex kDiagnostic(R"(^([^\s:(]+)[(:]\d+[):].*\b(error|warning|note|remark|required from)\b.*)");
  std::string kept;
  bool is_left_out = false;
  std::istringstream lines(words);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    const std::string beginning = line.substr(0, kLongestBeginning);
    const bool begins = std::regex_match(beginning, match, kDiagnostic);
    if (begins)
      is_left_out = match[2] == "note" && match[1].str().front() == '/';
    else if (line.find_first_not_of(" \t") == std::string::npos || line.front() != ' ')
      is_left_out = false;  // what a diagnostic shows is indented
    if (!is_left_out) kept += line + "\n";
  }
  if (!kept.empty() && (words.empty() || words.back() != '\n')) kept.pop_back();
  return kept;
}

// What a call of cudaMalloc and its like that fits none of them most likely lacks.
std::string advice_on_allocation(const std::string& words) {
  static const std::regex kRefused(R"((?:function "|call to ['"‘])(cudaMalloc\w{0,20}))");
  std::smatch function;
  if (!std::regex_search(words, function, kRefused)) return "";
  const std::regex call(R"(\b)" + function[1].str() + R"(\s{0,9}\(\s{0,9}(\w{1,60})\s{0,9},)");
  std::smatch argument;
  const std::string behind = function.suffix();
  if (!std::regex_search(behind, argument, call)) return "";
  return fmt::format("\n{0} stores an address, so it needs that of your pointer: {0}(&{1}, ...).", function[1].str(),
                     argument[1].str());
}

}  // namespace

std::string missing_header(const std::string& words) {
  for (const auto& [before, after] : {std::pair<std::string, const char*>("fatal error: '", "' file not found"),
                                      std::pair<std::string, const char*>("fatal error: ", ": No such file or dir")}) {
    const std::size_t end = words.find(after);
    const std::size_t begin = words.rfind(before, end);
    if (end == std::string::npos || begin == std::string::npos || words.find('\n', begin) < end) continue;
    return words.substr(begin + before.size(), end - begin - before.size());
  }
  return "";
}

std::string words_for_student(std::string words, const std::vector<fs::path>& folders, const std::string& compiled_as,
                              const fs::path& source) {
  const std::string own_name = source.filename().string();
  for (const fs::path& folder : folders) words = replaced(words, folder.string() + "/", "");
  std::string shown = without_foreign_notes(replaced(words, compiled_as, own_name));
  if (const std::string header = missing_header(shown); lies_beside(header, source))
    shown += fmt::format("\nOnly {0} itself is submitted, not the files next to it: move the contents of {1} into {0}.",
                         own_name, header);
  return shown + advice_on_allocation(shown);
}

std::string variable_without_value(const std::string& words, const std::string& compiled_as) {
  // "x.cu(9): warning #549-D: variable ... is used before its value is set", or "x.cu:9:3: warning: ...
  // [-Wuninitialized]".
  static const std::regex kWarning(
      R"([(:](\d+)(?:\): warning #549-D: (.*)|:\d+: warning: (.*) \[-W(?:sometimes-)?uninitialized\]))");
  std::istringstream lines(words);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(compiled_as, 0) != 0) continue;
    const std::string rest = line.substr(compiled_as.size(), kLongestBeginning);
    std::smatch match;
    if (std::regex_match(rest, match, kWarning))
      return fmt::format("line {}: {}", match[1].str(), match[2].matched ? match[2].str() : match[3].str());
  }
  return "";
}

}  // namespace lanewise
