// A link may lead anywhere, so a file's real path decides.
#include "grader/server/board_files.h"

#include <algorithm>
#include <array>
#include <utility>

#include "harness/lab/read_file.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = 64 << 20;

constexpr std::array<std::pair<const char*, const char*>, 8> kTypes = {{{".html", "text/html; charset=utf-8"},
                                                                        {".css", "text/css; charset=utf-8"},
                                                                        {".js", "text/javascript; charset=utf-8"},
                                                                        {".json", "application/json"},
                                                                        {".svg", "image/svg+xml"},
                                                                        {".png", "image/png"},
                                                                        {".csv", "text/csv; charset=utf-8"},
                                                                        {".txt", "text/plain; charset=utf-8"}}};

}  // namespace

std::optional<BoardFile> read_board_file(const fs::path& board, const std::string& below) {
  const bool is_folder = below.empty() || below.back() == '/';
  std::error_code error;
  const fs::path root = fs::canonical(board, error);
  if (error) return std::nullopt;
  const fs::path file = fs::canonical(root / (is_folder ? below + "index.html" : below), error);
  if (error) return std::nullopt;
  const fs::path first = *file.lexically_relative(root).begin();
  if (first == ".." || first == "private") return std::nullopt;
  const std::string ending = file.extension().string();
  const auto type = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& each) { return ending == each.first; });
  if (type == kTypes.end()) return std::nullopt;
  auto content = read_file(file, kLargestFile);
  if (!content) return std::nullopt;
  return BoardFile{std::move(*content), type->second};
}

}  // namespace lanewise
