#include "harness/vgpu/report/sources.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace vgpu::report {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = 8 << 20;
constexpr std::size_t kLongestWhole = 1500;  // lines
constexpr std::size_t kLongestLine = 400;    // bytes; longer ones are generated, and nobody reads them
constexpr std::uint32_t kContext = 10;       // lines

std::vector<std::string> read_lines(std::ifstream& file) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.size() > kLongestLine) line.resize(kLongestLine);
    lines.push_back(std::move(line));
  }
  return lines;
}

// At most, as JSON in a page: there, signs that mean something to HTML and what is not ASCII take six bytes.
std::size_t embedded_bytes(const std::string& text) {
  std::size_t bytes = 3;  // quotes, a comma
  for (const char c : text) {
    const bool is_plain = c >= ' ' && c < 0x7F && c != '<' && c != '>' && c != '&';
    bytes += !is_plain ? 6 : c == '"' || c == '\\' ? 2 : 1;
  }
  return bytes;
}

bool is_near(std::uint32_t line, const std::set<std::uint32_t>& wanted) {
  const auto next = wanted.lower_bound(line > kContext ? line - kContext : 0);
  return next != wanted.end() && *next <= line + kContext;
}

}  // namespace

SourceFile read_source(const std::string& path, const std::set<std::uint32_t>& wanted, std::size_t& bytes_left) {
  SourceFile source;
  source.path = path;
  std::error_code error;
  // Whatever is no plain file could keep us waiting.
  if (!fs::is_regular_file(path, error)) {
    source.note = "the file is not where it was when the program was compiled, so only line numbers are shown";
    return source;
  }
  if (fs::file_size(path, error) > kLargestFile || error) {
    source.note = "the file is too large to be shown";
    return source;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    source.note = "the file cannot be read, so only line numbers are shown";
    return source;
  }
  const std::vector<std::string> lines = read_lines(file);
  if (!wanted.empty() && *wanted.rbegin() > lines.size())
    source.note = "the file is shorter than it was when the program was compiled: lines may not be the ones that ran";
  const bool whole = lines.size() <= kLongestWhole;
  std::uint32_t before = 0;
  for (std::uint32_t number = 1; number <= lines.size(); ++number) {
    if (!whole && !is_near(number, wanted)) continue;
    const std::string& text = lines[number - 1];
    const std::size_t bytes = embedded_bytes(text);
    if (bytes > bytes_left) {
      source.note = "the rest of the text is left out to keep this page small";
      break;
    }
    bytes_left -= bytes;
    if (source.pieces.empty() || before + 1 != number) source.pieces.push_back({number, {}});
    source.pieces.back().lines.push_back(text);
    before = number;
  }
  return source;
}

}  // namespace vgpu::report
