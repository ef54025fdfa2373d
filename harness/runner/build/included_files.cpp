// One line a file: its hash, a blank, its path.
#include "harness/runner/build/included_files.h"

#include <algorithm>
#include <fstream>

#include "harness/runner/content_hash.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = 256 << 20;
constexpr const char* kUnknown = "unknown";

std::string hash_of(const fs::path& file) {
  const auto content = read_file(file, kLargestFile);
  return content ? content_hash(*content) : kUnknown;
}

fs::path resolved_path(const fs::path& path) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(path, error);
  return error ? path : real;
}

}  // namespace

bool remember_files(const fs::path& list, const std::vector<fs::path>& files, fs::file_time_type started) {
  std::ofstream stream(list, std::ios::binary);
  for (const fs::path& file : files) {
    std::error_code error;
    const bool is_settled = fs::last_write_time(file, error) < started && !error;
    stream << (is_settled ? hash_of(file) : kUnknown) << ' ' << file.string() << '\n';
  }
  stream.close();
  return static_cast<bool>(stream);
}

bool are_unchanged(const fs::path& list) {
  std::ifstream stream(list, std::ios::binary);
  if (!stream.is_open()) return false;
  std::string hash;
  std::string file;
  while (std::getline(stream, hash, ' ') && std::getline(stream, file))
    if (hash == kUnknown || hash_of(file) != hash) return false;
  return true;
}

std::vector<fs::path> files_outside(const std::vector<fs::path>& files, const std::vector<fs::path>& folders) {
  std::vector<fs::path> outside;
  for (const fs::path& file : files) {
    const fs::path real = resolved_path(file);
    const auto holds = [&real](const fs::path& folder) {
      const fs::path outer = resolved_path(folder);
      return std::mismatch(outer.begin(), outer.end(), real.begin(), real.end()).first == outer.end();
    };
    if (std::none_of(folders.begin(), folders.end(), holds)) outside.push_back(real);
  }
  return outside;
}

}  // namespace lanewise
