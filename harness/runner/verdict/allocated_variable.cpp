// Reads calls as far as students write them.
#include "harness/runner/verdict/allocated_variable.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

namespace lanewise {
namespace {

constexpr std::size_t kLongestVariable = 40;
// A call's line is that of its end: it may begin some lines before.
constexpr int kLinesOfCall = 4;
constexpr const char* kOwnCall = ".allocate(";  // of pool::Scratch in labs/cuda_host.cuh

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

// "d_sums" of "CHECK(d_sums.allocate(blocks));".
std::string allocating_object(const std::string& line) {
  const std::size_t dot = line.find(kOwnCall);
  if (dot == std::string::npos || line.find(kOwnCall, dot + 1) != std::string::npos) return "";
  std::size_t begin = dot;
  while (begin > 0 && (is_of_word(line[begin - 1]) || line[begin - 1] == '[' || line[begin - 1] == ']')) --begin;
  return line.substr(begin, dot - begin);
}

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
  if (calls == 0) variable = "&" + allocating_object(line);
  if (calls > 1 || variable.size() < 2 || variable.front() != '&') return "";
  variable.erase(0, 1);
  const auto is_plain = [](char c) {
    return is_of_word(c) || c == '.' || c == '[' || c == ']' || c == '-' || c == '>';
  };
  const bool is_name = variable.size() <= kLongestVariable && std::all_of(variable.begin(), variable.end(), is_plain);
  return is_name ? variable : "";
}

std::string allocated_variable(const std::vector<std::string>& lines, int number) {
  std::string call;
  for (int first = number; first > 0 && first > number - kLinesOfCall; --first) {
    if (first > static_cast<int>(lines.size())) return "";
    const std::string& line = lines[static_cast<std::size_t>(first) - 1];
    if (first < number && line.find(';') != std::string::npos) return "";  // of another statement
    call.insert(0, line + " ");
    if (call.find("Malloc") != std::string::npos || call.find("HostAlloc") != std::string::npos ||
        call.find(kOwnCall) != std::string::npos)
      return allocated_variable(call);
  }
  return "";
}

void rename_allocation(std::string& text, const std::string& name, const std::string& by) {
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

}  // namespace lanewise
