// SHA-256: verifies that a fetched file is the intended one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>

#include "datasets/data_error.h"

namespace lanewise {

/// Source: NIST, FIPS 180-4, Secure Hash Standard, 2015.
class Sha256 {
 public:
  void add(const void* bytes, std::size_t count);
  /// The digest of everything added, as 64 hexadecimal digits. Nothing can be added afterwards.
  std::string digest();

 private:
  void take_block(const std::uint8_t* block);

  std::array<std::uint32_t, 8> state_ = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
                                         0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};
  std::array<std::uint8_t, 64> pending_ = {};
  std::uint64_t bytes_ = 0;
};

/// The digest of a file's bytes.
std::variant<std::string, DataError> sha256_of_file(const std::filesystem::path& file);

}  // namespace lanewise
