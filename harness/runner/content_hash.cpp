// FNV-1a, and reading a file whole.
#include "harness/runner/content_hash.h"

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <iterator>

namespace lanewise {

namespace fs = std::filesystem;

__extension__ using Uint128 = unsigned __int128;

std::string content_hash(std::string_view content) {
  constexpr Uint128 kPrime = (Uint128{0x0000000001000000} << 64) | 0x000000000000013B;
  constexpr Uint128 kOffset = (Uint128{0x6C62272E07BB0142} << 64) | 0x62B821756295C58D;
  Uint128 hash = kOffset;
  for (const char c : content) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return fmt::format("{:016x}{:016x}", static_cast<std::uint64_t>(hash >> 64), static_cast<std::uint64_t>(hash));
}

Expected<std::string> read_file(const fs::path& file, std::uintmax_t most_bytes) {
  std::error_code error;
  if (!fs::exists(file, error)) return Failure{fmt::format("{}: there is no such file", file.string())};
  if (!fs::is_regular_file(file, error)) return Failure{fmt::format("{}: this is not a file", file.string())};
  if (const std::uintmax_t bytes = fs::file_size(file, error); error || bytes > most_bytes)
    return Failure{fmt::format("{}: the file is larger than the {} bytes that are allowed", file.string(), most_bytes)};
  std::ifstream stream(file, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream.is_open() || stream.bad()) return Failure{fmt::format("{}: the file cannot be read", file.string())};
  return content;
}

}  // namespace lanewise
