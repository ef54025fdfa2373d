// Reads and writes whole files: never half of one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "datasets/data_error.h"

namespace lanewise {

/// The name of a file as the beginning of a sentence about it.
std::string quoted(const std::filesystem::path& file);

/// The same bytes, as text.
inline std::string_view as_text(const std::vector<std::uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The bytes of `file`, which must be a regular file of 1 to `most_bytes` bytes. `wanted` names its expected contents
/// in error messages: "picture", "matrix". Nothing is allocated before the size has been checked.
std::variant<std::vector<std::uint8_t>, DataError> read_contents(const std::filesystem::path& file,
                                                                 const std::string& wanted, std::uintmax_t most_bytes);

/// Writes `pieces` to `file`, one after the other: under another name in the same folder, then renamed, so that readers
/// see either the old contents or the new. If that fails, `file` is unchanged.
std::optional<DataError> write_contents(const std::filesystem::path& file,
                                        std::initializer_list<std::string_view> pieces);

}  // namespace lanewise
