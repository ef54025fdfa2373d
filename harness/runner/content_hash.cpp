// FNV-1a.
#include "harness/runner/content_hash.h"

#include <fmt/format.h>

#include <cstdint>

namespace lanewise {

__extension__ using Uint128 = unsigned __int128;

std::string content_hash(std::string_view content) {
  constexpr Uint128 kPrime = (Uint128{0x0000000001000000} << 64) | 0x000000000000013B;
  constexpr Uint128 kOffset = (Uint128{0x6C62272E07BB0142} << 64) | 0x62B821756295C58D;
  Uint128 hash = kOffset;
  for (const char c : content) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return fmt::format("{:016x}{:016x}", static_cast<std::uint64_t>(hash >> 64), static_cast<std::uint64_t>(hash));
}

}  // namespace lanewise
